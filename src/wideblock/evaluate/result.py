# SPDX-License-Identifier: Apache-2.0
"""Measured results of a core on a target, as JSON that is the same from run to run."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wideblock.atomic import write_text
from wideblock.errors import UserError
from wideblock.synth.place import ClockReport, CriticalPath
from wideblock.synth.targets import Target
from wideblock.synth.yosys import AreaReport

__all__ = ["SCHEMA", "Result", "result", "throughput", "save", "load", "load_all"]

SCHEMA = "wideblock-synth-2"


def throughput(sector_bytes: int, interval: int, mhz: float) -> float:
    """Gb/s (10^9 bits a second) of a core that takes ``sector_bytes`` every ``interval`` cycles at ``mhz``."""
    for name, value in (("sector_bytes", sector_bytes), ("interval", interval), ("mhz", mhz)):
        if value <= 0:
            raise ValueError(f"{name} must be positive, got {value!r}")
    return sector_bytes * 8 / interval * mhz / 1000


@dataclass(frozen=True)
class Result:
    """One core on one target.

    preset:      name of the preset or part
    changed:     parameters that differ from the preset's own
    parameters:  all parameters that it was generated with
    part:        device, package, speed grade
    bytes, interval: what it takes every how many cycles (measured elsewhere); None where that has no meaning
    gbps:        throughput at the routed clock, else None
    """

    preset: str
    changed: Mapping[str, str | int | bool]
    parameters: Mapping[str, str | int | bool | None]
    target: str
    part: str
    area_unit: str
    area: AreaReport
    clock: ClockReport | None = None
    bytes: int | None = None
    interval: int | None = None
    gbps: float | None = None
    schema: str = field(default=SCHEMA)

    @property
    def name(self) -> str:
        """Preset and changes in one line, such as "fast-brw-1 sbox=composite"."""
        return " ".join((self.preset, *(f"{name}={value}" for name, value in self.changed.items())))

    @property
    def tools(self) -> tuple[str, ...]:
        return self.clock.tools if self.clock else (self.area.tool,)


def result(
    preset: str,
    target: Target,
    area: AreaReport,
    clock: ClockReport | None = None,
    *,
    changed: Mapping[str, str | int | bool] | None = None,
    parameters: Mapping[str, str | int | bool | None] | None = None,
    bytes: int | None = None,
    interval: int | None = None,
) -> Result:
    """Reports of one core on one target as a :class:`Result`, with its throughput where clock and rate are known."""
    for report in (area, clock):
        if report is not None and report.target != target.name:
            raise ValueError(f"a report is for target {report.target!r}, the result for {target.name!r}")
    gbps = None
    if clock and bytes and interval:
        gbps = round(throughput(bytes, interval, clock.mhz), 3)
    return Result(
        preset,
        dict(changed or {}),
        dict(parameters or {}),
        target.name,
        target.part,
        target.area_unit,
        area,
        clock,
        bytes,
        interval,
        gbps,
    )


def save(result: Result, path: Path | str) -> None:
    """Writes ``result`` to ``path`` as a whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(dataclasses.asdict(result), indent=2, sort_keys=True) + "\n"
    write_text(path, text)


def load(path: Path | str) -> Result:
    """The result that :func:`save` wrote to ``path``."""
    try:
        content = json.loads(Path(path).read_text())
    except json.JSONDecodeError as error:
        raise UserError(f"{path} is no JSON: {error}") from None
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise UserError(f"{path} is no result of schema {SCHEMA!r}, but {schema!r}")
    try:
        clock = content["clock"]
        if clock is not None:
            clock = ClockReport(
                **{
                    **clock,
                    "path": CriticalPath(**clock["path"]),
                    "tools": tuple(clock["tools"]),
                    "utilisation": {site: (used, of) for site, (used, of) in clock["utilisation"].items()},
                }
            )
        return Result(**{**content, "area": AreaReport(**content["area"]), "clock": clock})
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path} does not have the fields of a result: {error}") from None


def load_all(directory: Path | str) -> list[Result]:
    """Every result in ``directory``, by name and target. Raises NotADirectoryError if there is no such directory."""
    if not Path(directory).is_dir():
        raise NotADirectoryError(f"{directory} is no directory of measured results")
    return sorted(map(load, Path(directory).glob("*.json")), key=lambda r: (r.name, r.target))
