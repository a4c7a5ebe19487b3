# SPDX-License-Identifier: Apache-2.0
"""Building compiled models: kept, whole or absent, ended at once, and one clear line when it fails."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wideblock.simulation import commands, verilator
from wideblock.simulation.commands import BuildError, Commands
from wideblock.simulation.verilator import Options, build

from ..native import harden

pytestmark = pytest.mark.shows("bench-generality")

TOP = "counter"
VERILOG = """
module counter(input clk, input [7:0] step, output reg [7:0] q = 0);
  always @(posedge clk) q <= q + step;
endmodule
"""
CPP = """
#include "Vcore.h"
#include "verilated.h"
double sc_time_stamp() { return 0; }
extern "C" int count(int steps) {
    VerilatedContext context;
    Vcore core(&context);
    core.step = 3;
    for (int i = 0; i < 2 * steps; i++) { core.clk = i & 1; core.eval(); }
    return core.q;
}
"""
FILES = {"count.cpp": CPP}
FAST = Options(optimise=0)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, but for Verilator's runtime, which takes seconds to compile and is not at stake."""
    monkeypatch.setenv("WIDEBLOCK_CACHE", str(tmp_path))
    monkeypatch.setattr(verilator, "_runtime_object", lambda commands, name: tmp_path / name)
    return tmp_path


def models(cache):
    return os.listdir(cache / "models") if (cache / "models").exists() else []


def test_a_model_is_built_once(monkeypatch):
    assert build([VERILOG], TOP, FILES, FAST).count(5) == 15
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a second build of the same model"))
    assert build([VERILOG], TOP, FILES, FAST).count(7) == 21


@pytest.mark.parametrize("has", [True, False])
def test_a_compiler_with_a_library_of_atomic_operations_links_it(has, cache, monkeypatch):
    """Code of clang++ calls it; g++ needs it not, and a system without it has no such file."""
    compiler = cache / "c++"
    says = f"{cache}/libatomic.so" if has else "libatomic.so"
    (cache / "log").touch()
    compiler.write_text(f'#!/bin/sh\necho "$@" >> {cache}/log\ncase "$1" in -print-*) echo {says};; esac\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    with pytest.raises(BuildError):  # it makes no library
        build([VERILOG], TOP, FILES, FAST)
    (link,) = (line for line in (cache / "log").read_text().splitlines() if line.startswith("-shared"))
    assert link.endswith("-lpthread -Wl,--as-needed -latomic" if has else "-lpthread")


@pytest.mark.wants("clang++")
def test_a_model_by_clang(monkeypatch):
    monkeypatch.setenv("CXX", harden.clang())
    assert build([VERILOG], TOP, FILES, FAST).count(5) == 15


def test_all_that_a_model_is_made_of_counts(monkeypatch):
    made = []

    def stop(folder, make):
        made.append(folder.name)
        raise OSError("enough")

    monkeypatch.setattr(verilator, "cached", stop)
    for arguments in (
        ([VERILOG], TOP, FILES, FAST),
        ([VERILOG + "\n"], TOP, FILES, FAST),
        ([VERILOG], TOP, {"count.cpp": CPP + "\n"}, FAST),
        ([VERILOG], TOP, {"other.cpp": CPP}, FAST),
        *(
            ([VERILOG], TOP, FILES, o)
            for o in (Options(), Options(0, "vcd"), Options(0, "fst"), Options(0, None, True))
        ),
    ):
        with pytest.raises(BuildError, match="enough"):
            build(*arguments)
    assert len(set(made)) == len(made) == 8


def test_a_truncated_library_is_built_again(tmp_path):
    """In a process of its own: a library that is truncated while it is in use ends the process.

    So no other test may use this model.
    """
    code = f"""
from wideblock.simulation import verilator
library = verilator.build([{VERILOG + "// truncated"!r}], {TOP!r}, {FILES!r}, verilator.Options(optimise=0))
print(library._name, library.count(4))
"""

    def run():
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return done.stdout.split()

    path, count = run()
    assert count == "12"
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[: len(whole) // 2])
    assert run() == [path, "12"] and len(Path(path).read_bytes()) >= len(whole) // 2 + 1


def test_missing_compiler(cache, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(BuildError, match="^no C\\+\\+ compiler: 'no-such-compiler' is not on PATH; .*$"):
        build([VERILOG], TOP, FILES, FAST)
    assert not models(cache)


def test_bad_verilog_is_one_line_and_leaves_nothing(cache):
    with pytest.raises(BuildError, match="^Verilator rejects counter: .*$"):
        build(["module counter(input clk); assign = ; endmodule"], TOP, FILES, FAST)
    assert not models(cache)


def test_bad_cpp_is_one_line_and_leaves_nothing(cache):
    with pytest.raises(BuildError, match="^cannot compile the model of counter: .*$"):
        build([VERILOG.replace("step", "stride")], TOP, FILES, FAST)
    assert not models(cache)


def test_a_full_disk_is_one_line(cache, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(verilator, "_units", full)
    with pytest.raises(BuildError, match="^cannot build the model of counter: .*No space left on device$"):
        build([VERILOG], TOP, FILES, FAST)
    assert not models(cache)


def running(pid):
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_ends_at_once_with_all_its_children(cache, number):
    """A compiler that never ends, with a child that holds its pipes open."""
    pids, command = cache / "pids", cache / "never-ends"
    command.write_text(f"#!/bin/sh\nsleep 1000 &\necho $$ $! >> {pids}\nwait\n")
    command.chmod(0o755)
    code = f"""
import signal, sys
from wideblock.simulation import verilator
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
signal.signal(signal.SIGINT, signal.default_int_handler)
verilator.build([{VERILOG!r}], {TOP!r}, {FILES!r})
"""
    environment = {**os.environ, "CXX": str(command), "WIDEBLOCK_CACHE": str(cache)}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL) as process:
        while not pids.exists() or len(pids.read_text().split()) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        started = time.monotonic()
        process.send_signal(number)
        process.wait()
        assert time.monotonic() - started < 2
    children = pids.read_text().split()
    assert len(children) >= 2 and not any(running(pid) for pid in children)
    assert not models(cache)


def test_the_first_failure_ends_the_other_commands(tmp_path):
    started = time.monotonic()
    with pytest.raises(BuildError, match="^cannot: no such thing, error$"), Commands() as work:
        work.start(["sleep", "1000"], tmp_path, "sleep")
        work.start(["sleep", "1000"], tmp_path, "sleep")
        wrong = ["sh", "-c", "echo no such thing, error >&2; exit 1"]
        commands.Commands._run(work, wrong, tmp_path, "cannot", {})
    assert time.monotonic() - started < 10


def test_no_command_starts_after_the_end(tmp_path):
    with Commands() as work:
        pass
    with pytest.raises(BuildError, match="^late: the build was interrupted$"):
        work._run(["touch", "file"], tmp_path, "late", {})
    assert not os.listdir(tmp_path)


def test_a_module_has_no_name_that_verilator_would_hash():
    """Else its registers would not be in a saved state. The top module's name is that of the class, and stays."""
    top = "t" * 110
    inner, short = f"{top}__core__{'part' * 8}", "other"
    texts = [f"module {inner}(input clk);\n reg q;\nendmodule\nmodule {short}(input clk);\nendmodule\n"]
    texts.append(f"module {top}(input clk);\n {inner} part(clk);\n {short} {short}_1(clk);\nendmodule\n")
    parts, whole = verilator._shortened(texts, top)
    name = parts.split("(")[0].removeprefix("module ")
    assert len(name) < 20 and inner not in parts + whole
    assert f" {name} part(clk);" in whole and f"module {top}(" in whole and f" {short} {short}_1(clk);" in whole
    assert verilator._shortened(texts[:1], inner) == texts[:1]
