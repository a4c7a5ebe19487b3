# SPDX-License-Identifier: Apache-2.0
"""XCB, version 1, and the attack on every version: to compare with those that the package has."""

from wideblock.spec.aes import BLOCK
from wideblock.spec.xcb import XCB, h
from wideblock.spec.xcb_attack import Cipher

__all__ = ["XCBv1", "recover_any_version"]


class XCBv1(XCB):
    """XCB, version 1, under one key.

    Encryption of A || B to G || E, where A and G are the first block, by the lines of version 2; but K_i = AES_K(i) for
    i = 0 to 4, of which K_1 and K_3 are the keys of the hash, and K_0, K_2 and K_4 take the places of K_e, K_c and K_d.

    Bytes:    a key of 16 bytes; a tweak Z of any length; sectors of at least 16 bytes.
    Source:   ePrint 2004/278, section 2.2.
    Security: see :attr:`XCB.security`.
    """

    key_sizes = (16,)

    def derive(self, K: bytes) -> None:
        """Makes the keys of the hash and of the three ciphers."""
        self.Ke, self.K1, self.Kc, self.K3, self.Kd = (self.K.encrypt(i.to_bytes(16)) for i in range(5))

    @property
    def hash_keys(self) -> dict[str, bytes]:
        """Keys of the hash by name."""
        return {"K_1": self.K1, "K_3": self.K3}

    def h1(self, Z: bytes, B: bytes) -> bytes:
        """h(K_1, B, Z)."""
        return h(self.K1, B, Z)

    def h2(self, Z: bytes, E: bytes) -> bytes:
        """h(K_3, E, Z)."""
        return h(self.K3, E, Z)

    def split(self, sector: bytes) -> tuple[bytes, bytes]:
        """(A, B) of a plaintext, (G, E) of a ciphertext: the first block and the rest after it."""
        if len(sector) < BLOCK:
            raise ValueError(f"an XCB sector must be at least {BLOCK} bytes, got {len(sector)}")
        return sector[:BLOCK], sector[BLOCK:]

    def join(self, single: bytes, rest: bytes) -> bytes:
        """The inverse of ``split``."""
        return single + rest


def recover_any_version(encrypt: Cipher, decrypt: Cipher, tweak: bytes, ciphertext: bytes, other: bytes) -> bytes:
    """The plaintext of a ciphertext of any version, with seven queries; with three if it is a single block.

    Bytes: ``other`` is a tweak Z' that has the length of ``tweak`` and differs from it.

    Seven times in turn, the result is deciphered under Z' and enciphered under Z. With d1 and d2 for the change of h1
    and h2 from Z to Z', the queries meet D + d2, D + d2 + d1, D + d1, D, and again the first three. After four, E has
    gained k, the sum of the four key streams; after seven it has gained k + k + ks(D), and is B. C is then
    D + d1 + h1(Z', B) = D + h1(Z, B), that of the plaintext, and so the single block is A. Without B there is no key
    stream, and three queries end there.

    Source: Wang, Mao, Xu, Jing, Wang, ePrint 2024/1527, for the number of queries; the steps follow from the equations.
    """
    if len(other) != len(tweak):
        raise ValueError(f"the other tweak must be {len(tweak)} bytes as the sector's, got {len(other)}")
    if other == tweak:
        raise ValueError(f"the other tweak must differ from the sector's, got {other.hex()!r} for both")
    sector = ciphertext
    for _ in range(1 if len(ciphertext) == BLOCK else 3):
        sector = encrypt(tweak, decrypt(other, sector))
    return decrypt(other, sector)
