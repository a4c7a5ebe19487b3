# SPDX-License-Identifier: Apache-2.0
"""Minalpher-P and its inverse, a round a cycle, in one register.

    P    = S T, then E_r(M(.)), S T  for r = 0 to 16
    P^-1 = S T, then M(E_r(.)), S T  for r = 16 to 0

S, T and M are their own inverses, and S and T commute. M is linear: M(E_r(x)) = M(x) + M(e_r), and the constant M(e_r)
has i + k + r + 2 where e_r has i + k + r, bit by bit. The rounds of both directions differ in constants alone.

Source: Sasaki et al., "Minalpher v1.1", 1.4.
Bytes:  byte 0 of a block is bits 7..0. Bytes 8r to 8r + 3 are row r of matrix A, the next four row r of B; the high
        nibble of a byte comes first.
"""

from collections.abc import Sequence
from functools import reduce
from operator import and_, xor

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.planes import named
from wideblock.rtl.pipeline import Timing

__all__ = ["BLOCK", "Permutation"]

BLOCK = 32
"""Bytes of a block."""

ROUNDS = 17
"""Rounds after the first S and T."""

SBOX = (0xB, 0x3, 0x4, 0x1, 0x2, 0x8, 0xC, 0xF, 0x5, 0xD, 0xE, 0x0, 0x6, 0x9, 0xA, 0x7)
SR1, SR2 = (6, 7, 1, 0, 2, 3, 4, 5), (4, 5, 0, 1, 7, 6, 2, 3)
SR1_INVERSE, SR2_INVERSE = (tuple(map(SR.index, range(8))) for SR in (SR1, SR2))

Planes = Sequence[Value]
"""Bit b of every nibble: of matrix A and then of B, row after row, from bit 0 up."""


def _named(m: Module, name: str, planes: Planes) -> Planes:
    return [named(m, f"{name}{b}", plane) for b, plane in enumerate(planes)]


def to_planes(block: Value) -> Planes:
    """The planes of a block."""
    nibbles = [(matrix, r, k) for matrix in (0, 1) for r in range(4) for k in range(8)]
    places = [8 * (8 * r + 4 * matrix + k // 2) + 4 * (1 - k % 2) for matrix, r, k in nibbles]
    return [Cat(block[place + b] for place in places) for b in range(4)]


def from_planes(planes: Planes) -> Value:
    """The block of planes."""
    nibbles = [32 * matrix + 8 * r + k for r in range(4) for matrix in (0, 1) for k in (1, 0, 3, 2, 5, 4, 7, 6)]
    return Cat(plane[n] for n in nibbles for plane in planes)


def S(m: Module, planes: Planes) -> Planes:
    """The S-box of every nibble, as sums of products: one operation on planes a gate."""
    factors = {part: [planes[b] for b in range(4) if part >> b & 1] for part in range(1, 16)}
    products = {part: named(m, f"p{part}", reduce(and_, of)) for part, of in factors.items()}
    one = Const((1 << 64) - 1, 64)
    sums = [
        reduce(xor, [product for part, product in ((0, one), *products.items()) if _coefficient(b, part)])
        for b in range(4)
    ]
    return _named(m, "S", sums)


def _coefficient(b: int, part: int) -> int:
    """Coefficient of the product of the input bits in ``part`` in bit ``b`` of the S-box."""
    return reduce(xor, (SBOX[x] >> b & 1 for x in range(16) if x & part == x))


def T(planes: Planes) -> Planes:
    """ShuffleRows, and SwapMatrices."""
    shuffle_a, shuffle_b = (SR1, SR2, SR1_INVERSE, SR2_INVERSE), (SR1_INVERSE, SR2_INVERSE, SR1, SR2)
    places = [32 + 8 * r + k for r, row in enumerate(shuffle_b) for k in row]
    places += [8 * r + k for r, row in enumerate(shuffle_a) for k in row]
    return [Cat(plane[place] for place in places) for plane in planes]


def M(planes: Planes) -> Planes:
    """XorMatrix adds A to B; MixColumns adds to each row the rows one and three below."""
    mixed = []
    for plane in planes:
        matrices = plane[:32], plane[:32] ^ plane[32:]
        mixed.append(Cat(x ^ x.rotate_right(8) ^ x.rotate_right(24) for x in matrices))
    return mixed


def E(planes: Planes, c: Value) -> Planes:
    """i + k + c added to row i of B in columns k = 0 to 3."""
    places = [(i, k) for i in range(4) for k in range(8)]
    added = []
    for b, plane in enumerate(planes):
        constant = Cat(c[b] ^ (i ^ k) >> b & 1 if k < 4 else Const(0, 1) for i, k in places)
        added.append(plane ^ Cat(Const(0, 32), constant))
    return added


class Permutation(wiring.Component):
    """``o`` is P of ``i.x``, or P^-1 with ``inverse``, one block at a time.

    ``o`` holds its block until it is taken; the next block can be taken in that same cycle. Nothing is left of a block
    that was taken. ``idle``: there is no block. ``clear`` forgets it.

    Timing: latency 18, a block every 18 cycles.
    Cost:   64 S-boxes of four bits, 256 registers; the same for one direction and for both.
    Paths:  ``o.ready`` to ``i.ready``.
    Security: no masking; the cycle count does not depend on data.
    """

    timing = Timing(latency=1 + ROUNDS, interval=1 + ROUNDS)

    def __init__(self):
        super().__init__(
            {
                "i": In(stream.Signature(data.StructLayout({"x": 8 * BLOCK, "inverse": 1}))),
                "o": Out(stream.Signature(8 * BLOCK)),
                "idle": Out(1),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        state = Signal(8 * BLOCK, reset_less=True)
        n = Signal(range(ROUNDS + 1))  # rounds done
        inverse = Signal()
        full = Signal()
        done = named(m, "done", n == ROUNDS)
        take = named(m, "take", self.i.valid & self.i.ready)
        m.d.comb += [
            self.idle.eq(~full),
            self.i.ready.eq(~full | (done & self.o.ready)),
            self.o.valid.eq(full & done),
            self.o.payload.eq(state),
        ]
        c = Signal(4)  # r forward; back, r + 2 bit by bit, where r = 16 - n
        m.d.comb += c.eq(Mux(inverse, -n[:4] ^ 2, n[:4]))
        going = named(m, "going", full & ~done)
        mixed = _named(m, "M", M(_named(m, "X", to_planes(state))))
        rounded = named(m, "rounded", from_planes(_named(m, "E", E(mixed, c))))
        before = named(m, "before", Mux(going, rounded, self.i.payload.x))
        substituted = S(m, _named(m, "Y", to_planes(before)))
        following = named(m, "following", from_planes(_named(m, "T", T(substituted))))
        with m.If(going):
            m.d.sync += [state.eq(following), n.eq(n + 1)]
        with m.Elif(take):
            m.d.sync += [state.eq(following), n.eq(0), full.eq(1), inverse.eq(self.i.payload.inverse)]
        with m.Elif(self.o.ready):
            m.d.sync += [state.eq(0), full.eq(0)]
        with m.If(self.clear):
            m.d.sync += [state.eq(0), n.eq(0), full.eq(0), inverse.eq(0)]
        return m
