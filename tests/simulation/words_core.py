# SPDX-License-Identifier: Apache-2.0
"""A test double that is no sector core: packets of 32-bit words behind ports of other names.

``pdi`` takes packets, a header with the number of words (bits 15..0) and then these; ``sdi`` takes a key word; ``do``
gives each packet back, its header as it is and its words under the key (exclusive or). ``wipe`` forgets the key and the
packet. ``error`` pulses with 1 for a packet of no words, and with 2 in the cycle after ``wipe``. ``flaw`` breaks a rule
of streams while it is not 0.
"""

from functools import cached_property
from types import SimpleNamespace

from amaranth import ClockDomain, Module, Mux, Signal
from amaranth.hdl import ClockSignal, ResetSignal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.export.verilog import convert
from wideblock.rtl.shell.shell import Port, Stream
from wideblock.rtl.stream.interface import Channel, Control, Field

FLAWS = {"valid falls": 1, "word changes": 2, "valid in reset": 3}


def _stream(name, flow):
    field = Field("word", 32, "a word")
    return Stream(
        Channel(name, flow, (field,), "", ""), name, f"{name}_valid", f"{name}_ready", {f"{name}_data": (field,)}
    )


class WordsCore:
    """The module, with the attributes that a simulation needs."""

    module = "words"

    @cached_property
    def shell(self):
        streams = (_stream("pdi", In), _stream("sdi", In), _stream("do", Out))
        controls = (
            Control("wipe", In, 1, "", pulse=True),
            Control("flaw", In, 2, "", pulse=False),
            Control("keyed", Out, 1, "", pulse=False),
            Control("error", Out, 2, "", pulse=True),
        )
        ports = [Port("clk", "input", 1, ""), Port("rst", "input", 1, "")]
        for s in streams:
            inward, outward = ("input", "output") if s.channel.flow is In else ("output", "input")
            ports += [Port(name, inward, 32, "") for name in s.payload]
            ports += [Port(s.valid, inward, 1, ""), Port(s.ready, outward, 1, "")]
        ports += [Port(c.name, "input" if c.flow is In else "output", c.width, "") for c in controls]
        return SimpleNamespace(streams=streams, controls=controls, ports=tuple(ports))

    @cached_property
    def verilog(self):
        return convert(_Words(self.shell.ports), self.module)


class _Words(wiring.Component):
    """One register of output."""

    def __init__(self, ports):
        super().__init__({p.name: (In if p.direction == "input" else Out)(p.width) for p in ports})

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain(local=True)
        m.d.comb += [ClockSignal().eq(self.clk), ResetSignal().eq(self.rst)]
        key, left, word = Signal(32, name="key"), Signal(16, name="left"), Signal(32, name="word")
        full, count = Signal(name="full"), Signal(4, name="count")
        accept = Signal()
        m.d.comb += [
            self.pdi_ready.eq(self.keyed & (~full | self.do_ready) & ~self.wipe),
            self.sdi_ready.eq(~self.keyed & ~self.wipe),
            accept.eq(self.pdi_valid & self.pdi_ready),
            self.do_valid.eq(full),
            self.do_data.eq(word),
        ]
        m.d.sync += [self.error.eq(0), count.eq(count + 1)]
        with m.If(self.do_ready):
            m.d.sync += full.eq(0)
        with m.If(accept):
            m.d.sync += full.eq(1)
            with m.If(left == 0):
                m.d.sync += [left.eq(self.pdi_data), word.eq(self.pdi_data), self.error.eq(self.pdi_data[:16] == 0)]
            with m.Else():
                m.d.sync += [left.eq(left - 1), word.eq(self.pdi_data ^ key)]
        with m.If(self.sdi_valid & self.sdi_ready):
            m.d.sync += [key.eq(self.sdi_data), self.keyed.eq(1)]
        with m.If(self.wipe):
            m.d.sync += [key.eq(0), self.keyed.eq(0), left.eq(0), full.eq(0), word.eq(0), self.error.eq(2)]
        with m.If(self.flaw == FLAWS["valid falls"]):
            m.d.comb += self.do_valid.eq(full & (count != 0))
        with m.If(self.flaw == FLAWS["word changes"]):
            m.d.comb += self.do_data.eq(Mux(count[0], word, ~word))
        with m.If((self.flaw == FLAWS["valid in reset"]) & self.rst):
            m.d.comb += self.do_valid.eq(1)
        return m


def packet(words):
    """A packet of ``words``."""
    return [len(words), *words]


def answer(packets, key):
    """Output for whole packets."""
    return [word for header, *words in packets for word in (header, *(w ^ key for w in words))]
