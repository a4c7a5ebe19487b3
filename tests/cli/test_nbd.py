# SPDX-License-Identifier: Apache-2.0
"""``wideblock nbd``: an image served by nbdkit is that which ``encrypt`` writes; the key is on no command line."""

import random
import subprocess
import sys

import pytest

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
    [("hctr2-1", ["sector_bytes=512"]), ("fast-brw-1", ["sector_bytes=512"]), ("heh-brw-3", ["sector_bytes=96"])],
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


@SERVED
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
        (["hctr2-1", "--set", "key_bits=256"], "key must be 32 bytes, got 16"),
    ],
)
def test_a_wrong_request_is_one_line(tmp_path, words, message):
    done = run(tmp_path, "nbd", *words, "--key", KEY, "--file", "disk", "--socket", "s")
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_without_nbdkit(tmp_path):
    done = run(tmp_path, "nbd", "hctr2-1", "--key", KEY, "--file", "disk", "--socket", "s", env={"PATH": ""})
    message = "nbdkit is not on PATH; install it, on Debian the packages nbdkit and nbdkit-plugin-dev"
    assert done.returncode == 1 and done.stderr == f"wideblock: {message}\n"
