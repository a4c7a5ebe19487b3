# SPDX-License-Identifier: Apache-2.0
"""``wideblock schedule``."""

from typing import Annotated

import typer

from wideblock.cli.app import Json, as_json, out
from wideblock.rtl.hash import forest

EXAMPLE = "Example: [b]wideblock schedule 31 --stages 3[/b]"


def schedule(
    m: Annotated[int, typer.Argument(metavar="BLOCKS", help="Number of blocks of the BRW polynomial.")],
    stages: Annotated[int, typer.Option(help="Pipeline stages of the multiplier.")] = 3,
    json: Json = False,
) -> None:
    """Draw the order of a BRW hash's multiplications for a pipelined multiplier, by the BRW paper's algorithm."""
    found = forest.schedule(m, stages)
    if json:
        as_json({
            "blocks": m,
            "stages": stages,
            "multiplications": len(found.order),
            "clocks": found.total_clocks,
            "bubbles": found.bubbles,
            "extra_storage": found.extra_storage,
            "order": list(found.order),
            "start": {str(node): clock for node, clock in found.start.items()},
        })  # fmt: skip
    else:
        out.print(forest.draw(found), markup=False, end="")


def register(app: typer.Typer) -> None:
    app.command("schedule", epilog=EXAMPLE)(schedule)
