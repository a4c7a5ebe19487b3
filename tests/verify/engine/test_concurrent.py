# SPDX-License-Identifier: Apache-2.0
"""Faults of an engine's commands, clearing, counting and window: the checks of all inputs at once find each."""

import pytest

from wideblock.catalog.hardware import engines
from wideblock.export.contract import contract
from wideblock.rtl.engine import command_state, commands, engine, firmware, gate, slots, window
from wideblock.rtl.keys import under_way
from wideblock.rtl.keys.under_way import KeysInSlots
from wideblock.rtl.stream import clearing
from wideblock.verify.engine.suite import ENGINES

from ...variants import few_of_many
from ..changed_source import changed, expect_found

pytestmark = pytest.mark.shows("engine", "mutation")

AMOUNT, SEED = 2048, 1
CHANGES = {"sector_bytes": 32, "slots": 4, "key_bits": 128, "sbox": "composite", "registers": "axi4-lite"}
BOTH, EACH = ("both buses", "."), ("every offset", ".")
COMMANDS, REGISTERS = (engine, "KeyCommands", commands), (commands, "CommandRegisters", command_state)
WINDOW = (engine, "Window", window)
FAULTS = {
    "a held level of zeroize keeps rows": (
        (engine, "Clearing", clearing, "Mux(self.clear, self.row", "Mux(self.clear & ~self.zeroize, self.row"),
        ("clearing", "depend on keys or data"),
    ),
    "a write of METD beside a command is dropped with OKAY": (
        (*REGISTERS, "(of_words & ~free) | (control", "(control"),
        EACH,
    ),
    "a load under a key that is partly zero": (
        (*COMMANDS, "CommandError.INCOMPLETE: run.missing", "CommandError.INCOMPLETE: Const(0)"),
        BOTH,
    ),
    "the self-test wipes MEK": (
        (*COMMANDS, "words.wipe.eq(run.scanning & ~run.of_test)", "words.wipe.eq(run.scanning)"),
        EACH,
    ),
    "a write of DONE in a clear is dropped": (
        (*REGISTERS, "control & finish & ~self.executing", "control & finish & ~self.executing & ~of.clear"),
        BOTH,
    ),
    "EXE without RDY is lost": (
        (*REGISTERS, "self.done.eq((starts & ~of.ready) | dropped)", "self.done.eq(dropped)"),
        BOTH,
    ),
    "a source that stops in another slot holds an unload": (
        (KeysInSlots, "_messages_of", under_way, "skipped.eq(draining", "skipped.eq(0 & draining"),
        EACH,
    ),
    "the window keeps DONE without FAULT in a clear": (
        (*WINDOW, "gone.eq(self.clear | ended)", "gone.eq(ended)"),
        EACH,
    ),
    "a result is read after its slot has ended": (
        (*WINDOW, "gone.eq(self.clear | ended)", "gone.eq(self.clear)"),
        BOTH,
    ),
    "words behind a result are those of another": (
        (*WINDOW, "self.done & ~self.error & there", "self.done & ~self.error"),
        BOTH,
    ),
    "a unit of a key that ended counts": (
        (
            *(engine, "StreamGate", gate),
            *("(self.change.put & (self.slot == self.change.slot) & ~opens) | self.cleared", "self.cleared"),
        ),
        ("every offset", "SLOT_BLOCKS_LO"),
    ),
    "a raised LIMIT opens a slot": (
        (engine, "SlotTable", slots, "self.limit_reached | (adding & had.spent)", "self.limit_reached"),
        ("limits of slots", "LIMIT was raised"),
    ),
    "the upper half of the blocks is another one": (
        (engine, "Firmware", firmware, "high.eq(table.shown_blocks[low:])", "high.eq(table.shown_blocks[1:])"),
        BOTH,
    ),
    "a tag without a fault while the window has the core": (
        (
            *(engines, "SlotEngine", engine),
            *("core.fault_tag & ~granted.replicate(tag)", "core.fault_tag | granted.replicate(tag)"),
        ),
        ("both buses", "fault_tag is"),
        {"tag_bits": 16},
    ),
    "the pin ready does not wait for the self-test": (
        (engines, "SlotEngine", engine, "self.ready.eq(tested & ~clear & ~failed)", "self.ready.eq(~clear & ~failed)"),
        BOTH,
    ),
}


CHECKS = sorted({check for _, (check, _), *_ in FAULTS.values()})


@pytest.mark.parametrize("check", few_of_many(CHECKS, []))
def test_the_engine_itself_passes(check):
    core = contract("xts-enc-k", CHANGES)
    with ENGINES.simulation(core) as simulation:
        report = ENGINES.verify(core, amount=AMOUNT, seed=SEED, checks=[check], simulation=simulation)
    assert report.failure is None, report.failure


@pytest.mark.parametrize("name", few_of_many(list(FAULTS), []))
def test_a_planted_fault_is_found(monkeypatch, name):
    (user, part, *change), (check, words), *more = FAULTS[name]
    monkeypatch.setattr(user, part, changed(change[0], part, *change[1:]))
    expect_found(ENGINES, contract("xts-enc-k", CHANGES | dict(*more)), check, words, amount=AMOUNT, seed=SEED)
