# SPDX-License-Identifier: Apache-2.0
"""A renewal stores each result at once, goes on after a failed run, keeps to its time, and is alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from wideblock.errors import UserError
from wideblock.evidence import today
from wideblock.evidence.record import EvidenceKind
from wideblock.evidence.store import load
from wideblock.renewal.plan import plan
from wideblock.renewal.run import alone, renew
from wideblock.simulation.bench import SimulationError
from wideblock.synth.process import FlowError

from .conftest import evidence

pytestmark = pytest.mark.shows("evaluation")


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(today, "sources", lambda: "now")
    monkeypatch.setenv("WIDEBLOCK_CACHE", str(tmp_path))
    return tmp_path / "evidence.jsonl"


def tasks(names, store):
    found = load(store, missing_ok=True)
    return plan(names, [EvidenceKind.PROOF], found, today.listed(store).get("circuits", {})).tasks


def test_a_renewal_that_is_stopped_goes_on(toy, store):
    toy.raising = {4: KeyboardInterrupt()}
    with pytest.raises(KeyboardInterrupt):
        renew(tasks("ab", store), store, {})
    stored = [(each.core, each.subject) for each in load(store)]
    assert stored == [("a", "order"), ("a", "timing"), ("b", "order")]
    assert today.listed(store) == {"sources": "now", "circuits": {"a": "1:a", "b": "1:b"}}
    toy.asked.clear()
    done = renew(tasks("ab", store), store, today.kept(store))
    assert toy.asked == [("b", "timing")] and len(done.found) == 1
    assert tasks("ab", store) == ()


@pytest.mark.parametrize("error", [FlowError("Yosys failed: no memory"), SimulationError("the core is stuck")])
def test_a_run_that_fails_does_not_end_the_renewal(toy, store, caplog, error):
    caplog.set_level("INFO")
    toy.raising = {1: error}
    toy.answers = lambda questions, answers=toy.answers: (
        each if each.core != "b" else evidence("b", each.subject, outcome="failed") for each in answers(questions)
    )
    done = renew(tasks("ab", store), store, {})
    assert done.broken == [f"proof of a: {error}"]
    assert [each.outcome for each in done.failed] == ["failed", "failed"]
    assert caplog.messages == ["1 of 2, proof of a: could not run", "2 of 2, proof of b: 2 failed"]


def test_a_run_that_would_take_too_long_or_cannot_run_is_left_out(toy, store):
    toy.blocked = {"c": "no such tool"}
    told = []
    done = renew(tasks("abc", store), store, {}, minutes=0.2, progress=lambda *each: told.append(each))
    assert done.left == 3 and toy.asked == [] and told[0] == ("proof of a, about 14 s", 0, 3)
    done = renew(tasks("abc", store), store, {}, minutes=1)
    assert done.left == 1 and {core for core, _ in toy.asked} == {"a", "b"}


def test_the_order_of_changes_does_not_matter(toy, store):
    """A core has them in the order of its parameters, the store in that of their names."""
    toy.changed = {"sector_bytes": 64, "sbox": "norm"}
    renew(tasks(["xts-enc"], store), store, {})
    assert today.listed(store)["circuits"].keys() == {each.name for each in load(store)} and len(load(store)) == 2
    toy.changed = {"sbox": "norm", "sector_bytes": 64}
    assert tasks(["xts-enc"], store) == ()


def test_tasks_that_run_at_a_time_are_stored_and_counted_as_one_after_another(toy, store, caplog, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])  # the processes find the toy there
    caplog.set_level("INFO")
    toy.raising = {2: UserError("no such core")}  # each process has a toy of its own
    told = []
    done = renew(tasks("abcd", store), store, {}, jobs=2, progress=lambda *each: told.append(each[1:]))
    assert toy.asked == [] and told == [(n, 4) for n in range(4)]
    assert sorted(done.broken) == [f"proof of {core}: no such core" for core in "abcd"]
    assert sorted((each.core, each.subject) for each in load(store)) == [(core, "order") for core in "abcd"]
    assert len(caplog.messages) == done.tasks == 4 and len(done.found) == 4
    assert today.listed(store)["circuits"] == {core: f"1:{core}" for core in "abcd"}


OTHER = """
import sys
from pathlib import Path
from wideblock.renewal.run import alone
with alone(Path(sys.argv[1])):
    print("alone", flush=True)
    sys.stdin.read()
"""


def test_two_renewals_of_one_store_exclude_each_other(store, tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", OTHER, store], **pipes) as other:
        assert other.stdout and other.stdout.readline() == "alone\n"
        with pytest.raises(UserError, match=f"another process renews {store}; "), alone(store):
            pass
        with alone(tmp_path / "another.jsonl"):
            pass
        other.kill()  # whatever ends it, its right ends with it
        other.wait()
        with alone(store):
            pass
