# SPDX-License-Identifier: Apache-2.0
"""Multiplier of a binary field with several cycles a product, a digit of an operand in each."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.gf128.field import GF128, BinaryField, parity
from wideblock.rtl.pipeline import Timing

__all__ = ["SerialMultiplier"]


class SerialMultiplier(wiring.Component):
    """``o = i.a * i.b`` in ``field``, by Horner's rule on the digits of ``a``, the highest first.

    A digit is width / ``cycles`` bits, rounded up. ``i.ready`` is high while no product is under way. ``b`` must be
    stable from the cycle in which the operands are taken until ``o.valid``. ``o`` is stable until the next operands are
    taken; the operands may depend on ``o``. ``clear`` forgets it and the operands under way.

    Timing: latency and interval ``cycles``.
    Cost:   width x digit AND gates, about a third as many 6-input tables; two registers of the field's width.
    Source: Beth, Gollmann, "Algorithm engineering for public key algorithms", IEEE JSAC 7(4), 1989; there for bits.
    Security: time does not depend on the operands; no masking.
    """

    i: stream.Interface
    o: stream.Interface
    clear: Signal

    def __init__(self, field: BinaryField = GF128, *, cycles: int = 11):
        if not 1 <= cycles <= field.width:
            raise ValueError(f"cycles must be from 1 to {field.width}, got {cycles!r}")
        self.field, self.cycles = field, cycles
        self.digit = -(-field.width // cycles)
        self.timing = Timing(latency=cycles, interval=cycles)
        super().__init__(
            {
                "i": In(stream.Signature(data.StructLayout({"a": field.width, "b": field.width}))),
                "o": Out(stream.Signature(field.width, always_ready=True)),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        digit, width = self.digit, self.field.width
        rest = Signal(digit * (self.cycles - 1), reset_less=True)  # digits to come
        sum_ = Signal(width, reset_less=True)
        left = Signal(range(self.cycles))
        first = Signal()  # whether operands are taken or not: a choice that is known early
        step = Signal()
        last = Signal()
        digits = Signal(digit * self.cycles)
        a = Cat(self.i.payload.a, Const(0, digit * self.cycles - width))
        m.d.comb += [
            first.eq(left == 0),
            step.eq(self.i.valid | ~first),
            last.eq(self.i.valid if self.cycles == 1 else left == 1),
            digits.eq(Mux(first, a, Cat(Const(0, digit), rest))),
            self.i.ready.eq(first),
            self.o.payload.eq(sum_),
        ]
        b, low = self.i.payload.b, len(digits) - digit
        rows = (b & digits[low + j].replicate(width) for j in range(digit))
        product = Signal(2 * width - 1)
        m.d.comb += product.eq(parity([Cat(Const(0, j), row, Const(0, digit - 1 - j)) for j, row in enumerate(rows)]))
        before = Cat(Const(0, digit), sum_ & (~first).replicate(width))
        total = Signal(2 * width - 1)
        m.d.comb += total.eq(product ^ before)
        m.d.sync += self.o.valid.eq(last)
        with m.If(step):
            m.d.sync += [
                rest.eq(digits[:low]),
                sum_.eq(self.field.reduce(total)),
                left.eq(Mux(first, self.cycles - 1, left - 1)),
            ]
        with m.If(self.clear):
            m.d.sync += [rest.eq(0), sum_.eq(0), left.eq(0), self.o.valid.eq(0)]
        return m
