# SPDX-License-Identifier: Apache-2.0
"""The stream rules are proved for small cores, and not for the same cores with a fault."""

import re
from functools import cache

import pytest

from wideblock.export.contract import contract
from wideblock.export.verilog import verilog
from wideblock.verify.formal_multiplier import NotProved
from wideblock.verify.formal_stream import prove_clearing, prove_held, prove_no_paths, prove_order, prove_queue

PRESETS = ("fast-brw-2s", "fast-brw-2")
RULES = {
    prove_no_paths: PRESETS,
    prove_clearing: PRESETS,
    prove_held: PRESETS,
    prove_order: ("fast-brw-2s",),
    prove_queue: ("fast-brw-2s", "fast-brw-1s"),
}
FAULTS = [
    (prove_no_paths, "entrance", r"assign i__ready = ", "assign i__ready = i__valid & "),
    (prove_clearing, "exit", r"assign o__valid = [^;]*;", "assign o__valid = valid;"),
    (prove_held, "exit", r"if \(advance\)", "if (1)"),
    (prove_held, "admission", r"< 4'h8;", "<= 4'h8;"),
    (prove_order, None, r"lane_sector != g_sector", "lane_sector + 4'h1 != g_sector"),
    (prove_queue, "queue", r"promised != 6'h20", "promised != 6'h21"),
]


@cache
def small(preset):
    core = contract(preset, {"sector_bytes": "160"})
    return core, verilog(core)


@pytest.mark.parametrize("prove, preset", [(rule, preset) for rule, presets in RULES.items() for preset in presets])
def test_the_rule_is_proved(prove, preset):
    proof = prove(*small(preset))
    assert proof.gates > 0


@pytest.mark.parametrize("prove, part, old, new", FAULTS)
def test_a_fault_is_not_proved(prove, part, old, new):
    core, text = small("fast-brw-2s")
    name = f"{core.module}.core" + (f".{part}" if part else "")
    start = text.index(f"module \\{name} ")
    stop = text.index("endmodule", start)
    broken, count = re.subn(old, new, text[start:stop])
    assert count
    with pytest.raises(NotProved):
        prove(core, text[:start] + broken + text[stop:])


def test_a_core_without_a_queue_is_refused():
    with pytest.raises(ValueError, match="has no queue"):
        prove_queue(contract("fast-brw-2", {"sector_bytes": "160"}))
