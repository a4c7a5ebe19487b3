# SPDX-License-Identifier: Apache-2.0
"""Pages of a checkout that show evidence: what stands in them, and whether it is of today."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from wideblock.evaluate import choosing, engines, ratios, tables
from wideblock.evaluate.point import point_of
from wideblock.evaluate.tables import insert_all, inserted
from wideblock.evidence.record import Evidence
from wideblock.evidence.today import FILE, listed
from wideblock.verify.formal import document

__all__ = ["PROOFS", "bodies", "faults", "renew"]

PROOFS = "docs/proofs.md"
MARK = re.compile(r" \((?:[0-9a-f]{7}|earlier)\)")


def bodies(evidence: Sequence[Evidence]) -> dict[str, dict[str, str]]:
    """Markdown with measured points, by page of the checkout and by marker."""
    points = [point for point in map(point_of, evidence) if point]
    return {
        "README.md": {"schemes": choosing.schemes(points)},
        "docs/results.md": tables.bodies(points) | ratios.bodies(points),
        "docs/choosing.md": choosing.bodies(points),
        **{f"docs/{page}": tables for page, tables in engines.bodies(points).items()},
    }


def renew(checkout: Path, evidence: Sequence[Evidence]) -> None:
    """Writes the pages. Raises UserError as :func:`insert_all`."""
    for page, by_marker in bodies(evidence).items():
        insert_all(checkout / page, by_marker)
    document.renew(checkout / PROOFS, evidence)


def faults(checkout: Path, store: Path, evidence: Sequence[Evidence], circuits: Mapping[str, str]) -> list[str]:
    """A line for each page that shows what is not of today, and for the list of circuits.

    circuits: today's, by name of the core, of all that may have evidence of today
    """
    known = listed(store).get("circuits", {})
    found = []
    if wrong := sorted(name for name in known.keys() | circuits.keys() if known.get(name) != circuits.get(name)):
        path = store.with_name(FILE)
        found.append(f"{path} is not of today for {len(wrong)} cores: {', '.join(wrong)}; make docs")
    for page, by_marker in bodies(evidence).items():
        path = checkout / page
        old = sum(bool(MARK.search(line)) for body in by_marker.values() for line in body.splitlines())
        if old:
            found.append(f"{page}: {old} rows are of other circuits than today's")
        if any(inserted(path, marker, body) != path.read_text() for marker, body in by_marker.items()):
            found.append(f"{page} is not made from the store of today; make docs")
    if (checkout / PROOFS).read_text() != document.document(evidence):
        found.append(f"{PROOFS} is not made from the store of today; make docs")
    return found
