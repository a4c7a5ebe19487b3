# SPDX-License-Identifier: Apache-2.0
"""The passage: messages of the engine itself, word by word, between two messages of the user's stream.

A request waits for the end of the user's message, and holds the next one. When no beat has moved for the cycles of the
slowest message, the core is empty: until the release every beat belongs to the engine.
"""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, Signature

from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES
from wideblock.rtl.bytes import below
from wideblock.rtl.stream.interface import Channel
from wideblock.rtl.stream.sector import SLOT_BITS

__all__ = ["Passage", "core_access", "messages"]


def core_access(into: Channel, out: Channel, *, faults: int) -> Signature:
    """Link of the passage to the gate of the core's streams, channels ``into`` and ``out``.

    request: out, the engine needs the core: no message of the user begins
    granted: out, messages of the engine pass
    i, o:    messages of the engine, and their results
    begun:   in, a message has begun and not ended
    active:  in, a beat is accepted or offered
    faults:  in, a pulse a fault
    """
    return Signature(
        {
            "request": Out(1),
            "granted": Out(1),
            "i": Out(stream.Signature(into.shape)),
            "o": In(stream.Signature(out.shape)),
            "begun": In(1),
            "active": In(1),
            "faults": In(faults),
        }
    )


def messages(into: Channel, *, words: int) -> Signature:
    """Link of a client to the passage: messages of up to ``words`` words for channel ``into``, one at a time.

    request:      out, the client needs the core
    granted:      in, no message of the user is in the core, and none begins
    ready:        in, with ``granted``: no message is under way, one may be sent
    send:         out, pulses while ``ready``: a message of ``size`` bytes for ``slot``, with the ``tweak_size`` first
                  bytes of ``tweak``, to ``decrypt`` or not; these stay stable until ``done``
    index:        in, number of a word of the message
    word:         out, that word, in the next cycle
    taken:        in, pulses with word number ``result_index`` of the result, ``result``
    done:         in, pulses as the message has ended
    aborted:      in, with ``done``: a clear met the message, or its result did not come
    fault:        in, with ``done``: the core refused the message for ``cause``, a bit of its faults

    ``tweak`` and ``tweak_size`` are of the channel's bits: none where it has no such field.
    """
    bits = {field.name: field.width for field in into.fields}
    return Signature(
        {
            "request": Out(1),
            **dict.fromkeys(("granted", "ready"), In(1)),
            "send": Out(1),
            "slot": Out(SLOT_BITS),
            "decrypt": Out(1),
            "size": Out(16),
            **{name: Out(bits.get(name, 0)) for name in ("tweak", "tweak_size")},
            "index": In(range(words)),
            "word": Out(REGISTER_BITS),
            "taken": In(1),
            "result_index": In(range(words + 1)),
            "result": In(REGISTER_BITS),
            **dict.fromkeys(("done", "aborted", "fault"), In(1)),
            "cause": In(5),
        }
    )


class Passage(wiring.Component):
    """Sends messages of up to ``words`` words to a core whose channels are ``into`` and ``out``.

    client:   in, messages; the grant lasts until ``request`` is low and no message of the engine is in the core
    access:   out, the core between two messages of the user
    aborting: out, a message that ``clear`` met is under way; faults do not count
    clear:    in, core and engine clear themselves

    After a ``clear`` the rest of the message is sent as zeros: the core finds the beginning of the next message.

    Timing: a word a cycle into a beat and out of it: :meth:`cycles`; ``quiet`` cycles without a beat before a grant.
    Cost:   a register of a beat, five counters.
    """

    def __init__(self, *, into: Channel, out: Channel, words: int, quiet: int, faults: int):
        fields = {field.name: field.width for field in into.fields}
        self.words, self.quiet, self.fields = words, quiet, fields
        self.beat_words = fields["data"] // REGISTER_BITS
        super().__init__(
            {
                "client": In(messages(into, words=words)),
                "access": Out(core_access(into, out, faults=faults)),
                "aborting": Out(1),
                "clear": In(1),
            }
        )

    def cycles(self, latency: int, size: int) -> int:
        """Cycles, at most, from ``send`` to ``done`` of a message of ``size`` bytes that the core answers.

        ``latency`` is the core's of the message. Beats leave at most one in ``beat_words`` + 2 cycles.
        """
        beats = -(-size // (REGISTER_BYTES * self.beat_words))
        return 2 + 2 * beats * (self.beat_words + 3) + latency

    def elaborate(self, platform):
        m = Module()
        client, access = self.client, self.access
        still = Signal(range(self.quiet + 1))
        drained = Signal()
        granted, sending, taking = access.granted, Signal(name="sending"), Signal(name="taking")
        under_way = Signal()
        sent = Signal(name="sent_whole")
        received = Signal(name="received_whole")
        m.d.comb += [
            drained.eq(still == self.quiet),
            under_way.eq(sending | taking),
            access.request.eq(client.request),
            client.granted.eq(granted),
            client.ready.eq(~under_way),
        ]
        with m.If(access.active):
            m.d.sync += still.eq(0)
        with m.Elif(~drained):
            m.d.sync += still.eq(still + 1)
        with m.If(~granted):
            m.d.sync += granted.eq(client.request & drained & ~access.begun & ~access.active & ~self.clear)
        with m.Elif(~under_way & ~client.request):
            m.d.sync += granted.eq(0)
        with m.If(client.send & granted & ~under_way):
            m.d.sync += [sending.eq(1), received.eq(0), client.fault.eq(0), client.cause.eq(0)]
        with m.If(sent):
            m.d.sync += [sending.eq(0), taking.eq(1), still.eq(0)]
        with m.If(taking & (received | drained) & ~self.clear):
            m.d.comb += client.done.eq(1)
            m.d.sync += taking.eq(0)
        m.d.comb += client.aborted.eq(self.aborting | ~received)
        with m.If(under_way & access.faults.any() & ~client.fault & ~self.aborting & ~self.clear):
            m.d.sync += client.fault.eq(1)
            for bit in reversed(range(len(access.faults))):
                with m.If(access.faults[bit]):
                    m.d.sync += client.cause.eq(bit)
        m.d.sync += self.aborting.eq(under_way & ~client.done & (self.aborting | self.clear))
        self._send(m, sending, sent)
        self._take(m, under_way, received)
        return m

    def _send(self, m: Module, sending: Value, sent: Signal) -> None:
        """The message into beats: a word a cycle, then the beat until it is accepted."""
        beat_bytes = self.fields["data"] // 8
        number = Signal(range(self.words + self.beat_words), name="word_sent")
        part = Signal(range(self.beat_words + 1))
        fetched = Signal(name="word_read")
        beat = Signal(self.fields["data"])
        remaining = Signal(17)
        valid = Signal(name="beat_valid")
        last = Signal(name="beat_last")
        payload, client = self.access.i.payload, self.client
        m.d.comb += [
            client.index.eq(number),
            valid.eq(part == self.beat_words),
            last.eq(remaining <= beat_bytes),
            self.access.i.valid.eq(valid),
            sent.eq(valid & last & self.access.i.ready),
            payload.data.eq(beat),
            payload.last.eq(last),
            payload.slot.eq(client.slot),
            payload.decrypt.eq(client.decrypt),
        ]
        if "tweak" in self.fields:
            m.d.comb += payload.tweak.eq(client.tweak)
        if "tweak_size" in self.fields:
            m.d.comb += [payload.tweak_size.eq(client.tweak_size), payload.size.eq(client.size)]
        if "keep" in self.fields:
            m.d.comb += payload.keep.eq(Mux(last, below(remaining, beat_bytes), -1))
        with m.If(sending & ~valid):
            m.d.sync += fetched.eq(1)
            with m.If(~fetched | (part != self.beat_words - 1)):
                m.d.sync += number.eq(number + 1)
            with m.If(fetched):
                m.d.sync += [beat.eq(Cat(beat[REGISTER_BITS:], client.word)), part.eq(part + 1)]
        with m.If(valid & self.access.i.ready):
            m.d.sync += [part.eq(0), fetched.eq(0), remaining.eq(remaining - beat_bytes)]
        with m.If(~sending):
            m.d.sync += [part.eq(0), fetched.eq(0), number.eq(0), remaining.eq(client.size)]
        with m.If(~sending | self.clear):
            m.d.sync += beat.eq(0)

    def _take(self, m: Module, under_way: Value, received: Signal) -> None:
        """The result from beats: a word a cycle. The last word of a beat accepts the beat."""
        client, o = self.client, self.access.o
        part = Signal(range(self.beat_words), name="result_part")
        m.d.comb += [
            client.taken.eq(o.valid & under_way),
            o.ready.eq(under_way & (part == self.beat_words - 1)),
            client.result.eq(o.payload.data.word_select(part, REGISTER_BITS)),
        ]
        with m.If(client.taken):
            m.d.sync += part.eq(part + 1)
            m.d.sync += client.result_index.eq(client.result_index + (client.result_index != self.words))
            with m.If(o.ready):
                m.d.sync += [part.eq(0), received.eq(received | o.payload.last)]
        with m.If(~under_way):
            m.d.sync += client.result_index.eq(0)
        with m.If(~under_way | self.clear):
            m.d.sync += part.eq(0)
