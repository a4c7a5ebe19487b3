# SPDX-License-Identifier: Apache-2.0
"""Pages of a checkout that show evidence: what stands in them, and whether it is of today."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wideblock.atomic import write_text
from wideblock.evaluate import choosing, drawings, engines, ratios, tables
from wideblock.evaluate.digests import of_today
from wideblock.evaluate.point import Point, point_of
from wideblock.evaluate.tables import insert_all, inserted
from wideblock.evidence.record import Evidence
from wideblock.evidence.today import FILE, listed
from wideblock.renewal import history, sign_off
from wideblock.verify.formal import document

__all__ = ["bodies", "faults", "renew", "whole"]


def bodies(evidence: Sequence[Evidence]) -> dict[str, dict[str, str]]:
    """Markdown that stands between markers, by page of the checkout and by marker: of today's circuits alone."""
    points = _points(evidence)
    return {
        "README.md": {"schemes": choosing.schemes(points), "evidence": sign_off.summary(evidence)},
        "docs/results.md": tables.bodies(points) | ratios.bodies(points),
        "docs/choosing.md": choosing.bodies(points) | {"plot": drawings.image(points)},
        **{f"docs/{page}": tables for page, tables in engines.bodies(points).items()},
    }


def whole(evidence: Sequence[Evidence]) -> dict[str, str]:
    """Texts of the pages that a command makes as a whole, by page of the checkout."""
    return {
        "docs/proofs.md": document.document(evidence),
        "docs/history.md": history.document(evidence),
        "docs/sign-off.md": sign_off.document(evidence),
    }


def renew(checkout: Path, evidence: Sequence[Evidence]) -> None:
    """Writes the pages. Raises UserError as :func:`insert_all`."""
    for page, by_marker in bodies(evidence).items():
        insert_all(checkout / page, by_marker)
    for page, text in whole(evidence).items():
        write_text(checkout / page, text)
    drawings.renew(checkout / "docs", _points(evidence))


def faults(checkout: Path, store: Path, evidence: Sequence[Evidence], circuits: Mapping[str, str]) -> list[str]:
    """A line for each page and plot that shows what is not of today, and for the list of circuits.

    circuits: today's, by name of the core, of all that may have evidence of today
    """
    known = listed(store).get("circuits", {})
    found = []
    if wrong := sorted(name for name in known.keys() | circuits.keys() if known.get(name) != circuits.get(name)):
        path = store.with_name(FILE)
        found.append(f"{path} is not of today for {len(wrong)} cores: {', '.join(wrong)}; make docs")
    old = [page for page, by_marker in bodies(evidence).items() if _differs(checkout / page, by_marker)]
    old += [page for page, text in whole(evidence).items() if _text(checkout / page) != text]
    old += [f"docs/{name}" for name in drawings.faults(checkout / "docs", _points(evidence))]
    return found + [f"{page} is not made from the evidence of today; make docs" for page in old]


def _points(evidence: Sequence[Evidence]) -> list[Point]:
    """The measured points of today."""
    return of_today(point for point in map(point_of, evidence) if point)


def _differs(path: Path, by_marker: Mapping[str, str]) -> bool:
    return any(inserted(path, marker, body) != path.read_text() for marker, body in by_marker.items())


def _text(path: Path) -> str | None:
    return path.read_text() if path.exists() else None
