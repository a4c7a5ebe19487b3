# SPDX-License-Identifier: Apache-2.0
"""Whole files of published test vectors, through every engine: ``python -m tests.judges.vectors FILE..``.

Prints for each file the cases that passed and that were skipped, by the specification, the native library and the
compiled core, and the cases that a core with a fault fails: a bit of entry 5 of each S-box is flipped. Files of ACVP,
a prompt and its results, are one set, with a + between them. Exit status 1: a case failed, or a fault was not found.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.export.markdown import table
from wideblock.image import cases as through
from wideblock.image.cases import CaseResult, CaseVerdict, check
from wideblock.vectors.formats import read

__all__ = ["faulty", "main"]

ENGINES = ("spec", "native", "rtl")


@contextmanager
def faulty() -> Iterator[None]:
    """Cores of :func:`check` have a wrong bit in entry 5 of every table while the context lasts."""

    def planted(core: Any) -> list[str]:
        found, count = re.subn(r"(_table\[5\] = 8'h.)(.)", lambda m: f"{m[1]}{int(m[2], 16) ^ 1:x}", core.verilog)
        assert count
        return [found]

    class Sectors(SectorSimulation):
        def __init__(self, core: Any):
            super().__init__(core, verilog=planted(core))

    class Messages(AeadSimulation):
        def __init__(self, core: Any):
            super().__init__(core, verilog=planted(core))

    kept = through.simulated, through.AeadSimulation
    through.simulated, through.AeadSimulation = Sectors, Messages
    try:
        yield
    finally:
        through.simulated, through.AeadSimulation = kept


def main(names: Sequence[str]) -> int:
    rows, wrong, reasons = [], False, Counter[str]()
    for name in names:
        files = [Path(each) for each in name.split("+")]
        found, _ = read(files)
        results: dict[str, list[CaseResult]] = {engine: list(check(found, engine)) for engine in ENGINES}
        with faulty():
            broken = Counter(each.verdict for each in check(found, "rtl"))[CaseVerdict.FAILED]
        counts = {engine: Counter(each.verdict for each in results[engine]) for engine in ENGINES}
        wrong |= not broken or any(count[CaseVerdict.FAILED] for count in counts.values())
        for engine in ENGINES:
            reasons.update(
                f"{engine}: {each.reason}" for each in results[engine] if each.verdict is CaseVerdict.SKIPPED
            )
        shown = [f"{count[CaseVerdict.PASSED]:,} + {count[CaseVerdict.SKIPPED]:,}" for count in counts.values()]
        rows.append((files[0].name, f"{len(found):,}", *shown, f"{broken:,}"))
        print(f"{name}: {shown}, {broken}", file=sys.stderr)
    print(table(("file", "cases", *(f"{engine}: passed + skipped" for engine in ENGINES), "faulty core: failed"), rows))
    for reason, count in reasons.most_common():
        print(f"skipped {count} by {reason}")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
