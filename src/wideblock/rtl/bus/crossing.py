# SPDX-License-Identifier: Apache-2.0
"""Accesses of an AXI4-Lite bus with a separate clock, by a handshake of four phases."""

from amaranth import Module, Signal, Value
from amaranth.lib import wiring

from wideblock.rtl.stream.interface import Interface

from .axi_lite import AXI_LITE, axi_lite_channels

__all__ = ["BUS", "INNER", "LiteCrossing", "synchronised"]

BUS = "bus"
"""Clock domain of the bus. The two domains are reset together."""

INNER = "inner"
"""Prefix of the channels in domain ``sync``."""


def synchronised(m: Module, name: str, value: Value, domain: str) -> Signal:
    """The flag ``value`` of another domain, behind two registers of ``domain``."""
    first = Signal(name=f"{name}_first", attrs={"ASYNC_REG": "TRUE"})
    second = Signal(name=f"{name}_second", attrs={"ASYNC_REG": "TRUE"})
    m.d[domain] += [first.eq(value), second.eq(first)]
    return second


class LiteCrossing(wiring.Component):
    """A slave of AXI4-Lite in domain ``bus`` before a slave in domain ``sync``.

    ``aw`` to ``r`` are the channels of :func:`axi_lite_channels`; ``inner_aw`` to ``inner_r`` reach the inner slave. At
    most a write and a read are under way, independently. The word of a write is accepted after the
    address.

    Timing:   an access takes the time of the access inside, and at most 4 cycles of each clock to pass; 3 more of each
              before the next access.
    Paths:    none combinational between channels.
    Security: a written word is wiped as the response comes, a read word on acceptance; both stay while ``bus`` has no
              clock, and a reset wipes both.
    """

    def __init__(self, address_bits: int):
        members = Interface(axi_lite_channels("", address_bits), ()).members()
        super().__init__({**members, **{f"{INNER}_{name}": members[name].flip() for name in AXI_LITE}})

    def elaborate(self, platform):
        m = Module()
        self._writes(m)
        self._reads(m)
        return m

    def _writes(self, m: Module) -> None:
        """Address and word together, and the response."""
        aw, w, b = self.inner_aw, self.inner_w, self.inner_b
        addressed = Signal(name="write_addressed")
        whole = Signal(name="write_whole")
        address = Signal.like(Value.cast(self.aw.payload), name="write_address")
        word = Signal.like(Value.cast(self.w.payload), name="write_word")
        sent = [Signal(name=f"write_{channel}_sent") for channel in ("address", "word")]
        way = _Way(m, "write", whole, Value.cast(b.payload), ends=self.b.valid & self.b.ready)
        m.d.comb += [
            self.aw.ready.eq(~addressed),
            self.w.ready.eq(addressed & ~whole),
            self.b.valid.eq(way.answered),
            self.b.payload.eq(way.answer),
            Value.cast(aw.payload).eq(address),
            Value.cast(w.payload).eq(word),
            b.ready.eq(way.go),
            way.finish.eq(way.go & b.valid),
        ]
        with m.If(self.aw.valid & self.aw.ready):
            m.d[BUS] += [addressed.eq(1), address.eq(self.aw.payload)]
        with m.If(self.w.valid & self.w.ready):
            m.d[BUS] += [whole.eq(1), word.eq(self.w.payload)]
        with m.If(way.back):
            m.d[BUS] += [address.eq(0), word.eq(0)]
        with m.If(self.b.valid & self.b.ready):
            m.d[BUS] += [addressed.eq(0), whole.eq(0)]
        for channel, done in zip((aw, w), sent, strict=True):
            m.d.comb += channel.valid.eq(way.go & ~done)
            m.d.sync += done.eq(way.go & (done | channel.ready))

    def _reads(self, m: Module) -> None:
        ar, r = self.inner_ar, self.inner_r
        asked = Signal(name="read_asked")
        sent = Signal(name="read_sent")
        address = Signal.like(Value.cast(self.ar.payload), name="read_address")
        way = _Way(m, "read", asked, Value.cast(r.payload), ends=self.r.valid & self.r.ready)
        m.d.comb += [
            self.ar.ready.eq(~asked),
            self.r.valid.eq(way.answered),
            Value.cast(self.r.payload).eq(way.answer),
            Value.cast(ar.payload).eq(address),
            ar.valid.eq(way.go & ~sent),
            r.ready.eq(way.go),
            way.finish.eq(way.go & r.valid),
        ]
        with m.If(self.ar.valid & self.ar.ready):
            m.d[BUS] += [asked.eq(1), address.eq(self.ar.payload)]
        with m.If(self.r.valid & self.r.ready):
            m.d[BUS] += asked.eq(0)
        m.d.sync += sent.eq(way.go & (sent | ar.ready))


class _Way:
    """The handshake of one access: ``request`` goes to ``sync``, ``done`` comes back, then both fall.

    go:       in ``sync``, the access is due; address and word are stable
    finish:   in ``sync``, driven by the caller: the access has ended, with the answer ``given``
    back:     in ``bus``, pulses as the answer arrives
    answered: in ``bus``, the answer is ``answer``, until ``ends``
    """

    def __init__(self, m: Module, name: str, asks: Value, given: Value, *, ends: Value):
        request = Signal(name=f"{name}_request")
        done = Signal(name=f"{name}_done")
        kept = Signal.like(given, name=f"{name}_kept")
        self.go, self.finish, self.back = (Signal(name=f"{name}_{each}") for each in ("go", "finish", "back"))
        self.answered = Signal(name=f"{name}_answered")
        self.answer = Signal.like(given, name=f"{name}_answer")
        asked = synchronised(m, f"{name}_request", request, "sync")
        seen = synchronised(m, f"{name}_done", done, BUS)
        m.d.comb += [self.go.eq(asked & ~done), self.back.eq(request & seen)]
        with m.If(asks & ~request & ~seen & ~self.answered):
            m.d[BUS] += request.eq(1)
        with m.If(self.back):
            m.d[BUS] += [request.eq(0), self.answered.eq(1), self.answer.eq(kept)]
        with m.If(ends):
            m.d[BUS] += [self.answered.eq(0), self.answer.eq(0)]
        with m.If(self.finish):
            m.d.sync += [done.eq(1), kept.eq(given)]
        with m.If(done & ~asked):
            m.d.sync += [done.eq(0), kept.eq(0)]
