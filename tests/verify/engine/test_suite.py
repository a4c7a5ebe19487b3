# SPDX-License-Identifier: Apache-2.0
"""The suite of engines: it passes a right one, and names each fault that is put by hand into its parts."""

import pytest

from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.rtl.engine import commands, engine, faults, key_memory, passage, register_file, slots
from wideblock.verify.engine.suite import ENGINES
from wideblock.verify.suites import judged_by, suite_of

from ...variants import few_of_many
from ..changed_source import changed, expect_found

pytestmark = pytest.mark.shows("engine", "mutation")

CHANGES = {"sector_bytes": 32, "slots": 4, "key_bits": 128, "sbox": "composite", "registers": "axi4-lite"}
REQUESTS = (("tag_bits", 16), ("header", True))
OF_PARTS = (("sector_bytes", 64), ("slots", 5), ("sbox", "lut"))  # whose model tests/rtl/engine builds, too
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
    "slots that do not exist show others": (
        (engine, "SlotTable", slots, "there = (slot[self.bits :] == 0)", "there = (slot[self.bits :] != 1)"),
        ("slot table", "SLOT_STATE|SLOT_BLOCKS"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "more"),
    few_of_many(
        [("xts-both-k", OF_PARTS), ("xts-both-k", REQUESTS), ("xts-enc-k", (("slots", 2), ("sector_bytes", 17)))],
        [("xts-both-k", OF_PARTS)],
    ),
)
def test_a_right_engine_passes(name, more):
    report = ENGINES.verify(subject := contract(name, CHANGES | dict(more)), amount=6, vectors=subject.known_answers)
    assert report.failure is None, report.failure.difference
    assert len(report.checks) == len(ENGINES.checks)


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
    expect_found(ENGINES, contract("xts-enc-k", CHANGES), check, words, amount=64)
