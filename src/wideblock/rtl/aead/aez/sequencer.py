# SPDX-License-Identifier: Apache-2.0
"""The sequencer: which step is carried out, and what the steps need to know of lengths and numbers."""

from collections.abc import Sequence
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.planes import named

from ..cipher import BlockKind, CipherShape
from .step import Cond, Count, Known, MicroStep, Row, Span, Turn, Wait, layout

__all__ = ["Microsequencer"]


class Microsequencer(wiring.Component):
    """Carries out ``step`` in each cycle with ``go``; the step is kept in other cycles.

    block, block_valid: offered input block; key_valid, tag_ready: of key and tag
    read, write:  addresses in the memory of ``rows`` rows, the special rows at its end
    done:         pairs done
    number:       the round of AEZ-tiny
    nibbles:      e of the step
    turn, far:    H is turned by a nibble, or by eight; a ``step`` may wait for the turn
    size:         bytes of the last block hashed or enciphered
    decrypt:      the message is deciphered
    brief:        in AEZ-tiny, the string has less than 16 bytes; a port if the tag is shorter than a block

    word:         with ``words`` of a block in as many cycles, those in hand: the last one comes first
    run:          a word of the step is carried out; ``go``, with the last one, the step ends
    turn, far:    then H is turned right, by a nibble in ``words`` cycles or by a word in one

    A tag shorter than a block leaves room in M_y for the message's last bytes. Lengths but ``size`` are then lengths of
    the string before M_y: see :class:`Known`.

    Timing: steps are read from a table a cycle ahead, and are registers; with ``words`` block memory.
    Cost:   the table, an address counter, counters of pairs.
    Security: the order of steps depends on lengths and direction alone.
    """

    def __init__(self, steps: Sequence[MicroStep], shape: CipherShape, rows: int, *, words: int = 1):
        self.steps, self.shape, self.rows, self.words = steps, shape, rows, words
        self.layout = layout(steps)
        self.room = shape.block // 2 - shape.tag
        address = range(words * rows)
        super().__init__(
            {
                "block": In(shape.blocks),
                "block_valid": In(1),
                "key_valid": In(1),
                "tag_ready": In(1),
                "clear": In(1),
                "step": Out(self.layout),
                "go": Out(1),
                "read": Out(address),
                "write": Out(address),
                "done": Out(range(rows // 2)),
                "number": Out(4 if self.room else 3),
                "nibbles": Out(5),
                "turn": Out(1),
                "far": Out(1),
                "size": Out(range(shape.block + 1)),
                "decrypt": Out(1),
                **({"brief": Out(1)} if self.room else {}),
                **({"run": Out(1), "word": Out(range(words), init=words - 1)} if words > 1 else {}),
            }
        )
        self._last = Signal()
        self._pairs = Signal(range(rows // 2))
        self._turns = Signal(5)
        self._before = Signal.like(self.size, name="before") if self.room else self.size  # bytes before M_y
        self._cuts = Signal(name="cuts") if self.room else Const(0)
        self._empty = Signal(name="empty") if self.room else Const(0)

    def elaborate(self, platform):
        m = Module()
        self._steps(m)
        self._waits(m)
        self._lengths(m)
        self._turning(m)
        read, write = (self._address(m, self.step[row], self._pair(f"{row}_back")) for row in ("read", "write"))
        if self.words > 1:
            read, write = self._of_words(m, read, write)
        m.d.comb += [self.read.eq(read), self.write.eq(write)]
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in (self.done, self._pairs, self.number, self.size, self._turns)]
            m.d.sync += [self._last.eq(0), self.decrypt.eq(0)]
            if self.room:
                m.d.sync += [self._before.eq(0), self._cuts.eq(0), self._empty.eq(0)]
        return m

    def _steps(self, m: Module) -> None:
        """Reads the next step while the present step is carried out."""
        fields = [{name: getattr(step, name) for name, _ in self.layout} for step in self.steps]
        words = [self.layout.const(values).as_bits() for values in fields]
        block = self.words > 1
        style = {"rom_style": "block" if block else "logic"}
        m.submodules.table = table = memory.Memory(shape=self.layout.size, depth=len(words), init=words, attrs=style)
        port = table.read_port(domain="sync" if block else "comb")
        place = Signal(range(len(words)))
        following = Signal.like(place)
        step = data.View(self.layout, port.data) if block else Signal(self.layout, name="step", init=fields[0])
        m.d.comb += [
            self.step.as_value().eq(step),
            following.eq(Mux(self._cond(m), step.target, place + 1)),
            port.addr.eq(Mux(self.clear, 0, Mux(self.go, following, place))),
        ]
        m.d.sync += place.eq(port.addr)
        if not block:
            m.d.sync += step.as_value().eq(port.data)

    def _cond(self, m: Module) -> Value:
        known = Known(
            offered=self.block.size,
            final=self.block.last,
            size=self._before,
            last=self._last,
            key=self.key_valid,
            decrypt=self.decrypt,
            pairs=self._pairs,
            done=self.done,
            number=self.number,
            most=self._most(),
            cuts=self._cuts,
            empty=self._empty,
        )
        cond = Signal()
        used = {step.cond for step in self.steps} - {Cond.NEVER}
        with m.Switch(self.step.cond):
            for name, value in known.conditions().items():
                if name in used:
                    with m.Case(name):
                        m.d.comb += cond.eq(value)
        return cond

    def _waits(self, m: Module) -> None:
        ready = {
            Wait.NONE: 1,
            Wait.BLOCK: self.block_valid,
            Wait.KEY: self.key_valid,
            Wait.EITHER: self.block_valid | self.key_valid,
            Wait.TURNED: self._turns == 0,
            Wait.TAG: self.tag_ready,
        }
        go = self.go
        if self.words > 1:
            go = self.run
            last = self.word == 0
            ready[Wait.TAG] |= ~last
            m.d.comb += self.go.eq(self.run & last)
            with m.If(self.run | (self.turn & ~self.far)):
                m.d.sync += self.word.eq(self.word - 1)
            with m.If(self.clear):
                m.d.sync += self.word.eq(self.word.init)
        with m.Switch(self.step.wait):
            for wait, value in ready.items():
                with m.Case(wait):
                    m.d.comb += go.eq(value)

    def _lengths(self, m: Module) -> None:
        """Size and direction of blocks, and the counters of pairs and rounds."""
        block, count = self.block, self.step.count
        taking = (self.step.wait == Wait.BLOCK) | (self.step.wait == Wait.EITHER)
        with m.If(self.go):
            with m.If(taking):
                m.d.sync += self.decrypt.eq(block.decrypt)
                with m.If(block.kind != BlockKind.TAG):
                    m.d.sync += [self.size.eq(block.size), self._last.eq(block.last)]
                    self._measure(m)
            with m.Switch(count):
                with m.Case(Count.ZERO):
                    m.d.sync += self.done.eq(0)
                with m.Case(Count.NEXT):
                    m.d.sync += self.done.eq(self.done + 1)
                with m.Case(Count.ALL):
                    m.d.sync += [self._pairs.eq(self.done), self.done.eq(0)]
                with m.Case(Count.ROUND):
                    following = self.number + 1
                    following = Mux(self.number == self._most(), 0, following) if self.room else following
                    m.d.sync += self.number.eq(following)

    def _most(self) -> Any:
        """The last round of AEZ-tiny."""
        return Mux(self.brief, 9, 7) if self.room else 7

    def _measure(self, m: Module) -> None:
        """Bytes before M_y, of the last block of data or of the block before."""
        if not self.room:
            return
        block = self.block
        ends = (block.kind == BlockKind.DATA) & block.last
        cuts = block.size <= self.room
        before = Mux(cuts, self.shape.block - self.room, -self.room) + block.size
        m.d.sync += [
            self._before.eq(Mux(ends, before, block.size)),
            self._cuts.eq(ends & cuts),
            self._empty.eq(ends & (block.size == 0)),
        ]

    def _turning(self, m: Module) -> None:
        """How often H is to be turned: by eight nibbles, and then by one."""
        n, turns = self._before[:4], self._turns
        twice, high = Cat(Const(0, 1), n), Const(1, 1)
        if self.room:
            m.d.comb += self.brief.eq(self._cuts & (n != 0))
            high = ~self.brief
        size = Mux(self.step.half, Cat(n, high), twice)
        if self.room:
            size = Mux(self.step.span == Span.PART, 2 * self.room, Mux(self.step.span == Span.REST, -twice, size))
        m.d.comb += [
            self.nibbles.eq(size),
            self.turn.eq((self.step.wait == Wait.TURNED) & (turns != 0)),
            self.far.eq(turns[3:] != 0),
        ]
        left = Turn.LEFT if self.words == 1 else Turn.RIGHT
        turned = self.turn if self.words == 1 else self.turn & (self.far | (self.word == 0))
        with m.If(turned):
            m.d.sync += turns.eq(turns - Mux(self.far, 8, 1))
        with m.Elif(self.go & (self.step.turn != Turn.KEEP)):
            m.d.sync += turns.eq(Mux(self.step.turn == left, self.nibbles, -self.nibbles))

    def _pair(self, back: str) -> Value:
        """The pair whose rows W and X are meant."""
        return (self.done - self.step[back])[: len(self.done)] if back in self.layout.members else self.done

    def _of_words(self, m: Module, read: Value, write: Value) -> tuple[Value, Value]:
        """Addresses of words: a step reads for the step after it, whose words follow a cycle after their addresses."""
        kept = Signal.like(read, name="kept")
        with m.If(self.go):
            m.d.sync += kept.eq(read)
        with m.If(self.clear):
            m.d.sync += kept.eq(0)
        return Cat((self.word - self.run)[: len(self.word)], Mux(self.go, read, kept)), Cat(self.word, write)

    def _address(self, m: Module, row: Value, pair: Value) -> Value:
        """Where a row is, if it is one of ``pair``."""
        bits = (self.rows - 1).bit_length()

        def special(number: Value | int) -> Value:
            return Cat(Const(number, 5)[:4] if isinstance(number, int) else number[:4], Const(-1, bits - 4))

        following = named(m, "following_pair", self.done + 1)
        odd = self.number[0]
        address = Signal(bits)
        with m.Switch(row):
            for name, value in {
                Row.W: Cat(Const(0, 1), pair),
                Row.X: Cat(Const(1, 1), pair),
                Row.INCOMING: Cat(Const(1, 1), following),
                Row.MY: Mux(self.decrypt, special(Row.TAG.value), special(Row.ZERO.value)),
                Row.LEFT: Mux(odd, special(Row.Q.value), special(Row.P.value)),
                Row.RIGHT: Mux(odd, special(Row.P.value), special(Row.Q.value)),
            }.items():
                with m.Case(name):
                    m.d.comb += address.eq(value)
            with m.Default():
                m.d.comb += address.eq(special(Value.cast(row)))
        return address
