# SPDX-License-Identifier: Apache-2.0
"""``wideblock prove``: results, reasons, exit status, and one line for whatever is wrong."""

import json

import pytest
from typer.testing import CliRunner

from wideblock.cli.app import app
from wideblock.evidence.store import load
from wideblock.verify.formal.findings import RULES
from wideblock.verify.formal.proof import NotProved

pytestmark = pytest.mark.shows("cli")


def run(*arguments):
    return CliRunner().invoke(app, ["prove", *map(str, arguments)], prog_name="wideblock")


def test_rules_that_apply_are_proved_and_others_say_why_not():
    result = run("xts-enc", "--set", "sector_bytes=160", "--rule", "clearing", "--rule", "order", "--json")
    assert result.exit_code == 0, result.output
    value = json.loads(result.stdout)
    clearing, order = value["rules"]
    assert value["proved"] and value["changed"] == {"sector_bytes": 160}
    assert clearing["result"] == "proved" and clearing["proof"]["gates"] > 0
    assert order["result"] == "none" and order["proof"] is None and "queues" in order["detail"]


def test_a_rule_that_is_not_proved_fails_the_command(monkeypatch):
    def fail(core, flat):
        raise NotProved(f"{core.module}: not inductive: nothing leaves")

    monkeypatch.setitem(RULES, "clearing", fail)
    result = run("xts-enc", "--set", "sector_bytes=160", "--rule", "clearing", "--rule", "order")
    assert result.exit_code == 1
    assert "NOT PROVED" in result.stdout and "not inductive: nothing leaves" in result.stdout
    assert result.stderr == "wideblock: xts_enc_sector_bytes_160: not proved: clearing\n"


def test_several_presets_and_the_store(tmp_path):
    store = tmp_path / "evidence.jsonl"
    result = run("xts-enc", "fast-horner-1", "--rule", "order", "--set", "sector_bytes=64", "--json", "--store", store)
    assert result.exit_code == 0, result.output
    assert [(each["preset"], each["proved"]) for each in json.loads(result.stdout)] == [
        ("xts-enc", False),  # a rule that does not apply proves nothing
        ("fast-horner-1", True),
    ]
    first, second = load(store)
    assert (first.name, first.subject, first.outcome) == ("xts-enc sector_bytes=64", "order", "none")
    assert second.core == "fast-horner-1" and second.method == {"netlist": None}


def test_constant_time_of_a_netlist_says_why_there_is_none():
    result = run("scream", "--netlist", "xc7", "--json")
    assert result.exit_code == 2, result.output
    value = json.loads(result.stdout)
    assert not value["proved"]
    (timing,) = value["rules"]
    assert timing["result"] == "none" and "synthesis encodes pre.framing.role anew" in timing["detail"]


@pytest.mark.parametrize(
    "arguments, says",
    [
        ((), "no preset is given; name one or say --all"),
        (("xts-enc", "--netlist", "xc7", "--rule", "order"), "no rule 'order' about netlists; there are timing"),
        (("xts-enc", "--rule", "beauty"), "no rule 'beauty'; there are paths, clearing, stable, queues, order"),
        (("xts-end",), "xts-end"),
        (("xts-enc", "--set", "sector_bytes=1"), "1"),
    ],
)
def test_bad_input_is_one_line(arguments, says):
    result = run(*arguments)
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith("wideblock: ") and says in result.stderr and result.stderr.count("\n") == 1
