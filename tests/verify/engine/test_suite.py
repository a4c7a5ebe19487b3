# SPDX-License-Identifier: Apache-2.0
"""The suite of engines: it passes a right one, and names each fault that is put by hand into its parts."""

import pytest

from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.rtl.engine import commands, engine, faults, key_memory, passage, register_file, slots
from wideblock.rtl.keys import contexts
from wideblock.rtl.sector import store_and_forward
from wideblock.verify.engine.suite import ENGINES
from wideblock.verify.suites import judged_by, suite_of

from ...variants import few_of_many
from ..changed_source import changed, expect_found

pytestmark = pytest.mark.shows("engine", "mutation")

CHANGES = {"sector_bytes": 32, "slots": 4, "key_bits": 128, "sbox": "composite", "registers": "axi4-lite"}
REQUESTS = (("tag_bits", 16), ("header", True))
OF_PARTS = (("sector_bytes", 64), ("slots", 5), ("sbox", "lut"))  # whose model tests/rtl/engine builds, too
WHOLE_SECTORS = [
    ("fast-brw-2s-k", (("sector_bytes", 128),)),
    ("fast-brw-2s-k", (("sector_bytes", 128), ("key_bits", 256), *REQUESTS)),
    ("fast-horner-2s-k", (("sector_bytes", 384),)),
    ("hctr2-2s-k", (("sector_bytes", 400),)),
    ("hctr2-2s-k", (("sector_bytes", 368), ("key_bits", 256), ("tweak_bytes", 32), *REQUESTS)),
    ("hmch-brw-2s-k", (("sector_bytes", 256), ("key_bits", 256))),
    ("heh-brw-2s-k", (("sector_bytes", 256),)),
    ("eme2-2s-k", (("sector_bytes", 128),)),
    ("eme2-2s-k", (("sector_bytes", 212), ("key_bits", 256))),
    ("aez-2ts-k", (("sector_bytes", 128),)),
    ("hctr2-any-k", (("sector_bytes", 64), ("longest", 128))),
    ("hctr2-any-k", (("sector_bytes", 100), ("longest", 254), ("tweak_bytes", 5), ("key_bits", 256), *REQUESTS)),
]
"""Engines of cores that copy keys for each sector: MEK of 16, 32, 48 and 64 bytes, with and without derived words;
sectors that end within a beat; stated sizes of sectors and tweaks."""
FAULTS = {
    "a read of METD reaches MEK": (
        (
            *(commands, "KeyMemory", key_memory),
            *("Cat(self.read_address[:-1], Const(1, 1))", "Cat(self.read_address[:-1], Const(0, 1))"),
        ),
        ("secrets on the bus", "shows a word of a key"),
    ),
    "no wait for the sectors of a slot": (
        (engine, "KeyCommands", commands, 'm.next = "finish"', 'm.next = "free"'),
        ("storms", "."),
    ),
    "a locked slot ends": (
        (engine, "KeyCommands", commands, "self.freeze_unloads | state.locked", "self.freeze_unloads"),
        ("refused commands", "LOCKED|locked"),
    ),
    "equal halves are taken": (
        (engine, "KeyCommands", commands, "~run.differs | ~run.differs_near", "Const(0)"),
        ("refused commands", "EQUAL_HALVES"),
    ),
    "blocks of a message are counted once": (
        (engine, "SlotTable", slots, "Cat((old + blocks)[:BLOCK_BITS])", "Cat((old + 1)[:BLOCK_BITS])"),
        ("limits of slots", "its limit"),
    ),
    "the window does not wait for the end of a sector": (
        (engine, "Passage", passage, "client.request & drained & ~access.begun", "client.request & ~access.begun"),
        ("window beside the stream", "."),
    ),
    "a strobe of one byte writes the word": (
        (engine, "RegisterFile", register_file, "with m.If(changes & strobe):", "with m.If(changes):"),
        ("registers", "must be"),
    ),
    "a counter of faults wraps": (
        (engine, "FaultLog", faults, "Mux(count.all(), count, count + 1)", "count + 1"),
        ("fault log", "FAULT_COUNT"),
    ),
    "a row of another slot is copied": (
        (store_and_forward, "ContextUnit", contexts, "slot.eq(copies.fill_slot),", "slot.eq(copies.fill_slot ^ 1),"),
        ("random slots", "is wrong"),
    ),
    "slots that do not exist show others": (
        (engine, "SlotTable", slots, "there = (slot[self.bits :] == 0)", "there = (slot[self.bits :] != 1)"),
        ("slot table", "SLOT_STATE|SLOT_BLOCKS"),
    ),
}


@pytest.mark.parametrize(
    ("name", "more"),
    few_of_many(
        [("xts-both-k", OF_PARTS), ("xts-both-k", REQUESTS), ("xts-enc-k", (("slots", 2), ("sector_bytes", 17)))],
        [],
    ),
)
def test_a_right_engine_passes(name, more):
    report = ENGINES.verify(subject := contract(name, CHANGES | dict(more)), amount=6, vectors=subject.known_answers)
    assert report.failure is None, report.failure.difference
    assert len(report.checks) == len(ENGINES.checks)


@pytest.mark.parametrize(("name", "more"), few_of_many(WHOLE_SECTORS, []))
def test_a_right_engine_of_whole_sectors_passes(name, more):
    changes = {"slots": 4, "sbox": "composite", "registers": "axi4-lite"} | dict(more)
    report = ENGINES.verify(subject := contract(name, changes), amount=6, vectors=subject.known_answers)
    assert report.failure is None, report.failure.difference
    assert len(report.checks) == len(ENGINES.checks)


@pytest.mark.parametrize("size", [530, 8192])
def test_sectors_that_the_window_cannot_pass_are_refused(size):
    with pytest.raises(
        UserError, match=f"sector_bytes must be a multiple of 4 up to 4096 with registers, .*, got {size}"
    ):
        contract("hctr2-2s-k", {"sector_bytes": size, "slots": 4, "registers": "axi4-lite"})


def test_a_tweak_of_the_window_has_whole_words():
    with pytest.raises(UserError, match="^most_tweak_bytes must be a multiple of 4 with registers, .*, got 33$"):
        contract("hctr2-any-k", {"most_tweak_bytes": 33, "registers": "axi4-lite"})
    engine = contract("hctr2-any-k", {"most_tweak_bytes": 252, "sector_bytes": 4000, "registers": "axi4-lite"})
    facts = {each.name: each for each in engine.component.registers[1].registers}
    assert (facts["WINDOW_TWEAK"].bytes, facts["WINDOW_TWEAK_SIZE"].reset) == (252, 16)


def test_an_engine_has_a_suite_of_its_own_with_either_judge():
    subject = contract("xts-enc-k", CHANGES)
    assert suite_of(subject) is ENGINES and judged_by("native", subject).checks == ENGINES.checks
    with pytest.raises(UserError, match="has registers; wideblock verify --check 'cycle contract' measures its cycles"):
        ENGINES.measure(subject)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(monkeypatch, name):
    (user, part, *change), (check, words) = FAULTS[name]
    monkeypatch.setattr(user, part, changed(change[0], part, *change[1:]))
    copies = user is store_and_forward
    core = contract("fast-brw-2s-k" if copies else "xts-enc-k", CHANGES | {"sector_bytes": 128 if copies else 32})
    expect_found(ENGINES, core, check, words, amount=64)


def test_every_fault_has_its_place_in_the_source():
    """The slow cases among them would tell so only where they run."""
    for (_, part, *change), _ in FAULTS.values():
        assert changed(change[0], part, *change[1:])
