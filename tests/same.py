# SPDX-License-Identifier: Apache-2.0
"""Comparison of two states of the code: the Verilog and the cycle contracts of about 150 cores.

``python -m tests.same OLD [NEW]`` exports every preset and every core of the tests from ``OLD`` and from ``NEW``
(folders of checkouts; ``NEW`` is this one) and prints a line for each core that differs, then the count of each grade:

equal:      Verilog equal byte for byte, comments apart
canonical:  flat netlists equal, whatever their wires and cells are called
different:  neither

A core whose cycle contract differs is "different", whatever its Verilog. Exit status: 1 if a core is different.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from wideblock import catalog
from wideblock.synth import yosys

__all__ = ["canonical", "cores", "main"]

ROOT = Path(__file__).parents[1]
TABLES = ("aez_core", "eme2", "hctr2", "hctr2_any", "wide_block", "xcb", "xts")  # of tests/rtl/tes, with FEW and MORE
ROUNDS = 24
COMMUTE = ("$add", "$and", "$eq", "$mul", "$ne", "$or", "$xnor", "$xor")
AEAD_SIZES = ({}, {"ports": "axi4-stream"}, {"data_bytes": 48, "ad_bytes": 32, "word_bits": 64})
EXPORT = """
import json, sys
from wideblock.export.contract import contract
for line in sys.stdin:
    name, changes = json.loads(line)
    core = contract(name, changes)
    contracted = {figure.name: str(figure.cycles) for figure in core.timing.figures()}
    print(json.dumps([core.module, core.verilog, contracted]), flush=True)
"""

Core = tuple[str, dict[str, Any]]


def cores() -> Iterator[Core]:
    """Presets and what is changed in them: every preset, those of the tests' tables, AEADs in other sizes."""
    for preset in catalog.PRESETS.values():
        yield preset.name, {}
        if preset.scheme.kind == catalog.kinds.AEAD:
            yield from ((preset.name, dict(changes)) for changes in AEAD_SIZES[1:])
    for table in TABLES:
        module = import_module(f"tests.rtl.tes.test_{table}")
        yield from ((name, dict(changes)) for name, changes in module.FEW + module.MORE)


def canonical(module: str, verilog: str) -> str:
    """Digest of the flat netlist of ``verilog``, whatever its wires and cells are called and in whichever order.

    Each cell has a colour, at first its type and parameters, then in ``ROUNDS`` rounds that with the colours of the
    cells that drive it: two netlists with the same colours differ at most in parts that no reader tells apart.
    """
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.joinpath("core.v").write_text(verilog)
        tidy = ("opt_expr -keepdc", "opt_merge", "opt_clean -purge")
        script = ["read_verilog core.v", f"hierarchy -top {module}", "proc", "flatten", *tidy]
        yosys.run([*script, "write_json out.json"], where, "canonical")
        netlist = json.loads(where.joinpath("out.json").read_text())["modules"][module]
    driver: dict[int, tuple[str, str, int]] = {}  # of each bit: cell or "", port, place
    for port, wires in netlist["ports"].items():
        if wires["direction"] == "input":
            driver |= {bit: ("", port, place) for place, bit in enumerate(wires["bits"])}
    cells = netlist["cells"]
    for cell, is_a in cells.items():
        for port, bits in is_a["connections"].items():
            if is_a["port_directions"][port] == "output":
                driver |= {bit: (cell, port, place) for place, bit in enumerate(bits)}

    def seen(bits: list[Any]) -> tuple[Any, ...]:
        found = ((driver.get(bit, ("", "", 0)), bit) for bit in bits)
        return tuple(bit if isinstance(bit, str) else (colour.get(is_by[0]), *is_by[1:]) for is_by, bit in found)

    def connected(cell: str) -> list[tuple[str, Any]]:
        """Inputs of a cell; those of one that commutes in either order: of two equal cells one is kept."""
        pins = [(port, seen(cells[cell]["connections"][port])) for port in inputs[cell]]
        if cells[cell]["type"] not in COMMUTE or len(pins[0][1]) != len(pins[1][1]):
            return pins
        return [("", operand) for operand in sorted((operand for _, operand in pins), key=repr)]

    inputs = {
        cell: sorted(port for port, direction in is_a["port_directions"].items() if direction == "input")
        for cell, is_a in cells.items()
    }
    memory = {cell: is_a["parameters"]["MEMID"] for cell, is_a in cells.items() if "MEMID" in is_a["parameters"]}
    names = ("MEMID", "PORTID", "PRIORITY")  # a name, and places in the order of a memory's cells
    own = {
        cell: _hash(is_a["type"], sorted((k, v) for k, v in is_a["parameters"].items() if k not in names))
        for cell, is_a in cells.items()
    }
    colour: dict[str, int] = own
    for _ in range(ROUNDS):
        parts = defaultdict[str | None, list[int]](list)
        for cell, of in memory.items():
            parts[of].append(colour[cell])
        whole = {of: _hash(sorted(each)) for of, each in parts.items()}
        colour = {
            cell: _hash(
                own[cell],
                whole.get(memory.get(cell)),
                connected(cell),
            )
            for cell, is_a in cells.items()
        }
    outputs = [(p, seen(w["bits"])) for p, w in sorted(netlist["ports"].items()) if w["direction"] == "output"]
    return f"{_hash(sorted(colour.values()), outputs):x}"


def _hash(*values: Any) -> int:
    return int.from_bytes(hashlib.blake2b(repr(values).encode(), digest_size=8).digest())


def _exported(root: Path, chosen: list[Core]) -> list[tuple[str, str, dict[str, str]]]:
    """Module, Verilog and cycle contract of each core, by the code of the checkout at ``root``."""
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", EXPORT],
        input="".join(json.dumps(core) + "\n" for core in chosen),
        env=os.environ | {"PYTHONPATH": str(root / "src")},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in process.stdout.splitlines()]


def _grade(old: tuple[str, str, dict[str, str]], new: tuple[str, str, dict[str, str]]) -> str:
    if old[2] != new[2]:
        return "different"
    if yosys.uncommented(old[1]).split() == yosys.uncommented(new[1]).split():
        return "equal"
    return "canonical" if canonical(old[0], old[1]) == canonical(new[0], new[1]) else "different"


def main(old: Path, new: Path = ROOT) -> int:
    chosen = list(cores())
    processes = len(os.sched_getaffinity(0))
    parts = [chosen[k::processes] for k in range(processes)]
    with ThreadPoolExecutor(2 * processes) as threads:
        before, after = ([threads.submit(_exported, root, part) for part in parts] for root in (old, new))
        pairs = [
            (core, was, now)
            for part, olds, news in zip(parts, before, after, strict=True)
            for core, was, now in zip(part, olds.result(), news.result(), strict=True)
        ]
    with ProcessPoolExecutor(processes) as executor:
        grades = list(executor.map(_grade, [was for _, was, _ in pairs], [now for _, _, now in pairs]))
    for (core, was, now), grade in zip(pairs, grades, strict=True):
        if grade != "equal":
            print(f"{grade}: {core[0]} {json.dumps(core[1])}{' (cycle contract)' if was[2] != now[2] else ''}")
    counts = Counter(grades)
    print(f"{len(pairs)} cores: " + ", ".join(f"{counts[g]} {g}" for g in ("equal", "canonical", "different")))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main(*(Path(argument).resolve() for argument in sys.argv[1:])))
