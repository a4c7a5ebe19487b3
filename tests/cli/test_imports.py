# SPDX-License-Identifier: Apache-2.0
"""A command loads what it needs: no hardware description to encipher by native code, no tool to show a core.

A short command spends its time on imports: these tests find the cause of a longer one, and time nothing.
"""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.shows("rooms")

KEY = bytes(range(32)).hex()
RUN = """
import sys
from wideblock.cli import main
sys.argv = ["wideblock", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*sys.modules, file=sys.stderr)
"""
SEALING = {"wideblock.image.sealed", "wideblock.image.sealers"}
TOOLS = {"pyosys", "pydantic", "wideblock.synth.yosys", "wideblock.simulation.verilator", "wideblock.verify"}


def loaded(*command, **environment):
    """The modules that are loaded when ``command`` ends."""
    changed = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", RUN, *command], capture_output=True, text=True, env=changed)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_an_image_by_native_code_needs_no_hardware_and_no_table(command, tmp_path):
    (tmp_path / "in").write_bytes(bytes(1024))
    files = ("--in", str(tmp_path / "in"), "--out", str(tmp_path / "out"))
    modules = loaded(command, "xts-both", "--key", KEY, "--set", "sector_bytes=512", *files)
    assert "wideblock.native.twin" in modules
    assert modules.isdisjoint(TOOLS | SEALING | {"amaranth", "rich.console", "tomllib", "wideblock.drive"})
    hardware = {name for name in modules if name.startswith("wideblock.rtl.") and name.count(".") > 2}
    assert hardware == {"wideblock.rtl.aes.forms", "wideblock.rtl.sector.parameters", "wideblock.rtl.stream.parameters"}


def test_an_image_needs_its_own_scheme_alone(tmp_path):
    (tmp_path / "in").write_bytes(bytes(4096))
    modules = loaded("encrypt", "xts-both", "--key", KEY, "--in", str(tmp_path / "in"), "--out", str(tmp_path / "out"))
    catalogue = {name.removeprefix("wideblock.catalog.") for name in modules if name.startswith("wideblock.catalog.")}
    assert catalogue == {"changes", "kinds", "scheme", "xts"}


@pytest.mark.parametrize("command", [["list"], ["list", "--names", "--scheme", "hctr2"]])
def test_a_list_needs_no_hardware(command):
    modules = loaded(*command)
    assert "wideblock.catalog.xts" in modules and modules.isdisjoint(TOOLS | {"amaranth", "numpy", "wideblock.export"})


def test_a_core_needs_its_own_hardware_alone_and_only_once(tmp_path):
    modules = loaded("info", "xts-enc", WIDEBLOCK_CACHE=str(tmp_path))
    assert {name for name in modules if name.startswith("wideblock.rtl.tes.")} == {"wideblock.rtl.tes.xts"}
    absent = {"wideblock.drive", "wideblock.rtl.aead.words", "wideblock.rtl.engine", "wideblock.rtl.dma"}
    assert "amaranth" in modules and modules.isdisjoint(TOOLS | absent)
    assert loaded("info", "xts-enc", WIDEBLOCK_CACHE=str(tmp_path)).isdisjoint({"amaranth", "wideblock.catalog"})
