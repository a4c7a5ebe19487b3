# SPDX-License-Identifier: Apache-2.0
"""SCREAM v3: the tweakable block cipher Scream, and the mode TAE on one instance of it.

    C_i = E(N || i || 00, M_i),  a short last block: M_i + E(N || i || 00, [8 r]_128)
    auth  = E(N || 0 || 02, A_0) + E(N || 1 || 02, A_1) + ..,  the last block under 04, a short one under 06
    Sigma = M_0 + M_1 + ..
    T     = E(N || m || 16 r + 1, Sigma) + auth,  for m whole blocks and r bytes

Source: Grosso et al., "SCREAM: Side-Channel Resistant Authenticated Encryption with Masking", version 3 (CAESAR,
second round, 2015); its reference code; TAE by Liskov, Rivest, Wagner, CRYPTO 2002.
Bytes: a block is 8 rows of 16 bits, row r in bits 16r+15..16r; the counter i is four bytes, big-endian.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.planes import named
from wideblock.rtl.stream.parameters import parameter

from .caesar import Caesar
from .cipher import CipherShape, Kind, cipher_signature
from .parameters import AeadParameters
from .words import byte_swapped

__all__ = ["Scream", "ScreamCipher", "ScreamParameters", "TweakableCipher"]

BLOCK, KEY, NPUB, TAG = 16, 16, 11, 16  # bytes
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


@dataclass(frozen=True, kw_only=True)
class ScreamParameters(AeadParameters):
    """Parameters of a SCREAM core."""

    steps: int = parameter(10, "steps of the tweakable block cipher, two rounds each", (10, 12))
    rounds: int = parameter(2, "rounds a cycle", (1, 2, 4))


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


def _sums(row: Value, terms: Sequence[set[int]]) -> Value:
    """A row whose bit j is the sum of the bits ``terms[j]`` of ``row``."""
    return Cat(reduce(xor, (row[i] for i in sorted(chosen)), Const(0, 1)) for chosen in terms)


def _change(row: Value, terms: Sequence[set[int]]) -> Value:
    """The sum of a row and of its :func:`_sums`."""
    return _sums(row, [chosen ^ {j} for j, chosen in enumerate(terms)])


def l_box(row: Value, inverse: Value) -> Value:
    """The L-box of a row, or its inverse; the bits that both sum are summed once."""
    both, forward, backward = zip(*((f & b, f - b, b - f) for f, b in zip(FORWARD, BACKWARD, strict=True)), strict=True)
    return _sums(row, both) ^ Mux(inverse, _sums(row, backward), _sums(row, forward))


class TweakableCipher(wiring.Component):
    """``o`` is Scream of ``block`` under ``key`` and ``tweak``, or its inverse, one block at a time.

    ``start`` begins a block when ``ready`` is high, with ``inverse`` beside it. ``tweak`` must be stable from ``start``
    to ``done``, which is high for one cycle when ``o`` has the result; ``o`` keeps it until the next ``start``.
    ``ending`` is high in the cycle before ``done``.

    A cycle of ``rounds`` rounds is a row of S-boxes with linear layers between, before and behind; to encrypt the one
    before is left out, to decrypt the one behind. So both directions add K + T_s at the same places, share the S-boxes,
    and take equally long.

    Timing: ``latency`` = 1 + 2 steps / rounds cycles from ``start`` to ``done``, a block every so many.
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
        x, left, inverse = Signal(128, reset_less=True), Signal(range(self.cycles + 1)), Signal()
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
            y = [row ^ (_change(row, BACKWARD) & inverse.replicate(ROW)) for row in x]
        elif boundary == self.rounds:
            kept = (~self.start).replicate(ROW)
            done = named(m, f"forward{boundary}", ~self.start & ~inverse).replicate(ROW)
            y = [(row & kept) ^ (_change(row, FORWARD) & done) for row in x]
        elif boundary % 2:
            y = [l_box(row, inverse) for row in x]
        else:  # the tweakey between two steps
            tweakey = self._tweakey(m, boundary, left, inverse)
            before = named(m, f"l{boundary}_before", Cat(x) ^ (tweakey & inverse.replicate(128)))
            behind = tweakey & (~inverse).replicate(128)
            rows = [slice(ROW * r, ROW * r + ROW) for r in range(ROWS)]
            y = [l_box(before[row], inverse) ^ behind[row] for row in rows]
        y[0] = y[0] ^ self._constant(m, boundary, left, inverse)
        return [named(m, f"l{boundary}_{r}", row) for r, row in enumerate(y)]

    def _constant(self, m: Module, boundary: int, left: Signal, inverse: Value) -> Value:
        """L of the constant of the round that ends at ``boundary``, or the constant of the one that is undone then."""
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


class State(enum.Enum):
    """EMPTY: no key. SUM: the cipher is awaited for Sigma. TAG: the tag is made, and offered."""

    EMPTY = 0
    IDLE = 1
    MESSAGE = 2
    SUM = 3
    TAG = 4


class ScreamCipher(wiring.Component):
    """SCREAM as a :class:`~wideblock.rtl.aead.cipher.Cipher`, both directions, tags of 16 bytes.

    Timing: a block of either kind in the latency of the tweakable cipher: 11 cycles with 10 steps and two rounds a
            cycle.
    Cost:   the tweakable cipher, 128 registers each of K, Sigma, auth and a short last block, 88 of N.
    Security: no masking; no cycle depends on key or data.
    """

    def __init__(self, parameters: ScreamParameters):
        self.parameters = p = parameters
        self.core = TweakableCipher(steps=p.steps, rounds=p.rounds)
        self.shape = CipherShape(block=BLOCK, key=KEY, npub=NPUB, tag=TAG)
        self.setup = self.flush = 1
        super().__init__(cipher_signature(self.shape))
        self._state = Signal(State)
        self._kind = Signal(Kind)  # of the block in the tweakable cipher; TAG for Sigma
        self._size = Signal(range(BLOCK + 1))  # bytes of the last block of data
        self._decrypt = Signal()
        self._ends = Signal()  # the last block of its kind
        self._held = Signal(128, reset_less=True)  # the last block, for its mask if it is short

    def timetable(self, *, decrypt: bool) -> "Timetable":
        return Timetable(self.core.latency)

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self.core
        state, block = self._state, self.i.payload
        take, summed = Signal(), Signal()
        m.d.comb += [
            take.eq(self.i.valid & self.i.ready),
            summed.eq((state == State.SUM) & core.ready & ~core.done),
            core.start.eq((take & (block.kind != Kind.NPUB) & (block.size != 0)) | summed),
            core.clear.eq(self.clear),
        ]
        self._order(m, take, summed)
        self._tweak(m, take, summed)
        self._blocks(m, take, summed)
        with m.If(self.clear):
            registers = (self._kind.as_value(), self._size, self._decrypt, self._ends, self._held)
            m.d.sync += [*(register.eq(0) for register in registers), state.eq(State.EMPTY)]
        return m

    def _order(self, m: Module, take: Value, summed: Value) -> None:
        """Key, nonce, blocks, tag."""
        state, core, block = self._state, self.core, self.i.payload
        K = Signal(128, reset_less=True)
        m.d.comb += [
            core.key.eq(K),
            self.key.ready.eq((state == State.EMPTY) | (state == State.IDLE)),
            self.i.ready.eq((state == State.IDLE) | ((state == State.MESSAGE) & core.ready)),
            self.tag.valid.eq((state == State.TAG) & core.ready & ~core.done),
        ]
        with m.If(self.key.valid & self.key.ready):
            m.d.sync += [K.eq(self.key.payload), state.eq(State.IDLE)]
        with m.If(take & (block.kind == Kind.NPUB)):
            m.d.sync += state.eq(State.MESSAGE)
        with m.If(take & (block.kind == Kind.DATA) & block.last):
            m.d.sync += state.eq(State.SUM)
        with m.If(summed):
            m.d.sync += state.eq(State.TAG)
        with m.If(self.tag.valid & self.tag.ready):
            m.d.sync += state.eq(State.IDLE)
        with m.If(take):
            m.d.sync += [self._kind.eq(block.kind), self._decrypt.eq(block.decrypt), self._ends.eq(block.last)]
            m.d.sync += self._size.eq(block.size)
        with m.Elif(summed):
            m.d.sync += self._kind.eq(Kind.TAG)
        with m.If(self.clear):
            m.d.sync += K.eq(0)

    def _tweak(self, m: Module, take: Value, summed: Value) -> None:
        """N || i || control. The counter i is that of the next block from the end of a block on."""
        core, block = self.core, self.i.payload
        p = self.parameters
        N = Signal(8 * NPUB, reset_less=True)
        i = Signal(range(max(p.ad_bytes, p.data_bytes) // BLOCK + 2))
        held, control = Signal(8), Signal(8)
        short = block.size != BLOCK
        with m.If(summed):
            m.d.comb += control.eq(Cat(Const(1, 4), self._size[:4]))
        with m.Elif(core.start):
            with m.If(block.kind == Kind.AD):
                m.d.comb += control.eq(Mux(block.last, Mux(short, 6, 4), 2))
        with m.Else():
            m.d.comb += control.eq(held)
        m.d.sync += held.eq(control)
        m.d.comb += core.tweak.eq(Cat(N, byte_swapped(Cat(i, Const(0, 32 - len(i)))), control))
        with m.If(take & (block.kind == Kind.NPUB)):
            m.d.sync += [N.eq(block.data), i.eq(0)]
        with m.Elif(core.ending):
            with m.If((self._kind == Kind.AD) & self._ends):
                m.d.sync += i.eq(0)
            with m.Elif(self._size == BLOCK):
                m.d.sync += i.eq(i + 1)
        with m.If(self.clear):
            m.d.sync += [N.eq(0), i.eq(0), held.eq(0)]

    def _blocks(self, m: Module, take: Value, summed: Value) -> None:
        """The block that enters the cipher: associated data padded, data, the length of short data, or Sigma."""
        core, block = self.core, self.i.payload
        is_data = block.kind == Kind.DATA
        short = Signal()
        one = Cat(Cat(Const(0, 7), ~is_data & (block.size == k)) for k in range(BLOCK))
        m.d.comb += [
            short.eq(~summed & is_data & (block.size != BLOCK)),
            core.inverse.eq(~summed & is_data & block.decrypt & ~short),
        ]
        Sigma = self._sums(m, take, summed)
        whole = ~summed & ~short
        length = Cat(Const(0, 123), block.size[:4] & short.replicate(4))  # 8 r in byte 15
        given = (block.data | one) & whole.replicate(128)
        m.d.comb += core.block.eq(given ^ (Sigma & summed.replicate(128)) ^ length)
        with m.If(core.start):
            m.d.sync += self._held.eq(block.data)

    def _sums(self, m: Module, take: Value, summed: Value) -> Signal:
        """Results, auth, and Sigma, which is returned; neither Sigma nor auth outlasts its message."""
        core, block = self.core, self.i.payload
        Sigma, auth = Signal(128, reset_less=True), Signal(128, reset_less=True)
        text, result = core.o ^ (self._held & (self._size != BLOCK).replicate(128)), Signal(128)
        m.d.comb += [
            result.eq(Cat(Mux(k < self._size, text[8 * k : 8 * k + 8], 0) for k in range(BLOCK))),
            self.o.valid.eq(core.done & (self._kind == Kind.DATA)),
            self.o.payload.data.eq(result),
            self.o.payload.size.eq(self._size),
            self.tag.payload.eq(auth),
        ]
        with m.If(summed):
            m.d.sync += Sigma.eq(0)
        with m.Elif(self.o.valid & self._decrypt):
            m.d.sync += Sigma.eq(Sigma ^ result)
        with m.Elif(take & (block.kind == Kind.DATA) & ~block.decrypt):
            m.d.sync += Sigma.eq(Sigma ^ block.data)
        with m.If(self.tag.valid & self.tag.ready):
            m.d.sync += auth.eq(0)
        with m.Elif(core.done & ~self.o.valid):
            m.d.sync += auth.eq(auth ^ core.o)
        with m.If(self.clear):
            m.d.sync += [Sigma.eq(0), auth.eq(0)]
        return Sigma


class Timetable:
    """The cycles of one message in SCREAM, with a tweakable cipher of ``latency`` cycles."""

    def __init__(self, latency: int):
        self._latency = latency
        self._free = 0  # the cycle from which on the cipher takes a block
        self._last = 0
        self._results: list[int] = []

    def accept(self, kind: Kind, size: int, *, last: bool, offered: int) -> int:
        """The cycle in which a block is accepted that is valid from cycle ``offered`` on."""
        at = self._last = max(offered, self._free)
        if kind is not Kind.NPUB and size:
            self._free = at + self._latency
            if kind is Kind.DATA:
                self._results.append(self._free)
        return at

    def results(self) -> list[int]:
        """The cycles in which the results are valid."""
        return self._results

    def tag(self) -> int:
        """The cycle from which on the tag is valid."""
        summed = max(self._last, self._free) + 1
        return summed + self._latency + 1


class Scream(Caesar):
    """SCREAM behind the CAESAR Hardware API.

    Timing: see ``behaviour.timing``.
    Security: that of the specification.
    """

    title = "SCREAM, an authenticated cipher on a tweakable block cipher"
    make_cipher = ScreamCipher
