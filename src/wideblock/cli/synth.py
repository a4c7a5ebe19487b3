# SPDX-License-Identifier: Apache-2.0
"""``wideblock synth``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wideblock import catalog
from wideblock.cli.app import Json, Set, as_json, err, settings, table
from wideblock.export.contract import contract
from wideblock.export.results import HEAD, row
from wideblock.export.verilog import part as part_verilog
from wideblock.synth.place import place
from wideblock.synth.result import Result, result, save
from wideblock.synth.targets import Target, targets
from wideblock.synth.targets import target as target_of
from wideblock.synth.yosys import Source, synthesise

EXAMPLE = "Example: [b]wideblock synth fast-brw-2s --target xc7[/b]"
Options = tuple[str, ...] | None


def measure(name: str, changes: dict, target: Target, routed: bool, seed: int, mhz: float, options: Options) -> Result:
    """Area of a preset or part on ``target`` and, if ``routed`` and the target can, its clock."""
    if name in catalog.PARTS:
        part = catalog.PARTS[name]
        source, clock_port = Source(part_verilog(name), name.replace("-", "_")), "clk"
        parameters, taken, interval = {}, part.bytes, part.interval
    else:
        core = contract(name, changes)
        source, clock_port = Source(core.verilog, core.module), "aclk"
        parameters, taken, interval = core.settings, core.parameters.sector_bytes, core.timing.interval
        name = " ".join((name, *(f"{parameter}={value}" for parameter, value in core.changed)))
    with err.status(f"{source.top} on {target.name}: synthesis"):
        area = synthesise(source, target, options=options)
    clock = None
    if routed and target.places:
        with err.status(f"{source.top} on {target.name}: place and route"):
            clock = place(source, target, clock=clock_port, seed=seed, mhz=mhz, options=options)
    return result(name, target, area, clock, parameters=parameters, bytes=taken, interval=interval)


def synth(
    presets: Annotated[list[str] | None, typer.Argument(metavar="[PRESET|PART]...")] = None,
    target: Annotated[list[str] | None, typer.Option(metavar="NAME", help=f"One of {', '.join(targets)}.")] = None,
    changes: Set = None,
    everything: Annotated[bool, typer.Option("--all", help="Every preset and part.")] = False,
    routed: Annotated[bool, typer.Option("--route/--no-route", help="Place and route, minutes a core.")] = True,
    seed: Annotated[int, typer.Option(metavar="S", help="Of the placer.")] = 1,
    mhz: Annotated[float, typer.Option(metavar="MHZ", min=1, help="What the router aims at.")] = 200,
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
        raise ValueError("no preset or part is given; name one or say --all")
    devices = [target_of(name) for name in target or ("xc7", "ecp5")]
    changed = settings(changes)
    for name in names:
        if name in catalog.PARTS and changed:
            raise ValueError(f"--set is for presets; {name} is a part")
        if name not in catalog.PARTS:
            catalog.preset(name).changed(changed)
    results = []
    for name in names:
        for device in devices:
            results.append(measure(name, changed, device, routed, seed, mhz, tuple(options) if options else None))
            if directory:
                save(results[-1], directory / f"{results[-1].name.replace(' ', '-')}-{device.name}.json")
    if json:
        as_json([asdict(each) for each in results])
    else:
        table(HEAD, map(row, results))


def register(app: typer.Typer) -> None:
    app.command("synth", epilog=EXAMPLE)(synth)
