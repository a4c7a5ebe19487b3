# SPDX-License-Identifier: Apache-2.0
"""Comparison of two states of the code: the Verilog and the cycle contracts of about 150 cores.

``python -m tests.same OLD [NEW]`` exports every preset and every core of the tests from ``OLD`` and from ``NEW``
(folders of checkouts; ``NEW`` is this one) and prints a line for each core that differs, then the count of each grade:

equal:      Verilog equal byte for byte, comments apart
renamed:    circuits equal by their digest, see :mod:`wideblock.synth.circuit`
different:  neither

A core whose cycle contract differs is "different", whatever its Verilog. Exit status: 1 if a core is different.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from wideblock import catalog
from wideblock.synth.circuit import circuit
from wideblock.synth.yosys import Source, uncommented

__all__ = ["cores", "grade", "main"]

ROOT = Path(__file__).parents[1]
TABLES = ("aez_core", "eme2", "hctr2", "hctr2_any", "wide_block", "xcb", "xts")  # of tests/rtl/tes, with FEW and MORE
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
Exported = tuple[str, str, dict[str, str]]
"""Module, Verilog, and figures of the cycle contract."""


def cores() -> Iterator[Core]:
    """Presets and what is changed in them: every preset, those of the tests' tables, AEADs in other sizes."""
    for preset in catalog.PRESETS.values():
        yield preset.name, {}
        if preset.scheme.kind == catalog.kinds.AEAD:
            yield from ((preset.name, dict(changes)) for changes in AEAD_SIZES[1:])
    for table in TABLES:
        module = import_module(f"tests.rtl.tes.test_{table}")
        yield from ((name, dict(changes)) for name, changes in module.FEW + module.MORE)


def _exported(root: Path, chosen: list[Core]) -> list[Exported]:
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


def grade(old: Exported, new: Exported) -> str:
    """The grade of a core by its two states."""
    if old[2] != new[2]:
        return "different"
    if uncommented(old[1]).split() == uncommented(new[1]).split():
        return "equal"
    was, now = (circuit(Source(verilog, module)) for module, verilog, _ in (old, new))
    return "renamed" if was == now else "different"


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
        grades = list(executor.map(grade, [was for _, was, _ in pairs], [now for _, _, now in pairs]))
    for (core, was, now), found in zip(pairs, grades, strict=True):
        if found != "equal":
            print(f"{found}: {core[0]} {json.dumps(core[1])}{' (cycle contract)' if was[2] != now[2] else ''}")
    counts = Counter(grades)
    print(f"{len(pairs)} cores: " + ", ".join(f"{counts[g]} {g}" for g in ("equal", "renamed", "different")))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main(*(Path(argument).resolve() for argument in sys.argv[1:])))
