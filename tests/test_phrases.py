# SPDX-License-Identifier: Apache-2.0
"""The lint of sentences finds banned phrases, where sentences are."""

from tests.phrases import found

SOURCE = '''
"""What a core is."""

willing = "so many"  # as many as

class Core:
    """A core."""

    width: int
    """That of a beat, which is found later."""
'''


def test_python():
    """In docstrings and comments alone; a docstring must not begin with a relative pronoun."""
    assert sorted(found("core.py", SOURCE)) == [
        (2, "What a core is."),
        (4, "as many as"),
        (10, "That of a beat, which is found later."),
        (10, "is found"),
    ]


def test_prose():
    """Sentences of documents may begin as they like."""
    assert list(found("page.md", "What is it?\nBoth sides are Willing.\n")) == [(2, "Willing")]
