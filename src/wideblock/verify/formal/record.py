# SPDX-License-Identifier: Apache-2.0
"""The store of proofs: one file, JSON lines, one for each core, netlist and rule that was tried last."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from wideblock.atomic import write_text
from wideblock.errors import UserError
from wideblock.text import text_of

__all__ = ["ProofRecord", "load", "save"]


@dataclass(frozen=True)
class ProofRecord:
    """The result of one rule for one core.

    target:  family whose mapped netlist was proved, or None for the exported Verilog
    result:  as :class:`~wideblock.verify.formal.stream.Result` has it
    detail:  the statement if proved, else the reason
    seconds: CPU time, that of the tools included
    """

    preset: str
    changed: dict[str, Any]
    target: str | None
    rule: str
    result: str
    detail: str
    method: str | None
    gates: int | None
    seconds: float
    date: str
    commit: str | None
    tools: list[str] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, ...]:
        """Tells a core, a netlist of it and a rule from others."""
        return self.preset, json.dumps(self.changed, sort_keys=True), self.target or "", self.rule


def load(path: Path | str) -> list[ProofRecord]:
    """Every record of the store, none if there is no such file. Raises UserError for a line that is no record."""
    found = []
    lines = text_of(Path(path)).splitlines() if Path(path).exists() else []
    for number, line in enumerate(lines, 1):
        try:
            found.append(ProofRecord(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise UserError(f"{path}, line {number} is no record of a proof: {error}") from None
    return found


def save(path: Path | str, records: Iterable[ProofRecord]) -> None:
    """Puts ``records`` into the store, in the place of older ones of the same key. The file is sorted, and whole."""
    newest = {record.key: record for record in (*load(path), *records)}
    text = "".join(json.dumps(asdict(newest[key])) + "\n" for key in sorted(newest))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_text(Path(path), text)
