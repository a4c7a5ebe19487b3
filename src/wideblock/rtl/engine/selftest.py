# SPDX-License-Identifier: Apache-2.0
"""The self-test: known answers through the window, under the constant key, in a slot that has no key."""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.engine_map import NOT_RUN
from wideblock.rtl.bus.key_map import COMMAND
from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES, register_words
from wideblock.rtl.stream.sector import SLOT_BITS

__all__ = ["SelfTest", "TestAnswer"]

LOAD_KAT, UNLOAD = COMMAND["LOAD_KAT"], COMMAND["UNLOAD"]


@dataclass(frozen=True)
class TestAnswer:
    """A message, its tweak and direction, and the right result under the constant key; whole words of 4 bytes."""

    tweak: bytes
    given: bytes
    decrypt: bool
    right: bytes


class SelfTest(wiring.Component):
    """Plays ``answers`` in ``slot``: loads the constant key, sends each message, compares its result, unloads.

    ``start`` while it does not run. It takes the window, ``takes``, when that is not ``window_busy`` and no command
    runs, ``rests``. ``busy`` until ``ends`` pulses; then ``done``, and ``passed``, or ``number`` of the first answer
    that was wrong. A wrong answer, or a command that fails otherwise than for a slot with a key, ``fails`` for good.

    ``command`` and the rest go to :class:`.commands.KeyCommands`, ``write`` and the rest to :class:`.window.Window`.
    ``clear`` ends the test; it begins anew after that.

    Timing: a word of an answer a cycle in, a word a 2 cycles out.
    Cost:   a table of the answers' words; counters.
    """

    def __init__(self, answers: Sequence[TestAnswer], *, slot: int, index_bits: int):
        words = {len(part) % REGISTER_BYTES for a in answers for part in (a.tweak, a.given, a.right)}
        shapes = {(len(a.tweak), len(a.given), len(a.right)) for a in answers}
        if words != {0} or len(shapes) != 1 or not 1 <= len(answers) < NOT_RUN:
            raise ValueError(f"answers must be whole words, all of one size, got {len(answers)} of {sorted(shapes)}")
        self.answers, self.slot = tuple(answers), slot
        ((tweak, size, _),) = shapes
        self.tweak_words, self.words = tweak // REGISTER_BYTES, size // REGISTER_BYTES
        super().__init__(
            {
                **dict.fromkeys(("start", "rests", "window_busy", "window_ends", "window_wrong"), In(1)),
                **dict.fromkeys(("busy", "takes", "ends", "done", "passed", "fails"), Out(1)),
                "number": Out(8),
                "command_start": Out(1),
                "command": Out(4),
                "command_slot": Out(SLOT_BITS),
                "command_done": In(1),
                "command_error": In(4),
                **dict.fromkeys(("write", "tweak", "window_start", "decrypt"), Out(1)),
                "index": Out(index_bits),
                "data": Out(REGISTER_BITS),
                "size": Out(16),
                "result_index": Out(index_bits),
                "result": In(REGISTER_BITS),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        parts = (part for answer in self.answers for part in (answer.tweak, answer.given, answer.right))
        image = [word for part in parts for word in register_words(part)]
        depth = 1 << max(1, (len(image) - 1).bit_length())
        m.submodules.table = table = memory.Memory(
            shape=REGISTER_BITS, depth=depth, init=image, attrs={"rom_style": "logic"}
        )
        port = table.read_port(domain="comb")
        place = Signal(range(depth))
        word = Signal(range(max(self.tweak_words, self.words) + 1))
        answer = Signal(range(len(self.answers) + 1))
        wrong = Signal()
        wrong_first = Signal(8)
        broken = Signal()
        again = Signal()
        m.d.comb += [
            port.addr.eq(place),
            self.data.eq(port.data),
            self.index.eq(word),
            self.result_index.eq(word),
            self.size.eq(self.words * REGISTER_BYTES),
            self.command_slot.eq(self.slot),
            self.fails.eq(broken),
        ]
        for number, each in enumerate(self.answers):
            with m.If(answer == number):
                m.d.comb += self.decrypt.eq(each.decrypt)

        def note():
            """The answer under test is wrong."""
            m.d.sync += wrong.eq(1)
            with m.If(~wrong):
                m.d.sync += wrong_first.eq(answer)

        def over(last: int, follows: str):
            """After word ``last`` goes on with another state, from its word 0."""
            m.d.sync += word.eq(Mux(word == last, 0, word + 1))
            with m.If(word == last):
                m.next = follows

        def cut_short():
            with m.If(self.clear):
                m.d.sync += again.eq(1)
                m.next = "clear"

        with m.FSM() as fsm:
            m.d.comb += [self.busy.eq(~fsm.ongoing("idle")), self.takes.eq(~fsm.ongoing("idle") & ~fsm.ongoing("wait"))]
            with m.State("idle"):
                with m.If((self.start | again) & ~broken):
                    m.d.sync += [again.eq(0), self.done.eq(0), self.passed.eq(0), self.number.eq(0), wrong.eq(0)]
                    m.d.sync += [wrong_first.eq(0), answer.eq(0), place.eq(0), word.eq(0)]
                    m.next = "wait"
            with m.State("clear"):
                with m.If(~self.clear):
                    m.next = "idle"
            with m.State("wait"):
                with m.If(self.rests & ~self.window_busy & ~self.clear):
                    m.next = "key"
            with m.State("key"):
                m.d.comb += [self.command_start.eq(self.rests & ~self.clear), self.command.eq(LOAD_KAT)]
                with m.If(self.command_start):
                    m.next = "load"
                cut_short()
            with m.State("load"):
                with m.If(self.command_done):
                    with m.If(self.command_error == 0):
                        m.next = "tweak" if self.tweak_words else "message"
                    with m.Else():
                        m.d.sync += [self.done.eq(1), self.number.eq(NOT_RUN)]
                        m.d.comb += self.ends.eq(1)
                        m.next = "idle"
                cut_short()
            with m.State("tweak"):
                m.d.comb += [self.write.eq(1), self.tweak.eq(1)]
                m.d.sync += place.eq(place + 1)
                over(self.tweak_words - 1, "message")
                cut_short()
            with m.State("message"):
                m.d.comb += self.write.eq(1)
                m.d.sync += place.eq(place + 1)
                over(self.words - 1, "send")
                cut_short()
            with m.State("send"):
                m.d.comb += self.window_start.eq(1)
                m.next = "sent"
                cut_short()
            with m.State("sent"):
                with m.If(self.window_ends):
                    m.next = "settle"
                cut_short()
            with m.State("settle"):
                with m.If(self.window_wrong):
                    note()
                m.next = "read"
                cut_short()
            with m.State("read"):
                m.next = "compare"
                cut_short()
            with m.State("compare"):
                with m.If(self.result != port.data):
                    note()
                m.d.sync += place.eq(place + 1)
                m.next = "read"
                over(self.words - 1, "next")
                cut_short()
            with m.State("next"):
                m.d.sync += answer.eq(answer + 1)
                m.next = "message" if not self.tweak_words else "tweak"
                with m.If(answer == len(self.answers) - 1):
                    m.next = "unload"
                cut_short()
            with m.State("unload"):
                m.d.comb += [self.command_start.eq(self.rests & ~self.clear), self.command.eq(UNLOAD)]
                with m.If(self.command_start):
                    m.next = "unloaded"
                cut_short()
            with m.State("unloaded"):
                with m.If(self.command_done):
                    failed = wrong | (self.command_error != 0)
                    m.d.sync += [self.done.eq(1), self.passed.eq(~failed), self.number.eq(wrong_first)]
                    m.d.sync += broken.eq(failed)
                    m.d.comb += self.ends.eq(1)
                    m.next = "idle"
                cut_short()
        return m
