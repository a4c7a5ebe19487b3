# SPDX-License-Identifier: Apache-2.0
"""The lint of sentences finds banned phrases, where sentences are."""

from collections import defaultdict
from pathlib import Path

import wideblock
from tests.phrases import Share, found, pointing

ROOT = Path(wideblock.__file__).parent
TOOLS = Path(__file__).parents[1] / "tools"
PAGES = sorted(page for page in TOOLS.parent.glob("docs/**/*.md") if page.name not in ("test-plan.md", "claims.md"))
POINTING = {
    "": (4.6, 0), "catalog": (4.8, 0), "cli": (4.4, 0), "docs": (4.2, 5), "drive": (4.4, 0), "evaluate": (4.0, 0),
    "evidence": (3.9, 0), "export": (4.2, 0), "image": (4.9, 0), "native": (2.8, 0), "renewal": (3.4, 0),
    "rtl": (1.5, 0), "rtl/aead": (3.8, 0), "rtl/aes": (3.9, 0), "rtl/bus": (2.5, 0), "rtl/dma": (4.7, 0),
    "rtl/engine": (4.1, 0), "rtl/flow": (2.0, 0), "rtl/gf128": (3.3, 0), "rtl/hash": (1.5, 0), "rtl/keys": (2.1, 0),
    "rtl/sector": (2.1, 0), "rtl/shell": (1.0, 0), "rtl/stream": (2.6, 0), "rtl/tes": (3.3, 0), "simulation": (5.0, 0),
    "spec": (4.0, 0), "synth": (4.6, 0), "tools": (3.4, 0), "vectors": (3.3, 0), "verify": (3.2, 0),
    "verify/aead": (4.4, 0), "verify/core": (4.9, 0), "verify/coverage": (4.7, 0), "verify/engine": (4.6, 0),
    "verify/formal": (2.9, 0), "verify/mutation": (4.9, 0), "verify/sector": (3.9, 0),
}  # fmt: skip
"""Most pointing words in a hundred of docstrings of each room, and most sentences with more than two of them.

The aim is 5 and 0. A number falls with the room's; it rises for nothing but words that were moved from another room.
"""

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


def test_pointing_words_of_a_page():
    share = Share()
    share.add_page(
        "It is `that`.\n\n<!-- a: begin -->\nThat is it.\n<!-- a: end -->\n```sh\nthis that those\n```\nOne.\n"
    )
    assert (share.words, share.pointing, share.crowded) == (4, 2, 0)


def test_pointing_words():
    share = Share()
    share.add('"""The core takes it if that one has a key: ``that`` is what it is. The key of a slot stays."""')
    assert (share.words, share.pointing, share.crowded) == (21, 4, 1)


def room(path):
    """The folder of a module; of hardware and checks the one below."""
    folders = path.relative_to(ROOT).parts[:-1]
    return "/".join(folders[:2] if folders[:1] in (("rtl",), ("verify",)) else folders[:1])


def test_docstrings_point_no_more_than_they_did():
    files = defaultdict(list)
    for path in ROOT.rglob("*.py"):
        files[room(path)].append(path)
    files["tools"] += TOOLS.glob("*.py")
    files["docs"] += [
        page for page in PAGES if not page.read_text().partition("\n\n")[2].startswith(("Generated", "Made"))
    ]
    shares = pointing(files)
    assert shares.keys() == POINTING.keys()
    over = {
        room: (round(each.share, 1), each.crowded)
        for room, each in shares.items()
        if each.share > POINTING[room][0] or each.crowded > POINTING[room][1]
    }
    assert over == {}, "give the noun in place of the pointing word, see CONTRIBUTING.md"
