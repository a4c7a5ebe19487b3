# SPDX-License-Identifier: Apache-2.0
"""``wideblock prove``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wideblock.cli.app import Everything, Json, Presets, Set, as_json, complete_device, named, settings, stages
from wideblock.cli.display import table
from wideblock.evidence.store import add, check
from wideblock.export.contract import Contract, contract
from wideblock.synth.targets import fpga, fpgas
from wideblock.verify.formal.findings import ON_NETLISTS, RULES, findings
from wideblock.verify.formal.proof import RuleFinding, RuleResult
from wideblock.verify.formal.record import proof_evidence

EXAMPLE = (
    "Example: [b]wideblock prove fast-brw-2s[/b]; "
    "[b]wideblock prove xts-enc --rule queues --rule stable[/b], two of the rules; "
    "[b]wideblock prove --all --rule timing[/b], one rule for every preset; "
    "[b]wideblock prove xts-enc --set sector_bytes=32 --netlist xc7[/b], its synthesised netlist"
)


def prove(
    presets: Presets = None,
    everything: Everything = False,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="NAME", help=f"One of {', '.join(RULES)}; may be repeated. Default: all."),
    ] = None,
    changes: Set = None,
    netlist: Annotated[
        str | None,
        typer.Option(
            metavar="TARGET",
            help=f"Netlist synthesised for one of {', '.join(fpgas)}; rules: {', '.join(ON_NETLISTS)}.",
            autocompletion=complete_device,
        ),
    ] = None,
    store: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Store of evidence that gets the results; created if missing.")
    ] = None,
    json: Json = False,
) -> None:
    """Prove the rules of the exported Verilog: for all inputs, at all times.

    Exit status 1 if a rule that applies to the core is not proved, 2 if no rule applies to any core. A rule that
    does not apply is shown as "none".
    --json gives a list for several presets.
    """
    names = named(presets, everything)
    target = fpga(netlist) if netlist else None
    chosen = tuple(dict.fromkeys(rules or (ON_NETLISTS if target else RULES)))
    cores = [contract(name, settings(changes)) for name in names]
    if store:
        check(store)
    failed, results = [], []
    for core in cores:
        attempts = findings(core, chosen, target=target)
        found: list[RuleFinding] = []
        with stages(f"exporting {core.module}") as report:
            _ = core.verilog
            for done, rule in enumerate(chosen):
                report(f"{core.module}: proving {rule}", done, len(chosen))
                found.append(next(attempts))
                if store:
                    add(store, proof_evidence(core, found[-1], netlist))
        missing = [finding.rule for finding in found if finding.result is RuleResult.NOT_PROVED]
        each = [asdict(finding) | {"result": finding.result.value} for finding in found]
        proved = not missing and any(finding.result is RuleResult.PROVED for finding in found)
        results.append({"preset": core.name, "changed": dict(core.changed), "proved": proved, "rules": each})
        if not json:
            show(core, found, f" as netlist for {netlist}" if netlist else "")
        if missing:
            failed.append(core.module)
            typer.echo(f"wideblock: {core.module}: not proved: {', '.join(missing)}", err=True)
    if json:
        as_json(results if len(cores) > 1 else results[0])
    if failed or not any(each["proved"] for each in results):
        raise typer.Exit(1 if failed else 2)


def show(core: Contract, found: list[RuleFinding], form: str) -> None:
    """Prints the findings on a core."""
    table(
        ("rule", "result", "method", "gates", "CPU seconds", "statement or reason"),
        map(_row, found),
        title=f"{core.module}{form}",
    )


def _row(finding: RuleFinding) -> tuple:
    shown = (finding.proof.method, finding.proof.gates) if finding.proof else ("-", "-")
    return (finding.rule, finding.result.value, *shown, round(finding.seconds, 1), finding.detail)
