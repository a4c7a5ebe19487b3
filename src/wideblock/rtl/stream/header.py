# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""A core with the request of a message (tweak, slot and the rest) in the first beats, without a sideband."""

from dataclasses import replace
from typing import Any

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import wiring

from wideblock.errors import UserError

from .behaviour import Behaviour, SectorTiming
from .interface import Channel, Field, Interface, Read
from .passing import pass_ports

__all__ = ["HeaderCore"]


class HeaderCore(wiring.Component):
    """A ``core`` with key slots, with the fields of a request in the first beats of ``i``.

    Each field begins in the next byte, the first field in byte 0 of the first beat; the bytes behind the last field and
    ``keep`` of the request's beats do not matter. A packet that ends within the request is a message without a byte;
    the core refuses such messages. Outputs, keys, registers and faults are unchanged.

    Timing: all figures count from the first beat behind the request; the request takes a cycle a beat. The interval is
            at least the beats of request and message.
    Paths:  as the core; none more.
    Cost:   a register for the request.
    """

    def __init__(self, core: Any):
        self.core, self.parameters = core, core.parameters
        own: Channel = core.interface.channel("i")
        request = tuple(field for field in own.fields if field.read is Read.FIRST)
        channel = replace(own, fields=tuple(field for field in own.fields if field not in request), header=request)
        self.beats = channel.header_words
        keeps = any(field.name == "keep" for field in own.fields)
        if not keeps and core.behaviour.usual * 8 <= next(field.width for field in own.fields if field.name == "data"):
            raise UserError("header must be false where a message is one whole beat, got true")
        channel = replace(channel, fields=tuple(self._told(field, channel) for field in channel.fields))
        self.interface = Interface(
            tuple(channel if each is own else each for each in core.interface.channels), core.interface.controls
        )
        behaviour: Behaviour = core.behaviour
        (self.beat_bytes,) = (field.width // 8 for field in own.fields if field.name == "data")
        self.timing = self._timed(behaviour.usual, core.timing)
        length = behaviour.length.timed(self._timed)
        self.behaviour = replace(behaviour, length=length, timing=self.timing, influences=())
        super().__init__(self.interface.members())

    def _timed(self, size: int, core: SectorTiming) -> SectorTiming:
        """The contract of messages of ``size`` bytes, from that of the ``core``."""
        return replace(core, interval=max(core.interval, self.beats - (-size // self.beat_bytes)))

    def _told(self, field: Field, channel: Channel) -> Field:
        """``data`` with the places of the request in the meaning; other fields unchanged."""
        if field.name != "data":
            return field
        beats = "a beat" if self.beats == 1 else f"{self.beats} beats"
        return replace(field, meaning=f"{field.meaning}; before them {beats} of the request: {channel.header_text}")

    @property
    def registers(self):
        """Figures of the core."""
        return getattr(self.core, "registers", ())

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self.core
        pass_ports(m, core, self, but=("i",))
        self._message(m)
        return m

    def _message(self, m: Module) -> None:
        """The request into its register, then the beats to the core."""
        core, channel, given = self.core, self.interface.channel("i"), self.i.payload
        data = Value.cast(given.data)
        request = Signal(self.beats * len(data))
        number = Signal(range(self.beats + 1), name="request_beat")
        passing = Signal()  # the request is whole
        begun = Signal()  # and the core has a beat of the message
        void = Signal()  # the packet ended with its request
        cut = Signal()  # the core was cleared in between: the message is dropped
        taken = Signal()
        clear = Signal()
        m.d.comb += [
            clear.eq(~core.ready),
            self.i.ready.eq(~clear & Mux(passing, core.i.ready & ~void, 1)),
            taken.eq(self.i.valid & self.i.ready),
            core.i.valid.eq(passing & (void | self.i.valid)),
            *(core.i.payload[field.name].eq(given[field.name]) for field in channel.fields),
            *(
                core.i.payload[name].eq(request[8 * at :][: len(Value.cast(core.i.payload[name]))])
                for name, (at, _) in channel.places.items()
            ),
        ]
        with m.If(void):
            m.d.comb += core.i.payload.last.eq(1)
            if any(field.name == "keep" for field in channel.fields):
                m.d.comb += core.i.payload.keep.eq(0)
            with m.If(core.i.ready):
                m.d.sync += [void.eq(0), passing.eq(0)]
        with m.If(taken & cut):
            m.d.sync += cut.eq(~given.last)
        with m.Elif(taken & passing):
            m.d.sync += [begun.eq(~given.last), passing.eq(~given.last)]
        with m.Elif(taken):
            ends = given.last | (number == self.beats - 1)
            m.d.sync += [number.eq(Mux(ends, 0, number + 1)), passing.eq(ends), void.eq(given.last)]
            with m.If(number == 0):
                m.d.sync += request.eq(data)
            for beat in range(1, self.beats):
                with m.If(number == beat):
                    m.d.sync += request.word_select(beat, len(data)).eq(data)
        with m.If(clear):
            with m.If(~begun):
                m.d.sync += [cut.eq(cut | (passing & ~void) | (number != 0)), passing.eq(0)]
            m.d.sync += [request.eq(0), number.eq(0), void.eq(0)]
