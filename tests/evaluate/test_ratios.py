# SPDX-License-Identifier: Apache-2.0
"""Clocks of cores over those of their AES: alike in what matters, and medians."""

import pytest

from wideblock.evaluate.ratios import HEAD, ratios, row

pytestmark = pytest.mark.shows("evaluation")


@pytest.fixture
def point(measurement):
    def make(name, where="ecp5", *, sbox="norm", stages=1, **more):
        parameters = {"sbox": sbox, "round_stages": stages}
        return measurement(name, where, changed=parameters, parameters=parameters, **more)

    return make


def test_a_core_is_held_against_an_aes_of_the_same_build(point):
    cores = [point("xts-enc", seed=seed, mhz=mhz) for seed, mhz in ((1, 120), (2, 90), (3, 110))]
    alike = [
        point("aes128-pec", mhz=100),
        point("aes128-pec", stages=2, mhz=200),
        point("aes128-pec", sbox="lut", mhz=50),
    ]
    other = point("aes128-pec", mhz=77, options=("-abc9",))
    (found,) = ratios([*cores, *alike, other])
    assert (found.value, found.seeds) == (1.1, 3)
    cells = dict(zip(HEAD, row(found), strict=True))
    assert (
        cells["core"].startswith("xts-enc")
        and cells["ratio"] == "1.10"
        and cells["its AES cores alone, MHz"] == "pec 100"
    )
    assert cells["slowest path, levels"] == "a to b, 7" and cells["its cells + wires, ns"] == "3.0 + 5.1"
    assert cells["papers' ratio"] == "-"


def test_the_slowest_of_several_aes_cores_counts(measurement):
    made = {"sbox": "norm", "round_stages": 2}
    core = measurement("hctr2-1s", "ecp5", changed=made, parameters=made, mhz=95)
    pipeline = measurement("aes128-pec", "ecp5", changed=made, parameters=made, mhz=190)
    assert ratios([core, pipeline]) == []
    other = measurement("aes128-sdc", "ecp5", changed=made, parameters=made, mhz=50)  # in this core it has three stages
    assert ratios([core, pipeline, other]) == []
    three = {"sbox": "norm", "round_stages": 3}
    sequential = measurement("aes128-sdc", "ecp5", changed=three, parameters=three, mhz=100)
    (found,) = ratios([core, pipeline, sequential])
    assert found.value == 0.95
    assert dict(zip(HEAD, row(found), strict=True))["its AES cores alone, MHz"] == "pec 190, sdc 100"


def test_what_has_no_clock_or_no_aes_beside_it_is_left_out(point):
    area = [point("xts-enc", "xc7"), point("aes128-pec", "xc7")]
    lonely = point("xts-enc", stages=3)
    assert ratios([*area, lonely, point("aes128-pec")]) == []


def test_papers_have_such_ratios_and_pre_layout_no_seeds(point):
    made = [point("fast-brw-2", "nangate45", mhz=950), point("aes128-pec", "nangate45", mhz=1000)]
    cells = dict(zip(HEAD, row(*ratios(made)), strict=True))
    assert cells["papers' ratio"].startswith("0.96") and cells["seeds"] == "-" and cells["ratio"] == "0.95"
    assert cells["its cells + wires, ns"] == "1.1"
