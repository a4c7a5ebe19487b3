# SPDX-License-Identifier: Apache-2.0
"""The ports of a core as values: channels of words with valid and ready, and controls, which are always driven.

The exported module, its documentation, waveforms, the simulation bench and the checks read a core's ports from here.
"""

from dataclasses import dataclass
from enum import Enum

from amaranth.hdl import ShapeLike
from amaranth.lib import data, stream
from amaranth.lib.wiring import Flow, Member

__all__ = ["Channel", "Control", "Field", "Interface", "Read"]


class Read(Enum):
    """Words of a packet in which a field has a meaning; in other words the field may have any value."""

    EVERY = "every"
    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True)
class Field:
    """A field of a channel's words: ``width`` in bits, and meaning."""

    name: str
    width: int
    meaning: str
    read: Read = Read.EVERY


@dataclass(frozen=True)
class Channel:
    """A stream of words with valid and ready, an input or an output of the core.

    fields:       from the low bits up; a single field is the payload itself
    header:       fields in ``data`` of a packet's first words, each from the next byte on
    last:         name of the field that is high in the last word of a packet; None if each word is a packet
    valid, ready: meanings, for the documentation of the ports
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
        """The field called ``name``, or None."""
        return next((field for field in self.fields if field.name == name), None)


@dataclass(frozen=True)
class Control:
    """A signal beside the channels, always driven: a level, or a ``pulse``, which counts in each cycle with a value
    other than zero. ``interrupt``: a level that interrupts a processor."""

    name: str
    flow: Flow
    width: int
    meaning: str
    pulse: bool
    interrupt: bool = False


@dataclass(frozen=True)
class Interface:
    """All ports of a core, clock and reset left out."""

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
        """The channel called ``name``."""
        return next(channel for channel in self.channels if channel.name == name)

    def control(self, name: str) -> Control:
        """The control called ``name``."""
        return next(control for control in self.controls if control.name == name)
