# SPDX-License-Identifier: Apache-2.0
"""Equations, cycles and stages of the families' pages, docs/families, from the cores themselves."""

import inspect
import sys
from collections.abc import Iterator

from wideblock import catalog
from wideblock.catalog import Preset
from wideblock.catalog.kinds import SECTOR
from wideblock.export.contract import Contract, contract
from wideblock.export.figures import figures
from wideblock.export.markdown import table
from wideblock.rtl.flow.table import HEAD, rows

__all__ = ["bodies", "families"]


def families() -> dict[str, list[Preset]]:
    """The presets of each family of sector cores, by the name of its page."""
    found: dict[str, list[Preset]] = {}
    for preset in catalog.PRESETS.values():
        if preset.scheme.kind is SECTOR:
            found.setdefault(preset.scheme.family.replace(" ", "-"), []).append(preset)
    return found


def bodies(presets: list[Preset]) -> dict[str, str]:
    """Markdown of a family with the presets, by marker; without stages or sizes if the family states none."""
    cores = [contract(preset.name) for preset in presets]
    found = {"equations": "".join(_equations(presets)), "cycles": _cycles(cores)}
    if stages := "".join(_stages(cores)):
        found["stages"] = stages
    if sizes := cores[0].behaviour.length.examples():
        found["sizes"] = _sizes(cores[0], sizes)
    return found


def _equations(presets: list[Preset]) -> Iterator[str]:
    """Equations of each scheme, from the docstring of the core's file."""
    for core in dict.fromkeys(preset.scheme.core for preset in presets):
        yield f"```text\n{inspect.getdoc(sys.modules[core.__module__])}\n```\n"


def _cycles(cores: list[Contract]) -> str:
    """The cycle contracts, a row a core, and a column for each figure of any core."""
    figures = [{figure.name: f"{figure.cycles:,}" for figure in core.timing.figures()} for core in cores]
    head = dict.fromkeys(name for each in sorted(figures, key=len, reverse=True) for name in each)
    lines = [
        (f"`{core.name}`", f"{core.behaviour.usual:,}", *(own.get(name, "-") for name in head))
        for core, own in zip(cores, figures, strict=True)
    ]
    return table(("core", "bytes", *head), lines)


def _stages(cores: list[Contract]) -> Iterator[str]:
    """Stages of a core of each scheme with stages: the first preset with overlap."""
    shown: dict[str, Contract] = {}
    for core in cores:
        if getattr(core.parameters, "overlap", False):
            shown.setdefault(core.preset.scheme.name, core)
    for core in shown.values():
        yield f"\n`{core.name}`:\n\n{table(HEAD, rows(core.component.flow))}"


def _sizes(core: Contract, sizes: list[tuple[int, int]]) -> str:
    """Cycles of messages of other sizes, a row each."""
    usual = core.parameters.tweak_bytes, core.behaviour.usual
    shown = figures(core.behaviour.length, (usual, *sizes))
    _, _, *names = shown[0]
    lines = [(f"{row['bytes']:,}", f"{row['tweak']}", *(f"{row[name]:,}" for name in names)) for row in shown]
    return table(("message, bytes", "tweak, bytes", *names), lines)
