# SPDX-License-Identifier: Apache-2.0
"""``wideblock explore``."""

from dataclasses import asdict
from typing import Annotated

import typer

from wideblock.atomic import check_place
from wideblock.cli.app import Json, as_json, multiple_settings, setting
from wideblock.cli.display import out, table
from wideblock.cli.flow import STORE, Aims, Nextpnr, Scheduler, Store, Target, Workers, Yosys, measuring
from wideblock.evaluate.explore import Objective, pareto, same_function
from wideblock.evaluate.explore import explore as search
from wideblock.evaluate.sweep import Space
from wideblock.evaluate.tables import HEAD, row

EXAMPLE = "Example: [b]wideblock explore xts-enc --target ecp5 --maximise throughput-per-lut --seeds 3[/b]"
SEARCHED = "Values of a parameter to search, or one to set; default: all that leave the function as it is."


def explore(
    presets: Annotated[list[str], typer.Argument(metavar="PRESET|PART...", help="Presets or parts to search.")],
    target: Target = "ecp5",
    maximise: Annotated[Objective, typer.Option(help="Figure to make as large as possible.")] = Objective.EFFICIENCY,
    changes: Annotated[list[str] | None, setting("NAME=VALUE,..", SEARCHED)] = None,
    seeds: Annotated[int, typer.Option(metavar="N", min=1, help="Placer seeds 1 to N; their median counts.")] = 1,
    mhz: Aims = None,
    options: Yosys = None,
    route_options: Nextpnr = None,
    store: Store = STORE,
    workers: Workers = None,
    scheduler: Scheduler = None,
    json: Json = False,
) -> None:
    """Search the parameters of presets for the best figure, and print the Pareto set of throughput and area.

    One parameter after the other is set to its best value, until none gets better. Every point
    is stored: the same command goes on where it was stopped. On a target without a clock throughput is that of a cycle.
    """
    check_place(store)
    given = multiple_settings(changes)
    spaces = [
        Space((name,), (target,), given or same_function(name), range(1, seeds + 1), mhz, options, route_options)
        for name in presets
    ]
    with measuring(f"{', '.join(presets)} on {target}", store, workers, scheduler) as measure:
        name, best, found = search(spaces, maximise, measure)
    points = pareto(found)
    if json:
        as_json({"preset": name, "best": best, "pareto": [asdict(point) for point in points]})
    else:
        table(HEAD, map(row, points), title=f"Pareto set of {len(found)} points")
        chosen = " ".join(f"--set {parameter}={value}" for parameter, value in best.items()) or "as it is"
        out.print(f"\nbest {maximise.value}: {name} {chosen}", markup=False)
