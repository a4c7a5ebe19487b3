# SPDX-License-Identifier: Apache-2.0
"""``wideblock verify``."""

from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from wideblock.cli.app import Json, Preset, Set, as_json, out, settings, stages, table
from wideblock.export.contract import Contract, contract
from wideblock.synth.targets import target, targets
from wideblock.synth.yosys import Source
from wideblock.synth.yosys import netlist as synthesise
from wideblock.verify.netlist import verify_netlist
from wideblock.verify.scoreboard import Report
from wideblock.verify.scoreboard import verify as run

EXAMPLE = (
    "Example: [b]wideblock verify fast-brw-2s --sectors 10000 --seed 1[/b]; "
    "[b]wideblock verify fast-brw-2 --netlist xc7 --sectors 8[/b], what synthesis makes of it"
)


def after_synthesis(core: Contract, device: str, **options: Any) -> Report:
    """The report on the netlist that synthesis for ``device`` makes of the core."""
    with TemporaryDirectory() as directory:
        options["progress"]("synthesis", 0, 1)
        _, files = synthesise(Source(core.verilog, core.module), target(device), Path(directory))
        return verify_netlist(core, files.verilog, files.models, includes=files.includes, **options)


def verify(
    preset: Preset,
    sectors: Annotated[int, typer.Option(metavar="N", min=1, help="Random sectors.")] = 256,
    seed: Annotated[int, typer.Option(metavar="S", help="Of every random choice.")] = 0,
    changes: Set = None,
    netlist: Annotated[
        str | None,
        typer.Option(metavar="TARGET", help=f"Try the netlist synthesised for one of {', '.join(targets)}."),
    ] = None,
    json: Json = False,
) -> None:
    """Hold the exported Verilog against the specification; explain the first difference, exit status 1."""
    core = contract(preset, settings(changes))
    with stages(f"compiling {core.module}") as report:
        options = {"sectors": sectors, "seed": seed, "vectors": core.known_answers, "progress": report}
        found = after_synthesis(core, netlist, **options) if netlist else run(core, **options)
    if json:
        as_json({"preset": core.name, "changed": dict(core.changed), "passed": found.passed, **asdict(found)})
    else:
        table(
            ("check", "result", "sectors", "cycles", "tried"),
            (
                (check.name, "passed" if check.passed else "FAILED", check.sectors, check.cycles, check.tried)
                for check in found.checks
            ),
            title=f"{core.module}{f' as netlist for {netlist}' if netlist else ''}, seed {seed}",
        )
        out.print(
            f"{found.sectors:,} sectors, {found.cycles:,} cycles in {found.seconds:.1f} s, "
            f"{found.cycles_per_second:,.0f} cycles a second"
        )
    if found.failure:
        typer.echo(f"wideblock: {core.module} fails {found.failure.name!r}: {found.failure.difference}", err=True)
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    app.command("verify", epilog=EXAMPLE)(verify)
