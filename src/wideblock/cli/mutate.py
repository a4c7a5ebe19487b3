# SPDX-License-Identifier: Apache-2.0
"""``wideblock mutate``."""

from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer

from wideblock.cli.app import Json, Preset, Set, as_json, settings, stages
from wideblock.cli.display import out, table
from wideblock.export.contract import Contract, contract
from wideblock.verify.mutation.mutants import KINDS
from wideblock.verify.mutation.score import Score, score

EXAMPLE = "Example: [b]wideblock mutate hmch-brw-3 --set sector_bytes=96 --mutants 200[/b]; minutes on a small core"


def mutate(
    preset: Preset,
    mutants: Annotated[int, typer.Option(metavar="N", min=1, help="Mutants, spread over all modules.")] = 100,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the choice of mutants and of all stimulus.")] = 0,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help=f"One of {', '.join(KINDS)}; may be repeated. Default: all."),
    ] = None,
    within: Annotated[
        list[str] | None,
        typer.Option("--module", metavar="PATTERN", help="Modules that get mutants, by path; may be repeated."),
    ] = None,
    sectors: Annotated[
        int, typer.Option(metavar="N", min=1, help="Random sectors, or messages, of the checks on a mutant.")
    ] = 16,
    least: Annotated[float, typer.Option(metavar="PERCENT", help="Exit status 1 if the score is lower.")] = 0,
    changes: Set = None,
    json: Json = False,
) -> None:
    """Break the exported Verilog in many places, one at a time, and count how many breaks the checks find.

    A mutant that is proved to behave as the core does is not counted.
    """
    core = contract(preset, settings(changes))
    with stages(f"exporting {core.module}") as report:
        found = score(
            core,
            mutants=mutants,
            seed=seed,
            kinds=tuple(kinds or KINDS),
            within=within or (),
            sectors=sectors,
            progress=report,
        )
    if json:
        as_json(_values(core, found))
    else:
        _show(found)
    if 100 * found.share < least:
        typer.echo(f"wideblock: {core.module}: score {100 * found.share:.1f} %, less than {least:g} %", err=True)
        raise typer.Exit(1)


def _values(core: Contract, found: Score) -> dict:
    return {
        "preset": core.name,
        "changed": dict(core.changed),
        "seed": found.seed,
        "mutants": len(found.trials),
        "killed": len(found.killed),
        "equivalent": [asdict(mutant) for mutant in found.equivalent],
        "survivors": [asdict(mutant) for mutant in found.survivors],
        "checks": Counter(trial.check for _, trial in found.trials if trial and trial.check),
        "score": found.share,
    }


def _show(found: Score) -> None:
    counts = [Counter(m.module for m in group) for group in (found.killed, found.survivors, found.equivalent)]
    modules = dict.fromkeys(mutant.module for mutant, _ in found.trials)
    table(
        ("module", "mutants", "killed", "survived", "equivalent"),
        ((m or "top", sum(c[m] for c in counts), *(c[m] for c in counts)) for m in modules),
        title=f"{found.module}, seed {found.seed}",
    )
    for mutant in found.survivors:
        out.print(f"survived: {mutant}", markup=False)
    kills = Counter(trial.check for _, trial in found.trials if trial and trial.check)
    out.print("killed by: " + ", ".join(f"{check} {n}" for check, n in kills.most_common()))
    out.print(f"score: {len(found.killed)} of {len(found.killed) + len(found.survivors)}, {100 * found.share:.1f} %")
