# SPDX-License-Identifier: Apache-2.0
"""The driver of Linux: its registers are the engine's, it compiles without a warning, and what is missing is said."""

import re
import shutil
import subprocess

import pytest

from wideblock.api import preset
from wideblock.export.header import c_header

from .linux import kernel
from .linux.run import planted

pytestmark = pytest.mark.shows("driver")


def test_registers_are_those_of_the_core():
    core = preset("xts-both-k").changed(registers="axi4-lite", slots=16, dma="axi4")
    header = c_header("toy", core.contract.registers)
    made = re.findall(r"^(?:#define|  ) ?WIDEBLOCK_(\w+) (?:= )?(\w+)", header, re.M)
    used = re.findall(r"^#define ((?:KEY|ENGINE|DMA)_\w+)\s+(\w+)$", (kernel.DRIVER / "regs.h").read_text(), re.M)
    assert len(used) > 40 and {name: dict(made).get(name) for name, _ in used} == dict(used)


@pytest.mark.wants("linux headers")
def test_module_compiles_without_a_warning(tmp_path):
    for path in kernel.DRIVER.iterdir():
        shutil.copy(path, tmp_path)
    command = ["make", "-s", "-C", str(kernel.headers()), f"M={tmp_path}", "W=1", "modules"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0 and (tmp_path / "wideblock.ko").exists(), result.stderr
    assert [line for line in result.stderr.splitlines() if "BTF" not in line] == []


@pytest.mark.slow
@pytest.mark.wants("linux sources")
def test_checkpatch_has_no_remark(tmp_path):
    needed = [f"*/scripts/{name}" for name in ("checkpatch.pl", "const_structs.checkpatch", "spelling.txt")]
    kernel.run("tar", "-xJf", kernel.SOURCES, "--strip-components=2", "--wildcards", *needed, where=tmp_path)
    command = ("perl", tmp_path / "checkpatch.pl", "--no-tree", "--terse", "--no-summary", "-f")
    assert kernel.run(*command, *kernel.DRIVER.glob("*.[ch]")) == ""
    (tmp_path / "wrong.c").write_text("// SPDX-License-Identifier: GPL-2.0-only\nint a; \n")
    with pytest.raises(kernel.ToolError, match="trailing whitespace"):
        kernel.run(*command, tmp_path / "wrong.c")


def test_what_is_missing_is_named_with_its_package(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(kernel, "SOURCES", tmp_path / "linux.tar.xz")
    lacking = kernel.missing()
    assert "flex (flex)" in lacking and any("linux-source-6.12" in each for each in lacking)


def test_a_fault_has_one_place():
    assert planted("a b", "b", "c") == "a c"
    for text in ("a", "b b"):
        with pytest.raises(kernel.ToolError, match="the place of a planted fault"):
            planted(text, "b", "c")
