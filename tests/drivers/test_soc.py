# SPDX-License-Identifier: Apache-2.0
"""The example SoC runs its firmware, finds a wrong answer, and says what it lacks; the page's example compiles."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wideblock.export.registers import DRIVER

from .test_driver import compiled

pytestmark = pytest.mark.shows("driver")

ROOT = Path(__file__).parents[2]
COMPILER = "riscv64-unknown-elf-gcc"
PASS, FAIL = 1, 2


def made(*arguments):
    command = ["make", "--no-print-directory", "soc", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)


def test_example_of_the_page_compiles(tmp_path):
    (source,) = re.findall(r"```c\n(.*?)```", (ROOT / "docs" / "driver.md").read_text(), re.S)
    (tmp_path / "example.c").write_text(source)
    flags = ["-std=c11", "-ffreestanding", "-c", "-o", tmp_path / "example.o"]
    compiled(tmp_path, tmp_path / "example.c", flags=flags)


def test_page_has_every_call():
    headers = "".join(path.read_text() for path in DRIVER.glob("*.h"))
    calls = set(re.findall(r"^\w.*?\b(wideblock_\w+)\(", headers, re.M))
    assert len(calls) > 25
    assert calls - set(re.findall(r"`(wideblock_\w+)`", (ROOT / "docs" / "driver.md").read_text())) == set()


def test_a_missing_compiler_is_one_line():
    result = made("RISCV_GCC=no-such-gcc")
    assert result.returncode != 0 and result.stdout == ""
    line, *others = result.stderr.splitlines()
    assert "needs no-such-gcc" in line and "gcc-riscv64-unknown-elf" in line
    assert all(other.startswith("make") for other in others)


@pytest.fixture(scope="module")
def soc(tmp_path_factory):
    """What ``make soc`` printed, and its folder, in which an engine with a master was before."""
    folder = tmp_path_factory.mktemp("soc")
    (folder / "wideblock_dma.c").write_text("#error of another engine\n")
    result = made(f"SOC_FOLDER={folder}")
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout, folder


@pytest.mark.slow
@pytest.mark.wants(COMPILER)
def test_firmware_passes(soc):
    printed, _ = soc
    lines = [line.split(maxsplit=1) for line in printed.splitlines()]
    assert [line[1] for line in lines if line[1] == "PASS"] == ["PASS"]
    assert sum(text.startswith("ok ") for _, text in lines) > 30
    assert "WRONG" not in printed


@pytest.mark.slow
@pytest.mark.wants(COMPILER)
@pytest.mark.usefixtures("soc")
@pytest.mark.parametrize(
    "core", ["aez-2ts-k", "eme2-2s-k", "fast-brw-2s-k", "hctr2-2s-k", "heh-brw-2s-k", "hmch-brw-2s-k"]
)
def test_firmware_passes_on_an_engine_of_whole_sectors(core, tmp_path):
    result = made(f"SOC_FOLDER={tmp_path}", f"SOC_OPTIONS=--core {core} --sector-bytes 512")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "halves is a key as any other" in result.stdout and "WRONG" not in result.stdout


@pytest.mark.slow
@pytest.mark.wants(COMPILER)
@pytest.mark.usefixtures("soc")
def test_firmware_gives_jobs_to_the_master(tmp_path):
    result = made(f"SOC_FOLDER={tmp_path}", "SOC_OPTIONS=--dma")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "ok    64 jobs under two keys in turn are done, in order" in result.stdout and "WRONG" not in result.stdout


@pytest.mark.slow
@pytest.mark.wants(COMPILER)
def test_firmware_finds_a_wrong_answer(soc, monkeypatch, tmp_path):
    """A bit of an answer in the ROM is turned."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "drivers" / "soc"))
    run = loaded(ROOT / "drivers" / "soc" / "run.py")
    _, folder = soc
    for path in folder.glob("soc*"):
        (tmp_path / path.name).write_text(path.read_text())
    words = (folder / "soc_rom.init").read_text().split()
    (core,) = folder.glob("xts_*.v")
    header = (folder / "known_answers.h").read_text()
    sealed = re.search(r"OTHER_SECTOR = \{0u, 512u, .*, BYTES \{([\d,]*)\}\};", header)[1]
    word = bytes(map(int, sealed.split(",")[:4]))[::-1].hex()
    assert words.count(word) == 1
    words[words.index(word)] = f"{int(word, 16) ^ 1:08x}"
    (tmp_path / "soc_rom.init").write_text("\n".join([*words, ""]))
    assert run.simulate(tmp_path, core.read_text()) == FAIL


def loaded(path):
    """The module of a file that is in no package."""
    spec = importlib.util.spec_from_file_location(f"soc_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    monkeyed = sys.modules.setdefault(spec.name, module)
    spec.loader.exec_module(monkeyed)
    return monkeyed
