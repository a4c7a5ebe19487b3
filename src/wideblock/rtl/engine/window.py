# SPDX-License-Identifier: Apache-2.0
"""The window: one message of firmware, written and read through registers."""

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out, Signature

from wideblock.rtl.bus.engine_facts import GONE
from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES
from wideblock.rtl.stream.sector import SLOT_BITS
from wideblock.rtl.stream.stages import power_of_two
from wideblock.rtl.stream.storage import store

from .slots import KEY_CHANGE

__all__ = ["Window"]


class Window(wiring.Component):
    """A message of firmware, of ``least`` to ``most`` bytes, with request and result.

    write:        in, ``data`` with ``strobe`` is word ``index`` of the message; low while ``busy`` and ``clear``
    tweak:        in, the write is one of word ``index`` of the tweak
    result_index: in, a word of the result
    result:       out, that word, a cycle later; 0 beyond the end, and while there is no result
    start:        in, starts the request ``slot``, ``decrypt``, ``size``, ``tweak_size``, while not ``busy``
    disabled:     in, requests are refused
    busy:         out, the request waits, or its message is in the core
    finished:     out, pulses as the request ends
    done:         out, the last request has ended
    error:        out, with ``done``: there is no result, for ``cause``
    messages:     out, the message; ``messages.tweak`` is the tweak at any time
    change:       in, the slot whose key ends or begins: a result under it is dropped
    clear:        in, each row of number ``clear_row`` becomes 0; a result is dropped

    A size below ``least`` is refused with ``too_short``, a size beyond ``most`` with ``too_long``. A disabled window,
    a dropped result and a message cut by a clear have the cause ``GONE``.

    Cost: two memories of ``most`` bytes, registers of the tweak and the request.
    """

    def __init__(
        self,
        messages: Signature,
        *,
        words: int,
        least: int,
        most: int,
        too_short: int,
        too_long: int,
        clear_row_bits: int,
    ):
        self.least, self.most, self.too_short, self.too_long = least, most, too_short, too_long
        self.words = power_of_two(words)
        if 1 << clear_row_bits < self.words:
            raise ValueError(f"clear_row must reach {self.words} rows, got {clear_row_bits} bits")
        super().__init__(
            {
                "write": In(1),
                "tweak": In(1),
                "index": In(range(self.words)),
                "data": In(REGISTER_BITS),
                "strobe": In(REGISTER_BYTES),
                "result_index": In(range(self.words)),
                "result": Out(REGISTER_BITS),
                **dict.fromkeys(("start", "disabled"), In(1)),
                "slot": In(SLOT_BITS),
                "decrypt": In(1),
                "size": In(16),
                "tweak_size": In(messages.members["tweak_size"].shape),
                **dict.fromkeys(("busy", "finished", "done", "error"), Out(1)),
                "cause": Out(5),
                "messages": Out(messages),
                "change": In(KEY_CHANGE),
                "clear": In(1),
                "clear_row": In(clear_row_bits),
            }
        )

    @property
    def tweak_words(self) -> int:
        """Words of a tweak."""
        return len(self.messages.tweak) // REGISTER_BITS

    def elaborate(self, platform):
        m = Module()
        messages = self.messages
        waiting = Signal(name="request_waiting")
        sent = Signal(name="request_sent")
        go = Signal()
        bad = Signal(name="bad_size")
        short = self.size == 0 if self.least == 1 else self.size < self.least
        ended = Signal(name="key_ended")
        gone = Signal(name="result_gone")
        lost = Signal(name="result_lost")

        def finish(cause: Value | int, error: Value | int):
            m.d.comb += self.finished.eq(1)
            m.d.sync += [self.done.eq(1), self.error.eq(error), self.cause.eq(Mux(error, cause, 0))]

        m.d.comb += [
            self.busy.eq(waiting | sent),
            messages.request.eq(self.busy),
            messages.send.eq(waiting & messages.ready & ~self.clear),
            go.eq(self.start & ~self.busy),
            bad.eq(short | (self.size > self.most)),
            ended.eq(self.change.put & (self.change.slot == messages.slot)),
            gone.eq(self.clear | ended),
        ]
        with m.If(self.done & gone & ~self.error):
            m.d.sync += [self.error.eq(1), self.cause.eq(GONE)]
        with m.If(go):
            m.d.sync += [self.done.eq(0), self.error.eq(0), self.cause.eq(0), lost.eq(0)]
            m.d.sync += [messages.slot.eq(self.slot), messages.decrypt.eq(self.decrypt)]
            m.d.sync += [messages.size.eq(self.size), messages.tweak_size.eq(self.tweak_size)]
            with m.If(self.disabled | self.clear):
                finish(GONE, 1)
            with m.Elif(bad):
                finish(Mux(short, self.too_short, self.too_long), 1)
            with m.Else():
                m.d.sync += waiting.eq(1)
        with m.If(waiting & self.clear):
            m.d.sync += waiting.eq(0)
            finish(GONE, 1)
        with m.Elif(messages.send):
            m.d.sync += [waiting.eq(0), sent.eq(1)]
        with m.If(sent & ended):
            m.d.sync += lost.eq(1)
        with m.If(sent & messages.done):
            m.d.sync += sent.eq(0)
            refused = messages.fault
            finish(Mux(refused, messages.cause, GONE), refused | messages.aborted | lost | ended)
        self._tweak(m)
        self._memories(m)
        return m

    def _tweak(self, m: Module) -> None:
        """The tweak, word for word."""
        tweak = self.messages.tweak
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
        messages = self.messages
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
        m.d.comb += [read.addr.eq(messages.index), messages.word.eq(read.data)]

        m.submodules.results = results = memory.Memory(shape=REGISTER_BITS, depth=self.words, init=[])
        clearing = {"clear": self.clear, "clear_row": self.clear_row}
        within = messages.result_index < self.words
        store(m, results, messages.result_index, messages.result, messages.taken & within, **clearing)
        read = results.read_port(domain="sync")
        readable = Signal(name="result_readable")
        offset = REGISTER_BYTES.bit_length() - 1
        there = self.result_index < (messages.size + REGISTER_BYTES - 1)[offset:]
        m.d.sync += readable.eq(self.done & ~self.error & there & ~self.clear)
        m.d.comb += [read.addr.eq(self.result_index), self.result.eq(read.data & readable.replicate(REGISTER_BITS))]
