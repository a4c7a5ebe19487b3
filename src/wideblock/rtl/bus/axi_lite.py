# SPDX-License-Identifier: Apache-2.0
"""AXI4-Lite in front of registers."""

from dataclasses import dataclass

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, Signature

from wideblock.rtl.ranges import within
from wideblock.rtl.stream.interface import Channel, Field, Interface

from .registers import REGISTER_BITS, REGISTER_BYTES, RegisterMap

__all__ = ["AXI_LITE", "OKAY", "SLVERR", "AxiLite", "AxiLiteTiming", "axi_lite_channels", "between", "register_access"]

AXI_LITE = ("aw", "w", "b", "ar", "r")
"""The channels of a bus, by name or by the last part of a name behind an underscore."""

OKAY, SLVERR = 0b00, 0b10
"""Responses. Source: AMBA AXI4, A3.4.4."""


def axi_lite_channels(name: str, address_bits: int) -> tuple[Channel, ...]:
    """The five channels of a slave; with a ``name``, names begin with it: ``key_aw``."""
    prefix = f"{name}_" if name else ""
    address = (
        Field("addr", address_bits, "byte address"),
        Field("prot", 3, "protection; ignored"),
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


def register_access(address_bits: int) -> Signature:
    """Accesses of a bus to registers with byte addresses of ``address_bits``.

    write:         out, pulses as a write takes effect
    write_address: out, address of the write in words, with ``write_data`` and ``write_strobe``; 0 without a write
    refused:       in, the registers refuse the write; read in the cycle of ``write``
    read:          out, pulses for a read
    read_address:  out, address of the read in words; 0 without a read
    read_data:     in, the word, a fixed number of cycles after ``read``
    """
    words = address_bits - 2
    return Signature(
        {
            "write": Out(1),
            "write_address": Out(words),
            "write_data": Out(REGISTER_BITS),
            "write_strobe": Out(REGISTER_BYTES),
            "refused": In(1),
            "read": Out(1),
            "read_address": Out(words),
            "read_data": In(REGISTER_BITS),
        }
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
    """Whether an address in words is within bytes ``start`` to ``end`` - 1."""
    return within(word, start // REGISTER_BYTES, end // REGISTER_BYTES)


class AxiLite(wiring.Component):
    """Accesses of an AXI4-Lite bus as pulses: a slave for the registers of ``registers``.

    ``aw``, ``w``, ``b``, ``ar`` and ``r`` are the channels of :func:`axi_lite_channels`. The word of a write is
    accepted after its address. At most one write and one read are under way, independently. The two low
    bits of an address are ignored: strobes select the bytes of a write, and a read gives the whole word.

    access: out, accesses to the registers, see :func:`register_access`; the word of a read comes ``latency`` cycles
            after the pulse; 0: in the cycle of the pulse

    A refused write has the response SLVERR. An access to an address without a register has the response SLVERR and no
    pulse; a refused read has the word 0.

    Timing:   :attr:`timing`.
    Paths:    ``access.refused`` and ``access.read_data`` to registers; none combinational between channels.
    Security: a written word stays for one cycle.
    Source:   AMBA AXI and ACE Protocol Specification (IHI 0022), chapter B1, AXI4-Lite; A3.3.1: a slave may wait for
              AWVALID before it asserts WREADY.
    """

    def __init__(self, registers: RegisterMap, *, latency: int = 1):
        if latency < 0:
            raise ValueError(f"latency must be 0 or more cycles, got {latency}")
        self.registers, self.latency = registers, latency
        bits = registers.address_bits
        self.timing = AxiLiteTiming(write=2, read=2 + latency, interval=3, between=2 + latency)
        super().__init__({**Interface(axi_lite_channels("", bits), ()).members(), "access": Out(register_access(bits))})

    def elaborate(self, platform):
        m = Module()
        self._writes(m)
        self._reads(m)
        return m

    def _writes(self, m: Module) -> None:
        access = self.access
        address = Signal.like(self.aw.payload.addr, name="write_held_address")
        addressed = Signal(name="write_held")
        word = Signal(REGISTER_BITS)
        strobe = Signal(REGISTER_BYTES)
        go = Signal(name="write_go")  # the word is here, in its only cycle
        answered = Signal(name="write_answered")
        response = Signal(2, name="write_response")
        permitted = self._permitted(m, "write_permitted", address)
        m.d.comb += [
            self.aw.ready.eq(~addressed | go),
            self.w.ready.eq(addressed & ~go & ~answered),  # so that its response has a place
            access.write.eq(go & permitted),
            access.write_address.eq(address[2:] & access.write.replicate(len(access.write_address))),
            access.write_data.eq(word & access.write.replicate(REGISTER_BITS)),
            access.write_strobe.eq(strobe & access.write.replicate(REGISTER_BYTES)),
            self.b.valid.eq(answered),
            self.b.payload.eq(response),
        ]
        with m.If(self.aw.ready):
            m.d.sync += [addressed.eq(self.aw.valid), address.eq(self.aw.payload.addr)]
        m.d.sync += [go.eq(0), word.eq(0), strobe.eq(0)]
        with m.If(self.w.valid & self.w.ready):
            m.d.sync += [go.eq(1), word.eq(self.w.payload.data), strobe.eq(self.w.payload.strb)]
        with m.If(answered & self.b.ready):
            m.d.sync += [answered.eq(0), response.eq(OKAY)]
        with m.If(go):
            m.d.sync += [answered.eq(1), response.eq(Mux(permitted & ~access.refused, OKAY, SLVERR))]

    def _reads(self, m: Module) -> None:
        access = self.access
        address = Signal.like(self.ar.payload.addr, name="read_held_address")
        addressed = Signal(name="read_held")
        answered = Signal(name="read_answered")
        response = Signal(2, name="read_response")
        word = Signal(REGISTER_BITS, name="read_word")
        go = Signal(name="read_go")
        busy = Signal(name="read_busy")
        permitted = self._permitted(m, "read_permitted", address)
        due: list[Value] = [Signal(name=f"read_due{k}") for k in range(self.latency + 1)]
        shown: list[Value] = [Signal(name=f"read_shown{k}") for k in range(self.latency + 1)]
        m.d.comb += [
            self.ar.ready.eq(~addressed),
            go.eq(addressed & ~busy),
            due[0].eq(go),
            shown[0].eq(permitted),
            access.read.eq(go & permitted),
            access.read_address.eq(address[2:] & access.read.replicate(len(access.read_address))),
            self.r.valid.eq(answered),
            self.r.payload.data.eq(word),
            self.r.payload.resp.eq(response),
        ]
        m.d.sync += [Cat(due[1:]).eq(Cat(due[:-1])), Cat(shown[1:]).eq(Cat(shown[:-1]))]
        with m.If(self.ar.ready):
            m.d.sync += [addressed.eq(self.ar.valid), address.eq(self.ar.payload.addr)]
        with m.If(go):
            m.d.sync += [addressed.eq(0), busy.eq(1)]
        with m.If(due[-1]):
            m.d.sync += [
                answered.eq(1),
                word.eq(access.read_data & shown[-1].replicate(REGISTER_BITS)),
                response.eq(Mux(shown[-1], OKAY, SLVERR)),
            ]
        with m.If(answered & self.r.ready):
            m.d.sync += [answered.eq(0), busy.eq(0), word.eq(0), response.eq(OKAY)]

    def _permitted(self, m: Module, name: str, address: Value) -> Signal:
        """Whether a register is at an address."""
        permitted = Signal(name=name)
        within = [between(address[2:], start, end) for start, end in self.registers.ranges()]
        m.d.comb += permitted.eq(Cat(within).any())
        return permitted
