# SPDX-License-Identifier: Apache-2.0
"""``wideblock verify`` of several presets: every report, one exit status."""

import json

import pytest
from typer.testing import CliRunner

from wideblock import catalog
from wideblock.cli import verify
from wideblock.cli.app import app
from wideblock.verify.core.report import Checked, Outcome, Report

pytestmark = pytest.mark.shows("cli")


def run(*arguments):
    return CliRunner().invoke(app, ["verify", *map(str, arguments)], prog_name="wideblock")


@pytest.fixture
def judged(monkeypatch):
    """Presets whose core fails; no model is built."""
    failing = set()

    def checked(core, judge, netlist, names, wave, options):
        wrong = core.name in failing
        outcome = Outcome.FAILED if wrong else Outcome.PASSED
        check = Checked("resets", outcome, "tried", 1, 2, 0.5, "Sector 3 differs." if wrong else None)
        return Report(core.module, options["seed"], [check], 0.5), None

    monkeypatch.setattr(verify, "checked", checked)
    return failing


def test_every_preset(judged):
    result = run("--all", "--json")
    assert result.exit_code == 0, result.output
    assert [report["preset"] for report in json.loads(result.stdout)] == list(catalog.PRESETS)


def test_those_after_a_failure_are_verified_too(judged):
    judged.add("heh-brw-1")
    result = run("xts-enc", "heh-brw-1", "fast-brw-1", "--set", "sector_bytes=256")
    assert result.exit_code == 1
    assert all(f"{name}_sector_bytes_256" in result.stdout for name in ("xts_enc", "heh_brw_1", "fast_brw_1"))
    assert result.stderr == "wideblock: heh_brw_1_sector_bytes_256 fails 'resets': Sector 3 differs.\n"


@pytest.mark.parametrize(
    "arguments, says",
    [
        ((), "no preset is given; name one or say --all"),
        (("xts-enc", "xts-end"), "xts-end"),
        (("xts-enc", "xts-dec", "--wave", "a.vcd"), "--wave is for one preset, got 2"),
        (("scream", "--files", ".", "--check", "key words"), "leave out --check, --wave and --judge"),
        (("xts-enc", "scream", "--check", "cycle contract", "--check", "luck"), "no check 'luck', there are "),
        (("xts-enc", "scream", "--check", "key words"), "no check 'key words', there are 'known answers', "),
    ],
)
def test_bad_input_is_one_line(judged, arguments, says):
    result = run(*arguments)
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith("wideblock: ") and says in result.stderr and result.stderr.count("\n") == 1


def test_a_waveform_needs_a_place_and_replaces_nothing(judged, tmp_path):
    wave = tmp_path / "new" / "a.vcd"
    assert "/proc/a.vcd: no such file" in run("xts-enc", "--wave", "/proc/a.vcd").stderr
    assert run("xts-enc", "--wave", wave).exit_code == 0 and wave.parent.is_dir()
    wave.write_text("of the user")
    assert "a.vcd exists; choose another file or give --force" in run("xts-enc", "--wave", wave).stderr
    assert run("xts-enc", "--wave", wave, "--force").exit_code == 0
