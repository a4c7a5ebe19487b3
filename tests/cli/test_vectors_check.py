# SPDX-License-Identifier: Apache-2.0
"""``wideblock vectors check``: counts, reasons, responses, exit status."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wideblock.cli.app import app
from wideblock.image import cases

pytestmark = pytest.mark.shows("cli", "files-of-vectors")

SAMPLES = Path(__file__).parents[1] / "vectors" / "samples"


def run(*arguments):
    words = ["vectors", "check", *(str(SAMPLES / a) if "." in str(a) else str(a) for a in arguments)]
    return CliRunner().invoke(app, words, prog_name="wideblock")


def test_counts_and_reasons():
    done = run("XTSGen.rsp", "aes_xts_test.json", "HCTR2.json")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert done.exit_code == 0 and done.stderr == ""
    assert [(Path(row[0]).name, *row[1:]) for row in rows[2:5]] == [
        ("XTSGen.rsp", "8", "0", "1"),
        ("aes_xts_test.json", "4", "0", "2"),
        ("HCTR2.json", "5", "0", "0"),
    ]
    assert "skipped 1: a data unit of 130 bits is not whole bytes" in done.stdout


def test_json():
    done = run("gcmDecrypt.rsp", "--json")
    content = json.loads(done.stdout)
    assert content["engine"] == "spec" and [case["verdict"] for case in content["cases"]] == ["passed"] * 6


def test_a_case_that_fails(tmp_path):
    text = (SAMPLES / "XTSGen.rsp").read_text().replace("CT = 778ae8", "CT = 778be8", 1)
    (tmp_path / "wrong.rsp").write_text(text)
    done = run(tmp_path / "wrong.rsp")
    assert done.exit_code == 1
    right = "encrypts to 8ae8b43cb98d5a825081d5be471c63 from byte 1 on, right is 8be8b43cb98d5a825081d5be471c63"
    assert done.stderr == f"wideblock: {tmp_path}/wrong.rsp, line 5: {right}\n"


def test_a_case_of_the_first_of_several_sets_that_fails(tmp_path):
    """Clients of ACVP keep all sets of a session in one file."""
    for part in ("prompt", "results"):
        (_, xts), gcm = (json.loads((SAMPLES / f"acvp_{name}_{part}.json").read_text()) for name in ("xts", "gcm"))
        if part == "results":
            gcm["testGroups"][0]["tests"][0]["tag"] = "00000000"
        (tmp_path / f"{part}.json").write_text(json.dumps([{"jwt": "x.y.z"}, gcm, xts]))
    done = run(tmp_path / "prompt.json", tmp_path / "results.json")
    assert done.exit_code == 1
    assert done.stderr.startswith(
        f"wideblock: {tmp_path}/prompt.json, set 1, case 1: encrypts to b1d42652 from byte 15"
    )


def test_the_failures_that_are_shown_are_few(tmp_path, monkeypatch):
    monkeypatch.setattr("wideblock.cli.vectors_check.SHOWN", 2)
    monkeypatch.setattr(cases, "_by_specification", lambda case, decrypt: b"")
    done = run("HCTR2.json")
    assert done.exit_code == 1 and len(done.stderr.splitlines()) == 3
    assert done.stderr.endswith("wideblock: 3 more cases failed\n")


def test_response(tmp_path):
    target = tmp_path / "response"
    done = run("acvp_gcm_prompt.json", "--response", target)
    assert done.exit_code == 0 and "skipped 7: the files do not say the right result" in done.stdout
    assert json.loads(target.read_text()) == json.loads((SAMPLES / "acvp_gcm_results.json").read_text())
    target.write_text("old")
    again = run("acvp_gcm_prompt.json", "--response", target)
    assert again.exit_code == 2 and "response" in again.stderr and target.read_text() == "old"
    assert run("acvp_gcm_prompt.json", "--response", target, "--force").exit_code == 0 and target.read_text() != "old"


def test_no_response_is_written_by_halves(tmp_path):
    done = run("acvp_xts_prompt.json", "--response", tmp_path / "response")
    assert done.exit_code == 1 and done.stderr.endswith("acvp_xts_prompt.json: case 4 has no answer\n")
    done = run("HCTR2.json", "--response", tmp_path / "response")
    assert done.stderr == "wideblock: --response answers one file with prompts of ACVP, got 0\n"
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_check():
    done = run("acvp_gcm_prompt.json")
    assert done.exit_code == 2 and done.stderr == "wideblock: no case could be checked\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["none.rsp"], 2, "none.rsp: no such file or directory"),
        (["HCTR2.json", "--engine", "fpga"], 1, "engine must be one of 'native', 'rtl', 'spec'"),
        (["acvp_gcm_results.json"], 1, "without their questions; give the prompt file, too"),
        ([], 1, "missing argument 'FILE"),
    ],
)
def test_a_wrong_request_is_one_line(arguments, status, message):
    done = run(*arguments)
    assert done.exit_code == status and message in done.stderr and done.stderr.count("\n") == 1
