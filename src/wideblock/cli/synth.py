# SPDX-License-Identifier: Apache-2.0
"""``wideblock synth``."""

from dataclasses import asdict
from typing import Annotated

import typer

from wideblock.cli.app import Json, Set, as_json, complete_target, settings, stages, table
from wideblock.evaluate.run import identify, measure
from wideblock.evaluate.tables import HEAD, row
from wideblock.synth.targets import target as target_of
from wideblock.synth.targets import targets

EXAMPLE = "Example: [b]wideblock synth fast-brw-2s --target xc7[/b]"


def synth(
    presets: Annotated[list[str], typer.Argument(metavar="PRESET|PART...", help="Presets or parts to synthesise.")],
    target: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help=f"One of {', '.join(targets)}.", autocompletion=complete_target),
    ] = None,
    changes: Set = None,
    routed: Annotated[bool, typer.Option("--route/--no-route", help="Place and route, minutes a core.")] = True,
    seed: Annotated[int, typer.Option(metavar="S", help="Placer seed.")] = 1,
    mhz: Annotated[
        float | None,
        typer.Option(metavar="MHZ", min=1, help="Target clock of the tools, in MHz; default: the target's."),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--yosys", metavar="ARG", help="Argument of the target's synthesis pass; may be repeated."),
    ] = None,
    json: Json = False,
) -> None:
    """Synthesise cores: area, and the clock where there is place and route. Minutes a core and target.

    Nothing is stored; [b]wideblock sweep[/b] stores what it measures.
    """
    devices = [target_of(name) for name in target or ("xc7", "ecp5")]
    points = [
        identify(name, settings(changes), device, routed=routed, seed=seed, mhz=mhz, options=options or ())
        for name in presets
        for device in devices
    ]
    with stages("synthesis") as report:
        found = [measure(point, lambda text, k=k: report(text, k, len(points))) for k, point in enumerate(points)]
    if json:
        as_json([asdict(point) for point in found])
    else:
        table(HEAD, map(row, found))


def register(app: typer.Typer) -> None:
    app.command("synth", epilog=EXAMPLE)(synth)
