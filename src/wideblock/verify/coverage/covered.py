# SPDX-License-Identifier: Apache-2.0
"""The coverage of a core by all checks."""

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.simulation.verilator import Options
from wideblock.verify.coverage.crosses import MONITOR, monitor
from wideblock.verify.coverage.points import CoveragePoint, points
from wideblock.verify.suites import suite_of

__all__ = ["Coverage", "Gap", "covered"]

_SOURCE = "source0.v"
_TOGGLE = re.compile(r"(.*?)((?:\[\d+\])*):[01]->[01]")


@dataclass(frozen=True)
class Gap:
    """A signal of a module with unchanged bits, or a line that never ran.

    module: path from below the top module
    name:   of the signal; of a line its text
    missed, total: unseen toggles of bits, or unseen runs, and the number of all
    """

    module: str
    name: str
    missed: int
    total: int


@dataclass(frozen=True)
class Coverage:
    """Points reached, and all of them: of lines with branches, and of toggles; counts of crosses; what is missed."""

    lines: tuple[int, int]
    toggles: tuple[int, int]
    crosses: dict[str, dict[str, int]]
    signals: tuple[Gap, ...]
    places: tuple[Gap, ...]


def covered(core: Contract, *, sectors: int, seed: int) -> Coverage:
    """Runs all checks except checks of the whole state: a counting model gives no access to the state.

    sectors: random sectors, or messages, of the checks
    Raises UserError if a check fails.
    """
    suite, watch = suite_of(core), monitor(core)
    verilog, options = [core.verilog, watch.text], Options(coverage=True)
    with suite.simulation(core, verilog=verilog, options=options) as simulation, tempfile.TemporaryDirectory() as name:
        report = suite.verify(core, amount=sectors, seed=seed, vectors=core.known_answers, simulation=simulation)
        if report.failure:
            raise UserError(f"{core.module} fails {report.failure.name!r}: {report.failure.difference}")
        counts = Path(name) / "coverage"
        simulation.simulation.coverage(counts)
        found = list(points(counts))
    crosses: dict[str, dict[str, int]] = defaultdict(dict)
    for point in found:
        if point.kind == "user":
            event, state = watch.crosses[point.line]
            crosses[event][state] = point.count
    own = [point for point in found if point.file == _SOURCE and not point.module.endswith(f"__{MONITOR}")]
    toggles = [point for point in own if point.kind == "toggle"]
    lines = [point for point in own if point.kind in ("line", "branch")]
    return Coverage(_share(lines), _share(toggles), dict(crosses), _signals(core, toggles), _places(core, lines))


def _share(found: Iterable[CoveragePoint]) -> tuple[int, int]:
    counts = [point.count > 0 for point in found]
    return sum(counts), len(counts)


def _signals(core: Contract, toggles: Iterable[CoveragePoint]) -> tuple[Gap, ...]:
    missed, total = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for point in toggles:
        match = _TOGGLE.fullmatch(point.name)
        place = _path(core, point.module), match[1] if match else point.name
        total[place] += 1
        missed[place] += not point.count
    return tuple(Gap(*place, missed[place], total[place]) for place in sorted(total) if missed[place])


def _places(core: Contract, lines: Iterable[CoveragePoint]) -> tuple[Gap, ...]:
    text = core.verilog.splitlines()
    missed = [(_path(core, point.module), text[point.line - 1].strip()) for point in lines if not point.count]
    return tuple(Gap(*place, count, count) for place, count in sorted(Counter(missed).items()))


def _path(core: Contract, module: str) -> str:
    """Path of a module's first instance from below the top module, by the module's name."""
    return module.removeprefix(core.module).lstrip("_").replace("__", ".") or "top"
