# SPDX-License-Identifier: Apache-2.0
"""SystemRDL description of register maps."""

from collections.abc import Iterator, Sequence

from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES, Access, Register, RegisterField, RegisterMap

__all__ = ["systemrdl"]

_SOFTWARE = {Access.RO: "r", Access.RW: "rw", Access.WO: "w", Access.W1C: "rw", Access.W1S: "rw", Access.W1P: "w"}
_EFFECT = {Access.W1C: ("onwrite = woclr;",), Access.W1S: ("onwrite = woset;",), Access.W1P: ("singlepulse;",)}


def systemrdl(name: str, maps: Sequence[RegisterMap]) -> str:
    """Returns an address map ``NAME_MAP`` for each register map of core ``name``.

    Source: Accellera SystemRDL 2.0. A field that hardware changes has ``hw`` with ``w``; a constant has ``hw = na``.
    """
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// Registers of {name}.", ""]
    for each in maps:
        lines += [f"addrmap {name}_{each.name.lower()} {{", *_indented(_map(each)), "};", ""]
    return "\n".join(lines)


def _map(registers: RegisterMap) -> Iterator[str]:
    yield f"name = {_string(registers.name)};"
    yield f"desc = {_string(registers.text)};"
    yield f"default regwidth = {REGISTER_BITS};"
    yield f"default accesswidth = {REGISTER_BITS};"
    for register in registers.registers:
        yield ""
        yield "reg {"
        yield from _indented(_register(register))
        many = f"[{register.count}]" if register.count > 1 else ""
        step = f" += {REGISTER_BYTES:#x}" if many else ""
        yield f"}} {register.name}{many} @ {register.offset:#x}{step};"


def _register(register: Register) -> Iterator[str]:
    yield f"name = {_string(register.name)};"
    yield f"desc = {_string(register.text)};"
    for field in register.fields:
        if field.values:
            yield f"enum {field.name}_values {{"
            for value in field.values:
                yield f"  {value.name} = {field.bits}'h{value.value:x} {{ desc = {_string(value.text)}; }};"
            yield "};"
        yield "field {"
        yield from _indented(_field(field))
        yield f"}} {field.name}[{field.low + field.bits - 1}:{field.low}] = {field.bits}'h{field.reset:x};"


def _field(field: RegisterField) -> Iterator[str]:
    hardware = "w" if field.volatile else "na"
    if field.access is not Access.RO:
        hardware = "rw" if field.volatile else "r"
    yield f"desc = {_string(field.text)};"
    yield f"sw = {_SOFTWARE[field.access]};"
    yield f"hw = {hardware};"
    yield from _EFFECT.get(field.access, ())
    if field.values:
        yield f"encode = {field.name}_values;"


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}".rstrip() for line in lines)


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
