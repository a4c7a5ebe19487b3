# SPDX-License-Identifier: Apache-2.0
"""Tools of a flow: what they leave, and a disk that is full."""

import errno
import sys
from collections import namedtuple

import pytest

from wideblock.synth import process

pytestmark = pytest.mark.shows("evaluation")

PROGRAM = "import sys, tempfile; print(tempfile.gettempdir()); sys.exit(int(sys.argv[1]))"


def run(tmp_path, code):
    log = tmp_path / "log"
    process.run("tool", [sys.executable, "-c", PROGRAM, str(code)], cwd=tmp_path, log=log)
    return log.read_text().strip()


def test_files_of_a_tool_lie_in_its_workspace(tmp_path):
    assert run(tmp_path, 0) == str(tmp_path)


def test_a_failure_on_a_full_disk_is_no_failure_of_the_core(tmp_path, monkeypatch):
    with pytest.raises(process.FlowError, match="tool failed: exit code 3"):
        run(tmp_path, 3)
    monkeypatch.setattr(process.shutil, "disk_usage", lambda path: namedtuple("Usage", "free")(0))
    with pytest.raises(OSError) as error:
        run(tmp_path, 3)
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(tmp_path))
