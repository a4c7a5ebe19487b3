# SPDX-License-Identifier: Apache-2.0
"""Walks through the control words of a hash program: the head step by step, the tail cycle by cycle."""

from collections.abc import Mapping, Sequence

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.hdl import Const
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Sequencer", "Words"]

Words = Mapping[int, Mapping[str, int]]


class Sequencer(wiring.Component):
    """Gives the control word of the present step, ``head``, and the union of due tail words, ``tail``.

    layout:  fields of a word, in bits; ``words``: values of the fields by step, absent fields and steps are zero
    beat:    in, a beat is offered. The first ``beats`` steps wait for a beat; with a ``stride``, a power of two, every
             stride-th step
    go:      out, the present step is carried out; ``ready``: out, the step needs a beat
    hold:    in, stops the head for a cycle; ``restart``: in, sets the head to step 0
    decrypt: in, direction of the sector: read at every step of the head, delayed along with the tail. If the sector is
             decrypted, ``<name>_decrypt`` is added (xor) to field ``<name>``

    If ``registered``, a register follows the memory of the head, and the memory is read a further step ahead. ``hold``
    and ``restart`` then stop the head in the next cycle; the restart takes effect in the next cycle. ``ready_next``,
    ``first_next``, ``head_next``, as in an encryption, and ``tail_next`` are of the next cycle.

    Timing: ``head`` is of the present cycle (read one cycle ahead); the tail's first word follows the last step by one
            cycle.
    Cost:   a read-only memory of the distinct columns of the head; a register and a word a cycle of the tail.
    Paths:  ``beat`` and ``hold`` to ``go`` and to the memory's address, or if ``registered`` to the memory's enable.
    """

    def __init__(
        self,
        words: Words,
        layout: Mapping[str, int],
        *,
        beats: int,
        steps: int,
        stride: int = 1,
        registered: bool = False,
    ):
        self.words, self.layout, self.beats, self.steps, self.stride = words, dict(layout), beats, steps, stride
        self.registered = registered
        self.length = max(words, default=-1) + 1 - steps
        shape = data.StructLayout({name: width for name, width in layout.items() if not name.endswith("_decrypt")})
        self.shape = shape
        super().__init__(
            {
                "beat": In(1),
                "decrypt": In(1),
                "hold": In(1),
                "restart": In(1),
                "clear": In(1),
                "ready": Out(1),
                "go": Out(1),
                "first": Out(1),
                "last": Out(1),
                "head": Out(shape),
                "tail": Out(shape),
                **({"ready_next": Out(1), "first_next": Out(1)} if registered else {}),
                **({"head_next": Out(shape), "tail_next": Out(shape)} if registered else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        step = Signal(range(max(2, self.steps)), name="step")
        following = Signal.like(step)
        m.d.sync += step.eq(following)

        # Flags of a step are stored with its word: no comparator is behind the memory.
        wide = data.StructLayout(self.layout)
        noted = data.StructLayout({"word": wide, "alone": 1, "later": 1, "final": 1})
        table = [_pack(noted, self._noted(s, _pack(wide, self.words.get(s, {})))) for s in range(self.steps)]
        begins, stopped = self.restart | self.clear, self.hold
        if self.registered:
            begins, stopped, row = self._registered(m, table, noted)
        else:
            row = read_ahead(m, table, noted.size, following)
        here = data.View(noted, row)
        alone, later, final = Signal(name="alone"), Signal(name="later"), Signal(name="final")
        m.d.comb += [
            alone.eq(here.alone),
            later.eq(here.later),
            final.eq(here.final),
            self.first.eq(~later),
            self.last.eq(self.go & final & ~self.restart),
            self.ready.eq(~alone & ~stopped),
            self.go.eq(~stopped & (alone | self.beat)),
            following.eq(Mux(self.go, Mux(final, 0, step + 1), step)),
            self.tail.eq(self._tail(m, wide)),
        ]
        some = any(step < self.steps for step in self.words)
        m.d.comb += self.head.eq(self._by_direction(m, here.word, self.decrypt, "head") if some else 0)
        with m.If(begins):
            m.d.comb += following.eq(0)
        return m

    def _registered(self, m: Module, table: Sequence[int], noted: data.StructLayout) -> tuple[Value, Value, Signal]:
        """Whether the head begins anew, whether the head is stopped, and the row of the present step.

        The memory has the row of the next step.
        """
        number = range(max(2, self.steps))
        begins, held = Signal(name="begins"), Signal(name="held")
        beyond = Signal(number, name="beyond", init=1 % self.steps)
        row, following = Signal(noted.size, name="row", init=table[0]), Signal(noted, name="row_following")
        behind = Signal(noted, name="row_behind")
        moves = self.go | begins
        m.d.comb += [
            behind.eq(read_ahead(m, table, noted.size, beyond, moves)),
            following.eq(Mux(begins, table[0], Mux(self.go, behind, row))),
            self.head_next.eq(self._by_direction(m, following.word, Const(0), "next")),
            self.ready_next.eq(~following.alone & ~self.hold & ~self.restart & ~self.clear),
            self.first_next.eq(~following.later),
        ]
        m.d.sync += [
            begins.eq(self.restart),
            held.eq(self.hold),
            row.eq(following),
        ]
        with m.If(self.clear):
            m.d.sync += begins.eq(1)
        with m.If(moves):
            m.d.sync += beyond.eq(Mux(beyond == self.steps - 1, 0, beyond + 1))
        with m.If(self.restart | self.clear):
            m.d.sync += beyond.eq(1 % self.steps)
        return begins | self.clear, held | begins, row

    def _noted(self, step: int, word: int) -> dict[str, int]:
        """The row of the memory for ``step``; all zero, as a memory begins, waits for the first beat.

        word: what to do      alone: without a beat      later: not the first step      final: the last one
        """
        waits = step < self.beats * self.stride and step % self.stride == 0
        return {"word": word, "alone": int(not waits), "later": int(step > 0), "final": int(step == self.steps - 1)}

    def _tail(self, m: Module, wide: data.StructLayout) -> Value:
        """The union of the words reached by a token, a register a cycle.

        The union is a register, made from the place of the token one cycle earlier: no gate of the tail is between the
        union and the datapath.
        """
        due = Signal(self.shape.size, name="due")
        total = Const(0, self.shape.size)
        going = Const(1) if self.registered else ~self.clear  # tokens have a reset of their own
        token, decrypt = self.last & going, self.decrypt
        for position in range(self.length):
            word = self.words.get(self.steps + position)
            if word:
                word = self._by_direction(m, Const(_pack(wide, word), wide.size), decrypt, f"tail{position}")
                total = total | (word & token.replicate(self.shape.size))
            reached, direction = Signal(name=f"tail{position}"), Signal(name=f"tail{position}_decrypt")
            m.d.sync += [reached.eq(token), direction.eq(decrypt)]
            if self.registered:
                with m.If(self.clear):
                    m.d.sync += reached.eq(0)
            token, decrypt = reached & going, direction
        m.d.sync += due.eq(total)
        if self.registered:
            m.d.comb += self.tail_next.eq(total)
            with m.If(self.clear):
                m.d.sync += due.eq(0)
        return due

    def _by_direction(self, m: Module, word: Value, decrypt: Value, name: str) -> Value:
        """``word`` with the ``_decrypt`` fields added and left out."""
        wide = data.View(data.StructLayout(self.layout), word)
        fields = []
        for field in self.shape.members:
            value = Value.cast(wide[field])
            if f"{field}_decrypt" in self.layout:
                value = value ^ (Value.cast(wide[f"{field}_decrypt"]) & decrypt.replicate(len(value)))
            fields.append(value)
        out = Signal(self.shape.size, name=f"{name}_word")
        m.d.comb += out.eq(Cat(fields))
        return out


def _pack(layout: data.StructLayout, word: Mapping[str, int]) -> int:
    return sum(value << layout[name].offset for name, value in word.items())


def read_ahead(m: Module, table: Sequence[int], width: int, following: Value, enable: Value | None = None) -> Value:
    """``table[step]``, where ``following`` is the next cycle's step. Equal and constant columns are stored once.

    The value is kept while ``enable`` is low, if given.
    """
    columns = [tuple(row >> bit & 1 for row in table) for bit in range(width)]
    stored = sorted({column for column in columns if len(set(column)) > 1})
    bits = []
    if stored:
        rom = memory.Memory(
            shape=len(stored),
            depth=len(table),
            init=[sum(column[row] << k for k, column in enumerate(stored)) for row in range(len(table))],
        )
        m.submodules.words = rom
        port = rom.read_port(domain="sync")
        m.d.comb += port.addr.eq(following)
        if enable is not None:
            m.d.comb += port.en.eq(enable)
        bits = port.data
    return Cat(bits[stored.index(column)] if column in stored else Const(column[0], 1) for column in columns)
