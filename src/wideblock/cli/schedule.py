# SPDX-License-Identifier: Apache-2.0
"""``wideblock schedule``."""

from io import StringIO
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wideblock.atomic import check_place, write_text
from wideblock.cli.app import Force, Json, as_json
from wideblock.cli.display import out, table
from wideblock.errors import UserError
from wideblock.evaluate import schedules
from wideblock.rtl.hash import forest

MOST_BLOCKS, MOST_STAGES = 1 << 16, 64
"""Bounds, for times of seconds; a sector of 1 MiB has 65536 blocks."""

EXAMPLE = """Example: [b]wideblock schedule 31 --stages 3[/b], one schedule;
[b]wideblock schedule --table 4..32 --stages 2,3[/b], the paper's Table 1;
[b]wideblock schedule --storage 2..1024 --stages 3 --plot storage.svg[/b], its figure 6."""


def blocks_of(text: str) -> tuple[int, int]:
    """The two numbers of ``A..B``."""
    first, dots, last = text.partition("..")
    if not (dots and first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last) <= MOST_BLOCKS):
        form = f"A..B with 1 <= A <= B <= {MOST_BLOCKS}, such as 2..1024"
        raise UserError(f"blocks must be given as {form}, got {text!r}")
    return int(first), int(last)


def stages_of(text: str) -> list[int]:
    """The numbers of ``2,3,4``."""
    words = text.split(",")
    if not all(word.isdecimal() and 1 <= int(word) <= MOST_STAGES for word in words):
        raise UserError(f"stages must be numbers from 1 to {MOST_STAGES} with commas between them, got {text!r}")
    return [int(word) for word in words]


def table_1(first: int, last: int, stages: list[int], json: bool) -> None:
    """Prints Table 1 of the paper."""
    found = [(NS, [forest.schedule(m, NS) for m in range(first, last + 1)]) for NS in stages]
    if json:
        as_json([schedules.summary(each) for _, same in found for each in same])
        return
    for NS, same in found:
        rows = [(each.forest.m, schedules.starts(each), each.total_clocks) for each in same]
        table(("blocks", "what starts, clock by clock", "total clocks"), rows, title=f"NS = {NS} stages")


def figure_6(first: int, last: int, stages: list[int], json: bool, plot: Path | None, force: bool) -> None:
    """Prints and writes figure 6 of the paper."""
    if plot:
        check_place(plot, overwrite=force)
    found = {NS: schedules.storage(first, last, NS) for NS in stages}
    drawn = "\n".join(schedules.draw_storage(grown, NS) for NS, grown in found.items())
    if json:
        as_json([{"stages": NS, "extra_storage": {str(m): n for m, n in grown.items()}} for NS, grown in found.items()])
    else:
        out.print(drawn, markup=False, end="")
    if plot:
        page = Console(record=True, file=StringIO(), width=120)
        page.print(drawn, markup=False, end="")
        write_text(plot, page.export_svg(title="BRW: extra storage locations"), overwrite=force)


def schedule(
    m: Annotated[
        int | None,
        typer.Argument(metavar="BLOCKS", max=MOST_BLOCKS, help="Number of blocks of the BRW polynomial."),
    ] = None,
    stages: Annotated[str, typer.Option(metavar="K[,K]...", help="Pipeline stages of the multiplier.")] = "3",
    rows: Annotated[
        str | None, typer.Option("--table", metavar="A..B", help="Schedules for A to B blocks: Table 1 of the paper.")
    ] = None,
    storage: Annotated[
        str | None, typer.Option(metavar="A..B", help="Extra storage for A to B blocks: figure 6 of the paper.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Write figure 6 as SVG.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Draw the order of a BRW hash's multiplications for a pipelined multiplier, by the BRW paper's algorithm."""
    kinds = {"BLOCKS": m, "--table": rows, "--storage": storage}
    given = [name for name, value in kinds.items() if value is not None]
    if len(given) > 1:
        raise UserError(f"{' and '.join(given)} exclude each other; give one of them")
    if not given:
        raise UserError("a number of BLOCKS is missing, or --table A..B, or --storage A..B")
    if plot and storage is None:
        raise UserError("--plot draws what --storage A..B finds; give that, too")
    NS = stages_of(stages)
    if rows is not None:
        table_1(*blocks_of(rows), NS, json)
    elif storage is not None:
        figure_6(*blocks_of(storage), NS, json, plot, force)
    elif m is not None:
        if len(NS) != 1:
            raise UserError(f"one schedule is for one number of stages, got {stages}")
        if json:
            as_json(schedules.summary(forest.schedule(m, NS[0])))
        else:
            out.print(schedules.draw(forest.schedule(m, NS[0])), markup=False, end="")
