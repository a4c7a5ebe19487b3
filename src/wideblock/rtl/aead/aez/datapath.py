# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The datapath: one AES round, the texts around it, the message memory, and the offsets."""

from collections.abc import Mapping
from typing import ClassVar

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Member, Out

from wideblock.rtl.aes.planes import named
from wideblock.rtl.stream.storage import Ring

from ..cipher import CipherShape
from .offsets import Offsets, Version
from .round import full_round
from .step import Acc, AezKey, Constant, Hold, Operand, OperandSource, Text
from .step import Out as Result

__all__ = ["BLOCK", "FIRST", "Datapath", "datapath_ports", "from_nibbles", "nibbles"]

BLOCK = 128  # bits
FIRST = 7
"""The first bit of a string: the high one of byte 0."""


def nibbles(block: Value) -> list[Value]:
    """Half bytes in the order of the string: the high one of byte 0, the low one, .."""
    return [block[8 * byte + at : 8 * byte + at + 4] for byte in range(len(block) // 8) for at in (4, 0)]


def from_nibbles(parts: list[Value]) -> Value:
    """The block of its half bytes."""
    return Cat(parts[at ^ 1] for at in range(len(parts)))


def turned_left(block: Value, by: int) -> Value:
    """Nibble k is nibble k + ``by``, around the end."""
    parts = nibbles(block)
    return from_nibbles([*parts[by:], *parts[:by]])


def datapath_ports(shape: CipherShape, layout: data.StructLayout, rows: int, words: int = 1) -> dict[str, Member]:
    """Ports of a datapath whose memory has ``rows`` blocks, each in ``words`` words with an address."""
    short = shape.tag < shape.block // 2
    return {
        "step": In(layout),
        "go": In(1),
        "read": In(range(words * rows)),
        "write": In(range(words * rows)),
        "done": In(range(rows // 2)),
        "number": In(4 if short else 3),
        "nibbles": In(5),
        "turn": In(1),
        "far": In(1),
        "size": In(range(shape.block + 1)),
        "decrypt": In(1),
        "block": In(8 * shape.block),
        "key": In(8 * shape.key),
        "load": In(1),
        "clear": In(1),
        "result": Out(shape.results),
        "tag": Out(8 * shape.tag),
        **({"brief": In(1)} if short else {}),
    }


class Datapath(wiring.Component):
    """Carries out ``step`` in each cycle with ``go``, and turns H with ``turn``.

    The AES' register, T, H, a sum, and the rows of the memory are blocks; V is T, with the AES' result or without it.

    Timing: a round a cycle; the memory's output has a row one cycle after its address.
    Cost:   16 S-boxes, one round; 384 registers of the key, 768 of blocks and offsets; block memory of ``rows`` rows.
    Security: no masking; no cycle depends on key or data.
    """

    more_ports: ClassVar[Mapping[str, Member]] = {}
    """Ports that a subclass has besides."""
    remains: ClassVar[tuple[str, ...]] = ("H", "T", "state", "total", "rows")
    """See :class:`~wideblock.rtl.aead.cipher.Cipher`."""

    def __init__(self, version: Version, shape: CipherShape, layout: data.StructLayout, *, sbox: str, rows: int):
        self.version, self.shape, self.sbox, self.rows = version, shape, sbox, rows
        self.room = shape.block // 2 - shape.tag
        self.offsets = Offsets(version, brief=self.room > 0)
        super().__init__({**datapath_ports(shape, layout, rows), **self.more_ports})
        names = ("I", "J", "L", "state", "T", "H", "total")
        self._I, self._J, self._L, self._state, self._T, self._H, self._sum = (
            Signal(BLOCK, name=name, reset_less=True) for name in names
        )
        self._V = Signal(BLOCK, name="V")
        self._row = Signal(BLOCK, name="row")  # the memory's output

    def elaborate(self, platform):
        m = Module()
        self._values(m)
        self._keys(m)
        D = self._offset(m)
        self._memory(m)
        self._aes(m, D)
        self._texts(m, D)
        self._hold(m)
        self._results(m)
        with m.If(self.clear):
            registers = (self._I, self._J, self._L, self._state, self._T, self._H, self._sum)
            m.d.sync += [register.eq(0) for register in registers]
        return m

    def _values(self, m: Module) -> None:
        """V."""
        m.d.comb += self._V.eq(self._T ^ (self._state & self.step.result.replicate(BLOCK)))

    def _effective(self) -> Value:
        """Whether what the step says is stored, or added to the sum."""
        return self.go

    def _keys(self, m: Module) -> None:
        with m.If(self.load):
            m.d.sync += Cat(self._I, self._J, self._L).eq(self.key)

    def _offset(self, m: Module) -> Value:
        """The offset."""
        m.submodules.offsets = offsets = self.offsets
        m.d.comb += [
            Cat(offsets.I, offsets.J, offsets.L).eq(Cat(self._I, self._J, self._L)),
            offsets.tweak.eq(self.step.tweak),
            offsets.bit.eq(self.step.bit),
            offsets.power.eq(self.step.power),
            offsets.done.eq(self.done),
            offsets.decrypt.eq(self.decrypt),
            offsets.enable.eq(self.go),
            offsets.clear.eq(self.clear),
        ]
        return offsets.offset

    def _memory(self, m: Module) -> None:
        """The rows; while clearing, one after another is 0."""
        clear_row = Signal(range(self.rows))
        m.d.sync += clear_row.eq(Mux(self.clear, clear_row + 1, 0))
        ring = Ring(m, "rows", width=BLOCK, depth=self.rows, clear=self.clear, clear_row=clear_row)
        source = self.step.source
        value = Signal(BLOCK)
        with m.Switch(source):
            with m.Case(OperandSource.V):
                m.d.comb += value.eq(self._V)
            with m.Case(OperandSource.INPUT):
                m.d.comb += value.eq(self.block[:BLOCK])
            with m.Case(OperandSource.ACC):
                m.d.comb += value.eq(self._sum)
        ring.write(self.write, value, self._effective() & (source != OperandSource.NONE))
        m.d.comb += self._row.eq(ring.read(self.read, 1))

    def _aes(self, m: Module, D: Value) -> None:
        """The AES' register: operand + offset + constant, or a round with MixColumns."""
        step, state = self.step, self._state
        operand = Signal(BLOCK)
        key = Signal(BLOCK)
        constant = Signal(BLOCK)
        with m.Switch(step.operand):
            with m.Case(Operand.V):
                m.d.comb += operand.eq(self._V)
            with m.Case(Operand.MEMORY):
                m.d.comb += operand.eq(self._row)
            with m.Case(Operand.H):
                m.d.comb += operand.eq(self._H)
        with m.Switch(step.aes):
            for name, value in self._round_keys(m).items():
                with m.Case(name):
                    m.d.comb += key.eq(value)
        last = constant[8 * 15 :]
        with m.Switch(step.constant):
            with m.Case(Constant.TAU):
                m.d.comb += last.eq(8 * self.shape.tag)
            with m.Case(Constant.NONCE):
                m.d.comb += constant[8 * self.shape.npub + 7].eq(1)
            with m.Case(Constant.ROUND):
                round = self.number ^ self.decrypt.replicate(3)
                if self.room:
                    round = Mux(self.decrypt, Mux(self.brief, 9, 7) - self.number, self.number)
                m.d.comb += last.eq(round)
        after = full_round(m, state, key, sbox=self.sbox)
        with m.If(self.go & (step.aes == AezKey.LOAD)):
            m.d.sync += state.eq(operand ^ self._added(m, D) ^ constant)
        with m.Elif(self.go & (step.aes != AezKey.KEEP)):
            m.d.sync += state.eq(after)
        self._pipeline(m, after)

    def _pipeline(self, m: Module, after: Value) -> None:
        """Hook for a pipelined round; empty here."""

    def _round_keys(self, m: Module) -> dict[AezKey, Value]:
        """The round's key, where it is not 0."""
        return {AezKey.I: self._I, AezKey.J: self._J, AezKey.L: self._L}

    def _added(self, m: Module, D: Value) -> Value:
        """The offset of what is loaded, if the one made is ``D``."""
        return D

    def _texts(self, m: Module, D: Value) -> None:
        """T and the sum."""
        T, total = self._T, self._sum
        with m.If(self.go):
            with m.Switch(self.step.text):
                with m.Case(Text.ADD):
                    m.d.sync += T.eq(T ^ self._row)
                with m.Case(Text.MEMORY):
                    m.d.sync += T.eq(self._row)
                with m.Case(Text.AES):
                    m.d.sync += T.eq(self._state)
                with m.Case(Text.H):
                    m.d.sync += T.eq(self._H | self.step.forced << FIRST if self.room else self._H)
        with m.If(self._effective()), m.Switch(self.step.acc):
            with m.Case(Acc.ADD):
                m.d.sync += total.eq(total ^ self._V)
            with m.Case(Acc.V):
                m.d.sync += total.eq(self._V)
            if self.version is Version.V4:
                with m.Case(Acc.OFFSET):
                    m.d.sync += total.eq(total ^ D)

    def _hold(self, m: Module) -> None:
        """H: the second half of an input block, V, its first e nibbles, or H turned."""
        hold, e = self.step.hold, self.nibbles
        filled = (hold == Hold.PAD) | (hold == Hold.CUT)
        partly = named(m, "partly", filled | (hold == Hold.MERGE))
        padded = named(m, "padded", hold == Hold.PAD)
        filled = named(m, "filled", filled)
        whole = named(m, "whole", hold == Hold.V)
        parts, V = nibbles(self._H), nibbles(self._V)
        with m.If(self.turn):
            m.d.sync += self._H.eq(Mux(self.far, turned_left(self._H, 8), turned_left(self._H, 1)))
        with m.Elif(self.go & (self.step.source == OperandSource.INPUT)):
            m.d.sync += self._H.eq(self.block[BLOCK:])
        with m.Elif(self.go):
            for k, (h, v) in enumerate(zip(parts, V, strict=True)):
                below = named(m, f"below_{k}", e > k) if k + 1 < len(parts) else Const(0)  # e is less than all
                with m.If(whole | (partly & below)):
                    m.d.sync += h.eq(v)
                with m.Elif(filled):
                    m.d.sync += h.eq(Cat(Const(0, 3), padded & (e == k)))
            if self.room:
                with m.If(hold == Hold.FLIP):
                    m.d.sync += self._H[FIRST].eq(self._H[FIRST] ^ self._state[FIRST])

    def _results(self, m: Module) -> None:
        """Results are V, and H behind it; the tag is H."""
        step = self.step
        both = named(m, "both", step.out != Result.SINGLE)
        m.d.comb += [
            self.result.data.eq(Cat(self._V, self._second_half() & both.replicate(BLOCK))),
            self.result.size.eq(Mux(step.out == Result.PAIR, self.shape.block, self.size)),
            self.tag.eq(self._H[8 * self.room :]),
        ]

    def _second_half(self) -> Value:
        """The second half of a result."""
        return self._H
