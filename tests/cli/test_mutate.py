# SPDX-License-Identifier: Apache-2.0
"""``wideblock mutate``: the score, the survivors, exit status, and one line for whatever is wrong."""

import json

import pytest
from typer.testing import CliRunner

from wideblock.cli import mutate
from wideblock.cli.app import app
from wideblock.verify.mutation.mutants import Mutant
from wideblock.verify.mutation.score import Score
from wideblock.verify.mutation.trial import Trial

pytestmark = pytest.mark.shows("cli")


def run(*arguments):
    return CliRunner().invoke(app, ["mutate", *map(str, arguments)], prog_name="wideblock")


@pytest.fixture
def scored(monkeypatch):
    """A score of three mutants: one killed, one survivor, one that is none."""
    mutants = [
        Mutant(k, "invert", "core.exit", "and.Y[0] (x[0])", 10 + k, f"assign x[{k}] = a & b;") for k in (1, 2, 3)
    ]
    trials = (Trial(1, "random sectors", "wrong", 0.1), Trial(2, None, "", 0.5), None)
    found = Score("core", 0, tuple(zip(mutants, trials, strict=True)))
    monkeypatch.setattr(mutate, "score", lambda core, **options: found)


def test_survivors_are_shown_and_equivalent_mutants_not_counted(scored):
    result = run("xts-enc")
    assert result.exit_code == 0, result.output
    assert "survived: 2: invert and.Y[0] (x[0]) in core.exit, line 12: assign x[2] = a & b;" in result.stdout
    assert "score: 1 of 2, 50.0 %" in result.stdout and "killed by: random sectors 1" in result.stdout


def test_any_kind_of_core(scored):
    assert "score: 1 of 2, 50.0 %" in run("scream").stdout


def test_json(scored):
    value = json.loads(run("xts-enc", "--json").stdout)
    assert (value["mutants"], value["killed"], value["score"]) == (3, 1, 0.5)
    assert [m["line"] for m in value["survivors"]] == [12] and [m["line"] for m in value["equivalent"]] == [13]


def test_a_score_that_is_too_low(scored):
    assert run("xts-enc", "--least", 50).exit_code == 0
    result = run("xts-enc", "--least", 95)
    assert result.exit_code == 1
    assert result.stderr == "wideblock: xts_enc: score 50.0 %, less than 95 %\n"


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("xts-enc", "--kind", "rust"), "no kind of mutation 'rust'; there are invert"),
        (("xts-end",), "xts-end"),
        (("xts-enc", "--mutants", "70000"), "mutants must be from 1 to 65535, got 70000"),
    ],
)
def test_bad_input_is_one_line(arguments, says):
    result = run(*arguments)
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith("wideblock: ") and says in result.stderr and result.stderr.count("\n") == 1
