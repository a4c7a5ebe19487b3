# SPDX-License-Identifier: Apache-2.0
"""Rules of standards: each names tests that exist, and stands in the datasheets and in the security policy."""

import ast
from pathlib import Path

import pytest

from wideblock import catalog
from wideblock.export import aead, sector
from wideblock.export.compliance import STATES, standard_rules
from wideblock.export.contract import contract
from wideblock.export.markdown import table

pytestmark = pytest.mark.shows("known-answers")

ROOT = Path(__file__).parents[2]
RULES = standard_rules()


def missing(tests):
    """Those of the ids whose file or function there is not."""
    found = []
    for test in tests:
        path, _, name = test.partition("::")
        file = ROOT / path
        tree = ast.parse(file.read_text()) if file.is_file() else ast.Module([], [])
        if name not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
            found.append(test)
    return found


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.standard}: {rule.text}")
def test_every_rule_names_tests_that_exist(rule):
    assert rule.tests and missing([*rule.tests, *rule.engine]) == []
    assert rule.state in ("core", "user") and rule.schemes and set(rule.schemes) <= set(catalog.SCHEMES)


def test_a_test_that_is_gone_is_found():
    here = "tests/export/test_compliance.py"
    gone = [f"{here}::test_gone", "tests/export/test_gone.py::test_it", f"{here}"]
    assert missing([f"{here}::missing", *gone]) == gone


def test_standards_are_these():
    assert {rule.standard for rule in RULES} == {
        *("IEEE 1619-2025", "NIST SP 800-38E Rev. 1, draft", "FIPS 140-3 IG C.I", "NIST SP 800-38D"),
    }


@pytest.mark.parametrize(("preset", "kind"), [("xts-enc", sector), ("aes-gcm", aead), ("aes-gcm-p", aead)])
def test_what_the_user_must_keep_is_stated(preset, kind):
    core = contract(preset)
    sheet = kind.datasheet(core)
    rules = [rule for rule in RULES if core.preset.scheme.name in rule.schemes]
    assert rules and all(f"| {rule.standard} | {rule.text} | " in sheet for rule in rules)
    assert sheet.count("for the user to keep") == sum(rule.state == "user" for rule in rules) > 0


def test_an_engine_keeps_the_limit_of_blocks():
    """The table says what the section on limits says of the same core."""
    sheet = sector.datasheet(contract("xts-2-k", {"registers": "axi4-lite", "slots": 4}))
    rows = [line for line in sheet.splitlines() if "| A key enciphers at most 2^44 blocks. |" in line]
    assert len(rows) == 2 and all(row.endswith("| kept by the engine |") for row in rows)
    assert "From LIMIT on, 2^44 blocks after reset, it refuses" in sheet and "tests/" not in sheet


def test_a_scheme_without_a_standard_has_no_table():
    sheet = sector.datasheet(contract("heh-poly", {"sector_bytes": 64}))
    assert "## Compliance" not in sheet and "No standard states a limit for this scheme" in sheet


def test_limits_are_those_of_the_contract():
    core = contract("xts-enc", {"sector_bytes": 64})
    sheet, t = sector.datasheet(core), core.timing
    assert f"back to back, take {t.interval} cycles each, {8 * 64 / t.interval:.1f} bits a cycle of 128." in sheet
    assert f"takes {core.behaviour.length.partial} cycles more" in sheet and "1048576 at most" in sheet
    assert f"no sector is accepted for {t.preparation} cycles after a key" in sheet
    assert "MHz" not in sheet


def test_longest_messages_of_gcm_are_within_the_standard():
    for preset in ("aes-gcm", "aes-gcm-p"):
        for release in ("verified", "at-once"):
            longest = contract(preset, {"data_bytes": 65_535, "ad_bytes": 65_535, "release": release}).behaviour
            assert 8 * longest.longest(decrypt=False) <= 2**39 - 256 and 8 * longest.longest_ad <= 2**64 - 1
        with pytest.raises(ValueError, match="data_bytes"):
            contract(preset, {"data_bytes": 2**36})


def test_a_choice_that_breaks_a_rule_is_in_the_datasheet():
    row = "| NIST SP 800-38D | No plaintext is given before its tag was found right. | "
    assert f"{row}NOT KEPT: release=at-once |" in aead.datasheet(contract("aes-gcm", {"release": "at-once"}))
    assert f"{row}kept by the core |" in aead.datasheet(contract("aes-gcm"))


def policy_table() -> str:
    """Every rule with the tests that show it, and the schemes that it is for, as a Markdown table."""
    rows = []
    for rule in RULES:
        engine = f"; {STATES['engine']}, if there is one" if rule.engine else ""
        engine += f", unless `{rule.unless}`" if rule.unless else ""
        shown = ", ".join(f"`{test}`" for test in (*rule.tests, *rule.engine))
        rows.append((rule.standard, rule.text, STATES[rule.state] + engine, shown, ", ".join(rule.schemes)))
    return table(("standard", "rule", "state", "shown by", "schemes"), rows)


def test_the_security_policy_has_every_rule():
    assert policy_table() in (ROOT / "SECURITY.md").read_text()
