# SPDX-License-Identifier: Apache-2.0
"""The powers of tau of a hash unit: of a single key, or copied for each sector."""

from collections.abc import Sequence
from typing import Any, Protocol

from amaranth import Cat, Const, Module, Signal, Value
from amaranth.lib import memory

from wideblock.rtl.stream.storage import store

from .words import ControlWords

__all__ = ["CopiedPowers", "Powers", "StoredPowers", "read_row"]


class Powers(Protocol):
    """Powers, as operands read them."""

    def read(self, u: int, field: str) -> Value:
        """The power for multiplier ``u`` in the row of ``field`` of the control word."""
        ...

    def square(self) -> Value:
        """tau^2."""
        ...


class StoredPowers:
    """Powers of a single key in a ``memory``, selected by the ``word`` of a step."""

    def __init__(self, m: Module, of: memory.Memory, word: Any, control: ControlWords):
        self.memory = of
        self._m, self._word, self._control = m, word, control

    def read(self, u: int, field: str) -> Value:
        return read_row(self._m, self.memory, self._word[field])

    def square(self) -> Value:
        return read_row(self._m, self.memory, Const(self._control.powers[2]))


class CopiedPowers:
    """Powers of each sector under way, in a bank of memory each.

    A power is read into a register as a step is ``decided``, a cycle ahead of the data: a power does not change during
    the reads of a sector. ``banks``: bank of each multiplier's sector.
    """

    def __init__(self, m: Module, control: ControlWords, decided: Any, banks: Sequence[Value], *, clear: Value):
        self._m, self._control, self._decided, self._banks, self._clear = m, control, decided, banks, clear
        self._row_bits = (len(control.powers) - 1).bit_length()
        depth = 1 << (self._row_bits + len(banks[0]))
        m.submodules.powers = self._powers = memory.Memory(shape=128, depth=depth, init=[])
        self._constants: memory.Memory | None = None
        if control.constant is not None:
            m.submodules.constants = self._constants = memory.Memory(shape=128, depth=1 << len(banks[0]), init=[])

    def write(self, row: Value, bank: Value, value: Value, enable: Value, *, clear_row: Value) -> None:
        """Stores a power of the sector of a ``bank``."""
        number = row[: self._row_bits]
        clearing = {"clear": self._clear, "clear_row": clear_row}
        store(self._m, self._powers, Cat(number, bank), value, enable, **clearing)
        if self._constants is not None:
            constant = enable & (number == self._control.powers[self._control.constant])
            store(self._m, self._constants, bank, value, constant, **clearing)

    def read(self, u: int, field: str) -> Value:
        row = self._decided[field][: self._row_bits]
        return self._registered(f"{field}_ahead", read_row(self._m, self._powers, Cat(row, self._banks[u])))

    def constant(self, u: int) -> Value:
        """The power in a right operand of multiplier ``u``, or nothing."""
        assert self._constants is not None, "a right operand takes a power"
        taken = self._decided[f"constant{u}"].replicate(128)
        return self._registered(f"constant{u}_ahead", read_row(self._m, self._constants, self._banks[u]) & taken)

    def square(self) -> Value:
        raise NotImplementedError("squares are made as the powers are copied")

    def _registered(self, name: str, value: Value) -> Value:
        register = Signal(128, name=name)
        self._m.d.sync += register.eq(value)
        with self._m.If(self._clear):
            self._m.d.sync += register.eq(0)
        return register


def read_row(m: Module, of: memory.Memory, row: Value) -> Value:
    """A word of a small memory, without delay: distributed memory, a table a bit."""
    port = of.read_port(domain="comb")
    m.d.comb += port.addr.eq(row)
    return port.data
