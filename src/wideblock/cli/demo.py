# SPDX-License-Identifier: Apache-2.0
"""``wideblock demo``."""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from wideblock import catalog
from wideblock.atomic import check_directory
from wideblock.catalog.kinds import SECTOR
from wideblock.cli.app import AcceptBroken, ForceDirectory, progress
from wideblock.cli.display import err, out, table
from wideblock.evaluate.digests import NOTE, older
from wideblock.evaluate.published import for_preset
from wideblock.evaluate.store import COMMITTED, load
from wideblock.evaluate.tables import of_core
from wideblock.export.contract import SectorContract, contract
from wideblock.image.demonstration import demonstrate
from wideblock.verify.sector.measure import measure

EXAMPLE = "Example: [b]wideblock demo --image disk.img[/b]"


def demo(
    image: Annotated[Path | None, typer.Option(metavar="FILE", help="Image to use; by default one is created.")] = None,
    preset: Annotated[str, typer.Option(metavar="NAME", help="Preset to demonstrate.")] = catalog.DEMO,
    keep: Annotated[Path | None, typer.Option(metavar="DIR", help="Directory that keeps the three images.")] = None,
    force: ForceDirectory = False,
    accept_broken: AcceptBroken = False,
) -> None:
    """Encrypt a filesystem image with the hardware core in simulation and decrypt it with the specification."""
    core = contract(preset).expect(SECTOR)
    core.preset.scheme.check_status(accept_broken=accept_broken)
    with ExitStack() as stack:
        work = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wideblock-")))
        check_directory(work, overwrite=force)
        work.mkdir(parents=True, exist_ok=True)
        rate = demonstrate(core, image, work, say, lambda what, before: progress(what, before=before))
    show(core, rate)


def show(core: SectorContract, rate: float) -> None:
    """Prints the core's measured cycles beside the published rows, and a measured area."""
    with err.status("measuring the cycle contract"):
        measured = measure(core)
    rows = [
        (f"{core.name}, {direction}", "measured", cycles.compute, cycles.interval, cycles.latency, cycles.setup)
        for direction, cycles in measured.items()
    ]
    papers = {(row.design, row.cycles): row for row in for_preset(core.name) if row.kind == "paper"}
    rows += [(row.design, "paper", row.cycles, row.cycles, None, row.setup) for row in papers.values()]
    out.print()
    table(
        ("core", "", "compute", "interval", "latency", "setup"),
        rows,
        title=f"Cycles a sector of {core.parameters.sector_bytes} bytes",
    )
    measured = of_core(core, load(COMMITTED))
    for point in measured:
        found = point.found
        clock = f", {found.mhz:.0f} MHz, {found.gbps:.1f} Gb/s" if found.gbps else ""
        out.print(f"{found.part}: {found.area:,} {found.unit}{older(point)}{clock}", markup=False)
    if any(map(older, measured)):
        out.print(NOTE, end="")
    out.print(f"simulation: {rate:,.0f} sectors a second")


def say(text: str) -> None:
    out.print(f"> {text}", markup=False)
