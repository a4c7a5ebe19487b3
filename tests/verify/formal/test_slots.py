# SPDX-License-Identifier: Apache-2.0
"""That messages are processed under the keys of their slots is proved of cores and engines, and not of faulty ones."""

from functools import cache

import pytest

from wideblock.export.contract import contract
from wideblock.verify.formal.commands import prove_commands
from wideblock.verify.formal.flat import flatten
from wideblock.verify.formal.proof import NotApplicable, NotProved
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
