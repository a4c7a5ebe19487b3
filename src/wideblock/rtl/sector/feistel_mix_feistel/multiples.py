# SPDX-License-Identifier: Apache-2.0
"""Multiples of derived words, for masks: constant multiples, and multiples by the number of a pair."""

from functools import cached_property, reduce
from operator import xor

from amaranth import Const, Module, Signal, Value

from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.stream.stages import power_of_two
from wideblock.rtl.stream.storage import Ring

__all__ = ["Multiples", "Numbers", "StoredNumbers"]


class Multiples:
    """n J for constants n, elements with the bits of n; J is ``word``, a block, as are the multiples.

    Cost: up to three XOR gates a bit for each bit of n.
    """

    def __init__(self, m: Module, name: str, word: Value, reading: WireReading):
        self._m, self._name, self._word, self._reading = m, name, word, reading
        self._powers: dict[int, Signal] = {}

    @cached_property
    def _element(self) -> Signal:
        element = Signal(128, name=f"element_{self._name}")
        self._m.d.comb += element.eq(self._reading.element(self._word))
        return element

    def power(self, k: int) -> Signal:
        """2^k J, made once."""
        if k not in self._powers:
            element, self._powers[k] = (Signal(128, name=f"{kind}_{self._name}_{k}") for kind in ("shifted", "power"))
            self._m.d.comb += element.eq(GF128.shift(self._element, k))
            self._m.d.comb += self._powers[k].eq(self._reading.block(element))
        return self._powers[k]

    def times(self, n: int) -> Value:
        """n J."""
        return reduce(xor, (self.power(k) for k in range(n.bit_length()) if n >> k & 1), Const(0, 128))


class Numbers:
    """j J for the pairs of a step, made on the fly. Lane q of step t has j = t ``lanes`` + q + 1.

    The last lane's multiple is the sum of the powers 2^k J for the bits of j. The multiples of other lanes are the last
    lane's multiple in the step before, plus (q + 1) J.

    Cost: for each reader and each bit of j an AND and an XOR gate a bit of J, and 128 registers.
    """

    loaded: Value = Const(1)
    """The multiples are those of the present J."""

    def __init__(self, m: Module, J: Multiples, *, lanes: int, steps: int):
        self._m, self._J, self._lanes, self._bits = m, J, lanes, (lanes * steps).bit_length()

    def last(self, name: str, after: Value) -> Value:
        """The multiple of the last lane in the step before step ``after``, one cycle later."""
        multiple = Signal(128, name=f"{name}_last_number", reset_less=True)
        self._m.d.sync += multiple.eq(self._made(name, after))
        return multiple

    def _made(self, name: str, after: Value) -> Value:
        j = Signal(self._bits, name=f"{name}_j")
        self._m.d.comb += j.eq(after * self._lanes)
        return reduce(xor, (self._J.power(k) & bit.replicate(128) for k, bit in enumerate(j)))


class StoredNumbers(Numbers):
    """Multiples from a table, written after each cycle of ``load``, and read while ``enable``.

    The multiple of step k is in row k + 1; the multiple of the last step in row 0, if the table ends before.

    Timing: a row a cycle is written, from the cycle after ``load`` on; ``loaded`` after ``steps`` rows.
    Cost:   block RAM of 128 bits a step, for each reader; the circuit for the multiples, once.
    """

    def __init__(
        self,
        m: Module,
        J: Multiples,
        *,
        lanes: int,
        steps: int,
        load: Value,
        enable: Value,
        clear: Value,
        clear_row: Value,
    ):
        super().__init__(m, J, lanes=lanes, steps=steps)
        after, loading = Signal(range(steps + 1), name="table_after", init=1), Signal(name="table_loading")
        self._enable, self.loaded = enable, ~loading
        self._table = Ring(m, "table", width=128, depth=power_of_two(steps), clear=clear, clear_row=clear_row)
        self._table.write(after, self._made("table", after), loading)
        with m.If(clear):
            m.d.sync += [after.eq(1), loading.eq(0)]
        with m.Elif(load):
            m.d.sync += [after.eq(1), loading.eq(1)]
        with m.Elif(loading):
            m.d.sync += [after.eq(after + 1), loading.eq(after != steps)]

    def last(self, name: str, after: Value) -> Value:
        return self._table.read(after, self._enable)
