# SPDX-License-Identifier: Apache-2.0
"""Search of parameters: the best is found on figures that are made up, with few of the points measured."""

from dataclasses import replace

import pytest

from wideblock.errors import UserError
from wideblock.evaluate.explore import Objective, explore, pareto, same_function
from wideblock.evaluate.sweep import Space

pytestmark = pytest.mark.shows("evaluation")


@pytest.fixture
def search(measurement):
    """The result of a search where 3 stages a round and the norm give the highest clock; and the points measured."""

    def run(objective, *, target="ecp5", aims=(), **changes):
        asked = []

        def measure(identities):
            asked.extend(identities)
            return [found(identity) for identity in identities]

        def found(identity):
            stages, sbox = identity.changed.get("round_stages", 1), identity.changed.get("sbox", "lut")
            mhz = 100 + 10 * identity.seed + (50 if sbox == "norm" else 0) - 20 * abs(stages - 3)
            mhz -= abs(identity.aim_mhz - 300) / 10 if aims else 0
            interval = 257 if stages < 4 else 2570
            return replace(measurement("xts-enc", target, mhz=mhz, bytes=4096, interval=interval), identity=identity)

        space = Space(("xts-enc",), (target,), changes, seeds=(1, 2, 3), mhz=aims)
        name, best, points = explore([space], objective, measure)
        assert name == "xts-enc"
        return best, points, asked

    return run


def test_the_best_is_found_one_parameter_after_the_other(search):
    best, points, asked = search(Objective.CLOCK, round_stages=("1", "2", "3", "4"), sbox=("lut", "norm", "composite"))
    assert best == {"round_stages": "3", "sbox": "norm"}
    assert max(point.found.clock.mhz for point in points) == 100 + 20 + 50  # the median of three seeds
    assert len({identity.key for identity in asked}) < 3 * 12
    assert search(Objective.THROUGHPUT, round_stages=("3", "4"))[0] == {"round_stages": "3"}


def test_a_mix_that_no_core_can_have_is_passed_over(search):
    best, _, _ = search(Objective.EFFICIENCY, lanes=("1", "3"), sbox=("lut", "norm"))
    assert best == {"sbox": "norm"}


def test_a_preset_that_is_best_stays(search):
    best, points, _ = search(Objective.EFFICIENCY, sbox=("composite", "lut"))
    assert best == {} and len(points) == 2


def test_a_space_without_the_value_of_the_preset_is_not_left(search):
    best, points, asked = search(Objective.CLOCK, sbox=("norm",), round_stages=("2", "1", "3"))
    assert best == {"sbox": "norm", "round_stages": "3"} and len(points) == 3
    assert {identity.changed["sbox"] for identity in asked} == {"norm"}


def test_the_best_of_several_aims_counts(search):
    best, points, _ = search(Objective.CLOCK, aims=(100.0, 290.0), round_stages=("1", "2"))
    assert best == {"round_stages": "2"} and len(points) == 4
    assert max(point.found.clock.mhz for point in points) == 100 + 20 - 20 - 1


def test_the_pareto_set_has_no_point_that_another_beats(measurement):
    small, fast = measurement("fast-brw-2", "ecp5", mhz=90), measurement("fast-brw-2", "nangate45", mhz=900)
    worse = measurement("fast-brw-2", "ecp5", mhz=80)
    assert pareto([worse, small, fast]) == [fast]  # 70.25 is smaller than 23,456
    assert pareto([worse, small]) == [small]


def test_a_target_without_clock_is_refused(measurement):
    with pytest.raises(UserError, match="nothing of fast-brw-2 on xc7 has a figure for clock"):
        explore([Space(("fast-brw-2",), ("xc7",), {})], Objective.CLOCK, lambda points: [measurement("fast-brw-2")])


def test_cores_on_a_target_without_clock_compare_by_the_cycle(measurement):
    """Two parts as they are; the smaller one wins an area, and both are alike in throughput."""
    areas = {"aes128-pec": 700, "aes128-pdc": 800}
    spaces = [Space((name,), ("xc7",), {}) for name in areas]

    def measure(identities):
        return [measurement(one.preset, lcs=areas[one.preset], bytes=16, interval=1) for one in identities]

    for objective in (Objective.EFFICIENCY, Objective.THROUGHPUT):
        name, best, points = explore(spaces, objective, measure)
        assert (name, best, len(points)) == ("aes128-pec", {}, 2)
    assert Objective.LUTS.of(points[0].found) == 128 / 23456
    assert [point.name for point in pareto(points)] == ["aes128-pec"]
    with pytest.raises(UserError, match="'lanes' of aes128-pec; it would be one of round_stages, sbox"):
        explore([Space(("aes128-pec",), ("xc7",), {"lanes": ("2",)})], Objective.EFFICIENCY, measure)


def test_what_is_searched_by_default_leaves_the_function():
    assert set(same_function("xts-enc")) == {"sbox", "round_stages"}
    assert "3" in same_function("fast-brw-2")["mult_stages"] and "hash" not in same_function("fast-brw-2")
    assert same_function("karatsuba") == {"mult_stages": list("12345678"), "leaf": ["2", "4", "8", "16"]}
