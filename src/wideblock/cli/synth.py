# SPDX-License-Identifier: Apache-2.0
"""``wideblock synth``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wideblock import catalog
from wideblock.cli.app import Json, Set, as_json, complete_target, err, settings, table
from wideblock.errors import UserError
from wideblock.evaluate.result import save
from wideblock.evaluate.run import run
from wideblock.evaluate.tables import HEAD, row
from wideblock.synth.targets import target as target_of
from wideblock.synth.targets import targets

EXAMPLE = "Example: [b]wideblock synth fast-brw-2s --target xc7[/b]"


def synth(
    presets: Annotated[
        list[str] | None, typer.Argument(metavar="[PRESET|PART]...", help="Presets or parts to synthesise.")
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help=f"One of {', '.join(targets)}.", autocompletion=complete_target),
    ] = None,
    changes: Set = None,
    everything: Annotated[bool, typer.Option("--all", help="Every preset and part.")] = False,
    routed: Annotated[bool, typer.Option("--route/--no-route", help="Place and route, minutes a core.")] = True,
    seed: Annotated[int, typer.Option(metavar="S", help="Placer seed.")] = 1,
    mhz: Annotated[float, typer.Option(metavar="MHZ", min=1, help="Target clock for the router, in MHz.")] = 200,
    options: Annotated[
        list[str] | None,
        typer.Option("--yosys", metavar="ARG", help="Argument of the target's synthesis pass; may be repeated."),
    ] = None,
    directory: Annotated[Path | None, typer.Option("--save", metavar="DIR", help="Write each result as JSON.")] = None,
    json: Json = False,
) -> None:
    """Synthesise cores: area, and the clock where there is place and route. Minutes a core and target."""
    names = [*catalog.PRESETS, *catalog.PARTS] if everything else presets
    if not names:
        raise UserError("no preset or part is given; name one or say --all")
    devices = [target_of(name) for name in target or ("xc7", "ecp5")]
    changed = settings(changes)
    for name in names:
        if name in catalog.PARTS and changed:
            raise UserError(f"--set is for presets; {name} is a part")
        if name not in catalog.PARTS:
            catalog.preset(name).changed(changed)
    results = []
    with err.status("synthesis") as status:
        for name in names:
            for device in devices:
                results.append(
                    run(name, changed, device, routed=routed, seed=seed, mhz=mhz, options=options, stage=status.update)
                )
                if directory:
                    save(results[-1], directory / f"{results[-1].name.replace(' ', '-')}-{device.name}.json")
    if json:
        as_json([asdict(each) for each in results])
    else:
        table(HEAD, map(row, results))


def register(app: typer.Typer) -> None:
    app.command("synth", epilog=EXAMPLE)(synth)
