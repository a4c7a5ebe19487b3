# SPDX-License-Identifier: Apache-2.0
"""Multiples of a derived word, which number the pairs: made on the fly, or stored in a table."""

from functools import reduce
from operator import xor

from amaranth import Const, Module, Signal, Value

from wideblock.rtl.stream.stages import power_of_two
from wideblock.rtl.stream.storage import Ring

__all__ = ["Multiples", "StoredMultiples"]


class Multiples:
    """j J for the pairs of a step; ``powers`` are J, 2 J, 4 J, .. Lane q of step t has j = t lanes + q + 1.

    The last lane's multiple is made on the fly, the sum of the powers for the bits of j. The other lanes' are that of
    the last lane in the step before, plus :meth:`within`.

    Cost: for each reader and each bit of j an AND and an XOR gate a bit of J, and 128 registers.
    """

    loaded: Value = Const(1)
    """The multiples are those of the present J."""

    def __init__(self, m: Module, powers: list[Value], *, lanes: int):
        self._m, self._powers, self._lanes = m, powers, lanes

    def within(self, q: int) -> Value:
        """(q + 1) J, for a lane before the last."""
        return reduce(xor, (power for bit, power in enumerate(self._powers) if (q + 1) >> bit & 1))

    def last(self, name: str, step: Value) -> Value:
        """The multiple of the last lane in ``step``, one cycle later."""
        multiple = Signal(128, name=name)
        self._m.d.sync += multiple.eq(self._last(step))
        return multiple

    def _last(self, step: Value) -> Value:
        j = (step + 1) * self._lanes
        return reduce(xor, (power & bit.replicate(128) for power, bit in zip(self._powers, j, strict=False)))


class StoredMultiples(Multiples):
    """The same multiples from a table, which is written after each cycle of ``load``, and read while ``enable``.

    Timing: a row a cycle is written, from the cycle after ``load`` on; ``loaded`` after ``steps`` of them.
    Cost:   block RAM of 128 bits a step, for each reader; the circuit that makes the multiples, once.
    """

    def __init__(
        self,
        m: Module,
        powers: list[Value],
        *,
        lanes: int,
        steps: int,
        load: Value,
        enable: Value,
        clear: Value,
        clear_row: Value,
    ):
        super().__init__(m, powers, lanes=lanes)
        step, loading = Signal(range(steps), name="table_step"), Signal(name="table_loading")
        self._enable, self.loaded = enable, ~loading
        self._table = Ring(m, "table", width=128, depth=power_of_two(steps), clear=clear, clear_row=clear_row)
        self._table.write(step, self._last(step), loading)
        with m.If(clear):
            m.d.sync += [step.eq(0), loading.eq(0)]
        with m.Elif(load):
            m.d.sync += [step.eq(0), loading.eq(1)]
        with m.Elif(loading):
            m.d.sync += [step.eq(step + 1), loading.eq(step != steps - 1)]

    def last(self, name: str, step: Value) -> Value:
        return self._table.read(step, self._enable)
