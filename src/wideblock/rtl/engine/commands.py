# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Commands of the key registers: keys go from MEK into slots of a core, and slots are closed.

Every command reads the 32 words of the key registers once, a word a cycle. In this pass MEK is wiped, the halves of the
key are compared, and METD and AUX are checked. The cycles of a command depend on no word of the key: they show only
whether the halves are equal.
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, Signature

from wideblock.rtl.bus.axi_lite import register_access
from wideblock.rtl.bus.key_map import KAT_KEY, KEY_MAP, VERDICTS, CommandError, KeyCommand
from wideblock.rtl.bus.registers import REGISTER_BITS, register_words
from wideblock.rtl.stream.interface import Channel
from wideblock.rtl.stream.sector import SLOT_BITS

from .command_state import CommandRegisters, RunningCommand
from .key_memory import AUX_MODE, AUX_ROW, METD_END, METD_ROW, ROWS, KeyMemory
from .slots import KEY_CHANGE, OWN_SLOT

__all__ = ["NOWHERE", "POLICY", "TEST_COMMANDS", "KeyCommands"]

POLICY = {"replace": 1, "freeze_loads": 1, "freeze_unloads": 1}
"""Bits of the policy that commands obey."""

NOWHERE = Const(-1, SLOT_BITS)
"""A slot that no core has."""

TEST_COMMANDS = Signature(
    {
        "start": Out(1),
        "command": Out(4),
        "slot": Out(SLOT_BITS),
        "active": Out(1),
        "idle": In(1),
        "done": In(1),
        "error": In(4),
    }
)
"""Link of the self-test to commands. A command of the self-test uses and changes no key register.

start:  out, starts ``command`` for ``slot``; only while ``idle``
active: out, the self-test uses the core: a command of the registers waits
idle:   in, no command is running
done:   in, pulses as the command of the self-test ends, with ``error``
"""

_BEFORE, _AFTER = ROWS + 1, 1  # cycles of a command before and after what it does


class KeyCommands(wiring.Component):
    """Commands for a core with ``slots`` slots, whose keys come on ``channel`` in ``key_words`` words.

    bus:       in, accesses to the registers of :data:`~wideblock.rtl.bus.key_map.KEY_MAP`; the word of a read comes in
               the same cycle
    key:       out, keys and evictions for the core
    test:      in, commands of the self-test
    table:     out, the row of the command's slot
    change:    out, the command's slot while its key ends or begins
    closing:   out, the slot's key ends
    busy:      out, a command of the registers is running or waiting
    done:      out, pulses as such a command ends
    zeroize:   out, pulses as core and engine must clear themselves
    clear:     in, core and engine clear themselves
    clear_row: in, row of the key memory that becomes 0 while ``clear``
    ready:     in, commands are accepted
    failed:    in, the engine has failed
    replace, freeze_loads, freeze_unloads: in, bits of the policy

    The state of a slot is written before its key can be used, and cleared when the key is overwritten. A command that
    meets ``clear`` ends after it with error CLEARED, or with SELFTEST if ``failed``.

    Timing: :attr:`refusal`, :attr:`load`, :attr:`unload`, while the self-test does not use the core.
    Security: no output but ``key`` depends on a word of MEK, but for the result of the comparison of its halves.
    Source:   OCP L.O.C.K. 1.1 (RC4), "Encryption engine interface"; commands of the test and errors from 4 on are ours.
    """

    def __init__(self, *, slots: int, channel: Channel, key_words: int, differ: bool, clear_row_bits: int):
        fields = {field.name: field.width for field in channel.fields}
        self.slots, self.differ, self.key_words = slots, differ, key_words
        self.word_bits = fields["key"]
        self.words = key_words * self.word_bits // REGISTER_BITS
        if self.words not in (4, 8, 12, 16):
            raise ValueError(f"a key must be 16, 32, 48 or 64 bytes to be loaded by registers, got {4 * self.words}")
        self.memory = KeyMemory(words=self.words, clear_row_bits=clear_row_bits)
        super().__init__(
            {
                "bus": In(register_access(KEY_MAP.address_bits)),
                "key": Out(stream.Signature(channel.shape)),
                "test": In(TEST_COMMANDS),
                "table": Out(OWN_SLOT),
                "change": Out(KEY_CHANGE),
                **dict.fromkeys(("closing", "busy", "done", "zeroize"), Out(1)),
                **{name: In(width) for name, width in POLICY.items()},
                **dict.fromkeys(("ready", "failed", "clear"), In(1)),
                "clear_row": In(clear_row_bits),
            }
        )

    @property
    def refusal(self) -> int:
        """Cycles of a refused command: from a write of EXE that takes effect to DONE."""
        return _BEFORE + _AFTER

    def load(self, setup: int) -> int:
        """Cycles of a load into a core with that ``setup``; one cycle more for each message that ends meanwhile."""
        return _BEFORE + 1 + setup + 1

    def unload(self, eviction: int) -> int:
        """Cycles of an unload, at most, while the core's results are accepted; ``eviction`` as in the core's timing."""
        return _BEFORE + self.key_words + 2 + eviction + self.key_words + 3

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = words = self.memory
        run = RunningCommand(self.words, self.key_words)
        registers = CommandRegisters(m, self, run)
        m.d.comb += [
            self.busy.eq(registers.executing),
            self.done.eq((run.done & ~run.of_test) | registers.done),
            self.zeroize.eq(registers.zeroize),
            self.test.idle.eq(~run.running),
            self.test.done.eq(run.done & run.of_test),
            self.test.error.eq(run.result),
            self.table.new.eq(run.state),
            self.change.slot.eq(self.table.slot),
            self.change.put.eq(self.table.put),
            words.row.eq(run.row),
            words.wipe.eq(run.scanning & ~run.of_test),
            words.clear.eq(self.clear),
            words.clear_row.eq(self.clear_row),
            self.key.payload.key.eq(run.key[: self.word_bits]),
        ]
        self._start(m, run, registers)
        self._scan(m, run)
        self._judge(m, run)
        states = {
            "idle": self._when_idle,
            "scan": self._when_scanning,
            "check": self._when_checked,
            "evict": self._when_evicting,
            "finish": self._when_finishing,
            "free": self._when_free,
            "note": self._when_noted,
            "load": self._when_loading,
            "cleared": self._when_cleared,
        }
        with m.FSM(init="idle"):
            for name, state in states.items():
                with m.State(name):
                    state(m, run)
                    if name not in ("idle", "cleared"):  # where the core clears itself, nothing is left to do
                        with m.If(self.clear):
                            m.next = "cleared"
        with m.If(run.done | self.clear):  # after all others, so that it is the flip-flops' own reset
            m.d.sync += [run.key.eq(0), run.sent.eq(0)]
        return m

    def _start(self, m: Module, run: RunningCommand, registers: CommandRegisters) -> None:
        """Begin and end of a command of the registers or of the self-test."""
        begin, test = registers.begin, self.test
        m.d.comb += [
            begin.eq(registers.request & ~run.running & ~test.active & ~(registers.waiting & self.clear)),
            run.start.eq(begin | (test.start & test.idle)),
            run.zeroizes.eq(begin & (registers.command == KeyCommand.ZEROIZE)),
        ]
        with m.If(run.start):
            m.d.sync += [run.running.eq(1), run.of_test.eq(~begin), run.row.eq(0)]
            m.d.sync += [s.eq(0) for s in run.found]
            m.d.sync += run.command.eq(Mux(begin, registers.command, test.command))
            with m.If(~begin):
                m.d.sync += self.table.slot.eq(test.slot)
        with m.If(registers.overriding & run.running & ~run.of_test):
            m.d.sync += run.command.eq(KeyCommand.ZEROIZE)
        with m.If(run.done):
            m.d.sync += [run.running.eq(0), run.of_test.eq(0)]

    # States of a command

    def _when_idle(self, m: Module, run: RunningCommand) -> None:
        with m.If(run.start):
            m.next = "scan"
        with m.If(run.zeroizes):
            m.next = "cleared"

    def _when_scanning(self, m: Module, run: RunningCommand) -> None:
        m.d.comb += run.scanning.eq(1)
        m.d.sync += run.row.eq(run.row + 1)
        with m.If(run.row == ROWS - 1):
            m.next = "check"

    def _when_checked(self, m: Module, run: RunningCommand) -> None:
        m.d.sync += run.state.kat.eq(run.command == KeyCommand.LOAD_KAT)
        m.d.sync += run.state.loaded.eq(1)
        with m.If((run.verdict != CommandError.OK) & ~self.clear):
            m.d.comb += [run.done.eq(1), run.result.eq(run.verdict)]
            m.next = "idle"
        with m.Elif(run.loads & ~self.table.state.loaded):
            m.next = "note"
        with m.Else():
            m.next = "evict"

    def _when_evicting(self, m: Module, run: RunningCommand) -> None:
        m.d.comb += [self.closing.eq(1), self.change.active.eq(1)]
        with m.If(self._offered(m, run, evict=1, to=self.table.slot)):
            m.next = "finish"

    def _when_finishing(self, m: Module, run: RunningCommand) -> None:
        """An eviction for no slot is accepted when the one before has ended."""
        m.d.comb += [self.closing.eq(1), self.change.active.eq(1)]
        with m.If(self._offered(m, run, evict=1, to=NOWHERE)):
            m.next = "free"

    def _when_free(self, m: Module, run: RunningCommand) -> None:
        m.d.comb += [self.closing.eq(1), self.change.active.eq(1), self.table.write.eq(1), self.table.new.eq(0)]
        with m.If(self.table.ready):
            with m.If(run.loads):
                m.next = "note"
            with m.Else():
                m.d.comb += run.done.eq(1)
                m.next = "idle"

    def _when_noted(self, m: Module, run: RunningCommand) -> None:
        m.d.comb += [self.change.active.eq(1), self.table.write.eq(1)]
        with m.If(self.table.ready):
            m.next = "load"

    def _when_loading(self, m: Module, run: RunningCommand) -> None:
        m.d.comb += self.change.active.eq(1)
        with m.If(self._offered(m, run, evict=0, to=self.table.slot)):
            m.d.comb += run.done.eq(1)
            m.next = "idle"

    def _when_cleared(self, m: Module, run: RunningCommand) -> None:
        m.d.comb += run.result.eq(self.after_clear(run.command))
        with m.If(~self.clear | self.failed):
            m.d.comb += run.done.eq(1)
            m.next = "idle"

    def _offered(self, m: Module, run: RunningCommand, *, evict: int, to: Value) -> Value:
        """Offers a command to the core, word for word. Returns whether it was accepted."""
        last = run.sent == self.key_words - 1
        m.d.comb += [self.key.valid.eq(1), self.key.payload.slot.eq(to), self.key.payload.evict.eq(evict)]
        if self.key_words > 1:
            m.d.comb += self.key.payload.last.eq(last)
        with m.If(self.key.ready):
            m.d.sync += run.sent.eq(Mux(last, 0, run.sent + 1))
            if not evict and self.key_words > 1:
                m.d.sync += run.key.eq(run.key >> self.word_bits)
        return self.key.ready & last

    def after_clear(self, command: Value) -> Value:
        """The result of a command that met ``clear``."""
        whole = Mux(command == KeyCommand.ZEROIZE, CommandError.OK, CommandError.CLEARED)
        return Mux(self.failed, CommandError.SELFTEST, whole)

    # Parts of a command

    def _scan(self, m: Module, run: RunningCommand) -> None:
        """The pass over the words: collects the key, compares its halves, and checks METD and AUX."""
        words, row, key, state = self.memory, run.row, run.key, run.state
        kat, loads = run.command == KeyCommand.LOAD_KAT, run.command != KeyCommand.UNLOAD
        constant = Signal(REGISTER_BITS)
        for number, given in enumerate(register_words(KAT_KEY)[: self.words]):
            with m.If(row[:4] == number):
                m.d.comb += constant.eq(given)
        word = Signal(REGISTER_BITS)
        m.d.comb += word.eq(words.word & ~run.of_test.replicate(REGISTER_BITS))
        of_key, of_metd, of_aux = row < self.words, (row >= METD_ROW) & (row < METD_END), row >= AUX_ROW
        needed = (of_key & (run.command == KeyCommand.LOAD)) | of_metd | (of_aux & loads)
        with m.If(run.scanning):
            m.d.sync += run.missing.eq(run.missing | (needed & ~words.whole & ~run.of_test))
            with m.If(of_key):
                m.d.sync += key.eq(Cat(key[REGISTER_BITS:], Mux(kat, constant, word)))
            with m.If(row < self.words // 2):
                m.d.sync += run.differs.eq(run.differs | (words.word != words.across) | kat)
            with m.If(row < 4):
                m.d.sync += run.differs_near.eq(run.differs_near | (words.word != words.near) | kat)
            with m.If((row == METD_ROW) & ~run.of_test):
                m.d.sync += [self.table.slot.eq(word[:SLOT_BITS]), run.wrong_metd.eq(word[SLOT_BITS:].any())]
            with m.Elif(of_metd):
                m.d.sync += run.wrong_metd.eq(run.wrong_metd | word.any())
            with m.If(row == AUX_MODE):
                m.d.sync += [
                    state.no_encrypt.eq(word[0]),
                    state.no_decrypt.eq(word[1]),
                    state.locked.eq(word[2]),
                    run.wrong_aux.eq(run.wrong_aux | word[3:].any()),
                ]
            with m.Elif(of_aux):
                m.d.sync += run.wrong_aux.eq(run.wrong_aux | word.any())

    def _judge(self, m: Module, run: RunningCommand) -> None:
        """The error with which a command ends at once, the first in the order of ``COMMAND_ERRORS``, or OK."""
        loads, state, verdict = run.loads, self.table.state, run.verdict
        ends_one = state.loaded & (~loads | self.replace)
        rules = {
            CommandError.COMMAND: ~loads & (run.command != KeyCommand.UNLOAD),
            CommandError.INCOMPLETE: run.missing,
            CommandError.METD: run.wrong_metd,
            CommandError.NO_SLOT: ~self.table.exists,
            CommandError.AUX: loads & run.wrong_aux,
            CommandError.NOT_LOADED: ~loads & ~state.loaded,
            CommandError.LOADED: loads & state.loaded & (~self.replace | run.of_test),
            CommandError.LOCKED: ~run.of_test
            & ((loads & self.freeze_loads) | (ends_one & (self.freeze_unloads | state.locked))),
            CommandError.EQUAL_HALVES: loads & (~run.differs | ~run.differs_near) if self.differ else Const(0),
        }
        m.d.comb += verdict.eq(CommandError.OK)
        for error in reversed(VERDICTS):
            with m.If(rules[error]):
                m.d.comb += verdict.eq(error)
