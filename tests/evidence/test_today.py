# SPDX-License-Identifier: Apache-2.0
"""The list of today's circuits: made by the code that runs or made again, and only of cores that need it."""

import json

import pytest

from wideblock.errors import UserError
from wideblock.evidence import today
from wideblock.evidence.store import COMMITTED, load

from ..variants import few_of_many

pytestmark = pytest.mark.shows("evaluation")

LISTED = today.listed(COMMITTED)["circuits"]
CORES = today.wanted(load(COMMITTED))


def test_a_core_without_a_digest_of_its_circuit_is_not_exported(proof):
    small = {"sector_bytes": 64}
    peer = proof("a: b", method={"netlist": None, "origin": {"top": "b"}})
    results = [proof(), proof("poet", circuit="text:a"), proof("eme2-1", circuit=None), peer, proof(changed=small)]
    assert today.wanted(results) == {"xts-enc": ("xts-enc", {}), "xts-enc sector_bytes=64": ("xts-enc", small)}


def test_the_list_counts_if_this_code_made_it(tmp_path, monkeypatch):
    exported = []

    def circuit_of(core, changed):
        exported.append(core)
        if core == "gone":
            raise UserError("no preset gone")
        return f"1:{core}"

    monkeypatch.setattr(today, "circuit_of", circuit_of)
    monkeypatch.setattr(today, "sources", lambda: "now")
    store, cores = tmp_path / "evidence.jsonl", {name: (name, {}) for name in ("a", "b", "gone")}
    today.write(store, {"a": "1:listed"}, "now")
    assert today.circuits_of(store, cores, lambda done, total: None) == {"a": "1:listed", "b": "1:b"}
    assert exported == ["b", "gone"] and today.kept(store) == {"a": "1:listed"}
    monkeypatch.setattr(today, "sources", lambda: "later")
    assert today.circuits_of(store, cores, lambda done, total: None) == {"a": "1:a", "b": "1:b"}
    assert today.kept(store) == {} and json.loads((tmp_path / today.FILE).read_text())["sources"] == "now"
    assert today.listed(tmp_path / "other" / "evidence.jsonl") == {}


@pytest.mark.parametrize("content", [b"garbage", b"[]", b"\xff", b'{"circuits": 1}'])
def test_a_file_of_the_lists_name_that_is_no_list_is_refused(tmp_path, content):
    (tmp_path / "circuits.json").write_bytes(content)
    with pytest.raises(UserError, match="circuits.json must be the list of circuits of the store beside it"):
        today.kept(tmp_path / "store.jsonl")


def test_circuits_of_a_few_cores_leave_those_of_the_others(tmp_path, monkeypatch):
    store = tmp_path / "evidence.jsonl"
    monkeypatch.setattr(today, "sources", lambda: "now")
    today.update(store, {"a": "1:a", "b": "1:b"})
    today.update(store, {"b": "1:new"})
    assert today.kept(store) == {"a": "1:a", "b": "1:new"}
    monkeypatch.setattr(today, "sources", lambda: "later")
    today.update(store, {"b": "1:later"})
    assert today.listed(store)["circuits"] == {"a": "1:a", "b": "1:later"} and today.kept(store) == {}
    monkeypatch.setattr(today, "sources", lambda: "now")
    assert today.kept(store) == {}
    today.update(store, {"a": "1:a", "b": "1:b"})
    assert today.kept(store) == {"a": "1:a", "b": "1:b"}


def test_every_core_with_a_digest_is_listed():
    """`make docs` was run after the last change of the store."""
    assert LISTED.keys() <= CORES.keys() and all(today.today(name) == circuit for name, circuit in LISTED.items())


@pytest.mark.parametrize("name", few_of_many(sorted(LISTED), sorted(LISTED)[:1]))
def test_the_list_is_of_today(name):
    """`make docs` was run after the last change of the hardware."""
    assert LISTED[name] == today.circuit_of(*CORES[name])
