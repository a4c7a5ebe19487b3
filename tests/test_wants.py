# SPDX-License-Identifier: Apache-2.0
"""A test that wants more than the README names is skipped by its name, counted, and run where the program is."""

import json
import os
import re
from pathlib import Path

import pytest

from .plan import joined
from .test_plan import pytest_of
from .wants import PROGRAMS, WANTED, checked

TESTS = Path(__file__).parent
OTHER_WAYS = re.compile(r"skipif|pytest\.skip\(|importorskip|shutil\.which|find_spec\(")
OWN = (
    "wants.py",
    "test_wants.py",
    "conftest.py",
    "bench_nbd.py",
    "bench_native.py",
    "drivers/linux/kernel.py",
    "judges/linux.py",
    "native/harden.py",
)
"""Files that ask for programs themselves: commands of the Makefile, and the one place for tests."""


def test_no_test_asks_for_a_program_in_another_way():
    found = {path.relative_to(TESTS).as_posix(): OTHER_WAYS.findall(path.read_text()) for path in TESTS.rglob("*.py")}
    assert {name for name, ways in found.items() if ways} <= {*OWN}
    assert OTHER_WAYS.search("@pytest.mark.skipif(True)") and set(PROGRAMS) < set(WANTED)


def test_an_unknown_name_is_a_fault():
    """Its test would be skipped everywhere."""
    with pytest.raises(ValueError, match="a test wants 'iverlog', which tests/wants.py does not have"):
        checked(["iverlog"])


CASES = """import shutil, pytest
from tests.wants import refused
@pytest.mark.wants("iverilog", "qemu-img")
@pytest.mark.parametrize("k", range(3))
def test_wants(k): assert shutil.which("iverilog")
def test_right(): pass
def test_tries(): refused("mounts", "not permitted")
def test_hides(): pytest.skip("no colour")
"""


def test_skipped_cases_are_named_counted_and_run_where_their_programs_are(tmp_path, monkeypatch):
    (tmp_path / "test_few.py").write_text(CASES)
    bare, whole = tmp_path / "bare", tmp_path / "whole"
    for folder in (bare, whole):
        folder.mkdir()
    (bare / "qemu-img").symlink_to("/bin/false")  # a launcher without what it launches
    for name in ("iverilog", "qemu-img"):
        (whole / name).symlink_to("/bin/true")
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    monkeypatch.setenv("PATH", str(bare))
    first = pytest_of(tmp_path, f"--record={one}")
    lines = first.stdout.splitlines()
    for name, where, count in (("iverilog", "Debian's iverilog", 3), ("mounts", "a right", 1)):
        assert any(re.match(f"{count} skipped for want of {name} \\(.*{where}", line) for line in lines), first.stdout
    assert first.returncode == 1 and "a skipped test must name what it wants" in first.stdout
    assert re.match("1 failed, 1 passed, 4 skipped", lines[-1])
    record = json.loads(one.read_text())
    assert record["wants"] == {name: {"skipped": 3} for name in ("iverilog", "qemu-img")} | {"mounts": {"skipped": 1}}

    monkeypatch.setenv("PATH", os.pathsep.join([str(whole), str(bare)]))
    second = pytest_of(tmp_path, f"--record={two}", f"--skipped-in={one}")
    assert second.returncode == 0 and re.match("3 passed, 1 skipped, 2 deselected", second.stdout.splitlines()[-1])
    again = json.loads(two.read_text())
    assert again["after"] == record["began"] and again["wants"]["qemu-img"] == {"passed": 3}
    assert joined(record, again)["outcomes"] == {"failed": 1, "passed": 4, "skipped": 1}

    del record["skipped"]["test_few.py::test_tries"]
    one.write_text(json.dumps(record))
    monkeypatch.setenv("PATH", str(bare))
    nothing = pytest_of(tmp_path, f"--skipped-in={one}")
    assert nothing.returncode == 0 and "nothing to run: no program that a skipped case wants is here" in nothing.stdout
