# SPDX-License-Identifier: Apache-2.0
"""The side of an engine that all firmware reaches: registers wired to the parts that they show and start."""

from dataclasses import dataclass

from amaranth import Cat, Module, Mux, Signal, Value

from wideblock.rtl.bus.axi_lite import AxiLite, between
from wideblock.rtl.bus.registers import REGISTER_BYTES, RegisterMap

from .commands import POLICY, KeyCommands
from .faults import FaultLog
from .gate import StreamGate
from .passage import Passage
from .register_file import RegisterFile
from .selftest import SelfTest
from .slots import SlotTable
from .window import Window

__all__ = ["FREEZABLE", "OUTSIDE", "Firmware"]

_IN, _OUT, _TWEAK = OUTSIDE = ("WINDOW_DATA_IN", "WINDOW_DATA_OUT", "WINDOW_TWEAK")
"""Registers that the window answers."""

_REQUEST = "WINDOW_REQUEST"

FREEZABLE = ("LIMIT_LO", "LIMIT_HI", "WARN_LO", "WARN_HI")
"""Registers that POLICY.FREEZE_LIMITS holds."""


@dataclass(frozen=True)
class Firmware:
    """``bus`` and ``file`` of the registers ``map``, and the parts behind the registers."""

    map: RegisterMap
    bus: AxiLite
    file: RegisterFile
    gate: StreamGate
    commands: KeyCommands
    table: SlotTable
    passage: Passage
    window: Window
    selftest: SelfTest
    log: FaultLog

    def connect(self, m: Module, *, ready: Value, failed: Value, clear: Value, zeroize: Value, power_up: bool) -> Value:
        """Wires the parts in ``m``. Returns the interrupt.

        ready, failed, clear: state of the engine
        zeroize:              it begins to clear itself
        power_up:             whether the self-test runs after each reset
        """
        self._test(m, failed, clear, power_up)
        self._window(m, failed, clear)
        self._reads(m)
        events = self._events(m, failed, clear)
        self._values(m, ready, failed, clear)
        file, table, log = self.file, self.table, self.log
        silent = self.selftest.commands.active | self.passage.aborting
        m.d.comb += [
            file.frozen.eq(file.policy_freeze_limits),
            log.faults.eq(self.gate.access.faults & ~silent.replicate(len(log.faults))),
            log.slot.eq(self.gate.slot),
            log.wipe.eq(file.fault_clear_clear | zeroize),
            table.shown.eq(file.slot_select_slot),
            table.limit.eq(Cat(file.limit_lo_blocks, file.limit_hi_blocks)),
            table.warn.eq(Cat(file.warn_lo_blocks, file.warn_hi_blocks)),
            *(getattr(self.commands, name).eq(getattr(file, f"policy_{name}")) for name in POLICY),
            *(getattr(file, f"set_irq_status_{name}").eq(event) for name, event in events.items()),
        ]
        pending = [getattr(file, f"irq_status_{name}") & getattr(file, f"irq_enable_{name}") for name in events]
        return Cat(pending).any()

    def _events(self, m: Module, failed: Value, clear: Value) -> dict[str, Value]:
        """Pulses of the interrupt's causes."""
        cleared = Signal(name="was_clear")
        was_failed = Signal()
        m.d.sync += [cleared.eq(clear), was_failed.eq(failed)]
        return {
            "command": self.commands.done,
            "fault": self.log.faults.any(),
            "warn": self.table.warn_reached,
            "limit": self.table.limit_reached,
            "window": self.window.finished,
            "selftest": self.selftest.finished,
            "cleared": cleared & ~clear,
            "fatal": failed & ~was_failed,
        }

    def _values(self, m: Module, ready: Value, failed: Value, clear: Value) -> None:
        """Fields that show the state of the parts."""
        file, test, window, first = self.file, self.selftest, self.window, self.log.first
        values = {
            "status_ready": ready,
            "status_clearing": clear,
            "status_command": self.commands.busy,
            "status_window": window.busy,
            "status_selftest": test.busy,
            "status_approved": test.passed & ~self.table.any_kat & ~failed,
            "status_fatal": failed,
            "selftest_busy": test.busy,
            "selftest_done": test.done,
            "selftest_passed": test.passed,
            "selftest_failed": test.number,
            "first_fault_slot": first.slot,
            "first_fault_cause": first.cause,
            "first_fault_valid": first.valid,
            "window_status_busy": window.busy,
            "window_status_done": window.done,
            "window_status_fault": window.error,
            "window_status_cause": window.cause,
            **{f"fault_count{bit}_count": self.log.counts[bit] for bit in range(self.log.causes)},
        }
        m.d.comb += [getattr(file, name).eq(value) for name, value in values.items()]

    def _test(self, m: Module, failed: Value, clear: Value, power_up: bool) -> None:
        """The self-test, after each reset if it is to run then."""
        pending = Signal(init=power_up)
        m.d.sync += pending.eq(0)
        m.d.comb += [
            self.selftest.start.eq((self.file.selftest_start | pending) & ~failed),
            self.selftest.clear.eq(clear),
        ]

    def _window(self, m: Module, failed: Value, clear: Value) -> None:
        """The window; stops writes that window, self-test or clearing forbid."""
        window, bus, file, test = self.window, self.bus.access, self.file, self.selftest
        place = {name: self.map.offset(name) // REGISTER_BYTES for name in (_IN, _OUT, _TWEAK)}
        into, tweak = self._within(bus.write_address, _IN), self._within(bus.write_address, _TWEAK)
        locked, starts = Signal(name="window_locked"), Signal(name="window_starts")
        m.d.comb += [
            locked.eq(window.busy | starts | clear),
            file.stop.eq(
                ((into | tweak) & locked)
                | (self._starts(_REQUEST) & (window.busy | starts))
                | (self._starts("SELFTEST") & (test.busy | failed))
                | self._within(bus.write_address, _OUT)
            ),
            window.write.eq(bus.write & (into | tweak) & ~locked),
            window.tweak.eq(tweak),
            window.index.eq(bus.write_address - Mux(tweak, place[_TWEAK], place[_IN])),
            window.data.eq(bus.write_data),
            window.strobe.eq(bus.write_strobe),
            window.size.eq(file.window_size_bytes),
            window.slot.eq(file.window_request_slot),
            window.decrypt.eq(file.window_request_decrypt),
            window.result_index.eq(bus.read_address - place[_OUT]),
            window.start.eq(starts),
            window.disabled.eq(file.policy_close_window),
        ]
        if len(window.tweak_size):
            m.d.comb += window.tweak_size.eq(file.window_tweak_size_bytes)
        # a cycle after the write, which may have set slot and direction
        m.d.sync += starts.eq(file.window_request_start)

    def _starts(self, name: str) -> Value:
        """Whether a write has a 1 in bit START of a register."""
        field = self.map.register(name).field("START")
        bus = self.bus.access
        here = bus.write_address == self.map.offset(name) // REGISTER_BYTES
        return here & bus.write_data[field.low] & bus.write_strobe[field.low // 8]

    def _within(self, address: Value, name: str) -> Value:
        """Whether an address in words is one of a register."""
        register = self.map.register(name)
        return between(address, register.offset, register.end)

    def _reads(self, m: Module) -> None:
        """Words of reads outside of the file, a cycle after the read, and the fields of the selected slot."""
        file, bus, table = self.file, self.bus.access, self.table
        low = len(file.slot_blocks_lo_blocks)
        high = Signal(len(file.slot_blocks_hi_blocks), name="blocks_high")
        of_result = Signal()
        of_tweak = Signal(32)
        shown = table.shown_state
        with m.If(bus.read & (bus.read_address == self.map.offset("SLOT_BLOCKS_LO") // REGISTER_BYTES)):
            m.d.sync += high.eq(table.shown_blocks[low:])
        m.d.sync += of_result.eq(bus.read & self._within(bus.read_address, _OUT))
        m.d.sync += of_tweak.eq(0)
        first = self.map.offset(_TWEAK) // REGISTER_BYTES
        for number in range(self.window.tweak_words):
            with m.If(bus.read & (bus.read_address == first + number)):
                m.d.sync += of_tweak.eq(self.window.messages.tweak.word_select(number, 32))
        m.d.comb += [
            file.outside_data[0].eq(of_tweak),
            file.outside_data[1].eq(self.window.result & of_result.replicate(32)),
            file.slot_blocks_lo_blocks.eq(table.shown_blocks[:low]),
            file.slot_blocks_hi_blocks.eq(high),
            *(
                getattr(file, f"slot_state_{name}").eq(getattr(shown, name))
                for name in ("loaded", "kat", "locked", "no_encrypt", "no_decrypt")
            ),
            file.slot_state_closing.eq(self.commands.closing & (table.own.slot == table.shown)),
            file.slot_state_warned.eq(table.shown_marks.warned),
            file.slot_state_exhausted.eq(table.shown_marks.spent),
        ]
