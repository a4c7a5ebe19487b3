# SPDX-License-Identifier: Apache-2.0
"""Charts of schedules."""

import pytest

from wideblock.evaluate.schedules import draw, draw_storage, storage
from wideblock.rtl.hash.forest import schedule

pytestmark = pytest.mark.shows("synthesis")


@pytest.mark.parametrize("m, NS", [(1, 2), (2, 3), (16, 2), (31, 3), (255, 4), (600, 8)])
def test_drawing(m, NS):
    text = draw(schedule(m, NS))
    lines = text.splitlines()
    assert max(map(len, lines)) <= 120
    starts = {
        int(fields[1]): int(fields[0])
        for fields in map(str.split, lines)
        if len(fields) > 2 and fields[0].isdigit() and fields[1].isdigit() and fields[2].startswith(("(X", "X"))
    }
    assert starts == schedule(m, NS).start
    forest = lines[lines.index("Collapsed forest") + 1 :]
    labels = sorted(int(word) for line in forest for word in line.split() if word.isdigit())
    assert labels == list(range(2, m + 1, 2))


@pytest.mark.parametrize("NS", [2, 3])
def test_figure_6(NS):
    """The storage grows by one location where the number of blocks grows four times, from 8 on."""
    assert storage(2, 260, NS) == {m: (m.bit_length() - 2) // 2 for m in range(2, 261)}


def test_drawing_of_figure_6():
    grown = storage(4, 40, 3)
    head, *levels, axis, steps = draw_storage(grown, 3, width=37).splitlines()
    assert "NS = 3" in head
    assert [line[3:] for line in levels] == [" " * 28 + "#" * 9, " " * 4 + "#" * 33, "_" * 37]
    assert axis.split() == ["4", "40", "blocks"]
    assert steps == "from 4 blocks: 0, 8 blocks: 1, 32 blocks: 2"
    with pytest.raises(ValueError, match="^blocks must go from at least 1 upwards, got 5..4$"):
        storage(5, 4, 3)
