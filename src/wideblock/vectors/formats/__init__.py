# SPDX-License-Identifier: Apache-2.0
"""Published files of test vectors, recognised by content."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from wideblock.errors import UserError
from wideblock.text import text_of

from . import acvp, cavp, designers, wycheproof
from .acvp import AcvpDocument, response
from .case import Case, MessageCase, UnitCase, Unreadable, objects

__all__ = ["AcvpDocument", "Case", "MessageCase", "UnitCase", "Unreadable", "read", "response"]


def read(files: Sequence[Path]) -> tuple[list[Case], list[AcvpDocument]]:
    """The cases of files, and the prompts of ACVP among these.

    A set of ACVP results belongs to the prompt with the same number and algorithm, in whatever file. Every entry, case
    and field of a file is read or refused. Raises Unreadable with the name of the file, and OSError.
    """
    cases: list[Case] = []
    sets: list[AcvpDocument] = []
    for file in dict.fromkeys(files):
        found = _one(file)
        cases += (each for each in found if isinstance(each, Case))
        sets += (each for each in found if isinstance(each, AcvpDocument))
    pairs = acvp.paired(sets)
    for prompt, result in pairs:
        cases += acvp.read(prompt, result)
    return cases, [prompt for prompt, _ in pairs]


def _one(file: Path) -> Sequence[Case | AcvpDocument]:
    try:
        text = text_of(file)
    except UserError as error:
        raise Unreadable(f"{error}; {_FORMS}") from None
    if cavp.recognised(text):
        return _listed(file, cavp.read(file, text))
    try:
        content: Any = json.loads(text, object_pairs_hook=objects)
    except Unreadable as error:
        raise Unreadable(f"{file}: {error}") from None
    except (ValueError, RecursionError) as error:
        where = f"in line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else f"({error})"
        about = f", but no JSON {where}" if text.lstrip()[:1] in ("{", "[") else ""
        raise Unreadable(f"{file} is no file of vectors{about}; {_FORMS}") from None
    for form in (wycheproof, designers):
        if form.recognised(content):
            return _listed(file, form.read(file, content))
    if found := acvp.documents(file, content):
        return found
    raise Unreadable(f"{file} is JSON, but no file of vectors; {_FORMS}")


_FORMS = "a file must be .rsp of CAVP, or JSON of ACVP, Wycheproof or google/hctr2"


def _listed(file: Path, cases: Iterable[Case]) -> list[Case]:
    """All cases. Raises Unreadable with the name of the file, also if there is none."""
    try:
        found = list(cases)
    except Unreadable as error:
        raise Unreadable(f"{file}: {error}") from None
    if not found:
        raise Unreadable(f"{file} has no case")
    return found
