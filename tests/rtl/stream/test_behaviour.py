# SPDX-License-Identifier: Apache-2.0
"""Rules of lengths: sizes that are right, and the fault that each other one is."""

import pytest

from wideblock.rtl.stream.behaviour import Cause, FixedLength, Length, MarkedLength, SectorTiming, StatedLength

pytestmark = pytest.mark.shows("protocol")


def timing(tweak, size):
    return SectorTiming(size, size + tweak, size, size, 1, 1)


FIXED, MARKED = FixedLength(64), MarkedLength(16, 256, 64, 3, lambda size: timing(0, size))
STATED = StatedLength(16, 256, 64, Length(0, 32), 16, timing)


@pytest.mark.parametrize(
    ("rule", "size", "stated", "tweak", "cause"),
    [
        (FIXED, 64, None, 16, None),
        (FIXED, 48, None, 16, Cause.SHORT),
        (FIXED, 80, None, 16, Cause.LONG),
        (MARKED, 16, None, 16, None),
        (MARKED, 257, None, 16, Cause.LONG),
        (STATED, 100, 100, 0, None),
        (STATED, 100, 101, 0, Cause.SHORT),
        (STATED, 100, 99, 0, Cause.LONG),
        (STATED, 100, 257, 0, Cause.LONG),
        (STATED, 100, 15, 0, Cause.SHORT),
        (STATED, 100, 100, 33, Cause.TWEAK),
    ],
)
def test_a_wrong_size_is_a_fault_of_its_cause(rule, size, stated, tweak, cause):
    assert rule.fault(size, stated, tweak) is cause


def test_the_end_of_a_message_follows_from_the_rule():
    assert (FIXED.due(None), MARKED.due(None), STATED.due(20)) == (64, None, 20)
    assert (FIXED.statement(64), MARKED.statement(20), STATED.statement(20)) == (None, None, 20)
    assert (FIXED.usual_tweak_of(16), STATED.usual_tweak_of(32)) == (16, 16)
    assert (str(FIXED), str(MARKED)) == ("64", "16 to 256") and MARKED.late == 3


def test_cycles_of_other_sizes_are_stated_where_messages_have_them():
    assert STATED.examples() == [(0, 16), (32, 16), (0, 256), (32, 256)]
    assert STATED.timing(3, 100) == timing(3, 100)
    assert MARKED.timing(16, 48) == timing(0, 48)
    with pytest.raises(ValueError, match="one length"):
        FIXED.timing(16, 64)
    for rule in (FIXED, MARKED):
        assert rule.examples() == [] and rule.tweaks is None


def test_a_class_of_lengths_has_one_relation_to_blocks_and_beats():
    assert [(kind.name, kind.sizes) for kind in FIXED.classes(32)] == [("usual", (64,))]
    marked = {kind.name: kind.sizes for kind in MARKED.classes(32)}
    assert marked["usual"] == (64,) and marked["shortest"] == (16,) and marked["longest"] == (256,)
    assert not [size for size in marked["whole blocks"] if size % 16]
    assert {size % 32 for size in marked["part alone in its beat"]} == {*range(1, 16)}
    assert {size % 32 for size in marked["part beside whole blocks"]} == {*range(17, 32)}
    assert not [kind for kind in MARKED.classes(16) if kind.name == "part beside whole blocks"]
    stated = {kind.name: (kind.sizes, kind.tweaks) for kind in STATED.classes(16)}
    assert stated["usual"] == ((64,), (16,)) and stated["longest"] == ((256,), (32,))
    assert stated["whole blocks"] == ((32, 48, 64, 80), (0, 16, 32))
    for rule in (FIXED, MARKED, STATED):
        assert all(size in rule for kind in rule.classes(16) for size in kind.sizes)
