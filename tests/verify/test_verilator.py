# SPDX-License-Identifier: Apache-2.0
"""Building compiled models: kept, whole or absent, and one clear line when it fails."""

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from wideblock.verify import verilator
from wideblock.verify.verilator import BuildError, build

from .toy_core import Toy

TOY = Toy()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("WIDEBLOCK_CACHE", str(tmp_path))
    monkeypatch.setattr(verilator, "_runtime_object", lambda _, name: tmp_path / name)  # takes seconds, is not at stake
    return tmp_path


def test_a_model_is_built_once(monkeypatch):
    build([TOY.verilog], TOY.top)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a second build of the same model"))
    assert build([TOY.verilog], TOY.top).beat_bytes() == 16


def test_missing_compiler(cache, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(BuildError, match="^no C\\+\\+ compiler: 'no-such-compiler' is not on PATH; .*$"):
        build([TOY.verilog], TOY.top)
    assert not list(cache.iterdir())


def test_bad_verilog_is_one_line_and_leaves_nothing(cache):
    with pytest.raises(BuildError, match="^Verilator rejects toy: .*$"):
        build(["module toy(input aclk); assign = ; endmodule"], "toy")
    assert not list((cache / "models").iterdir())


def test_a_module_with_other_ports(cache):
    with pytest.raises(BuildError, match="^cannot compile the model of toy: .*$"):
        build(["module toy(input aclk, output reg q); always @(posedge aclk) q <= ~q; endmodule"], "toy")
    assert not list((cache / "models").iterdir())


def test_an_interrupted_build_leaves_nothing(cache, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(verilator, "_compile", interrupt)
    with pytest.raises(KeyboardInterrupt):
        build([TOY.verilog], TOY.top)
    assert not list((cache / "models").iterdir())


def test_an_interrupted_build_kills_the_compiler_and_its_children(cache, monkeypatch):
    """A compiler that never ends, with a child that holds its pipes open."""
    pids, command = cache / "pids", cache / "never-ends"
    command.write_text(f"#!/bin/sh\nsleep 1000 &\necho $$ $! >> {pids}\nwait\n")
    command.chmod(0o755)
    monkeypatch.setenv("CXX", str(command))

    def stop(*_):
        raise KeyboardInterrupt

    def interrupt():
        while not pids.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, stop)  # libraries of other tests have handlers of their own for Ctrl-C
    waiting = threading.Thread(target=interrupt)
    waiting.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        build([TOY.verilog], TOY.top)
    assert time.monotonic() - started < 10
    waiting.join()
    signal.signal(signal.SIGUSR1, before)
    assert not any(runs(int(pid)) for pid in pids.read_text().split())
    assert not list((cache / "models").iterdir())


def runs(pid):
    """True while a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_a_full_disk_is_one_line(cache, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(verilator, "_publish", full)
    monkeypatch.setattr(verilator, "_compile", lambda *_: None)
    monkeypatch.setattr(
        verilator._Commands, "run", lambda self, command, directory, *_: (directory / "model").mkdir(exist_ok=True)
    )
    with pytest.raises(BuildError, match="^cannot build the model of toy: .*No space left on device$"):
        build([TOY.verilog], TOY.top)
    assert not list((cache / "models").iterdir())
