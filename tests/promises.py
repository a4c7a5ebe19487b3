# SPDX-License-Identifier: Apache-2.0
"""The surface that docs/promises.md promises to keep, as plain values.

``python -m tests.promises`` adds the new parts of the surface to ``promises.json``, at a release. A promised part that
is gone or different is no new part: the command names it and changes nothing.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import typer

import wideblock
from wideblock import catalog
from wideblock.catalog.changes import written
from wideblock.cli.app import COMMANDS, app
from wideblock.evidence.record import Evidence
from wideblock.export.contract import contract
from wideblock.image.numbering import CONVENTIONS
from wideblock.native.library import HEADER, SOURCE

__all__ = ["PROMISED", "broken", "promised", "surface"]

PROMISED = Path(__file__).with_suffix(".json")
DRIVERS = Path(wideblock.__file__).parent / "export/driver"

ENGINE = {"registers": "axi4-lite", "slots": 4, "sector_bytes": 512}
CORES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("hctr2-1s", {}),
    ("hctr2-2s", {"icv_bytes": 16}),
    ("hctr2-any", {}),
    ("xts-both", {"key_width": 32}),
    ("fast-brw-2s-k", {"tag_bits": 16}),
    ("xts-enc-k", ENGINE),
    ("xts-enc-k", ENGINE | {"header": True, "tag_bits": 8}),
    ("xts-enc-k", ENGINE | {"error_beats": True, "bus_clock": "own"}),
    ("xts-enc-k", ENGINE | {"dma": "axi4"}),
    ("hctr2-1s-k", ENGINE | {"dma": "axi4", "tweak_bytes": 32}),
    ("aes-gcm", {}),
    ("aes-gcm", {"ports": "axi4-stream"}),
)
"""A core of each form of ports, and of each map of registers."""
JSON = ("xts-enc-k", "aes-gcm")
"""Cores of both kinds, the first with registers."""


def surface() -> dict[str, Any]:
    """Names, ports, registers and numbers that a user's design, program or script can depend on, by kind."""
    cores = [contract(name, changes) for name, changes in CORES]
    return {
        "presets": {name: sorted(vars(preset.parameters)) for name, preset in catalog.PRESETS.items()},
        "ports": {core.asked: _ports(core) for core in cores},
        "registers": {f"{core.name} {each.name}": _registers(each) for core in cores for each in core.registers},
        "versions": {f"{core.name} {each.name}": _version(each) for core in cores for each in core.registers},
        "native": {
            "schemes": _schemes(),
            "results": _results(),
            "conventions": sorted(CONVENTIONS),
            **_declared(HEADER.read_text()),
        },
        "drivers": {path.name: _declared(path.read_text()) for path in sorted(DRIVERS.glob("*.h"))},
        "commands": _options(),
        "json": {name: _json(next(core for core in cores if core.name == name)) for name in JSON},
        "python": {name: _members(getattr(wideblock, name)) for name in sorted(wideblock.__all__)},
        "evidence": sorted(Evidence.__dataclass_fields__),
    }


def _ports(core: Any) -> dict[str, Any]:
    """Direction and width of each port, and the fields from the low bits up where there are several."""
    fields = {
        port: [f"{field.name} {field.width}" for field in each]
        for stream in core.shell.streams
        for port, each in stream.payload.items()
        if len(each) > 1
    }
    return {port.name: [port.direction, port.width, *fields.get(port.name, ())] for port in core.ports}


def _registers(of: Any) -> dict[str, Any]:
    """Offset of each register; low bit, bits, access and codes of each field."""
    return {
        each.name: {
            "offset": each.offset,
            **{
                field.name: {
                    "at": [field.low, field.bits, field.access.name],
                    **({"codes": {code.name: code.value for code in field.values}} if field.values else {}),
                }
                for field in each.fields
            },
        }
        for each in of.registers
    }


def _members(of: Any) -> list[str]:
    """Public methods, properties and fields of a class; parameters of a function."""
    if not isinstance(of, type):
        return list(signature(of).parameters)
    return sorted(name for name in {*dir(of), *getattr(of, "__dataclass_fields__", ())} if name[0] != "_")


def _version(of: Any) -> str:
    """MAJOR.MINOR of a map of registers; "none" for the map of a standard."""
    fields = {field.name: field.reset for each in of.registers if each.name == "VERSION" for field in each.fields}
    return "{MAJOR}.{MINOR}".format_map(fields) if fields else "none"


def _json(core: Any) -> dict[str, Any]:
    """Keys that ``info --json`` and ``list --json`` have of a core, parameters under "parameters" alone."""
    values = core.listed() | {name: value for name, value in core.json().items() if name not in core.settings}
    return _keys(json.loads(json.dumps(values | {"changed": None})))


def _keys(value: Any) -> Any:
    """Keys of the objects in a value of JSON; of a list those of the first object."""
    if isinstance(value, dict):
        return {name: _keys(each) for name, each in value.items()}
    return _keys(value[0]) if isinstance(value, list) and value else None


def _schemes() -> list[str]:
    return sorted(re.findall(r'^    X\(\w+, .*?, "([\w-]+)"', (SOURCE / "internal.h").read_text(), re.MULTILINE))


def _results() -> dict[str, int]:
    """Numbers of the results of ``wideblock.h``."""
    (body,) = re.findall(r"^enum \{\n(    WIDEBLOCK_OK = 0,.*?)^\};", HEADER.read_text(), re.MULTILINE | re.DOTALL)
    return {name: number for number, name in enumerate(re.findall(r"^    (\w+)", body, re.MULTILINE))}


def _declared(header: str) -> dict[str, Any]:
    """Functions with their types, members of each struct, and numbers of the constants of a C header."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    functions = re.findall(r"^(\w[\w ]+[ *]wideblock_\w+\([^;]*\));", text, re.MULTILINE)
    structs = re.findall(r"^(?:typedef )?struct (\w+) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    return {
        "functions": sorted(" ".join(each.split()) for each in functions),
        "structs": {name: [" ".join(each.split()) for each in members.split(";")[:-1]] for name, members in structs},
        "numbers": {name: int(number) for name, number in re.findall(r"(WIDEBLOCK_\w+) =? ?(\d+)u?\b", text)},
    }


def _options() -> dict[str, list[str]]:
    """Options of each command, long and short."""
    group = typer.main.get_command(app)
    context = group.make_context("wideblock", ["list"])
    return {
        command: sorted(
            option
            for parameter in group.get_command(context, command).params
            for option in (*parameter.opts, *parameter.secondary_opts)
            if option.startswith("-")
        )
        for command in sorted(COMMANDS)
    }


def broken(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Places at which ``new`` lacks a value of ``old`` or has another; additions and versions of maps are no breaks."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name, value in old.items():
            yield from broken(value, new[name], f"{place}/{name}") if name in new else [f"{place}/{name}: gone"]
    elif isinstance(old, list) and isinstance(new, list) and place.startswith(ADDED):
        yield from (f"{place}/{value}: gone" for value in old if value not in new)
    elif old != new and not place.startswith("/versions"):
        yield f"{place}: {written(old)} became {written(new)}"


ADDED = ("/presets", "/native", "/drivers", "/commands", "/python", "/evidence")
"""Kinds of which a list may get new values."""


def promised() -> dict[str, Any]:
    """The surface of the last release."""
    return json.loads(PROMISED.read_text())


def main() -> int:
    new = surface()
    if PROMISED.exists() and (faults := list(broken(promised(), new))):
        print("\n".join(faults), file=sys.stderr)
        return 1
    kinds = (
        f'"{kind}": {{\n{_lines(value)}\n}}' if isinstance(value, dict) else f'"{kind}": {json.dumps(value)}'
        for kind, value in new.items()
    )
    PROMISED.write_text("{\n" + ",\n".join(kinds) + "\n}\n")
    return 0


def _lines(values: Mapping[str, Any]) -> str:
    """A line a value."""
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in values.items())


if __name__ == "__main__":
    sys.exit(main())
