# SPDX-License-Identifier: Apache-2.0
"""The exported module around a core, whatever the ports are called."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from amaranth import Cat, ClockDomain, ClockSignal, Module, ResetSignal, Value
from amaranth.lib import wiring
from amaranth.lib.cdc import ResetSynchronizer
from amaranth.lib.wiring import In, Member, Out

from wideblock.rtl.stream.interface import Channel, Control, Field, Read

__all__ = ["Port", "Shell", "Stream"]


@dataclass(frozen=True)
class Port:
    """A port of the exported module: ``direction`` is "input" or "output", ``width`` in bits."""

    name: str
    direction: str
    width: int
    meaning: str


@dataclass(frozen=True)
class Stream:
    """The ports of a channel: ``payload`` are the fields by port, each from the low bits up.

    Names begin with ``prefix``, common to all channels of a bus. ``bus`` is the bus definition by the name of IP-XACT
    and Vivado, or None.
    """

    channel: Channel
    prefix: str
    valid: str
    ready: str
    payload: dict[str, tuple[Field, ...]]
    bus: str | None = None

    def port(self, field: str) -> str:
        """Name of the port of a field."""
        return next(name for name, fields in self.payload.items() if field in {f.name for f in fields})


class Shell(wiring.Component):
    """``core`` behind ports with a clock and a reset; a subclass names the ports.

    ``streams`` and ``ports`` have the meaning of each port. No registers, no logic but the inversion of a reset.
    """

    clock: ClassVar[str]
    reset: ClassVar[str]
    active_low: ClassVar[bool]
    """Whether the reset is."""
    clocks: ClassVar[Mapping[str, str]] = {}
    """Ports of further clocks, by their domains."""
    swapped: ClassVar[tuple[str, ...]] = ()
    """Fields with bytes in the opposite order at the ports."""
    resets: ClassVar[str]
    """Effect of a reset, for the documentation of the port."""

    @staticmethod
    def stream(channel: Channel) -> Stream:
        """The ports of a channel."""
        raise NotImplementedError

    @staticmethod
    def order(payload: list[Port], handshake: list[Port]) -> list[Port]:
        """The ports of a stream, in order."""
        raise NotImplementedError

    def __init__(self, core: Any):
        self.core, self.timing = core, core.timing
        self.streams = tuple(self.stream(channel) for channel in core.interface.channels)
        self.controls: tuple[Control, ...] = core.interface.controls
        self.domains = {domain: self.clocks[domain] for domain in getattr(core, "domains", ())}
        active, others = "low" if self.active_low else "high", "every port but those of other clocks"
        every = others if self.domains else "every port"
        self.ports = (
            Port(self.clock, "input", 1, f"clock; {every} is sampled and driven on its rising edge"),
            *(
                Port(name, "input", 1, "clock of register buses and interrupts, of any rate")
                for name in self.domains.values()
            ),
            Port(self.reset, "input", 1, f"synchronous reset, active {active}: {self.resets}"),
            *(port for stream in self.streams for port in self._ports(stream)),
            *(Port(c.name, _direction(c.flow is In), c.width, c.meaning) for c in self.controls),
        )
        super().__init__({p.name: Member(In if p.direction == "input" else Out, p.width) for p in self.ports})

    def named(self, channel: str) -> Stream:
        """The ports of the channel of that name."""
        return next(stream for stream in self.streams if stream.channel.name == channel)

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain("sync", local=True)
        m.submodules.core = core = self.core
        reset = getattr(self, self.reset)
        resets = ~reset if self.active_low else reset
        m.d.comb += [ClockSignal().eq(getattr(self, self.clock)), ResetSignal().eq(resets)]
        for domain, port in self.domains.items():
            m.domains += ClockDomain(domain, local=True, async_reset=True)
            m.d.comb += ClockSignal(domain).eq(getattr(self, port))
            m.submodules[f"{domain}_reset"] = ResetSynchronizer(resets, domain=domain)

        def drive(inward: bool, inside: Value, outside: Value) -> None:
            m.d.comb += inside.eq(outside) if inward else outside.eq(inside)

        for stream in self.streams:
            member, inward = getattr(core, stream.channel.name), stream.channel.flow is In
            for port, fields in stream.payload.items():
                whole = len(stream.channel.fields) == 1
                parts = [
                    self._lanes(field, Value.cast(member.payload if whole else member.payload[field.name]))
                    for field in fields
                ]
                drive(inward, Cat(parts) if len(parts) > 1 else parts[0], getattr(self, port))
            drive(inward, member.valid, getattr(self, stream.valid))
            drive(not inward, member.ready, getattr(self, stream.ready))
        for control in self.controls:
            drive(control.flow is In, getattr(core, control.name), getattr(self, control.name))
        return m

    def _lanes(self, field: Field, value: Value) -> Value:
        """A field of the core as the port has it."""
        return (
            Cat(value[at : at + 8] for at in reversed(range(0, len(value), 8))) if field.name in self.swapped else value
        )

    def _ports(self, stream: Stream) -> list[Port]:
        inward = stream.channel.flow is In
        payload = [
            Port(name, _direction(inward), sum(field.width for field in fields), _meaning(fields))
            for name, fields in stream.payload.items()
        ]
        handshake = [
            Port(stream.valid, _direction(inward), 1, stream.channel.valid),
            Port(stream.ready, _direction(not inward), 1, stream.channel.ready),
        ]
        return self.order(payload, handshake)


def _direction(inward: bool) -> str:
    return "input" if inward else "output"


def _meaning(fields: tuple[Field, ...]) -> str:
    """The meaning of a port of several fields, the high bits first."""
    texts, low = [], 0
    for field in fields:
        bits = f"bit {low}" if field.width == 1 else f"bits {low + field.width - 1}..{low}"
        texts.insert(0, field.meaning if len(fields) == 1 else f"{bits}: {field.meaning}")
        low += field.width
    read = ". Read with the first beat" if fields[0].read is Read.FIRST else ""
    return "; ".join(texts) + read
