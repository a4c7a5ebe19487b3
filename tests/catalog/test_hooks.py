# SPDX-License-Identifier: Apache-2.0
"""A scheme's author is told in one line what is missing or misplaced."""

from dataclasses import replace

import pytest

from wideblock import catalog
from wideblock.catalog.scheme import hooks_of
from wideblock.errors import UserError
from wideblock.evaluate import published
from wideblock.export.contract import contract
from wideblock.rtl.sector.hash_counter_hash import BACK, HashCounterHash
from wideblock.rtl.tes.hmch import Hmch
from wideblock.rtl.tes.psi import psi

pytestmark = pytest.mark.shows("rooms")


def refused(scheme, component, make):
    with pytest.raises(UserError) as error, hooks_of(replace(scheme, hardware=lambda: component)):
        make(component)
    return str(error.value)


def test_a_missing_hook_is_named_with_its_scheme_and_meaning():
    class Lacking(Hmch):
        front = HashCounterHash.front

    said = refused(catalog.SCHEMES["hmch"], Lacking, lambda core: core(catalog.PRESETS["hmch-polys"].parameters))
    assert said.startswith("scheme hmch: Lacking must state the hook ") and ".front: Products of the first pass" in said
    assert "\n" not in said


def test_an_event_of_the_other_pass_is_named():
    class Misplaced(Hmch):
        def front(self, X):
            return psi(self.parameters, X[1:], BACK.h)

    said = refused(catalog.SCHEMES["hmch"], Misplaced, lambda core: core(catalog.PRESETS["hmch-polys"].parameters))
    assert "the plan has no event h, only R" in said and "\n" not in said


def test_a_misspelled_preset_of_a_published_row_is_an_error(monkeypatch):
    table = {"source": "s", "table": "t", "device": "d", "family": "f", "tool": "x"}
    rows = {"set": [{**table, "row": [{"design": "D", "presets": ["fast-brw-9"]}]}]}
    monkeypatch.setattr(published.tomllib, "load", lambda file: rows)
    with pytest.raises(UserError, match="row 'D' names 'fast-brw-9', which is no preset and no part"):
        published.published.__wrapped__()


def test_known_answers_of_another_length_are_left_out():
    scheme = catalog.SCHEMES["hctr2"]
    every = replace(scheme, holds=lambda p, answer: len(answer["tweak"]) == p.tweak_bytes)
    core = contract("hctr2-1s", {"sector_bytes": 512, "key_bits": 256})
    everything = replace(core, preset=replace(core.preset, scheme=every))
    sizes = {len(answer.plaintext) for answer in everything.known_answers}
    assert sizes == {512} and len(every.known_answers(core.parameters)) > len(everything.known_answers)
