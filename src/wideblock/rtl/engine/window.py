# SPDX-License-Identifier: Apache-2.0
"""The window: one message of firmware, written and read through registers."""

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.engine_map import GONE
from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES
from wideblock.rtl.stream.sector import SLOT_BITS
from wideblock.rtl.stream.stages import power_of_two
from wideblock.rtl.stream.storage import store

from .passage import Passage

__all__ = ["Window"]


class Window(wiring.Component):
    """A message of up to ``most`` bytes with its request, which goes through ``passage``, and its result.

    write:        in, ``data`` with ``strobe`` is word ``index`` of the message, or with ``tweak`` of its tweak; must be
                  low while ``busy`` and ``clear``
    shown_tweak:  out, the tweak
    result:       out, word ``result_index`` of the result, a cycle later; 0 beyond its end, and while there is none
    start:        in, starts the request ``slot``, ``decrypt``, ``size``, while not ``busy``; ``closed``: it is refused
    busy:         out, until ``ends`` pulses; then ``done``, and ``wrong`` with ``cause`` if there is no result
    put:          in, the key of slot ``changed`` ends or begins: a result under it goes
    request:      out, the passage is needed; ``granted``, ``taken``, ``message_ends``: in, of the passage while it is
                  the window's
    read:         in, the word of the message that the passage asks for; ``word``: out, in the next cycle
    clear:        in, each row of number ``clear_row`` becomes 0; a result goes

    A size that is 0 or beyond the memory is refused with ``too_short`` or ``too_long``, a closed window, a result that
    went and a message that a clear met with ``GONE``.

    Cost: two memories of ``most`` bytes, registers of the tweak and the request.
    """

    def __init__(self, passage: Passage, *, most: int, too_short: int, too_long: int, clear_row_bits: int):
        tweak = passage.fields.get("tweak", 0)
        self.most, self.too_short, self.too_long = most, too_short, too_long
        self.words = power_of_two(passage.words)
        if 1 << clear_row_bits < self.words:
            raise ValueError(f"clear_row must reach {self.words} rows, got {clear_row_bits} bits")
        self.tweak_words = tweak // REGISTER_BITS
        super().__init__(
            {
                "write": In(1),
                "tweak": In(1),
                "index": In(range(self.words)),
                "data": In(REGISTER_BITS),
                "strobe": In(REGISTER_BYTES),
                "shown_tweak": Out(tweak),
                "result_index": In(range(self.words)),
                "result": Out(REGISTER_BITS),
                **dict.fromkeys(("start", "closed"), In(1)),
                "slot": In(SLOT_BITS),
                "decrypt": In(1),
                "size": In(16),
                **dict.fromkeys(("busy", "ends", "done", "wrong"), Out(1)),
                "cause": Out(5),
                "put": In(1),
                "changed": In(SLOT_BITS),
                **dict.fromkeys(("request", "send"), Out(1)),
                **dict.fromkeys(("granted", "taken", "message_ends", "message_lost", "message_fault"), In(1)),
                "message_cause": In(5),
                "asked_slot": Out(SLOT_BITS),
                "asked_decrypt": Out(1),
                "asked_size": Out(16),
                "read": In(range(self.words)),
                "word": Out(REGISTER_BITS),
                "taken_index": In(len(passage.result_index)),
                "taken_word": In(REGISTER_BITS),
                "clear": In(1),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        waiting = Signal(name="request_waiting")
        sent = Signal(name="request_sent")
        go = Signal()
        bad = Signal(name="bad_size")
        ended = Signal(name="key_ended")
        gone = Signal(name="result_gone")
        lost = Signal(name="result_lost")

        def end(cause: Value | int, wrong: Value | int):
            m.d.comb += self.ends.eq(1)
            m.d.sync += [self.done.eq(1), self.wrong.eq(wrong), self.cause.eq(Mux(wrong, cause, 0))]

        m.d.comb += [
            self.busy.eq(waiting | sent),
            self.request.eq(self.busy),
            self.send.eq(waiting & self.granted & ~self.clear),
            go.eq(self.start & ~self.busy),
            bad.eq((self.size == 0) | (self.size > self.most)),
            ended.eq(self.put & (self.changed == self.asked_slot)),
            gone.eq(self.clear | ended),
        ]
        with m.If(self.done & gone & ~self.wrong):
            m.d.sync += [self.wrong.eq(1), self.cause.eq(GONE)]
        with m.If(go):
            m.d.sync += [self.done.eq(0), self.wrong.eq(0), self.cause.eq(0), lost.eq(0)]
            m.d.sync += [self.asked_slot.eq(self.slot), self.asked_decrypt.eq(self.decrypt)]
            m.d.sync += self.asked_size.eq(self.size)
            with m.If(self.closed | self.clear):
                end(GONE, 1)
            with m.Elif(bad):
                end(Mux(self.size == 0, self.too_short, self.too_long), 1)
            with m.Else():
                m.d.sync += waiting.eq(1)
        with m.If(waiting & self.clear):
            m.d.sync += waiting.eq(0)
            end(GONE, 1)
        with m.Elif(self.send):
            m.d.sync += [waiting.eq(0), sent.eq(1)]
        with m.If(sent & ended):
            m.d.sync += lost.eq(1)
        with m.If(sent & self.message_ends):
            m.d.sync += sent.eq(0)
            refused = self.message_fault
            end(Mux(refused, self.message_cause, GONE), refused | self.message_lost | lost | ended)
        self._tweak(m)
        self._memories(m)
        return m

    def _tweak(self, m: Module) -> None:
        """The tweak, word for word."""
        tweak = Signal(len(self.shown_tweak))
        m.d.comb += self.shown_tweak.eq(tweak)
        for number in range(self.tweak_words):
            with m.If(self.write & self.tweak & (self.index == number)):
                for byte in range(REGISTER_BYTES):
                    with m.If(self.strobe[byte]):
                        place = tweak.word_select(REGISTER_BYTES * number + byte, 8)
                        m.d.sync += place.eq(self.data.word_select(byte, 8))
        with m.If(self.clear):
            m.d.sync += tweak.eq(0)

    def _memories(self, m: Module) -> None:
        """The message, written by the bus and read by the passage, and the result, the other way round."""
        m.submodules.message = message = memory.Memory(shape=REGISTER_BITS, depth=self.words, init=[])
        port = message.write_port(granularity=8)
        m.d.comb += [
            port.addr.eq(self.index),
            port.data.eq(self.data),
            port.en.eq(self.strobe & (self.write & ~self.tweak).replicate(REGISTER_BYTES)),
        ]
        with m.If(self.clear):
            m.d.comb += [port.addr.eq(self.clear_row), port.data.eq(0), port.en.eq(-1)]
        read = message.read_port(domain="sync")
        m.d.comb += [read.addr.eq(self.read), self.word.eq(read.data)]

        m.submodules.results = results = memory.Memory(shape=REGISTER_BITS, depth=self.words, init=[])
        clearing = {"clear": self.clear, "clear_row": self.clear_row}
        within = self.taken_index < self.words
        store(m, results, self.taken_index, self.taken_word, self.taken & within, **clearing)
        read = results.read_port(domain="sync")
        readable = Signal(name="result_readable")
        offset = REGISTER_BYTES.bit_length() - 1
        there = self.result_index < (self.asked_size + REGISTER_BYTES - 1)[offset:]
        m.d.sync += readable.eq(self.done & ~self.wrong & there)
        m.d.comb += [read.addr.eq(self.result_index), self.result.eq(read.data & readable.replicate(REGISTER_BITS))]
