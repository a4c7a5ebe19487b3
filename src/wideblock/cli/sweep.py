# SPDX-License-Identifier: Apache-2.0
"""``wideblock sweep``."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wideblock import catalog
from wideblock.cli.app import Csv, Json, as_json, multiple_settings, one_form, setting, stages
from wideblock.cli.display import out, table
from wideblock.cli.flow import (
    STORE,
    Aims,
    Nextpnr,
    Routed,
    Scheduler,
    Store,
    Targets,
    Workers,
    Yosys,
    names_of,
    processes,
)
from wideblock.errors import UserError
from wideblock.evaluate.best import Objective, best, pareto
from wideblock.evaluate.measured import measured as records
from wideblock.evaluate.point import Identity, Point
from wideblock.evaluate.published import measured_on
from wideblock.evaluate.store import check, medians
from wideblock.evaluate.sweep import Space, open_points, stored
from wideblock.evaluate.sweep import sweep as run
from wideblock.evaluate.tables import HEAD, row

EXAMPLE = (
    "Example: [b]wideblock sweep xts-enc --set sbox=composite,norm --set round_stages=1,2 --target ecp5 --seeds 3[/b]"
)
FIGURES = ", ".join(each.value for each in Objective)


Cores = Annotated[list[str] | None, typer.Argument(metavar="[PRESET|PART]...", help="Presets or parts to measure.")]
Changes = Annotated[
    list[str] | None,
    setting("NAME=VALUE,..", "Values of a parameter, each with each of the others; may be repeated."),
]
Published = Annotated[
    str | None,
    typer.Option(
        "--published",
        metavar="FAMILY",
        help="Every preset and part of which a published table has a row on this family, such as Virtex-5.",
    ),
]
Memory = Annotated[
    float | None,
    typer.Option(
        metavar="GIB",
        min=0.1,
        max=9999,
        help="Memory of each process and each of its tools; a point that takes more fails; default: equal shares.",
    ),
]
Best = Annotated[
    Objective | None,
    typer.Option(
        "--best",
        metavar="FIGURE",
        help=f"Figure by which to print the best point on each target, with the Pareto set; {FIGURES}.",
    ),
]


def sweep(
    presets: Cores = None,
    target: Targets = None,
    changes: Changes = None,
    everything: Annotated[bool, typer.Option("--all", help="Every preset and part.")] = False,
    family: Published = None,
    seeds: Annotated[int, typer.Option(metavar="N", min=1, max=9999, help="Placer seeds 1 to N.")] = 1,
    mhz: Aims = None,
    options: Yosys = None,
    route_options: Nextpnr = None,
    routed: Routed = True,
    store: Store = STORE,
    workers: Workers = None,
    memory: Memory = None,
    scheduler: Scheduler = None,
    retry: Annotated[bool, typer.Option("--retry", help="Measure points again that failed.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Measure points again that are stored.")] = False,
    objective: Best = None,
    csv: Csv = False,
    json: Json = False,
) -> None:
    """Measure every mix of presets, parameters, targets and seeds, and store each point at once.

    A stored point is not measured again unless the core's Verilog has changed: a stopped command goes on when repeated.
    A failure is stored with its log; exit status 1 if a point has failed, now or before. With --best, the median of
    seeds counts, and of several --mhz the best; on a target without a clock throughput is that of a cycle.
    """
    one_form(csv, json)
    if objective and (csv or json):
        raise UserError("--best is printed as tables; leave out --csv and --json")
    if sum(map(bool, (presets, everything, family))) != 1:
        raise UserError("name presets or parts, or say --all, or --published FAMILY; one of the three")
    if not routed and (route_options or seeds > 1):
        raise UserError("--nextpnr and --seeds are of place and route; leave out --no-route")
    names = presets or (measured_on(family) if family else [*catalog.PRESETS, *catalog.PARTS])
    check(store)
    space = Space(
        names, names_of(target), multiple_settings(changes), range(1, seeds + 1), mhz, options, route_options, routed
    )
    with stages("points of the space") as report:
        points = space.points()
        wanted = open_points(points, store, again=again, retry=retry)
        measured = []
        place = processes(workers, scheduler, memory, most=len(wanted))
        if wanted:
            with place as executor:
                measured = run(wanted, store, executor, report)
    found = stored(points, store)
    if json:
        as_json([asdict(point) for point in found])
    elif csv:
        typer.echo(records(found).csv(), nl=False)
    else:
        if objective:
            _show_best(points, store, objective)
        elif shown := [point for point in found if point.figures]:
            table(HEAD, map(row, shown))
        _say(measured, found, len(points), store)
    if any(point.failure for point in (*measured, *found)):
        raise typer.Exit(1)


def _say(measured: Sequence[Point], found: Sequence[Point], number: int, store: Path) -> None:
    """Counts the points that were measured now and of the store's ``found`` points, of a space of ``number`` points."""
    failed = sum(bool(point.failure) for point in measured)
    count = f"{len(measured) - failed} measured, {failed} failed, {number - len(measured)} stored before"
    before = any(point.failure for point in found if point not in measured)
    hint = "; --retry measures failures again" if before else ""
    out.print(f"{count}: {store}{hint}", markup=False)


def _show_best(points: Sequence[Identity], store: Path, objective: Objective) -> None:
    """Prints the Pareto set of throughput and area on each target, and the best of the stored points."""
    by_target: dict[str, list[Point]] = {}
    for point in medians(stored(points, store)):
        by_target.setdefault(point.identity.target, []).append(point)
    for name, measured in by_target.items():
        table(HEAD, map(row, pareto(measured)), title=f"Pareto set of {len(measured)} points")
        found = best(measured, objective)
        said = found.name if found else "no point has a figure"
        out.print(f"\nbest {objective.value} on {name}: {said}", markup=False)
