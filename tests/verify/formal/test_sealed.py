# SPDX-License-Identifier: Apache-2.0
"""Rules of a core that seals sectors, and faults of it that are not proved."""

import pytest

from wideblock.export.contract import contract
from wideblock.verify.formal.commands import prove_commands
from wideblock.verify.formal.flat import flatten
from wideblock.verify.formal.proof import NotApplicable, NotProved
from wideblock.verify.formal.rules import family
from wideblock.verify.formal.secrecy import prove_secrecy
from wideblock.verify.formal.stream import prove_order, prove_rekey, prove_release, prove_stable
from wideblock.verify.formal.timing import prove_timing

from ...variants import over
from .faults import Fault, Ungated, broken

pytestmark = pytest.mark.shows("formal-stream")

CORE = contract("hctr2-1s", {"sector_bytes": 64, "icv_bytes": 16})
LAYERS = contract("eme2-1s", {"sector_bytes": 64, "icv_bytes": 16})
CODE_BOOK = contract("heh-brw-3s", {"sector_bytes": 64, "icv_bytes": 16})
BEHIND = contract("hctr2-1s", {"sector_bytes": 64, "icv_bytes": 16, "stride": 96})
FETCHED = {"fetch": "core.exit.fetch", "clk": "aclk"}
LATE = "reg late; always @(posedge clk) late <= fetch;"
ICV_BIT = {"s": "s_axis_tuser"}
FAULTS = (
    (prove_release, Fault("a forged sector is loaded", "core.exit.load", "was | fetch", FETCHED)),
    (prove_release, Fault("a forged sector leaves", "m_axis_tvalid", "was | late", FETCHED, LATE)),
    (prove_release, Fault("a sector leaves before its verdict", "core.exit.pending", "1'b1")),
    (prove_release, Fault("no sector is stated as forged", "forged", "1'b0")),
    (prove_release, Fault("the verdict of another sector", "core.verdicts.read_addr", "was ^ 1'b1")),
    (prove_release, Fault("a verdict in the row of another", "core.verdicts.write_addr", "was ^ 1'b1")),
    (prove_timing, Fault("ready depends on the ICV", "core.entrance.i__ready", "was && !s[130]", ICV_BIT)),
    (prove_secrecy, Ungated("core.inner")),
)


@over("prove", [prove_release, prove_timing, prove_secrecy, prove_stable])
def test_the_rule_is_proved(prove):
    assert prove(CORE).gates > 0


@pytest.mark.slow
@over("prove", [prove_release, prove_order, prove_rekey, prove_timing])
def test_the_rule_is_proved_where_the_block_in_front_has_a_call(prove):
    assert prove(LAYERS).gates > 0


@pytest.mark.slow
@over("prove", [prove_release, prove_order, prove_rekey, prove_timing, prove_secrecy, prove_stable])
def test_the_rule_is_proved_where_a_hash_waits_for_the_value(prove):
    assert prove(CODE_BOOK).gates > 0


@pytest.mark.slow
@over("prove", [prove_release, prove_order, prove_rekey, prove_timing, prove_secrecy, prove_stable])
def test_the_rule_is_proved_where_the_value_is_behind_the_sector(prove):
    assert prove(BEHIND).gates > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size"), [("fast-brw-1s", 96), ("hmch-polys", 64), ("eme2-1s", 64), ("heh-brw-3s", 64)]
)
def test_the_rules_are_proved_where_the_value_is_behind_the_sector_of_each_family(name, size):
    """A short sector: the tail of its front pass is beside the head of the next one, which waits at its last beat."""
    core = contract(name, {"sector_bytes": size, "icv_bytes": 16, "stride": size + 16})
    for prove in (prove_release, prove_order, prove_rekey, prove_timing, prove_secrecy, prove_stable):
        assert prove(core).gates > 0


@pytest.mark.slow
def test_a_row_for_beats_behind_a_sector_is_not_proved():
    """It is of another sector, which may be forged."""
    loads = {"fetch": "core.exit.fetch", "refused": "core.exit.refused"}
    fault = Fault("a row for beats behind it is loaded", "core.exit.load", "was | fetch & !refused", loads)
    with pytest.raises(NotProved):
        prove_release(BEHIND, broken(flatten(BEHIND), fault))


@pytest.mark.slow
def test_a_call_beside_that_of_the_block_in_front_is_not_proved():
    fault = Fault("a tweak's call beside it", "core.tweak_go", "was | leads", {"leads": "core.leads"})
    with pytest.raises(NotProved):
        prove_order(LAYERS, broken(flatten(LAYERS), fault))


@pytest.mark.slow
@over("name, prove", [("fast-brw-1s", prove_secrecy), ("fast-brw-1s", prove_commands), ("eme2-1s", prove_secrecy)])
def test_the_rule_is_proved_with_slots_and_tags(name, prove):
    """A tag leaves beside its sector; verdicts reach handshakes, and keys do not."""
    assert prove(contract(name, {"sector_bytes": 96, "slots": 4, "tag_bits": 8, "icv_bytes": 16})).gates > 0


@pytest.mark.slow
@over("prove, fault", FAULTS)
def test_a_fault_is_not_proved(prove, fault):
    closed = family(CORE).output(CORE).closed if prove is prove_secrecy else ()
    flat = flatten(CORE, closed) if prove in (prove_secrecy, prove_timing) else flatten(CORE)
    with pytest.raises(NotProved):
        prove(CORE, broken(flat, fault))


@pytest.mark.slow
@over("fault", [fault for prove, fault in FAULTS if prove is prove_release])
def test_a_fault_is_not_proved_where_a_hash_waits_for_the_value(fault):
    with pytest.raises(NotProved):
        prove_release(CODE_BOOK, broken(flatten(CODE_BOOK), fault))


def test_a_core_that_seals_nothing_has_nothing_to_verify():
    with pytest.raises(NotApplicable, match="a sector has no integrity check value"):
        prove_release(contract("hctr2-1s", {"sector_bytes": 64}))
