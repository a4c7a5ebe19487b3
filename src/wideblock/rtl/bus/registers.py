# SPDX-License-Identifier: Apache-2.0
"""Registers as values, the source of hardware, C header, SystemRDL, IP-XACT and tables of the documents."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

__all__ = ["REGISTER_BITS", "REGISTER_BYTES", "Access", "Register", "RegisterField", "RegisterMap", "RegisterValue"]
__all__ += ["data_word", "register_words", "state_bit"]

REGISTER_BITS = 32
"""Bits of every register."""

REGISTER_BYTES = REGISTER_BITS // 8

_NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*\Z")


class Access(Enum):
    """Effect of the bus on a field; the value is the meaning.

    A write counts for the bytes with high strobes, and leaves a field that cannot be written. A write of a register
    without any field to write is answered with SLVERR.
    """

    RO = "read only"
    RW = "read and write"
    WO = "write only; reads 0"
    W1C = "read; a written 1 clears the bit, a 0 leaves it"
    W1S = "read; a written 1 sets the bit until reset, a 0 leaves it"
    W1P = "a written 1 starts an action; reads 0"

    @property
    def readable(self) -> bool:
        """Whether a read shows the field; a hidden field reads 0."""
        return self not in (Access.WO, Access.W1P)


@dataclass(frozen=True)
class RegisterValue:
    """A named value of a field."""

    name: str
    value: int
    text: str


@dataclass(frozen=True)
class RegisterField:
    """Bits ``low + bits - 1`` to ``low`` of a register.

    text:     meaning, a phrase without a full stop
    reset:    value after reset
    volatile: the hardware changes the field, too; a read-only field that is not volatile is the constant ``reset``
    values:   named values

    Raises ValueError for bits outside of a register, a reset or a value that does not fit, and for a name or a value
    given twice.
    """

    name: str
    low: int
    bits: int
    access: Access
    text: str
    reset: int = 0
    volatile: bool = False
    values: tuple[RegisterValue, ...] = ()

    def __post_init__(self):
        _check_name("field", self.name)
        if not (self.low >= 0 and self.bits >= 1 and self.low + self.bits <= REGISTER_BITS):
            raise ValueError(
                f"field {self.name} must be within bits {REGISTER_BITS - 1} to 0, got low {self.low}, bits {self.bits}"
            )
        for what, value in (("reset", self.reset), *((value.name, value.value) for value in self.values)):
            if not 0 <= value < 1 << self.bits:
                raise ValueError(f"field {self.name} has {self.bits} bits; {what} {value} does not fit")
        for value in self.values:
            _check_name("value", value.name)
        _check_unlike(f"field {self.name}", "names", [value.name for value in self.values])
        _check_unlike(f"field {self.name}", "values", [value.value for value in self.values])
        if self.access in (Access.W1P, Access.WO) and self.reset:
            raise ValueError(f"field {self.name} reads 0, so its reset must be 0, got {self.reset}")

    @property
    def mask(self) -> int:
        """The bits of the field in its register."""
        return ((1 << self.bits) - 1) << self.low

    @property
    def constant(self) -> bool:
        """Whether every read gives the same value."""
        return self.access is Access.RO and not self.volatile


@dataclass(frozen=True)
class Register:
    """A register of 32 bits at byte ``offset`` of the map, or ``count`` registers in a row with equal fields.

    fields: from the low bits up; bits outside of the fields read 0 and are not written
    text:   meaning, in sentences

    Raises ValueError for an offset that is not a multiple of 4, and for fields out of order or with common bits.
    """

    name: str
    offset: int
    text: str
    fields: tuple[RegisterField, ...]
    count: int = 1

    def __post_init__(self):
        _check_name("register", self.name)
        if self.offset < 0 or self.offset % REGISTER_BYTES:
            raise ValueError(
                f"register {self.name} must be at a multiple of {REGISTER_BYTES} bytes, got {self.offset:#x}"
            )
        if self.count < 1:
            raise ValueError(f"register {self.name} must be there once or more often, got {self.count}")
        if not self.fields:
            raise ValueError(f"register {self.name} must have a field")
        _check_unlike(f"register {self.name}", "fields", [field.name for field in self.fields])
        end = 0
        for each in self.fields:
            if each.low < end:
                raise ValueError(f"field {each.name} of register {self.name} overlaps another or is out of order")
            end = each.low + each.bits

    @property
    def bytes(self) -> int:
        """Bytes of all ``count`` registers."""
        return self.count * REGISTER_BYTES

    @property
    def end(self) -> int:
        """Offset of the byte behind the register."""
        return self.offset + self.bytes

    @property
    def reset(self) -> int:
        """Value after reset."""
        return sum(each.reset << each.low for each in self.fields)

    @property
    def readable(self) -> int:
        """Mask of the bits shown by a read."""
        return sum(each.mask for each in self.fields if each.access.readable)

    @property
    def writable(self) -> bool:
        """Whether a write can have an effect."""
        return any(field.access is not Access.RO for field in self.fields)

    def field(self, name: str) -> RegisterField:
        """The field called ``name``. Raises KeyError for an unknown name."""
        return _by_name(self.fields, name, f"no field {name}; there are")


@dataclass(frozen=True)
class RegisterMap:
    """The registers behind a bus interface.

    registers: in the order of offsets
    channel:   beginning of the channels' names, see ``axi_lite_channels``

    Raises ValueError for registers out of order, with common bytes, or with equal names.
    """

    name: str
    text: str
    registers: tuple[Register, ...]
    channel: str = ""

    def __post_init__(self):
        _check_name("register map", self.name)
        if not self.registers:
            raise ValueError(f"register map {self.name} must have a register")
        _check_unlike(f"register map {self.name}", "registers", [each.name for each in self.registers])
        end = 0
        for each in self.registers:
            if each.offset < end:
                raise ValueError(
                    f"register {each.name} at {each.offset:#x} overlaps another or is out of order; the next free "
                    f"offset is {end:#x}"
                )
            end = each.end

    @property
    def address_bits(self) -> int:
        """Bits of a byte address for every register."""
        return max(3, (self.registers[-1].end - 1).bit_length())

    @property
    def bytes(self) -> int:
        """Bytes of the address range, a power of two."""
        return 1 << self.address_bits

    def register(self, name: str) -> Register:
        """The register called ``name``. Raises KeyError for an unknown name."""
        return _by_name(self.registers, name, f"{self.name} has no register {name}; it has")

    def offset(self, name: str, index: int = 0) -> int:
        """Byte offset of the register called ``name``; of several, number ``index``."""
        register = self.register(name)
        if not 0 <= index < register.count:
            raise IndexError(f"{name} has numbers 0 to {register.count - 1}, got {index}")
        return register.offset + index * REGISTER_BYTES

    def json(self) -> dict[str, Any]:
        """The map as plain values."""

        def plain(field: RegisterField) -> dict[str, Any]:
            values = {value.name: value.value for value in field.values}
            about = {"name": field.name, "low": field.low, "bits": field.bits, "access": field.access.name}
            return about | {"reset": field.reset, "volatile": field.volatile, "meaning": field.text, "values": values}

        registers = [
            {
                **{"name": each.name, "offset": each.offset, "count": each.count, "reset": each.reset},
                **{"meaning": each.text, "fields": [plain(field) for field in each.fields]},
            }
            for each in self.registers
        ]
        return {"name": self.name, "meaning": self.text, "bytes": self.bytes, "registers": registers}

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Ranges of bytes with registers: offset of the first byte, and offset behind the last byte."""
        start = end = self.registers[0].offset
        for each in self.registers:
            if each.offset != end:
                yield start, end
                start = each.offset
            end = each.end
        yield start, end


def state_bit(name: str, low: int, text: str) -> RegisterField:
    """A bit with a state of the hardware."""
    return RegisterField(name, low, 1, Access.RO, text, volatile=True)


def data_word(text: str, access: Access, *, volatile: bool = False) -> tuple[RegisterField, ...]:
    """The field of a register of data."""
    return (RegisterField("WORD", 0, REGISTER_BITS, access, text, volatile=volatile),)


def register_words(data: bytes) -> list[int]:
    """Bytes as words: the first of each four bytes in bits 7..0; zeros fill the last word."""
    return [int.from_bytes(data[at : at + REGISTER_BYTES], "little") for at in range(0, len(data), REGISTER_BYTES)]


T = TypeVar("T", Register, RegisterField)


def _by_name(among: tuple[T, ...], name: str, else_: str) -> T:
    """The entry called ``name``. Raises KeyError: ``else_``, then the known names."""
    found = {each.name: each for each in among}
    if name not in found:
        raise KeyError(f"{else_} {', '.join(found)}")
    return found[name]


def _check_name(what: str, name: str) -> None:
    if not _NAME.match(name):
        raise ValueError(f"the name of a {what} must be of capitals, digits and single underscores, got {name!r}")


def _check_unlike(where: str, what: str, values: list) -> None:
    if repeated := sorted({value for value in values if values.count(value) > 1}):
        raise ValueError(f"{what} of {where} must differ, got {repeated[0]} twice")
