# SPDX-License-Identifier: Apache-2.0
"""The digest of a contract changes with everything that is stated, and with no words for readers."""

from dataclasses import replace

import pytest

from wideblock.evidence.stated import plain, stated
from wideblock.export.contract import contract
from wideblock.rtl.stream.behaviour import Cause, Output

pytestmark = pytest.mark.shows("evaluation")

SECTOR, MESSAGE = "hctr2-any", "scream"
CHANGES = {
    "influence": lambda b: replace(b, influences=b.influences[1:]),
    "signal of an influence": lambda b: replace(b, influences=(replace(b.influences[0], field="data"),)),
    "cycles": lambda b: replace(b, timing=replace(b.timing, zeroize=b.timing.zeroize + 1)),
    "cycles of a length": lambda b: replace(b, length=replace(b.length, cycles=lambda tweak, size: b.timing)),
    "longest message": lambda b: replace(b, length=replace(b.length, most=b.length.most - 16)),
    "cause of a fault": lambda b: replace(b, faults=(*b.faults[:-1], replace(b.faults[-1], cause=Cause.LIMIT))),
    "output": lambda b: replace(b, output=Output.CUT_THROUGH),
}


def after(name, change):
    """The digest of a core whose behaviour was changed."""
    core = contract(name)
    core.component.behaviour = change(core.behaviour)
    return stated(core)


def test_the_same_contract_has_the_same_digest():
    cores = [contract(SECTOR), contract(SECTOR, {"sector_bytes": 64}), contract(MESSAGE)]
    assert len({stated(core) for core in cores}) == 3
    assert stated(contract(SECTOR)) == stated(cores[0])


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_what_is_stated_is_seen(change):
    assert after(SECTOR, CHANGES[change]) != stated(contract(SECTOR))


def test_a_change_of_a_cipher_that_is_stated_is_seen():
    assert after(MESSAGE, lambda b: replace(b, remains=("_other",))) != stated(contract(MESSAGE))
    slower = after(MESSAGE, lambda b: replace(b, timing=replace(b.timing, loading=b.timing.loading + 1)))
    assert slower != stated(contract(MESSAGE))


def test_words_for_readers_are_no_part():
    def reworded(b):
        reasons = tuple(replace(each, reason="in other words") for each in b.influences)
        return replace(b, influences=reasons, faults=tuple(replace(each, meaning="so") for each in b.faults))

    assert after(SECTOR, reworded) == stated(contract(SECTOR))


def test_a_kind_of_value_that_is_not_known_is_refused():
    with pytest.raises(TypeError, match="a contract has a object"):
        plain({"new": object()})
