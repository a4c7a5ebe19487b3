# SPDX-License-Identifier: Apache-2.0
"""The powers of tau that a hash unit needs for its programs."""

import pytest

from wideblock.rtl.hash.words import addition_chain

pytestmark = pytest.mark.shows("hash-schedules")


@pytest.mark.parametrize("exponents", [{1}, {2, 4, 8, 16, 128}, {1, 2, 3, 4, 5, 6, 7, 8}, {12}, {7, 11}, {128, 3}])
def test_addition_chain(exponents):
    have = {1}
    for e, a, b in addition_chain(frozenset(exponents)):
        assert a in have and b in have and a + b == e and e not in have
        have.add(e)
    assert exponents <= have
