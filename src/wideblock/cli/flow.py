# SPDX-License-Identifier: Apache-2.0
"""Options of the commands that put cores through synthesis, and place and route."""

from pathlib import Path
from typing import Annotated

import typer

from wideblock.cli.app import complete_target
from wideblock.synth.targets import targets

__all__ = ["STORE", "Mhz", "Routed", "Scheduler", "Seed", "Store", "Target", "Targets", "Workers", "Yosys"]

Target = Annotated[
    str, typer.Option(metavar="NAME", help=f"One of {', '.join(targets)}.", autocompletion=complete_target)
]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        metavar="NAME",
        help=f"One of {', '.join(targets)}; may be repeated.",
        autocompletion=complete_target,
    ),
]
Routed = Annotated[bool, typer.Option("--route/--no-route", help="Place and route, minutes a core.")]
Seed = Annotated[int, typer.Option(metavar="S", help="Placer seed.")]
Mhz = Annotated[
    float | None, typer.Option(metavar="MHZ", min=1, help="Target clock of the tools, in MHz; default: the target's.")
]
Yosys = Annotated[
    list[str] | None,
    typer.Option("--yosys", metavar="ARG", help="Argument of the target's synthesis pass; may be repeated."),
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Processes; default: by cores and memory of the machine.")
]
Scheduler = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers measure, tcp://HOST:PORT.")
]
Store = Annotated[Path, typer.Option(metavar="FILE", help="Store of measured points; created if missing.")]
STORE = Path("points.jsonl")
"""The store, unless told otherwise."""
