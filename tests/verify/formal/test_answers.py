# SPDX-License-Identifier: Apache-2.0
"""A packet for each unit is proved of an engine with error beats, and not of faulty ones."""

from functools import cache

import pytest

from wideblock.export.contract import contract
from wideblock.verify.formal.answers import prove_answers
from wideblock.verify.formal.flat import flatten
from wideblock.verify.formal.proof import NotApplicable, NotProved
from wideblock.verify.formal.rules.engine import INSIDE

from ...variants import few_of_many
from .faults import Fault, broken

pytestmark = pytest.mark.shows("formal-stream", "engine")

ENGINE = {"sector_bytes": 32, "slots": 4, "key_bits": 128, "registers": "axi4-lite"}
FAULTS = (
    Fault("an error beat waits for a result", "core.gone", "was & valid", {"valid": "core.core__o__valid"}),
    Fault("a dropped unit leaves its error twice", "core.first", "was - gone", {"gone": "core.gone"}),
    Fault("the last beat does not wait for the end of the unit", "core.whole", "1'b1"),
    Fault("a fault counts for the oldest unit", "core.newest", "first", {"first": "core.first"}),
    Fault("more units enter than have a place", "core.passes", "1'b1"),
)


@cache
def core():
    return contract("xts-enc-k", {**ENGINE, "error_beats": True})


def test_an_engine_with_error_beats_is_proved():
    assert "as many packets leave as units began" in prove_answers(core()).statement
    with pytest.raises(NotApplicable, match="no error beats"):
        prove_answers(contract("xts-enc-k", ENGINE))


@pytest.mark.parametrize("fault", few_of_many(FAULTS, FAULTS[2:3]), ids=str)
def test_a_faulty_engine_is_not_proved(fault):
    with pytest.raises(NotProved, match="not inductive"):
        prove_answers(core(), broken(flatten(core(), INSIDE), fault))
