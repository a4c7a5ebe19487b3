# SPDX-License-Identifier: Apache-2.0
"""The stream rules are proved for small cores, and not for the same cores with a fault."""

import re
from functools import cache
from itertools import product

import pytest

from wideblock.catalog import SCHEMES
from wideblock.export.contract import contract
from wideblock.verify.formal import rules
from wideblock.verify.formal.findings import findings
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.induction import Rule, prove
from wideblock.verify.formal.paths import prove_no_paths
from wideblock.verify.formal.proof import NotApplicable, NotProved, RuleResult
from wideblock.verify.formal.rules import family
from wideblock.verify.formal.secrecy import prove_secrecy
from wideblock.verify.formal.stream import (
    _settled,
    prove_clearing,
    prove_order,
    prove_queues,
    prove_rekey,
    prove_release,
    prove_stable,
)

from ...variants import few_of_many
from . import faults
from .faults import Ungated, broken, one_promise_too_many

pytestmark = pytest.mark.shows("formal-stream")

OVERLAPPED = ("fast-brw-1s", "fast-brw-2s", "hmch-brw-2s", "xcb-2s", "heh-brw-3s")
UNITS = ("xts-enc", "xts-both")
MIXED = ("eme2-1", "eme2-1s", "eme2-2s", "aez-2-pre", "aez-2ts", "hctr2-any")
SEALED = ("scream", "aes-gcm", "poet", "minalpher", "aez5")
ALONE = ("fast-brw-2", "hmch-brw-1", "heh-brw-1")
PRESETS = (*OVERLAPPED, *ALONE, *UNITS, *MIXED, *SEALED)
PROVED = {
    prove_no_paths: PRESETS,
    prove_clearing: PRESETS,
    prove_stable: PRESETS,
    prove_order: (*OVERLAPPED, *ALONE, *MIXED),
    prove_queues: (*OVERLAPPED, *UNITS, "hctr2-any"),
    prove_rekey: (*OVERLAPPED, *ALONE, *MIXED, *UNITS, *SEALED),
    prove_release: SEALED,
    prove_secrecy: PRESETS,
}
FAULTS = {
    "fast-brw-1s": (
        (prove_no_paths, faults.READY_WAITS),
        (prove_clearing, faults.VALID_WHILE_CLEARING),
        (prove_stable, faults.RUNS_ON),
        (prove_order, faults.ONE_SECTOR_TOO_EARLY),
        (prove_order, faults.EARLY_LANES),
        (prove_queues, one_promise_too_many("queue", 32)),
        (prove_secrecy, Ungated("core.result_ring")),
        (prove_rekey, faults.KEY_AMID_SECTORS),
        (prove_secrecy, faults.KNOWN_TOO_EARLY),
        (prove_secrecy, faults.KEY_WHILE_A_BEAT_WAITS),
    ),
    "hmch-brw-2s": (
        (prove_order, faults.ONE_SECTOR_TOO_EARLY),
        (prove_order, faults.EARLY_LANES),
        (prove_queues, one_promise_too_many("queue", 32)),
    ),
    "xcb-2s": (
        (prove_stable, faults.RUNS_ON),
        (prove_order, faults.EARLY_LANES),
    ),
    "heh-brw-3s": (
        (prove_stable, faults.OTHER_PSI),
        (prove_secrecy, Ungated("core.result_ring0")),
        (prove_secrecy, faults.OTHER_PSI),
        (prove_order, faults.EARLY_CALLS),
        (prove_order, faults.BEAT_NUMBER),
        (prove_rekey, faults.KEY_AMID_SECTORS),
        (prove_queues, one_promise_too_many("queue", 32)),
    ),
    "fast-brw-2": ((prove_order, faults.SECTOR_BESIDE_ANOTHER), (prove_order, faults.STEP_BESIDE_THE_CALL)),
    "heh-brw-1": ((prove_order, faults.SECTOR_BESIDE_ANOTHER), (prove_order, faults.CALL_WITHOUT_A_HASH)),
    "eme2-1s": (
        (prove_stable, faults.RUNS_ON),
        (prove_order, faults.EARLY_SECOND_LAYER),
        (prove_order, faults.TWO_AT_ONCE),
        (prove_order, faults.ONE_SECTOR_TOO_MANY),
        (prove_rekey, faults.KEY_AMID_SECTORS),
        (prove_secrecy, Ungated("core.result_ring0")),
        (prove_secrecy, faults.READS_ON),
        (prove_secrecy, faults.INPUT_ON_THE_PORT),
    ),
    "eme2-2s": (
        (prove_secrecy, Ungated("core.masks")),
        (prove_secrecy, faults.READS_AS_IT_CLEARS),
        (prove_secrecy, faults.UNERASED),
        (prove_secrecy, faults.LATE_ROW),
    ),
    "aez-2ts": (
        (prove_order, faults.EARLY_STEPS),
        (prove_order, faults.KEY_AMID_SECTORS),
        (prove_order, faults.ONE_SECTOR_TOO_MANY),
        (prove_secrecy, Ungated("core.result_ring1")),
        (prove_secrecy, faults.READS_ON),
    ),
    "hctr2-any": (
        (prove_stable, faults.RUNS_ON),
        (prove_order, faults.BEAT_WITHOUT_A_PLACE),
        (prove_queues, faults.BEAT_WITHOUT_A_ROW),
        (prove_order, faults.CALL_BEFORE_R),
        (prove_order, faults.STEPS_BEFORE_Z),
        (prove_order, faults.BACK_BEFORE_FRONT),
        (prove_order, faults.RESULT_BEFORE_Y_1),
        *((prove_order, fault) for fault in faults.ENDS_A_BEAT_EARLY.values()),
        (prove_order, faults.OTHER_RUN),
        (prove_queues, faults.TWO_ROWS_AT_ONCE),
        (prove_queues, one_promise_too_many("queue", 32)),
        (prove_order, faults.ANY_STATED_SIZE),
        (prove_rekey, faults.KEY_AMID_SECTORS),
        (prove_secrecy, Ungated("core.result_ring")),
        (prove_secrecy, faults.READS_ON),
    ),
    "xts-enc": (
        (prove_no_paths, faults.READY_WAITS),
        (prove_clearing, faults.ALWAYS_VALID),
        (prove_stable, faults.PAYLOAD_DEPENDS_ON_READY),
        (prove_stable, faults.HEAD_MOVES),
        (prove_queues, one_promise_too_many("tweaks", 13)),
        (prove_secrecy, Ungated("core.results.beats")),
        (prove_rekey, faults.ONE_UNIT_TOO_FEW),
        (prove_rekey, faults.KEY_AMID_SECTORS),
        (prove_secrecy, faults.OTHER_ROW),
        (prove_secrecy, faults.WRITTEN_ON),
    ),
    "xts-both": (
        (prove_queues, faults.REST_WITHOUT_A_PLACE),
        (prove_queues, one_promise_too_many("arrivals", 13)),
        (prove_queues, faults.TWEAK_WITHOUT_A_CALL),
        (prove_rekey, faults.ONE_UNIT_TOO_FEW),
    ),
    "scream": (
        (prove_no_paths, faults.INPUT_WAITS_FOR_OUTPUT),
        (prove_release, faults.UNCOMPARED),
        (prove_release, faults.UNHELD),
        (prove_rekey, faults.KEY_AMID_MESSAGES),
        (prove_secrecy, Ungated("core.buffer.words")),
        (prove_secrecy, faults.HELD_WORDS_ARE_READ),
        (prove_secrecy, faults.TAG_ON_THE_PORT),
    ),
    "aes-gcm": (
        (prove_clearing, faults.OUTPUT_WHILE_CLEARING),
        (prove_stable, faults.WORD_RUNS_ON),
        (prove_stable, faults.TAG_RUNS_ON),
        (prove_release, faults.ANY_HEADER),
        (prove_release, faults.ALWAYS_SUCCESS),
        (prove_release, faults.ANNOUNCED),
        (prove_release, faults.KEPT),
        (prove_release, faults.UNAWAITED),
    ),
    "poet": ((prove_release, faults.UNCOMPARED),),
    "aez5": ((prove_secrecy, Ungated("core.cipher.datapath.rows")),),
}


FEW = ("fast-brw-1s", "eme2-1s", "xts-enc", "scream")
"""A preset of each kind of control: two passes, one pass with a layer between, one pass, messages."""


LONG = [
    ("fast-brw-1s", prove_order),
    ("fast-brw-1s", prove_rekey),
    ("fast-brw-1s", prove_rekey, faults.KEY_AMID_SECTORS),
    ("fast-brw-1s", prove_order, faults.ONE_SECTOR_TOO_EARLY),
    ("fast-brw-1s", prove_stable, faults.RUNS_ON),
    ("xts-enc", prove_rekey, faults.KEY_AMID_SECTORS),
    ("xts-enc", prove_stable, faults.PAYLOAD_DEPENDS_ON_READY),
    ("xts-enc", prove_stable, faults.HEAD_MOVES),
]
"""Proofs of many seconds: of another preset each of these rules is proved in seconds, and has planted faults."""


def slow_but_few(cases):
    cases = list(cases)
    return few_of_many(cases, [case for case in cases if case[0] in FEW and case not in LONG])


def closed(core):
    """Parts that stay closed in the proof of secrecy."""
    return family(core).output(core).closed


@cache
def small(preset):
    return contract(preset, {"data_bytes": 64, "ad_bytes": 48} if preset in SEALED else {"sector_bytes": 160})


@pytest.mark.parametrize(
    "preset, prove", slow_but_few((preset, rule) for preset in PRESETS for rule in PROVED if preset in PROVED[rule])
)
def test_the_rule_is_proved(preset, prove):
    assert prove(small(preset)).gates > 0


@pytest.mark.parametrize(
    "preset, prove, fault",
    slow_but_few((preset, *fault) for preset, each in FAULTS.items() for fault in each),
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_fault_is_not_proved(preset, prove, fault):
    core = small(preset)
    with pytest.raises(NotProved):
        prove(core, broken(flatten(core, closed(core)) if prove is prove_secrecy else flatten(core), fault))


@pytest.mark.parametrize("fault", few_of_many([faults.UNCOMPARED, faults.ALWAYS_SUCCESS, faults.UNAWAITED], []))
def test_success_is_for_verified_messages_where_plaintext_leaves_at_once(fault):
    core = contract("scream", {"data_bytes": 64, "ad_bytes": 48, "release": "at-once"})
    assert prove_release(core).statement.startswith("plaintext leaves UNVERIFIED")
    with pytest.raises(NotProved):
        prove_release(core, broken(flatten(core), fault))


@pytest.mark.parametrize("preset", few_of_many(["eme2-1s", "xts-enc", "scream"], ["xts-enc"]))
def test_secrecy_is_proved_where_a_fault_changes_nothing(preset):
    core = small(preset)
    assert prove_secrecy(core, broken(flatten(core), faults.NO_FAULT)).gates > 0


@cache
def two_stages(preset):
    """The argument needs sectors of more beats than an AES takes cycles: 32 of them."""
    beat = 16 * contract(preset).component.parameters.width
    return contract(preset, {"sector_bytes": 32 * beat, "round_stages": 2})


SLOTTED = {
    "fast-brw-2s-k": {"sector_bytes": 256, "slots": 4, "sbox": "composite"},
    "fast-horner-2s-k": {"sector_bytes": 512, "slots": 4, "sbox": "composite"},
    "eme2-2s-k": {"sector_bytes": 136, "slots": 4, "sbox": "composite"},
    "aez-2ts-k": {"sector_bytes": 128, "slots": 4, "sbox": "composite"},
    "hctr2-2s-k": {"sector_bytes": 496, "slots": 4, "sbox": "composite"},
    "hctr2-any-k": {"sector_bytes": 512, "longest": 512, "slots": 4, "sbox": "composite"},
}
COPYING = (prove_no_paths, prove_clearing, prove_stable, prove_order, prove_secrecy)


@pytest.mark.parametrize(
    "preset, prove",
    few_of_many(list(product(SLOTTED, COPYING)), []),
)
def test_a_core_whose_sectors_take_copies_keeps_the_rules_of_its_family(preset, prove):
    """Secrecy of smaller ones is in the quick tests of sealed sectors."""
    assert prove(contract(preset, SLOTTED[preset])).gates > 0


TWO_STAGES = {
    **dict.fromkeys(("fast-brw-1s", "hmch-brw-3s", "hctr2-1s", "xcb-1s"), faults.EARLY_LANES),
    **dict.fromkeys(("heh-brw-1s", "heh-polys"), faults.EARLY_CALLS),
}


@pytest.mark.slow
@pytest.mark.parametrize("preset, early", TWO_STAGES.items())
def test_two_stages_a_round(preset, early):
    """And faults of them."""
    core = two_stages(preset)
    flat = flatten(core)
    for rule in (prove_no_paths, prove_clearing, prove_stable, prove_order, prove_queues):
        assert rule(core, flat).gates > 0
    for rule, fault in ((prove_order, early), (prove_queues, one_promise_too_many("queue", 32))):
        with pytest.raises(NotProved):
            rule(core, broken(flatten(core), fault))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("hctr2-any-2", {"key_bits": 192}),
        ("hctr2-any-4", {"key_bits": 256, "round_stages": 2}),
        ("hctr2-any", {"longest": 512, "sector_bytes": 500, "mult_stages": 8, "round_stages": 2}),
    ],
)
def test_messages_of_any_length(preset, changes):
    """With each width; a fault of each rule is found."""
    core = contract(preset, changes)
    flat = flatten(core)
    for rule in (prove_no_paths, prove_clearing, prove_stable, prove_order, prove_queues, prove_rekey):
        assert rule(core, flat).gates > 0
    for rule, fault in ((prove_order, faults.ENDS_A_BEAT_EARLY["lane_done"]), (prove_queues, faults.TWO_ROWS_AT_ONCE)):
        with pytest.raises(NotProved):
            rule(core, broken(flat, fault))


def test_a_core_without_overlap_has_no_queue():
    with pytest.raises(NotApplicable, match="no queue: overlap is False"):
        prove_queues(contract("fast-brw-2"))
    for preset in ("fast-brw-2", "heh-brw-1"):
        with pytest.raises(NotApplicable, match="round_stages must be 1"):
            prove_order(contract(preset, {"round_stages": 2}))


@pytest.mark.slow
@pytest.mark.parametrize(("sector_bytes", "round_stages"), [(2064, 1), (2064, 2), (8200, 1)])
def test_order_of_refreshed_masks_and_of_a_rest(sector_bytes, round_stages):
    """One refreshed mask, or three and a rest."""
    core = contract("eme2-1", {"sector_bytes": sector_bytes, "round_stages": round_stages})
    assert prove_order(core).gates > 0
    with pytest.raises(NotProved):
        prove_order(core, broken(flatten(core), faults.UNREFRESHED))


@pytest.mark.parametrize("name", few_of_many(["aes-gcm", "aes-gcm-p"], ["aes-gcm"]))
def test_no_path_in_an_authenticated_cipher(name):
    """A fault is found: ready of the input depends on ready of the output."""
    core = contract(name, {"data_bytes": 64, "ad_bytes": 48})
    assert prove_no_paths(core).gates > 0
    fault = faults.Fault("ready waits", "core.pre.framing.i__ready", "was & out", {"out": "core.post.do__ready"})
    with pytest.raises(NotProved, match="a combinational path leads from do_ready to pdi_ready"):
        prove_no_paths(core, broken(flatten(core), fault))


@pytest.mark.slow
@pytest.mark.parametrize("preset", SEALED)
def test_rules_of_packets(preset):
    """And a fault of each: words that fill a segment up while others come, and ends of packets that are not read."""
    core = contract(preset, {"data_bytes": 64, "ad_bytes": 48, "ports": "axi4-stream"})
    for rule in (prove_no_paths, prove_clearing, prove_stable, prove_release):
        assert rule(core).gates > 0
    for rule, fault in ((prove_stable, faults.FILLED_EARLY), (prove_release, faults.UNREAD_END)):
        with pytest.raises(NotProved):
            rule(core, broken(flatten(core), fault))


def test_rules_that_a_kind_of_core_has_not():
    with pytest.raises(NotApplicable, match="nothing to verify before it leaves: a sector has no tag"):
        prove_release(small("xts-enc"))
    with pytest.raises(NotApplicable, match="room for the longest message"):
        prove_queues(small("scream"))
    with pytest.raises(NotApplicable, match="a message begins after the last one's status was ordered"):
        prove_order(small("scream"))


def test_a_core_without_a_hash_has_no_queue():
    with pytest.raises(NotApplicable, match="no queue: what waits has a place"):
        prove_queues(small("eme2-1"))


def test_a_unit_core_has_no_order():
    with pytest.raises(NotApplicable, match="one chain of queues"):
        prove_order(contract("xts-enc"))


@pytest.mark.slow
def test_blocks_known_last_may_be_in_the_last_beat():
    assert prove_stable(contract("hmch-brw-1", {"sector_bytes": "32"})).gates > 0


@pytest.mark.slow
def test_stable_where_a_queue_fills_its_memory():
    """32 results in 32 rows."""
    core = contract("xts-enc", {"sector_bytes": 64, "key_bits": 256, "round_stages": 2})
    assert core.component.cycles.results == 32 and prove_stable(core).gates > 0


def test_a_rule_about_a_signal_that_is_not_there():
    rule = Rule("nothing", {"gone": "core.gone"}, "always @* assert (!gone);")
    with pytest.raises(
        NotProved, match="^xts_enc_sector_bytes_160: there is no signal core.gone, which the rule names$"
    ):
        prove(small("xts-enc"), rule)


BOTH_FROM_THE_OTHER = "x <= !first_cycle && y; y <= !first_cycle && x;"
BOTH_FROM_AN_INPUT = "x <= !first_cycle && i; y <= !first_cycle && i;"


@pytest.mark.parametrize(
    ("next_values", "part", "proved"),
    [
        (BOTH_FROM_THE_OTHER, "always @* begin assert (!y); end", True),
        (BOTH_FROM_AN_INPUT, "always @* begin assert (!y); end", False),
        (BOTH_FROM_AN_INPUT, "always @* assume (!y);", False),
    ],
)
def test_parts_of_a_rule_prove_each_other_from_cycle_to_cycle_alone(next_values, part, proved):
    """Two parts that fail in the same cycle do not hide each other, nor does what a later part assumes."""
    core = small("xts-enc")
    text = f"reg x, y; always @(posedge {core.shell.clock}) begin {next_values} end always @* begin assert (!x); end"
    rule = Rule("nothing", {"i": "core.entrance.full"}, text, parts=(part,))
    if proved:
        assert prove(core, rule).gates > 0
    else:
        with pytest.raises(NotProved, match="not inductive"):
            prove(core, rule)


UNDER_WAY = {
    "fast-brw-1s": "to_front",
    "hctr2-1s": "to_front",
    "xcb-2s": "to_front",
    "heh-brw-3s": "to_enter",
    "eme2-1s": "to_first",
    "eme2-2s": "to_first",
}


@pytest.mark.parametrize("preset", few_of_many(UNDER_WAY, []))
def test_the_order_of_sectors_leaves_two_under_way_possible(preset):
    """Beside the rule, that it is impossible is not proved: the rule does not contradict itself."""
    core = small(preset)
    rule = _settled(core, family(core).order(core))
    prove(core, rule)
    impossible = rule.beside_last(f"\n      always @* if (!clear) assert ({UNDER_WAY[preset]} < 2);")
    with pytest.raises(NotProved, match="not inductive"):
        prove(core, impossible)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("wire [3:0] x = {i, i}, y = i; reg y;", "declares twice y$"),
        ("wire y = i; input [1:0] z, y;", "declares twice y$"),
        ("wire y = i; wire i = 0;", "declares twice i$"),
        ("reg y; always @* y = i; always @* y = !i;", "two sources"),
        ("wire y = i; assign y = !i;", "two sources"),
    ],
)
def test_a_rule_whose_signal_has_two_sources_is_not_proved(text, named):
    """Yosys takes both as equal; what they contradict, ``i``, would be impossible."""
    rule = Rule("nothing", {"i": "core.entrance.full"}, f"{text} always @* begin assert (y || !y); end")
    with pytest.raises(NotProved, match=named):
        prove(small("xts-enc"), rule)


@pytest.mark.parametrize("rule", ["secrecy", "order"])
def test_a_core_without_a_signal_of_a_rule_is_not_proved(rule):
    """The Verilog of a user who changed it: one line says which signal is missing."""
    core = small("eme2-1s")
    flat = flatten(core)
    name = {"secrecy": "core.exit.erase", "order": "core.first_sector"}[rule]
    changed = Flat(flat.module, re.sub(rf"\\{re.escape(name)}(?=\s)", rf"\\{name}_renamed", flat.rtlil))
    (finding,) = findings(core, (rule,), changed)
    assert finding.result is RuleResult.NOT_PROVED and "there is no signal" in finding.detail


def test_every_family_has_rules():
    assert {scheme.family for scheme in SCHEMES.values()} == set(rules._FAMILIES)


def test_a_family_without_rules_has_none(monkeypatch):
    monkeypatch.setattr(rules, "_FAMILIES", {})
    (finding,) = findings(small("eme2-1s"), ("order",))
    assert finding.result is RuleResult.NONE and "no rules for this family of cores" in finding.detail


def test_findings_say_what_was_not_proved():
    core = small("xts-enc")
    flat = broken(flatten(core), faults.ALWAYS_VALID)
    clearing, order, paths = findings(core, ("clearing", "order", "paths"), flat)
    assert (clearing.result, order.result, paths.result) == (RuleResult.NOT_PROVED, RuleResult.NONE, RuleResult.PROVED)
    assert clearing.proof is None and "not inductive" in clearing.detail
    assert order.proof is None and "chain of queues" in order.detail
    assert paths.proof is not None and paths.proof.gates > 0
    with pytest.raises(ValueError, match="no rule 'beauty'; there are paths, clearing"):
        findings(core, ("beauty",))
