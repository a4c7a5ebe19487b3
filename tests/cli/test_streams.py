# SPDX-License-Identifier: Apache-2.0
"""Encryption through standard input and output, as in a pipeline."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.shows("cli")

KEY = "000102030405060708090a0b0c0d0e0f"
CODE = "from wideblock.cli import main; main()"


def run(tmp_path, *arguments, **options):
    command = [sys.executable, "-c", CODE, *map(str, arguments)]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, **options)


def crypt(tmp_path, direction, *arguments, key=KEY, **options):
    return run(tmp_path, direction, "fast-brw-2s", "--key", key, "--engine", "spec", *arguments, **options)


def test_there_and_back(tmp_path):
    data = bytes(range(256)) * 16 * 20
    (tmp_path / "image").write_bytes(data)
    cipher = crypt(tmp_path, "encrypt", "--in", "-", "--out", "-", input=data)
    assert cipher.returncode == 0 and len(cipher.stdout) == len(data)
    assert re.fullmatch(rb"20 sectors, 81,920 bytes, in \d+\.\d s, [\d,]+\.\d MB/s\n", cipher.stderr)
    assert crypt(tmp_path, "encrypt", "--in", "image", "--out", "-").stdout == cipher.stdout
    assert crypt(tmp_path, "decrypt", "--in", "-", "--out", "back", input=cipher.stdout).stdout == b""
    assert (tmp_path / "back").read_bytes() == data


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    """Two sectors of zeros, encrypted under the key of the command line."""
    folder = tmp_path_factory.mktemp("right")
    (folder / "image").write_bytes(bytes(8192))
    return crypt(folder, "encrypt", "--in", "image", "--out", "-").stdout


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("@key", bytes.fromhex(KEY)),
        pytest.param("@key", KEY.encode(), marks=pytest.mark.slow),
        pytest.param("@key", f"\ufeff{KEY}\r\n".encode(), marks=pytest.mark.slow),
        ("@-", f"{KEY}\n".encode()),
    ],
)
def test_a_key_file_is_binary_or_hexadecimal(tmp_path, right, name, content):
    (tmp_path / "image").write_bytes(bytes(8192))
    (tmp_path / "key").write_bytes(content)
    done = crypt(tmp_path, "encrypt", "--in", "image", "--out", "-", key=name, input=content)
    assert done.returncode == 0 and done.stdout == right


def test_standard_input_is_one_thing(tmp_path):
    done = crypt(tmp_path, "encrypt", "--in", "-", "--out", "out", key="@-", input=bytes(4096))
    assert done.returncode == 1 and done.stderr == b"wideblock: standard input can be the key or the image, not both\n"


@pytest.mark.parametrize("target", ["-", "out"])
def test_a_stream_that_ends_inside_a_sector(tmp_path, target):
    done = crypt(tmp_path, "encrypt", "--in", "-", "--out", target, input=bytes(4096 * 2 + 5))
    assert done.returncode == 1 and done.stderr == (
        b"wideblock: the input stream ended inside a sector: 5 bytes are left over after 2 sectors of 4096 bytes\n"
    )
    assert not list(tmp_path.iterdir())


def test_a_full_disk_behind_standard_output_is_one_line(tmp_path):
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-c", CODE, "encrypt", "fast-brw-2s", "--key", KEY, "--engine", "spec"]
        done = subprocess.run(
            [*command, "--in", "-", "--out", "-"], input=bytes(8192), stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 1 and done.stderr == b"wideblock: standard output: no space left on device\n"


def test_a_summary_that_cannot_be_written_is_no_failure(tmp_path, right):
    (tmp_path / "image").write_bytes(bytes(8192))
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-c", CODE, "encrypt", *KEYED, "--in", "image", "--out", "out"]
        done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 0 and (tmp_path / "out").read_bytes() == right


@pytest.mark.parametrize(
    "given", [("--keys", KEY * 2), ("--key", f"@{KEY * 2}"), ("--key", KEY, "--first-sector", "0", KEY * 2)]
)
def test_a_key_in_the_place_of_a_file_is_not_printed(tmp_path, given):
    done = run(tmp_path, "encrypt", "fast-brw-2s", *given, "--in", "image", "--out", "out")
    assert done.returncode == 1 and b"(hexadecimal digits)" in done.stderr and KEY.encode() not in done.stderr


def test_a_key_file_without_a_name_is_refused(tmp_path):
    done = run(tmp_path, "encrypt", "fast-brw-2s", "--key", "@", "--in", "image", "--out", "out")
    assert (done.returncode, done.stderr) == (1, b"wideblock: an empty name: no such file or directory\n")


@pytest.mark.parametrize("option", ["--tweak", "--engine", "--out"])
def test_an_empty_option_is_not_its_default(tmp_path, option):
    (tmp_path / "image").write_bytes(bytes(4096))
    done = run(tmp_path, "encrypt", "fast-brw-2s", "--key", KEY, "--in", "image", "--out", "out", option, "")
    assert done.returncode == 1 and not (tmp_path / "out").exists()
    assert done.stderr == f"wideblock: {option} must not be empty; give a value\n".encode()


KEYED = ("fast-brw-2s", "--key", KEY, "--engine", "spec")
CLOSED = b"wideblock: standard input or output is needed, and closed; open it, or name a file\n"


@pytest.mark.parametrize(
    "descriptor, command, status, said",
    [
        (0, ("encrypt", *KEYED, "--in", "-", "--out", "out"), 1, CLOSED),
        (0, ("encrypt", "fast-brw-2s", "--key", "@-", "--in", "image", "--out", "out"), 1, CLOSED),
        (1, ("encrypt", *KEYED, "--in", "image", "--out", "-"), 1, CLOSED),
        (1, ("list",), 1, CLOSED),
        (1, ("--version",), 1, CLOSED),
        (1, ("--help",), 1, CLOSED),
        (2, ("encrypt", *KEYED, "--in", "image", "--out", "out"), 0, b""),
        (2, ("encrypt", *KEYED, "--in", "image", "--out", "-"), 0, b""),
        (2, ("nope",), 1, b""),
    ],
)
def test_a_closed_stream_is_one_line_and_no_file_has_its_descriptor(tmp_path, descriptor, command, status, said):
    (tmp_path / "image").write_bytes(bytes(4096))
    done = run(tmp_path, *command, preexec_fn=lambda: os.close(descriptor))
    assert (done.returncode, done.stderr) == (status, said)
    written = (tmp_path / "out").read_bytes() if (tmp_path / "out").exists() else done.stdout
    right = crypt(tmp_path, "encrypt", "--in", "image", "--out", "-").stdout
    assert written == (right if status == 0 else b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", [("--version",), ("--help",), (), ("list",), ("list", "--names")])
def test_a_full_disk_behind_any_text_is_one_line(monkeypatch, command, unbuffered):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-c", CODE, *command], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1 and done.stderr == b"wideblock: no space left on device\n"


def test_a_reader_that_stops_early_ends_the_command_quietly(tmp_path):
    (tmp_path / "image").write_bytes(bytes(4096 * 400))
    command = [sys.executable, "-c", CODE, "encrypt", "fast-brw-2s", "--key", KEY, "--engine", "spec"]
    with subprocess.Popen(
        [*command, "--in", "image", "--out", "-"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout and process.stderr
        assert len(process.stdout.read(100)) == 100
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 1 and said == b""


def test_integrity_check_values(tmp_path):
    """In a file or behind the sectors; a forged one is named, zeros, and status 1; one line for wrong options."""
    data = bytes(range(256)) * 16 * 5
    (tmp_path / "image").write_bytes(data)
    native = ("fast-brw-2", "--key", KEY)
    assert run(tmp_path, "encrypt", *native, "--in", "image", "--out", "enc", "--icv", "icvs").returncode == 0
    inline = run(tmp_path, "encrypt", *native, "--in", "image", "--out", "-", "--layout", "inline", "--stride", "4160")
    enc = bytearray((tmp_path / "enc").read_bytes())
    assert inline.stdout[4096 : 4096 + 16] == (tmp_path / "icvs").read_bytes()[:16] and len(inline.stdout) == 4160 * 5
    enc[4096 * 3] ^= 1
    (tmp_path / "enc").write_bytes(enc)
    back = run(tmp_path, "decrypt", *native, "--in", "enc", "--out", "-", "--icv", "icvs")
    assert (back.returncode, back.stdout) == (1, data[: 4096 * 3] + bytes(4096) + data[4096 * 4 :])
    assert back.stderr.splitlines()[1:] == [b"wideblock: 1 sector is forged, and zeros in the result: 3"]
    for options, said in (
        (("--layout", "outline"), b"layout must be inline, got 'outline'"),
        (("--layout", "inline", "--icv", "icvs"), b"--icv and --layout inline exclude each other"),
        (("--stride", "4160"), b"--stride goes with --layout inline"),
        (("--icv", "-"), b"--icv is the name of a file, got '-'"),
        (("--icv", "icvs", "--engine", "spec"), b"integrity check values are those of the engine native, got 'spec'"),
    ):
        done = run(tmp_path, "decrypt", *native, "--in", "enc", "--out", "no", *options)
        assert done.returncode == 1 and done.stderr.startswith(b"wideblock: " + said) and not done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["enc", "icvs", "image"]
