# SPDX-License-Identifier: Apache-2.0
"""AXI4-Lite in front of registers."""

from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.interface import Channel, Field, Interface

from .registers import REGISTER_BITS, REGISTER_BYTES, RegisterMap

__all__ = ["AXI_LITE", "OKAY", "SLVERR", "AxiLite", "AxiLiteTiming", "axi_lite_channels", "between"]

AXI_LITE = ("aw", "w", "b", "ar", "r")
"""The channels of a bus, by their names or the ends of these behind an underscore."""

OKAY, SLVERR = 0b00, 0b10
"""Responses. Source: AMBA AXI4, A3.4.4."""

_NONSECURE = 1
"""Bit of ``prot`` that is high for a non-secure access. Source: AMBA AXI4, A4.7."""


def axi_lite_channels(name: str, address_bits: int) -> tuple[Channel, ...]:
    """The five channels of a slave; their names begin with ``name``, if that is not empty: ``key_aw``."""
    prefix = f"{name}_" if name else ""
    address = (
        Field("addr", address_bits, "byte address"),
        Field("prot", 3, "protection; bit 1 is high for a non-secure access"),
    )
    response = Field("resp", 2, "0: done, 2: refused")
    word = Field("data", REGISTER_BITS, "word, the byte of the lowest address in bits 7..0")
    return (
        Channel(f"{prefix}aw", In, address, "the address of a write is valid", "the address of a write is accepted"),
        Channel(
            f"{prefix}w",
            In,
            (word, Field("strb", REGISTER_BYTES, "bytes of the word that are written")),
            "the word of a write is valid",
            "the word of a write is accepted",
        ),
        Channel(
            f"{prefix}b",
            Out,
            (response,),
            "the response to a write is valid; it stays stable until accepted",
            "the response to a write is accepted; may stay low for any time",
        ),
        Channel(f"{prefix}ar", In, address, "the address of a read is valid", "the address of a read is accepted"),
        Channel(
            f"{prefix}r",
            Out,
            (word, response),
            "the word of a read is valid; it stays stable until accepted",
            "the word of a read is accepted; may stay low for any time",
        ),
    )


@dataclass(frozen=True)
class AxiLiteTiming:
    """Cycles of an access, exact where the response is accepted at once.

    write:    the later of address and word accepted to the response valid
    read:     address accepted to the word valid
    interval: write to write
    between:  read to read
    """

    write: int
    read: int
    interval: int
    between: int


def between(word: Value, start: int, end: int) -> Value:
    """Whether an address in words is one of bytes ``start`` to ``end`` - 1, without a comparison that always holds."""
    below = word < end // REGISTER_BYTES
    return below & (word >= start // REGISTER_BYTES) if start else below


class AxiLite(wiring.Component):
    """Accesses of an AXI4-Lite bus as pulses: a slave for the registers of ``registers``.

    ``aw``, ``w``, ``b``, ``ar`` and ``r`` are the channels of :func:`axi_lite_channels`. Address and word of a write
    come in any order. One write and one read are under way at a time, independent of each other.

    ``write`` pulses as a write takes effect, with ``write_address`` in words, ``write_data`` and ``write_strobe``,
    which are 0 in all other cycles. ``read`` pulses for a read of ``read_address``; its word must be ``read_data`` in
    the ``latency``-th cycle after that, 0 for the same one. Neither pulses for a refused access.

    Refused with ``SLVERR``: an address without a register, an address that is not a multiple of 4, and with ``secure``
    an access that is non-secure. A refused read has the word 0.

    ``clear`` drops a word that came: its write is answered and changes nothing. The bus works on meanwhile.

    Timing:   :attr:`timing`.
    Paths:    none combinational between channels, but from a channel's registers to ``write``; ``read_data`` to a
              register.
    Security: a word that was written is here from its acceptance to the pulse, and no longer.
    Source:   AMBA AXI and ACE Protocol Specification (IHI 0022), chapter B1, AXI4-Lite.
    """

    def __init__(self, registers: RegisterMap, *, latency: int = 1, secure: bool = False):
        if latency < 0:
            raise ValueError(f"latency must be 0 or more cycles, got {latency}")
        self.registers, self.latency, self.secure = registers, latency, secure
        bits = registers.address_bits
        self.timing = AxiLiteTiming(write=2, read=2 + latency, interval=2, between=2 + latency)
        words = bits - 2
        super().__init__(
            {
                **Interface(axi_lite_channels("", bits), ()).members(),
                "clear": In(1),
                "write": Out(1),
                "write_address": Out(words),
                "write_data": Out(REGISTER_BITS),
                "write_strobe": Out(REGISTER_BYTES),
                "read": Out(1),
                "read_address": Out(words),
                "read_data": In(REGISTER_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        self._writes(m)
        self._reads(m)
        return m

    def _writes(self, m: Module) -> None:
        address, addressed = self._held(m, "write_held", self.aw)
        word = Signal(REGISTER_BITS)
        strobe = Signal(REGISTER_BYTES)
        there = Signal(name="word_held")
        answered = Signal(name="write_answered")
        response = Signal(2, name="write_response")
        go = Signal(name="write_go")
        permitted = self._permitted(m, "write_permitted", address)
        m.d.comb += [
            self.w.ready.eq(~there),
            go.eq(addressed & there & ~answered),
            self.write.eq(go & permitted & ~self.clear),
            self.write_address.eq(address.addr[2:] & self.write.replicate(len(self.write_address))),
            self.write_data.eq(word & self.write.replicate(REGISTER_BITS)),
            self.write_strobe.eq(strobe & self.write.replicate(REGISTER_BYTES)),
            self.b.valid.eq(answered),
            self.b.payload.eq(response),
        ]
        with m.If(self.w.valid & ~there):
            m.d.sync += [there.eq(1), word.eq(self.w.payload.data), strobe.eq(self.w.payload.strb)]
        with m.If(go):
            m.d.sync += [addressed.eq(0), there.eq(0), answered.eq(1), response.eq(Mux(permitted, OKAY, SLVERR))]
        with m.If(go | self.clear):  # later assignments win: a word that comes with clear is dropped, too
            m.d.sync += [word.eq(0), strobe.eq(0)]
        with m.If(answered & self.b.ready):
            m.d.sync += [answered.eq(0), response.eq(OKAY)]

    def _reads(self, m: Module) -> None:
        address, addressed = self._held(m, "read_held", self.ar)
        answered = Signal(name="read_answered")
        response = Signal(2, name="read_response")
        word = Signal(REGISTER_BITS, name="read_word")
        go = Signal(name="read_go")
        busy = Signal(name="read_busy")
        permitted = self._permitted(m, "read_permitted", address)
        due: list[Value] = [Signal(name=f"read_due{k}") for k in range(self.latency + 1)]
        shown: list[Value] = [Signal(name=f"read_shown{k}") for k in range(self.latency + 1)]
        m.d.comb += [
            go.eq(addressed & ~busy),
            due[0].eq(go),
            shown[0].eq(permitted),
            self.read.eq(go & permitted),
            self.read_address.eq(address.addr[2:] & self.read.replicate(len(self.read_address))),
            self.r.valid.eq(answered),
            self.r.payload.data.eq(word),
            self.r.payload.resp.eq(response),
        ]
        m.d.sync += [Cat(due[1:]).eq(Cat(due[:-1])), Cat(shown[1:]).eq(Cat(shown[:-1]))]
        with m.If(go):
            m.d.sync += [addressed.eq(0), busy.eq(1)]
        with m.If(due[-1]):
            m.d.sync += [
                answered.eq(1),
                word.eq(self.read_data & shown[-1].replicate(REGISTER_BITS)),
                response.eq(Mux(shown[-1], OKAY, SLVERR)),
            ]
        with m.If(answered & self.r.ready):
            m.d.sync += [answered.eq(0), busy.eq(0), word.eq(0), response.eq(OKAY)]

    @staticmethod
    def _held(m: Module, name: str, channel: Any) -> tuple[Any, Signal]:
        """An address in a register, with its protection, and whether there is one. The caller takes it."""
        address = Signal.like(channel.payload, name=f"{name}_address")
        there = Signal(name=name)
        m.d.comb += channel.ready.eq(~there)
        with m.If(channel.valid & ~there):
            m.d.sync += [there.eq(1), address.eq(channel.payload)]
        return address, there

    def _permitted(self, m: Module, name: str, address: Any) -> Signal:
        """Whether an access to an address has an effect."""
        permitted = Signal(name=name)
        word = address.addr[2:]
        within = [between(word, start, end) for start, end in self.registers.ranges()]
        aligned = address.addr[:2] == 0
        secure = ~address.prot[_NONSECURE] if self.secure else 1
        m.d.comb += permitted.eq(Cat(within).any() & aligned & secure)
        return permitted
