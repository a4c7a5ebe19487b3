# SPDX-License-Identifier: Apache-2.0
"""The tweakable block cipher Scream, version 3, for both directions.

Source: Grosso et al., "SCREAM: Side-Channel Resistant Authenticated Encryption with Masking", version 3 (CAESAR,
second round, 2015), and its reference code.
Bytes: a block is 8 rows of 16 bits, row r in bits 16r+15..16r.
"""

from collections.abc import Sequence
from functools import reduce
from operator import xor

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.planes import named
from wideblock.rtl.linear import products

__all__ = ["BACKWARD", "FORWARD", "ScreamBlockCipher"]

ROW, ROWS = 16, 8  # bits, and rows of a block

L_COLUMNS = (
    *(0x385C, 0x52A9, 0x7BB3, 0x96C1, 0xD76D, 0x3AE0, 0xE524, 0xFEA5),
    *(0x464B, 0xF1AF, 0xA133, 0x7F74, 0x6712, 0x7A6F, 0x701B, 0x8AB1),
)
"""The L-box of 1 << 0, 1 << 1, .., 1 << 15. Source: SCREAM v3, reference code, lbox.h."""

FORWARD = tuple({i for i, column in enumerate(L_COLUMNS) if column >> j & 1} for j in range(ROW))
"""The bits of a row whose sum is bit j of its L-box."""
BACKWARD = tuple({i for i in range(ROW) if column >> i & 1} for column in L_COLUMNS)
"""The same of the inverse: the matrix of the L-box is orthogonal, its inverse is the transpose."""

Rows = list[Value]
Matrix = Sequence[set[int]]


def round_constant(i: int) -> int:
    """The number added to row 0 in round ``i``."""
    return 2199 * i & 0xFFFF


def times_L(row: int) -> int:
    """The L-box of a row."""
    return reduce(xor, (column for i, column in enumerate(L_COLUMNS) if row >> i & 1), 0)


def s_box(m: Module, x: Rows, inverse: Value, name: str) -> Rows:
    """The S-box of all columns, or its inverse: three Feistel rounds, in which only a constant changes places."""
    way = inverse.replicate(ROW)
    x = _to_lower(m, x, way, f"{name}_a")
    x = _to_upper(m, x, f"{name}_m")
    return _to_lower(m, x, ~way, f"{name}_z")


def _to_lower(m: Module, x: Rows, constant: Value, name: str) -> Rows:
    """A function of rows 0 to 3 added to rows 4 to 7."""
    x0, x1, x2, x3, x4, x5, x6, x7 = x
    a = named(m, f"{name}_a", (x1 & x2) ^ x0 ^ constant)
    b = x1 ^ x3
    c = named(m, f"{name}_c", a ^ x2)
    lower = [x4 ^ ((c ^ x3) & (b ^ x2)), x5 ^ c, x6 ^ (a & x3), x7 ^ (c & b)]
    return [x0, x1, x2, x3, *(named(m, f"{name}{r}", row) for r, row in enumerate(lower, 4))]


def _to_upper(m: Module, x: Rows, name: str) -> Rows:
    """A function of rows 4 to 7 added to rows 0 to 3."""
    x0, x1, x2, x3, x4, x5, x6, x7 = x
    a = named(m, f"{name}_a", (x4 & x5) ^ x6)
    c = named(m, f"{name}_c", (x5 | x6) ^ x7)
    upper = [x0 ^ a, x1 ^ (a & x7) ^ x4, x2 ^ c, x3 ^ (c & x4) ^ x5]
    return [*(named(m, f"{name}{r}", row) for r, row in enumerate(upper)), x4, x5, x6, x7]


def _sums(m: Module, x: Rows, matrices: Sequence[Matrix], name: str) -> list[Rows]:
    """The rows times each matrix: bit j of a product is the sum of the bits ``matrix[j]`` of the row."""
    terms = [sum(1 << i for i in chosen) for matrix in matrices for chosen in matrix]
    columns = products(m, [Cat(row[i] for row in x) for i in range(ROW)], terms, name)
    of_each = (columns[at : at + ROW] for at in range(0, len(columns), ROW))
    return [[Cat(column[r] for column in group) for r in range(ROWS)] for group in of_each]


def _change(m: Module, x: Rows, matrix: Matrix, name: str) -> Rows:
    """The sums of rows and their products."""
    return _sums(m, x, [[chosen ^ {j} for j, chosen in enumerate(matrix)]], name)[0]


def l_box(m: Module, x: Rows, inverse: Value, name: str) -> Rows:
    """The L-box of rows, or its inverse; the bits that both sum are summed once."""
    both, forward, backward = zip(*((f & b, f - b, b - f) for f, b in zip(FORWARD, BACKWARD, strict=True)), strict=True)
    sums = _sums(m, x, [both, forward, backward], name)
    return [same ^ Mux(inverse, b, f) for same, f, b in zip(*sums, strict=True)]


class ScreamBlockCipher(wiring.Component):
    """Gives Scream of ``block`` under ``key`` and ``tweak``, or the inverse, as ``o``; a block at a time.

    start:  in, begins a block when ``ready`` is high, with ``inverse``
    tweak:  in, stable from ``start`` to ``done``
    done:   out, pulses when ``o`` has the result, kept until the next ``start``; ``ending``: the cycle before ``done``

    A cycle of ``rounds`` rounds is a row of S-boxes with linear layers between, before and behind. An encryption leaves
    out the layer before, a decryption the layer behind. Both directions add K + T_s at equal places, share the S-boxes,
    and take the same time.

    Timing: ``latency`` = 1 + 2 steps / rounds cycles from ``start`` to ``done``, interval as long.
    Cost:   128 registers; a cycle's S-boxes and rounds + 1 linear layers, those between two rounds for both directions.
    Security: no masking; the cycle count does not depend on data, key or tweak.
    """

    def __init__(self, *, steps: int = 10, rounds: int = 2):
        self.steps, self.rounds = steps, rounds
        self.cycles = 2 * steps // rounds
        self.latency = 1 + self.cycles
        members = {"start": In(1), "inverse": In(1), "ready": Out(1), "ending": Out(1), "done": Out(1), "clear": In(1)}
        blocks = {"key": In(128), "tweak": In(128), "block": In(128), "o": Out(128)}
        super().__init__({**members, **blocks})

    def elaborate(self, platform):
        m = Module()
        x = Signal(128, reset_less=True)
        left = Signal(range(self.cycles + 1))
        inverse = Signal()
        m.d.comb += [self.ready.eq(left == 0), self.ending.eq(left == 1), self.o.eq(x)]
        m.d.sync += self.done.eq(self.ending)
        with m.If(self.start):
            m.d.sync += [left.eq(self.cycles), inverse.eq(self.inverse)]
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        rows = [named(m, f"x{r}", x[ROW * r : ROW * r + ROW]) for r in range(ROWS)]
        for boundary in range(self.rounds + 1):
            rows = self._linear(m, rows, boundary, left, inverse)
            if boundary < self.rounds:
                rows = s_box(m, rows, inverse, f"s{boundary}")
        with m.If(self.start | (left != 0)):
            tweakey = self._tweakey(m, self.rounds, left, inverse, start=True)
            m.d.sync += x.eq(Cat(rows) ^ tweakey ^ (self.block & self.start.replicate(128)))
        with m.If(self.clear):
            m.d.sync += [x.eq(0), left.eq(0), inverse.eq(0), self.done.eq(0)]
        return m

    def _linear(self, m: Module, x: Rows, boundary: int, left: Signal, inverse: Value) -> Rows:
        """L-box and constant behind round ``boundary`` of a cycle, or their inverse before the next round.

        The tweakey of the last boundary is added by the caller, and its rows are 0 at ``start``. What a layer
        changes is added where it counts, not multiplexed: synthesis merges that with the sums around.
        """
        if boundary == 0:
            changes = _change(m, x, BACKWARD, "l0")
            y = [row ^ (change & inverse.replicate(ROW)) for row, change in zip(x, changes, strict=True)]
        elif boundary == self.rounds:
            kept = (~self.start).replicate(ROW)
            done = named(m, f"forward{boundary}", ~self.start & ~inverse).replicate(ROW)
            changes = _change(m, x, FORWARD, f"l{boundary}")
            y = [(row & kept) ^ (change & done) for row, change in zip(x, changes, strict=True)]
        elif boundary % 2:
            y = l_box(m, x, inverse, f"l{boundary}")
        else:  # the tweakey between two steps
            tweakey = self._tweakey(m, boundary, left, inverse)
            before = named(m, f"l{boundary}_before", Cat(x) ^ (tweakey & inverse.replicate(128)))
            behind = tweakey & (~inverse).replicate(128)
            rows = [slice(ROW * r, ROW * r + ROW) for r in range(ROWS)]
            boxed = l_box(m, [before[row] for row in rows], inverse, f"l{boundary}")
            y = [row ^ behind[place] for row, place in zip(boxed, rows, strict=True)]
        y[0] = y[0] ^ self._constant(m, boundary, left, inverse)
        return [named(m, f"l{boundary}_{r}", row) for r, row in enumerate(y)]

    def _constant(self, m: Module, boundary: int, left: Signal, inverse: Value) -> Value:
        """Forward: L of the constant of the round that ends at ``boundary``. Inverse: the undone round's constant."""
        last = 2 * self.steps - 1
        forward, backward = {}, {}
        for cycle in range(self.cycles):
            i = cycle * self.rounds + boundary
            if boundary:
                forward[self.cycles - cycle] = times_L(round_constant(i - 1))
            if boundary < self.rounds:
                backward[self.cycles - cycle] = round_constant(last - i)
        return self._by_left(m, f"constant{boundary}", ROW, left, inverse, forward, backward)

    def _tweakey(self, m: Module, boundary: int, left: Signal, inverse: Value, *, start: bool = False) -> Value:
        """K + T_s at ``boundary``, 0 in the middle of a step; with ``start``, that of a block that starts, too.

        T_s has period 3: T_0 = t0 || t1, T_1 = t || t0, T_2 = t1 || t, with t = t0 + t1.
        """
        forward, backward = {}, {}
        for cycle in range(self.cycles):
            done = cycle * self.rounds + boundary
            if done % 2 == 0:
                forward[self.cycles - cycle] = 1 << done // 2 % 3
                backward[self.cycles - cycle] = 1 << (self.steps - done // 2) % 3
        s = self._by_left(m, f"s_of{boundary}", 3, left, inverse, forward, backward)
        if start:
            first = Mux(self.inverse, 1 << self.steps % 3, 1)
            s = named(m, f"s_of{boundary}_or_first", Mux(self.start, first, s))
        without = [named(m, f"not{n}_{boundary}", s[(n + 1) % 3] | s[(n + 2) % 3]).replicate(64) for n in range(3)]
        t0, t1 = self.tweak[:64], self.tweak[64:]
        T = Cat((t0 & without[2]) ^ (t1 & without[0]), (t0 & without[0]) ^ (t1 & without[1]))
        K = self.key if self.rounds % 2 == 0 else self.key & s.any().replicate(128)
        return named(m, f"tweakey{boundary}", K ^ T)

    @staticmethod
    def _by_left(
        m: Module,
        name: str,
        width: int,
        left: Signal,
        inverse: Value,
        forward: dict[int, int],
        backward: dict[int, int],
    ) -> Signal:
        """A value for each number of cycles that are left, in each direction, each bit as a function of its own."""
        table = {**forward, **{value | 1 << len(left): row for value, row in backward.items()}}
        index = named(m, f"{name}_index", Cat(left, inverse))
        return named(m, name, Cat(_one_of(index, {n for n in table if table[n] >> bit & 1}) for bit in range(width)))


def _one_of(index: Value, values: set[int]) -> Value:
    """Whether ``index`` is one of ``values``."""
    return Cat(index == value for value in sorted(values)).any()
