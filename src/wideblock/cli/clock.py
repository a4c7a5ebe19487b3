# SPDX-License-Identifier: Apache-2.0
"""``wideblock clock``."""

from dataclasses import asdict
from typing import Annotated

import typer

from wideblock.cli.app import Json, Set, as_json, settings
from wideblock.cli.display import out, table
from wideblock.cli.flow import STORE, Mhz, Nextpnr, Scheduler, Store, Target, Workers, Yosys, measuring
from wideblock.evaluate.clock import Distribution, search
from wideblock.evaluate.run import identify
from wideblock.evaluate.store import check
from wideblock.synth.targets import target as target_of

EXAMPLE = "Example: [b]wideblock clock xts-enc --set sbox=norm --target ecp5[/b]"
HEAD = ("aim, MHz", "seeds", "lowest", "lower quartile", "median", "upper quartile", "best")


def clock(
    preset: Annotated[str, typer.Argument(metavar="PRESET|PART", help="Preset or part.")],
    target: Target = "ecp5",
    changes: Set = None,
    seeds: Annotated[int, typer.Option(metavar="N", min=1, max=9999, help="Placer seeds of the best aim, 1 to N.")] = 8,
    first: Annotated[int, typer.Option(metavar="N", min=1, max=9999, help="Placer seeds of every other aim.")] = 3,
    trials: Annotated[int, typer.Option(metavar="N", min=1, help="Aims to try at the most.")] = 8,
    mhz: Mhz = None,
    options: Yosys = None,
    route_options: Nextpnr = None,
    store: Store = STORE,
    workers: Workers = None,
    scheduler: Scheduler = None,
    json: Json = False,
) -> None:
    """Search the aim with the highest clock of a core, and print the spread of seeds.

    The first aim is --mhz; all later aims are near the best aim so far. Every point is stored: a stopped command goes
    on when repeated.
    """
    check(store)
    core = identify(preset, settings(changes), target_of(target), mhz=mhz, options=options, route_options=route_options)
    with measuring(f"{core.name} on {target}", store, workers, scheduler) as measure:
        found = search(core, measure, seeds=seeds, first=first, trials=trials)
    of = {aim: Distribution.of(points) for aim, points in sorted(found.tried.items())}
    if json:
        as_json({"aim_mhz": found.aim, **asdict(of[found.aim]), "points": [asdict(point) for point in found.best]})
        return
    table(HEAD, [(f"{aim:g}", len(found.tried[aim]), *map(_mhz, asdict(each).values())) for aim, each in of.items()])
    best = of[found.aim]
    out.print(f"\n{core.name}: {_mhz(best.median)} MHz at an aim of {found.aim:g}", markup=False)


def _mhz(value: float) -> str:
    return f"{value:.1f}"
