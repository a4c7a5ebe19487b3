# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Parts: every value of every parameter gives a component, whose contract follows from it."""

from dataclasses import fields

import pytest

from wideblock.catalog import PARTS, PRESETS, preset_or_part
from wideblock.errors import UserError
from wideblock.evaluate.point import SAME_FUNCTION

pytestmark = pytest.mark.shows("evaluation")


@pytest.mark.parametrize("name", PARTS)
def test_every_value_gives_a_component(name):
    part = PARTS[name]
    for field in fields(part.parameters):
        for value in field.metadata["choices"] if field.name in SAME_FUNCTION else ():
            assert part.make(part.changed({field.name: value})).timing.interval >= 1


def test_the_contract_follows_from_the_parameters():
    def timing(name, **changes):
        part = PARTS[name]
        made = part.make(part.changed(changes)).timing
        return made.latency, made.interval

    assert timing("aes128-pec") == (11, 1) and timing("aes128-pec", round_stages="3") == (31, 1)
    assert timing("aes128-sdc") == (11, 11)
    assert timing("karatsuba", mult_stages=6) == (6, 1)
    assert timing("hbrw-31")[1] < timing("hbrw-31", mult_stages=8)[1]


def test_the_aes_cores_of_a_scheme_are_parts():
    assert all(set(p.scheme.ciphers(p.parameters)) <= set(PARTS) for p in PRESETS.values())
    assert PRESETS["xts-both"].scheme.ciphers(PRESETS["xts-both"].parameters) == ("aes128-both", "aes128-sec")


def test_unknown_names():
    with pytest.raises(UserError, match="unknown preset or part 'aes128-pek'; did you mean aes128-pec"):
        preset_or_part("aes128-pek")
    with pytest.raises(UserError, match="sbox must be one of lut, composite, norm, got 'bram'"):
        PARTS["aes128-sdc"].changed({"sbox": "bram"})
