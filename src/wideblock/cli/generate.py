# SPDX-License-Identifier: Apache-2.0
"""``wideblock generate``."""

from dataclasses import replace
from typing import Annotated

import typer

from wideblock.cli.app import AcceptBroken, Directory, ForceDirectory, Preset, Set, settings, stages
from wideblock.evaluate.store import COMMITTED, load
from wideblock.evaluate.tables import section
from wideblock.export.contract import contract
from wideblock.export.directory import generate as write
from wideblock.export.testbench import SPECIFIED

EXAMPLE = "Example: [b]wideblock generate fast-brw-2s --set key_bits=256 -o build/fast[/b]"


def generate(
    preset: Preset,
    directory: Directory,
    changes: Set = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the module and its files; default: the preset's.")
    ] = None,
    force: ForceDirectory = False,
    accept_broken: AcceptBroken = False,
) -> None:
    """Write the Verilog of a core, and files for tools.

    Datasheet, test bench with right answers, FuseSoC description, IP-XACT description, constraints. A directory is for
    one core: component.xml and files of test vectors have no module in their names.
    """
    core = replace(contract(preset, settings(changes)), called=name)
    measured = section(core, load(COMMITTED))
    with stages(f"generating {core.module}"):
        paths = write(core, directory, force=force, measured=measured, accept_broken=accept_broken)
    for path in paths:
        typer.echo(path)
    if core.benched and not core.known_answers:
        typer.echo(f"wideblock: {core.module} has no known answers; its test bench has {SPECIFIED}", err=True)
