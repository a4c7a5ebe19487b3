# SPDX-License-Identifier: Apache-2.0
"""State shared by the stages of a sector core: sector pointers, tag delay lines, per-sector memories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.hdl import ValueLike
from amaranth.lib import data

from wideblock.rtl.pipeline import later

from .storage import Ring, Slots

__all__ = ["StageFrame", "Stages", "blocks", "power_of_two", "select"]


class Stages:
    """Makes the registers and memories between the stages of a core, cleared while ``clear`` is high.

    ``slots`` sectors, a power of two, can be under way. A sector has ``rows`` rows in a ring. The control is
    ``ahead`` cycles ahead of the data.
    """

    def __init__(self, m: Module, *, slots: int, rows: int, clear: Value, clear_row: Value, ahead: int = 0):
        self._m, self._slots, self._clear, self._clear_row, self._ahead = m, slots, clear, clear_row, ahead
        self.slot_bits = slots.bit_length() - 1
        self._row_bits = power_of_two(rows).bit_length() - 1

    def later(self, name: str, value: ValueLike) -> Value:
        """``value`` of the control in the cycle in which the data move; see :func:`wideblock.rtl.pipeline.later`."""
        return later(self._m, name, value, cycles=self._ahead, clear=self._clear)

    def pointer(self, name: str, advance: Value) -> Signal:
        """Number of the next sector at a stage, ``<name>_sector``; an extra bit tells none from all.

        ``name`` is the stage's name in the family's flow, perhaps with a suffix:

        <stage>:         advances with the last step of a sector
        <stage>_done:    advances with the last result
        <stage>_due:     advances with the last result that comes in the next cycle
        <stage>_ready:   the first sector that may not pass the stage yet
        <stage>_<event>: advances with an event of the stage's hash
        """
        value = Signal(self.slot_bits + 1, name=f"{name}_sector")
        with self._m.If(self._clear):
            self._m.d.sync += value.eq(0)
        with self._m.Elif(advance):
            self._m.d.sync += value.eq(value + 1)
        return value

    def hold(self, register: Signal, value: ValueLike, enable: Value) -> None:
        """Makes ``register`` the ``value`` of the last cycle with ``enable``."""
        with self._m.If(self._clear):
            self._m.d.sync += register.eq(0)
        with self._m.Elif(enable):
            self._m.d.sync += register.eq(value)

    def slots(self, name: str, width: int = 128, *, values: int = 1) -> Slots:
        """A value of each sector under way, or ``values`` of each; see :meth:`value`."""
        slots = self._slots << (values - 1).bit_length()
        return Slots(self._m, name, width=width, slots=slots, clear=self._clear, clear_row=self._clear_row)

    def value(self, number: Value, sector: Value, values: int) -> Value:
        """The slot of a value where there are ``values`` of each sector."""
        bits = (values - 1).bit_length()
        number = Value.cast(number)[:bits]
        return Cat(number, Const(0, bits - len(number)), sector[: self.slot_bits])

    def ring(self, name: str, width: int) -> Ring:
        """A row of ``width`` bits for each of a sector's rows, for the sectors under way; see :meth:`row`."""
        depth = self._slots << self._row_bits
        return Ring(self._m, name, width=width, depth=depth, clear=self._clear, clear_row=self._clear_row)

    def row(self, number: Value, sector: Value) -> Value:
        """Address of a row in a ring; ``number`` has no bits where a sector is one row."""
        number = Value.cast(number[: self._row_bits])
        return Cat(number, Const(0, self._row_bits - len(number)), sector[: self.slot_bits])

    def delayed(self, name: str, cycles: int, **entering: ValueLike) -> list[Any]:
        """Flags and small numbers with a delay of 0, 1, 2 and up to ``cycles`` cycles."""
        values = {field: Value.cast(value) for field, value in entering.items()}
        layout = data.StructLayout({field: len(value) for field, value in values.items()})
        tags: list[Any] = [Signal(layout, name=f"{name}_entering")]
        self._m.d.comb += [tags[0][field].eq(value) for field, value in values.items()]
        for k in range(cycles):
            tags.append(Signal(layout, name=f"{name}{k}"))
            self._m.d.sync += tags[-1].eq(tags[-2])
            with self._m.If(self._clear):
                self._m.d.sync += tags[-1].eq(0)
        return tags


@dataclass(frozen=True)
class StageFrame:
    """Part of each value that all stages of a core share.

    Flags, counters and pointers of sectors are of the control, ahead of the data; :meth:`later` delays a value of the
    control to the data.
    """

    m: Module
    stages: Stages
    clear: Value

    def later(self, name: str, value: ValueLike) -> Value:
        """``value`` of the control in the cycle in which the data move; see :meth:`Stages.later`."""
        return self.stages.later(name, value)


def power_of_two(n: int) -> int:
    """The least power of two, 2 or more, that is not below ``n``."""
    return 1 << max(1, (n - 1).bit_length())


def blocks(beat: Value, width: int) -> list[Value]:
    """The blocks of a beat, the first from its low bits."""
    return [beat[128 * k : 128 * k + 128] for k in range(width)]


def select(values: Sequence[Value], index: Value) -> Value:
    """``values[index]``, of a power of two values."""
    result = values[0]
    for k, value in enumerate(values[1:], 1):
        result = Mux(index == k, value, result)
    return result
