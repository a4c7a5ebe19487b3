# SPDX-License-Identifier: Apache-2.0
"""AXI4-Stream ports around a core: the only place where their names are spelled."""

from dataclasses import dataclass

from amaranth import Cat, ClockDomain, ClockSignal, Module, ResetSignal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from wideblock.rtl.stream.interface import Channel, Control, Field, Read

__all__ = ["AxiStreamShell", "Port", "Stream"]

CLOCK, RESET = "aclk", "aresetn"
PREFIX = {"i": "s_axis", "o": "m_axis", "key": "s_axis_key"}
SUFFIX = {"data": "tdata", "key": "tdata", "tweak": "tuser", "decrypt": "tuser", "last": "tlast", "keep": "tkeep"}


@dataclass(frozen=True)
class Port:
    """One port of the exported module: ``direction`` is "input" or "output", ``width`` in bits."""

    name: str
    direction: str
    width: int
    meaning: str


@dataclass(frozen=True)
class Stream:
    """The ports of one channel, whose names begin with ``prefix``: ``payload`` are its fields by port, each from the
    low bits up."""

    channel: Channel
    prefix: str
    valid: str
    ready: str
    payload: dict[str, tuple[Field, ...]]


class AxiStreamShell(wiring.Component):
    """``core`` behind the ports that users of Verilog expect, with ``aclk`` and the active-low reset ``aresetn``.

    Channels ``i``, ``o`` and ``key`` of the core's interface are ``s_axis``, ``m_axis`` and ``s_axis_key``; the tweak
    is in the low bits of ``s_axis_tuser``, with decrypt above it. ``streams`` and ``ports`` say which port is what. No
    registers, no logic.
    """

    def __init__(self, core):
        self.core, self.timing = core, core.timing
        self.streams = tuple(_stream(channel) for channel in core.interface.channels)
        self.controls: tuple[Control, ...] = core.interface.controls
        self.ports = (
            Port(CLOCK, "input", 1, "clock; every port is sampled and driven on its rising edge"),
            Port(RESET, "input", 1, "synchronous reset, active low: forgets the key and every sector under way"),
            *(port for stream in self.streams for port in _ports(stream)),
            *(Port(c.name, _direction(c.flow is In), c.width, c.meaning) for c in self.controls),
        )
        super().__init__({p.name: Member(In if p.direction == "input" else Out, p.width) for p in self.ports})

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain("sync", local=True)
        m.submodules.core = core = self.core
        m.d.comb += [ClockSignal().eq(getattr(self, CLOCK)), ResetSignal().eq(~getattr(self, RESET))]

        def drive(inward: bool, inside: Value, outside: Value) -> None:
            m.d.comb += inside.eq(outside) if inward else outside.eq(inside)

        for stream in self.streams:
            member, inward = getattr(core, stream.channel.name), stream.channel.flow is In
            for port, fields in stream.payload.items():
                whole = len(stream.channel.fields) == 1
                parts = [Value.cast(member.payload if whole else member.payload[field.name]) for field in fields]
                drive(inward, Cat(parts) if len(parts) > 1 else parts[0], getattr(self, port))
            drive(inward, member.valid, getattr(self, stream.valid))
            drive(not inward, member.ready, getattr(self, stream.ready))
        for control in self.controls:
            drive(control.flow is In, getattr(core, control.name), getattr(self, control.name))
        return m


def _stream(channel: Channel) -> Stream:
    prefix, payload = PREFIX[channel.name], {}
    for field in channel.fields:
        port = f"{prefix}_{SUFFIX[field.name]}"
        payload[port] = (*payload.get(port, ()), field)
    return Stream(channel, prefix, f"{prefix}_tvalid", f"{prefix}_tready", payload)


def _direction(inward: bool) -> str:
    return "input" if inward else "output"


def _ports(stream: Stream) -> list[Port]:
    """The ports of a stream in the order data, user, valid, ready, last, keep."""
    inward = stream.channel.flow is In
    payload = [
        Port(name, _direction(inward), sum(field.width for field in fields), _meaning(fields))
        for name, fields in stream.payload.items()
    ]
    handshake = [
        Port(stream.valid, _direction(inward), 1, stream.channel.valid),
        Port(stream.ready, _direction(not inward), 1, stream.channel.ready),
    ]
    before = [port for port in payload if port.name.endswith(("tdata", "tuser"))]
    return [*before, *handshake, *(port for port in payload if port not in before)]


def _meaning(fields: tuple[Field, ...]) -> str:
    """The meaning of a port of several fields, the high bits first."""
    texts, low = [], 0
    for field in fields:
        bits = f"bit {low}" if field.width == 1 else f"bits {low + field.width - 1}..{low}"
        texts.insert(0, field.meaning if len(fields) == 1 else f"{bits}: {field.meaning}")
        low += field.width
    read = {Read.EVERY: "", Read.FIRST: ". Read with the first beat", Read.LAST: ". Read with the last beat"}
    return "; ".join(texts) + read[fields[0].read]
