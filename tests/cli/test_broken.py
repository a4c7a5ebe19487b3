# SPDX-License-Identifier: Apache-2.0
"""A scheme whose status is broken: refused unless accepted, said plainly, and attacked."""

import json
import os
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from wideblock import catalog
from wideblock.cli import attack as cli
from wideblock.cli.app import app
from wideblock.drive.sector.shape import shape
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.export.contract import contract
from wideblock.export.fusesoc import fusesoc

from ..variants import few_of_many

pytestmark = pytest.mark.shows("broken-schemes")

KEY = "000102030405060708090a0b0c0d0e0f"
# a core whose model tests/rtl/tes/test_xcb.py builds, too
CHANGES = {"sector_bytes": 48, "sbox": "composite", "tweak_bytes": 32}
BROKEN = ("xcb-1", *(word for name, value in CHANGES.items() for word in ("--set", f"{name}={value}")))


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], prog_name="wideblock")


def refused(*arguments):
    """The one line on stderr of a command that must fail."""
    result = run(*arguments)
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith("wideblock: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr


class Specified:
    """The specification in the place of a simulation."""

    def __init__(self, core, options=None):
        self.core, self.shape = core, shape(core)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def load_key(self, key):
        self.under = self.core.specification(key)

    def run(self, sectors, tweaks, decrypt):
        function = self.under.decrypt if decrypt else self.under.encrypt
        results = [function(*pair) for pair in zip(tweaks, sectors, strict=True)]
        return SimpleNamespace(sectors=[np.frombuffer(result, np.uint8) for result in results])


@pytest.fixture(params=few_of_many(["simulation", "specification"], ["specification"]))
def attacked(monkeypatch, request):
    """Attacks run on the model that the checks of the core run on, built once; or on the specification."""
    usual = {"simulation": lambda core, options: SectorSimulation(core), "specification": Specified}
    monkeypatch.setattr(cli, "SectorSimulation", usual[request.param])


def images(tmp_path):
    (tmp_path / "image").write_bytes(bytes(range(96)))
    return "--key", KEY, "--engine", "spec", "--in", tmp_path / "image", "--out", tmp_path / "out"


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "generate", "demo"])
def test_refused_in_one_line_that_has_reason_source_and_flag(command, tmp_path):
    files = {"generate": ("-o", tmp_path / "out"), "demo": ()}.get(command, images(tmp_path))
    preset = ("--preset", "xcb-1") if command == "demo" else BROKEN
    says = refused(command, *preset, *files)
    assert "XCB is broken" in says and "ePrint 2024/1554" in says and "--accept-broken" in says
    assert not (tmp_path / "out").exists()


def test_accepted_it_encrypts_and_decrypts(tmp_path):
    arguments = images(tmp_path)
    assert run("encrypt", *BROKEN, *arguments, "--accept-broken").exit_code == 0
    assert (tmp_path / "out").read_bytes() != bytes(range(96))
    os.replace(tmp_path / "out", tmp_path / "image")
    assert run("decrypt", *BROKEN, *arguments, "--accept-broken").exit_code == 0
    assert (tmp_path / "out").read_bytes() == bytes(range(96))


def test_every_exported_text_says_it():
    core = contract("xcb-1", {"sector_bytes": 48})
    assert "BROKEN, not to protect data: XCB" in fusesoc(core, bench=False)
    assert "// BROKEN, not to protect data: XCB" in core.header and "XCB is broken and must not" in core.header
    assert "wideblock generate xcb-1 --set sector_bytes=48 --accept-broken -o DIR" in core.header
    assert "BROKEN" not in contract("fast-brw-1").header and "--accept" not in contract("fast-brw-1").header


def test_list_and_info_show_the_status():
    rows = {row["preset"]: row for row in json.loads(run("list", "--json").stdout)}
    assert rows["xcb-1"]["status"] == "broken" and rows["fast-brw-1"]["status"] == "recommended"
    assert "Security of XCB (broken)" in run("list").output
    assert "Security (broken): XCB is broken" in run("info", "xcb-1").output


@pytest.mark.shows("cli")
@pytest.mark.usefixtures("attacked")
def test_the_attacks_recover_the_sector():
    result = run("attack", *BROKEN, "--seed", 5, "--json")
    assert result.exit_code == 0, result.output
    part, whole = json.loads(result.stdout)["attacks"]
    assert part["plaintext"] == whole["plaintext"] == whole["recovered"]
    assert part["recovered"] == part["plaintext"][:64]
    assert [len(attack["queries"]) for attack in (part, whole)] == [2, 3] and part["equal"] and whole["equal"]
    core = contract("xcb-1", CHANGES)
    assert len(part["ciphertext"]) == 2 * core.parameters.sector_bytes
    text = run("attack", *BROKEN, "--seed", 5).stdout
    assert part["ciphertext"][:16] in text and part["recovered"][:16] in text
    assert "32 of 48 bytes recovered, equal to the plaintext" in text
    assert "48 of 48 bytes recovered, equal to the plaintext" in text


@pytest.mark.usefixtures("attacked")
def test_an_attack_that_fails_is_exit_status_1(monkeypatch):
    wrong = catalog.Attack("wrong", "", lambda encrypt, decrypt, tweak, ciphertext: encrypt(tweak, ciphertext))
    core = contract("xcb-1", CHANGES)
    preset = replace(core.preset, scheme=replace(core.preset.scheme, attacks=(wrong,)))
    monkeypatch.setattr(cli, "contract", lambda name, changes: replace(core, preset=preset))
    result = run("attack", *BROKEN)
    assert result.exit_code == 1 and "48 of 48 bytes recovered, MISMATCH" in result.stdout


def test_no_attack_is_one_line():
    says = refused("attack", "hctr2-1")
    assert says == "wideblock: no attack that recovers plaintext is known to the catalogue for hctr2-1\n"
