# SPDX-License-Identifier: Apache-2.0
"""Every row of every memory is proved to be zero a while after zeroize began, and not with a fault."""

from functools import cache

import pytest

from wideblock.export.contract import contract
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.forgets import prove_forgets
from wideblock.verify.formal.proof import NotProved

from ...variants import few_of_many
from .faults import Fault, Ungated, broken

pytestmark = pytest.mark.shows("formal-stream", "engine")

SMALL = {"sector_bytes": 32, "slots": 4, "key_bits": 128, "registers": "axi4-lite"}
CORES = {
    "xts-enc-k": SMALL,
    "xts-both": {"sector_bytes": 96},
    "fast-brw-2": {"sector_bytes": 96},
    "aes-gcm": {"data_bytes": 64, "ad_bytes": 48},
}


def walk(name, part, condition):
    """The rows of ``part`` go on where a condition holds, and begin anew elsewhere."""
    signals = {"clk": "aclk", "aresetn": "aresetn", "clear": f"{part}.clear", "zeroize": f"{part}.zeroize"}
    text = f"reg [15:0] row; always @(posedge clk) row <= aresetn && ({condition}) ? row + 1 : 0;"
    return Fault(name, f"{part}.row", "row", signals, text)


ENGINE, KEYS = "core.clearing", "core.core.key_unit.clearing"
FAULTS = (
    walk("the engine's rows begin anew while zeroize is held", ENGINE, "clear && !zeroize"),
    walk("the core's rows begin anew while zeroize is held", KEYS, "clear && !zeroize"),
    Ungated("core.core.data_keys.keys"),
    Fault("a row is written with what comes", "core.core.tweak_keys.keys__write_data", "was | 1"),
    Fault("words of the key registers stay", "core.commands.memory.clear", "1'b0"),
    Fault("states of slots stay", "core.table.states__write_en", "was && !clear", {"clear": "core.clear"}),
    Fault("a failed engine keeps its keys", f"{ENGINE}.zeroize", "any", {"any": "core.zeroize_any"}),
    Fault("a command clears nothing", "core.commands.zeroize", "1'b0"),
    Fault("damage and wrong answers are no failure", "core.failed", "1'b0"),
    Fault("clearing ends early", f"{ENGINE}.last", "was | row == 3", {"row": f"{ENGINE}.row"}),
)


@cache
def core(preset):
    return contract(preset, CORES[preset])


@pytest.mark.parametrize("preset", few_of_many(CORES, []))
def test_it_is_proved(preset):
    proof = prove_forgets(core(preset))
    assert "a pulse or a level" in proof.statement and proof.gates > 0


@pytest.mark.slow
def test_it_is_proved_where_rows_are_counted_anew():
    """The faults below that are walks are found for their condition alone."""
    of = core("xts-enc-k")
    assert prove_forgets(of, broken(flatten(of), walk("as it is", ENGINE, "clear"))).gates > 0


@pytest.mark.parametrize("fault", few_of_many(FAULTS, []), ids=str)
def test_a_fault_is_not_proved(fault):
    of = core("xts-enc-k")
    with pytest.raises(NotProved):
        prove_forgets(of, broken(flatten(of), fault))


def test_a_core_that_clears_without_a_walk_is_not_proved():
    """Registers ``clear_row`` beside no part that clears."""
    flat = flatten(core("aes-gcm"))
    assert any(name.endswith(".clear_row") for name in flat.widths)
    with pytest.raises(NotProved, match="no part 'clearing' walks over the rows of its memories"):
        prove_forgets(core("aes-gcm"), Flat(flat.module, flat.rtlil.replace("clearing.", "cleared.")))
