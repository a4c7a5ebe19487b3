# SPDX-License-Identifier: Apache-2.0
"""The hardware of a register map: storage, actions and events of its fields, made from their accesses."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.axi_lite import register_access
from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES, Access, Register, RegisterField, RegisterMap
from wideblock.rtl.bytes import bits

__all__ = ["RegisterFile"]

_STORED = (Access.RW, Access.W1S)


@dataclass(frozen=True)
class _Place:
    """A field of one register, ``word`` its address in words."""

    register: Register
    field: RegisterField
    index: int
    word: int

    @property
    def name(self) -> str:
        number = str(self.index) if self.register.count > 1 else ""
        return f"{self.register.name}{number}_{self.field.name}".lower()


class RegisterFile(wiring.Component):
    """Registers of ``registers``, without the registers ``outside``.

    Each field has a member, except constants: ``policy_replace`` for field REPLACE of register POLICY, and
    ``fault_count3_count`` for a register of several. The member of a stored field (RW, W1S) is an output, the value; of
    an action (W1P) an output that pulses; of a field that hardware sets (RO) an input. A field W1C is a value; pulses
    on ``set_`` and the name set bits, and win over a write.

    bus:          in, accesses to the registers; the word of a read comes in the next cycle, 0 in all other cycles
    frozen:       in, a write of a register of ``freezable`` is refused
    stop:         in, the write of this cycle is refused
    outside_data: in, words of reads outside of the file, each in the cycle of the bus, else 0

    A write of a register without a writable field is refused, too. A refused write changes nothing.

    Timing: a value follows a write in the next cycle; an action pulses in the cycle of the write.
    Cost:   a flip-flop a stored bit, and the multiplexer of reads.
    """

    def __init__(self, registers: RegisterMap, *, outside: Collection[str] = (), freezable: Collection[str] = ()):
        self.registers, self.outside, self.freezable = registers, frozenset(outside), frozenset(freezable)
        members: dict[str, Any] = {}
        for place in self._places():
            width, access = place.field.bits, place.field.access
            if place.field.constant:
                continue
            if access is Access.RO:
                members[place.name] = In(width)
            elif access is Access.W1P:
                members[place.name] = Out(width)
            elif access is Access.W1C:
                members[place.name] = Out(width, init=place.field.reset)
                members[f"set_{place.name}"] = In(width)
            elif access in _STORED:
                members[place.name] = Out(width, init=place.field.reset)
            else:
                raise ValueError(f"{place.register.name} is {access.name}, so it must be outside of the file")
        super().__init__(
            {
                "bus": In(register_access(registers.address_bits)),
                **dict.fromkeys(("stop", "frozen"), In(1)),
                "outside_data": In(data.ArrayLayout(REGISTER_BITS, 2)),
                **members,
            }
        )

    def _places(self) -> Iterator[_Place]:
        for register in self.registers.registers:
            if register.name not in self.outside:
                for index in range(register.count):
                    for field in register.fields:
                        yield _Place(register, field, index, register.offset // REGISTER_BYTES + index)

    def elaborate(self, platform):
        m = Module()
        shown: dict[int, list[tuple[int, Value]]] = {}
        of = {place.word: place.register for place in self._places()}
        bus = self.bus
        refused = Signal()
        word = Signal(REGISTER_BITS, name="read_word")
        m.d.comb += [
            bus.refused.eq(refused | self.stop),
            bus.read_data.eq(word | self.outside_data[0] | self.outside_data[1]),
        ]
        with m.Switch(bus.write_address):
            with m.Case(*(word for word, register in of.items() if not register.writable)):
                m.d.comb += refused.eq(1)
            with m.Case(*(word for word, register in of.items() if register.name in self.freezable)):
                m.d.comb += refused.eq(self.frozen)
        for each in self._places():
            field = each.field
            if field.constant:
                value: Value = Const(field.reset, field.bits)
            else:
                value = getattr(self, each.name)
                self._written(m, each, value)
            if field.access.readable:
                shown.setdefault(each.word, []).append((field.low, value))
        with m.Switch(bus.read_address):
            for place, parts in shown.items():
                with m.Case(place):
                    m.d.sync += word.eq(_word(parts))
            with m.Default():
                m.d.sync += word.eq(0)
        with m.If(~bus.read):
            m.d.sync += word.eq(0)
        return m

    def _written(self, m: Module, place: _Place, value: Value) -> None:
        """Effect of a write on a field, if its access has one."""
        field, access = place.field, place.field.access
        bus = self.bus
        here = bus.write & (bus.write_address == place.word) & ~self.stop
        bit = slice(field.low, field.low + field.bits)
        ones = bus.write_data[bit] & bits(bus.write_strobe)[bit] & here.replicate(field.bits)
        if access is Access.W1P:
            m.d.comb += value.eq(ones)
        elif access is Access.W1C:
            m.d.sync += value.eq((value & ~ones) | getattr(self, f"set_{place.name}"))
        elif access is Access.W1S:
            m.d.sync += value.eq(value | ones)
        elif access is Access.RW:
            changes = here & ~self.frozen if place.register.name in self.freezable else here
            for byte, strobe in enumerate(bus.write_strobe):
                low, end = max(bit.start, 8 * byte), min(bit.stop, 8 * byte + 8)
                if low < end:
                    with m.If(changes & strobe):
                        m.d.sync += value[low - bit.start : end - bit.start].eq(bus.write_data[low:end])


def _word(parts: list[tuple[int, Value]]) -> Value:
    """A register's word of its fields, each at its low bit."""
    word: list[Value] = []
    end = 0
    for low, value in parts:
        word += [Const(0, low - end), value]
        end = low + len(value)
    return Cat(*word)
