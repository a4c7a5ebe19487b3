# SPDX-License-Identifier: Apache-2.0
"""AEZ v4.1 and v5: encode, then encipher by a tweakable cipher of strings of any length.

The message with zero bytes behind it, the authenticator, is enciphered as one string; decryption accepts if the zeros
return. The versions differ in the tweakable block cipher E alone.

Source: Hoang, Krovetz, Rogaway, "AEZ v5: Authenticated Encryption by Enciphering" (21 March 2017), 1.5, and AEZ v4.1
(October 2015); names are theirs. The reference code of v4.1 is the authority for its offsets.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import reduce
from hashlib import blake2b
from hmac import compare_digest
from operator import xor

from wideblock.spec.aead import AEAD, Rejected
from wideblock.spec.aes import BLOCK, full_rounds
from wideblock.spec.aez_core import core
from wideblock.spec.blocks import pad, split
from wideblock.spec.gf128 import Reading, mul, power
from wideblock.spec.values import Values

__all__ = ["AEZ", "AEZv4", "AEZv5", "extract"]

MAX_TAG = 16

BE = Reading.BE


def extract(key: bytes) -> bytes:
    """I || J || L: a key of 48 bytes itself, the 48-byte BLAKE2b of any other. Source: AEZ v5, 1.5, Extract."""
    return key if len(key) == 3 * BLOCK else blake2b(key, digest_size=3 * BLOCK).digest()


class AEZ(AEAD):
    """AEZ under one key: all but the tweakable block cipher, which is that of a version.

    ``I``, ``J`` and ``L`` are the parts of the extracted key, as elements.

    Bytes:    a key, a nonce and associated data of any length; an authenticator (``tag_bytes``) of 0 to 16. Associated
              data are one string or several; CAESAR's "none" is one empty string, which differs from no string at all.
              Without an authenticator the length is kept, and no ciphertext is rejected.
    Source:   AEZ v5, 1.5.
    Security: see :attr:`security`.
    """

    def __init__(self, key: bytes, *, tag_bytes: int = MAX_TAG):
        if not 0 <= tag_bytes <= MAX_TAG:
            raise ValueError(f"tag_bytes of AEZ must be from 0 to {MAX_TAG}, got {tag_bytes}")
        self.tag_bytes = tag_bytes
        self.I, self.J, self.L = BE.elements(extract(key))

    def encrypt(self, nonce: bytes, ad: bytes | Sequence[bytes], message: bytes) -> bytes:
        """Encipher(message || 00 .. 00), or the AEZ-prf of an empty message. Source: Encrypt."""
        Delta = self._Delta(nonce, ad)
        if not message:
            return self.prf(Delta, self.tag_bytes)
        return self.encipher(Delta, message + bytes(self.tag_bytes))

    def unverified(self, nonce: bytes, ad: bytes | Sequence[bytes], ciphertext: bytes) -> tuple[bytes, bool]:
        """The message before the verdict, and whether the ciphertext is intact. Source: Decrypt."""
        size = len(ciphertext) - self.tag_bytes
        if size < 0:
            raise Rejected
        Delta = self._Delta(nonce, ad)
        if size == 0:
            return b"", compare_digest(self.prf(Delta, self.tag_bytes), ciphertext)
        X = self.decipher(Delta, ciphertext)
        return X[:size], compare_digest(X[size:], bytes(self.tag_bytes))

    def key_values(self, blocks: int) -> Values:
        """I, J, L, and the offsets of calls for ``blocks`` blocks of message and of associated data."""
        for name, value in {"I": self.I, "J": self.J, "L": self.L}.items():
            yield name, BE.block(value)
        for j in range(-1, 6):
            for i in range(max(8, blocks + 1)):
                yield f"the offset of E^({j},{i})", BE.block(self.offset(j, i))

    def message_values(self, nonce: bytes, ad: bytes, blocks: int) -> Values:
        """Delta, the hash of nonce and associated data."""
        yield "Delta", BE.block(self._Delta(nonce, ad))

    def _Delta(self, nonce: bytes, ad: bytes | Sequence[bytes]) -> int:
        tau = (8 * self.tag_bytes).to_bytes(BLOCK, "big")
        return self.hash(tau, nonce, *([ad] if isinstance(ad, bytes) else ad))

    def encipher(self, Delta: int, data: bytes) -> bytes:
        """A string of any length enciphered under the hash Delta. Source: Encipher."""
        if len(data) < 2 * BLOCK:
            return self.tiny(Delta, data)
        return core(self.each_E, Delta, data)

    def decipher(self, Delta: int, data: bytes) -> bytes:
        """The inverse of :meth:`encipher`. Source: Decipher."""
        if len(data) < 2 * BLOCK:
            return self.tiny(Delta, data, inverse=True)
        return core(self.each_E, Delta, data, inverse=True)

    def hash(self, *T: bytes) -> int:
        """Delta: the sum of E^{j,i} of all blocks i of all strings T_1, T_2, .., with j = 3, 4, ..

        A last block that is not whole has i = 0 and is padded by 80 00 .. 00; an empty string is such a block. The
        strings are [tau]_128 for an authenticator of tau bits, the nonce, and the associated data. Source: AEZ-hash.
        """
        Delta = 0
        for j, string in enumerate(T, start=3):
            blocks = split(string) or [b""]
            i = [n if len(block) == BLOCK else 0 for n, block in enumerate(blocks, start=1)]
            Delta ^= _total(self.each_E(j, i, [_padded(block) for block in blocks]))
        return Delta

    def prf(self, Delta: int, size: int) -> bytes:
        """The first ``size`` bytes of E^{-1,3}(Delta + [0]) || E^{-1,3}(Delta + [1]) || .. Source: AEZ-prf."""
        n = -(-size // BLOCK)
        return BE.blocks(self.each_E(-1, [3] * n, [Delta ^ i for i in range(n)]))[:size]

    def tiny(self, Delta: int, data: bytes, *, inverse: bool = False) -> bytes:
        """AEZ-tiny: a string of at most 31 bytes by a balanced Feistel network; nothing for nothing.

        Below 16 bytes the network is an even permutation of its strings; one bit flipped or not by E^{0,3} hides that.

        Source: AEZ v5, 1.5, Encipher-AEZ-tiny and Decipher-AEZ-tiny.
        """
        if not data:
            return b""
        mu = 8 * len(data)
        n = mu // 2
        rounds = {8: 24, 16: 16}.get(mu, 10 if mu < 128 else 8)
        i = 7 if mu < 128 else 6

        def f(j: int, R: int) -> int:
            """The first n bits of E^{0,i}(Delta + (R || 1 || 0 .. 0) + [j])."""
            return self.E(0, i, Delta ^ (R << 128 - n | 1 << 127 - n) ^ j) >> 128 - n

        def flip(X: int) -> int:
            """The first bit of X flipped, if E^{0,3} of X with that bit set says so."""
            if mu >= 128:
                return X
            b = self.E(0, 3, Delta ^ (X << 128 - mu | 1 << 127)) >> 127
            return X ^ b << mu - 1

        X = int.from_bytes(data, "big")
        if inverse:
            X = flip(X)
        L, R = X >> n, X & (1 << n) - 1
        for j in reversed(range(rounds)) if inverse else range(rounds):
            L, R = R, L ^ f(j, R)
        C = R << n | L
        if not inverse:
            C = flip(C)
        return C.to_bytes(len(data), "big")

    def E(self, j: int, i: int, X: int) -> int:
        """E_K^{j,i}(X), the tweakable block cipher."""
        (Y,) = self.each_E(j, [i], [X])
        return Y

    def each_E(self, j: int, i: Sequence[int], X: Sequence[int]) -> list[int]:
        """E_K^{j,i}(X) for each i and X."""
        Delta = {n: self.offset(j, n) for n in set(i)}
        return self.rounds(j, X, [Delta[n] for n in i])

    @abstractmethod
    def offset(self, j: int, i: int) -> int:
        """The offset of E_K^{j,i}: a sum of multiples n X of I, J and L, n the polynomial of the bits of an integer."""

    @abstractmethod
    def rounds(self, j: int, X: Sequence[int], Delta: Sequence[int]) -> list[int]:
        """The AES rounds of E_K^{j,i} for each X and its offset."""

    def AES10(self, X: Iterable[int]) -> list[int]:
        """Ten rounds of AES under (0, I, J, L, I, J, L, I, J, L, I), with MixColumns in each."""
        return _full_rounds(X, [0, *3 * [self.I, self.J, self.L], self.I])

    def AES4(self, X: Iterable[int]) -> list[int]:
        """Four rounds of AES under (0, J, I, L, 0), with MixColumns in each."""
        return _full_rounds(X, [0, self.J, self.I, self.L, 0])


class AEZv5(AEZ):
    """AEZ v5, the version to use.

    Source:   AEZ v5, 1.5; see :class:`AEZ`.
    Security: see :attr:`security`.
    """

    name = "AEZ v5"
    security = (
        "AEZ is a robust authenticated cipher: a repeated nonce shows only whether message and associated data repeat "
        "as well, and a forgery succeeds with a probability of about 2^-t for an authenticator of t bits (Hoang, "
        "Krovetz, Rogaway, EUROCRYPT 2015). Its use of four AES rounds instead of ten in most places is heuristic. One "
        "key may process 2^48 bytes at most (AEZ v5, 1.6): 2^66.5 blocks recover the key of its predecessor v4.1 "
        "(Chaigneau, Gilbert, ToSC 2016). Quantum queries break AEZ v5 (Bonnetain, SAC 2017). AEZ was a third-round "
        "candidate of CAESAR and is not in its final portfolio."
    )

    def offset(self, j: int, i: int) -> int:
        """i L for j = -1, j J + 2^ceil(i/8) I + (i mod 8) L for any other. Source: AEZ v5, 1.5, E."""
        if j == -1:
            return mul(i, self.L)
        return mul(j, self.J) ^ mul(power(2, -(-i // 8)), self.I) ^ mul(i % 8, self.L)

    def rounds(self, j: int, X: Sequence[int], Delta: Sequence[int]) -> list[int]:
        """AES10(X + Delta) for j = -1, AES4(X + Delta) for any other. Source: AEZ v5, 1.5, E."""
        return (self.AES10 if j == -1 else self.AES4)(_add(X, Delta))


class AEZv4(AEZ):
    """AEZ v4.1, the version of the hardware of Homsirikamol and Gaj ("AEZ: Anything-but EaZy in Hardware").

    Source:   the same slides, algorithm E, lines 400 to 408; see :class:`AEZ`.
    Security: see :attr:`security`.
    """

    name = "AEZ v4.1"
    security = (
        "AEZ v4.1 is broken for long inputs. By its equations offsets repeat, as 2^128 = 135 in the field: blocks 40 "
        "and 1001 of associated data (16,016 bytes) or pairs 40 and 1001 of a message (32,032 bytes) can be exchanged, "
        "and the result is accepted. For shorter inputs it is a robust authenticated cipher like AEZ v5; 2^66.5 blocks "
        "under one key recover that key (Chaigneau, Gilbert, ToSC 2016). It reproduces published hardware; AEZ v5 "
        "replaces it."
    )

    def offset(self, j: int, i: int) -> int:
        """i J for j = -1, i I for 0, m(i) I for 1 and 2, and 2^(j-3) L + m(i) J from 3 on; m(0) = 0.

        m(i) = 2^(3 + floor((i - 1)/8)) + ((i - 1) mod 8). Source: E, lines 403 to 408.
        """
        m = power(2, 3 + (i - 1) // 8) ^ (i - 1) % 8 if i else 0
        match j:
            case -1:
                return mul(i, self.J)
            case 0:
                return mul(i, self.I)
            case 1 | 2:
                return mul(m, self.I)
            case _:
                return mul(power(2, j - 3), self.L) ^ mul(m, self.J)

    def rounds(self, j: int, X: Sequence[int], Delta: Sequence[int]) -> list[int]:
        """AES10(X + Delta) for j = -1, AES4(X + Delta) for 0 to 2, AES4(X + Delta) + Delta from 3 on.

        The round keys of j = 2 are (0, L, I, J, L). Source: E, lines 402 to 408.
        """
        X = _add(X, Delta)
        match j:
            case -1:
                return self.AES10(X)
            case 0 | 1:
                return self.AES4(X)
            case 2:
                return _full_rounds(X, [0, self.L, self.I, self.J, self.L])
            case _:
                return _add(self.AES4(X), Delta)


def _full_rounds(X: Iterable[int], round_keys: Iterable[int]) -> list[int]:
    return BE.elements(full_rounds(BE.blocks(X), [BE.block(key) for key in round_keys]))


def _add(X: Iterable[int], Y: Iterable[int]) -> list[int]:
    return [x ^ y for x, y in zip(X, Y, strict=True)]


def _total(X: Iterable[int]) -> int:
    return reduce(xor, X, 0)


def _padded(block: bytes) -> int:
    """A block as it is, a shorter one padded by 80 00 .. 00."""
    return BE.element(block if len(block) == BLOCK else pad(block))
