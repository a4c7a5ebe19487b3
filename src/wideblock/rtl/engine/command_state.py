# SPDX-License-Identifier: Apache-2.0
"""State of the commands of the key registers: the running command, and the register CTRL."""

from typing import TYPE_CHECKING

from amaranth import Cat, Const, Module, Mux, Signal, Value

from wideblock.rtl.bus.key_map import KEY_MAP, CommandError, KeyCommand
from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES

from .key_memory import METD_ROW, ROWS
from .slots import STATE

if TYPE_CHECKING:
    from .commands import KeyCommands

__all__ = ["CommandRegisters", "RunningCommand"]

_CTRL = KEY_MAP.offset("CTRL") // REGISTER_BYTES


class RunningCommand:
    """The running command, and the findings of the pass over the words.

    command:      its number
    start:        pulses as a command begins; with ``zeroizes`` if nothing but a clear is to be waited for
    running:      a command is running
    of_test:      the command is the self-test's
    done:         pulses as the command ends, with ``result``
    sent:         words of the key that the core has accepted
    scanning:     the pass over the words reads ``row``, and collects ``key`` and ``state``
    differs:      the halves of the key differ
    differs_near: a word of the key's first four differs from the word four further on
    missing:      a word that the command needs was not wholly written
    wrong_metd, wrong_aux: METD or AUX has a value that is not defined
    verdict:      error of the command by all of these
    """

    def __init__(self, words: int, key_words: int):
        self.command = Signal(4)
        self.start = Signal()
        self.zeroizes = Signal()
        self.running = Signal()
        self.of_test = Signal()
        self.done = Signal(name="command_done")
        self.result = Signal(4)
        self.sent = Signal(range(max(2, key_words)))
        self.scanning = Signal()
        self.row = Signal(range(ROWS))
        self.key = Signal(words * REGISTER_BITS)
        self.differs = Signal()
        self.differs_near = Signal()
        self.missing = Signal()
        self.wrong_metd = Signal()
        self.wrong_aux = Signal()
        self.state = Signal(STATE)
        self.verdict = Signal(4)

    @property
    def loads(self) -> Value:
        """Whether the command loads a key."""
        return (self.command == KeyCommand.LOAD) | (self.command == KeyCommand.LOAD_KAT)

    @property
    def found(self) -> tuple[Value, ...]:
        """Registers that the pass sets."""
        flags = self.differs, self.differs_near, self.missing, self.wrong_metd, self.wrong_aux
        return *flags, self.state.as_value()


class CommandRegisters:
    """CTRL, and what the bus sees of METD and AUX.

    executing:  EXE: a command of the registers is running, or ``waiting`` for the self-test
    request:    a command is to start, ``command``; it waits until ``begin``, which the caller drives
    overriding: pulses: ZEROIZE was written while another command executes
    zeroize:    pulses: ZEROIZE was written and takes effect
    done:       pulses: a command has ended that never began. RDY was 0 as EXE was written, or a clear met it waiting

    The end of a running command gives DONE and its result.
    """

    def __init__(self, m: Module, of: "KeyCommands", run: RunningCommand):
        words, bus = of.memory, of.bus
        running, ended = run.running & ~run.of_test, run.done & ~run.of_test
        done, error, shown = Signal(name="done_shown"), Signal(4, name="error_shown"), Signal(4, name="command_shown")
        names = ("executing", "request", "begin", "waiting", "overriding", "zeroize", "done")
        self.executing, self.request, self.begin, self.waiting, self.overriding, self.zeroize, self.done = (
            Signal(name=f"registers_{name}") for name in names
        )
        self.command = Signal(4, name="command_requested")
        control = bus.write & (bus.write_address == _CTRL) & bus.write_strobe[0]
        execute, finish, given = bus.write_data[0], bus.write_data[1], bus.write_data[2:6]
        finishes, starts = Signal(name="done_cleared"), Signal(name="command_starts")
        caught, dropped = Signal(name="waiting_caught"), Signal(name="waiting_dropped")
        of_words = bus.write & (bus.write_address < ROWS)
        free = ~self.executing & ~of.clear
        m.d.comb += [
            self.executing.eq(running | self.waiting),
            finishes.eq(control & finish & ~self.executing),
            starts.eq(control & execute & ~finish & ~self.executing & ~done),
            dropped.eq(self.waiting & caught & (~of.clear | of.failed)),
            self.overriding.eq(
                control & execute & ~finish & (given == KeyCommand.ZEROIZE) & self.executing & ~ended & ~dropped
            ),
            self.zeroize.eq((starts & of.ready & (given == KeyCommand.ZEROIZE)) | self.overriding),
            self.request.eq((starts & of.ready) | (self.waiting & ~caught)),
            self.command.eq(Mux(starts | self.overriding, given, shown)),
            self.done.eq((starts & ~of.ready) | dropped),
            bus.refused.eq((of_words & ~free) | (control & Mux(self.executing, ~self.overriding, done & ~finish))),
            words.write.eq(of_words & free),
            words.address.eq(bus.write_address),
            words.data.eq(bus.write_data),
            words.strobe.eq(bus.write_strobe),
            words.read_address.eq(bus.read_address),
            words.forget.eq(finishes & done),
        ]
        m.d.sync += [
            self.waiting.eq((self.request | caught) & ~self.begin & ~dropped),
            caught.eq(self.waiting & ~dropped & ~self.begin & (caught | of.clear)),
        ]
        with m.If((control & ~finish & ~self.executing & ~done) | self.overriding):
            m.d.sync += shown.eq(given)
        with m.If(ended):
            m.d.sync += [done.eq(1), error.eq(run.result)]
        with m.If(self.done):
            m.d.sync += [done.eq(1), error.eq(Mux(dropped, of.after_clear(shown), CommandError.BUSY))]
        with m.If(finishes):
            m.d.sync += [done.eq(0), error.eq(0), shown.eq(0)]
        control_word = Cat(self.executing, done, shown, Const(0, 10), error, Const(0, 11), of.ready)
        with m.If(bus.read_address == _CTRL):
            m.d.comb += bus.read_data.eq(control_word)
        with m.Elif((bus.read_address >= METD_ROW) & (bus.read_address < ROWS)):
            m.d.comb += bus.read_data.eq(words.read)
