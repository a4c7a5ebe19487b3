# SPDX-License-Identifier: Apache-2.0
"""``wideblock ublk``: its server's parameters, and one line for each fault; the device itself is served in a guest."""

import fcntl
import os
import subprocess

import pytest
from typer.testing import CliRunner

from wideblock.cli import ublk
from wideblock.cli.app import app
from wideblock.native import servers

pytestmark = pytest.mark.shows("cli", "block-device")

KEY = bytes(range(32))


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Runs the command in ``tmp_path``; the server is not started."""
    commands = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ublk.servers, "ublk", lambda: "server")
    monkeypatch.setattr(ublk.os, "execv", lambda program, command: commands.append((program, command)))

    def start(*words):
        done = CliRunner().invoke(app, ["ublk", *words, "--key", KEY.hex(), "--file", "disk"])
        return done.exit_code, done.stderr, commands

    return start


def test_the_server_gets_the_options_and_the_key_by_a_descriptor(started, tmp_path):
    words = ["hctr2-1", "--set", "key_bits=256", "--set", "sector_bytes=512", "--icv", "icv", "--read-only"]
    numbers = ["--tweak", "plain64-512", "--first-sector", "0x10", "--tweak-offset", "3"]
    status, said, ((program, command),) = started(*words, *numbers)
    assert (status, said, program) == (0, "", "server")
    given = dict(word.split("=", 1) for word in command[1:])
    with open(given.pop("key-file"), "rb") as file:
        assert file.read() == KEY
    assert given == {
        **{"file": str(tmp_path / "disk"), "icv": str(tmp_path / "icv"), "read-only": "true"},
        **{"scheme": "hctr2", "sector": "512", "tweak": "plain64-512", "tweak-bytes": "16"},
        **{"first": "16", "tweak-offset": "3"},
    }
    assert not any(KEY.hex() in word for word in command)


@pytest.mark.parametrize(
    ("preset", "message"),
    [
        ("aes-gcm", "aes-gcm takes messages; this is for cores that take sectors"),
        ("xcb-1", "give --accept-broken"),
        ("hctr2-1", "key must be 16 bytes, got 32"),
    ],
)
def test_a_wrong_request_is_one_line(started, preset, message):
    status, said, commands = started(preset)
    assert status == 1 and message in said and said.count("\n") == 1 and not commands


def fault(folder, *, size=8192, **changes):
    """The line with which the server ends."""
    (folder / "key").write_bytes(KEY)
    (folder / "disk").touch()
    os.truncate(folder / "disk", size)
    given = {"file": folder / "disk", "key-file": folder / "key", "scheme": "xts", "sector": 512, **changes}
    words = [f"{name.replace('_', '-')}={value}" for name, value in given.items()]
    done = subprocess.run([servers.ublk(), *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("wideblock: ") and (folder / "disk").stat().st_size == size
    return done.stderr


@pytest.mark.wants("ublk_cmd.h")
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": 5000}, "disk has 5000 bytes; it must be whole sectors of 512"),
        ({"size": 5200, "sector": 520}, "disk has 5200 bytes; it must be a multiple of 512 for ublk"),
        ({"file": "/none"}, "/none: No such file or directory"),
        ({"scheme": "rot13"}, "scheme rot13 with a key of 32 bytes: "),
        ({"sector": "4k"}, "sector must be a whole number below 2^128 such as 4096 or 0x1000, got '4k'"),
        ({"sector": (1 << 128) - 1}, "xts: "),
        ({"read_only": "perhaps"}, "read-only must be true or false, got 'perhaps'"),
        ({"tweak": "essiv"}, "tweak must be one of le128, be128, "),
        ({"colour": "red"}, "unknown parameter 'colour'"),
    ],
)
def test_a_fault_of_the_device_is_one_line(tmp_path, given, message):
    assert message in fault(tmp_path, **given)


@pytest.mark.wants("ublk_cmd.h")
def test_a_file_that_is_in_use_is_refused(tmp_path):
    with (tmp_path / "disk").open("wb") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        assert "disk is in use by another server or program that has locked it; end that first" in fault(tmp_path)


@pytest.mark.wants("ublk_cmd.h", "no ublk driver")
def test_without_the_driver(tmp_path):
    assert "no /dev/ublk-control; load the driver, of Linux 6.0 or newer, by modprobe ublk_drv" in fault(tmp_path)
