# SPDX-License-Identifier: Apache-2.0
"""The hardware of a register map: storage, actions and events of its fields, made from their accesses."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Const, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

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
    """Registers of ``registers`` but those ``outside``, which others answer.

    Each field that is not a constant has a member, for example ``policy_replace`` of field REPLACE of register POLICY,
    of one of several registers ``fault_count3_count``. It is the value of a field that is stored (RW, W1S), a pulse of
    one that starts an action (W1P), and an input for one that hardware alone sets (RO). A field W1C is a value; pulses
    of its bits come in ``set_`` and the name, and win over a write.

    ``write`` pulses with ``address`` in words, ``data`` and ``strobe``. In that cycle ``refused`` is high if it changes
    nothing: the register has no field that can be written, or it is one of ``freezable`` while ``frozen``. With
    ``stop`` a write changes nothing, either. ``read`` asks for ``read_address``; ``read_data`` is its word in the next
    cycle, and 0 in all others.

    Timing: a value follows a write in the next cycle; an action pulses in the cycle of the write.
    Cost:   a flip-flop a stored bit, and the multiplexer of reads.
    """

    def __init__(self, registers: RegisterMap, *, outside: Collection[str] = (), freezable: Collection[str] = ()):
        self.registers, self.outside, self.freezable = registers, frozenset(outside), frozenset(freezable)
        words = registers.address_bits - 2
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
                "write": In(1),
                "address": In(words),
                "data": In(REGISTER_BITS),
                "strobe": In(REGISTER_BYTES),
                "stop": In(1),
                "refused": Out(1),
                "read": In(1),
                "read_address": In(words),
                "read_data": Out(REGISTER_BITS),
                "frozen": In(1),
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
        with m.Switch(self.address):
            with m.Case(*(word for word, register in of.items() if not register.writable)):
                m.d.comb += self.refused.eq(1)
            with m.Case(*(word for word, register in of.items() if register.name in self.freezable)):
                m.d.comb += self.refused.eq(self.frozen)
        for place in self._places():
            field = place.field
            if field.constant:
                value: Value = Const(field.reset, field.bits)
            else:
                value = getattr(self, place.name)
                self._written(m, place, value)
            if field.access.readable:
                shown.setdefault(place.word, []).append((field.low, value))
        with m.Switch(self.read_address):
            for word, parts in shown.items():
                with m.Case(word):
                    m.d.sync += self.read_data.eq(_word(parts))
            with m.Default():
                m.d.sync += self.read_data.eq(0)
        with m.If(~self.read):
            m.d.sync += self.read_data.eq(0)
        return m

    def _written(self, m: Module, place: _Place, value: Value) -> None:
        """Effect of a write on a field, if its access has one."""
        field, access = place.field, place.field.access
        here = self.write & (self.address == place.word) & ~self.stop
        bit = slice(field.low, field.low + field.bits)
        ones = self.data[bit] & bits(self.strobe)[bit] & here.replicate(field.bits)
        if access is Access.W1P:
            m.d.comb += value.eq(ones)
        elif access is Access.W1C:
            m.d.sync += value.eq((value & ~ones) | getattr(self, f"set_{place.name}"))
        elif access is Access.W1S:
            m.d.sync += value.eq(value | ones)
        elif access is Access.RW:
            changes = here & ~self.frozen if place.register.name in self.freezable else here
            for byte, strobe in enumerate(self.strobe):
                low, end = max(bit.start, 8 * byte), min(bit.stop, 8 * byte + 8)
                if low < end:
                    with m.If(changes & strobe):
                        m.d.sync += value[low - bit.start : end - bit.start].eq(self.data[low:end])


def _word(parts: list[tuple[int, Value]]) -> Value:
    """A register's word of its fields, each at its low bit."""
    word: list[Value] = []
    end = 0
    for low, value in parts:
        word += [Const(0, low - end), value]
        end = low + len(value)
    return Cat(*word)
