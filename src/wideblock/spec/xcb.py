# SPDX-License-Identifier: Apache-2.0
"""XCB, the extended codebook mode, in its two versions: AES, hash, counter mode, hash, inverse AES.

Broken: see :mod:`wideblock.spec.xcb_attack`. It is here because the papers measure it.

Source: version 2: IEEE Std 1619.2-2010, XCB-AES, and McGrew and Fluhrer, "The Security of the Extended Codebook (XCB)
Mode of Operation", SAC 2007; version 1: the same authors, ePrint 2004/278. Symbols are those of the standard; the hash
h and the counter mode are those of GCM.
"""

from wideblock.spec.aead.gcm import bits, counter_mode
from wideblock.spec.aead.gcm import ghash as h
from wideblock.spec.aes import AES, BLOCK
from wideblock.spec.blocks import add, pad0
from wideblock.spec.gf128 import Reading, powers
from wideblock.spec.values import Values, numbered

__all__ = ["XCB", "counter_mode", "h"]


class XCB:
    """XCB-AES, version 2, under one key.

    Encryption of B || A to E || G, where A and G are the last block::

        H = AES_K(0), K_e = AES_K(1) || AES_K(2), K_d = AES_K(3) || AES_K(4), K_c = AES_K(5) || AES_K(6),
        each but H cut to the length of K
        C = e(K_e, A)
        D = C + h1(Z, B)
        E = B + c(K_c, D), the counter mode that starts at D
        F = D + h2(Z, E)
        G = d(K_d, F), d the inverse of e

    Bytes:    a key of 16 or 32 bytes; a tweak Z of any length; sectors of at least 16 bytes.
    Source:   IEEE Std 1619.2-2010, XCB-AES-128 and XCB-AES-256.
    Security: see :attr:`security`.
    """

    security = (
        "XCB is broken and must not protect data. Whoever can have one sector deciphered and one enciphered under the "
        "key reads any other ciphertext sector but its last block (version 2: Bhati, Verbauwhede, Andreeva, ePrint "
        "2024/1554). With three queries for version 2, and seven for every published version, the whole sector is read "
        "(Wang, Mao, Xu, Jing, Wang, CRYPTO 2025, ePrint 2024/1527). It is kept as a benchmark, because the papers "
        "measure it."
    )
    no_icv = "it is broken"
    key_sizes: tuple[int, ...] = (16, 32)

    def __init__(self, key: bytes):
        if len(key) not in self.key_sizes:
            sizes = " or ".join(map(str, self.key_sizes))
            raise ValueError(f"{type(self).__name__} key must be {sizes} bytes, got {len(key)}")
        self.K = AES(key)
        self.derive(key)
        self.e, self.d, self.c = AES(self.Ke), AES(self.Kd), AES(self.Kc)

    def derive(self, K: bytes) -> None:
        """Makes the hash key and the keys of the three ciphers."""
        self.H: bytes = self.K.encrypt(_block(0))
        self.Ke, self.Kd, self.Kc = (self.K.encrypt(_block(i) + _block(i + 1))[: len(K)] for i in (1, 3, 5))

    @property
    def hash_keys(self) -> dict[str, bytes]:
        """Keys of the hash by name."""
        return {"H": self.H}

    def key_values(self, blocks: int) -> Values:
        """The powers of the hash keys up to that of ``blocks`` blocks, and the round keys of all ciphers."""
        for name, key in self.hash_keys.items():
            each = powers(Reading.GCM.element(key), blocks)
            yield from numbered(f"{name}^{{}}", map(Reading.GCM.block, each), 1)
        for name, aes in {"K": self.K, "K_e": self.e, "K_d": self.d, "K_c": self.c}.items():
            yield from aes.values(name)

    def tweak_values(self, tweak: bytes, blocks: int) -> Values:
        """None: the hash has the tweak and the sector."""
        return iter(())

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector enciphered under the tweak."""
        A, B = self.split(sector)
        C = self.e.encrypt(A)
        D = add(C, self.h1(tweak, B))
        E = add(B, counter_mode(self.c, D, len(B)))
        F = add(D, self.h2(tweak, E))
        G = self.d.decrypt(F)
        return self.join(G, E)

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector deciphered under the tweak."""
        G, E = self.split(sector)
        F = self.d.encrypt(G)
        D = add(F, self.h2(tweak, E))
        B = add(E, counter_mode(self.c, D, len(E)))
        C = add(D, self.h1(tweak, B))
        A = self.e.decrypt(C)
        return self.join(A, B)

    def h1(self, Z: bytes, B: bytes) -> bytes:
        """h(H, 0^128 || Z, pad(B) || 0^128)."""
        return h(self.H, bytes(BLOCK) + Z, pad0(B) + bytes(BLOCK))

    def h2(self, Z: bytes, E: bytes) -> bytes:
        """h(H, Z || 0^128, pad(E) || be64(|Z| + 128) || be64(|E|)), lengths in bits."""
        A = Z + bytes(BLOCK)
        return h(self.H, A, pad0(E) + bits(A) + bits(E))

    def split(self, sector: bytes) -> tuple[bytes, bytes]:
        """(A, B) of a plaintext, (G, E) of a ciphertext: the last block and the rest before it."""
        _check(sector)
        return sector[-BLOCK:], sector[:-BLOCK]

    def join(self, single: bytes, rest: bytes) -> bytes:
        """The inverse of ``split``."""
        return rest + single


def _block(i: int) -> bytes:
    return i.to_bytes(BLOCK)


def _check(sector: bytes) -> None:
    if len(sector) < BLOCK:
        raise ValueError(f"an XCB sector must be at least {BLOCK} bytes, got {len(sector)}")
