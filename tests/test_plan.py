# SPDX-License-Identifier: Apache-2.0
"""The test plan is complete: every feature has tests, and every mark a feature. Parts of runs and their records."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .digests import of_file, tree
from .plan import features, last, main, old, plan, slow_files
from .variants import SLOW, over, part_of

TESTS = Path(__file__).parent
MARK = re.compile(r"mark\.shows\(([^)]*)\)")


def marked():
    found = set()
    for path in TESTS.rglob("test_*.py"):
        for arguments in MARK.findall(path.read_text()):
            found |= set(re.findall(r'"([\w-]+)"', arguments))
    return found


def record(passed, *, part=None, began="2001-02-03 04:05:06", commit="0123456789ab", failed=0, collected=None, **more):
    outcomes = {"passed": passed, "failed": failed} if failed else {"passed": passed}
    run = {"began": began, "commit": commit, "chosen": "", "part": part, "outcomes": outcomes, "features": {}}
    return {**run, "collected": collected or passed + failed, **more}


def test_every_feature_is_shown_and_every_mark_is_a_feature():
    assert marked() == set(features())


def test_the_document_has_a_row_for_each_feature_and_says_what_was_not_run():
    lint = {"files": ["tests/export/test_verilog.py"], "outcomes": {"passed": 29}}
    few = record(6849, chosen="not slow", outcomes={"skipped": 5, "passed": 6849}, features={"lint": lint})
    text = plan(few, [])
    assert all(feature["feature"] in text for feature in features().values())
    assert "| `tests/export/test_verilog.py` | 29 passed, 0 failed | none |" in text and "| - | none | none |" in text
    assert "- `make test` of 2001-02-03, commit 0123456789ab: 6,849 passed, 0 failed, 5 skipped.\n" in text
    assert "- `make test-all` is not recorded.\n" in text


def test_the_document_has_the_counts_without_and_with_the_programs_that_cases_want(tmp_path):
    lint = {"files": ["tests/export/test_verilog.py"], "outcomes": {"passed": 1, "skipped": 2}}
    few = record(5, chosen="not slow", commit=None, outcomes={"passed": 5, "skipped": 3}, features={"lint": lint})
    few |= {"wants": {"iverilog": {"skipped": 2}, "git": {"skipped": 1}}, "skipped": {"a": ["git"]}, "after": None}
    ran = {"lint": {**lint, "outcomes": {"passed": 2}}}
    again = record(2, began="2001-02-04 00:00:00", features=ran, wants={"iverilog": {"passed": 2}}, after=few["began"])
    paths = [tmp_path / name for name in ("plan.md", "kept.json", "few.json", "again.json", "other.json")]
    other = {**again, "after": "2000-01-01 00:00:00", "outcomes": {"failed": 9}}
    for path, content in zip(paths[2:], (few, again, other), strict=True):
        path.write_text(json.dumps(content))
    main(paths[0], paths[1], paths[2:])
    text = paths[0].read_text()
    assert "- `make test` of 2001-02-03, commit 0123456789ab: 7 passed, 0 failed, 1 skipped.\n" in text
    assert (
        "without them: 5 passed, 0 failed, 3 skipped. The skipped cases with those of the whole machine: 2 pass" in text
    )
    assert "| `iverilog` | 2 | 2 passed, 0 failed |\n| `git` | 1 | none |\n" in text
    assert "| `tests/export/test_verilog.py` | 3 passed, 0 failed | none |" in text
    assert json.loads(paths[1].read_text()) == []


def test_the_document_sums_up_the_parts_of_a_run():
    lint = {"files": ["tests/export/test_verilog.py"], "outcomes": {"passed": 2}}
    parts = [record(10, part=f"{k}/3", began=f"2001-02-0{k} 00:00:00", features={"lint": lint}) for k in (1, 2, 3)]
    said = "`make test-all` in 3 parts, 2001-02-01 to 2001-02-03, commit 0123456789ab: 30 passed, 0 failed.\n"
    assert said in plan(None, parts) and "| `tests/export/test_verilog.py` | none | 6 passed, 0 failed |" in plan(
        None, parts
    )


def test_the_document_names_parts_that_are_missing_or_killed_or_of_another_commit():
    text = plan(None, [record(10, part="1/3"), record(4, part="3/3", commit="ba9876543210", failed=1, collected=9)])
    assert "- `make test-all`, parts 2 of 3 not recorded: 14 passed, 1 failed.\n" in text
    assert "  - part 1/3 of 2001-02-03, commit 0123456789ab: 10 passed, 0 failed.\n" in text
    assert "commit ba9876543210: 4 passed, 1 failed; not finished: 5 of 9 tests.\n" in text


def test_the_last_run_is_the_one_that_began_last_with_the_newest_record_of_each_part():
    old, new, again = (
        record(1, began=f"2001-01-0{k} 00:00:00", part=part) for k, part in enumerate(("1/2", "2/2", "1/2"), 1)
    )
    whole, other = record(9, began="2001-01-02 12:00:00"), record(9, began="2001-01-02 00:00:00", part="1/7")
    assert last([again, whole, old, new, other]) == [again, new]
    assert last([old, whole, new]) == [whole] and last([]) == []


def test_the_last_whole_run_stays_in_the_document(tmp_path):
    """When the tests were run again, but not all of them."""
    few, one, two = (tmp_path / name for name in ("tests.json", "test-all-1-of-2.json", "test-all-2-of-2.json"))
    few.write_text(json.dumps(record(5, chosen="not slow")))
    one.write_text(json.dumps(record(7, part="1/2")))
    two.write_text(json.dumps(record(8, part="2/2")))
    document, kept = tmp_path / "plan.md", tmp_path / "test-all.json"
    main(document, kept, [few, one, two])
    assert "in 2 parts, 2001-02-03, commit 0123456789ab: 15 passed, 0 failed." in document.read_text()
    first = document.read_text()
    main(document, kept, [few])
    assert document.read_text() == first


def test_a_feature_says_whether_its_slow_cases_ran_on_the_files_of_today():
    lint = {"files": ["tests/export/test_verilog.py"], "outcomes": {"passed": 2}, "slow": 1}
    one, two = ({"features": {"lint": lint}, "tree": of} for of in (tree(), "0123"))
    path = lint["files"][0]
    row = "| `tests/export/test_verilog.py` | none | {} passed, 0 failed | {} |"
    for whole, said in (
        ([record(2, **one)], row.format(2, "today's files")),
        ([record(2, **two)], row.format(2, "before today's files")),
        ([record(2, **two, slow={path: of_file(path)})], row.format(2, "today's cases")),
        ([record(2, **two, slow={path: "0123"})], row.format(2, "before today's files")),
        ([record(2, part="1/2", **one), record(2, part="2/2", **two)], row.format(4, "before in part today's files")),
        ([record(2, features={"lint": {**lint, "slow": 0}})], row.format(2, "-")),
    ):
        assert said in plan(None, whole)


def test_slow_cases_that_were_not_run_as_they_are_today_are_listed():
    files = {"a.py": "1", "b.py": "2", "c.py": "3", "d.py": "4"}
    one = record(1, part="1/3", slow={"a.py": "1", "b.py": "2", "c.py": "3"})
    three = record(1, part="3/3", collected=2, slow={"a.py": "1", "b.py": "0"})
    before = record(9, began="2000-01-01 00:00:00", slow=files)
    assert old([before, one, three], files) == [
        "part 2 of 3 is not recorded",
        "part 3/3; not finished: 1 of 2 tests",
        "b.py: has changed since its slow cases ran",
        "d.py: no slow case is recorded",
    ]
    assert old([before], files) == [] and old([record(1)], {"a.py": "1"}) == ["a.py: no slow case is recorded"]


def test_files_with_slow_cases_are_found():
    found = slow_files()
    assert {"tests/verify/engine/test_suite.py", "tests/verify/formal/test_stream.py"} <= found.keys()
    assert "tests/spec/test_aes.py" not in found and "tests/test_rooms.py" not in found
    assert all(digest == of_file(path) and len(digest) == 16 for path, digest in found.items())


def test_parts_are_the_whole_and_have_as_many_slow_tests_each():
    tests = [f"{'slow' if k % 7 < 3 else 'fast'}{k}" for k in range(100)]

    def slow(name):
        return name.startswith("slow")

    for n in (1, 2, 5, 7):
        parts = [part_of(tests, k, n, slow) for k in range(1, n + 1)]
        assert sorted(sum(parts, [])) == sorted(tests) and len(set(map(len, parts))) <= 2
        assert max(sum(map(slow, part)) for part in parts) - min(sum(map(slow, part)) for part in parts) <= 1
        assert all(part == sorted(part, key=tests.index) for part in parts)


def pytest_of(tmp_path, *arguments):
    """pytest with the settings of these tests over a file of others."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-c", "/dev/null", *map(str, arguments)]
    return subprocess.run([*command, tmp_path], capture_output=True, text=True, cwd=TESTS.parent)


def test_parts_of_a_run_and_their_records(tmp_path):
    """A part that is killed has recorded how far it came, and leaves the records of the others."""
    (tmp_path / "conftest.py").write_text("import tests.conftest\ntests.conftest.EVERY = 0\n")
    (tmp_path / "test_few.py").write_text(
        "import os, signal, pytest\nfrom tests import variants\n"
        "@variants.SLOW[0]\n"
        "@pytest.mark.parametrize('k', range(3))\n"
        "def test_right(k): pass\n"
        "def test_wrong(): assert False\n"
        "def test_killed(): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    file = tmp_path / "all.json"
    runs = [pytest_of(tmp_path, f"--record={file}", "--part", f"{k}/2") for k in (1, 2)]
    assert "3 deselected" in runs[1].stdout and runs[0].returncode == -9 and runs[1].returncode == 1, runs
    one, two = (json.loads((tmp_path / f"all-{k}-of-2.json").read_text()) for k in (1, 2))
    assert (one["part"], one["collected"], one["outcomes"]) == ("1/2", 3, {"passed": 2})
    assert [name.rpartition("/")[2] for name in one["slow"]] == ["test_few.py"] and one["tree"] == two["tree"] == tree()
    assert (two["part"], two["collected"], two["outcomes"]) == ("2/2", 2, {"passed": 1, "failed": 1})
    assert pytest_of(tmp_path, "--part", "3/2").returncode == 4


def test_a_case_over_many_rows_names_the_one_that_failed(tmp_path):
    """Each row of each stacked line is run, with fixtures, until one fails."""
    (tmp_path / "test_rows.py").write_text(
        "import pytest\nfrom tests.variants import over\n"
        "ran = []\n"
        "@over('n, m', [(1, 2), pytest.param(3, 4, id='three')])\n"
        "@over('k', range(2))\n"
        "def test_right(tmp_path, n, m, k): ran.append((n, m, k)); assert tmp_path.exists()\n"
        "def test_all(): assert ran == [(1, 2, 0), (1, 2, 1), (3, 4, 0), (3, 4, 1)]\n"
        "@over('n', [5, pytest.param(6, id='six'), 7])\n"
        "@over('k', 'ab')\n"
        "def test_wrong(n, k): n == 6 and k == 'b' and pytest.fail('never')\n"
    )
    said = pytest_of(tmp_path)
    assert "1 failed, 2 passed" in said.stdout, said
    assert "in row k='b'\n" in said.stdout and "in row six\n" in said.stdout and "in row k='a'" not in said.stdout


def test_rows_that_cannot_be_one_case_are_refused():
    with pytest.raises(ValueError, match="^a test over n, m must have a row, got none$"):
        over("n, m", [])
    with pytest.raises(ValueError, match="^a row has no marks, which are those of the case, got "):
        over("n", [pytest.param(1, marks=SLOW)])
