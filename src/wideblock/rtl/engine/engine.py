# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The engine around a core with slots: keys come through registers, and each message is held to its slot's limits.

    s_axi_key -> KeyCommands --key--> core <--> StreamGate <--> user's stream
    s_axi     -> Firmware: RegisterFile, FaultLog         <--> Passage <--> Window, SelfTest: between two messages

The engine knows ports and contract of the core, nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out, connect, flipped

from wideblock.errors import UserError
from wideblock.rtl.bus.axi_lite import AXI_LITE, AxiLite, axi_lite_channels
from wideblock.rtl.bus.engine_facts import MOST_WINDOW_BYTES, EngineFacts
from wideblock.rtl.bus.engine_map import engine_map
from wideblock.rtl.bus.key_map import KEY_MAP, key_map
from wideblock.rtl.bus.registers import REGISTER_BYTES
from wideblock.rtl.stream.behaviour import Behaviour, Cause, KeyRule
from wideblock.rtl.stream.clearing import Clearing
from wideblock.rtl.stream.influence import FieldInfluence, Influence, OutcomeInfluence
from wideblock.rtl.stream.interface import Control, Interface
from wideblock.rtl.stream.stages import power_of_two

from .arbiter import MessageArbiter
from .commands import KeyCommands
from .faults import FaultLog
from .firmware import FREEZABLE, OUTSIDE, Firmware
from .gate import StreamGate
from .key_memory import ROWS
from .passage import Passage, messages
from .register_file import RegisterFile
from .selftest import SelfTest, TestAnswer
from .slots import SlotTable
from .timing import EngineTiming
from .window import Window

__all__ = ["SlotEngine"]

_IRQ = "an event that is enabled has happened and was not cleared"
_MARGIN = 8  # cycles beyond the slowest message after which the core is empty


class SlotEngine(wiring.Component):
    """``core`` behind registers: key commands, limits of slots, log of faults, interrupts, window and self-test.

    core:     any core with slots: messages name a slot, keys come on ``key`` with ``slot`` and ``evict``
    scheme:   name of the core's scheme, for the registers
    answers:  of the self-test, under the constant key, for each direction of the core
    power_up: whether the self-test runs after each reset, before anything else

    The streams ``i`` and ``o`` are the core's own, and cost no cycle. Two slaves of AXI4-Lite take the place of
    ``key``: ``key_aw`` to ``key_r`` reach :data:`~wideblock.rtl.bus.key_map.KEY_MAP` alone, ``aw`` to ``r`` the second
    map of :attr:`registers`. ``irq`` is a level. ``zeroize`` may be a pulse or a level.

    A failed self-test, or damage of a stored key, ends in a state that only a reset leaves: the core clears itself
    without end. Nothing enters or leaves, and no command is accepted.

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
        _check_window(behaviour)
        self.gate = StreamGate(core.interface, behaviour)
        self.faults = self.gate.causes
        self.window_bytes = min(-(-behaviour.usual // 16) * 16, MOST_WINDOW_BYTES, _words(behaviour.length.most))
        self.map = engine_map(self._facts(scheme, fields))
        beat_words = fields["data"] // 32
        words = -(-self.window_bytes // (4 * beat_words)) * beat_words
        self.rows = max(ROWS, power_of_two(p.slots), power_of_two(words))
        row_bits = (self.rows - 1).bit_length()
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
        self.table = SlotTable(slots=p.slots, clear_row_bits=row_bits, block_bits=self.gate.block_bits)
        self.passage = Passage(into=into, out=out, words=words, quiet=quiet, faults=len(self.faults))
        link = messages(into, words=words)
        bit = {fault.cause: number for number, fault in enumerate(self.faults)}
        self.window = Window(
            link,
            words=words,
            least=1 if self.gate.keeps else behaviour.length.least,  # without keep a part of a beat passes as whole
            most=self.window_bytes,
            too_short=bit[Cause.SHORT],
            too_long=bit[Cause.LONG],
            clear_row_bits=row_bits,
        )
        self.selftest = SelfTest(answers, link, words=words, slot=p.slots - 1)
        self.arbiter = MessageArbiter(link)
        self.log = FaultLog(causes=len(self.faults))
        self.file = RegisterFile(self.map, outside=OUTSIDE, freezable=FREEZABLE)
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

    @cached_property
    def registers(self):
        """The maps of both slaves, that of the keys first."""
        material = self.core.key_material(self.parameters)
        return key_map(material.text, [word.bits // 8 for word in material.port]), self.map

    def _facts(self, scheme: str, fields: Mapping[str, int]) -> EngineFacts:
        """Facts of the core that registers show; ``fields`` are widths of its input."""
        p, behaviour = self.parameters, self.core.behaviour
        room = fields.get("tweak", 0) // 8
        return EngineFacts(
            scheme=scheme,
            slots=p.slots,
            key_bits=p.key_bits,
            lanes=p.lanes,
            sector_bytes=behaviour.usual,
            directions=behaviour.directions,
            tweak_bytes=room,
            window_bytes=self.window_bytes,
            faults=self.faults,
            shortest=behaviour.length.least,
            tag_bits=p.tag_bits,
            header=p.header,
            usual_tweak=behaviour.length.usual_tweak_of(room) if behaviour.length.tweaks else None,
        )

    def _timing(self, quiet: int) -> EngineTiming:
        t, commands, test = self.core.timing, self.commands, self.selftest
        load, unload = commands.load(t.setup), commands.unload(t.eviction)
        zeroize = max(t.zeroize, self.rows + 1)
        window = 4 + quiet + self.passage.cycles(t.busy, self.window_bytes) + quiet
        answer = 2 + self.passage.cycles(t.busy + self.core.behaviour.length.late, test.size)
        return EngineTiming.of(
            t,
            zeroize=zeroize,
            load=load,
            refused=commands.refusal,
            unload=unload,
            window=window,
            selftest=zeroize + load + unload + 8 + len(test.answers) * answer,
        )

    def _influences(self) -> tuple[Influence, ...]:
        """Inputs that may matter to handshakes and status: those of the core, and commands and registers.

        Words of a key are among those of the bus; rule ``keys`` proves that only
        the comparison of the halves depends on them.
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
            "ready": Control("ready", Out, 1, "commands and sectors are accepted; as STATUS.READY", pulse=False),
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
                Control("irq", Out, 1, _IRQ, pulse=False, interrupt=True),
            ),
        )

    # Hardware

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self.core
        names = "bus", "key_bus", "gate", "commands", "table", "passage", "arbiter", "window", "selftest", "log", "file"
        for name in names:
            m.submodules[name] = getattr(self, name)
        failed = Signal()
        clear = Signal()
        zeroize = Signal(name="zeroize_any")
        self._links(m)
        self._clear(m, failed, zeroize, clear)
        self._core(m, failed)
        parts = (self.gate, self.commands, self.table, self.passage, self.window, self.selftest, self.log)
        firmware = Firmware(self.map, self.bus, self.file, *parts)
        state = {"ready": self.ready, "failed": failed, "clear": clear, "zeroize": zeroize}
        m.d.comb += self.irq.eq(firmware.connect(m, **state, power_up=self.power_up))
        damage = [core.fault[n] for n, f in enumerate(core.behaviour.faults) if f.cause is Cause.DAMAGE]
        with m.If(Cat(damage).any() | self.selftest.failed):
            m.d.sync += failed.eq(1)
        return m

    def _links(self, m: Module) -> None:
        """Connects the parts with each other, with the core and with the ports."""
        core, gate, commands = self.core, self.gate, self.commands
        for bus, prefix in ((self.bus, ""), (self.key_bus, "key_")):
            for name in AXI_LITE:
                connect(m, flipped(getattr(self, prefix + name)), getattr(bus, name))
        connect(m, self.bus.access, self.file.bus)
        connect(m, self.key_bus.access, commands.bus)
        connect(m, flipped(self.i), gate.i)
        connect(m, gate.o, flipped(self.o))
        connect(m, gate.to_core, core.i)
        connect(m, core.o, gate.from_core)
        connect(m, commands.key, core.key)
        connect(m, commands.table, self.table.own)
        connect(m, commands.change, gate.change, self.window.change)
        connect(m, gate.slots, self.table.use)
        connect(m, self.selftest.commands, commands.test)
        connect(m, self.selftest.messages, self.arbiter.test)
        connect(m, self.window.messages, self.arbiter.window)
        connect(m, self.arbiter.passage, self.passage.client)
        connect(m, self.passage.access, gate.access)

    def _clear(self, m: Module, failed: Value, zeroize: Value, clear: Value) -> None:
        """Clearing of core and engine together, until both have ended."""
        m.submodules.clearing = clearing = Clearing(rows=self.rows, cycles=self.rows)
        tested = Signal(init=not self.power_up)  # since the last reset
        with m.If(self.selftest.finished):
            m.d.sync += tested.eq(1)
        m.d.comb += [
            zeroize.eq(self.zeroize | self.commands.zeroize | self.file.zeroize_start),
            self.core.zeroize.eq(zeroize | failed),
            clearing.zeroize.eq(self.core.zeroize),
            clear.eq(clearing.clear | ~self.core.ready),
            self.ready.eq(tested & ~clear & ~failed),
        ]
        for part in (self.commands, self.table, self.window):
            m.d.comb += [part.clear.eq(clear), part.clear_row.eq(clearing.row)]
        m.d.comb += [self.passage.clear.eq(clear), self.gate.cleared.eq(clear)]

    def _core(self, m: Module, failed: Value) -> None:
        """State of the engine and faults of the core; the user sees none of a message of the engine itself."""
        core, gate, granted = self.core, self.gate, self.passage.access.granted
        m.d.comb += [
            gate.disabled.eq(~self.ready),
            gate.uncounted.eq(self.selftest.commands.active),
            gate.core_faults.eq(core.fault),
            self.commands.ready.eq(self.ready),
            self.commands.failed.eq(failed),
            self.computed.eq(core.computed & ~granted),
            self.fault.eq(gate.access.faults & ~granted.replicate(len(self.faults))),
        ]
        if tag := self.parameters.tag_bits:
            m.d.comb += self.fault_tag.eq(core.fault_tag & ~granted.replicate(tag))


def _inside(influence: Influence) -> Influence:
    """An influence of the core as seen from the engine."""
    signals = (name for name in ("key", "register", "signal") if hasattr(influence, name))
    return replace(influence, **{name: f"core.{getattr(influence, name)}" for name in signals})


def _check_window(behaviour: Behaviour) -> None:
    """Raises UserError for a core of one length whose messages the window and the self-test cannot pass."""
    length = behaviour.length
    if length.least == length.most and (length.most % REGISTER_BYTES or length.most > MOST_WINDOW_BYTES):
        raise UserError(
            f"sector_bytes must be a multiple of {REGISTER_BYTES} up to {MOST_WINDOW_BYTES} with registers, as the "
            f"window passes whole sectors, got {length.most}"
        )


def _words(size: int) -> int:
    """Bytes of the whole words in ``size`` bytes."""
    return size // REGISTER_BYTES * REGISTER_BYTES


def _slowest(behaviour: Behaviour) -> int:
    """Cycles, at most, from the last beat of any message accepted to its last beat offered."""
    length = behaviour.length
    timing = length.timing(length.tweaks.most, length.most) if length.tweaks else behaviour.timing
    return timing.busy + length.late
