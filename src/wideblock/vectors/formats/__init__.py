# SPDX-License-Identifier: Apache-2.0
"""Files of test vectors that others publish, recognised by their content."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from . import acvp, cavp, designers, wycheproof
from .acvp import AcvpDocument, response
from .case import Case, MessageCase, UnitCase, Unreadable

__all__ = ["AcvpDocument", "Case", "MessageCase", "UnitCase", "Unreadable", "read", "response"]


def read(files: Sequence[Path]) -> tuple[list[Case], list[AcvpDocument]]:
    """The cases of files, and the prompts of ACVP among these.

    A file of ACVP results belongs to the prompt with the same number of its set. Raises Unreadable with the name of the
    file, and OSError.
    """
    cases: list[Case] = []
    documents: list[AcvpDocument] = []
    for file in files:
        found = _one(file)
        if isinstance(found, AcvpDocument):
            documents.append(found)
        else:
            cases += found
    prompts, results = _parted(documents)
    for prompt in prompts:
        cases += _listed(prompt.file, acvp.read(prompt, results))
    for result in results:
        if not any(result.answers(prompt) for prompt in prompts):
            raise Unreadable(f"{result.file} has results of ACVP without their questions; give the prompt file, too")
    return cases, prompts


def _one(file: Path) -> list[Case] | AcvpDocument:
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError:
        raise Unreadable(f"{file} is no text; {_FORMS}") from None
    if cavp.recognised(text):
        return _listed(file, cavp.read(file, text))
    try:
        content: Any = json.loads(text)
    except json.JSONDecodeError as error:
        about = f", but no JSON in line {error.lineno}: {error.msg}" if text.lstrip()[:1] in ("{", "[") else ""
        raise Unreadable(f"{file} is no file of vectors{about}; {_FORMS}") from None
    if found := acvp.document(file, content):
        return found
    for form in (wycheproof, designers):
        if form.recognised(content):
            return _listed(file, form.read(file, content))
    raise Unreadable(f"{file} is JSON, but no file of vectors; {_FORMS}")


_FORMS = "a file must be .rsp of CAVP, or JSON of ACVP, Wycheproof or google/hctr2"


def _parted(documents: Iterable[AcvpDocument]) -> tuple[list[AcvpDocument], list[AcvpDocument]]:
    """Prompts, and results without questions."""
    parted: tuple[list[AcvpDocument], list[AcvpDocument]] = ([], [])
    for each in documents:
        try:
            parted[not each.prompt].append(each)
        except Unreadable as error:
            raise Unreadable(f"{each.file}: {error}") from None
    return parted


def _listed(file: Path, cases: Iterable[Case]) -> list[Case]:
    """All cases. Raises Unreadable with the name of the file, also if there is none."""
    try:
        found = list(cases)
    except Unreadable as error:
        raise Unreadable(f"{file}: {error}") from None
    if not found:
        raise Unreadable(f"{file} has no case")
    return found
