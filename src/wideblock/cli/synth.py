# SPDX-License-Identifier: Apache-2.0
"""``wideblock synth``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wideblock import catalog
from wideblock.cli.app import Json, Set, as_json, err, settings, table
from wideblock.export.contract import Contract, contract
from wideblock.export.results import HEAD, row
from wideblock.export.verilog import verilog
from wideblock.synth.place import place
from wideblock.synth.result import Result, result, save
from wideblock.synth.targets import Target, targets
from wideblock.synth.targets import target as target_of
from wideblock.synth.yosys import Source, synthesise

EXAMPLE = "Example: [b]wideblock synth fast-brw-2s --target xc7[/b]"


def measure(core: Contract, target: Target, routed: bool) -> Result:
    """Area of ``core`` on ``target`` and, if ``routed`` and the target can, its clock."""
    source = Source(verilog(core), core.module)
    with err.status(f"{core.module} on {target.name}: synthesis"):
        area = synthesise(source, target)
    clock = None
    if routed and target.places:
        with err.status(f"{core.module} on {target.name}: place and route"):
            clock = place(source, target)
    p = core.parameters
    return result(
        core.preset, target, area, clock, parameters=asdict(p), bytes=p.sector_bytes, interval=core.timing.interval
    )


def synth(
    presets: Annotated[list[str] | None, typer.Argument(metavar="[PRESET]...")] = None,
    target: Annotated[list[str] | None, typer.Option(metavar="NAME", help=f"One of {', '.join(targets)}.")] = None,
    changes: Set = None,
    everything: Annotated[bool, typer.Option("--all", help="Every preset.")] = False,
    routed: Annotated[bool, typer.Option("--route/--no-route", help="Place and route, minutes a core.")] = True,
    directory: Annotated[Path | None, typer.Option("--save", metavar="DIR", help="Write each result as JSON.")] = None,
    json: Json = False,
) -> None:
    """Synthesise cores: area, and the clock where there is place and route. Minutes a core and target."""
    names = list(catalog.PRESETS) if everything else presets
    if not names:
        raise ValueError("no preset is given; name one or say --all")
    if directory and changes:
        raise ValueError("--save is for presets as they are; leave out --set or --save")
    devices = [target_of(name) for name in target or ("xc7", "ecp5")]
    cores = [contract(name, settings(changes)) for name in names]
    results = []
    for core in cores:
        for device in devices:
            results.append(measure(core, device, routed))
            if directory:
                save(results[-1], directory / f"{core.preset}-{device.name}.json")
    if json:
        as_json([asdict(each) for each in results])
    else:
        table(HEAD, map(row, results))


def register(app: typer.Typer) -> None:
    app.command("synth", epilog=EXAMPLE)(synth)
