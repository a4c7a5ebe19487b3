# SPDX-License-Identifier: Apache-2.0
"""Memories of a core with clearing: while clearing, each written word is zero."""

from amaranth import Module, Mux, Signal, Value
from amaranth.hdl import ValueLike
from amaranth.lib import memory

__all__ = ["Delay", "Ring", "Slots", "store"]


def store(
    m: Module,
    of: memory.Memory,
    address: ValueLike,
    value: ValueLike,
    enable: ValueLike,
    *,
    clear: Value,
    clear_row: Value,
) -> None:
    """Stores ``value`` at the end of a cycle with ``enable``; while ``clear``, zero in ``clear_row`` each cycle.

    Cost: an AND gate a bit of ``value``, perhaps in the table of the bit.
    """
    port = of.write_port()
    m.d.comb += [port.addr.eq(address), port.data.eq(value), port.en.eq(enable)]
    with m.If(clear):
        m.d.comb += [port.addr.eq(clear_row), port.data.eq(0), port.en.eq(1)]


class Slots:
    """One value of ``width`` bits for each sector under way, in distributed memory.

    A single place of the datapath writes, any number of places read, in the cycle of the address.
    """

    def __init__(self, m: Module, name: str, *, width: int, slots: int, clear: Value, clear_row: Value):
        self._m, self._clear, self._clear_row = m, clear, clear_row
        self._memory = memory.Memory(shape=width, depth=slots, init=[])
        m.submodules[name] = self._memory

    def write(self, slot, value, enable) -> None:
        """Stores ``value`` at the end of a cycle with ``enable``."""
        store(self._m, self._memory, slot, value, enable, clear=self._clear, clear_row=self._clear_row)

    def read(self, slot) -> Value:
        """The value of ``slot``, in this cycle."""
        port = self._memory.read_port(domain="comb")
        self._m.d.comb += port.addr.eq(slot)
        return port.data


class Ring:
    """A buffer of whole sectors in block memory: one beat in and one beat out a cycle.

    A beat is never read in the cycle of the write: the memory may return anything then.
    """

    def __init__(self, m: Module, name: str, *, width: int, depth: int, clear: Value, clear_row: Value):
        self._m, self._clear, self._clear_row = m, clear, clear_row
        self._memory = memory.Memory(shape=width, depth=depth, init=[], attrs={"ram_style": "block", "no_rw_check": 1})
        m.submodules[name] = self._memory

    def write(self, address, value, enable) -> None:
        """Stores a beat at the end of a cycle with ``enable``."""
        store(self._m, self._memory, address, value, enable, clear=self._clear, clear_row=self._clear_row)

    def read(self, address, enable) -> Value:
        """The beat at ``address``, one cycle later, held while ``enable`` is low."""
        port = self._memory.read_port(domain="sync")
        self._m.d.comb += [port.addr.eq(address), port.en.eq(enable)]
        return port.data


class Delay:
    """``value`` of ``cycles`` cycles ago: the last cycle in registers, the others in distributed memory.

    ``ahead`` is ``value`` a cycle earlier, from the memory.
    """

    def __init__(self, m: Module, name: str, value: Value, *, cycles: int, clear: Value, clear_row: Value):
        if cycles > 1:
            value = self._stored(m, name, value, cycles - 1, clear, clear_row)
        else:
            value = value & ~clear.replicate(len(value))
        self.ahead = value
        self.value = Signal(len(value), name=f"{name}_value", reset_less=True)
        m.d.sync += self.value.eq(value)

    @staticmethod
    def _stored(m: Module, name: str, value: Value, cycles: int, clear: Value, clear_row: Value) -> Value:
        """``value`` of ``cycles`` cycles ago."""
        depth = 1 << cycles.bit_length()
        m.submodules[name] = ring = memory.Memory(shape=len(value), depth=depth, init=[])
        read = ring.read_port(domain="comb")
        now = Signal(range(depth), name=f"{name}_now")
        then = Signal(range(depth), name=f"{name}_then", init=depth - cycles)
        m.d.sync += [now.eq(Mux(clear, 0, now + 1)), then.eq(Mux(clear, then.init, then + 1))]
        store(m, ring, now, value, 1, clear=clear, clear_row=clear_row)
        m.d.comb += read.addr.eq(then)
        return read.data
