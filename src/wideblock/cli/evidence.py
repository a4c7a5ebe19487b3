# SPDX-License-Identifier: Apache-2.0
"""``wideblock evidence``."""

from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from wideblock import catalog
from wideblock.cli.app import Json, as_json, complete_preset, progress, stages
from wideblock.cli.display import out, table
from wideblock.errors import UserError
from wideblock.evaluate.workers import workers_by_memory
from wideblock.evidence import today
from wideblock.evidence.code import code
from wideblock.evidence.record import OUTCOMES, EvidenceKind
from wideblock.evidence.store import COMMITTED, check, load
from wideblock.renewal.plan import RENEWERS, Plan, plan
from wideblock.renewal.run import alone, renew

EXAMPLE = (
    "Example: [b]wideblock evidence --plan[/b]; [b]wideblock evidence xts-enc --kind proof[/b]; "
    "[b]wideblock evidence --minutes 30[/b], as much as half an hour is worth"
)
COUNTS = ("wanted", "today", "old", "missing")
KINDS = [kind for renewer in RENEWERS for kind in renewer.kinds]


def evidence(
    presets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PRESET]...", help="Presets; default: all.", autocompletion=complete_preset),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help=f"One of {', '.join(KINDS)}; may be repeated. Default: all."),
    ] = None,
    planned: Annotated[bool, typer.Option("--plan", help="Open runs with expected times; nothing is run.")] = False,
    checked: Annotated[bool, typer.Option("--check", help="Like --plan, with exit status 1 if a run is open.")] = False,
    minutes: Annotated[
        float | None, typer.Option(metavar="N", min=0, help="Most minutes; a run that would take longer is left out.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Runs at a time; default: one a core, as far as memory goes.")
    ] = None,
    store: Annotated[
        Path, typer.Option(metavar="FILE", help="Store of evidence; default: the package's.", show_default=False)
    ] = COMMITTED,
    json: Json = False,
) -> None:
    """Renew missing evidence, and evidence of another circuit or of older checks: most worth for the time first.

    Each result is stored at once: stopped at any time, the same command goes on. Exit status 1: a result is a failure,
    or a run was not possible.
    """
    planned = planned or checked
    if json and not planned:
        raise UserError("--json is for --plan; results are lines of the store")
    names = [catalog.preset_or_part(name).name for name in presets or (*catalog.PRESETS, *catalog.PARTS)]
    chosen = [_kind(word) for word in kinds or KINDS]
    if not planned:
        if store == COMMITTED and code()[1] is None:
            raise UserError("the package's store is renewed in a checkout of wideblock alone; give --store FILE")
        check(store)
    with nullcontext() if planned else alone(store):
        found = load(store, missing_ok=True)
        with progress("cores exported") as report:
            cores = {name: core for name, core in today.wanted(found).items() if core[0] in names}
            circuits = today.circuits_of(store, cores, report)
        work = plan(names, chosen, found, circuits)
        if planned:
            if json:
                as_json(_values(work))
            else:
                _show(work)
            raise typer.Exit(int(checked and bool(work.tasks)))
        with stages("evidence") as report:
            jobs = jobs or workers_by_memory()
            done = renew(work.tasks, store, circuits, minutes=minutes, jobs=jobs, progress=report)
    counts = Counter(each.outcome for each in done.found)
    told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES)
    out.print(f"{len(done.found)} results: {told}; {done.left} runs left: {store}", markup=False)
    _say([f"{each.kind} of {each.name}, {each.subject}: failed" for each in done.failed] + done.broken)


def _values(work: Plan) -> dict:
    tasks = [
        {
            "kind": task.kind,
            "core": task.name,
            "subjects": [question.subject for question in task.questions],
            "seconds": task.seconds,
            "known": task.known,
            "blocked": task.blocked or None,
        }
        for task in work.tasks
    ]
    counts = {kind: {name: getattr(work, name)[kind] for name in COUNTS} for kind in work.wanted}
    return {"counts": counts, "tasks": tasks}


def _show(work: Plan) -> None:
    """Prints the open runs in their order, then counts and expected times by kind."""
    expected = (task.blocked or ("an earlier run" if task.known else "other cores") for task in work.tasks)
    listed = ((task.kind, task.name, len(task.questions), task.seconds) for task in work.tasks)
    head = ("kind", "core", "results", "CPU seconds", "expected by")
    table(head, ((*task, by) for task, by in zip(listed, expected, strict=True)))
    rows = []
    for kind in work.wanted:
        open_tasks = [task for task in work.tasks if task.kind is kind]
        seconds = sum(task.seconds for task in open_tasks if not task.blocked)
        blocked = sum(len(task.questions) for task in open_tasks if task.blocked)
        rows.append((kind, *(getattr(work, name)[kind] for name in COUNTS), blocked, round(seconds / 60, 1)))
    table(("kind", "results wanted", "of today", "old", "missing", "not possible here", "CPU minutes"), rows)


def _kind(word: str) -> EvidenceKind:
    """Raises UserError for a word that is no kind."""
    if word not in KINDS:
        raise UserError(f"no kind {word!r} of evidence can be renewed; there are {', '.join(KINDS)}")
    return EvidenceKind(word)


def _say(faults: list[str]) -> None:
    """Ends the command with status 1 if there are faults; a fault is a line."""
    for fault in faults:
        typer.echo(f"wideblock: {fault}", err=True)
    if faults:
        raise typer.Exit(1)
