# SPDX-License-Identifier: Apache-2.0
"""The self-test: known answers under the constant key, in a slot that has no key."""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth import Const, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out, Signature

from wideblock.rtl.bus.engine_facts import NOT_RUN
from wideblock.rtl.bus.key_map import CommandError, KeyCommand
from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES, register_words

from .commands import TEST_COMMANDS

__all__ = ["SelfTest", "TestAnswer"]


_MOST_LOGIC = 64
"""Bytes of a message up to which tables are logic."""


@dataclass(frozen=True)
class TestAnswer:
    """A message of whole words of 4 bytes, its tweak and direction, and the right result under the constant key."""

    tweak: bytes
    given: bytes
    decrypt: bool
    right: bytes


class SelfTest(wiring.Component):
    """Plays ``answers`` in ``slot``: loads the constant key, sends each message, compares its result, unloads.

    start:    in, starts the test while it is not ``busy``
    clear:    in, core and engine clear themselves: the test ends, and begins again afterwards
    messages: out, messages of at most ``words`` words
    commands: out, load and unload of the constant key; ``commands.active``: the test uses the core
    busy:     out, the test is running or due
    finished: out, pulses as the test ends
    done:     out, the last test has ended
    passed:   out, the last test found no fault
    number:   out, number of the first wrong answer, or NOT_RUN if the slot had a key
    failed:   out, for good: an answer was wrong, or the unload failed

    Memories: tables of messages and right results; no other memory is used.

    Timing: as the passage's, a command before and one after the answers.
    Cost:   two tables of the answers' words in logic; of messages of more than 64 bytes one table of their distinct
            parts in block memory. A counter of answers.
    """

    def __init__(self, answers: Sequence[TestAnswer], messages: Signature, *, words: int, slot: int):
        partial = {len(part) % REGISTER_BYTES for a in answers for part in (a.given, a.right)}
        shapes = {(len(a.tweak), len(a.given), len(a.right)) for a in answers}
        if partial != {0} or len(shapes) != 1 or not 1 <= len(answers) < NOT_RUN:
            raise ValueError(f"answers must be whole words, all of one size, got {len(answers)} of {sorted(shapes)}")
        self.answers, self.slot = tuple(answers), slot
        ((_, self.size, _),) = shapes
        if self.size > REGISTER_BYTES * words:
            raise ValueError(f"answers must have at most {REGISTER_BYTES * words} bytes, got {self.size}")
        super().__init__(
            {
                **dict.fromkeys(("start", "clear"), In(1)),
                **dict.fromkeys(("busy", "finished", "done", "passed", "failed"), Out(1)),
                "number": Out(8),
                "messages": Out(messages),
                "commands": Out(TEST_COMMANDS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        run = _Run(len(self.answers))
        self._answers(m, run)
        states = {
            "idle": self._when_idle,
            "clear": self._when_cleared,
            "wait": self._when_waiting,
            "key": self._when_keyless,
            "load": self._when_loading,
            "send": self._when_sending,
            "sent": self._when_sent,
            "unload": self._when_unloading,
            "unloaded": self._when_unloaded,
        }
        with m.FSM(init="idle") as fsm:
            idle, wait, clear = (fsm.ongoing(name) for name in ("idle", "wait", "clear"))
            m.d.comb += [
                self.busy.eq(~idle | run.again),
                run.checking.eq(fsm.ongoing("sent")),
                self.commands.active.eq(~(idle | wait | clear)),
                self.messages.request.eq(~idle & ~clear),
            ]
            for name, state in states.items():
                with m.State(name):
                    state(m, run)
                    if name not in ("idle", "clear", "wait"):
                        with m.If(self.clear):
                            m.d.sync += run.again.eq(1)
                            m.next = "clear"
        return m

    def _answers(self, m: Module, run: "_Run") -> None:
        """The message of an answer, and the comparison with its result."""
        words, answer, messages = self.size // REGISTER_BYTES, run.answer, self.messages
        given, right = ([getattr(each, name) for each in self.answers] for name in ("given", "right"))
        if self.size > _MOST_LOGIC:
            expected = self._in_block_memory(m, given, right, answer)
        else:
            expected = self._table(m, "right", right, answer, messages.result_index)
            m.d.sync += messages.word.eq(self._table(m, "given", given, answer, messages.index))
        m.d.comb += [messages.size.eq(self.size), messages.slot.eq(self.slot), self.commands.slot.eq(self.slot)]
        for number, each in enumerate(self.answers):
            with m.If(answer == number):
                tweak = Const(int.from_bytes(each.tweak, "little"), len(messages.tweak))
                m.d.comb += [messages.decrypt.eq(each.decrypt), messages.tweak.eq(tweak)]
                m.d.comb += messages.tweak_size.eq(len(each.tweak))
        incomplete = messages.result_index < words
        differs = messages.taken & incomplete & (messages.result != expected)
        fails = messages.done & (messages.aborted | messages.fault | incomplete)
        with m.If(run.checking & (differs | fails)):
            m.d.sync += run.wrong.eq(1)
            with m.If(~run.wrong):
                m.d.sync += run.wrong_first.eq(answer)

    # States

    def _when_idle(self, m: Module, run: "_Run") -> None:
        with m.If((self.start | run.again) & ~self.failed):
            m.d.sync += [run.again.eq(0), self.done.eq(0), self.passed.eq(0), self.number.eq(0), run.wrong.eq(0)]
            m.d.sync += [run.wrong_first.eq(0), run.answer.eq(0)]
            m.next = "wait"

    def _when_cleared(self, m: Module, run: "_Run") -> None:
        with m.If(~self.clear):
            m.next = "idle"

    def _when_waiting(self, m: Module, run: "_Run") -> None:
        with m.If(self.messages.ready & ~self.clear):
            m.next = "key"

    def _when_keyless(self, m: Module, run: "_Run") -> None:
        self._command(m, KeyCommand.LOAD_KAT, "load")

    def _when_loading(self, m: Module, run: "_Run") -> None:
        with m.If(self.commands.done):
            with m.If(self.commands.error == CommandError.OK):
                m.next = "send"
            with m.Else():
                m.d.sync += [self.done.eq(1), self.number.eq(NOT_RUN)]
                m.d.comb += self.finished.eq(1)
                m.next = "idle"

    def _when_sending(self, m: Module, run: "_Run") -> None:
        m.d.comb += self.messages.send.eq(~self.clear)
        m.next = "sent"

    def _when_sent(self, m: Module, run: "_Run") -> None:
        with m.If(self.messages.done):
            m.d.sync += run.answer.eq(run.answer + 1)
            m.next = "send"
            with m.If(run.answer == len(self.answers) - 1):
                m.next = "unload"

    def _when_unloading(self, m: Module, run: "_Run") -> None:
        self._command(m, KeyCommand.UNLOAD, "unloaded")

    def _when_unloaded(self, m: Module, run: "_Run") -> None:
        with m.If(self.commands.done):
            failed = run.wrong | (self.commands.error != CommandError.OK)
            m.d.sync += [self.done.eq(1), self.passed.eq(~failed), self.number.eq(run.wrong_first)]
            m.d.sync += self.failed.eq(failed)
            m.d.comb += self.finished.eq(1)
            m.next = "idle"

    def _command(self, m: Module, command: KeyCommand, running: str) -> None:
        """Starts a command; the state is then ``running``."""
        commands = self.commands
        m.d.comb += [commands.start.eq(commands.idle & ~self.clear), commands.command.eq(command)]
        with m.If(commands.start):
            m.next = running

    def _in_block_memory(self, m: Module, given: Sequence[bytes], right: Sequence[bytes], answer: Value) -> Value:
        """Drives the message's word, and returns the right word of the result: both from one block memory."""
        parts = list(dict.fromkeys((*given, *right)))
        rows = [register_words(part) for part in parts]
        bits = (len(rows[0]) - 1).bit_length()
        image = [word for row in rows for word in (*row, *[0] * ((1 << bits) - len(row)))]
        m.submodules.answers = table = memory.Memory(
            shape=REGISTER_BITS, depth=len(image), init=image, attrs={"rom_style": "block"}
        )
        messages, ports = self.messages, [table.read_port(domain="sync") for _ in range(2)]
        after = messages.result_index + messages.taken  # the word after the one that is compared now
        for port, index, used in zip(ports, (messages.index, after), (given, right), strict=True):
            for number, part in enumerate(used):
                with m.If(answer == number):
                    m.d.comb += port.addr.eq(index[:bits] | parts.index(part) << bits)
        m.d.comb += messages.word.eq(ports[0].data)
        return ports[1].data

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


class _Run:
    """Registers of a test.

    answer:      number of the answer in hand
    checking:    its result is compared
    wrong:       an answer was wrong, the first of them ``wrong_first``
    again:       a clear met the test: it is due
    """

    def __init__(self, answers: int):
        self.answer = Signal(range(answers + 1))
        self.checking = Signal()
        self.wrong = Signal()
        self.wrong_first = Signal(8)
        self.again = Signal()
