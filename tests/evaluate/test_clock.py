# SPDX-License-Identifier: Apache-2.0
"""Search of the clock to aim at: the best aim is found on clocks that are made up, with few of the points measured."""

import pytest

from wideblock.errors import UserError
from wideblock.evaluate.clock import Distribution, search

pytestmark = pytest.mark.shows("evaluation")


@pytest.fixture
def tools(measurement):
    """Tools that reach 150 MHz at an aim of ``best`` and less elsewhere, a seed 1 MHz; and what they were asked for."""

    def make(best, failing=()):
        asked = []

        def measure(identities):
            asked.extend((one.aim_mhz, one.seed) for one in identities)
            return [
                measurement(
                    "xts-enc",
                    "ecp5",
                    aim_mhz=one.aim_mhz,
                    seed=one.seed,
                    mhz=150 - abs(one.aim_mhz - best) / 4 + one.seed,
                    failed="no room" if one.seed in failing else None,
                )
                for one in identities
            ]

        return measure, asked

    return make


@pytest.mark.parametrize("best", (120, 150, 175, 230))
def test_the_best_aim_is_found_and_has_all_seeds(tools, measurement, best):
    measure, asked = tools(best)
    found = search(measurement("xts-enc", "ecp5").identity, measure, trials=12)
    assert abs(found.aim / best - 1) < 0.08  # two of the last steps
    assert sorted(point.identity.seed for point in found.best) == list(range(1, 9))
    assert {len(points) for aim, points in found.tried.items() if aim != found.aim} == {3}
    assert found.aim == max(found.tried, key=lambda aim: Distribution.of(found.tried[aim][:3]).median)
    assert len({aim for aim, _ in asked}) <= 12


def test_the_number_of_trials_is_kept(tools, measurement):
    measure, asked = tools(400)
    found = search(measurement("xts-enc", "ecp5").identity, measure, seeds=2, trials=3)
    assert len(found.tried) == 3 and {seed for _, seed in asked} == {1, 2}


def test_failures_are_passed_over_unless_nothing_is_left(tools, measurement):
    core = measurement("xts-enc", "ecp5").identity
    assert len(search(core, tools(150, failing=(2,))[0], seeds=4).best) == 3
    with pytest.raises(UserError, match="no seed of xts-enc on ecp5 gave a clock at 200 MHz: no room"):
        search(core, tools(150, failing=(1, 2, 3))[0])


def test_a_library_of_cells_has_one_point_an_aim(measurement):
    def measure(identities):
        return [
            measurement(
                "xts-enc", "nangate45", aim_mhz=one.aim_mhz, seed=one.seed, mhz=920 - abs(one.aim_mhz - 900) / 8
            )
            for one in identities
        ]

    found = search(measurement("xts-enc", "nangate45").identity, measure)
    assert {len(points) for points in found.tried.values()} == {1} and 850 < found.aim < 950


def test_an_area_alone_is_refused(measurement):
    with pytest.raises(UserError, match="the flow for xc7 has no clock; choose"):
        search(measurement("xts-enc", "xc7").identity, lambda identities: [])


def test_a_distribution_of_clocks(measurement):
    points = [measurement("xts-enc", "ecp5", seed=seed, mhz=mhz) for seed, mhz in enumerate((104, 100, 101, 108), 1)]
    assert Distribution.of(points) == Distribution(100, 100.75, 101, 105, 108)
    assert Distribution.of(points[:1]) == Distribution(104, 104, 104, 104, 104)
