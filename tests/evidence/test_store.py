# SPDX-License-Identifier: Apache-2.0
"""The store of evidence: what goes in comes out, and nothing is lost."""

import errno
import json
import os
import subprocess
import sys
from unittest.mock import Mock

import pytest

from wideblock.errors import UserError
from wideblock.evidence import store
from wideblock.evidence.store import COMMITTED, add, check, load, newest

pytestmark = pytest.mark.shows("evaluation")


def test_what_goes_in_comes_out(tmp_path, proof):
    path = tmp_path / "new" / "evidence.jsonl"
    results = [proof(), proof("poet", outcome="failed", changed={"ports": "axi4-stream"}), proof(outcome="none")]
    for each in results:
        add(path, each)
    assert load(path) == results
    assert [each.json() for each in results] == path.read_text().splitlines()
    assert list(newest(results).values()) == [results[1], results[2]]


def test_a_result_is_of_one_circuit_and_one_code(proof):
    assert proof().is_of("1:a", "rules")
    assert not proof().is_of("1:b", "rules") and not proof().is_of("1:a", "other rules")
    assert not proof(circuit=None, code=None).is_of(None, None)


def test_the_package_has_evidence_and_marks_older_digests():
    circuits = [each.circuit for each in load(COMMITTED)]
    assert len(circuits) > 800 and all(c is None or c.startswith(("text:", "1:")) for c in circuits)


def test_a_missing_store(tmp_path):
    assert load(tmp_path / "none", missing_ok=True) == []
    with pytest.raises(FileNotFoundError, match="none"):
        load(tmp_path / "none")


@pytest.mark.parametrize("path", ["/dev/zero", "/"])
def test_what_is_no_file_is_no_store(path):
    with pytest.raises(UserError, match=f"^{path} is no regular file; a store of evidence is one$"):
        load(path, missing_ok=True)


@pytest.mark.parametrize(
    "change, reason",
    [
        (lambda c: "{", "Expecting"),
        (lambda c: b"\xff\n", "utf-8"),
        (lambda c: b"[" * 200_000 + b"\n", "recursion"),
        (lambda c: [], "a JSON object is wanted, got list"),
        (lambda c: {k: v for k, v in c.items() if k != "circuit"}, "field circuit is missing"),
        (lambda c: c | {"mood": 1}, "there is no field mood"),
        (lambda c: c | {"kind": "rumour"}, "'rumour' is not a valid EvidenceKind"),
        (lambda c: c | {"outcome": "good"}, "outcome must be one of passed, failed, none, got 'good'"),
        (lambda c: c | {"method": 1}, "method must be an object, got 1"),
        (lambda c: c | {"tools": "Yosys"}, "tools must be a list, got 'Yosys'"),
        (lambda c: c | {"tools": ["Yosys", 3]}, "tools must be texts, got"),
        (lambda c: c | {"core": None}, "core must be text, got None"),
        (lambda c: c | {"circuit": 1}, "circuit must be text or null, got 1"),
        (lambda c: c | {"seconds": "1"}, "seconds must be a number or null, got '1'"),
    ],
)
def test_a_corrupt_line_is_named(tmp_path, proof, change, reason):
    path = tmp_path / "evidence.jsonl"
    add(path, proof())
    bad = change(json.loads(proof().json()))
    bad = bad if isinstance(bad, bytes) else (bad if isinstance(bad, str) else json.dumps(bad)).encode() + b"\n"
    path.write_bytes(path.read_bytes() + bad)
    with pytest.raises(UserError, match=reason) as error:
        load(path)
    assert f"{path}, line 2 is no evidence of this version: " in str(error.value) and "\n" not in str(error.value)


def test_a_store_that_takes_no_result_is_refused_before_the_work(tmp_path, monkeypatch):
    notes, pipe, new = (tmp_path / name for name in ("notes.txt", "pipe", "new.jsonl"))
    notes.write_text("my notes\n")
    os.mkfifo(pipe)
    check(new)
    assert not new.exists()
    with pytest.raises(UserError, match="notes.txt, line 1 is no evidence"):
        check(notes)
    with pytest.raises(UserError, match="pipe is no regular file"):
        check(pipe)
    new.touch()
    monkeypatch.setattr(store.os, "access", lambda path, mode: False)  # root may write anything
    with pytest.raises(PermissionError) as error:
        check(new)
    assert error.value.filename == str(new)


def test_a_last_line_without_its_end_is_kept(tmp_path, proof):
    path = tmp_path / "evidence.jsonl"
    path.write_text(proof().json())
    add(path, proof("poet"))
    assert load(path) == [proof(), proof("poet")]


def test_a_full_disk_leaves_the_store_as_it_was(tmp_path, proof, monkeypatch):
    path = tmp_path / "evidence.jsonl"
    add(path, proof())
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store.os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as error:
        add(path, proof("poet"))
    assert error.value.filename == str(path)
    assert path.read_bytes() == before


WRITER = """
import sys
from unittest.mock import Mock
from wideblock.evidence.record import from_json
from wideblock.evidence.store import add
for number in range(100):
    add(sys.argv[2], from_json(sys.argv[1].replace('"timing"', '"%d"' % number)))
"""


def test_two_writers_lose_nothing(tmp_path, proof):
    path = tmp_path / "evidence.jsonl"
    names = "xts-enc", "poet"
    lines = [proof(name).json() for name in names]
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, line, path]) for line in lines]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    seen = {(each.core, each.subject) for each in load(path)}
    assert seen == {(name, str(k)) for name in names for k in range(100)} and len(load(path)) == 200


def test_a_file_system_without_locks_can_be_read(tmp_path, proof, monkeypatch):
    add(tmp_path / "store.jsonl", proof())
    monkeypatch.setattr(store.fcntl, "flock", Mock(side_effect=OSError(errno.ENOLCK, "no locks available")))
    assert len(load(tmp_path / "store.jsonl")) == 1
