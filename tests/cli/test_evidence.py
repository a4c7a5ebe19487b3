# SPDX-License-Identifier: Apache-2.0
"""``wideblock evidence``: the plan, a renewal that is stored, and one line for whatever is wrong."""

import json

import pytest
from typer.testing import CliRunner

from wideblock.cli.app import app
from wideblock.cli.evidence import KINDS
from wideblock.evidence import today
from wideblock.evidence.store import load
from wideblock.renewal import plan as module
from wideblock.synth.process import FlowError

from ..renewal.conftest import Toy

pytestmark = pytest.mark.shows("cli")


def run(*arguments):
    return CliRunner().invoke(app, ["evidence", *map(str, arguments)], prog_name="wideblock")


@pytest.fixture
def toy(monkeypatch):
    """A kind of evidence that costs nothing, in the place of all others."""
    made = Toy()
    monkeypatch.setattr(module, "RENEWERS", (made,))
    return made


def test_a_renewal_answers_what_the_plan_says(tmp_path, toy):
    store = tmp_path / "evidence.jsonl"
    about = ("xts-enc", "--kind", "proof", "--store", store)
    plan = json.loads(run(*about, "--plan", "--json").stdout)
    expected = {"kind": "proof", "core": "xts-enc", "subjects": ["order", "timing"], "seconds": 14.0, "known": False}
    assert plan["tasks"] == [expected | {"blocked": None}]
    assert plan["counts"] == {"proof": {"wanted": 2, "today": 0, "old": 0, "missing": 2}} and not store.exists()
    assert run(*about, "--check").exit_code == 1 and not store.exists()
    left = run(*about, "--minutes", 0)
    assert left.exit_code == 0 and f"0 results: 0 passed, 0 failed, 0 none; 1 runs left: {store}" in left.stdout
    done = run(*about)
    assert done.exit_code == 0 and "2 results: 2 passed" in done.stdout, done.output
    assert today.listed(store)["circuits"] == {"xts-enc": "1:xts-enc"} and len(load(store)) == 2
    plan = json.loads(run(*about, "--plan", "--json").stdout)
    assert plan["tasks"] == [] and plan["counts"]["proof"]["today"] == 2
    assert run(*about, "--check").exit_code == 0
    toy.rules = "other rules"
    toy.raising = {3: FlowError("Yosys failed: no memory")}
    failed = run(*about)
    assert failed.exit_code == 1 and failed.stderr.endswith("proof of xts-enc: Yosys failed: no memory\n")


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("xts-end",), "xts-end"),
        (("--kind", "rumour"), f"no kind 'rumour' of evidence can be renewed; there are {', '.join(KINDS)}"),
    ],
)
def test_bad_input_is_one_line(arguments, says):
    result = run(*arguments)
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith("wideblock: ") and says in result.stderr and result.stderr.count("\n") == 1
