# SPDX-License-Identifier: Apache-2.0
"""Sweeps: which points a space has, and that none is lost or measured twice, whatever ends a sweep."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import pytest

from wideblock.errors import UserError
from wideblock.evaluate import run, workers
from wideblock.evaluate import sweep as module
from wideblock.evaluate.point import Failure, Point
from wideblock.evaluate.run import Design
from wideblock.evaluate.store import add, current, load
from wideblock.evaluate.sweep import Space, open_points, sweep
from wideblock.evaluate.workers import local, scheduled
from wideblock.evidence import code
from wideblock.synth.process import FlowError
from wideblock.synth.yosys import Source

pytestmark = pytest.mark.shows("evaluation")

SMALL = Space(("xts-enc",), ("xc7", "ecp5"), {"round_stages": ("1", "2"), "sbox": ("norm", "lut")}, seeds=(1, 2, 3))


@pytest.fixture
def measured(measurement, monkeypatch):
    """Measures nothing, but remembers what it was asked for; the points of ``failing`` seeds fail."""

    class Asked(list):
        failing = ()

    asked, figures = Asked(), measurement("xts-enc", "ecp5").figures

    def attempt(identity):
        asked.append(identity)
        if identity.seed in asked.failing:
            return Point(identity, None, Failure("nextpnr-ecp5 failed: too big", "the log"))
        return Point(identity, replace(figures, seconds=1.0))

    monkeypatch.setattr(module, "attempt", attempt)
    return asked


def threads(points, path):
    with ThreadPoolExecutor(2) as executor:
        return sweep(points, path, executor)


def test_a_space_is_every_mix_once():
    points = SMALL.points()
    assert len(points) == len({point.key for point in points}) == 4 * (1 + 3)  # no seed where nothing is placed
    on_ecp5 = {(p.changed.get("round_stages", 1), p.changed.get("sbox", "lut"), p.seed) for p in points if p.seed}
    assert on_ecp5 == {(stages, sbox, seed) for stages in (1, 2) for sbox in ("norm", "lut") for seed in (1, 2, 3)}
    assert {(p.aim_mhz, len(p.tools)) for p in points} == {(None, 1), (200.0, 2)}
    assert len(replace(SMALL, routed=False).points()) == 8
    assert len(replace(SMALL, mhz=(100, 200)).points()) == 4 * (1 + 2 * 3)
    assert len(replace(SMALL, changes={"sbox": ("lut", "lut")}, targets=("xc7", "xc7")).points()) == 1


@pytest.mark.parametrize(
    "change, says",
    [
        ({"names": ("xts",)}, "unknown preset or part 'xts'"),
        ({"targets": ("xc8",)}, "there is no target 'xc8'"),
        ({"changes": {"colour": ("red",)}}, "unknown parameter 'colour'"),
        ({"changes": {"lanes": ("1", "3")}}, "lanes must be .* got 3"),
        ({"names": ("hbrw-31",)}, "unknown parameter 'round_stages' of hbrw-31"),
    ],
)
def test_an_impossible_space_is_refused_before_anything_is_measured(change, says):
    with pytest.raises(UserError, match=says):
        replace(SMALL, **change).points()


def test_a_stored_point_is_not_measured_again(tmp_path, measured, monkeypatch):
    monkeypatch.setattr(code, "_commit", lambda: "now")
    path = tmp_path / "points.jsonl"
    points = replace(SMALL, targets=("ecp5",)).points()
    threads(points[:5], path)
    assert open_points(points, path) == points[5:]
    threads(open_points(points, path), path)
    assert sorted(p.key for p in measured) == sorted(p.key for p in points)
    assert sorted(p.identity.key for p in load(path)) == sorted(p.key for p in points)
    assert open_points(points, path) == []
    assert open_points(points, path, again=True) == points


@pytest.mark.slow
@pytest.mark.parametrize("commit", ["later", "first-dirty"])
def test_a_stored_point_of_a_core_that_has_changed_is_measured_again(tmp_path, monkeypatch, caplog, commit):
    """Other code may give the same Verilog; the same code does."""
    caplog.set_level("INFO")
    made = {"core": "module c(input clk, up, output reg [7:0] q); always @(posedge clk) q <= q + up; endmodule"}
    monkeypatch.setattr(run, "design", lambda identity: Design(Source(made["core"], "c"), "clk", 16, 1, 1))
    monkeypatch.setattr(code, "_commit", lambda: commit)
    path = tmp_path / "points.jsonl"
    (point,) = replace(SMALL, targets=("xc7",), changes={}).points()
    threads([replace(point, commit="first")], path)
    (first,) = load(path)
    add(path, replace(first, identity=replace(first.identity, commit="first")))
    made["core"] = made["core"].replace("q <=", "q  /* counts */ <=")
    (asked,) = open_points([point], path)
    assert asked == replace(point, circuit=first.identity.circuit)
    assert threads([asked], path) == [] and caplog.messages[-1].startswith("1 of 1, xts-enc on xc7: unchanged")
    made["core"] = made["core"].replace("q + up", "q - up")
    (second,) = threads(open_points([point], path), path)
    assert second.identity.circuit != first.identity.circuit and second.identity.commit == commit
    assert current(load(path)) == [second]
    assert open_points([replace(point, commit="first")], path)
    if commit == "later":
        assert open_points([point], path) == []


def test_a_stored_point_of_other_code_without_a_digest_is_measured_again(tmp_path, measured):
    """Nothing shows that its Verilog is today's; a failure, which never has a digest, waits for a request."""
    path = tmp_path / "points.jsonl"
    points = replace(SMALL, targets=("ecp5",)).points()
    measured.failing = (2,)
    threads(points, path)
    later = [replace(point, version="9", commit="later") for point in points]
    assert open_points(later, path) == [point for point in later if point.seed != 2]


def test_a_failure_is_stored_with_its_log_and_measured_again_on_request(tmp_path, measured, monkeypatch):
    monkeypatch.setattr(code, "_commit", lambda: "now")
    path = tmp_path / "points.jsonl"
    points = replace(SMALL, targets=("ecp5",)).points()
    measured.failing = (2,)
    threads(points, path)
    failed = [point for point in load(path) if point.failure]
    assert len(failed) == 4 and {p.failure.log for p in failed} == {"the log"}
    assert open_points(points, path) == []
    assert open_points(points, path, retry=True) == [p for p in points if p.seed == 2]


def test_a_failure_of_today_counts_before_an_older_figure(tmp_path, measured, monkeypatch):
    monkeypatch.setattr(code, "_commit", lambda: "now")
    path = tmp_path / "points.jsonl"
    points = replace(SMALL, targets=("ecp5",), changes={}, seeds=(1, 2)).points()
    threads(points, path)
    measured.failing = (2,)
    later = [replace(point, version="9", commit="later") for point in points]
    with ThreadPoolExecutor(1) as executor:
        found = module.points_of(later, path, executor, lambda *stage: None)
    assert [(point.identity.seed, bool(point.failure)) for point in found] == [(1, False), (2, True)]


ORPHAN = """
import os, sys, time
from wideblock.evaluate.workers import local

def work(path):
    with open(path, "w") as file:
        file.write(str(os.getpid()))
    time.sleep(600)

if __name__ == "__main__":
    with local(1, 1) as executor:
        executor.submit(work, sys.argv[1]).result()
"""


def test_workers_end_with_a_killed_parent(tmp_path):
    program, where = tmp_path / "orphan.py", tmp_path / "pid"
    program.write_text(ORPHAN)
    parent = subprocess.Popen([sys.executable, program, where], stderr=subprocess.DEVNULL)
    wait_for(lambda: where.exists() and where.read_text())
    parent.kill()
    parent.wait()
    worker = Path("/proc") / where.read_text()
    wait_for(lambda: not worker.exists())


def test_a_worker_with_other_tools_fails():
    (identity,) = replace(SMALL, targets=("xc7",), changes={}).points()
    point = module.attempt(replace(identity, tools=("Yosys 0.1",)))
    assert point.failure and "the tools are to be Yosys 0.1; here are Yosys 0." in point.failure.reason


def test_progress_has_the_time_left(tmp_path, measured, caplog):
    caplog.set_level("INFO")
    threads(replace(SMALL, targets=("xc7",)).points(), tmp_path / "points.jsonl")
    assert [message.partition(", ")[0] for message in caplog.messages] == [f"{n} of 4" for n in (1, 2, 3, 4)]
    assert "; about 0 s left" in caplog.messages[0] and "left" not in caplog.messages[-1]


def test_a_killed_worker_is_one_line(tmp_path):
    with local(1) as executor:
        assert executor.submit(int).result() == 0
        (worker,) = active_children()
        worker.kill()
        with pytest.raises(FlowError, match="a worker was killed.*--workers 1 goes on"):
            sweep(SMALL.points()[:2], tmp_path / "points.jsonl", executor)


def exit_code(worker):
    """The pool's own thread waits for its workers, too; of two that wait for one, the second learns the code later."""
    deadline = time.monotonic() + 60
    while worker.exitcode is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return worker.exitcode


@pytest.mark.parametrize("measures, code", [(True, 128 + signal.SIGTERM), (False, -signal.SIGTERM)])
def test_a_worker_is_terminated_by_an_exception_only_while_it_measures(measures, code):
    """Elsewhere it may hold the lock of the results, and an exception would leave that locked for ever."""
    with local(1) as executor:
        assert executor.submit(int).result() == 0
        (worker,) = active_children()
        if measures:
            with pytest.raises(BrokenProcessPool):
                executor.submit(signal.raise_signal, signal.SIGTERM).result()
        else:
            worker.terminate()
        assert exit_code(worker) == code


def test_points_that_wait_are_not_begun_when_a_sweep_ends():
    """One of them is in the worker's queue already."""
    with local(1) as executor:
        assert executor.submit(int).result() == 0
        (worker,) = active_children()
        for _ in range(3):
            executor.submit(time.sleep, 600)
        time.sleep(0.5)
    assert exit_code(worker) == 128 + signal.SIGTERM


@pytest.mark.parametrize("broken", [False, True])
def test_nothing_of_a_pool_runs_after_its_block(broken):
    """Its thread least of all: where Python ends in that moment it writes to a closed pipe."""
    before = threading.active_count()
    with suppress(KeyboardInterrupt), local(2) as executor:
        assert executor.submit(int).result() == 0
        if broken:
            executor.submit(time.sleep, 600)
            raise KeyboardInterrupt
    assert threading.active_count() == before and not active_children()


def test_a_worker_that_takes_too_much_memory_fails_one_point(tmp_path):
    """More than the Python of a worker itself takes, less than the Verilog of a core does."""
    (point,) = Space(("xts-4",), ("xc7",), {}).points()
    with local(1, 0.2) as executor:
        (failed,) = sweep([point], tmp_path / "points.jsonl", executor)
        assert executor.submit(int).result() == 0
    assert failed.failure and "memory" in failed.failure.reason and load(tmp_path / "points.jsonl") == [failed]


@pytest.mark.wants("distributed")
def test_a_scheduler_that_does_not_answer_is_one_line(monkeypatch):
    monkeypatch.setattr(workers, "CONNECTION_SECONDS", 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(UserError, match=f"no Dask scheduler answers at {address}") as error, scheduled(address):
        pass
    assert "\n" not in str(error.value)


def test_without_dask_there_is_no_scheduler(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match="wideblock.sweep"), scheduled("tcp://127.0.0.1:8786"):
        pass


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.1:8786", "http://127.0.0.1:8786", "tcp://127.0.0.1"])
def test_a_wrong_address_is_refused(address):
    with pytest.raises(UserError, match="such as tcp://10.0.0.1:8786, got"), scheduled(address):
        pass


@pytest.mark.slow
def test_a_sweep_is_stopped_and_goes_on(tmp_path):
    """The command in processes of its own, stopped by a signal when the first point is stored."""
    path = tmp_path / "points.jsonl"
    targets = ("--target", "xc7", "--target", "xc5v")
    command = [sys.executable, "-m", "wideblock", "sweep", "aes128-sdc", "karatsuba", *targets]
    command += ["--workers", "1", "--store", path]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not path.exists() and first.poll() is None:
        time.sleep(0.1)
    first.terminate()
    _, errors = first.communicate(timeout=60)
    assert first.returncode == 128 + signal.SIGTERM and "stopped by SIGTERM" in errors
    before = load(path)
    assert 1 <= len(before) < 4
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and f"{4 - len(before)} measured, 0 failed, {len(before)} stored before" in done.stdout
    assert len({point.identity.key for point in load(path)}) == len(load(path)) == 4


STAND_IN = """
import time
from pathlib import Path
from wideblock.evaluate import run
from wideblock.evaluate.point import Failure, Point

def attempt(identity):
    time.sleep(0.5)
    with open({log!r}, "a") as log:
        log.write(identity.key + "\\n")
    return Point(identity, None, Failure("measured by a stand-in", ""))

run.attempt = attempt
"""


@pytest.mark.slow
@pytest.mark.wants("distributed")
def test_a_scheduler_measures_and_a_killed_sweep_goes_on(tmp_path):
    """A scheduler and two workers by hand; sweep and one worker are killed in the middle."""
    points, log, preload, address = (tmp_path / name for name in ("points.jsonl", "log", "stand_in.py", "scheduler"))
    preload.write_text(STAND_IN.format(log=str(log)))
    python = [sys.executable, "-m"]
    command = [*python, "wideblock", "sweep", "xts-enc", "--target", "xc7", "--target", "ecp5", "--seeds", "20"]
    command += ["--store", points, "--scheduler"]
    with ExitStack() as processes:

        def start(*arguments):
            process = subprocess.Popen(arguments, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            processes.callback(process.wait)
            processes.callback(process.kill)
            return process

        place = ("--host", "127.0.0.1", "--port", "0")
        file = ("--scheduler-file", address)
        start(*python, "distributed.cli.dask_scheduler", *place, "--no-dashboard", *file)
        alone = ("--no-nanny", "--no-dashboard")
        workers = [
            start(*python, "distributed.cli.dask_worker", *file, "--nthreads", "1", *alone, "--preload", preload)
            for _ in range(2)
        ]
        wait_for(address.exists)
        command.append(json.loads(address.read_text())["address"])
        first = start(*command)
        wait_for(lambda: points.exists() and len(load(points)) >= 4)
        first.kill()
        workers[0].kill()
        first.wait()
        before = load(points)
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert 4 <= len(before) < 21
    said = f"0 measured, {21 - len(before)} failed, {len(before)} stored before"
    assert done.returncode == 1 and said in done.stdout, done.stderr
    keys = [point.identity.key for point in load(points)]
    assert len(keys) == len(set(keys)) == 21
    assert all(point.failure.reason == "measured by a stand-in" for point in load(points))


def wait_for(condition):
    assert any(condition() or time.sleep(0.1) for _ in range(600))
