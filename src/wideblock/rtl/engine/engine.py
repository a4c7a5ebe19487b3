# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The engine around a core with slots: keys come through registers, and each message is held to its slot's limits.

    s_axi_key -> KeyCommands --key--> core <- i <- user's stream, or the window's, between two messages
    s_axi     -> RegisterFile, Window, SelfTest    o -> user's stream, or the window

Nothing here knows the core but by its ports and its contract. A message that is refused goes to the core under the
number of a slot that no core has, so that the core itself drops it whole.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out, connect, flipped

from wideblock.rtl.bus.axi_lite import AXI_LITE, AxiLite, axi_lite_channels, between
from wideblock.rtl.bus.engine_map import MOST_WINDOW_BYTES, EngineFacts, engine_map
from wideblock.rtl.bus.key_map import KEY_MAP
from wideblock.rtl.bus.registers import REGISTER_BYTES
from wideblock.rtl.stream.behaviour import Behaviour, Cause, Fault, KeyRule, LengthRule
from wideblock.rtl.stream.influence import FieldInfluence, Influence, OutcomeInfluence
from wideblock.rtl.stream.interface import Control, Interface
from wideblock.rtl.stream.stages import power_of_two

from .commands import NOWHERE, POLICY, KeyCommands
from .faults import FaultLog
from .key_memory import ROWS
from .register_file import RegisterFile
from .selftest import SelfTest, TestAnswer
from .slots import SlotTable
from .timing import EngineTiming
from .window import Window

__all__ = ["SlotEngine"]

FORBIDDEN = Fault(Cause.FORBIDDEN, "a unit named a slot whose key is not for it: of known answers, or not this way")
EXHAUSTED = Fault(Cause.LIMIT, "a unit named a slot whose key has processed as many blocks as it may")

_OF_KEYS = (Cause.KEY, Cause.KEY_WORDS, Cause.KEY_SLOT)
"""Causes that only a user of the core's own key port can see."""

_IN, _OUT, _TWEAK = "WINDOW_DATA_IN", "WINDOW_DATA_OUT", "WINDOW_TWEAK"
_MARGIN = 8  # cycles beyond the slowest message after which the core is empty


class SlotEngine(wiring.Component):
    """``core`` behind registers: key commands, limits of slots, log of faults, interrupts, window and self-test.

    core:     any core whose messages name a slot, and whose keys come on ``key`` with ``slot`` and ``evict``
    scheme:   name of its scheme, as registers show it
    answers:  of the self-test, under the constant key, for each direction of the core
    power_up: whether the self-test runs after each reset, before anything else

    The streams ``i`` and ``o`` are the core's own, and cost no cycle. Two slaves of AXI4-Lite take the place of
    ``key``: ``key_aw`` and the rest reach :data:`~wideblock.rtl.bus.key_map.KEY_MAP` alone, ``aw`` and the rest the
    other of :attr:`registers`. ``irq`` is a level. ``zeroize`` is the core's, and may be a level, too.

    A failed self-test, or damage of a stored key, ends in a state that only a reset leaves: the core clears itself
    without end, so that nothing enters or leaves, and no command is accepted.

    Timing: see ``timing``.
    Paths:  from the slot of a message to the core's entrance, by the table of slots; none combinational between
            streams.
    """

    def __init__(self, core: Any, *, scheme: str, answers: Sequence[TestAnswer], power_up: bool = True):
        self.core, self.parameters, self.power_up = core, core.parameters, power_up
        into, out, key = (core.interface.channel(name) for name in ("i", "o", "key"))
        fields = {field.name: field.width for field in into.fields}
        if "slot" not in fields or key.field("evict") is None:
            raise ValueError(f"{type(core).__name__} has no slots; registers need slots")
        p, behaviour = core.parameters, core.behaviour
        self.directions = behaviour.directions
        self.cores_faults = [fault for fault in behaviour.faults if fault.cause not in _OF_KEYS]
        self.faults = (*self.cores_faults, FORBIDDEN, EXHAUSTED)
        bit = {fault.cause: number for number, fault in enumerate(self.faults)}
        length: LengthRule = behaviour.length
        self.window_bytes = min(behaviour.usual, MOST_WINDOW_BYTES) // 16 * 16
        facts = EngineFacts(
            scheme=scheme,
            slots=p.slots,
            key_bits=p.key_bits,
            lanes=p.lanes,
            sector_bytes=behaviour.usual,
            directions=behaviour.directions,
            tweak_bytes=fields.get("tweak", 0) // 8,
            window_bytes=self.window_bytes,
            faults=self.faults,
            shortest=length.least,
        )
        self.map = engine_map(facts)
        beat_words = fields["data"] // 32
        rows = max(ROWS, power_of_two(p.slots), power_of_two(-(-self.window_bytes // (4 * beat_words)) * beat_words))
        self.rows, row_bits = rows, (rows - 1).bit_length()
        quiet = _slowest(behaviour) + _MARGIN
        self.bus = AxiLite(self.map)
        self.key_bus = AxiLite(KEY_MAP, latency=0)
        self.commands = KeyCommands(
            slots=p.slots,
            channel=key,
            key_words=core.timing.key_words,
            differ=behaviour.keys is KeyRule.HALVES_DIFFER,
            clear_row_bits=row_bits,
        )
        self.block_bits = (length.most // 16).bit_length() + 1
        self.table = SlotTable(slots=p.slots, clear_row_bits=row_bits, block_bits=self.block_bits)
        self.window = Window(
            into=into,
            out=out,
            most=self.window_bytes,
            quiet=quiet,
            faults=len(self.faults),
            too_short=bit[Cause.SHORT],
            too_long=bit[Cause.LONG],
            clear_row_bits=row_bits,
        )
        index_bits = len(self.window.index)
        self.selftest = SelfTest(answers, slot=p.slots - 1, index_bits=index_bits, result_bits=32)
        self.log = FaultLog(causes=len(self.faults))
        self.file = RegisterFile(
            self.map,
            outside=(_IN, _OUT, _TWEAK),
            freezable=("LIMIT_LO", "LIMIT_HI", "WARN_LO", "WARN_HI"),
        )
        self.timing = self._timing(quiet)
        self.interface = self._interface()
        self.behaviour = replace(
            behaviour,
            faults=self.faults,
            timing=self.timing,
            influences=self._influences(),
            loaded=REGISTER_BYTES * self.commands.words,
        )
        super().__init__(self.interface.members())

    @property
    def registers(self):
        """The maps of both slaves, that of the keys first."""
        return KEY_MAP, self.map

    def _timing(self, quiet: int) -> EngineTiming:
        t, commands, test = self.core.timing, self.commands, self.selftest
        load, unload = commands.load(t.setup), commands.unload(t.eviction)
        zeroize = max(t.zeroize, self.rows + 1)
        beats = -(-self.window_bytes // (4 * self.window.beat_words))
        window = self.window.cycles(t.busy, beats)
        answer_beats = -(-test.words // self.window.beat_words)
        answer = (
            test.tweak_words
            + 3 * test.words
            + 8
            + self.window.cycles(t.busy + self.core.behaviour.length.late, answer_beats)
        )
        return EngineTiming.of(
            t,
            zeroize=zeroize,
            load=load,
            refused=commands.refused,
            unload=unload,
            window=window,
            selftest=zeroize + load + unload + 8 + len(test.answers) * answer,
        )

    def _influences(self) -> tuple[Influence, ...]:
        """Inputs that may matter to handshakes and status: those of the core, and commands and registers.

        Words of a key are among those of the bus; that they matter to nothing but by the comparison of its halves is
        another rule, ``keys``.
        """
        own = (each for each in self.core.behaviour.influences if getattr(each, "channel", "") != "key")
        found: list[Influence] = [_inside(each) for each in own]
        if not any(getattr(each, "field", "") == "decrypt" for each in found):
            found.append(FieldInfluence("i", "decrypt", "a unit in a direction that is not its key's is refused"))
        for prefix, why in (
            ("key_", "commands are public; for words of a key see rule keys"),
            ("", "registers are public"),
        ):
            fields = (("aw", "addr"), ("w", "data"), ("w", "strb"), ("ar", "addr"))
            found += [FieldInfluence(f"{prefix}{channel}", field, why) for channel, field in fields]
        return (*found, OutcomeInfluence("selftest.wrong", "result of the self-test", "a wrong one stops the engine"))

    def _interface(self) -> Interface:
        own = self.core.interface
        causes = ", ".join(f"bit {bit}: {fault.meaning}" for bit, fault in enumerate(self.faults))
        changed = {
            "ready": Control("ready", Out, 1, "keys and sectors are accepted", pulse=False),
            "fault": Control(
                "fault", Out, len(self.faults), f"one-cycle pulse when a message is refused; {causes}", pulse=True
            ),
        }
        return Interface(
            (
                *(channel for channel in own.channels if channel.name != "key"),
                *axi_lite_channels("key", KEY_MAP.address_bits),
                *axi_lite_channels("", self.map.address_bits),
            ),
            (
                *(changed.get(control.name, control) for control in own.controls),
                Control("irq", Out, 1, "an event that is enabled has happened and was not cleared", pulse=False),
            ),
        )

    # Hardware

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self.core
        for name in ("bus", "key_bus", "commands", "table", "window", "selftest", "log", "file"):
            m.submodules[name] = getattr(self, name)
        failed = Signal()
        clear = Signal()
        row = Signal(range(self.rows), name="clear_row")
        zeroize = Signal(name="zeroize_any")
        self._clear(m, failed, zeroize, clear, row)
        faults = self._stream(m, failed, clear)
        self._keys(m, failed, clear, row)
        self._test(m, failed, clear)
        self._window(m, clear, row)
        self._registers(m, faults, failed, clear, zeroize)
        damage = [core.fault[n] for n, f in enumerate(core.behaviour.faults) if f.cause is Cause.DAMAGE]
        with m.If(Cat(damage).any() | self.selftest.fails):
            m.d.sync += failed.eq(1)
        return m

    def _clear(self, m: Module, failed: Value, zeroize: Value, clear: Value, row: Signal) -> None:
        """Clearing of core and engine together: the row of all memories, until both have ended."""
        walking = Signal(init=1)
        m.d.comb += [
            zeroize.eq(self.zeroize | self.commands.zeroize | self.file.zeroize_start),
            self.core.zeroize.eq(zeroize | failed),
            clear.eq(walking | ~self.core.ready),
            self.ready.eq(~clear & ~failed),
        ]
        m.d.sync += row.eq(Mux(walking & ~zeroize, row + 1, 0))
        with m.If(row == self.rows - 1):
            m.d.sync += walking.eq(0)
        with m.If(zeroize | failed):
            m.d.sync += walking.eq(1)

    def _stream(self, m: Module, failed: Value, clear: Value) -> Value:
        """Messages of the user or of the window to the core and back. Returns the faults of both, by their bits."""
        core, window, table = self.core, self.window, self.table
        into = Signal.like(core.i.payload, name="into")
        begun = Signal()  # a message
        held = Signal()  # the user's stream
        taken = Signal()
        opens = Signal()
        forbidden = Signal()
        refused = Signal()
        m.d.comb += [
            held.eq((window.wants & ~begun) | clear | failed),
            into.eq(Mux(window.owns, window.i.payload, self.i.payload)),
            core.i.payload.eq(into),
            core.i.payload.slot.eq(Mux(refused, NOWHERE, into.slot)),
            core.i.valid.eq(Mux(window.owns, window.i.valid & ~clear, self.i.valid & ~held)),
            window.i.ready.eq(core.i.ready & ~clear),
            self.i.ready.eq(core.i.ready & ~held & ~window.owns),
            taken.eq(core.i.valid & core.i.ready),
            opens.eq(taken & ~begun),
            table.asked.eq(into.slot),
            forbidden.eq(
                (table.state.kat & ~window.owns) | Mux(into.decrypt, table.state.no_decrypt, table.state.no_encrypt)
            ),
            refused.eq(forbidden | table.marks.spent),
            window.begun.eq(begun),
            window.moves.eq(core.o.valid | taken),
            self.o.valid.eq(core.o.valid & ~window.owns & ~clear),
            self.o.payload.eq(core.o.payload.as_value() & ~window.owns.replicate(len(core.o.payload.as_value()))),
            window.o.valid.eq(core.o.valid & window.owns),
            window.o.payload.eq(core.o.payload),
            core.o.ready.eq(Mux(window.owns, window.o.ready, self.o.ready)),
            self.computed.eq(core.computed & ~window.owns),
        ]
        with m.If(taken):
            m.d.sync += begun.eq(~into.last)
        slot, why = self._count(m, into, taken, opens, refused, forbidden)
        return self._faults(m, slot, why)

    def _count(self, m: Module, into: Any, taken: Value, opens: Value, refused: Value, forbidden: Value):
        """Blocks of each message. Returns the slot of the last one, and why it was refused: forbidden, exhausted."""
        table = self.table
        slot = Signal.like(into.slot, name="slot_of_message")
        why = Signal(2, name="refused_because")
        admitted = Signal()
        counted = Signal(name="counted_message")
        before = Signal(self.block_bits)
        blocks = Signal(self.block_bits, name="blocks_so_far")
        width = len(into.data) // 128
        beat = sum((into.keep[16 * k] for k in range(1, width)), into.keep[0]) if self._keeps else width
        m.d.comb += [
            counted.eq(Mux(opens, table.state.loaded & ~refused, admitted)),
            blocks.eq(Mux(opens, 0, before) + beat),
            table.count.eq(taken & into.last & counted),
            table.counted.eq(Mux(opens, into.slot, slot)),
            table.blocks.eq(blocks),
        ]
        with m.If(taken):
            m.d.sync += [admitted.eq(counted), before.eq(Mux(blocks[-1], before, blocks))]
        with m.If(opens):
            m.d.sync += [slot.eq(into.slot), why.eq(Cat(forbidden, refused & ~forbidden))]
        return slot, why

    @property
    def _keeps(self) -> bool:
        return self.core.interface.channel("i").field("keep") is not None

    def _faults(self, m: Module, slot: Value, why: Value) -> Value:
        """Faults of the core by the bits of the engine, with the engine's own cause where that refused the message."""
        pulses = [self.core.fault[n] for n, f in enumerate(self.core.behaviour.faults) if f.cause not in _OF_KEYS]
        faults = Signal(len(self.faults), name="faults")
        place = [fault.cause for fault in self.cores_faults].index(Cause.SLOT)
        unknown = pulses[place]
        pulses[place] = unknown & (why == 0)
        m.d.comb += [
            faults.eq(Cat(*pulses, unknown & why[0], unknown & why[1])),
            self.fault.eq(faults & ~self.window.owns.replicate(len(faults))),
            self.window.faults.eq(faults),
            self.log.faults.eq(faults & ~self.selftest.takes.replicate(len(faults))),
            self.log.slot.eq(slot),
        ]
        return faults

    def _keys(self, m: Module, failed: Value, clear: Value, row: Value) -> None:
        """Commands between their bus, the core and the table of slots."""
        core, commands, table, bus, test = self.core, self.commands, self.table, self.key_bus, self.selftest
        self._bus(m, bus, "key_")
        m.d.comb += [
            bus.clear.eq(clear),
            commands.write.eq(bus.write),
            commands.address.eq(bus.write_address),
            commands.data.eq(bus.write_data),
            commands.strobe.eq(bus.write_strobe),
            commands.read_address.eq(bus.read_address),
            bus.read_data.eq(commands.read),
            core.key.valid.eq(commands.key.valid),
            core.key.payload.eq(commands.key.payload),
            commands.key.ready.eq(core.key.ready),
            commands.exists.eq(table.exists),
            commands.state.eq(table.own_state),
            commands.table_ready.eq(table.ready),
            commands.ready.eq(~clear & ~failed & ~test.busy),
            commands.failed.eq(failed),
            commands.clear.eq(clear),
            commands.clear_row.eq(row),
            commands.own.eq(test.command_start),
            commands.own_command.eq(test.command),
            commands.own_slot.eq(test.command_slot),
            *(getattr(commands, name).eq(getattr(self.file, f"policy_{name}")) for name in POLICY),
            table.own.eq(commands.slot),
            table.new.eq(commands.new),
            table.write.eq(commands.table_write),
            table.clear.eq(clear),
            table.clear_row.eq(row),
        ]

    def _bus(self, m: Module, bus: AxiLite, prefix: str) -> None:
        """The five channels of a slave at the engine's ports."""
        for name in AXI_LITE:
            outer, inner = flipped(getattr(self, prefix + name)), getattr(bus, name)
            connect(m, outer, inner)

    def _test(self, m: Module, failed: Value, clear: Value) -> None:
        """The self-test, after each reset if it is to run then."""
        test, commands, window = self.selftest, self.commands, self.window
        pending = Signal(init=self.power_up)
        m.d.sync += pending.eq(0)
        m.d.comb += [
            test.start.eq((self.file.selftest_start | pending) & ~failed),
            test.rests.eq(commands.rests),
            test.window_busy.eq(window.busy),
            test.window_ends.eq(window.ends),
            test.window_wrong.eq(window.wrong),
            test.command_done.eq(commands.own_done),
            test.command_error.eq(commands.error),
            test.result.eq(window.result),
            test.clear.eq(clear),
        ]

    def _window(self, m: Module, clear: Value, row: Value) -> None:
        """The window, which the self-test has for itself while it runs."""
        test, window, bus, file = self.selftest, self.window, self.bus, self.file
        closed = file.policy_close_window | test.busy
        place = {name: self.map.offset(name) // REGISTER_BYTES for name in (_IN, _OUT, _TWEAK)}
        into, tweak = self._within(bus.write_address, _IN), self._within(bus.write_address, _TWEAK)
        m.d.comb += [
            window.clear.eq(clear),
            window.clear_row.eq(row),
            window.drop.eq(test.ends),
            window.size.eq(Mux(test.takes, test.size, file.window_size_bytes)),
            window.slot.eq(Mux(test.takes, test.command_slot, file.window_request_slot)),
            window.decrypt.eq(Mux(test.takes, test.decrypt, file.window_request_decrypt)),
            window.result_index.eq(Mux(test.takes, test.result_index, bus.read_address - place[_OUT])),
        ]
        start = Signal(name="window_start")  # a cycle after the write, which may have set slot and direction
        m.d.sync += start.eq(file.window_request_start & ~closed)
        with m.If(test.takes):
            m.d.comb += [
                window.write.eq(test.write),
                window.tweak.eq(test.tweak),
                window.index.eq(test.index),
                window.data.eq(test.data),
                window.strobe.eq(-1),
                window.start.eq(test.window_start),
            ]
        with m.Else():
            m.d.comb += [
                window.write.eq(bus.write & (into | tweak) & ~test.busy),
                window.tweak.eq(tweak),
                window.index.eq(bus.write_address - Mux(tweak, place[_TWEAK], place[_IN])),
                window.data.eq(bus.write_data),
                window.strobe.eq(bus.write_strobe),
                window.start.eq(start & ~test.busy),
            ]

    def _within(self, address: Value, name: str) -> Value:
        """Whether an address in words is one of a register."""
        register = self.map.register(name)
        return between(address, register.offset, register.end)

    def _registers(self, m: Module, faults: Value, failed: Value, clear: Value, zeroize: Value) -> None:
        """The registers that all firmware may reach, and the interrupt."""
        file, bus, table, test, window = self.file, self.bus, self.table, self.selftest, self.window
        self._bus(m, bus, "")
        self._reads(m)
        cleared = Signal(name="was_clear")
        was_failed = Signal()
        m.d.sync += [cleared.eq(clear), was_failed.eq(failed)]
        events = {
            "command": self.commands.ends,
            "fault": self.log.faults.any(),
            "warn": table.warns,
            "limit": table.spends,
            "window": window.ends & ~test.takes,
            "selftest": test.ends,
            "cleared": cleared & ~clear,
            "fatal": failed & ~was_failed,
        }
        values = {
            "status_ready": self.ready & ~test.busy,
            "status_clearing": clear,
            "status_command": self.commands.busy,
            "status_window": window.busy & ~test.takes,
            "status_selftest": test.busy,
            "status_approved": test.passed & (self._kat_slots(m, clear) == 0) & ~failed,
            "status_fatal": failed,
            "selftest_busy": test.busy,
            "selftest_done": test.done,
            "selftest_passed": test.passed,
            "selftest_failed": test.number,
            "first_fault_slot": self.log.first.slot,
            "first_fault_cause": self.log.first.cause,
            "first_fault_valid": self.log.first.valid,
            "window_status_busy": window.busy & ~test.takes,
            "window_status_done": window.done & ~test.busy,
            "window_status_fault": window.wrong & ~test.busy,
            "window_status_cause": window.cause & ~test.busy.replicate(5),
            **{f"set_irq_status_{name}": event for name, event in events.items()},
            **{f"fault_count{n}_count": self.log.counts[n] for n in range(len(self.faults))},
        }
        m.d.comb += [
            file.write.eq(bus.write),
            file.address.eq(bus.write_address),
            file.data.eq(bus.write_data),
            file.strobe.eq(bus.write_strobe),
            file.frozen.eq(file.policy_freeze_limits),
            self.log.wipe.eq(file.fault_clear_clear | zeroize),
            table.shown.eq(file.slot_select_slot),
            table.limit.eq(Cat(file.limit_lo_blocks, file.limit_hi_blocks)),
            table.warn.eq(Cat(file.warn_lo_blocks, file.warn_hi_blocks)),
            *(getattr(file, name).eq(value) for name, value in values.items()),
            self.irq.eq(
                Cat(getattr(file, f"irq_status_{name}") & getattr(file, f"irq_enable_{name}") for name in events).any()
            ),
        ]

    def _reads(self, m: Module) -> None:
        """The word of a read, a cycle after it: of the file, of the window, or of the selected slot."""
        file, bus, table = self.file, self.bus, self.table
        low = len(file.slot_blocks_lo_blocks)
        high = Signal(len(file.slot_blocks_hi_blocks), name="blocks_high")
        of_result = Signal()
        of_tweak = Signal(32)
        shown = table.shown_state
        with m.If(bus.read & (bus.read_address == self.map.offset("SLOT_BLOCKS_LO") // REGISTER_BYTES)):
            m.d.sync += high.eq(table.shown_blocks[low:])
        m.d.sync += of_result.eq(bus.read & self._within(bus.read_address, _OUT) & ~self.selftest.busy)
        m.d.sync += of_tweak.eq(0)
        first = self.map.offset(_TWEAK) // REGISTER_BYTES
        for number in range(self.window.tweak_words):
            with m.If(bus.read & (bus.read_address == first + number)):
                m.d.sync += of_tweak.eq(self.window.shown_tweak.word_select(number, 32))
        m.d.comb += [
            file.read.eq(bus.read),
            file.read_address.eq(bus.read_address),
            bus.read_data.eq(file.read_data | of_tweak | (self.window.result & of_result.replicate(32))),
            file.slot_blocks_lo_blocks.eq(table.shown_blocks[:low]),
            file.slot_blocks_hi_blocks.eq(high),
            *(
                getattr(file, f"slot_state_{name}").eq(getattr(shown, name))
                for name in ("loaded", "kat", "locked", "no_encrypt", "no_decrypt")
            ),
            file.slot_state_closing.eq(self.commands.closing & (table.own == table.shown)),
            file.slot_state_warned.eq(table.shown_marks.warned),
            file.slot_state_exhausted.eq(table.shown_marks.spent),
        ]

    def _kat_slots(self, m: Module, clear: Value) -> Value:
        """Number of slots with the constant key."""
        table = self.table
        number = Signal(range(self.parameters.slots + 1), name="kat_slots")
        wrote = table.write & table.ready
        with m.If(wrote & table.new.kat & ~table.own_state.kat):
            m.d.sync += number.eq(number + 1)
        with m.If(wrote & ~table.new.kat & table.own_state.kat):
            m.d.sync += number.eq(number - 1)
        with m.If(clear):
            m.d.sync += number.eq(0)
        return number


def _inside(influence: Influence) -> Influence:
    """An influence of the core as seen from the engine."""
    signals = (name for name in ("key", "register", "signal") if hasattr(influence, name))
    return replace(influence, **{name: f"core.{getattr(influence, name)}" for name in signals})


def _slowest(behaviour: Behaviour) -> int:
    """Cycles, at most, from the last beat of any message accepted to its last beat offered."""
    length = behaviour.length
    timing = length.timing(length.tweaks.most, length.most) if length.tweaks else behaviour.timing
    return timing.busy + length.late
