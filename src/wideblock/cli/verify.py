# SPDX-License-Identifier: Apache-2.0
"""``wideblock verify``."""

from dataclasses import asdict
from typing import Annotated

import typer

from wideblock.cli.app import Json, Preset, Set, as_json, out, settings, stages, table
from wideblock.export.contract import contract
from wideblock.export.subject import known_answers, subject
from wideblock.verify.scoreboard import verify as run

EXAMPLE = "Example: [b]wideblock verify fast-brw-2s --sectors 10000 --seed 1[/b]"


def verify(
    preset: Preset,
    sectors: Annotated[int, typer.Option(metavar="N", min=1, help="Random sectors.")] = 256,
    seed: Annotated[int, typer.Option(metavar="S", help="Of every random choice.")] = 0,
    changes: Set = None,
    json: Json = False,
) -> None:
    """Hold the exported Verilog against the specification; explain the first difference, exit status 1."""
    core = contract(preset, settings(changes))
    with stages(f"compiling {core.module}") as report:
        found = run(subject(core), sectors=sectors, seed=seed, vectors=known_answers(core), progress=report)
    if json:
        as_json({"preset": core.preset, "changed": dict(core.changed), "passed": found.passed, **asdict(found)})
    else:
        table(
            ("check", "result", "sectors", "cycles", "tried"),
            (
                (check.name, "passed" if check.passed else "FAILED", check.sectors, check.cycles, check.tried)
                for check in found.checks
            ),
            title=f"{core.module}, seed {seed}",
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
