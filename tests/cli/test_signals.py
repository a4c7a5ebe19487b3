# SPDX-License-Identifier: Apache-2.0
"""SIGINT, SIGTERM and SIGHUP end a command at once: no part file and no process is left."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from ..variants import few_of_many

pytestmark = pytest.mark.shows("cli")

KEY = "000102030405060708090a0b0c0d0e0f"
COMMAND = [sys.executable, "-c", "from wideblock.cli import main; main()"]
CRYPT = [*COMMAND, "encrypt", "xts-enc", "--key", KEY + KEY[::-1], "--in", "image", "--out", "out"]
# the core of the tests of images
SMALL = ["xts-both", "--set", "sector_bytes=64", "--set", "sbox=composite"]
RTL = [*COMMAND, "encrypt", *SMALL, "--key", KEY + KEY[::-1]]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture
def image(tmp_path):
    """An image that takes minutes."""
    path = tmp_path / "image"
    path.touch()
    os.truncate(path, 4 << 30)
    return path


def children(pid):
    """Processes below ``pid``, at any depth."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            pass  # it has ended meanwhile
    found = {pid}
    for _ in range(5):
        found |= {child for child, parent in parents.items() if parent in found}
    return found - {pid}


def lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def until(condition, what, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"after {seconds} s there is no {what}"
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def signals():
    """None is ignored, as SIGHUP is under nohup and SIGINT in a shell's background: what is started inherits that."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@contextmanager
def running(command, cwd, **options):
    process = subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **options
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def part_of(directory):
    return next((path for path in directory.iterdir() if path.name.endswith(".part")), None)


def under_way(directory):
    """True when some of the result has been written."""
    part = part_of(directory)
    return part is not None and part.stat().st_size > 0


def ended(process, seconds=5):  # alone on a machine it takes a tenth of one
    """Exit status and stderr of a process that must end in time, with everything below it."""
    below = children(process.pid)
    yield
    started = time.monotonic()
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - started < seconds
    assert not [pid for pid in below if lives(pid)]
    yield process.returncode, said.decode()


def stop(process, *numbers, group=False, pause=0.1):
    """Sends signals to a process, or its whole group as a terminal does, and returns (exit status, stderr)."""
    end = ended(process)
    next(end)
    for number in numbers:
        (os.killpg if group else os.kill)(process.pid, number)
        time.sleep(pause)
    return next(end)


@pytest.mark.parametrize("number", few_of_many(SIGNALS, [signal.SIGHUP]))
@pytest.mark.parametrize("group", [False, True], ids=["the process", "its group"])
def test_specification(tmp_path, image, number, group):
    with running([*CRYPT, "--engine", "spec"], tmp_path) as process:
        until(lambda: under_way(tmp_path), "result")
        assert len(children(process.pid)) >= 1
        status, said = stop(process, number, group=group)
    assert status == 128 + number and said == f"wideblock: stopped by {number.name}\n"
    assert os.listdir(tmp_path) == ["image"]


@pytest.mark.parametrize("pause", few_of_many([0, 0.02, 0.1], [0.02]))
def test_ctrl_c_several_times(tmp_path, image, pause):
    with running([*CRYPT, "--engine", "spec"], tmp_path) as process:
        until(lambda: under_way(tmp_path), "result")
        status, said = stop(process, *[signal.SIGINT] * 3, group=True, pause=pause)
    assert status == 130 and said == "wideblock: stopped by SIGINT\n"
    assert os.listdir(tmp_path) == ["image"]


@pytest.mark.parametrize("number", few_of_many(SIGNALS, [signal.SIGTERM]))
def test_compiled_model(tmp_path, image, number):
    with running([*RTL, "--in", "image", "--out", "out"], tmp_path) as process:
        until(lambda: under_way(tmp_path), "result")
        status, _ = stop(process, number)
    assert status == 128 + number
    assert os.listdir(tmp_path) == ["image"]


@pytest.mark.parametrize("number", few_of_many([signal.SIGINT, signal.SIGTERM], [signal.SIGINT]))
def test_while_the_model_is_compiled(tmp_path, image, number):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "c++").write_text(f"#!/bin/sh\ntouch {tools}/started\nsleep 1000\n")
    (tools / "c++").chmod(0o755)
    environment = {**os.environ, "CXX": str(tools / "c++"), "WIDEBLOCK_CACHE": str(tools / "cache")}
    with running([*CRYPT, "--engine", "rtl", "--set", "sector_bytes=64"], tmp_path, env=environment) as process:
        until((tools / "started").exists, "compiler")
        status, said = stop(process, number)
    made, compiled, stopped = said.splitlines()
    assert status == 128 + number and stopped == f"wideblock: stopped by {number.name}"
    assert made.startswith("wideblock: making the Verilog of xts_enc_sector_bytes_64")
    assert compiled.startswith("wideblock: compiling the model of xts_enc_sector_bytes_64")
    assert sorted(os.listdir(tmp_path)) == ["image", "tools"] and not list((tools / "cache" / "models").iterdir())


def test_while_input_is_awaited(tmp_path):
    arguments = [word if word != "image" else "-" for word in CRYPT]
    with running([*arguments, "--engine", "spec"], tmp_path, stdin=subprocess.PIPE) as process:
        until(lambda: part_of(tmp_path) and children(process.pid), "start")
        status, _ = stop(process, signal.SIGTERM)
    assert status == 143 and not os.listdir(tmp_path)


def test_a_signal_in_a_destructor_is_not_lost(tmp_path):
    code = """
import os, signal, time
from wideblock.cli.signals import stopping
class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.05)
with stopping():
    Dying()
    time.sleep(60)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.returncode == 143 and done.stderr == ""


def test_an_ignored_signal_stays_ignored(tmp_path, image):
    with running(
        [*CRYPT, "--engine", "spec"], tmp_path, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    ) as process:
        until(lambda: under_way(tmp_path), "result")
        os.killpg(process.pid, signal.SIGHUP)  # as when the terminal of a command under nohup closes
        written = part_of(tmp_path).stat().st_size
        until(lambda: part_of(tmp_path).stat().st_size > written, "further result")


def test_a_killed_run_takes_its_processes_along_and_the_next_run_its_part(tmp_path, image):
    with running([*CRYPT, "--engine", "spec"], tmp_path) as process:
        until(lambda: under_way(tmp_path), "result")
        below = children(process.pid)
        process.kill()
        until(lambda: not any(map(lives, below)), "end of the processes", seconds=5)
    assert part_of(tmp_path)
    os.truncate(image, 4096)
    assert subprocess.run([*CRYPT, "--engine", "spec"], cwd=tmp_path, capture_output=True).returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["image", "out"]
