# SPDX-License-Identifier: Apache-2.0
"""POET v2.01 in its recommended set: AES-128 between two chains of AES4, without intermediate tags.

Source: Abed, Fluhrer, Foley, Forler, List, Lucks, McGrew, Wenzel, "The POET Family of On-Line Authenticated Encryption
Schemes", version 2.01 (CAESAR, 15 September 2015), and the designers' reference code.
"""

from hmac import compare_digest

from wideblock.spec.aead import AEAD, Rejected
from wideblock.spec.aes import AES, BLOCK, expand_key, full_rounds
from wideblock.spec.blocks import add, check_size, pad, split
from wideblock.spec.gf128 import Reading, doubled
from wideblock.spec.values import Values, numbered

__all__ = ["POET"]

_ONE = (1).to_bytes(BLOCK, "big")


class POET(AEAD):
    """POET-AES4 under one key SK.

    Encryption of M_1, .., M_m and M_last of r bytes, where r is 1 to 16, or 0 for an empty message::

        K = AES_SK([0]_128)   L = AES_SK([1]_128)   K_F = AES_SK([2]_128)   E = AES_K   F = AES4 under K_F
        tau = E(E(L) + E(H_1 + 2 L) + E(H_2 + 4 L) + ..) over the header H = associated data || nonce
        S   = E(bits of the message)
        X_0 = tau                Y_0 = tau + [1]_128
        X_i = F(X_(i-1)) + M_i   Y_i = E(X_i)   C_i = F(Y_(i-1)) + Y_i

    By the last line, S + (M_last || the first 16 - r bytes of tau) gives S + (C_last || the first 16 - r bytes of the
    tag), and after that tau gives tau + (the last r bytes of the tag || others).

    Bytes:    a key of 16, a nonce of 16, a tag of 16; doubling in the reading of GCM; lengths in little-endian bits.
    Source:   POET v2.01; the designers' reference code, poet.c.
    Security: see :attr:`security`.
    """

    name = "POET"
    security = (
        "POET is an on-line authenticated cipher, secure up to the birthday bound of 2^64 blocks under one key (Abed "
        "et al., FSE 2014; POET v2.01). A repeated nonce with equal associated data shows how long the common "
        "beginning of two messages is, in blocks. The chains hash by four AES rounds; a variant that hashed by "
        "multiplication has weak keys (Abdelraheem, Bogdanov, Tischhauser, 2014), was withdrawn, and is not this one. "
        "POET was a second-round candidate of CAESAR and is not in its final portfolio."
    )

    def __init__(self, key: bytes):
        check_size("POET key", key, BLOCK)
        self.SK = AES(key)
        K, L, K_F = (self.SK.encrypt(i.to_bytes(BLOCK, "big")) for i in range(3))
        self.K: bytes = K
        self.L: bytes = L
        self.K_F: bytes = K_F
        self.cipher = AES(K)
        self.E = self.cipher.encrypt
        self.D = self.cipher.decrypt
        self._round_keys = expand_key(K_F)[:5]

    def encrypt(self, nonce: bytes, ad: bytes, message: bytes) -> bytes:
        """The message under the header ad || nonce, then its tag."""
        check_size("nonce of POET", nonce, BLOCK)
        return self.encrypt_under(ad + nonce, message)

    def unverified(self, nonce: bytes, ad: bytes, ciphertext: bytes) -> tuple[bytes, bool]:
        """The message before the verdict, and whether the ciphertext is intact, under the header ad || nonce."""
        check_size("nonce of POET", nonce, BLOCK)
        return self.unverified_under(ad + nonce, ciphertext)

    def key_values(self, blocks: int) -> Values:
        """K, L, K_F, the masks 2^i L of ``blocks`` blocks of header, and the round keys."""
        yield from {"K": self.K, "L": self.L, "K_F": self.K_F}.items()
        yield from numbered("2^{} L", map(Reading.GCM.block, self._masks(blocks)))
        yield from self.SK.values("SK")
        yield from self.cipher.values("K")
        yield from numbered("round key {} of K_F", self._round_keys)

    def message_values(self, nonce: bytes, ad: bytes, blocks: int) -> Values:
        """tau, the hash of the header."""
        yield "tau", self.tau(ad + nonce)

    def encrypt_under(self, header: bytes, message: bytes) -> bytes:
        """The message under a header of any length, then its tag."""
        *M, M_last = split(message) or [b""]
        r = len(M_last)
        tau, S = self.tau(header), self.S(len(message))
        X, Y = tau, add(tau, _ONE)
        C = b""
        for M_i in M:
            C_i, X, Y = self.encipher(X, Y, M_i)
            C += C_i
        last, X, Y = self.encipher(X, Y, add(S, M_last + tau[: BLOCK - r]))
        return C + add(S, last) + self.T(X, Y, tau)[:r]

    def unverified_under(self, header: bytes, ciphertext: bytes) -> tuple[bytes, bool]:
        """The message before the verdict, and whether the ciphertext is intact, under a header of any length."""
        size = len(ciphertext) - BLOCK
        if size < 0:
            raise Rejected
        r = (size - 1) % BLOCK + 1 if size else 0
        C, (last, *T) = split(ciphertext[: size - r]), split(ciphertext[size - r :])
        tau, S = self.tau(header), self.S(size)
        X, Y = tau, add(tau, _ONE)
        M = b""
        for C_i in C:
            M_i, X, Y = self.decipher(X, Y, C_i)
            M += M_i
        last, X, Y = self.decipher(X, Y, add(S, last))
        M_last = add(S, last)
        intact = compare_digest(M_last[r:] + b"".join(T), tau[: BLOCK - r] + self.T(X, Y, tau)[:r])
        return M + M_last[:r], intact

    def encipher(self, X: bytes, Y: bytes, M: bytes) -> tuple[bytes, bytes, bytes]:
        """One block: C = F(Y) + E(F(X) + M), and the next X and Y: that cipher's input and output."""
        next_X = add(self.F(X), M)
        next_Y = self.E(next_X)
        return add(self.F(Y), next_Y), next_X, next_Y

    def decipher(self, X: bytes, Y: bytes, C: bytes) -> tuple[bytes, bytes, bytes]:
        """One block back: M = F(X) + D(F(Y) + C), and the next X and Y."""
        next_Y = add(self.F(Y), C)
        next_X = self.D(next_Y)
        return add(self.F(X), next_X), next_X, next_Y

    def F(self, X: bytes) -> bytes:
        """AES4 under the first five round keys of K_F; MixColumns in all four rounds."""
        return full_rounds(X, self._round_keys)

    def tau(self, header: bytes) -> bytes:
        """E(E(0 + L) + E(H_1 + 2 L) + E(H_2 + 4 L) + ..), the last H_i, of 0 to 15 bytes, padded by 80 00 .. 00.

        The zero block is the parameter block: no intermediate tags. A header of whole blocks has one more, 80 00 .. 00.
        """
        whole = len(header) - len(header) % BLOCK
        blocks = [bytes(BLOCK), *split(header[:whole]), pad(header[whole:])]
        tau = 0
        for block, mask in zip(blocks, self._masks(len(blocks)), strict=True):
            tau ^= Reading.GCM.element(self.E(add(block, Reading.GCM.block(mask))))
        return self.E(Reading.GCM.block(tau))

    def _masks(self, n: int) -> list[int]:
        """L, 2 L, 4 L, .."""
        return doubled(Reading.GCM.element(self.L), n)

    def S(self, size: int) -> bytes:
        """E of the bits of a message of ``size`` bytes: a 64-bit little-endian number, then 8 zero bytes."""
        return self.E((8 * size).to_bytes(8, "little") + bytes(8))

    def T(self, X: bytes, Y: bytes, tau: bytes) -> bytes:
        """tau enciphered as one more block, plus tau; enciphered in decryption, too."""
        C, _, _ = self.encipher(X, Y, tau)
        return add(C, tau)
