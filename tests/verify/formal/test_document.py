# SPDX-License-Identifier: Apache-2.0
"""The store of proofs, and the document that is made from it."""

from dataclasses import replace

import pytest

from wideblock.catalog import PRESETS
from wideblock.errors import UserError
from wideblock.verify.formal.document import FACTS, about, document
from wideblock.verify.formal.record import ProofRecord, load, save
from wideblock.verify.formal.stream import RULES

pytestmark = pytest.mark.shows("proofs-document")

PROVED = ProofRecord(
    preset="xts-enc",
    changed={},
    target=None,
    rule="timing",
    result="proved",
    detail="no bit matters; declared: i.last: lengths are public",
    method="cone",
    gates=7,
    seconds=1.25,
    date="2026-01-02",
    commit="abc",
    tools=["Yosys 1"],
)


def test_every_rule_is_described():
    for rule in RULES:
        assert set(about()[rule]) == set(FACTS) and all(about()[rule].values())


def test_a_new_result_replaces_the_one_of_the_same_core_and_rule(tmp_path):
    store = tmp_path / "proofs.jsonl"
    mapped = replace(PROVED, target="xc7", changed={"sector_bytes": 32})
    save(store, [PROVED, mapped])
    save(store, [replace(PROVED, seconds=2.0), replace(PROVED, rule="order", result="none", detail="a chain")])
    found = load(store)
    assert len(found) == 3 and mapped in found
    assert [record.seconds for record in found if record.rule == "timing" and not record.target] == [2.0]


def test_a_line_that_is_no_record(tmp_path):
    store = tmp_path / "proofs.jsonl"
    store.write_text('{"preset": "xts-enc"}\n')
    with pytest.raises(UserError, match="proofs.jsonl, line 1 is no record of a proof"):
        load(store)


def test_the_document_says_what_is_recorded_and_what_is_not():
    failed = replace(PROVED, preset="xts-dec", result="NOT PROVED", detail="fault depends on s_axis_tuser[9]")
    mapped = replace(PROVED, target="xc7", changed={"sector_bytes": 32})
    text = document([PROVED, failed, mapped])
    assert text.count("## ") == len(RULES)
    timing = text[text.index("## timing") :]
    assert f"of {len(PRESETS)} presets: proved 1, NOT PROVED 1; not recorded {len(PRESETS) - 2}: aes-gcm, " in timing
    assert "2026-01-02, commit abc; Yosys 1" in timing
    assert (
        "| xts-enc (1.2), xts-enc sector_bytes=32, netlist for xc7 (1.2) | proved | i.last: lengths are public |"
        in timing
    )
    assert "| xts-dec (1.2) | NOT PROVED | fault depends on s_axis_tuser[9] |" in timing
    assert f"of {len(PRESETS)} presets: none recorded" in text[: text.index("## timing")]
