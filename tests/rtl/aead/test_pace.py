# SPDX-License-Identifier: Apache-2.0
"""The cycles of a message, played from the phases of its blocks."""

import pytest

from wideblock.rtl.aead.cipher import BlockKind
from wideblock.rtl.aead.pace import Pace, Phase

pytestmark = pytest.mark.shows("caesar")


def test_a_block_waits_for_its_marks_and_moves_them_on():
    """A key stream that is known late, a unit that is busy for three cycles, and a tag five cycles after the last."""

    def phases(kind, size, last):
        if kind is BlockKind.NPUB:
            return [Phase(until={"stream": 10})]
        return [Phase(("unit", "stream"), until={"unit": 3}, result=2 if size else None)]

    pace = Pace(phases, end=Phase(("unit",), delay=1), tag=5)
    assert pace.accept(BlockKind.NPUB, 12, last=True, offered=4) == 4
    assert pace.accept(BlockKind.DATA, 16, last=False, offered=5) == 14
    assert pace.accept(BlockKind.DATA, 16, last=False, offered=15) == 17
    assert pace.accept(BlockKind.DATA, 0, last=True, offered=30) == 30
    assert pace.results() == [16, 19]
    assert pace.tag() == 38
    assert pace.tag() == 38, "to ask changes nothing"


def test_a_block_of_phases():
    """Accepted as the first phase begins, or as the one that says so; the end may have a result."""
    order = [Phase(), Phase(("unit",), delay=2, until={"unit": 4, "end": 9}), Phase(delay=1)]
    late = [*order[:2], Phase(delay=1, accept=True)]
    pace = Pace(lambda kind, size, last: late if last else order, end=Phase(("end",), result=1), tag=3)
    assert pace.accept(BlockKind.DATA, 16, last=False, offered=1) == 1  # begins in 3, and then in 4
    assert pace.accept(BlockKind.DATA, 16, last=True, offered=2) == 8  # begins in 2, and then in 7
    assert pace.results() == [17]
    assert pace.tag() == 19


def test_a_mark_never_moves_back():
    pace = Pace(lambda kind, size, last: [Phase(until={"unit": size})], end=Phase(("unit",)), tag=0)
    pace.accept(BlockKind.DATA, 16, last=False, offered=1)
    pace.accept(BlockKind.DATA, 2, last=True, offered=3)
    assert pace.tag() == 17
