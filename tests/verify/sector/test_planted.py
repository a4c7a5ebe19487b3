# SPDX-License-Identifier: Apache-2.0
"""Faults of entrances and of the key unit, put by hand into real cores: each is found by the check that is for it."""

import pytest

from wideblock.export.contract import contract
from wideblock.rtl.keys import contexts, slots, under_way
from wideblock.rtl.keys import unit as keys
from wideblock.rtl.keys.under_way import KeysInSlots
from wideblock.rtl.sector import store_and_forward
from wideblock.rtl.sector.running_hash import core as running_hash
from wideblock.rtl.sector.running_hash import walk
from wideblock.rtl.sector.single_pass import core as single_pass
from wideblock.rtl.sector.single_pass import slots as unit_slots
from wideblock.rtl.sector.single_pass import stealing
from wideblock.rtl.stream import clearing, entrance, header, sized_entrance, slot_gate, unit_entrance
from wideblock.verify.sector.suite import SECTORS

from ..changed_source import changed, expect_found

pytestmark = pytest.mark.shows("mutation", "protocol")

XTS = ("xts-enc", {"sector_bytes": 64, "sbox": "composite"})
KEYS = ("xts-enc-k", {"sector_bytes": 40, "slots": 4, "key_bits": 128, "sbox": "composite"})
TAGS = ("xts-both-k", KEYS[1] | {"tag_bits": 16})
REQUESTS = ("xts-both-k", TAGS[1] | {"header": True})
ANY = ("hctr2-any", {"longest": 64, "sector_bytes": 64, "sbox": "composite"})
TAIL = ("hctr2-1", {"sector_bytes": 40, "sbox": "composite"})
COPIES = ("fast-brw-2s", {"sector_bytes": 128, "slots": 4, "sbox": "composite"})
SLOW = pytest.mark.slow

FAULTS = {
    "a stated size one over the most": pytest.param(
        ANY,
        (running_hash, "SizedEntrance", sized_entrance, "stated.size > self.most", "stated.size > self.most + 1"),
        ("wrong lengths", "which states 65, is too long"),
        marks=SLOW,
    ),
    "a hole in a block": pytest.param(
        ANY,
        (running_hash, "SizedEntrance", sized_entrance, "~is_run(new.keep)", "~new.keep[0]"),
        ("byte qualifiers", "fault"),
        marks=SLOW,
    ),
    "no empty block behind a message": pytest.param(
        ANY,
        (running_hash, "SizedEntrance", sized_entrance, "(~new.last | new.keep.any())", "1"),
        ("byte qualifiers", "fault"),
        marks=SLOW,
    ),
    "the last byte of the halves of a key": pytest.param(
        XTS,
        (single_pass, "KeyUnit", keys, "(key1 == key2)", "(key1[:-8] == key2[:-8])"),
        ("equal key halves", "fault|ready"),
        marks=SLOW,
    ),
    "a hole in a beat": pytest.param(
        XTS,
        (single_pass, "UnitEntrance", unit_entrance, "run.eq(is_run(new.keep))", "run.eq(new.keep[0])"),
        ("byte qualifiers", "so fault must be 8"),
        marks=SLOW,
    ),
    "a partial beat before the last": pytest.param(
        XTS,
        (
            single_pass,
            "UnitEntrance",
            unit_entrance,
            "run & (new.last | ~new.keep[-1])",
            "run & new.last",
        ),
        ("byte qualifiers", "."),
        marks=SLOW,
    ),
    "an empty last beat is a fault": pytest.param(
        XTS,
        (single_pass, "UnitEntrance", unit_entrance, "proper_end = unit.void & unit.closes", "proper_end = Const(0)"),
        ("byte qualifiers", "with no malformed sector to cause it|the next malformed one, was taken"),
        marks=SLOW,
    ),
    "a held block that stays after zeroize": (
        XTS,
        (single_pass, "StealingData", stealing, "m.d.sync += register.eq(0)", "m.d.sync += register.eq(register)"),
        ("state after zeroize", "held"),
    ),
    "stealing that goes on after zeroize": pytest.param(
        XTS,
        (single_pass, "StealingControl", stealing, "self.lane, result_held)]", "self.lane)]"),
        ("state after zeroize", "result_held"),
        marks=SLOW,
    ),
    "stealing that goes on in the next sector": pytest.param(
        XTS,
        (single_pass, "StealingControl", stealing, "self.lane, result_held)]", "self.lane)]"),
        ("zeroize", "differs from the specification|stuck|fault"),
        marks=SLOW,
    ),
    "a step of a long tweak that stays after zeroize": pytest.param(
        ("hctr2-any", {"sbox": "composite"}),
        (running_hash, "Walk", walk, "[self.held.eq(0), self.number.eq(0)]", "self.number.eq(0)"),
        ("state after zeroize", "_held"),
        marks=SLOW,
    ),
    "a level of zeroize that keeps rows": pytest.param(
        XTS,
        (keys, "Clearing", clearing, "Mux(self.clear, self.row", "Mux(self.clear & ~self.zeroize, self.row"),
        ("state after zeroize", "a level of zeroize"),
        marks=SLOW,
    ),
    "an eviction that does not wait": pytest.param(
        KEYS,
        (single_pass, "SlotUnit", slots, "with m.If(run.inside == 0):", "with m.If(1):"),
        ("slots", "differs from the specification"),
        marks=SLOW,
    ),
    "words of an evicted key stay where sectors were": pytest.param(
        COPIES,
        (store_and_forward, "ContextUnit", contexts, "self.write.eq(copied | wipes)", "self.write.eq(copied)"),
        ("state after eviction", "was evicted"),
        marks=SLOW,
    ),
    "an evicted key stays in the read register of its store": pytest.param(
        KEYS,
        (single_pass, "UnitSlots", unit_slots, "second.read.eq(renewed | unit.erased)", "second.read.eq(renewed)"),
        ("state after eviction", "was evicted"),
        marks=SLOW,
    ),
    "a sector that is dropped takes a place": pytest.param(
        COPIES,
        (store_and_forward, "SlotGate", slot_gate, "whole.eq(entrance.take & ~bad & ", "whole.eq(entrance.take & "),
        ("slots", "."),
        marks=SLOW,
    ),
    "a slot that does not exist is another one": pytest.param(
        KEYS,
        (KeysInSlots, "_loaded", under_way, " & (self.asked[self.bits :] == 0)", ""),
        ("slots", "which has no key"),
        marks=SLOW,
    ),
    "a slot that has a key takes another one": pytest.param(
        KEYS,
        (KeysInSlots, "_loaded", under_way, "(run.has_key != run.evicting)", "(run.evicting & ~run.has_key)"),
        ("slots", "bits for keys|differs from the specification"),
        marks=SLOW,
    ),
    "an evicted slot stays open until its row is overwritten": pytest.param(
        KEYS,
        (single_pass, "SlotUnit", slots, "m.d.comb += run.closes.eq(1)", "m.d.comb += run.closes.eq(run.inside == 0)"),
        ("slots", "."),
        marks=SLOW,
    ),
    "the last key of the tweaks for all": pytest.param(
        KEYS,
        (single_pass, "UnitSlots", unit_slots, "second.row.eq(entering[: unit.bits])", "second.row.eq(0)"),
        ("random sectors", "differs from the specification"),
        marks=SLOW,
    ),
    "a key of the data that changes amid a unit": pytest.param(
        KEYS,
        (single_pass, "UnitSlots", unit_slots, "self.data_keys.read.eq(due)", "self.data_keys.read.eq(1)"),
        ("random sectors", "differs from the specification"),
        marks=SLOW,
    ),
    "a tag and a direction from every beat": pytest.param(
        TAGS,
        (single_pass, "UnitEntrance", unit_entrance, "with m.If(~unit.begun):", "with m.If(1):"),
        ("gaps and back-pressure", "tag|differs from the specification"),
        marks=SLOW,
    ),
    "data without its request after zeroize": pytest.param(
        REQUESTS,
        (header, "HeaderCore", header, "cut | (passing & ~void) | (number != 0)", "cut"),
        ("zeroize", "."),
        marks=SLOW,
    ),
    "a request that stays after zeroize": pytest.param(
        REQUESTS,
        (header, "HeaderCore", header, "[request.eq(0), number", "[number"),
        ("state after zeroize", "request"),
        marks=SLOW,
    ),
    "a hole in a beat of a sector of one size": pytest.param(
        TAIL,
        (store_and_forward, "Entrance", entrance, "~is_run(new.keep)", "~new.keep[0]"),
        ("byte qualifiers", "."),
        marks=SLOW,
    ),
    "no empty beat behind a sector of one size": pytest.param(
        TAIL,
        (store_and_forward, "Entrance", entrance, "(~new.last | new.keep.any())", "1"),
        ("byte qualifiers", "."),
        marks=SLOW,
    ),
}


@pytest.mark.parametrize(
    ("core", "fault", "found"),
    [
        pytest.param(*getattr(case, "values", case), id=name, marks=getattr(case, "marks", ()))
        for name, case in FAULTS.items()
    ],
)
def test_a_planted_fault_is_found(monkeypatch, core, fault, found):
    user, name, *change = fault
    monkeypatch.setattr(user, name, changed(change[0], name, *change[1:]))
    expect_found(SECTORS, contract(*core), *found)


def test_every_fault_has_its_place_in_the_source():
    """The slow cases among them would tell so only where they run."""
    for _, (_, name, *change), _ in (getattr(case, "values", case) for case in FAULTS.values()):
        assert changed(change[0], name, *change[1:])


@pytest.mark.slow
def test_a_unit_that_begins_as_the_only_other_one_ends_is_counted(monkeypatch):
    """Where it is not, a key is taken while it is under way."""
    uncounted = "units + (opening & ~(self.computed & (units == 1))) - self.computed"
    faulty = changed(single_pass, "SinglePass", "units + opening - self.computed", uncounted)
    monkeypatch.setattr(single_pass.SinglePass, "_enter", faulty._enter)
    words = "taken in cycle .* while sector .* is under way"
    expect_found(SECTORS, contract(*XTS), "keys behind sectors", words)
