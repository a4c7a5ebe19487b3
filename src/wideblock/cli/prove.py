# SPDX-License-Identifier: Apache-2.0
"""``wideblock prove``."""

from dataclasses import asdict
from typing import Annotated

import typer

from wideblock.cli.app import Json, Preset, Set, as_json, settings, stages, table
from wideblock.export.contract import contract
from wideblock.verify.formal.flat import flatten
from wideblock.verify.formal.stream import RULES, Finding, Result, findings

EXAMPLE = (
    "Example: [b]wideblock prove fast-brw-2s[/b]; "
    "[b]wideblock prove xts-enc --rule queues --rule stable[/b], two of the rules"
)


def prove(
    preset: Preset,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="NAME", help=f"One of {', '.join(RULES)}; may be repeated. Default: all."),
    ] = None,
    changes: Set = None,
    json: Json = False,
) -> None:
    """Prove the stream rules of the exported Verilog: for all inputs, at all times.

    Exit status 1 if a rule that applies to the core is not proved. A rule that does not apply is shown as "none".
    """
    core = contract(preset, settings(changes))
    chosen = tuple(dict.fromkeys(rules or RULES))
    found: list[Finding] = []
    attempts = findings(core, chosen)
    with stages(f"exporting {core.module}") as report:
        flatten(core)
        for done, rule in enumerate(chosen):
            report(f"proving {rule}", done, len(chosen))
            found.append(next(attempts))
    missing = [finding.rule for finding in found if finding.result is Result.NOT_PROVED]
    if json:
        each = [asdict(finding) | {"result": finding.result.value} for finding in found]
        as_json({"preset": core.name, "changed": dict(core.changed), "proved": not missing, "rules": each})
    else:
        table(
            ("rule", "result", "method", "gates", "seconds", "statement or reason"), map(_row, found), title=core.module
        )
    if missing:
        typer.echo(f"wideblock: {core.module}: not proved: {', '.join(missing)}", err=True)
        raise typer.Exit(1)


def _row(finding: Finding) -> tuple:
    proof = finding.proof
    shown = (proof.method, proof.gates, round(proof.seconds, 1)) if proof else ("-", "-", "-")
    return (finding.rule, finding.result.value, *shown, finding.detail)


def register(app: typer.Typer) -> None:
    app.command("prove", epilog=EXAMPLE)(prove)
