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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Share", "found", "main", "pointing"]

ROOT = Path(__file__).parents[1]
FILES = ("src/**/*.py", "src/**/*.jinja", "tools/*.py", "docs/*.md", "*.md")
BEGINNING = re.compile(r"(What|Which|That)\b")
BANNED = re.compile(r"\b(so many|as many as|willing|swallow\w*|is found)\b", re.IGNORECASE)

POINTING = frozenset("that those one ones it its which whose such same other others there so this these them".split())
"""Words that send a reader back for their noun."""
NAMES = re.compile(r":\w+:`[^`]*`|``[^`]*``")
MADE = re.compile(r"<!-- (\S+): begin -->.*?<!-- \1: end -->|```.*?```", re.DOTALL)
CROWDED = 2
"""Most pointing words of a sentence."""


@dataclass
class Share:
    """Words of docstrings, the pointing ones among them, and sentences with more than :data:`CROWDED` of these."""

    words: int = 0
    pointing: int = 0
    crowded: int = 0

    def add(self, text: str) -> None:
        """Adds the docstrings of a module."""
        for _, docstring in _docstrings(text):
            self._count(NAMES.sub("X", docstring))

    def add_page(self, text: str) -> None:
        """Adds the text of a page in Markdown, without code and without the parts between markers."""
        self._count(re.sub(r"`[^`]*`", "X", MADE.sub("", text)))

    def _count(self, text: str) -> None:
        for sentence in re.split(r"(?<=[.;:?!])\s|\n\s*\n|\|", text):
            words = re.findall(r"[a-z']+", sentence.lower())
            count = sum(word in POINTING for word in words)
            self.words += len(words)
            self.pointing += count
            self.crowded += count > CROWDED

    @property
    def share(self) -> float:
        """Pointing words in a hundred."""
        return 100 * self.pointing / max(1, self.words)


def pointing(files: Mapping[str, Iterable[Path]]) -> dict[str, Share]:
    """The share of each room, of its files."""
    shares = {room: Share() for room in files}
    for room, paths in files.items():
        for path in paths:
            add = shares[room].add_page if path.suffix == ".md" else shares[room].add
            add(path.read_text())
    return shares


def found(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Line and words of each place in ``text``, which is Python if the file's ``name`` ends so, else prose."""
    for line, sentence in _sentences(text) if name.endswith(".py") else enumerate(text.splitlines(), 1):
        if match := BANNED.search(sentence):
            yield line, match[0]
        if name.endswith(".py") and (match := BEGINNING.match(sentence)):
            yield line, sentence.splitlines()[0]


def _docstrings(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each docstring, of attributes too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each docstring and of each comment."""
    yield from _docstrings(text)
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
