# SPDX-License-Identifier: Apache-2.0
"""Pages of a checkout with evidence: the text, and a check of the date of the evidence."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tools import choosing, claims, coverage, drawings, engines, history, proofs, results, sealed, sign_off
from tools.markers import insert_all, inserted
from wideblock.atomic import write_text
from wideblock.evaluate.digests import of_today
from wideblock.evaluate.point import Point, point_of
from wideblock.evidence.record import Evidence
from wideblock.evidence.today import FILE, listed

__all__ = ["faults", "made", "renew"]


def made(evidence: Sequence[Evidence]) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Markdown between markers, by page of the checkout and by marker; texts of whole pages, by page.

    Figures are of today's circuits; the page of earlier figures has the others.
    """
    points, now = _points(evidence), sign_off.current(evidence)
    bodies = {
        "README.md": {"schemes": choosing.schemes(points), "evidence": sign_off.summary(now)},
        "docs/results.md": results.bodies(points),
        "docs/choosing.md": choosing.bodies(points) | {"plot": drawings.image(points)},
        "docs/verification.md": {"rules": sign_off.rules(now)},
        "docs/authenticated-sectors.md": sealed.bodies(points),
        **{f"docs/{page}": tables for page, tables in engines.bodies(points).items()},
    }
    return bodies, {
        "docs/claims.md": claims.document(points) + _RATIOS + drawings.ratios_image(points),
        "docs/proofs.md": proofs.document(now),
        "docs/coverage.md": coverage.document(now),
        "docs/history.md": history.document(evidence),
        "docs/sign-off.md": sign_off.document(now),
    }


_RATIOS = """
## Ratios to AES-GCM

Throughput at one clock against area of authenticated ciphers, for long messages.

"""


def renew(checkout: Path, evidence: Sequence[Evidence]) -> None:
    """Writes the pages. Raises UserError as :func:`insert_all`."""
    bodies, whole = made(evidence)
    for page, by_marker in bodies.items():
        insert_all(checkout / page, by_marker)
    for page, text in whole.items():
        write_text(checkout / page, text)
    drawings.renew(checkout / "docs", _points(evidence))


def faults(checkout: Path, store: Path, evidence: Sequence[Evidence], circuits: Mapping[str, str]) -> list[str]:
    """A line for each page and plot that is not of today, and for the list of circuits.

    circuits: digests of today by name, of every core that may have evidence of today
    """
    known = listed(store).get("circuits", {})
    found = []
    if wrong := sorted(name for name in known.keys() | circuits.keys() if known.get(name) != circuits.get(name)):
        path = store.with_name(FILE)
        found.append(f"{path} is not of today for {len(wrong)} cores: {', '.join(wrong)}; make docs")
    bodies, whole = made(evidence)
    old = [page for page, by_marker in bodies.items() if _differs(checkout / page, by_marker)]
    old += [page for page, text in whole.items() if _text(checkout / page) != text]
    old += [f"docs/{name}" for name in drawings.faults(checkout / "docs", _points(evidence))]
    return found + [f"{page} is not made from the evidence of today; make docs" for page in old]


def _points(evidence: Sequence[Evidence]) -> list[Point]:
    """The measured points of today."""
    return of_today(point for point in map(point_of, evidence) if point)


def _differs(path: Path, by_marker: Mapping[str, str]) -> bool:
    return any(inserted(path, marker, body) != path.read_text() for marker, body in by_marker.items())


def _text(path: Path) -> str | None:
    return path.read_text() if path.exists() else None
