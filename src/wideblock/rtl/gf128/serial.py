# SPDX-License-Identifier: Apache-2.0
"""Multiplier of a binary field that takes several cycles a product, a digit of one operand in each."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In

from wideblock.rtl.gf128.field import GF128, Field, parity
from wideblock.rtl.pipeline import FixedLatency, Timing

__all__ = ["SerialMultiplier"]


class SerialMultiplier(wiring.Component):
    """``o = i.a * i.b`` in ``field``, by Horner's rule on the digits of ``a``, the highest first.

    A digit is width / ``cycles`` bits, rounded up. ``b`` must be stable from ``i.valid`` until ``o.valid``; ``o`` keeps
    its value until the next operands. ``clear`` forgets both and the operands under way.

    Timing: latency and interval ``cycles``; operands that come earlier begin anew.
    Cost:   width x digit AND gates, about a third as many 6-input tables; two registers of the field's width.
    Source: Beth, Gollmann, "Algorithm engineering for public key algorithms", IEEE JSAC 7(4), 1989; there for bits.
    Security: time does not depend on the operands; no masking.
    """

    i: stream.Interface
    o: stream.Interface
    clear: Signal

    def __init__(self, field: Field = GF128, *, cycles: int = 10):
        if not 1 <= cycles <= field.width:
            raise ValueError(f"cycles must be from 1 to {field.width}, got {cycles!r}")
        self.field, self.cycles = field, cycles
        self.digit = -(-field.width // cycles)
        self.timing = Timing(latency=cycles, interval=cycles)
        streams = FixedLatency(data.StructLayout({"a": field.width, "b": field.width}), field.width)
        super().__init__({**streams.members, "clear": In(1)})

    def elaborate(self, platform):
        m = Module()
        digit, width = self.digit, self.field.width
        rest = Signal(digit * (self.cycles - 1), reset_less=True)  # digits to come
        sum_ = Signal(width, reset_less=True)
        left = Signal(range(self.cycles + 1))
        a = Cat(self.i.payload.a, Const(0, digit * self.cycles - width))
        digits = Signal(digit * self.cycles)
        now = Signal(range(self.cycles + 1))
        m.d.comb += [
            digits.eq(Mux(self.i.valid, a, Cat(Const(0, digit), rest))),
            now.eq(Mux(self.i.valid, self.cycles, left)),
            self.o.payload.eq(sum_),
        ]
        b, low = self.i.payload.b, len(digits) - digit
        product = Signal(2 * width - 1)
        m.d.comb += product.eq(
            Cat(
                parity([b[k - j] & digits[low + j] for j in range(digit) if 0 <= k - j < width])
                for k in range(width + digit - 1)
            )
        )
        before = Cat(Const(0, digit), sum_ & (~self.i.valid).replicate(width))
        total = Signal(2 * width - 1)
        m.d.comb += total.eq(product ^ before)
        m.d.sync += self.o.valid.eq((now == 1) & ~self.clear)
        with m.If(self.clear):
            m.d.sync += [rest.eq(0), sum_.eq(0), left.eq(0)]
        with m.Elif(now != 0):
            m.d.sync += [
                rest.eq(digits[:low]),
                sum_.eq(self.field.reduce(total)),
                left.eq(now - 1),
            ]
        return m
