# SPDX-License-Identifier: Apache-2.0
"""``wideblock synth``."""

from dataclasses import asdict
from typing import Annotated

import typer

from wideblock.cli.app import Json, Set, as_json, settings, stages
from wideblock.cli.display import table
from wideblock.cli.flow import Mhz, Nextpnr, Routed, Seed, Targets, Yosys, names_of
from wideblock.evaluate.point import Point
from wideblock.evaluate.run import identify, measure
from wideblock.evaluate.tables import HEAD, row
from wideblock.synth.targets import target as target_of

EXAMPLE = "Example: [b]wideblock synth fast-brw-2s --target xc7[/b]"


def synth(
    presets: Annotated[list[str], typer.Argument(metavar="PRESET|PART...", help="Presets or parts to synthesise.")],
    target: Targets = None,
    changes: Set = None,
    routed: Routed = True,
    seed: Seed = 1,
    mhz: Mhz = None,
    options: Yosys = None,
    route_options: Nextpnr = None,
    json: Json = False,
) -> None:
    """Synthesise cores: area, and the clock where there is place and route. Minutes a core and target.

    Nothing is stored; [b]wideblock sweep[/b] stores what it measures.
    """
    devices = [target_of(name) for name in names_of(target)]
    flow = {"routed": routed, "seed": seed, "mhz": mhz, "options": options, "route_options": route_options}
    points = [identify(name, settings(changes), device, **flow) for name in presets for device in devices]
    found: list[Point] = []
    try:
        with stages("synthesis") as report:
            for k, point in enumerate(points):
                report(point.name, k, len(points))
                found.append(measure(point))
    finally:  # what took minutes is shown, whatever a later core meets
        if json and found:
            as_json([asdict(point) for point in found])
        elif found:
            table(HEAD, map(row, found))
