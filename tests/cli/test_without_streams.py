# SPDX-License-Identifier: Apache-2.0
"""A core that traffic cannot drive, for a master or for a clock of its buses: all else is as of the core inside."""

from functools import cache

import pytest
from typer.testing import CliRunner

from wideblock import UserError, preset
from wideblock.cli import generate
from wideblock.cli.app import app
from wideblock.evidence.stated import stated

pytestmark = pytest.mark.shows("dma")

INSIDE = {"registers": "axi4-lite", "slots": 8, "sector_bytes": 64, "sbox": "composite"}
KEY, TWEAK, SECTOR = bytes(range(64)), bytes(range(16)), bytes(range(64))


@cache
def cores(change):
    inside = preset("xts-both-k").changed(**INSIDE)
    return inside.changed(**dict([change.split("=")])), inside


@pytest.mark.parametrize("change", ["dma=axi4", "bus_clock=own"])
@pytest.mark.parametrize(
    "asked",
    [
        lambda core: core.specification(KEY).encrypt(TWEAK, SECTOR),
        lambda core: core.specification(KEY).decrypt(TWEAK, SECTOR),
        lambda core: core.native(KEY).encrypt(TWEAK, SECTOR),
        lambda core: core.native(KEY).decrypt_sectors(4 * SECTOR),
        lambda core: core.contract.known_answers,
        lambda core: core.cycles,
        lambda core: len(stated(core.contract)),
    ],
)
def test_calls_of_the_api_have_the_same_result(change, asked):
    core, inside = cores(change)
    assert asked(core) == asked(inside)


@pytest.mark.parametrize("change", ["dma=axi4", "bus_clock=own"])
@pytest.mark.parametrize(
    "asked, said",
    [
        (lambda core: core.specification(KEY[1:]), "key must be 64 bytes"),
        (lambda core: core.specification(KEY).encrypt(TWEAK[1:], SECTOR), "tweak must be 16 bytes"),
        (lambda core: core.native(KEY).encrypt(TWEAK, SECTOR[:15]), "sector must be"),
        (lambda core: core.simulate(KEY), "traffic is for the engine with"),
        (lambda core: core.verify(), "traffic is for the engine with"),
    ],
)
def test_calls_of_the_api_are_refused(change, asked, said):
    with pytest.raises(UserError, match=said):
        asked(cores(change)[0])


@pytest.mark.parametrize("change", ["dma=axi4", "bus_clock=own"])
@pytest.mark.parametrize("command", ["encrypt", "encrypt spec", "encrypt rtl", "attack", "measure", "verify", "mutate"])
def test_commands_do_their_work_or_refuse_in_a_line(tmp_path, change, command):
    settings = (*(f"{name}={value}" for name, value in INSIDE.items()), change)
    core = ("xts-both-k", *(word for each in settings for word in ("--set", each)))
    name, engine = f"{command} native".split()[:2]
    (tmp_path / "plain").write_bytes(4 * SECTOR)
    files = ("--key", KEY.hex(), "--in", tmp_path / "plain", "--out", tmp_path / "sealed", "--engine", engine)
    words = (name, *core, *(files if name == "encrypt" else ()))
    result = CliRunner().invoke(app, [str(word) for word in words], prog_name="wideblock")
    if command in ("encrypt", "encrypt spec"):
        right = cores(change)[1].native(KEY).encrypt_sectors(4 * SECTOR)
        assert result.exit_code == 0 and (tmp_path / "sealed").read_bytes() == right
        return
    said = "no attack" if command == "attack" else "traffic is for the engine with"
    assert result.exit_code == 1 and said in result.output and result.output.count("\n") == 1
    assert not (tmp_path / "sealed").exists()


@pytest.mark.parametrize("change", [(), ("--set", "registers=axi4-lite", "--set", "dma=axi4")])
def test_a_bench_that_there_is_not_has_no_answers(monkeypatch, tmp_path, change):
    """A core without known answers says whose answers its test bench has."""
    monkeypatch.setattr(generate, "write", lambda *_, **__: [])
    words = ("generate", "hctr2-1s-k", "--set", "sector_bytes=80", *change, "-o", str(tmp_path / "out"))
    result = CliRunner().invoke(app, words, prog_name="wideblock")
    assert result.exit_code == 0 and ("has no known answers" in result.output) == (not change)
