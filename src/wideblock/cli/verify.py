# SPDX-License-Identifier: Apache-2.0
"""``wideblock verify``."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wideblock.atomic import check_place
from wideblock.catalog.kinds import AEAD
from wideblock.cli.app import Everything, Force, Json, Presets, Set, as_json, complete_device, named, settings, stages
from wideblock.cli.display import out, table
from wideblock.errors import UserError
from wideblock.export.contract import Contract, contract
from wideblock.simulation.bench import trace_format
from wideblock.synth.targets import fpga, fpgas
from wideblock.verify.core.report import Report
from wideblock.verify.core.suite import chosen
from wideblock.verify.suites import JUDGES, checked, judged_by, played

EXAMPLE = (
    "Example: [b]wideblock verify fast-brw-2s --sectors 10000 --seed 1[/b]; [b]wideblock verify --all[/b], for hours; "
    "[b]wideblock verify fast-brw-2 --netlist xc7 --sectors 8[/b], its synthesised netlist; "
    "[b]wideblock verify xts-enc --check zeroize --wave zeroize.vcd[/b]"
)


Judge = Annotated[
    str,
    typer.Option(
        metavar="|".join(JUDGES),
        help="Right answers by the specification, or native code; the specification checks a sector in 64.",
    ),
]
Netlist = Annotated[
    str | None,
    typer.Option(
        metavar="TARGET", help=f"Netlist synthesised for one of {', '.join(fpgas)}.", autocompletion=complete_device
    ),
]
Wave = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Waveform, .vcd or .fst, of the failing run; of a --check's last run if none fails."
    ),
]


def verify(
    presets: Presets = None,
    everything: Everything = False,
    sectors: Annotated[int, typer.Option(metavar="N", min=1, help="Random sectors, or messages.")] = 256,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of all random stimulus.")] = 0,
    judge: Judge = "spec",
    changes: Set = None,
    netlist: Netlist = None,
    check: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only the check of this name; may be repeated.")
    ] = None,
    wave: Wave = None,
    force: Force = False,
    files: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Play pdi.txt, sdi.txt and do.txt of a directory instead of the checks."),
    ] = None,
    json: Json = False,
) -> None:
    """Compare the exported Verilog with its specification; explain the first difference.

    Exit status 1: a difference was found, or the command line is wrong; 2: the checks could not run. --json gives a
    list for several presets.
    """
    if netlist:
        fpga(netlist)
    if files and (check or wave or judge != JUDGES[0]):
        raise UserError("--files plays files in the place of the checks; leave out --check, --wave and --judge")
    cores = _cores(named(presets, everything), changes, wave, force)
    for core in cores:
        if files:
            core.expect(AEAD)
        chosen(check, judged_by(judge, core).checks)
    reports = []
    for n, core in enumerate(cores, 1):
        place = f"{n} of {len(cores)}, {core.module}: " if len(cores) > 1 else ""
        with stages(f"{place}preparing {core.module}") as report:
            if files:
                found, traced = played(core, netlist, files, seed), None
            else:
                options = {"amount": sectors, "seed": seed, "vectors": core.known_answers}
                options["progress"] = _told(place, report)
                found, traced = checked(core, judge, netlist, check, wave, options)
        reports.append({"preset": core.name, "changed": dict(core.changed), "passed": found.passed, **asdict(found)})
        if not json:
            show(core, found, f" as netlist for {netlist}" if netlist else "")
        if wave and not traced:
            typer.echo("wideblock: no check failed: name one with --check to have its waveform", err=True)
        if found.failure:
            typer.echo(f"wideblock: {core.module} fails {found.failure.name!r}: {found.failure.difference}", err=True)
    if json:
        as_json(reports if len(cores) > 1 else reports[0])
    if not all(report["passed"] for report in reports):
        raise typer.Exit(1)


def _cores(names: list[str], changes: list[str] | None, wave: Path | None, force: bool) -> list[Contract]:
    """The cores to verify. Raises UserError for a waveform of several."""
    if wave:
        trace_format(wave)
        if len(names) > 1:
            raise UserError(f"--wave is for one preset, got {len(names)}")
        check_place(wave, overwrite=force)
        wave.parent.mkdir(parents=True, exist_ok=True)
    return [contract(name, settings(changes)) for name in names]


def _told(place: str, report: Callable[[str, int, int | None], None]) -> Callable[[str, int, int | None], None]:
    """``report`` with the place of the core among several before the stage."""
    return lambda stage, done, total: report(place + stage, done, total)


def show(core: Contract, found: Report, form: str) -> None:
    """Prints a report."""
    table(
        ("check", "result", f"{core.kind.noun}s", "cycles", "tried"),
        ((each.name, str(each.outcome), each.sectors, each.cycles, each.tried) for each in found.checks),
        title=f"{core.module}{form}, seed {found.seed}",
    )
    out.print(
        f"{found.sectors:,} {core.kind.noun}s, {found.cycles:,} cycles in {found.seconds:.1f} s, "
        f"{found.cycles_per_second:,.0f} cycles a second"
    )
