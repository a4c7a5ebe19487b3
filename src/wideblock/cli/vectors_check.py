# SPDX-License-Identifier: Apache-2.0
"""``wideblock vectors check``."""

import json as text
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from wideblock.atomic import replacing
from wideblock.cli.app import Force, Json, as_json, progress
from wideblock.cli.display import out, table
from wideblock.errors import UserError
from wideblock.image.cases import CaseResult, CaseVerdict, check
from wideblock.image.engines import ENGINES
from wideblock.vectors.formats import AcvpDocument, read, response

EXAMPLE = "Example: [b]wideblock vectors check XTSGenAES128.rsp aes_gcm_test.json --engine rtl[/b]"

SHOWN = 10
"""Failures that are explained; the others are counted."""


def vectors_check(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Files of CAVP (.rsp), ACVP, Wycheproof or google/hctr2 (JSON)."),
    ],
    engine: Annotated[
        str, typer.Option(metavar="|".join(ENGINES), help="Specification, compiled core, or another engine.")
    ] = "spec",
    answer: Annotated[
        Path | None,
        typer.Option("--response", metavar="FILE", help="Response to the prompts of ACVP, all in one file."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Check an engine with published test vectors: AES-XTS, AES-GCM and HCTR2.

    The form of a file is recognised by its content. A file of ACVP results is given beside its prompt. Exit status 1: a
    case failed, or the command line or a file's content is wrong; 2: no case could be checked.
    """
    cases, prompts = read(files)
    if answer and (asked := len({prompt.file for prompt in prompts})) != 1:
        raise UserError(f"--response answers one file with prompts of ACVP, got {asked}")
    results: list[CaseResult] = []
    with progress(f"checking cases with {engine}") as report:
        for result in check(cases, engine):
            results.append(result)
            report(len(results), len(cases))
    counts = Counter(result.verdict for result in results)
    as_json(_json(engine, results)) if json else _show(engine, results)
    if answer:
        _respond(prompts, results, answer, force)
    if counts[CaseVerdict.FAILED]:
        raise typer.Exit(1)
    if not counts[CaseVerdict.PASSED] and not answer:
        typer.echo("wideblock: no case could be checked", err=True)
        raise typer.Exit(2)


def _show(engine: str, results: list[CaseResult]) -> None:
    """Prints the counts of each file, the reasons for skipping, and the first failures."""
    counts = Counter((result.case.file, result.verdict) for result in results)
    files = dict.fromkeys(result.case.file for result in results)
    rows = ((str(file), *(counts[file, verdict] for verdict in CaseVerdict)) for file in files)
    table(("file", *(verdict.value for verdict in CaseVerdict)), rows, title=f"engine {engine}")
    skipped = Counter(result.reason for result in results if result.verdict is CaseVerdict.SKIPPED)
    for reason, count in skipped.most_common():
        out.print(f"skipped {count}: {reason}", markup=False)
    failed = [result for result in results if result.verdict is CaseVerdict.FAILED]
    for each in failed[:SHOWN]:
        typer.echo(f"wideblock: {each.case.file}, {each.case.place}: {each.reason}", err=True)
    if more := len(failed[SHOWN:]):
        typer.echo(f"wideblock: {more} more cases failed", err=True)


def _json(engine: str, results: list[CaseResult]) -> dict[str, object]:
    rows = [
        {"file": str(each.case.file), "case": each.case.place, "verdict": each.verdict.value, "reason": each.reason}
        for each in results
    ]
    return {"engine": engine, "cases": rows}


def _respond(prompts: list[AcvpDocument], results: list[CaseResult], target: Path, force: bool) -> None:
    """Writes the response. Raises UserError if a case of a prompt has no answer."""
    ours = (each for each in results if each.case.file == prompts[0].file)
    made = {(each.case.place, decrypt): result for each in ours for decrypt, result in each.made.items()}
    content = f"{text.dumps(response(prompts, made), indent=2)}\n"
    with replacing(target, overwrite=force) as file:
        file.write(content.encode())
