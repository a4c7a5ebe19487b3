# SPDX-License-Identifier: Apache-2.0
"""A plan has what is missing or old, its cost by earlier runs, and the most worth for its time first."""

from collections import Counter
from dataclasses import asdict

import pytest

from wideblock import catalog
from wideblock.errors import UserError
from wideblock.evidence.record import EvidenceKind
from wideblock.evidence.store import COMMITTED, load
from wideblock.renewal.cores import subjects
from wideblock.renewal.plan import plan
from wideblock.renewal.points import Points

from .conftest import evidence

pytestmark = pytest.mark.shows("evaluation")

PROOF = EvidenceKind.PROOF
CIRCUITS = {"a": "1:a", "b": "1:b"}


def counts(found):
    return found.wanted[PROOF], found.today[PROOF], found.old[PROOF], found.missing[PROOF]


def test_a_result_is_of_today_by_its_circuit_and_the_code_of_its_check(toy):
    results = [evidence("a", "order"), evidence("a", "timing"), evidence("b", "order"), evidence("b", "timing")]
    assert counts(plan(["a", "b"], [PROOF], results, CIRCUITS)) == (4, 4, 0, 0)
    assert counts(plan(["a", "b"], [PROOF], results[1:], CIRCUITS)) == (4, 3, 0, 1)
    assert counts(plan(["a", "b"], [PROOF], results, {"a": "1:a", "b": "1:other"})) == (4, 2, 2, 0)
    assert counts(plan(["a", "b"], [PROOF], results, {"a": "1:a"})) == (4, 2, 2, 0)
    assert counts(plan(["a"], [PROOF], [evidence("a", "order", circuit="text:a"), results[1]], CIRCUITS)) == (
        2,
        1,
        1,
        0,
    )
    assert counts(plan(["a"], [PROOF], [evidence("a", "order", code=None), results[1]], CIRCUITS)) == (2, 1, 1, 0)
    toy.rules = "other rules"
    assert counts(plan(["a", "b"], [PROOF], results, CIRCUITS)) == (4, 0, 4, 0)


def test_the_newest_result_counts(toy):
    old, new = evidence("a", "order", circuit="1:old"), evidence("a", "order")
    assert counts(plan(["a"], [PROOF], [old, new], CIRCUITS)) == (2, 1, 0, 1)
    assert counts(plan(["a"], [PROOF], [new, old], CIRCUITS)) == (2, 0, 1, 1)


def test_runs_come_by_worth_for_time_and_blocked_ones_last(toy):
    toy.worth, toy.blocked = {"b": 3}, {"d": "no such tool"}
    results = [evidence("a", rule, circuit=None, seconds=1.0) for rule in ("order", "timing")]
    results += [evidence("c", rule, circuit=None, seconds=9.0) for rule in ("order", "timing")]
    tasks = plan(["d", "c", "b", "a"], [PROOF], results, {}).tasks
    assert [(t.name, t.seconds, t.known, t.blocked) for t in tasks] == [
        ("a", 2.0, True, ""),
        ("b", 10.0, False, ""),
        ("c", 18.0, True, ""),
        ("d", 10.0, False, "no such tool"),
    ]
    assert [t.seconds for t in plan(["a"], [PROOF], [], {}).tasks] == [2 * toy.usual]
    assert [len(t.questions) for t in tasks] == [2, 2, 2, 2]


def test_a_core_that_can_no_longer_be_is_not_asked_for(toy):
    toy.changed = {"sector_bytes": 64}
    assert counts(plan(["xts-enc"], [PROOF], [], {})) == (2, 0, 0, 2)
    toy.changed = {"no_such_parameter": 1}
    assert counts(plan(["xts-enc"], [PROOF], [], {})) == (0, 0, 0, 0)


def test_a_kind_that_nothing_renews_is_refused(toy):
    with pytest.raises(UserError, match="area cannot be renewed; there are proof"):
        plan(["a"], [EvidenceKind.AREA], [], {})


def test_each_preset_has_an_area_and_a_clock_in_gates_and_one_seed_of_one_build_is_placed():
    asked = list(Points().questions([*catalog.PRESETS, *catalog.PARTS], load(COMMITTED)))
    for target in ("xc7", "nangate45"):
        assert {each.core for each in asked if each.subject == target} >= set(catalog.PRESETS), target
    points = [each for each in asked if each.subject == "nangate45" and each.core in catalog.PRESETS]
    assert {each.kind for each in points} == {EvidenceKind.CLOCK}
    assert len({each.key for each in points}) == len({each.name for each in points})  # with and without the tools
    placed = [each for each in asked if each.method["seed"] is not None]
    presets = Counter(each.core for each in placed if each.core in catalog.PRESETS)
    assert set(presets.values()) == {1}
    assert {each.core for each in placed} > set(presets)  # parts, each build of them
    assert len({each.name for each in placed}) == len(placed)


@pytest.mark.slow
def test_the_package_asks_for_every_preset():
    names = [*catalog.PRESETS, *catalog.PARTS]
    found = plan(
        names, kinds := (PROOF, EvidenceKind.VERIFY, EvidenceKind.MEASURE, EvidenceKind.AREA), load(COMMITTED), {}
    )
    for kind in kinds:
        asked = {task.questions[0].core for task in found.tasks if task.kind is kind}
        assert asked >= set(catalog.PRESETS), kind
    assert sum(found.today.values()) == 0  # no circuit is known
    schemes = {preset.scheme.name for preset in catalog.PRESETS.values()}
    small = subjects()
    assert {core.preset.scheme.name for core in small} == schemes and len(small) == len(schemes) + 1
    assert [core.enclosed for core in small].count(True) == 1
    rules = {task.name: {each.subject for each in task.questions} for task in found.tasks if task.kind is PROOF}
    engines = {name for name in rules if "registers=axi4-lite" in name}
    slotted = {preset.scheme.name for preset in catalog.PRESETS.values() if getattr(preset.parameters, "slots", 0)}
    assert {catalog.PRESETS[name.split()[0]].scheme.name for name in engines} == slotted
    for change in ("error_beats=True", "dma=axi4", "key_bits=256"):
        assert any(change in name for name in engines), change
    sealed = [name for name in rules if "icv_bytes=16" in name]
    sealing = [catalog.PRESETS[name.split()[0]].scheme.name for name in sealed]
    presets = [each for each in catalog.PRESETS.values() if "icv_bytes" in asdict(each.parameters)]
    assert all(rules[name] == rules["xts-enc"] >= {"isolation", "keys"} for name in (*engines, *sealed))
    assert sorted(sealing) == sorted({each.scheme.name for each in presets if not each.scheme.no_icv})
