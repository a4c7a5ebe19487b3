# SPDX-License-Identifier: Apache-2.0
"""AEZ-core: two Feistel rounds on each pair of blocks, a mixing layer, two Feistel rounds again; and AEZ-core[AES].

AEZ-core[AES] uses only AES encryption, in both directions; every round of AES is the standard's. AEZ itself is in
:mod:`wideblock.spec.aead.aez`.

Source: Chakraborty, Ghosh, Mancillas-Lopez, Sarkar, "Fast Low Level Disk Encryption Using FPGAs", section 2.2, whose
symbols are used with C' for the second block of a pair; AEZ-core: Hoang, Krovetz, Rogaway, EUROCRYPT 2015.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import xor
from typing import Protocol

from wideblock.spec.aes import AES, BLOCK
from wideblock.spec.blocks import add, pad, split
from wideblock.spec.gf128 import Reading, mul
from wideblock.spec.values import Values

__all__ = ["AEZCore", "TweakableCipher", "core"]

READING = Reading.BE
PAIR = 2 * BLOCK


class TweakableCipher(Protocol):
    """E(i, j; X) for each X with its j: i is the layer, j the number of the block."""

    def __call__(self, i: int, j: Sequence[int], X: Sequence[int], /) -> list[int]: ...


def core(E: TweakableCipher, Delta: int, data: bytes, *, inverse: bool = False) -> bytes:
    """AEZ-core: at least 32 bytes enciphered under Delta; deciphered if ``inverse``.

    The lines of :class:`AEZCore`, with a fragment M_uv of d = 0 to 31 bytes between the pairs and M_x::

        X    = X_1 + .. + X_m + H(M_uv)
        C_uv = M_uv + the first d bytes of E(-1, 4; S) || E(-1, 5; S)
        Y    = Y_1 + .. + Y_m + H(C_uv)

    H is 0 for d = 0, E(0, 4; pad(M_u)) for less than a block, and E(0, 4; M_u) + E(0, 5; pad(M_v)) for a block M_u and
    0 to 15 bytes M_v more.

    Cost:   5 m + 4 calls of E, and at most 3 for each block of the fragment.
    Source: Hoang, Krovetz, Rogaway, "AEZ v5: Authenticated Encryption by Enciphering" (2017), 1.5.
    """
    if len(data) < PAIR:
        raise ValueError(f"data of AEZ-core must be at least {PAIR} bytes, got {len(data)}")
    first, second = (2, 1) if inverse else (1, 2)
    m, d = divmod(len(data) - PAIR, PAIR)
    pairs, M_uv = READING.elements(data[: PAIR * m]), data[PAIR * m : -PAIR]
    M, Mp = pairs[::2], pairs[1::2]
    Mx, My = READING.elements(data[-PAIR:])
    i, zero = range(1, m + 1), [0] * m  # a pair's number is its j

    def H(uv: bytes) -> int:
        blocks = [uv[:BLOCK], uv[BLOCK:]] if d >= BLOCK else split(uv)
        padded = [READING.element(block if len(block) == BLOCK else pad(block)) for block in blocks]
        return reduce(xor, E(0, [4, 5][: len(blocks)], padded), 0)

    W = _sums(M, E(1, i, Mp))
    X = _sums(Mp, E(0, zero, W))
    Sx = reduce(xor, X, Mx ^ Delta ^ H(M_uv) ^ E(0, [first], [My])[0])
    Sy = My ^ E(-1, [first], [Sx])[0]
    S = Sx ^ Sy

    Sp = E(2, i, [S] * m)
    Y = _sums(W, Sp)
    Z = _sums(X, Sp)

    Cp = _sums(Y, E(0, zero, Z))
    C = _sums(Z, E(1, i, Cp))
    C_uv = add(M_uv, READING.blocks(E(-1, [4, 5], [S, S]))[:d]) if d else b""
    Cy = Sx ^ E(-1, [second], [Sy])[0]
    Cx = reduce(xor, Y, Sy ^ Delta ^ H(C_uv) ^ E(0, [second], [Cy])[0])
    CCp = READING.blocks(block for pair in zip(C, Cp, strict=True) for block in pair)
    return CCp + C_uv + READING.blocks([Cx, Cy])


class AEZCore:
    """AEZ-core[AES] under one AES-128 key.

    E(i, j; X) = AES_K(X + (i + 1) I + j J), I = AES_K(0), J = AES_K(1), where n I is the product with the element whose
    bits are those of n. Enciphering of M_1, M'_1, .., M_m, M'_m, M_x, M_y::

        W_i  = M_i + E(1, i; M'_i)              X_i = M'_i + E(0, 0; W_i)
        S_x  = M_x + X + Delta + E(0, 1; M_y)   S_y = M_y + E(-1, 1; S_x)
        S'_i = E(2, i; S)                       Y_i = W_i + S'_i           Z_i = X_i + S'_i
        C'_i = Y_i + E(0, 0; Z_i)               C_i = Z_i + E(1, i; C'_i)
        C_y  = S_x + E(-1, 2; S_y)              C_x = S_y + Y + Delta + E(0, 2; C_y)

    X and Y are the sums of all X_i and Y_i, and S = S_x + S_y. Deciphering is the same with the second indices 1 and 2
    of the lines for x and y exchanged.

    Delta is 0 without a tweak, as in the paper, and E(3, 1; T) with a tweak T of one block: AEZ's hash of the vector
    (T), under this E. No other call has the index 3. So if E is a good tweakable cipher, the values Delta of different
    tweaks are different, and to those without the key they and their differences look random. T itself must not be
    Delta: a d in T and in M_x would cancel in S_x, and reach C_x alone.

    Cost:     5 m + 4 cipher calls, 1 more with a tweak, and 2 after a new key.
    Bytes:    a key of 16; a tweak of 16, or none; sectors of whole pairs of blocks, at least one.
    Source:   "Fast Low Level Disk Encryption Using FPGAs", 2.2, for Delta = 0; AEZ-hash: "AEZ v5: Authenticated
              Encryption by Enciphering" (2017), 1.5.
    Security: see :attr:`security`.
    """

    security = (
        "AEZ-core[AES] as the FAST paper measures it has no tweak: an equal sector gives an equal result wherever it "
        "is stored, so it is a benchmark and no sector cipher. With a tweak T, Delta is E(3, 1; T), AEZ's hash of one "
        "block; the tweak itself in the place of Delta would not be secure, two queries tell that from a random "
        "permutation. AEZ-core is a strong pseudo-random permutation up to the birthday bound if its tweakable block "
        "cipher is a good one (Hoang, Krovetz, Rogaway, EUROCRYPT 2015); the FAST paper states no bound for its own, "
        "AES with masks, so this is a benchmark with a tweak, too. It keeps the length, so it does not authenticate."
    )
    no_icv = "it takes whole pairs of blocks, which 16 bytes more are not; AEZ authenticates in its own way"

    def __init__(self, key: bytes):
        if len(key) != 16:
            raise ValueError(f"AEZ-core[AES] key must be 16 bytes, got {len(key)}")
        self.aes = AES(key)
        self.I, self.J = READING.elements(self.aes.encrypt(READING.blocks([0, 1])))

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector enciphered under the tweak."""
        return core(self.E, self.Delta(tweak), _whole_pairs(sector))

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector deciphered under the tweak."""
        return core(self.E, self.Delta(tweak), _whole_pairs(sector), inverse=True)

    def Delta(self, tweak: bytes) -> int:
        """E(3, 1; T) for a tweak T of a block, 0 for none; ValueError for another length."""
        if len(tweak) not in (0, BLOCK):
            raise ValueError(f"an AEZ-core tweak must be {BLOCK} bytes, or none for Delta = 0, got {len(tweak)}")
        return self.E(3, [1], [READING.element(tweak)])[0] if tweak else 0

    def E(self, i: int, j: Iterable[int], X: Iterable[int]) -> list[int]:
        """AES_K(X + (i + 1) I + j J), for each X with its j."""
        return READING.elements(self.aes.encrypt(READING.blocks(_sums(list(X), self.masks(i, j)))))

    def masks(self, i: int, j: Iterable[int]) -> list[int]:
        """(i + 1) I + j J, for each j."""
        layer = mul(i + 1, self.I)
        return [layer ^ mul(k, self.J) for k in j]

    def key_values(self, blocks: int) -> Values:
        """I, J, the masks of all calls for ``blocks`` blocks, and the round keys."""
        yield "I", READING.block(self.I)
        yield "J", READING.block(self.J)
        j = range(max(3, blocks // 2 + 1))
        for i in range(-1, 4):
            for k, mask in zip(j, self.masks(i, j), strict=True):
                if mask:  # 0 I + 0 J is no secret
                    yield f"{i + 1} I + {k} J", READING.block(mask)
        yield from self.aes.values("K")

    def tweak_values(self, tweak: bytes, blocks: int) -> Values:
        """Delta, where there is a tweak."""
        if tweak:
            yield "Delta", READING.block(self.Delta(tweak))


def _sums(a: Sequence[int], b: Sequence[int]) -> list[int]:
    return [x ^ y for x, y in zip(a, b, strict=True)]


def _whole_pairs(sector: bytes) -> bytes:
    """The sector; ValueError for one that is not whole pairs of blocks."""
    if len(sector) % PAIR or len(sector) < PAIR:
        raise ValueError(
            f"an AEZ-core sector must be a multiple of {PAIR} bytes and at least {PAIR}, got {len(sector)}"
        )
    return sector
