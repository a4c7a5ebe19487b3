# SPDX-License-Identifier: Apache-2.0
"""Stages of a sector, a table for a core of each scheme, in docs/architecture.md."""

from pathlib import Path

from wideblock import catalog
from wideblock.evaluate.tables import insert
from wideblock.export.contract import contract
from wideblock.export.markdown import table
from wideblock.rtl.flow.table import HEAD, rows

__all__ = ["body", "renew"]


def body() -> str:
    """Markdown: the stages of a core of each scheme that states them, the first of its presets with overlap."""
    shown: dict[str, str] = {}
    for name, preset in catalog.PRESETS.items():
        if getattr(preset.parameters, "overlap", False):
            shown.setdefault(preset.scheme.name, name)
    parts = []
    for core in map(contract, shown.values()):
        figures = ", ".join(f"{figure.name} {figure.cycles}" for figure in core.timing.figures())
        parts.append(f"\n`{core.name}`: {figures} cycles.\n\n{table(HEAD, rows(core.component.flow))}")
    return "".join(parts)


def renew(page: Path) -> bool:
    """Puts the tables into ``page``; True if that changed it. Raises UserError as :func:`.tables.insert`."""
    return insert(page, "flows", body())
