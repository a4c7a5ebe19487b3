# SPDX-License-Identifier: Apache-2.0
"""That messages are processed under the keys of their slots is proved of cores and engines, and not of faulty ones."""

from dataclasses import replace
from functools import cache

import pytest

from wideblock.export.contract import contract
from wideblock.verify.formal.commands import prove_commands
from wideblock.verify.formal.flat import flatten
from wideblock.verify.formal.induction import prove
from wideblock.verify.formal.proof import NotApplicable, NotProved
from wideblock.verify.formal.rules import family
from wideblock.verify.formal.rules.engine import INSIDE
from wideblock.verify.formal.stream import prove_slots

from ...variants import few_of_many
from .faults import NO_FAULT, Fault, broken

pytestmark = pytest.mark.shows("formal-stream", "engine")

SMALL = {"sector_bytes": 32, "slots": 4, "key_bits": 128}
DRAIN = {"draining": "core.key_unit.draining", "left": "core.key_unit.left"}
UNITS = (
    Fault("Key1 of another slot", "core.data_keys.row", "was ^ 1"),
    Fault("Key1 of the other direction", "core.data_keys.row", "was ^ 4"),
    Fault("Key2 of another slot", "core.tweak_keys.row", "was ^ 1"),
    Fault("a tweak is enciphered under Key1", "core.key_entering", "key1", {"key1": "core.data_keys.key"}),
    Fault(
        "the slot of the next unit",
        "core.rows__write_data",
        "clear ? was : {was[2], next[1:0]}",
        {"clear": "core.clear", "next": "core.entrance.i__payload.slot"},
    ),
    Fault("a row of another unit beside the pipelines", "core.rows_then", "was + 1"),
    Fault("masks and Key1 change amid a unit", "core.masks_due", "was | go", {"go": "core.control.go"}),
    Fault("any slot has a key", "core.key_unit.known", "1'b1"),
    Fault("a slot with a key takes another", "core.key_unit.mistaken", "beyond", {"beyond": "core.key_unit.beyond"}),
    Fault("no eviction waits", "core.key_unit.writing", "was | draining", {"draining": "core.key_unit.draining"}),
    Fault("a key is written to another slot", "core.key_unit.row1", "was ^ 1"),
    Fault("a drain passes over a unit of its slot", "core.key_unit.skipped_message", "draining && left", DRAIN),
    Fault("a unit is noted under another slot", "core.key_unit.messages__write_data", "was ^ 1"),
)
COMMANDS = (
    Fault("units wait for a key that is offered", "core.entrance.i__ready", "was & !key", {"key": "core.key__valid"}),
    Fault("units wait for a drain", "core.entrance.permit", "was & !drains", {"drains": "core.key_unit.draining"}),
)
COPIES = {
    "eme2-2s-k": {"sector_bytes": 136, "slots": 4, "sbox": "composite"},
    "aez-2ts-k": {"sector_bytes": 128, "slots": 4, "sbox": "composite"},
    "hctr2-1s-k": {},  # a word for each value of an index, of which the Verilog has a table
    "hctr2-2s-k": {"sector_bytes": 496, "slots": 4, "sbox": "composite"},
    "fast-brw-2s-k": {"sector_bytes": 256, "slots": 4, "sbox": "composite"},
    "fast-horner-2s-k": {"sector_bytes": 512, "slots": 4, "sbox": "composite"},
    "hmch-brw-2s-k": {"sector_bytes": 256, "slots": 4, "sbox": "composite"},
    "heh-brw-2s-k": {"sector_bytes": 256, "slots": 4, "sbox": "composite"},
    "hctr2-any-k": {"sector_bytes": 512, "longest": 512, "slots": 4, "sbox": "composite"},
}
FILLS = {"filling": "core.key_unit.copies__filling", "number": "core.key_unit.number"}
OF_COPIES = (
    Fault("a copy has the words of another row", "core.key_unit.store.row", "was ^ 1"),
    Fault("a copy has the words of another slot", "core.entrance.copies__fill_slot", "was ^ 1"),
    Fault("an eviction does not wait for a sector that enters", "core.key_unit.entered", "1'b1"),
    Fault("a drain passes over a sector of its slot", "core.key_unit.skipped_message", "draining && left", DRAIN),
    Fault("an eviction wipes places in use", "core.entrance.copies__used", "1'b0"),
    Fault("a copy takes a place in use", "core.entrance.copies__fill", "was | owed", {"owed": "core.entrance.owed"}),
    Fault("a sector begins a cycle before its copy", "core.key_unit.copies__filled", "filling && number == 2", FILLS),
    Fault("a call takes the key of another sector", "core.key_sector_later", "was ^ 1"),
)
OF_POWERS = (
    Fault("the last products take the powers of the next sector", "core.back_hash.tail_bank", "was + 1"),
    Fault("the front hash takes the powers of another sector", "core.front_hash.front_bank", "was ^ 1"),
    Fault("a power is written to the place of another sector", "core.front_hash.copy_bank", "was ^ 1"),
    Fault("a power is written to another row", "core.back_hash.copy_row", "was ^ 1"),
    Fault("a call takes the key of another sector", "core.key_sector_later", "was ^ 1"),
    Fault("a sector begins a cycle before its copy", "core.key_unit.copies__filled", "filling && number == 1", FILLS),
)
STEPS = {"second": "core.YZ_go", "back": "core.again"}
OF_STEPS = (
    Fault("a new call takes the key of another sector", "core.word1.read_addr", "second ? was ^ 1 : was", STEPS),
    Fault("a returning call takes the key of another sector", "core.word1.read_addr", "back ? was ^ 1 : was", STEPS),
    Fault("a returning step takes the masks of another sector", "core.word0.read1_addr", "was ^ 1"),
    Fault("the second layer takes the masks of the sector before", "core.word2.read2_addr", "was - 1"),
    Fault("a step changes its sector in the lanes", "core.tag3.sector", "was ^ 1"),
    Fault("a sector is computed a step early", "core.computed", "was | step", {"step": "core.tag10.C"}),
    Fault("a sector begins a cycle before its copy", "core.key_unit.copies__filled", "filling && number == 1", FILLS),
)
AT_ENTRANCE = {"number": "core.entrance.entrance.number"}
OF_MESSAGES = (
    Fault("the front hash takes the powers of another message", "core.front_hash.bank", "was ^ 1"),
    Fault("the back hash takes the powers of the next message", "core.back_hash.bank", "was + 1"),
    Fault("a power is written to the place of another message", "core.front_hash.copy_bank", "was ^ 1"),
    Fault("a power is written to another row", "core.back_hash.copy_row", "was ^ 1"),
    Fault("a call takes the key of another message", "core.word5.read_addr", "was ^ 1"),
    Fault("an inverse call takes the key of another message", "core.word6.read_addr", "was ^ 1"),
    Fault("Z is made with L of another message", "core.word7.read_addr", "was ^ 1"),
    Fault("a message begins a cycle before its copy", "core.key_unit.copies__filled", "filling && number == 3", FILLS),
    Fault("a message of one beat is not noted", "core.entrance.begins", "was && number != 0", AT_ENTRANCE),
    Fault(
        "a message of two beats is whole with the first",
        "core.entrance.whole",
        "was || put",
        {"put": "core.entrance.put"},
    ),
    Fault(
        "a message of a wrong size names its slot",
        "core.entrance.entrance.opening",
        "was | full",
        {"full": "core.entrance.entrance.full"},
    ),
)
SQUARE = Fault("a power is not the square of the power before", "core.key_unit.squared", "1'b0")
INVERSE = Fault("an inverse call takes the key of another sector", "core.inverse_key_later", "was ^ 1")
REQUEST = {"request": "core.passage.access__request"}
ENGINE = (
    Fault("the user's stream may name any slot", "core.gate.refused", "1'b0"),
    Fault("the constant key is noted as any other", "core.commands.table__new", "was & 5'b11101"),
    Fault("the window gets the core amid a message", "core.passage.access__granted", "request", REQUEST),
)


@cache
def core(preset, **changes):
    return contract(preset, SMALL | changes)


@pytest.mark.parametrize("preset", few_of_many(["xts-enc-k", "xts-2-k", "xts-both-k"], []))
def test_it_is_proved_of_a_core(preset):
    assert prove_slots(core(preset)).gates > 0


@pytest.mark.slow
def test_it_is_proved_where_the_control_is_ahead_of_the_data():
    assert prove_slots(core("xts-both-k", round_stages=2)).gates > 0


@pytest.mark.parametrize("fault", few_of_many(UNITS, [UNITS[-2]]), ids=str)
def test_a_fault_of_a_core_is_not_proved(fault):
    of = core("xts-both-k")
    with pytest.raises(NotProved):
        prove_slots(of, broken(flatten(of), fault))


@cache
def copying(preset):
    return contract(preset, COPIES[preset])


@pytest.mark.parametrize("preset", few_of_many(list(COPIES), []))
def test_it_is_proved_of_a_core_whose_sectors_take_copies(preset):
    assert "complete and in order" in prove_slots(copying(preset)).statement


@pytest.mark.parametrize("fault", few_of_many(OF_COPIES, []), ids=str)
def test_a_fault_of_copies_is_not_proved(fault):
    of = copying("eme2-2s-k")
    with pytest.raises(NotProved):
        prove_slots(of, broken(flatten(of), fault))


@pytest.mark.slow
@pytest.mark.parametrize(
    "preset, fault",
    [*(("heh-brw-2s-k", each) for each in OF_POWERS), ("hctr2-1s-k", SQUARE), ("hctr2-2s-k", INVERSE)],
)
def test_a_fault_of_copied_powers_is_not_proved(preset, fault):
    of = copying(preset)
    with pytest.raises(NotProved):
        prove_slots(of, broken(flatten(of), fault))


@pytest.mark.parametrize("fault", few_of_many(OF_MESSAGES, []), ids=str)
def test_a_fault_of_messages_of_any_length_is_not_proved(fault):
    of = copying("hctr2-any-k")
    with pytest.raises(NotProved):
        prove_slots(of, broken(flatten(of), fault))


@pytest.mark.parametrize("fault", few_of_many(OF_STEPS, []), ids=str)
def test_a_fault_of_steps_that_return_is_not_proved(fault):
    of = copying("aez-2ts-k")
    with pytest.raises(NotProved):
        prove_slots(of, broken(flatten(of), fault))


TWO_SLOTS = "live && to_n < under_way && put_first && given_slot != slot"
"""A sector of another slot enters while the followed sector is whole and not computed."""


@pytest.mark.parametrize("preset", few_of_many(list(COPIES), []))
@pytest.mark.parametrize("possible", few_of_many([TWO_SLOTS, "since == 1", "row_write && of_slot"], [TWO_SLOTS]))
def test_the_rule_leaves_sectors_of_two_slots_under_way_possible(preset, possible):
    """Given the whole rule, that it is impossible is not proved: the rule does not contradict itself."""
    of = copying(preset)
    rule = family(of).slots(of)
    given = "\n".join((rule.text, *rule.parts)).replace("assert (", "assume (")
    with pytest.raises(NotProved, match="not inductive"):
        prove(of, replace(rule, text=f"{given}\n      always @* if (!clear) assert (!({possible}));", parts=()))


@pytest.mark.parametrize("preset", ["xts-enc-k", "xts-both-k"])
def test_commands_reach_no_handshake_but_by_the_slot_that_is_named(preset):
    assert "s_axis_tready, m_axis_tvalid but by whether" in prove_commands(core(preset)).statement


@pytest.mark.parametrize("fault", COMMANDS, ids=str)
def test_a_command_that_disturbs_others_is_found(fault):
    of = core("xts-enc-k")
    with pytest.raises(NotProved, match="commands reach a handshake: .*s_axis_key_tvalid -> (.* -> )?s_axis_tready"):
        prove_commands(of, broken(flatten(of), fault))


def test_it_is_proved_of_an_engine():
    """And where a fault changes nothing."""
    of = core("xts-enc-k", registers="axi4-lite")
    assert "known answers" in prove_slots(of).statement
    assert prove_slots(of, broken(flatten(of, INSIDE), NO_FAULT)).gates > 0


@pytest.mark.parametrize("fault", ENGINE, ids=str)
def test_a_fault_of_an_engine_is_not_proved(fault):
    of = core("xts-enc-k", registers="axi4-lite")
    with pytest.raises(NotProved):
        prove_slots(of, broken(flatten(of, INSIDE), fault))


@pytest.mark.parametrize(
    ("preset", "size"),
    [
        ("xts-enc", {"sector_bytes": 160}),
        ("eme2-1s", {"sector_bytes": 160}),
        ("scream", {"data_bytes": 64, "ad_bytes": 48}),
    ],
)
def test_a_core_of_one_key_has_no_slots(preset, size):
    """Cores of the tests of other rules, so that each is exported once."""
    with pytest.raises(NotApplicable, match="no slots: the core holds one key at a time"):
        prove_slots(contract(preset, size))
    with pytest.raises(NotApplicable, match="no slots"):
        prove_commands(contract(preset, size))


def test_the_self_test_of_an_engine_waits_for_commands():
    with pytest.raises(NotApplicable, match="the rule is about a core alone"):
        prove_commands(core("xts-enc-k", registers="axi4-lite"))
