# SPDX-License-Identifier: Apache-2.0
"""The window: one message through registers, between two messages of the user's stream.

The window waits until the user's stream is between two messages and holds it there. When no beat has left for as long
as the slowest message takes, the core is empty: all that leaves until the window lets go is the window's.
"""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES
from wideblock.rtl.bytes import below
from wideblock.rtl.stream.interface import Channel
from wideblock.rtl.stream.sector import SLOT_BITS
from wideblock.rtl.stream.stages import power_of_two
from wideblock.rtl.stream.storage import store

__all__ = ["Window"]


class Window(wiring.Component):
    """Sends the message in its memory to a core, and keeps the result; ``into`` and ``out`` are the core's channels.

    ``write`` of ``data`` with ``strobe`` sets word ``index`` of the message, or with ``tweak`` of its tweak; ignored
    while ``busy``. ``result`` is word ``result_index`` of the result, a cycle later, or 0 while there is none.

    ``start`` sends ``size`` bytes for ``slot``, to ``decrypt`` or not. ``busy`` until ``ends`` pulses; then ``done``,
    and ``wrong`` with ``cause`` if it was refused. A size that is 0 or beyond the memory is refused at once, with
    ``too_long`` or ``too_short``. ``drop`` makes the result unreadable, and clears the tweak.

    ``wants`` the core, and gets it when the user is not ``begun``, and nothing ``moves`` for ``quiet`` cycles; then
    ``owns`` until the end. ``faults`` are pulses of the core. A message that ``clear`` cuts in two is sent to its end,
    as zeros, so that the core finds the next one; it ends with ``wrong``.

    While ``clear``, each row of number ``clear_row`` becomes 0.

    Timing: a word of the bus a cycle into a beat and out of it: :attr:`cycles`.
    Cost:   two memories of ``most`` bytes, a register of a beat.
    """

    def __init__(
        self,
        *,
        into: Channel,
        out: Channel,
        most: int,
        quiet: int,
        faults: int,
        too_short: int,
        too_long: int,
        clear_row_bits: int,
    ):
        fields = {field.name: field.width for field in into.fields}
        self.most, self.quiet, self.fields = most, quiet, fields
        self.too_short, self.too_long = too_short, too_long
        self.beat_words = fields["data"] // REGISTER_BITS
        beats = -(-most // (fields["data"] // 8))
        self.words = power_of_two(beats * self.beat_words)
        if 1 << clear_row_bits < self.words:
            raise ValueError(f"clear_row must reach {self.words} rows, got {clear_row_bits} bits")
        self.tweak_words = fields.get("tweak", 0) // REGISTER_BITS
        super().__init__(
            {
                "write": In(1),
                "tweak": In(1),
                "index": In(range(self.words)),
                "data": In(REGISTER_BITS),
                "strobe": In(REGISTER_BYTES),
                "shown_tweak": Out(fields.get("tweak", 0)),
                "result_index": In(range(self.words)),
                "result": Out(REGISTER_BITS),
                "start": In(1),
                "slot": In(SLOT_BITS),
                "decrypt": In(1),
                "size": In(16),
                "drop": In(1),
                **dict.fromkeys(("busy", "ends", "done", "wrong"), Out(1)),
                "cause": Out(5),
                "faults": In(faults),
                **dict.fromkeys(("begun", "moves"), In(1)),
                **dict.fromkeys(("wants", "owns"), Out(1)),
                "i": Out(stream.Signature(into.shape)),
                "o": In(stream.Signature(out.shape)),
                "clear": In(1),
                "clear_row": In(clear_row_bits),
            }
        )

    def cycles(self, latency: int, beats: int) -> int:
        """Cycles, at most, from ``start`` to ``ends`` of a message of ``beats`` beats, while the user's stream rests.

        ``latency`` is the core's of the message. Beats leave at most one in ``beat_words`` + 2 cycles.
        """
        return 4 + self.quiet + 2 * beats * (self.beat_words + 3) + latency + self.quiet

    def elaborate(self, platform):
        m = Module()
        clearing = {"clear": self.clear, "clear_row": self.clear_row}
        still = Signal(range(self.quiet + 1))
        rested = Signal()
        sent = Signal(name="sent_whole")
        left = Signal(name="left_whole")
        lost = Signal()
        state = Signal(2)
        idle, waits, sends, takes = (state == number for number in range(4))
        bad = Signal(name="bad_size")
        go = Signal()
        m.d.comb += [
            bad.eq((self.size == 0) | (self.size > self.most) | self.clear),
            go.eq(self.start & idle),
            self.busy.eq(~idle),
            self.wants.eq(~idle),
            self.owns.eq(sends | takes),
            rested.eq(still == self.quiet),
        ]
        with m.If(self.moves):
            m.d.sync += still.eq(0)
        with m.Elif(~rested):
            m.d.sync += still.eq(still + 1)
        with m.If(self.drop):
            m.d.sync += [self.done.eq(0), self.wrong.eq(0), self.cause.eq(0)]
        with m.If(go):
            m.d.sync += [self.done.eq(0), self.wrong.eq(0), self.cause.eq(0), lost.eq(0), left.eq(0), still.eq(0)]
            with m.If(bad):
                m.d.comb += self.ends.eq(1)
                m.d.sync += [
                    self.done.eq(1),
                    self.wrong.eq(1),
                    self.cause.eq(Mux(self.size == 0, self.too_short, self.too_long)),
                ]
            with m.Else():
                m.d.sync += state.eq(1)
        with m.If(waits & self.clear):
            m.d.comb += self.ends.eq(1)
            m.d.sync += [state.eq(0), self.done.eq(1), self.wrong.eq(1)]
        with m.Elif(waits & rested & ~self.begun):
            m.d.sync += [state.eq(2), still.eq(0)]
        with m.If(sends & sent):
            m.d.sync += [state.eq(3), still.eq(0)]
        with m.If(takes & (left | rested) & ~self.clear):
            m.d.comb += self.ends.eq(1)
            m.d.sync += [state.eq(0), self.done.eq(1), self.wrong.eq(self.wrong | lost | ~left)]
        with m.If(self.owns):
            with m.If(self.faults.any() & ~self.wrong):
                m.d.sync += self.wrong.eq(1)
                for bit in reversed(range(len(self.faults))):
                    with m.If(self.faults[bit]):
                        m.d.sync += self.cause.eq(bit)
            with m.If(self.clear):
                m.d.sync += lost.eq(1)
        self._registers(m, clearing)
        self._send(m, go, sends, sent, clearing)
        self._take(m, left, clearing)
        return m

    def _registers(self, m: Module, clearing) -> None:
        """The tweak, word for word."""
        tweak = Signal(len(self.shown_tweak))
        m.d.comb += self.shown_tweak.eq(tweak)
        for number in range(self.tweak_words):
            with m.If(self.write & self.tweak & (self.index == number) & ~self.busy):
                for byte in range(REGISTER_BYTES):
                    with m.If(self.strobe[byte]):
                        place = tweak.word_select(REGISTER_BYTES * number + byte, 8)
                        m.d.sync += place.eq(self.data.word_select(byte, 8))
        with m.If(clearing["clear"] | self.drop):
            m.d.sync += tweak.eq(0)

    def _send(self, m: Module, go: Value, sends: Value, sent: Signal, clearing) -> None:
        """The message from its memory into beats: a word a cycle, then the beat until it is accepted."""
        m.submodules.message = message = memory.Memory(shape=REGISTER_BITS, depth=self.words, init=[])
        port = message.write_port(granularity=8)
        m.d.comb += [
            port.addr.eq(self.index),
            port.data.eq(self.data),
            port.en.eq(self.strobe & (self.write & ~self.tweak & ~self.busy).replicate(REGISTER_BYTES)),
        ]
        with m.If(clearing["clear"]):
            m.d.comb += [port.addr.eq(clearing["clear_row"]), port.data.eq(0), port.en.eq(-1)]
        beat_bytes = self.fields["data"] // 8
        read = message.read_port(domain="sync")
        number = Signal(range(self.words + self.beat_words), name="word_sent")
        part = Signal(range(self.beat_words + 1))
        there = Signal(name="word_read")
        beat = Signal(self.fields["data"])
        remaining = Signal(17)
        slot = Signal(SLOT_BITS)
        decrypt = Signal()
        size = Signal(16)
        valid = Signal(name="beat_valid")
        last = Signal(name="beat_last")
        m.d.comb += [
            read.addr.eq(number),
            valid.eq(part == self.beat_words),
            last.eq(remaining <= beat_bytes),
            self.i.valid.eq(valid),
            sent.eq(valid & last & self.i.ready),
            self.i.payload.data.eq(beat),
            self.i.payload.last.eq(last),
            self.i.payload.slot.eq(slot),
            self.i.payload.decrypt.eq(decrypt),
        ]
        with m.If(go):
            m.d.sync += [slot.eq(self.slot), decrypt.eq(self.decrypt), size.eq(self.size)]
        if "tweak" in self.fields:
            m.d.comb += self.i.payload.tweak.eq(self.shown_tweak)
        if "tweak_size" in self.fields:
            m.d.comb += [self.i.payload.tweak_size.eq(self.tweak_words * REGISTER_BYTES), self.i.payload.size.eq(size)]
        if "keep" in self.fields:
            m.d.comb += self.i.payload.keep.eq(Mux(last, below(remaining, beat_bytes), -1))
        with m.If(sends & ~valid):
            m.d.sync += there.eq(1)
            with m.If(~there | (part != self.beat_words - 1)):
                m.d.sync += number.eq(number + 1)
            with m.If(there):
                m.d.sync += [beat.eq(Cat(beat[REGISTER_BITS:], read.data)), part.eq(part + 1)]
        with m.If(valid & self.i.ready):
            m.d.sync += [part.eq(0), there.eq(0), remaining.eq(remaining - beat_bytes)]
        with m.If(~sends):
            m.d.sync += [part.eq(0), there.eq(0), number.eq(0), remaining.eq(size)]
        with m.If(~sends | clearing["clear"]):
            m.d.sync += beat.eq(0)

    def _take(self, m: Module, left: Signal, clearing) -> None:
        """The result from beats into its memory: a word of a beat a cycle, which is accepted with its last one."""
        m.submodules.results = results = memory.Memory(shape=REGISTER_BITS, depth=self.words, init=[])
        part = Signal(range(self.beat_words), name="result_part")
        number = Signal(range(self.words + 1), name="word_taken")
        takes = Signal(name="word_taken_now")
        m.d.comb += [
            takes.eq(self.o.valid & self.owns),
            self.o.ready.eq(self.owns & (part == self.beat_words - 1)),
        ]
        word = self.o.payload.data.word_select(part, REGISTER_BITS)
        store(m, results, number, word, takes & ~number[-1], **clearing)
        read = results.read_port(domain="sync")
        readable = Signal(name="result_readable")
        m.d.sync += readable.eq(self.done & ~self.wrong & ~self.drop)
        m.d.comb += [read.addr.eq(self.result_index), self.result.eq(read.data & readable.replicate(REGISTER_BITS))]
        with m.If(takes):
            m.d.sync += [part.eq(part + 1), number.eq(number + 1)]
            with m.If(self.o.ready):
                m.d.sync += [part.eq(0), left.eq(left | self.o.payload.last)]
        with m.If(~self.owns):
            m.d.sync += number.eq(0)
        with m.If(~self.owns | self.clear):
            m.d.sync += part.eq(0)
