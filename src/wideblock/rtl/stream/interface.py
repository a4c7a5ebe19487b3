# SPDX-License-Identifier: Apache-2.0
"""The ports of a core as values: channels of words with valid and ready, and controls that are always driven.

Everything that must know a core's ports reads them from here: the exported module, its documentation, waveforms, the
simulation bench and the checks.
"""

from dataclasses import dataclass
from enum import Enum

from amaranth.hdl import ShapeLike
from amaranth.lib import data, stream
from amaranth.lib.wiring import Flow, Member

__all__ = ["Channel", "Control", "Field", "Interface", "Read"]


class Read(Enum):
    """The words of a packet in which a field has a meaning; in all others it may have any value."""

    EVERY = "every"
    FIRST = "first"


@dataclass(frozen=True)
class Field:
    """One field of a channel's words: ``width`` in bits, and what it means."""

    name: str
    width: int
    meaning: str
    read: Read = Read.EVERY


@dataclass(frozen=True)
class Channel:
    """A stream of words with valid and ready, into the core or out of it.

    fields:       from the low bits up; a single field is the payload itself
    header:       fields of a packet's first words, each from the next byte of ``data`` on, before the packet's own
    last:         name of the field that is high in the last word of a packet, or None if each word is a packet
    valid, ready: what they mean, for the documentation of the ports
    """

    name: str
    flow: Flow
    fields: tuple[Field, ...]
    valid: str
    ready: str
    last: str | None = None
    header: tuple[Field, ...] = ()

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """The fields of the header by name, with first byte and number of bytes."""
        sizes = [-(-field.width // 8) for field in self.header]
        return {field.name: (sum(sizes[:n]), sizes[n]) for n, field in enumerate(self.header)}

    @property
    def header_text(self) -> str:
        """The fields of the header with their bytes, in words."""
        words = []
        for field, (at, size) in zip(self.header, self.places.values(), strict=True):
            place = f"bytes {at} to {at + size - 1}" if size > 1 else f"byte {at}"
            bits = f"bit{'s 0 to' if field.width > 1 else ''} {field.width - 1} of " if field.width < 8 else ""
            words.append(f"{field.name.replace('_', ' ')} in {bits}{place}")
        return ", ".join(words)

    @property
    def header_words(self) -> int:
        """Words of the header."""
        data = self.field("data")
        return -(-8 * sum(size for _, size in self.places.values()) // data.width) if data else 0

    @property
    def shape(self) -> ShapeLike:
        """Shape of the payload."""
        if len(self.fields) == 1:
            return self.fields[0].width
        return data.StructLayout({field.name: field.width for field in self.fields})

    def field(self, name: str) -> Field | None:
        """The field of that name, if there is one."""
        return next((field for field in self.fields if field.name == name), None)


@dataclass(frozen=True)
class Control:
    """A signal beside the channels, always driven: a level, or a ``pulse`` that counts in each cycle in which it is
    not zero. ``interrupt``: a level that interrupts a processor."""

    name: str
    flow: Flow
    width: int
    meaning: str
    pulse: bool
    interrupt: bool = False


@dataclass(frozen=True)
class Interface:
    """All ports of a core but its clock and reset."""

    channels: tuple[Channel, ...]
    controls: tuple[Control, ...]

    def members(self) -> dict[str, Member]:
        """Members of the component's signature: a stream a channel, a signal a control."""
        streams = {c.name: Member(Flow.Out, stream.Signature(c.shape)) for c in self.channels}
        return {
            **{c.name: streams[c.name] if c.flow is Flow.Out else streams[c.name].flip() for c in self.channels},
            **{c.name: Member(c.flow, c.width) for c in self.controls},
        }

    def channel(self, name: str) -> Channel:
        """The channel of that name."""
        return next(channel for channel in self.channels if channel.name == name)

    def control(self, name: str) -> Control:
        """The control of that name."""
        return next(control for control in self.controls if control.name == name)
