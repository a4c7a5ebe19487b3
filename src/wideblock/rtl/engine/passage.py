# SPDX-License-Identifier: Apache-2.0
"""The passage: messages of the engine itself, word by word, between two messages of the user's stream.

A request waits until the user's stream is between two messages, and holds it there. When no beat has moved for as long
as the slowest message takes, the core is empty: every beat that leaves until the release belongs to the engine.
"""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES
from wideblock.rtl.bytes import below
from wideblock.rtl.stream.interface import Channel
from wideblock.rtl.stream.sector import SLOT_BITS

__all__ = ["Passage"]


class Passage(wiring.Component):
    """Sends messages of up to ``words`` words to a core; ``i`` and ``o`` are the core's channels ``into`` and ``out``.

    request:  in, the engine needs the core; the grant lasts until it is low and no message of the engine is in the core
    granted:  out, no message of the user is in the core, and none begins; ``under_way``: a message of the engine is in
              the core
    begun:    in, a message has begun and not ended; ``active``: a beat is accepted or offered
    send:     in, pulses while ``granted``: a message of ``size`` bytes for ``slot``, with ``tweak``, to ``decrypt`` or
              not; these stay stable until ``ends``
    index:    out, number of a word of the message, which is ``word`` in the next cycle
    taken:    out, pulses with word number ``result_index`` of the result, ``result``
    faults:   in, pulses of the core
    ends:     out, pulses as the message has ended; with ``lost`` if a clear met it or its result did not come, and with
              ``fault`` if the core refused it for ``cause``, a bit of ``faults``
    clear:    in, core and engine clear themselves

    A message that ``clear`` meets is sent to its end, as zeros, so that the core finds the next one; ``cut`` is high
    meanwhile, and faults do not count.

    Timing: a word a cycle into a beat and out of it: :meth:`cycles`; ``quiet`` cycles without a beat before a grant.
    Cost:   a register of a beat, five counters.
    """

    def __init__(self, *, into: Channel, out: Channel, words: int, quiet: int, faults: int):
        fields = {field.name: field.width for field in into.fields}
        self.words, self.quiet, self.fields = words, quiet, fields
        self.beat_words = fields["data"] // REGISTER_BITS
        super().__init__(
            {
                "request": In(1),
                **dict.fromkeys(("granted", "under_way", "cut"), Out(1)),
                **dict.fromkeys(("begun", "active"), In(1)),
                "send": In(1),
                "slot": In(SLOT_BITS),
                "decrypt": In(1),
                "size": In(16),
                "tweak": In(fields.get("tweak", 0)),
                "index": Out(range(words)),
                "word": In(REGISTER_BITS),
                "taken": Out(1),
                "result_index": Out(range(words + 1)),
                "result": Out(REGISTER_BITS),
                "faults": In(faults),
                **dict.fromkeys(("ends", "lost", "fault"), Out(1)),
                "cause": Out(5),
                "i": Out(stream.Signature(into.shape)),
                "o": In(stream.Signature(out.shape)),
                "clear": In(1),
            }
        )

    def cycles(self, latency: int, size: int) -> int:
        """Cycles, at most, from ``send`` to ``ends`` of a message of ``size`` bytes that the core answers.

        ``latency`` is the core's of the message. Beats leave at most one in ``beat_words`` + 2 cycles.
        """
        beats = -(-size // (REGISTER_BYTES * self.beat_words))
        return 2 + 2 * beats * (self.beat_words + 3) + latency

    def elaborate(self, platform):
        m = Module()
        still = Signal(range(self.quiet + 1))
        rested = Signal()
        granted, sends, takes = self.granted, Signal(name="sending"), Signal(name="taking")
        under_way = self.under_way
        sent = Signal(name="sent_whole")
        left = Signal(name="left_whole")
        m.d.comb += [rested.eq(still == self.quiet), under_way.eq(sends | takes)]
        with m.If(self.active):
            m.d.sync += still.eq(0)
        with m.Elif(~rested):
            m.d.sync += still.eq(still + 1)
        with m.If(~granted):
            m.d.sync += granted.eq(self.request & rested & ~self.begun & ~self.active & ~self.clear)
        with m.Elif(~under_way & ~self.request):
            m.d.sync += granted.eq(0)
        with m.If(self.send & granted & ~under_way):
            m.d.sync += [sends.eq(1), left.eq(0), self.fault.eq(0), self.cause.eq(0)]
        with m.If(sent):
            m.d.sync += [sends.eq(0), takes.eq(1), still.eq(0)]
        with m.If(takes & (left | rested) & ~self.clear):
            m.d.comb += self.ends.eq(1)
            m.d.sync += takes.eq(0)
        m.d.comb += self.lost.eq(self.cut | ~left)
        with m.If(under_way & self.faults.any() & ~self.fault & ~self.cut & ~self.clear):
            m.d.sync += self.fault.eq(1)
            for bit in reversed(range(len(self.faults))):
                with m.If(self.faults[bit]):
                    m.d.sync += self.cause.eq(bit)
        m.d.sync += self.cut.eq(under_way & ~self.ends & (self.cut | self.clear))
        self._send(m, sends, sent)
        self._take(m, under_way, left)
        return m

    def _send(self, m: Module, sends: Value, sent: Signal) -> None:
        """The message into beats: a word a cycle, then the beat until it is accepted."""
        beat_bytes = self.fields["data"] // 8
        number = Signal(range(self.words + self.beat_words), name="word_sent")
        part = Signal(range(self.beat_words + 1))
        there = Signal(name="word_read")
        beat = Signal(self.fields["data"])
        remaining = Signal(17)
        valid = Signal(name="beat_valid")
        last = Signal(name="beat_last")
        payload = self.i.payload
        m.d.comb += [
            self.index.eq(number),
            valid.eq(part == self.beat_words),
            last.eq(remaining <= beat_bytes),
            self.i.valid.eq(valid),
            sent.eq(valid & last & self.i.ready),
            payload.data.eq(beat),
            payload.last.eq(last),
            payload.slot.eq(self.slot),
            payload.decrypt.eq(self.decrypt),
        ]
        if "tweak" in self.fields:
            m.d.comb += payload.tweak.eq(self.tweak)
        if "tweak_size" in self.fields:
            m.d.comb += [payload.tweak_size.eq(len(self.tweak) // 8), payload.size.eq(self.size)]
        if "keep" in self.fields:
            m.d.comb += payload.keep.eq(Mux(last, below(remaining, beat_bytes), -1))
        with m.If(sends & ~valid):
            m.d.sync += there.eq(1)
            with m.If(~there | (part != self.beat_words - 1)):
                m.d.sync += number.eq(number + 1)
            with m.If(there):
                m.d.sync += [beat.eq(Cat(beat[REGISTER_BITS:], self.word)), part.eq(part + 1)]
        with m.If(valid & self.i.ready):
            m.d.sync += [part.eq(0), there.eq(0), remaining.eq(remaining - beat_bytes)]
        with m.If(~sends):
            m.d.sync += [part.eq(0), there.eq(0), number.eq(0), remaining.eq(self.size)]
        with m.If(~sends | self.clear):
            m.d.sync += beat.eq(0)

    def _take(self, m: Module, under_way: Value, left: Signal) -> None:
        """The result from beats: a word of a beat a cycle, which is accepted with its last one."""
        part = Signal(range(self.beat_words), name="result_part")
        m.d.comb += [
            self.taken.eq(self.o.valid & under_way),
            self.o.ready.eq(under_way & (part == self.beat_words - 1)),
            self.result.eq(self.o.payload.data.word_select(part, REGISTER_BITS)),
        ]
        with m.If(self.taken):
            m.d.sync += [part.eq(part + 1), self.result_index.eq(self.result_index + (self.result_index != self.words))]
            with m.If(self.o.ready):
                m.d.sync += [part.eq(0), left.eq(left | self.o.payload.last)]
        with m.If(~under_way):
            m.d.sync += self.result_index.eq(0)
        with m.If(~under_way | self.clear):
            m.d.sync += part.eq(0)
