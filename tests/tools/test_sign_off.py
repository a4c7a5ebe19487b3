# SPDX-License-Identifier: Apache-2.0
"""Stages of sign-off follow from evidence: each demand is met by what it names, and by nothing less."""

from dataclasses import replace

import pytest

from tools import sign_off
from tools.sign_off import DEMANDS, document, held, rules, stage, summary
from wideblock import catalog
from wideblock.evidence.record import Evidence

from ..renewal.conftest import evidence

pytestmark = pytest.mark.shows("evaluation", "documents")

NAME = "xts-enc"
PRESET = catalog.PRESETS[NAME]
AREA = {"area": 1234, "unit": "LC"}
CHECKS = {"checks": {"known answers": ["passed", 4, 9, "4"]}, "messages": 300, "cycles": 9000, "difference": None}
SCORE = {"killed": 8, "mutants": 11, "equivalent": 1}
RESULTS = {
    "cycles": evidence(NAME, "cycles", kind="measure", result={"stated": {"interval": 257}}),
    "area": evidence(NAME, "xc7", kind="area", result=AREA),
    "clock": evidence(NAME, "ecp5", kind="clock", changed={"sbox": "norm"}, result=AREA | {"clock": {"mhz": 190.4}}),
    "known answers": evidence(NAME, "checks", kind="verify", method={"amount": 256}, result=CHECKS),
    "checks": evidence(NAME, "checks", kind="verify", method={"amount": 256}, result=CHECKS),
    "rules": evidence(NAME, "timing"),
    "mutants": evidence("xts-2", "mutants", kind="mutation", changed={"sector_bytes": 96}, result=SCORE),
}
LESS = {
    "area": [{"subject": "ecp5"}, {"changed": {"key_bits": 256}}],
    "clock": [{"changed": {"key_bits": 256}}, {"core": "xts-dec"}],
    "known answers": [{"result": CHECKS | {"checks": {"known answers": ["none", 0, 0, "there are none"]}}}],
    "checks": [{"method": {"amount": 255}}, {"outcome": "failed"}],
    "rules": [{"subject": "secrecy"}, {"method": {"netlist": "xc7"}}, {"outcome": "failed"}],
    "mutants": [{"core": "xts-enc-k"}, {"core": "eme2-1"}, {"result": SCORE | {"killed": 7}}],
}


def demand(name):
    (found,) = (each for each in DEMANDS if each.name == name)
    return replace(found, subjects=found.subjects[:1] if name != "rules" else ("timing",))


@pytest.mark.parametrize("name", RESULTS)
def test_a_demand_is_met_by_its_evidence_and_by_nothing_less(name):
    wanted, result = demand(name), RESULTS[name]
    assert held(wanted, PRESET, [result]).met
    assert held(wanted, PRESET, []).text == "missing"
    others = [each for other, each in RESULTS.items() if each.kind != result.kind]
    assert not held(wanted, PRESET, others).met
    for less in LESS.get(name, []):
        assert not held(wanted, PRESET, [replace(result, **less)]).met, less


def test_a_kind_that_has_no_words_of_its_own_is_a_query_too():
    """Coverage gives its numbers by name."""
    coverage = object.__new__(Evidence)
    fields = vars(RESULTS["mutants"]) | {
        "kind": "coverage",
        "result": {"lines": [90, 1000], "share_hit": 97.5, "open": ["a"]},
    }
    vars(coverage).update(fields)
    assert (
        held(demand("coverage"), PRESET, [coverage]).text == "lines 90 of 1,000, share hit 97.5, xts-2 sector_bytes=96"
    )


def test_a_stage_needs_those_below_it():
    yes, no = (sign_off.Standing(met, (), "") for met in (True, False))
    names = [each.stage for each in DEMANDS]
    for missing, d, v in (
        ("", "D3", "V3"),
        ("D2", "D1", "V3"),
        ("D1", "-", "V3"),
        ("V3", "D3", "V2"),
        ("V1", "D3", "-"),
    ):
        row = [no if name == missing else yes for name in names]
        assert (stage("D", row), stage("V", row)) == (d, v), missing


def test_the_page_says_what_is_missing_and_by_which_evidence_the_rest_holds(monkeypatch):
    monkeypatch.setattr(sign_off, "today", {NAME: f"1:{NAME}"}.get)
    found = [replace(RESULTS["area"], code=None, date="2026-01-02", commit="0123456789ab"), RESULTS["cycles"]]
    now = sign_off.current([*found, replace(found[0], subject="xc5v", circuit="1:older")])
    assert now == found[:1]  # the digest of the checks is not that of the code
    text = document(now)
    assert f"| D2 | area | as it ships: an area on 7 series | area | 1 of {len(catalog.PRESETS)} |" in text
    row = f"| `{NAME}` | - | - | missing | 1,234 LC | {'missing | ' * 6}2026-01-02 | 0123456 |"
    assert row in text and text.count("1,234 LC") == 1
    none, one = (f"- **{count} of {len(catalog.PRESETS)} presets** take exactly" for count in (0, 1))
    assert none in summary(now) and one in summary([replace(RESULTS["cycles"], core=NAME)])


def test_rules_are_counted_by_outcome():
    other = replace(RESULTS["rules"], core="xts-2", outcome="none")
    text = rules([RESULTS["rules"], replace(RESULTS["rules"], changed={"sector_bytes": 96}), other])
    (line,) = (line for line in text.splitlines() if line.startswith("| [timing]"))
    assert line.endswith(f" | 1 | 0 | 1 | {len(catalog.PRESETS) - 2} |")
