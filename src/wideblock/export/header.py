# SPDX-License-Identifier: Apache-2.0
"""C header of register maps."""

from collections.abc import Iterator, Sequence

from wideblock.rtl.bus.registers import Register, RegisterField, RegisterMap

__all__ = ["PREFIX", "c_header"]

PREFIX = "WIDEBLOCK"
"""Beginning of every name in the header, whatever the core is called: a driver serves all of them."""


def c_header(name: str, maps: Sequence[RegisterMap]) -> str:
    """Returns a header for C11 and C++17: offsets in bytes, numbers of registers, masks, shifts and values of fields.

    ``name`` is that of the core. Names are ``WIDEBLOCK_MAP_REGISTER``, with ``_FIELD`` where they are about a field,
    and ``_OFFSET``, ``_COUNT``, ``_RESET``, ``_SHIFT``, ``_MASK`` or the name of a value behind. Raises ValueError if
    two names are equal.
    """
    guard = f"{PREFIX}_REGS_{name.upper()}_H"
    body = [line for each in maps for line in _map(each)]
    names = [word for line in body if (word := _defined(line))]
    if repeated := sorted({word for word in names if names.count(word) > 1}):
        raise ValueError(f"the registers give the name {repeated[0]} twice")
    return "\n".join(
        [
            "/* SPDX-License-Identifier: Apache-2.0 */",
            f"/* Registers of {name}. Offsets are in bytes; every register has 32 bits. */",
            f"#ifndef {guard}",
            f"#define {guard}",
            *body,
            "",
            f"#endif /* {guard} */",
            "",
        ]
    )


def _map(registers: RegisterMap) -> Iterator[str]:
    prefix = f"{PREFIX}_{registers.name}"
    yield ""
    yield from _comment(registers.text)
    yield f"#define {prefix}_BYTES 0x{registers.bytes:x}u"
    for register in registers.registers:
        yield from _register(f"{prefix}_{register.name}", register)


def _register(prefix: str, register: Register) -> Iterator[str]:
    yield ""
    yield from _comment(register.text)
    yield f"#define {prefix}_OFFSET 0x{register.offset:03x}u"
    yield f"#define {prefix}_COUNT {register.count}u"
    yield f"#define {prefix}_RESET 0x{register.reset:08x}u"
    for field in register.fields:
        yield from _field(f"{prefix}_{field.name}", field)


def _field(prefix: str, field: RegisterField) -> Iterator[str]:
    yield from _comment(f"{field.access.name}: {field.text}")
    yield f"#define {prefix}_SHIFT {field.low}u"
    yield f"#define {prefix}_MASK 0x{field.mask:08x}u"
    if field.values:
        yield f"enum {prefix.lower()} {{"
        for value in field.values:
            yield from _comment(value.text, "  ")
            yield f"  {prefix}_{value.name} = {value.value},"
        yield "};"


def _comment(text: str, indent: str = "") -> Iterator[str]:
    yield f"{indent}/* {text.replace('*/', '* /')} */"


def _defined(line: str) -> str | None:
    """The name that a line defines, if any."""
    words = line.split()
    if line.startswith("#define"):
        return words[1]
    return words[0] if len(words) > 1 and words[1] == "=" else None
