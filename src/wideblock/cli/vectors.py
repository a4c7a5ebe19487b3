# SPDX-License-Identifier: Apache-2.0
"""``wideblock vectors``."""

from typing import Annotated

import typer

from wideblock.atomic import check_directory, write_directory
from wideblock.catalog.kinds import AEAD
from wideblock.cli.app import Directory, ForceDirectory, Preset, Set, settings
from wideblock.errors import UserError
from wideblock.export.aead import long_answer, random_answers
from wideblock.export.aead import vectors as texts
from wideblock.export.contract import contract

EXAMPLE = "Example: [b]wideblock vectors aes-gcm -o build/kat[/b]"


def vectors(
    preset: Preset,
    directory: Directory,
    messages: Annotated[
        int, typer.Option(metavar="N", min=0, max=1 << 20, help="Random messages after the known answers.")
    ] = 32,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the random messages.")] = 0,
    changes: Set = None,
    force: ForceDirectory = False,
) -> None:
    """Write messages and their right output for test benches of the CAESAR Hardware API: pdi.txt, sdi.txt, do.txt."""
    core = contract(preset, settings(changes)).expect(AEAD)
    check_directory(directory, overwrite=force)
    longest = [long_answer(core)] if core.behaviour.at_once else []
    files = texts(core, [*core.known_answers, *random_answers(core, messages, seed), *longest])
    if not files:
        raise UserError(f"{core.name} has no known answer for its parameters; give --messages of at least 1")
    write_directory(directory.absolute(), files)
    for name in files:
        typer.echo(directory / name)
