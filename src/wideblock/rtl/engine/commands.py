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

from wideblock.rtl.bus.key_map import COMMAND, ERRORS, KAT_KEY, KEY_MAP
from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES, register_words
from wideblock.rtl.stream.interface import Channel
from wideblock.rtl.stream.sector import SLOT_BITS

from .key_memory import AUX_MODE, AUX_ROW, METD_ROW, ROWS, KeyMemory
from .slots import STATE

__all__ = ["POLICY", "KeyCommands"]

LOAD, UNLOAD, ZEROIZE, LOAD_KAT = COMMAND.values()
OK, COMMAND, NO_SLOT, NOT_LOADED, LOADED, METD, EQUAL_HALVES, AUX, LOCKED, SELFTEST = (e.value for e in ERRORS)

POLICY = {"replace": 1, "freeze_loads": 1, "freeze_unloads": 1}
"""Bits of the policy that commands obey."""

NOWHERE = Const(-1, SLOT_BITS)
"""A slot that no core has."""

_CTRL = KEY_MAP.offset("CTRL") // REGISTER_BYTES
_BEFORE, _AFTER = ROWS + 1, 1  # cycles of a command before and after what it does


class KeyCommands(wiring.Component):
    """Commands for a core with ``slots`` slots, whose keys come on ``channel`` in ``key_words`` words.

    The bus of :data:`~wideblock.rtl.bus.key_map.KEY_MAP` gives ``write``, ``address``, ``data`` and ``strobe``, and
    takes ``read`` of ``read_address`` in the same cycle. ``key`` goes to the core. ``own`` starts command
    ``own_command`` for slot ``own_slot`` while none runs, for the self-test: it changes no register but MEK, and ends
    with ``own_done`` and ``error``.

    With each command the state of its ``slot`` is ``state`` if it ``exists``; ``write`` of ``new`` waits for
    ``table_ready``. The state of a slot is written before its key can be used, and cleared when the key is overwritten.
    ``closing`` while a slot ends.

    ``rests`` says that no command runs; ``busy`` that one of the registers does. ``ends`` pulses as one ends.
    ``zeroize`` pulses for a command; ``clear`` is high while core and engine clear themselves. A command that is under
    way then ends with error NOT_LOADED, and with SELFTEST if ``failed``. ``ready`` is RDY.

    Timing: :attr:`refused`, :attr:`load`, :attr:`unload`.
    Security: no output but ``key`` depends on a word of MEK, but for the result of the comparison of its halves.
    Source:   OCP L.O.C.K. 1.1 (RC4), "Encryption engine interface"; for ``own`` and errors from 4 on: ours.
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
                "read_address": In(KEY_MAP.address_bits - 2),
                "read": Out(REGISTER_BITS),
                "key": Out(stream.Signature(channel.shape)),
                "own": In(1),
                "own_command": In(4),
                "own_slot": In(SLOT_BITS),
                "own_done": Out(1),
                "error": Out(4),
                "slot": Out(SLOT_BITS),
                "exists": In(1),
                "state": In(STATE),
                "new": Out(STATE),
                "table_write": Out(1),
                "table_ready": In(1),
                "closing": Out(1),
                **{name: In(width) for name, width in POLICY.items()},
                **dict.fromkeys(("ready", "failed", "clear"), In(1)),
                "clear_row": In(clear_row_bits),
                **dict.fromkeys(("rests", "busy", "ends", "zeroize"), Out(1)),
            }
        )

    @property
    def refused(self) -> int:
        """Cycles from a write of EXE that takes effect to DONE, of a command that is refused."""
        return _BEFORE + _AFTER

    def load(self, setup: int) -> int:
        """The same of a load, into a core with that ``setup``; a cycle more for each message that ends beside it."""
        return _BEFORE + 1 + setup + 1

    def unload(self, eviction: int) -> int:
        """The same of an unload, at most, into a core with that ``eviction``, while results are taken."""
        return _BEFORE + self.key_words + 2 + eviction + self.key_words + 3

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = words = self.memory
        key = Signal(self.words * REGISTER_BITS)
        command = Signal(4)
        error = Signal(4)
        done = Signal()
        running = Signal()
        own = Signal()
        differs = Signal()
        differs_near = Signal()
        wrong_metd = Signal()
        wrong_aux = Signal()
        state = Signal(STATE)
        row = Signal(range(ROWS))
        sent = Signal(range(max(2, self.key_words)))
        verdict = Signal(4)
        ends = Signal()
        result = Signal(4)
        scanning = Signal()
        start = Signal()
        registers = _Registers(m, self, done, running, own, command, error)
        kat = command == LOAD_KAT
        loads = (command == LOAD) | kat
        m.d.comb += [
            start.eq(registers.start | (self.own & self.rests)),
            self.rests.eq(~running),
            self.busy.eq(running & ~own),
            self.error.eq(result),
            self.ends.eq(ends & ~own),
            self.own_done.eq(ends & own),
            self.new.eq(state),
            words.row.eq(row),
            words.wipe.eq(scanning),
            words.clear.eq(self.clear),
            words.clear_row.eq(self.clear_row),
            self.key.payload.key.eq(key[: self.word_bits]),
        ]
        with m.If(start):
            m.d.sync += [running.eq(1), own.eq(~registers.start), row.eq(0)]
            m.d.sync += [s.eq(0) for s in (differs, differs_near, wrong_metd, wrong_aux, state)]
            m.d.sync += command.eq(Mux(registers.start, registers.command, self.own_command))
            with m.If(~registers.start):
                m.d.sync += self.slot.eq(self.own_slot)
        with m.If(ends):
            m.d.sync += [running.eq(0), own.eq(0)]
            with m.If(own):
                m.d.sync += command.eq(0)
            with m.Else():
                m.d.sync += [done.eq(1), error.eq(result)]
        self._scan(m, scanning, row, kat, own, key, differs, differs_near, wrong_metd, wrong_aux, state)
        self._judge(m, verdict, command, own, ~differs | ~differs_near, wrong_metd, wrong_aux)

        def offered(*, evict: int, to: Value) -> Value:
            """Offers a command to the core, word for word; whether it was accepted."""
            last = sent == self.key_words - 1
            m.d.comb += [self.key.valid.eq(1), self.key.payload.slot.eq(to), self.key.payload.evict.eq(evict)]
            if self.key_words > 1:
                m.d.comb += self.key.payload.last.eq(last)
            with m.If(self.key.ready):
                m.d.sync += sent.eq(Mux(last, 0, sent + 1))
                if not evict and self.key_words > 1:
                    m.d.sync += key.eq(key >> self.word_bits)
            return self.key.ready & last

        def cut_short():
            """Where the core clears itself, nothing is left to do."""
            with m.If(self.clear):
                m.next = "lost"

        with m.FSM():
            with m.State("idle"):
                with m.If(start):
                    m.next = "scan"
                with m.If(registers.start & (registers.command == ZEROIZE)):
                    m.d.comb += self.zeroize.eq(1)
                    m.next = "zeroize"
            with m.State("scan"):
                m.d.comb += scanning.eq(1)
                m.d.sync += row.eq(row + 1)
                with m.If(row == ROWS - 1):
                    m.next = "check"
                cut_short()
            with m.State("check"):
                m.d.sync += state.kat.eq(kat)
                m.d.sync += state.loaded.eq(1)
                with m.If((verdict != OK) & ~self.clear):
                    m.d.comb += [ends.eq(1), result.eq(verdict)]
                    m.next = "idle"
                with m.Elif(loads & ~self.state.loaded):
                    m.next = "note"
                with m.Else():
                    m.next = "evict"
                cut_short()
            with m.State("evict"):
                m.d.comb += self.closing.eq(1)
                with m.If(offered(evict=1, to=self.slot)):
                    m.next = "finish"
                cut_short()
            with m.State("finish"):  # an eviction for no slot is accepted when the one before has ended
                m.d.comb += self.closing.eq(1)
                with m.If(offered(evict=1, to=NOWHERE)):
                    m.next = "free"
                cut_short()
            with m.State("free"):
                m.d.comb += [self.closing.eq(1), self.table_write.eq(1), self.new.eq(0)]
                with m.If(self.table_ready):
                    with m.If(loads):
                        m.next = "note"
                    with m.Else():
                        m.d.comb += ends.eq(1)
                        m.next = "idle"
                cut_short()
            with m.State("note"):
                m.d.comb += self.table_write.eq(1)
                with m.If(self.table_ready):
                    m.next = "load"
                cut_short()
            with m.State("load"):
                with m.If(offered(evict=0, to=self.slot)):
                    m.d.comb += ends.eq(1)
                    m.next = "idle"
                cut_short()
            with m.State("zeroize"):
                m.next = "clearing"
            with m.State("clearing"):
                m.d.comb += result.eq(Mux(self.failed, SELFTEST, OK))
                with m.If(~self.clear | self.failed):
                    m.d.comb += ends.eq(1)
                    m.next = "idle"
            with m.State("lost"):
                m.d.comb += result.eq(Mux(self.failed, SELFTEST, NOT_LOADED))
                with m.If(~self.clear | self.failed):
                    m.d.comb += ends.eq(1)
                    m.next = "idle"
        with m.If(ends | self.clear):  # after all others, so that it is the flip-flops' own reset
            m.d.sync += [key.eq(0), sent.eq(0)]
        return m

    def _scan(self, m, scanning, row, kat, own, key, differs, differs_near, wrong_metd, wrong_aux, state) -> None:
        """The pass over the words: collects the key, compares its halves, and checks METD and AUX."""
        words = self.memory
        constant = Signal(REGISTER_BITS)
        for number, given in enumerate(register_words(KAT_KEY)[: self.words]):
            with m.If(row[:4] == number):
                m.d.comb += constant.eq(given)
        word = Signal(REGISTER_BITS)
        m.d.comb += word.eq(words.word & ~own.replicate(REGISTER_BITS))
        unlike, unlike_near = words.word != words.across, words.word != words.near
        with m.If(scanning):
            with m.If(row < self.words):
                m.d.sync += key.eq(Cat(key[REGISTER_BITS:], Mux(kat, constant, words.word)))
            with m.If(row < self.words // 2):
                m.d.sync += differs.eq(differs | unlike | kat)
            with m.If(row < 4):
                m.d.sync += differs_near.eq(differs_near | unlike_near | kat)
            with m.If((row == METD_ROW) & ~own):
                m.d.sync += [self.slot.eq(word[:SLOT_BITS]), wrong_metd.eq(word[SLOT_BITS:].any())]
            with m.If((row > METD_ROW) & (row < METD_ROW + 5)):
                m.d.sync += wrong_metd.eq(wrong_metd | word.any())
            with m.If(row == AUX_MODE):
                m.d.sync += [
                    state.no_encrypt.eq(word[0]),
                    state.no_decrypt.eq(word[1]),
                    state.locked.eq(word[2]),
                    wrong_aux.eq(wrong_aux | word[3:].any()),
                ]
            with m.Elif(row >= AUX_ROW):
                m.d.sync += wrong_aux.eq(wrong_aux | word.any())

    def _judge(self, m, verdict, command, own, equal, wrong_metd, wrong_aux) -> None:
        """The error with which a command ends at once, the first in this order, or OK."""
        loads = (command == LOAD) | (command == LOAD_KAT)
        ends_one = self.state.loaded & (~loads | self.replace)
        rules = (
            (~loads & (command != UNLOAD), COMMAND),
            (wrong_metd, METD),
            (~self.exists, NO_SLOT),
            (loads & wrong_aux, AUX),
            (~loads & ~self.state.loaded, NOT_LOADED),
            (loads & self.state.loaded & (~self.replace | own), LOADED),
            (loads & self.freeze_loads & ~own, LOCKED),
            (ends_one & (self.freeze_unloads | self.state.locked) & ~own, LOCKED),
            *([(loads & equal, EQUAL_HALVES)] if self.differ else []),
        )
        m.d.comb += verdict.eq(OK)
        for wrong, error in reversed(rules):
            with m.If(wrong):
                m.d.comb += verdict.eq(error)


class _Registers:
    """CTRL, and what the bus sees of METD and AUX; ``start`` pulses with ``command`` as one starts."""

    def __init__(self, m: Module, of: KeyCommands, done: Signal, running: Signal, own: Signal, command, error):
        words = of.memory
        executes = running & ~own
        written = of.write & (of.address == _CTRL) & of.strobe[0]
        self.start, self.command = Signal(name="start_of_registers"), of.data[2:6]
        shown = Signal(4, name="command_shown")
        ends = Signal(name="done_cleared")
        m.d.comb += [
            ends.eq(written & of.data[1] & ~executes),
            self.start.eq(written & of.data[0] & ~of.data[1] & of.ready & ~running & ~done),
            words.write.eq(of.write & (of.address < ROWS) & ~running & ~of.clear),
            words.address.eq(of.address),
            words.data.eq(of.data),
            words.strobe.eq(of.strobe),
            words.read_address.eq(of.read_address),
            words.forget.eq(ends & done),
        ]
        with m.If(written & ~of.data[0] & ~of.data[1] & ~executes & ~done):
            m.d.sync += shown.eq(self.command)
        with m.If(self.start):
            m.d.sync += shown.eq(self.command)
        with m.If(ends):
            m.d.sync += [done.eq(0), error.eq(0), shown.eq(0)]
        control = Cat(executes, done, shown, Const(0, 10), error, Const(0, 11), of.ready)
        with m.If(of.read_address == _CTRL):
            m.d.comb += of.read.eq(control)
        with m.Elif((of.read_address >= METD_ROW) & (of.read_address < ROWS)):
            m.d.comb += of.read.eq(words.read)
