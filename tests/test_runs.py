# SPDX-License-Identifier: Apache-2.0
"""Records of long commands, and their table in the test plan."""

import subprocess
import sys

import pytest

from . import runs as module
from .digests import tree
from .runs import TARGETS, record, runs

pytestmark = pytest.mark.shows("documents")


def test_a_record_has_status_last_line_and_time_of_a_command(capfd):
    burn = "import time\nwhile time.process_time() < 0.3: pass\nprint('one'); print('12 cases, PASS'); print()"
    found = record([sys.executable, "-c", burn])
    assert capfd.readouterr().out == "one\n12 cases, PASS\n\n"
    assert (found["status"], found["last"], found["tree"]) == (0, "12 cases, PASS", tree())
    assert 0.3 <= found["seconds"] < 30
    failed = record([sys.executable, "-c", f"print('no {module.ROOT}/build'); raise SystemExit(3)"])
    assert (failed["status"], failed["last"]) == (3, "no build")


def test_the_table_has_a_row_for_each_command_and_what_was_not_run():
    ran = {"began": "2001-02-03 04:05:06", "seconds": 120.0, "last": "a | b", "commit": "0123", "tree": tree()}
    text = runs({"soc": {**ran, "status": 0}, "verify SECTORS=10": {**ran, "status": 2, "tree": "4567"}})
    soc, verify = (next(line for line in text.splitlines() if f"`make {name}" in line) for name in ("soc", "verify"))
    assert soc.endswith("| passed | 2.0 | a / b | 2001-02-03, commit 0123, today's files |")
    assert verify.startswith("| `make verify SECTORS=10` |") and "| status 2 |" in verify
    assert verify.endswith("files before today's |")
    assert text.count("| not recorded | - | - | - |") == len(TARGETS) - 2


def test_another_target_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "tests.runs", "soc", "tests"], capture_output=True, text=True, cwd=module.ROOT
    )
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == f"no long command 'tests'; there are {', '.join(TARGETS)}\n"
