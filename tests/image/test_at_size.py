# SPDX-License-Identifier: Apache-2.0
"""Faults while the command encrypts an image of 512 MiB on the native library: one line, and nothing half-written."""

import os
import random
import resource
import signal
import subprocess
import sys
import time

import pytest

from ..wants import refused

pytestmark = [pytest.mark.shows("images"), pytest.mark.slow]

MIB, SIZE = 1 << 20, 512
KEY = bytes(range(32)).hex()
COMMAND = [sys.executable, "-m", "wideblock", "encrypt", "hctr2-2s", "--set", "key_bits=256", "--key", KEY]


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """A sparse image; a first run builds the library."""
    folder = tmp_path_factory.mktemp("at-size")
    (folder / "image").touch()
    os.truncate(folder / "image", SIZE * MIB)
    (folder / "first").write_bytes(bytes(4096))
    subprocess.run([*COMMAND, "--in", folder / "first", "--out", folder / "out"], check=True, capture_output=True)
    return folder / "image"


def ended(command, **options):
    """Status and the lines of standard error."""
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=300, **options)
    return done.returncode, done.stderr.splitlines()


@pytest.mark.wants("/dev/full")
def test_standard_output_is_full(image):
    with open("/dev/full", "wb") as full:
        status, lines = ended([*COMMAND, "--in", image, "--out", "-"], stdout=full)
    assert status == 1 and len(lines) == 1 and "no space left on device" in lines[0]


@pytest.fixture
def small(tmp_path):
    """A file system of 64 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], capture_output=True, text=True)
    if done.returncode:
        refused("mounts", done.stderr.strip())
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.wants("mount")
def test_a_file_system_is_full(image, small):
    (small / "out").write_bytes(b"old")
    status, lines = ended([*COMMAND, "--in", image, "--out", small / "out", "--force"])
    assert status == 1 and len(lines) == 1 and "no space left on device" in lines[0]
    assert [path.name for path in small.iterdir()] == ["out"] and (small / "out").read_bytes() == b"old"


def test_a_file_may_not_be_so_long(image, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300 * MIB, 300 * MIB))

    status, lines = ended([*COMMAND, "--in", image, "--out", tmp_path / "out"], preexec_fn=limit)
    assert status == 1 and len(lines) == 1 and "file too large" in lines[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("to", ["file", "pipe"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle(image, tmp_path, number, to):
    """At moments from the first written bytes on; the old file stays."""
    rng, moments = random.Random(number), 0
    (tmp_path / "out").write_bytes(b"old")
    for _ in range(8):
        target = tmp_path / "out" if to == "file" else "-"
        command = [*COMMAND, "--in", image, "--out", target, "--force"]
        sink = subprocess.PIPE if to == "pipe" else subprocess.DEVNULL
        with subprocess.Popen(command, stdout=sink, stderr=subprocess.PIPE, text=False) as process:
            if to == "pipe":
                process.stdout.read(MIB)  # the command waits for a reader: it is amid its work
            else:
                while process.poll() is None and len(list(tmp_path.iterdir())) < 2:
                    time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.05))
            process.send_signal(number)
            said = process.communicate(timeout=60)[1].decode().splitlines()
        if process.returncode:
            moments += 1
            assert process.returncode in (128 + number, -number) and len(said) <= 1
            assert (tmp_path / "out").read_bytes() == b"old"
        else:  # it was quicker
            assert (tmp_path / "out").stat().st_size == SIZE * MIB
            (tmp_path / "out").write_bytes(b"old")
        assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert moments


def test_a_pipe_ends_inside_a_sector(tmp_path):
    source = subprocess.Popen(["head", "-c", str(300 * MIB + 17), "/dev/zero"], stdout=subprocess.PIPE)
    status, lines = ended([*COMMAND, "--in", "-", "--out", tmp_path / "out"], stdin=source.stdout)
    source.stdout.close()
    source.wait()
    assert status == 1 and len(lines) == 1
    assert "ended inside a sector: 17 bytes are left over after 76800 sectors of 4096 bytes" in lines[0]
    assert not list(tmp_path.iterdir())


def test_an_image_becomes_shorter(image, tmp_path):
    """It is cut as soon as the first result is written."""
    source = tmp_path / "image"
    source.touch()
    os.truncate(source, SIZE * MIB)
    command = [*COMMAND, "--in", source, "--out", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(MIB)
        os.truncate(source, 100 * MIB + 1000)
        lines = process.communicate(timeout=60)[1].decode().splitlines()
    assert process.returncode == 1 and len(lines) == 1 and "image" in lines[0]
