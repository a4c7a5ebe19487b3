# SPDX-License-Identifier: Apache-2.0
"""The choices that are stated for a parameter are accepted, and their neighbours refused."""

from dataclasses import fields, replace

import pytest

from wideblock.catalog import PRESETS
from wideblock.catalog.choices import choices
from wideblock.errors import UserError
from wideblock.export.contract import contract

SMALL = {"sector_bytes": 128, "data_bytes": 48, "ad_bytes": 32, "longest": 128}
"""Sizes at which a core is quickly made."""

CORES = {preset.scheme.name: (preset.name, {}) for preset in reversed(PRESETS.values())}
CORES |= {"slots": ("xts-2-k", {}), "engine": ("xts-both-k", {"registers": "axi4-lite", "slots": 4})}


@pytest.mark.parametrize("name, changes", CORES.values(), ids=CORES)
def test_choices_are_accepted_and_their_neighbours_refused(name, changes):
    preset = PRESETS[name]
    changes = changes | {size: SMALL[size] for size in SMALL if size in vars(preset.parameters)}
    found = choices(replace(preset, parameters=preset.changed(changes)))
    for field in fields(preset.parameters):
        stated, listed = found[field.name], field.metadata["choices"] or ()
        right, wrong = set(stated.values), set(listed) - set(stated.values)
        if stated.step:
            right |= {stated.least, min(stated.least + stated.step, stated.most)} | (
                {stated.most} if stated.most < 2048 else set()
            )
            wrong |= {stated.least - 1, stated.most + 1} - right
            wrong |= {stated.least + 1} if stated.step > 1 else set()
        for value in right:
            assert contract(name, changes | {field.name: value}).settings[field.name] == value
        for value in wrong:
            with pytest.raises(UserError, match="must|needs|belong|divide|give|order"):
                contract(name, changes | {field.name: value})
        assert str(stated)


def test_numbers_are_as_a_reader_wants_them():
    assert [str(choices(PRESETS["xts-2"])[name]) for name in ("slots", "lanes", "header")] == [
        "0, 2 to 1024",
        "2",
        "false",
    ]
    assert str(choices(PRESETS["fast-brw-2s"])["sector_bytes"]) == "64 to 65536 in steps of 32"
    assert str(choices(PRESETS["aez41"])["data_bytes"]) == "1 to 32047"
