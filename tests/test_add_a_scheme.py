# SPDX-License-Identifier: Apache-2.0
"""The page "Add a scheme" does what it says: its files make a scheme that every command knows."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.shows("rooms")

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "add-a-scheme.md").read_text()
FILES = dict(re.findall(r"^`(src/wideblock/\S+\.py)`:\n\n```python\n(.*?)^```$", PAGE, re.M | re.S))
COMMANDS = "".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)).splitlines()


@pytest.fixture(scope="module")
def wideblock(tmp_path_factory):
    """The command line of a copy of the package that has the page's files."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in FILES.items():
        assert not (folder / name).exists()
        (folder / name).write_text(text)
    (folder / "key.hex").write_text(bytes(range(32)).hex() + "\n")
    (folder / "plain.img").write_bytes(bytes(range(96)) * 4)

    def run(command):
        program, *arguments = command.split()
        assert program == "wideblock"
        return subprocess.run(
            [sys.executable, "-c", "from wideblock.cli import main; main()", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder / "src")},
            capture_output=True,
            text=True,
        )

    return run


@pytest.mark.parametrize("scheme", ["xex3", "hctr1"])
def test_a_scheme_of_the_page_has_three_files_of_less_than_150_lines(scheme):
    files = {name: text for name, text in FILES.items() if Path(name).stem == scheme}
    assert [Path(name).parent.name for name in files] == ["spec", "tes", "catalog"] and len(FILES) == 6
    assert sum(text.count("\n") for text in files.values()) < 150


def test_the_files_make_a_scheme_that_is_listed_and_generated(wideblock):
    quick = [command for command in COMMANDS if command.split()[1] in ("list", "info", "generate")]
    assert {command.split()[1] for command in quick} == {"list", "info", "generate"}
    for command in quick:
        done = wideblock(command)
        assert done.returncode == 0, f"{command}: {done.stderr}"
    refused = wideblock("wideblock info hctr1-1s --set hash=brw --set width=2")
    assert refused.returncode == 1 and refused.stderr.startswith("wideblock: HCTR1 needs hash=horner")


@pytest.mark.slow
def test_every_command_of_the_page(wideblock, tmp_path):
    """And the image that the core enciphered comes back by the specification."""
    used = {command.split()[1] for command in COMMANDS}
    assert used == {"list", "info", "generate", "verify", "measure", "encrypt", "prove"}
    for command in COMMANDS:
        done = wideblock(command)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        if command.split()[1] == "list":
            assert "xex3-enc" in done.stdout and "Security of XEX3 (benchmark only)" in done.stdout
    options = "--set sector_bytes=96 --key @key.hex --engine spec"
    done = wideblock(f"wideblock decrypt xex3-enc {options} --in cipher.img --out {tmp_path}/plain.img")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "plain.img").read_bytes() == bytes(range(96)) * 4
