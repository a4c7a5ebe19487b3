# SPDX-License-Identifier: Apache-2.0
"""Minalpher v1.1: encrypt, then authenticate, both by one tweakable Even-Mansour cipher of 32-byte blocks.

Source: Sasaki, Todo, Aoki, Naito, Sugawara, Murakami, Matsui, Hirose, "Minalpher v1.1" (CAESAR, second round, 29 August
2015), by section below, and the designers' reference code.
"""

from collections.abc import Sequence
from functools import cache, reduce
from hmac import compare_digest
from operator import xor
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np  # imported when blocks are enciphered: the catalogue loads this module, too
    from numpy.typing import NDArray

from wideblock.spec.aead import AEAD, Rejected
from wideblock.spec.blocks import check_size, pad, split
from wideblock.spec.values import Values, numbered

__all__ = ["BLOCK", "ROUNDS", "SBOX", "TEM", "Minalpher", "P", "P_inverse", "times_y", "times_y_plus_1"]

BLOCK = 32
"""Bytes of a block. As an int, its byte 0 is in the highest bits."""

ROUNDS = 17
"""Whole rounds of Minalpher-P; S and T follow once more."""

SBOX = bytes([0xB, 0x3, 0x4, 0x1, 0x2, 0x8, 0xC, 0xF, 0x5, 0xD, 0xE, 0x0, 0x6, 0x9, 0xA, 0x7])
"""S of every nibble value; its own inverse. Source: 1.4."""

_SR1, _SR2 = (6, 7, 1, 0, 2, 3, 4, 5), (4, 5, 0, 1, 7, 6, 2, 3)
_SR1_INVERSE, _SR2_INVERSE = (tuple(map(SR.index, range(8))) for SR in (_SR1, _SR2))
_SHUFFLE_A = (_SR1, _SR2, _SR1_INVERSE, _SR2_INVERSE)
_SHUFFLE_B = (_SR1_INVERSE, _SR2_INVERSE, _SR1, _SR2)

_T = [32 + 8 * r + k for r, row in enumerate(_SHUFFLE_B) for k in row]  # matrix B shuffled goes to A
_T += [8 * r + k for r, row in enumerate(_SHUFFLE_A) for k in row]  # and A to B

States: TypeAlias = "NDArray[np.uint8]"
"""Nibbles of n states, shape (n, 2, 4, 8): matrix A or B, row, column."""


@cache
def _S() -> States:
    """S of every nibble value."""
    from numpy import frombuffer, uint8

    return frombuffer(SBOX, uint8)


@cache
def _I_K() -> States:
    """i xor k, row i, column k."""
    from numpy import array, uint8

    return array([[i ^ k for k in range(4)] for i in range(4)], uint8)


def _states(X: Sequence[int]) -> States:
    """Bytes 8r to 8r + 3 of a block are row r of A, the next four row r of B; the high nibble comes first."""
    import numpy as np

    rows = np.frombuffer(b"".join(x.to_bytes(BLOCK, "big") for x in X), np.uint8).reshape(-1, 4, 2, 4)
    return np.stack(np.divmod(rows, 16), axis=-1).reshape(-1, 4, 2, 8).swapaxes(1, 2)


def _blocks(states: States) -> list[int]:
    rows = states.swapaxes(1, 2)
    data = (rows[..., 0::2] << 4 | rows[..., 1::2]).tobytes()
    return [int.from_bytes(block, "big") for block in split(data, BLOCK)]


def _ST(states: States) -> States:
    """S on every nibble, then T: ShuffleRows and SwapMatrices. They commute, and each is its own inverse."""
    return _S()[states].reshape(-1, 64)[:, _T].reshape(-1, 2, 4, 8)


def _M(states: States) -> States:
    """XorMatrix adds A to B; MixColumns adds to each row the rows one and three below. Self-inverse."""
    states = states.copy()
    states[:, 1] ^= states[:, 0]
    return states ^ states[:, :, [1, 2, 3, 0]] ^ states[:, :, [3, 0, 1, 2]]


def _E(states: States, r: int) -> States:
    """i xor k xor (r mod 16) added to row i of B in columns k = 0 to 3. Its own inverse."""
    states = states.copy()
    states[:, 1, :, :4] ^= _I_K() ^ (r % 16)
    return states


def P(X: Sequence[int]) -> list[int]:
    """Minalpher-P of each block: S, T, M, E_r for r = 0 to 16, then S, T. Source: 1.4."""
    states = _states(X)
    for r in range(ROUNDS):
        states = _E(_M(_ST(states)), r)
    return _blocks(_ST(states))


def P_inverse(X: Sequence[int]) -> list[int]:
    """The inverse of Minalpher-P of each block: S, T, E_r, M for r = 16 to 0, then S, T. Source: 1.4."""
    states = _states(X)
    for r in reversed(range(ROUNDS)):
        states = _M(_E(_ST(states), r))
    return _blocks(_ST(states))


def times_y(a: int) -> int:
    """y a in GF((2^8)^32) mod y^32 + y^3 + y^2 + x over GF(2^8) mod x^8 + x^7 + x^5 + x + 1.

    Byte 0 is the coefficient of y^31. Source: 1.1.1, 1.2.
    """
    t = a >> 8 * (BLOCK - 1)
    x_t = t << 1 ^ (0x1A3 if t & 0x80 else 0)
    return a << 8 & (1 << 8 * BLOCK) - 1 ^ t << 24 ^ t << 16 ^ x_t


def times_y_plus_1(a: int) -> int:
    """(y + 1) a in the field of :func:`times_y`."""
    return times_y(a) ^ a


def TEM(D: Sequence[int], X: Sequence[int]) -> list[int]:
    """P(X + D) + D of each mask and block: the tweakable Even-Mansour cipher. Source: 1.1.3."""
    return _add(P(_add(X, D)), D)


def TEM_inverse(D: Sequence[int], X: Sequence[int]) -> list[int]:
    """P^-1(X + D) + D of each mask and block. Source: 1.1.3."""
    return _add(P_inverse(_add(X, D)), D)


class Minalpher(AEAD):
    """Minalpher's authenticated encryption under one key K.

    Encryption of the message, whose blocks with 80 00 .. 00 behind them are M_1 to M_m, under the nonce N, with the
    associated data A_1 to A_a; 80 00 .. 00 pads a short A_a::

        L(flag, N) = V + P(V), V = K || flag || 00 00 || N
        TEM(flag, N, i, j; X) = P(X + D) + D, D = y^i (y + 1)^j L(flag, N)
        C_i  = TEM(40, N, 2i - 1, 0; M_i)
        h    = TEM(00, 0, a - 1, j; A_a + the sum of TEM(00, 0, i, 0; A_i) for i < a), or 0 without associated data;
               j = 1 for a whole A_a, 2 for a short one
        tag  = the first half of TEM(40, N, 2m - 1, 1; C_m + h + the sum of TEM(40, N, 2i, 0; C_i) for i < m)

    Bytes:    a key of 16, a nonce of 13, a tag of 16; the ciphertext of n bytes has 32 (floor(n/32) + 1) + 16.
    Source:   Minalpher v1.1, 1.1.4.
    Security: see :attr:`security`.
    """

    name = "Minalpher"
    nonce_bytes = 13
    security = (
        "Minalpher's designers claim 128-bit security as long as no nonce repeats under a key (Minalpher v1.1). A "
        "repeated nonce shows which 32-byte blocks of two messages are equal in equal places. Minalpher was a "
        "second-round candidate of CAESAR and is not in its final portfolio."
    )

    FLAG_AD = 0x00
    FLAG_MESSAGE = 0x40

    def __init__(self, key: bytes):
        check_size("Minalpher key", key, 16)
        self.key = key
        self.L_ad: int = self.L(self.FLAG_AD, bytes(self.nonce_bytes))

    def encrypt(self, nonce: bytes, ad: bytes, message: bytes) -> bytes:
        """C_1 || .. || C_m || tag."""
        check_size("nonce of Minalpher", nonce, self.nonce_bytes)
        whole = len(message) - len(message) % BLOCK
        M = _ints(message[:whole] + pad(message[whole:], BLOCK))
        y = powers(self.L(self.FLAG_MESSAGE, nonce), 2 * len(M))
        C = TEM(y[1::2], M)
        return _joined(C) + self.tag(y, ad, C)

    def unverified(self, nonce: bytes, ad: bytes, ciphertext: bytes) -> tuple[bytes, bool]:
        """The message before the verdict, and the verdict on its tag and its padding. A wrong padding is kept."""
        check_size("nonce of Minalpher", nonce, self.nonce_bytes)
        size = len(ciphertext) - self.tag_bytes
        if size < BLOCK or size % BLOCK:
            raise Rejected
        C = _ints(ciphertext[:size])
        y = powers(self.L(self.FLAG_MESSAGE, nonce), 2 * len(C))
        intact = compare_digest(self.tag(y, ad, C), ciphertext[size:])
        padded = _joined(TEM_inverse(y[1::2], C))
        M_m = padded[-BLOCK:].rstrip(b"\0")
        if not M_m.endswith(b"\x80"):
            return padded, False
        return padded[:-BLOCK] + M_m[:-1], intact

    def key_values(self, blocks: int) -> Values:
        """K, and the masks of ``blocks`` blocks of associated data."""
        yield "K", self.key
        yield from numbered("y^{} L(00, 0)", _masks(self.L_ad, blocks + 1))

    def message_values(self, nonce: bytes, ad: bytes, blocks: int) -> Values:
        """The masks of ``blocks`` blocks of message."""
        return numbered("y^{} L(40, N)", _masks(self.L(self.FLAG_MESSAGE, nonce), 2 * blocks + 1))

    def L(self, flag: int, nonce: bytes) -> int:
        """L(flag, N), the mask before its multiplication."""
        V = int.from_bytes(self.key + bytes([flag, 0, 0]) + nonce, "big")
        return V ^ P([V])[0]

    def tag(self, y: Sequence[int], ad: bytes, C: Sequence[int]) -> bytes:
        """The tag of ciphertext blocks C; ``y`` is y^0 L, .., y^(2m-1) L for the L of messages."""
        t = reduce(xor, TEM(y[2::2], C[:-1]), self.hash(ad))
        (T,) = TEM([times_y_plus_1(y[2 * len(C) - 1])], [C[-1] ^ t])
        return T.to_bytes(BLOCK, "big")[: self.tag_bytes]

    def hash(self, ad: bytes) -> int:
        """h, the hash of associated data; it does not depend on the nonce."""
        if not ad:
            return 0
        *A, A_a = split(ad, BLOCK)
        y = powers(self.L_ad, len(A) + 1)
        D = times_y_plus_1(y[len(A)])
        if len(A_a) < BLOCK:
            A_a = pad(A_a, BLOCK)
            D = times_y_plus_1(D)
        t = reduce(xor, TEM(y[1:], _ints(b"".join(A))), 0)
        return TEM([D], [int.from_bytes(A_a, "big") ^ t])[0]


def powers(L: int, n: int) -> list[int]:
    """y^0 L, y^1 L, .., y^(n-1) L."""
    out = []
    for _ in range(n):
        out.append(L)
        L = times_y(L)
    return out


def _masks(L: int, n: int) -> list[bytes]:
    """:func:`powers` as bytes."""
    return [D.to_bytes(BLOCK, "big") for D in powers(L, n)]


def _ints(data: bytes) -> list[int]:
    return [int.from_bytes(block, "big") for block in split(data, BLOCK)]


def _joined(blocks: Sequence[int]) -> bytes:
    return b"".join(block.to_bytes(BLOCK, "big") for block in blocks)


def _add(X: Sequence[int], Y: Sequence[int]) -> list[int]:
    return [x ^ y for x, y in zip(X, Y, strict=True)]
