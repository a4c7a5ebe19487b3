# SPDX-License-Identifier: Apache-2.0
"""Lint of sentences: docstrings and comments of the package, and its documents.

``python -m tests.phrases`` prints each place that has a banned phrase, or a docstring that begins with a relative
pronoun where the noun of the thing belongs. Exit status: 1 if there are any.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

__all__ = ["found", "main"]

ROOT = Path(__file__).parents[1]
FILES = ("src/**/*.py", "src/**/*.jinja", "docs/*.md", "*.md")
BEGINNING = re.compile(r"(What|Which|That)\b")
BANNED = re.compile(r"\b(so many|as many as|willing|swallow\w*|is found)\b", re.IGNORECASE)


def found(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Line and words of each place in ``text``, which is Python if the file's ``name`` ends so, else prose."""
    for line, sentence in _sentences(text) if name.endswith(".py") else enumerate(text.splitlines(), 1):
        if match := BANNED.search(sentence):
            yield line, match[0]
        if name.endswith(".py") and (match := BEGINNING.match(sentence)):
            yield line, sentence.splitlines()[0]


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each docstring, of attributes too, and of each comment."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


def main() -> int:
    places = [
        f"{path.relative_to(ROOT)}:{line}: {words}"
        for pattern in FILES
        for path in sorted(ROOT.glob(pattern))
        for line, words in found(path.name, path.read_text())
    ]
    print("".join(place + "\n" for place in places), end="")
    return 1 if places else 0


if __name__ == "__main__":
    sys.exit(main())
