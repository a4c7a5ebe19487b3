# SPDX-License-Identifier: Apache-2.0
"""Options of the commands that put cores through synthesis, and place and route."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from wideblock.cli.app import stages
from wideblock.errors import UserError
from wideblock.evaluate.point import Identity, Point
from wideblock.evaluate.sweep import points_of
from wideblock.evaluate.workers import local, scheduled, workers_by_memory
from wideblock.synth.targets import targets

__all__ = ["STORE", "Aims", "Mhz", "Nextpnr", "Routed", "Scheduler", "Seed", "Store", "Target", "Targets", "Workers"]
__all__ += ["Yosys", "measuring", "names_of", "processes"]


def complete_target(incomplete: str) -> list[str]:
    """The targets of synthesis with the given beginning, for the shell."""
    return [name for name in targets if name.startswith(incomplete)]


Target = Annotated[
    str, typer.Option(metavar="NAME", help=f"One of {', '.join(targets)}.", autocompletion=complete_target)
]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        metavar="NAME",
        help=f"One of {', '.join(targets)}, or several with commas between them; may be repeated.",
        autocompletion=complete_target,
    ),
]
Routed = Annotated[bool, typer.Option("--route/--no-route", help="Place and route, minutes a core.")]
Seed = Annotated[int, typer.Option(metavar="S", help="Placer seed.")]
Mhz = Annotated[
    float | None,
    typer.Option(metavar="MHZ", min=1, max=9999, help="Target clock of the tools, in MHz; default: the target's."),
]
Aims = Annotated[
    list[float] | None,
    typer.Option(
        "--mhz",
        metavar="MHZ",
        min=1,
        max=9999,
        help="Target clock of the tools, in MHz; default: the target's; may be repeated.",
    ),
]
Yosys = Annotated[
    list[str] | None,
    typer.Option("--yosys", metavar="ARG", help="Argument of the target's synthesis pass; may be repeated."),
]
Nextpnr = Annotated[
    list[str] | None,
    typer.Option("--nextpnr", metavar="ARG", help="Option of nextpnr instead of the target's; may be repeated."),
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


def names_of(given: list[str] | None) -> list[str]:
    """The targets that :data:`Targets` names, each once, two by default."""
    return list(dict.fromkeys(name.strip() for each in given or ("xc7", "ecp5") for name in each.split(",")))


def processes(
    workers: int | None, scheduler: str | None, memory: float | None = None, *, most: int | None = None
) -> AbstractContextManager[Executor]:
    """Executor for measurements: processes of this machine, at most ``most``, or the workers of a Dask scheduler.

    memory: GiB of each process of this machine
    Raises UserError if options are given for both.
    """
    if workers and scheduler:
        raise UserError("--workers is for this machine; --scheduler has workers of its own")
    if memory and scheduler:
        raise UserError("--memory is for this machine; the workers of a --scheduler have their own limit")
    if scheduler:
        return scheduled(scheduler)
    number = workers or workers_by_memory()
    return local(min(number, most) if most else number, memory)


@contextmanager
def measuring(
    what: str, store: Path, workers: int | None, scheduler: str | None
) -> Iterator[Callable[[Sequence[Identity]], list[Point]]]:
    """Gives a function to take the points of identities from ``store``, or to measure points; shows its progress."""
    with stages(what) as report, processes(workers, scheduler) as executor:
        yield partial(points_of, store=store, executor=executor, progress=report)
