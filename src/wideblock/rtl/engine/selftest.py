# SPDX-License-Identifier: Apache-2.0
"""The self-test: known answers under the constant key, in a slot that has no key."""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth import Const, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.engine_map import NOT_RUN
from wideblock.rtl.bus.key_map import KeyCommand
from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES, register_words
from wideblock.rtl.stream.sector import SLOT_BITS

from .passage import Passage

__all__ = ["SelfTest", "TestAnswer"]


@dataclass(frozen=True)
class TestAnswer:
    """A message, its tweak and direction, and the right result under the constant key; whole words of 4 bytes."""

    tweak: bytes
    given: bytes
    decrypt: bool
    right: bytes


class SelfTest(wiring.Component):
    """Plays ``answers`` in ``slot``: loads the constant key, sends each message, compares its result, unloads.

    start:         in, starts it while it is not ``busy``; ``clear``: it ends, and begins anew after that
    request:       out, it needs the passage; ``granted``: in, it has the passage; ``holds``: out, it uses it
    idle:          in, no command is running
    command_start: out, starts ``command`` for ``slot``; ``command_done``, ``command_error``: in, its end
    send:          out, pulses: message ``tweak``, ``decrypt`` of ``size`` bytes, of which word ``read`` is ``word`` in
                   the next cycle
    taken:         in, pulses with word ``taken_index`` of the result, ``taken_word``; ``message_ends``: the message has
                   ended, with ``message_wrong`` if it has no whole result
    busy:          out, until ``ends`` pulses; then ``done``, and ``passed``, or ``number`` of the first answer that was
                   wrong, or NOT_RUN if the slot had a key
    fails:         out, for good: an answer was wrong, or the unload failed

    It uses no memory but its own: a table of messages and one of right results.

    Timing: as the passage's, a command before and one after the answers.
    Cost:   two tables of the answers' words; a counter of answers.
    """

    def __init__(self, answers: Sequence[TestAnswer], passage: Passage, *, slot: int):
        words = {len(part) % REGISTER_BYTES for a in answers for part in (a.tweak, a.given, a.right)}
        shapes = {(len(a.tweak), len(a.given), len(a.right)) for a in answers}
        if words != {0} or len(shapes) != 1 or not 1 <= len(answers) < NOT_RUN:
            raise ValueError(f"answers must be whole words, all of one size, got {len(answers)} of {sorted(shapes)}")
        self.answers, self.slot = tuple(answers), slot
        ((tweak, self.size, _),) = shapes
        if self.size > REGISTER_BYTES * passage.words:
            raise ValueError(f"answers must have at most {REGISTER_BYTES * passage.words} bytes, got {self.size}")
        super().__init__(
            {
                **dict.fromkeys(("start", "clear"), In(1)),
                **dict.fromkeys(("busy", "ends", "done", "passed", "fails"), Out(1)),
                "number": Out(8),
                **dict.fromkeys(("request", "holds", "send", "decrypt"), Out(1)),
                **dict.fromkeys(("granted", "taken", "message_ends", "message_wrong"), In(1)),
                "tweak": Out(8 * tweak),
                "read": In(len(passage.index)),
                "word": Out(REGISTER_BITS),
                "taken_index": In(len(passage.result_index)),
                "taken_word": In(REGISTER_BITS),
                "idle": In(1),
                "command_start": Out(1),
                "command": Out(4),
                "command_slot": Out(SLOT_BITS),
                "command_done": In(1),
                "command_error": In(4),
            }
        )

    def elaborate(self, platform):
        m = Module()
        words = self.size // REGISTER_BYTES
        answer = Signal(range(len(self.answers) + 1))
        wrong = Signal()
        wrong_first = Signal(8)
        again = Signal()
        right = self._table(m, "right", [each.right for each in self.answers], answer, self.taken_index)
        m.d.sync += self.word.eq(self._table(m, "given", [each.given for each in self.answers], answer, self.read))
        m.d.comb += self.command_slot.eq(self.slot)
        for number, each in enumerate(self.answers):
            with m.If(answer == number):
                m.d.comb += [
                    self.decrypt.eq(each.decrypt),
                    self.tweak.eq(Const(int.from_bytes(each.tweak, "little"), len(self.tweak))),
                ]
        checks = Signal()
        differs = self.taken & (self.taken_index < words) & (self.taken_word != right)
        incomplete = self.message_ends & (self.message_wrong | (self.taken_index < words))
        with m.If(checks & (differs | incomplete)):
            m.d.sync += wrong.eq(1)
            with m.If(~wrong):
                m.d.sync += wrong_first.eq(answer)

        def cut_short():
            with m.If(self.clear):
                m.d.sync += again.eq(1)
                m.next = "clear"

        def commanded(command: int, running: str):
            m.d.comb += [self.command_start.eq(self.idle & ~self.clear), self.command.eq(command)]
            with m.If(self.command_start):
                m.next = running
            cut_short()

        with m.FSM() as fsm:
            waits = fsm.ongoing("idle") | fsm.ongoing("wait") | fsm.ongoing("clear")
            m.d.comb += [
                self.busy.eq(~fsm.ongoing("idle") | again),
                checks.eq(fsm.ongoing("sent")),
                self.holds.eq(~waits),
                self.request.eq(~fsm.ongoing("idle") & ~fsm.ongoing("clear")),
            ]
            with m.State("idle"):
                with m.If((self.start | again) & ~self.fails):
                    m.d.sync += [again.eq(0), self.done.eq(0), self.passed.eq(0), self.number.eq(0), wrong.eq(0)]
                    m.d.sync += [wrong_first.eq(0), answer.eq(0)]
                    m.next = "wait"
            with m.State("clear"):
                with m.If(~self.clear):
                    m.next = "idle"
            with m.State("wait"):
                with m.If(self.granted & ~self.clear):
                    m.next = "key"
            with m.State("key"):
                commanded(KeyCommand.LOAD_KAT, "load")
            with m.State("load"):
                with m.If(self.command_done):
                    with m.If(self.command_error == 0):
                        m.next = "send"
                    with m.Else():
                        m.d.sync += [self.done.eq(1), self.number.eq(NOT_RUN)]
                        m.d.comb += self.ends.eq(1)
                        m.next = "idle"
                cut_short()
            with m.State("send"):
                m.d.comb += self.send.eq(~self.clear)
                m.next = "sent"
                cut_short()
            with m.State("sent"):
                with m.If(self.message_ends):
                    m.d.sync += answer.eq(answer + 1)
                    m.next = "send"
                    with m.If(answer == len(self.answers) - 1):
                        m.next = "unload"
                cut_short()
            with m.State("unload"):
                commanded(KeyCommand.UNLOAD, "unloaded")
            with m.State("unloaded"):
                with m.If(self.command_done):
                    failed = wrong | (self.command_error != 0)
                    m.d.sync += [self.done.eq(1), self.passed.eq(~failed), self.number.eq(wrong_first)]
                    m.d.sync += self.fails.eq(failed)
                    m.d.comb += self.ends.eq(1)
                    m.next = "idle"
                cut_short()
        return m

    @staticmethod
    def _table(m: Module, name: str, parts: Sequence[bytes], answer: Value, index: Value) -> Value:
        """Word ``index`` of the part of ``answer``."""
        rows = [register_words(part) for part in parts]
        bits = max(1, (len(rows[0]) - 1).bit_length())
        image = [word for row in rows for word in (*row, *[0] * ((1 << bits) - len(row)))]
        depth = 1 << max(1, (len(image) - 1).bit_length())
        m.submodules[name] = table = memory.Memory(
            shape=REGISTER_BITS, depth=depth, init=image, attrs={"rom_style": "logic"}
        )
        port = table.read_port(domain="comb")
        m.d.comb += port.addr.eq(index[:bits] | (answer << bits))
        return port.data
