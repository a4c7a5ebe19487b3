# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Commands of the key registers: keys go from MEK into slots of a core, and slots are closed.

A command reads the 32 words of the key registers once, a word a cycle, whatever it is: in that pass MEK is wiped, the
halves of the key are compared, and METD and AUX are checked. So the cycles of a command tell nothing of the key but
that its halves are equal.
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.key_map import KAT_KEY, KEY_MAP, VERDICTS, CommandError, KeyCommand
from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES, register_words
from wideblock.rtl.stream.interface import Channel
from wideblock.rtl.stream.sector import SLOT_BITS

from .key_memory import AUX_MODE, AUX_ROW, METD_END, METD_ROW, ROWS, KeyMemory
from .slots import STATE

__all__ = ["NOWHERE", "POLICY", "KeyCommands"]

POLICY = {"replace": 1, "freeze_loads": 1, "freeze_unloads": 1}
"""Bits of the policy that commands obey."""

NOWHERE = Const(-1, SLOT_BITS)
"""A slot that no core has."""

_CTRL = KEY_MAP.offset("CTRL") // REGISTER_BYTES
_BEFORE, _AFTER = ROWS + 1, 1  # cycles of a command before and after what it does


class KeyCommands(wiring.Component):
    """Commands for a core with ``slots`` slots, whose keys come on ``channel`` in ``key_words`` words.

    write:       in, a write of the bus to word ``address`` of :data:`~wideblock.rtl.bus.key_map.KEY_MAP`, with ``data``
                 and ``strobe``
    refused:     out, the write changes nothing; its response is SLVERR
    read:        out, word ``read_address``, in the same cycle
    key:         out, keys and evictions for the core
    test_start:  in, starts ``test_command`` for slot ``test_slot`` while ``idle``, for the self-test; such a command
                 uses and changes no key register
    test_done:   out, pulses as it ends, with ``error``
    held:        in, the self-test holds the core: a command of the registers waits
    slot:        out, slot of the command; ``exists`` and ``state``: in, that slot's
    table_write: out, the slot's state becomes ``new``; waits for ``table_ready``
    closing:     out, the slot's key ends
    changing:    out, the slot's key ends or begins: the slot may be named from the next cycle on
    idle:        out, no command is running
    busy:        out, a command of the registers is running or waiting; ``ends``: pulses with its end
    zeroize:     out, pulses as core and engine must clear themselves
    clear:       in, core and engine clear themselves; with row ``clear_row``
    ready:       in, commands are accepted; ``failed``: in, the engine has failed

    The state of a slot is written before its key can be used, and cleared when the key is overwritten. A command that
    meets ``clear`` ends after it with error CLEARED, or with SELFTEST if ``failed``.

    Timing: :attr:`refusal`, :attr:`load`, :attr:`unload`, while the self-test does not hold the core.
    Security: no output but ``key`` depends on a word of MEK, but for the result of the comparison of its halves.
    Source:   OCP L.O.C.K. 1.1 (RC4), "Encryption engine interface"; commands of the test and errors from 4 on are ours.
    """

    def __init__(self, *, slots: int, channel: Channel, key_words: int, differ: bool, clear_row_bits: int):
        fields = {field.name: field.width for field in channel.fields}
        self.slots, self.differ, self.key_words = slots, differ, key_words
        self.word_bits = fields["key"]
        self.words = key_words * self.word_bits // REGISTER_BITS
        if self.words not in (8, 16):
            raise ValueError(f"a key must be 256 or 512 bits to be loaded by registers, got {32 * self.words}")
        self.memory = KeyMemory(words=self.words, clear_row_bits=clear_row_bits)
        super().__init__(
            {
                "write": In(1),
                "address": In(KEY_MAP.address_bits - 2),
                "data": In(REGISTER_BITS),
                "strobe": In(REGISTER_BYTES),
                "refused": Out(1),
                "read_address": In(KEY_MAP.address_bits - 2),
                "read": Out(REGISTER_BITS),
                "key": Out(stream.Signature(channel.shape)),
                "test_start": In(1),
                "test_command": In(4),
                "test_slot": In(SLOT_BITS),
                "test_done": Out(1),
                "held": In(1),
                "error": Out(4),
                "slot": Out(SLOT_BITS),
                "exists": In(1),
                "state": In(STATE),
                "new": Out(STATE),
                "table_write": Out(1),
                "table_ready": In(1),
                **dict.fromkeys(("closing", "changing"), Out(1)),
                **{name: In(width) for name, width in POLICY.items()},
                **dict.fromkeys(("ready", "failed", "clear"), In(1)),
                "clear_row": In(clear_row_bits),
                **dict.fromkeys(("idle", "busy", "ends", "zeroize"), Out(1)),
            }
        )

    @property
    def refusal(self) -> int:
        """Cycles of a refused command: from a write of EXE that takes effect to DONE."""
        return _BEFORE + _AFTER

    def load(self, setup: int) -> int:
        """Cycles of a load into a core with that ``setup``; one more for each message that ends meanwhile."""
        return _BEFORE + 1 + setup + 1

    def unload(self, eviction: int) -> int:
        """Cycles of an unload, at most, of a core with that ``eviction``, while its results are accepted."""
        return _BEFORE + self.key_words + 2 + eviction + self.key_words + 3

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = words = self.memory
        run = _Command(self.words)
        running = Signal()
        sent = Signal(range(max(2, self.key_words)))
        verdict = Signal(4)
        ends = Signal()
        result = Signal(4)
        scanning = Signal()
        start = Signal()
        registers = _Registers(m, self, running & ~run.of_test, ends & ~run.of_test, result)
        begin = registers.begin
        kat = run.command == KeyCommand.LOAD_KAT
        loads = (run.command == KeyCommand.LOAD) | kat
        m.d.comb += [
            begin.eq(registers.request & ~running & ~self.held & ~(registers.waiting & self.clear)),
            start.eq(begin | (self.test_start & self.idle)),
            self.idle.eq(~running),
            self.busy.eq(registers.executes),
            self.error.eq(result),
            self.ends.eq((ends & ~run.of_test) | registers.ends),
            self.test_done.eq(ends & run.of_test),
            self.new.eq(run.state),
            self.zeroize.eq(registers.zeroize),
            words.row.eq(run.row),
            words.wipe.eq(scanning & ~run.of_test),
            words.clear.eq(self.clear),
            words.clear_row.eq(self.clear_row),
            self.key.payload.key.eq(run.key[: self.word_bits]),
        ]
        with m.If(start):
            m.d.sync += [running.eq(1), run.of_test.eq(~begin), run.row.eq(0)]
            m.d.sync += [s.eq(0) for s in run.found]
            m.d.sync += run.command.eq(Mux(begin, registers.command, self.test_command))
            with m.If(~begin):
                m.d.sync += self.slot.eq(self.test_slot)
        with m.If(registers.overrides & running & ~run.of_test):
            m.d.sync += run.command.eq(KeyCommand.ZEROIZE)
        with m.If(ends):
            m.d.sync += [running.eq(0), run.of_test.eq(0)]
        self._scan(m, scanning, run)
        self._judge(m, verdict, run)

        def offered(*, evict: int, to: Value) -> Value:
            """Offers a command to the core, word for word; whether it was accepted."""
            last = sent == self.key_words - 1
            m.d.comb += [self.key.valid.eq(1), self.key.payload.slot.eq(to), self.key.payload.evict.eq(evict)]
            if self.key_words > 1:
                m.d.comb += self.key.payload.last.eq(last)
            with m.If(self.key.ready):
                m.d.sync += sent.eq(Mux(last, 0, sent + 1))
                if not evict and self.key_words > 1:
                    m.d.sync += run.key.eq(run.key >> self.word_bits)
            return self.key.ready & last

        def cut_short():
            """Where the core clears itself, nothing is left to do."""
            with m.If(self.clear):
                m.next = "cleared"

        with m.FSM():
            with m.State("idle"):
                with m.If(start):
                    m.next = "scan"
                with m.If(begin & (registers.command == KeyCommand.ZEROIZE)):
                    m.next = "cleared"
            with m.State("scan"):
                m.d.comb += scanning.eq(1)
                m.d.sync += run.row.eq(run.row + 1)
                with m.If(run.row == ROWS - 1):
                    m.next = "check"
                cut_short()
            with m.State("check"):
                m.d.sync += run.state.kat.eq(kat)
                m.d.sync += run.state.loaded.eq(1)
                with m.If((verdict != CommandError.OK) & ~self.clear):
                    m.d.comb += [ends.eq(1), result.eq(verdict)]
                    m.next = "idle"
                with m.Elif(loads & ~self.state.loaded):
                    m.next = "note"
                with m.Else():
                    m.next = "evict"
                cut_short()
            with m.State("evict"):
                m.d.comb += [self.closing.eq(1), self.changing.eq(1)]
                with m.If(offered(evict=1, to=self.slot)):
                    m.next = "finish"
                cut_short()
            with m.State("finish"):  # an eviction for no slot is accepted when the one before has ended
                m.d.comb += [self.closing.eq(1), self.changing.eq(1)]
                with m.If(offered(evict=1, to=NOWHERE)):
                    m.next = "free"
                cut_short()
            with m.State("free"):
                m.d.comb += [self.closing.eq(1), self.changing.eq(1), self.table_write.eq(1), self.new.eq(0)]
                with m.If(self.table_ready):
                    with m.If(loads):
                        m.next = "note"
                    with m.Else():
                        m.d.comb += ends.eq(1)
                        m.next = "idle"
                cut_short()
            with m.State("note"):
                m.d.comb += [self.changing.eq(1), self.table_write.eq(1)]
                with m.If(self.table_ready):
                    m.next = "load"
                cut_short()
            with m.State("load"):
                m.d.comb += self.changing.eq(1)
                with m.If(offered(evict=0, to=self.slot)):
                    m.d.comb += ends.eq(1)
                    m.next = "idle"
                cut_short()
            with m.State("cleared"):
                m.d.comb += result.eq(self.after_clear(run.command))
                with m.If(~self.clear | self.failed):
                    m.d.comb += ends.eq(1)
                    m.next = "idle"
        with m.If(ends | self.clear):  # after all others, so that it is the flip-flops' own reset
            m.d.sync += [run.key.eq(0), sent.eq(0)]
        return m

    def after_clear(self, command: Value) -> Value:
        """The result of a command that met ``clear``."""
        whole = Mux(command == KeyCommand.ZEROIZE, CommandError.OK, CommandError.CLEARED)
        return Mux(self.failed, CommandError.SELFTEST, whole)

    def _scan(self, m: Module, scanning: Value, run: "_Command") -> None:
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
        with m.If(scanning):
            m.d.sync += run.missing.eq(run.missing | (needed & ~words.whole & ~run.of_test))
            with m.If(of_key):
                m.d.sync += key.eq(Cat(key[REGISTER_BITS:], Mux(kat, constant, word)))
            with m.If(row < self.words // 2):
                m.d.sync += run.differs.eq(run.differs | (words.word != words.across) | kat)
            with m.If(row < 4):
                m.d.sync += run.differs_near.eq(run.differs_near | (words.word != words.near) | kat)
            with m.If((row == METD_ROW) & ~run.of_test):
                m.d.sync += [self.slot.eq(word[:SLOT_BITS]), run.wrong_metd.eq(word[SLOT_BITS:].any())]
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

    def _judge(self, m: Module, verdict: Signal, run: "_Command") -> None:
        """The error with which a command ends at once, the first in the order of ``COMMAND_ERRORS``, or OK."""
        loads = (run.command == KeyCommand.LOAD) | (run.command == KeyCommand.LOAD_KAT)
        ends_one = self.state.loaded & (~loads | self.replace)
        rules = {
            CommandError.COMMAND: ~loads & (run.command != KeyCommand.UNLOAD),
            CommandError.INCOMPLETE: run.missing,
            CommandError.METD: run.wrong_metd,
            CommandError.NO_SLOT: ~self.exists,
            CommandError.AUX: loads & run.wrong_aux,
            CommandError.NOT_LOADED: ~loads & ~self.state.loaded,
            CommandError.LOADED: loads & self.state.loaded & (~self.replace | run.of_test),
            CommandError.LOCKED: ~run.of_test
            & ((loads & self.freeze_loads) | (ends_one & (self.freeze_unloads | self.state.locked))),
            CommandError.EQUAL_HALVES: loads & (~run.differs | ~run.differs_near) if self.differ else Const(0),
        }
        m.d.comb += verdict.eq(CommandError.OK)
        for error in reversed(VERDICTS):
            with m.If(rules[error]):
                m.d.comb += verdict.eq(error)


class _Command:
    """The command that runs, and what the pass over the words finds of it.

    of_test:      it is the self-test's
    row:          of the pass; ``key`` and ``state`` are collected in it
    differs:      the halves of the key do; ``differs_near``: a word of the key's first four and one four words on
    missing:      a word that it needs was not wholly written
    wrong_metd, wrong_aux: METD or AUX has a value that is not defined
    """

    def __init__(self, words: int):
        self.command = Signal(4)
        self.of_test = Signal()
        self.row = Signal(range(ROWS))
        self.key = Signal(words * REGISTER_BITS)
        self.differs = Signal()
        self.differs_near = Signal()
        self.missing = Signal()
        self.wrong_metd = Signal()
        self.wrong_aux = Signal()
        self.state = Signal(STATE)

    @property
    def found(self) -> tuple[Value, ...]:
        """Registers that the pass sets."""
        flags = self.differs, self.differs_near, self.missing, self.wrong_metd, self.wrong_aux
        return *flags, self.state.as_value()


class _Registers:
    """CTRL, and what the bus sees of METD and AUX.

    executes:  EXE: a command of the registers is ``running``, or ``waiting`` for the self-test
    request:   a command is to start, ``command``; it waits until ``begin``, which the caller drives
    overrides: ZEROIZE was written while another command executes: pulses
    zeroize:   ZEROIZE was written and takes effect: pulses
    ends:      a command has ended that never began: pulses. RDY was 0 as EXE was written, or a clear met it waiting

    ``ended`` of a running command gives DONE and its ``result``.
    """

    def __init__(self, m: Module, of: KeyCommands, running: Value, ended: Value, result: Value):
        words = of.memory
        done, error, shown = Signal(name="done"), Signal(4, name="error"), Signal(4, name="command_shown")
        names = ("executes", "request", "begin", "waiting", "overrides", "zeroize", "ends")
        self.executes, self.request, self.begin, self.waiting, self.overrides, self.zeroize, self.ends = (
            Signal(name=f"registers_{name}") for name in names
        )
        self.command = Signal(4, name="command_requested")
        control = of.write & (of.address == _CTRL) & of.strobe[0]
        execute, finish, given = of.data[0], of.data[1], of.data[2:6]
        finishes, starts = Signal(name="done_cleared"), Signal(name="command_starts")
        caught, dropped = Signal(name="waiting_caught"), Signal(name="waiting_dropped")
        of_words = of.write & (of.address < ROWS)
        free = ~self.executes & ~of.clear
        m.d.comb += [
            self.executes.eq(running | self.waiting),
            finishes.eq(control & finish & ~self.executes),
            starts.eq(control & execute & ~finish & ~self.executes & ~done),
            dropped.eq(self.waiting & caught & (~of.clear | of.failed)),
            self.overrides.eq(
                control & execute & ~finish & (given == KeyCommand.ZEROIZE) & self.executes & ~ended & ~dropped
            ),
            self.zeroize.eq((starts & of.ready & (given == KeyCommand.ZEROIZE)) | self.overrides),
            self.request.eq((starts & of.ready) | (self.waiting & ~caught)),
            self.command.eq(Mux(starts | self.overrides, given, shown)),
            self.ends.eq((starts & ~of.ready) | dropped),
            of.refused.eq((of_words & ~free) | (control & Mux(self.executes, ~self.overrides, done & ~finish))),
            words.write.eq(of_words & free),
            words.address.eq(of.address),
            words.data.eq(of.data),
            words.strobe.eq(of.strobe),
            words.read_address.eq(of.read_address),
            words.forget.eq(finishes & done),
        ]
        m.d.sync += [
            self.waiting.eq((self.request | caught) & ~self.begin & ~dropped),
            caught.eq(self.waiting & ~dropped & ~self.begin & (caught | of.clear)),
        ]
        with m.If((control & ~finish & ~self.executes & ~done) | self.overrides):
            m.d.sync += shown.eq(given)
        with m.If(ended):
            m.d.sync += [done.eq(1), error.eq(result)]
        with m.If(self.ends):
            m.d.sync += [done.eq(1), error.eq(Mux(dropped, of.after_clear(shown), CommandError.BUSY))]
        with m.If(finishes):
            m.d.sync += [done.eq(0), error.eq(0), shown.eq(0)]
        control_word = Cat(self.executes, done, shown, Const(0, 10), error, Const(0, 11), of.ready)
        with m.If(of.read_address == _CTRL):
            m.d.comb += of.read.eq(control_word)
        with m.Elif((of.read_address >= METD_ROW) & (of.read_address < ROWS)):
            m.d.comb += of.read.eq(words.read)
