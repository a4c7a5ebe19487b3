# SPDX-License-Identifier: Apache-2.0
"""``wideblock nbd``: an image served by nbdkit is that which ``encrypt`` writes; the key is on no command line."""

import random
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wideblock.cli import nbd
from wideblock.cli.app import app

from ..variants import few_of_many

pytestmark = pytest.mark.shows("cli", "block-device")

SERVED = pytest.mark.wants("nbdkit", "nbdkit-plugin.h", "nbdcopy")
KEY = "000102030405060708090a0b0c0d0e0f"
CODE = "from wideblock.cli import main; main()"


def run(folder, *words, **options):
    command = [sys.executable, "-c", CODE, *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, **options)


@SERVED
@pytest.mark.parametrize(
    ("preset", "changes"),
    few_of_many(
        [("hctr2-1", ["sector_bytes=512"]), ("fast-brw-1", ["sector_bytes=512"]), ("heh-brw-3", ["sector_bytes=96"])],
        [("hctr2-1", ["sector_bytes=512"])],
    ),
)
def test_a_device_is_the_image_that_encrypt_writes(tmp_path, preset, changes):
    size = 32 if preset.startswith("heh") else 16
    (tmp_path / "plain").write_bytes(random.Random(preset).randbytes(12 * 512))
    (tmp_path / "disk").write_bytes(bytes(12 * 512))
    (tmp_path / "key").write_text(bytes(range(size)).hex())
    given = [preset, "--key", "@key", *(word for change in changes for word in ("--set", change))]
    how = ["--file", "disk", "--first-sector", "0xfe", "--socket", "-"]
    done = run(tmp_path, "nbd", *given, *how, "--", "--run", 'nbdcopy plain "$uri" && nbdcopy "$uri" back')
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "back").read_bytes() == (tmp_path / "plain").read_bytes()
    back = ["--in", "plain", "--out", "right", "--first-sector", "0xfe", "--engine", "spec"]
    assert run(tmp_path, "encrypt", *given, *back).returncode == 0
    assert (tmp_path / "disk").read_bytes() == (tmp_path / "right").read_bytes()


@SERVED
def test_the_key_is_on_no_command_line(tmp_path):
    (tmp_path / "disk").write_bytes(bytes(4096))
    how = ["--file", "disk", "--socket", "-", "--", "--run", "cat /proc/$PPID/cmdline > seen"]
    done = run(tmp_path, "nbd", "hctr2-1", "--key", "@-", *how, input=KEY)
    assert done.returncode == 0, done.stderr
    seen = (tmp_path / "seen").read_bytes().split(b"\0")
    assert b"nbdkit" in seen[0] and not any(KEY.encode() in word for word in seen)
    assert any(word.startswith(b"key-file=/dev/fd/") for word in seen)


@pytest.fixture
def built():
    """The plugin is kept, so that no command says that it compiles it."""
    nbd.plugin()


@SERVED
@pytest.mark.usefixtures("built")
def test_a_fault_of_the_device_is_that_of_nbdkit(tmp_path):
    (tmp_path / "disk").write_bytes(bytes(5000))
    done = run(tmp_path, "nbd", "hctr2-1", "--key", KEY, "--file", "disk", "--socket", "s")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "disk has 5000 bytes; it must be whole sectors of 4096" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["aes-gcm"], "aes-gcm takes messages; this is for cores that take sectors"),
        (["xcb-1"], "give --accept-broken"),
        (["aez-2t", "--set", "tweak_bytes=0"], "is no device's: its scheme needs a tweak"),
        (["hctr2-2s", "--set", "icv_bytes=16"], "seals sectors; give their values, --icv FILE"),
        (["hctr2-1", "--set", "key_bits=256"], "key must be 32 bytes, got 16"),
    ],
)
def test_a_wrong_request_is_one_line(tmp_path, words, message):
    done = run(tmp_path, "nbd", *words, "--key", KEY, "--file", "disk", "--socket", "s")
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Runs the command in ``tmp_path`` with a program in the place of nbdkit, which is not started."""
    commands = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nbd, "nbdkit", lambda: "nbdkit")
    monkeypatch.setattr(nbd, "plugin", lambda: Path("plugin.so"))
    monkeypatch.setattr(nbd.os, "execv", lambda program, command: commands.append(command))

    def start(*words, key=KEY):
        arguments = ["nbd", "hctr2-1", "--key", key, "--file", "disk", *words]
        done = CliRunner().invoke(app, arguments)
        return done.exit_code, done.stderr, commands

    return start


def test_parameters_of_filters_stand_behind_the_plugin(started):
    """nbdkit takes flags at any place, but the first word that is none as its plugin."""
    further = ["--filter=offset", "offset=4096", "--run", "a=b"]
    status, _, (command,) = started("--socket", "-", "--read-only", "--", *further)
    assert status == 0 and command[-4:] == further
    parameters = [word.partition("=")[0] for word in command[command.index("plugin.so") + 1 : -4]]
    assert "offset" not in parameters and "read-only=true" in command
    assert not any("=" in word for word in command[: command.index("plugin.so")])


def test_a_socket_is_replaced_unless_a_server_answers(started, tmp_path):
    place = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        server.listen()
        message = "wideblock: a server answers at s; end it, or give --socket another path\n"
        assert started("--socket", "s") == (1, message, []) and place.exists()
    status, said, commands = started("--socket", "s")
    assert (status, said, len(commands)) == (0, "", 1) and not place.exists()
    place.write_bytes(b"data")
    assert started("--socket", "s")[:2] == (1, "wideblock: s is not a socket; give --socket a path where nothing is\n")
    assert place.read_bytes() == b"data"


def test_a_key_that_others_can_read_is_a_warning(started, tmp_path):
    (tmp_path / "key").write_text(KEY)
    for mode, warned in ((0o600, False), (0o400, False), (0o640, True), (0o604, True)):
        (tmp_path / "key").chmod(mode)
        status, said, _ = started("--socket", "-", key="@key")
        line = f"wideblock: warning: other users can read the key in key, mode {mode:04o}; chmod 600 it\n"
        assert (status, said) == (0, line if warned else "")


@SERVED
@pytest.mark.usefixtures("built")
def test_a_filter_takes_its_parameter(tmp_path):
    (tmp_path / "disk").write_bytes(bytes(8192))
    how = ["--file", "disk", "--socket", "-", "--", "--filter=offset", "offset=4096", "--run", 'nbdinfo --size "$uri"']
    done = run(tmp_path, "nbd", "hctr2-1", "--key", KEY, *how)
    assert (done.returncode, done.stdout, done.stderr) == (0, "4096\n", "")


def test_without_nbdkit(tmp_path):
    done = run(tmp_path, "nbd", "hctr2-1", "--key", KEY, "--file", "disk", "--socket", "s", env={"PATH": ""})
    message = "nbdkit is not on PATH; install it, on Debian the packages nbdkit and nbdkit-plugin-dev"
    assert done.returncode == 1 and done.stderr == f"wideblock: {message}\n"
