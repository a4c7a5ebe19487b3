# SPDX-License-Identifier: Apache-2.0
"""The stream rules are proved for small cores, and not for the same cores with a fault."""

import re
from functools import cache

import pytest

from wideblock.export.contract import contract
from wideblock.export.verilog import verilog
from wideblock.verify.formal.multiplier import NotProved
from wideblock.verify.formal.stream import prove_clearing, prove_held, prove_no_paths, prove_order, prove_queue

OVERLAPPED = ("fast-brw-2s", "hmch-brw-2s", "heh-brw-3s")
UNITS = ("xts-enc", "xts-both")
PRESETS = (*OVERLAPPED, "fast-brw-2", "hmch-brw-1", "heh-brw-1", *UNITS)
RULES = {
    prove_no_paths: PRESETS,
    prove_clearing: PRESETS,
    prove_held: PRESETS,
    prove_order: OVERLAPPED,
    prove_queue: (*OVERLAPPED, *UNITS),
}
READY_WAITS = (prove_no_paths, "entrance", r"assign i__ready = ", "assign i__ready = i__valid & ")
OFFERS_WHILE_CLEARING = (prove_clearing, "exit", r"assign o__valid = [^;]*;", "assign o__valid = valid;")
RUNS_ON = (prove_held, "exit", r"= advance \? ", "= 1'h1 ? ")
ONE_SECTOR_TOO_MANY = (prove_held, "admission", r"< 4'h8;", "<= 4'h8;")
EARLY_LANES = (prove_order, "", r"lane_sector != g_sector", "lane_sector + 4'h1 != g_sector")
ONE_PROMISE_TOO_MANY = (prove_queue, "queue", r"promised != 6'h20", "promised != 6'h21")
FAULTS = {
    "fast-brw-2s": (
        READY_WAITS,
        OFFERS_WHILE_CLEARING,
        RUNS_ON,
        ONE_SECTOR_TOO_MANY,
        EARLY_LANES,
        ONE_PROMISE_TOO_MANY,
    ),
    "hmch-brw-2s": (ONE_SECTOR_TOO_MANY, EARLY_LANES, ONE_PROMISE_TOO_MANY),
    "heh-brw-3s": (
        (prove_held, "", r"= \S+ +\? (\S+ +: leaving_psi;)", r"= 1'h1 ? \1"),
        (prove_order, "", r"call_sector != ready_sector", "call_sector + 4'h1 != ready_sector"),
        (prove_order, "entrance", r"number == 3'h4", "number == 3'h3"),
        ONE_PROMISE_TOO_MANY,
    ),
    "xts-enc": (
        READY_WAITS,
        (prove_clearing, "", r"assign o__valid = [^;]*;", "assign o__valid = 1'h1;"),
        (prove_held, "", r"(assign \S+ \[130\] = )", r"\1o__ready ^ "),
        (prove_held, "results", r"read__addr \+ read", "read__addr + (read | write)"),
        (prove_queue, "tweaks", r"promised != 4'hd", "promised != 4'he"),
    ),
    "xts-both": (
        (prove_queue, "control", r"\S+ +\| together", "1'h1"),  # a rest without a place among the results
        (prove_queue, "arrivals", r"promised != 4'hd", "promised != 4'he"),
        (prove_queue, "tweak_cipher", r"assign o__valid = full & done", "assign o__valid = done"),
    ),
}


@cache
def small(preset):
    core = contract(preset, {"sector_bytes": "160"})
    return core, verilog(core)


@pytest.mark.parametrize("prove, preset", [(rule, preset) for rule, presets in RULES.items() for preset in presets])
def test_the_rule_is_proved(prove, preset):
    proof = prove(*small(preset))
    assert proof.gates > 0


@pytest.mark.parametrize(
    "preset, prove, part, old, new", [(preset, *fault) for preset, faults in FAULTS.items() for fault in faults]
)
def test_a_fault_is_not_proved(preset, prove, part, old, new):
    core, text = small(preset)
    name = f"{core.module}.core" + (f".{part}" if part else "")
    start = text.index(f"module \\{name} ")
    stop = text.index("endmodule", start)
    broken, count = re.subn(old, new, text[start:stop])
    assert count
    with pytest.raises(NotProved):
        prove(core, text[:start] + broken + text[stop:])


def test_a_core_without_a_queue_is_refused():
    with pytest.raises(ValueError, match="has no queue"):
        prove_queue(*small("fast-brw-2"))


@pytest.mark.parametrize("preset", ["heh-brw-1", "xts-enc"])
def test_a_core_without_overlap_has_no_order(preset):
    with pytest.raises(ValueError, match="does not overlap"):
        prove_order(*small(preset))


def test_specials_in_the_last_beat_are_refused():
    with pytest.raises(ValueError, match="before the last beat"):
        prove_held(contract("hmch-brw-1", {"sector_bytes": "32"}), small("hmch-brw-1")[1])
