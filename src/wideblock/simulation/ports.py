# SPDX-License-Identifier: Apache-2.0
"""The ports of a module as the bench sees them: channels of words in memory, and controls."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from amaranth.lib.wiring import In

from wideblock.rtl.shell.shell import Port, Stream
from wideblock.rtl.stream.interface import Control, Read
from wideblock.simulation.structures import Word, declarations

__all__ = ["ChannelPorts", "Pins", "PortShell", "Ports"]

_WORD_BITS = 32


class PortShell(Protocol):
    """The ports of an exported module.

    ``ports`` are all of them. The two ports outside of streams and controls are the clock and the synchronous reset,
    active low if the name ends in n.
    """

    @property
    def streams(self) -> tuple[Stream, ...]: ...
    @property
    def controls(self) -> tuple[Control, ...]: ...
    @property
    def ports(self) -> tuple[Port, ...]: ...


@dataclass(frozen=True)
class Pins:
    """A port of ``bits``, with its place in a word's payload in bytes."""

    name: str
    bits: int
    offset: int = 0

    @property
    def size(self) -> int:
        """Bytes that the compiled model has for the port: a power of two up to 8, then whole 32-bit words."""
        if self.bits > 2 * _WORD_BITS:
            return -(-self.bits // _WORD_BITS) * (_WORD_BITS // 8)
        return next(size for size in (1, 2, 4, 8) if self.bits <= 8 * size)

    @property
    def member(self) -> str:
        """Name of the model's member."""
        return self.name.replace("__", "___05F")


class ChannelPorts:
    """A channel with the layout of its words in memory.

    ``word`` is the type of a word: of an input :class:`Word` and then the payload, of an output its cycle and then the
    payload. ``shown`` is that of a state of an output's ports: cycle, payload, and ``valid``. A field of at most 8 bits
    is an integer, any other an array of bytes, byte 0 from the lowest bits. Raises ValueError for a field that does not
    begin in the first bit of a byte of the port.
    """

    def __init__(self, stream: Stream, number: int):
        self.stream, self.number = stream, number
        self.name, self.inward = stream.channel.name, stream.channel.flow is In
        head = np.dtype(Word) if self.inward else np.dtype([("cycle", np.int64)])
        assert head.fields is not None
        layout = {name: (kind, offset) for name, (kind, offset, *_) in head.fields.items()}
        self.head, self.pins, self.size = head.itemsize, [], 0
        for name, fields in stream.payload.items():
            pins = Pins(name, sum(field.width for field in fields), self.size)
            low = 0
            for field in fields:
                if low % 8:
                    raise ValueError(f"field {field.name} of {name} must begin in the first bit of a byte, not {low}")
                size = -(-field.width // 8)
                kind = np.dtype(np.uint8) if size == 1 else np.dtype((np.uint8, size))
                layout[field.name] = kind, self.head + self.size + low // 8
                low += field.width
            self.pins.append(pins)
            self.size += pins.size
        end = self.head + self.size
        self.word = _structured(layout, end)
        self.shown = _structured({**layout, "valid": (np.dtype(np.uint8), end)}, end + 1)

    def words(self, n: int) -> np.ndarray:
        """``n`` words of an input channel: payload 0, each a packet of its own, valid at once."""
        words = np.zeros(n, self.word)
        words["after_channel"], words["chance"], words["start"] = -1, 1, 1
        return words

    @property
    def unread(self) -> int:
        """Ports, as bits of ``noise``, of which the core may read nothing in a word behind the first of a packet."""
        fields = enumerate(self.stream.payload.values())
        return sum(1 << n for n, port in fields if all(field.read is Read.FIRST for field in port))


class Ports:
    """All ports of a module, in the order of the bench's numbers."""

    def __init__(self, shell: PortShell):
        inputs = [stream for stream in shell.streams if stream.channel.flow is In]
        outputs = [stream for stream in shell.streams if stream not in inputs]
        self.inputs = {s.channel.name: ChannelPorts(s, n) for n, s in enumerate(inputs)}
        self.outputs = {s.channel.name: ChannelPorts(s, n) for n, s in enumerate(outputs)}
        self.clock, self.reset = _clock_and_reset(shell)
        self.controls = {c.name: c for c in shell.controls if c.flow is In}
        self.watches = {c.name: c for c in shell.controls if c.flow is not In}

    def header(self) -> str:
        """C++ declarations of the shared structures, and a function that tabulates the model's ports."""
        pins = [self.clock, self.reset, *(Pins(c.name, c.width) for c in self._controls)]
        pins += [Pins(name, 1) for c in self._channels for name in (c.stream.valid, c.stream.ready)]
        pins += [pin for channel in self._channels for pin in channel.pins]
        checks = [
            f'static_assert(sizeof(Vcore::{pin.member}) == {pin.size}, "{pin.name} is not of {pin.bits} bits");'
            for pin in pins
        ]
        return f"""// SPDX-License-Identifier: Apache-2.0
// Generated: the structures shared with Python, and the ports of the model.
{declarations()}
{chr(10).join(checks)}

inline void tabulate(Vcore& m, Table& table) {{
    table.clock = &m.{self.clock.member};
    table.reset = &m.{self.reset.member};
    table.in_reset = {int(not self.reset.name.endswith("n"))};
    table.inputs = {_rows(_channel(c) for c in self.inputs.values())};
    table.outputs = {_rows(_channel(c) for c in self.outputs.values())};
    table.controls = {_rows(_pin(Pins(c.name, c.width)) for c in self.controls.values())};
    table.watches = {_rows(_watch(c) for c in self.watches.values())};
}}
"""

    @property
    def _channels(self) -> list[ChannelPorts]:
        return [*self.inputs.values(), *self.outputs.values()]

    @property
    def _controls(self) -> list[Control]:
        return [*self.controls.values(), *self.watches.values()]


def _structured(layout: Mapping[str, tuple[np.dtype, int]], size: int) -> np.dtype:
    """The type of fields with their offsets; ``size`` bytes and what is missing to whole 64-bit words."""
    return np.dtype(
        {
            "names": list(layout),
            "formats": [kind for kind, _ in layout.values()],
            "offsets": [offset for _, offset in layout.values()],
            "itemsize": -(-size // 8) * 8,
        }
    )


def _clock_and_reset(shell: PortShell) -> tuple[Pins, Pins]:
    known = {control.name for control in shell.controls}
    known |= {name for stream in shell.streams for name in (stream.valid, stream.ready, *stream.payload)}
    others = [Pins(port.name, port.width) for port in shell.ports if port.name not in known]
    if [pins.bits for pins in others] != [1, 1]:
        names = ", ".join(pins.name for pins in others) or "none"
        raise ValueError(f"a clock and a reset must be all ports beside streams and controls, these are {names}")
    return others[0], others[1]


def _rows(rows: Iterable[str]) -> str:
    return "{" + ",\n        ".join(rows) + "}"


def _pin(pins: Pins) -> str:
    return f"{{&m.{pins.member}, {pins.size}, {pins.bits}, {pins.offset}}}"


def _watch(control: Control) -> str:
    return f"{{{_pin(Pins(control.name, control.width))}, {str(control.pulse).lower()}}}"


def _channel(channel: ChannelPorts) -> str:
    valid, ready = Pins(channel.stream.valid, 1).member, Pins(channel.stream.ready, 1).member
    sizes = f"{channel.head}, {channel.word.itemsize}, {channel.size}"
    return f"{{&m.{valid}, &m.{ready}, {sizes}, {_rows(map(_pin, channel.pins))}}}"
