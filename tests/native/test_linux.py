# SPDX-License-Identifier: Apache-2.0
"""Images against dm-crypt of Linux, in a virtual machine."""

import dataclasses

import pytest

from ..judges import dm_integrity
from ..judges.linux import CASES, PROGRAMS, compare
from ..wants import refused

pytestmark = [
    pytest.mark.shows("dm-crypt"),
    pytest.mark.slow,
    pytest.mark.wants(*PROGRAMS, "linux modules", "x86-64"),
]


def test_images_are_those_of_dm_crypt():
    results = list(compare(CASES))
    assert len(results) == len(CASES)
    assert [each.case.name for each in results if not each.reason and not each.equal] == []
    for each in results:
        if not each.reason:
            given = [way for way, got in each.sums.items() if got]
            assert len(given) == (4 if each.case.core else 2)
    if reasons := {each.reason for each in results if each.reason}:
        refused("HCTR2 module", "; ".join(reasons))


def test_a_wrong_convention_is_found():
    """Units of 512 bytes are not those of 4,096: the guest sees another image, and so do we."""
    (case,) = (case for case in CASES if case.tweak == "plain64-512" and case.preset == "xts-both")
    (wrong,) = compare((dataclasses.replace(case, tweak="plain64", core=False),))
    assert not wrong.equal
    right = [got == wrong.case.right(way) for way, got in wrong.sums.items() if got]
    assert right == [False, False]


@pytest.mark.wants("dmsetup")
def test_sealed_images_are_those_of_dm_crypt_over_dm_integrity():
    answers = dm_integrity.compare()
    for n, case in enumerate(dm_integrity.CASES):
        assert {question: answers.get((n, question)) for question in case.right} == case.right, case
