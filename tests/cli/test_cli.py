# SPDX-License-Identifier: Apache-2.0
"""The command line as a user meets it: help, JSON, and one line for whatever is wrong."""

import csv
import json
import os
import re
import resource
import subprocess
import sys
from dataclasses import asdict, replace
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from wideblock import catalog
from wideblock.cli import crypt
from wideblock.cli.app import COMMANDS, JUDGING, app, function, help_line, one_line
from wideblock.cli.display import progress_bar
from wideblock.errors import UserError
from wideblock.evaluate.store import COMMITTED, add, load
from wideblock.export.contract import contract
from wideblock.image.crypt import Crypted
from wideblock.image.numbering import CONVENTIONS
from wideblock.native.library import library
from wideblock.simulation.commands import BuildError, Commands
from wideblock.synth.process import FlowError

pytestmark = pytest.mark.shows("cli")

KEY = "000102030405060708090a0b0c0d0e0f"
FAST = "fast-brw-2s"


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], prog_name="wideblock")


def errors(text):
    """The lines of stderr but those that say what takes long."""
    return [line for line in text.splitlines() if not line.endswith(", which is kept for later runs")]


def refused(*arguments):
    """The one line on stderr of a command that must fail."""
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout == "" and "Traceback" not in result.stderr
    (line,) = errors(result.stderr)
    assert line.startswith("wideblock: "), result.stderr
    return f"{line}\n"


def reported(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"Example: wideblock {command}" in " ".join(result.output.replace("│", " ").split())


def test_commands_are_those_of_the_manual():
    result = run("--help")
    assert all(f" {command} " in result.output for command in COMMANDS)
    assert run("--version").output.startswith("wideblock ")
    module = subprocess.run(
        [sys.executable, "-m", "wideblock", "--version"], capture_output=True, text=True, check=True
    )
    assert module.stdout == run("--version").output


def test_the_page_has_every_command_and_help_names_pages_that_have_the_option():
    pages = Path(__file__).parents[2] / "docs"
    page = (pages / "command-line.md").read_text()
    assert [command for command in COMMANDS if f"\nwideblock {command} " not in page] == []
    named = set()
    for command in COMMANDS:
        told = " ".join(run(command, "--help").output.replace("│", " ").split())
        for option, name in re.findall(r"(--[a-z-]+)(?:(?!--[a-z]).)*?docs/([\w-]+\.md)", told):
            named.add(name)
            assert f"`{option}`" in (pages / name).read_text(), (command, option, name)
    assert "block-device.md" in named


def test_list_has_every_preset_and_its_security():
    rows = reported("list")
    assert [row["preset"] for row in rows] == list(catalog.PRESETS)
    assert all(row["security"] for row in rows)
    assert run("list", "--names").output.split() == list(catalog.PRESETS)
    table = run("list").output
    assert all(name in table for name in catalog.PRESETS | catalog.PARTS)


def test_list_has_every_part():
    assert run("list", "--parts", "--names").output.split() == list(catalog.PARTS)
    assert [row["parameters"]["leaf"] for row in reported("list", "--parts") if row["part"] == "karatsuba"] == [4]
    assert run("list", "--parts", "--csv").output.splitlines()[0] == "part,bytes,summary"
    assert "karatsuba" not in run("list", "--scheme", "xts").output
    assert (
        run("list", "--names", "--scheme", "AES-GCM-P").output == run("list", "--names", "--scheme", "aes_gcm_p").output
    )


def test_list_has_the_presets_of_a_scheme_a_width_and_a_status():
    assert run("list", "--names", "--scheme", "hctr2", "--width", 512).output.split() == ["hctr2-4s", "hctr2-4s-k"]
    rows = list(csv.DictReader(run("list", "--csv", "--status", "broken").output.splitlines()))
    assert {row["scheme"] for row in rows} == {"xcb"} and {row["status"] for row in rows} == {"broken"}
    assert "no preset has width 100; there are 32, 128" in refused("list", "--width", 100)
    assert "--csv and --json exclude each other" in refused("list", "--csv", "--json")
    assert "--names prints names alone" in refused("list", "--names", "--json")
    assert "leave out --scheme, --width" in refused("list", "--parts", "--width", 0)
    assert "--json is for --plan" in refused("evidence", "--json")
    assert "leave out --no-route" in refused("sweep", "xts-enc", "--no-route", "--seeds", 2)


def test_list_makes_no_core():
    script = (
        "import sys; from wideblock.cli import main\n"
        "try: main()\n"
        "finally: print([name for name in ('wideblock.export.contract', 'pyosys') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, "list", "--names"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("[]")


def test_list_of_the_presets_that_have_a_parameter():
    of_kind = [name for name, preset in catalog.PRESETS.items() if preset.scheme.kind.name == "aead"]
    assert run("list", "--names", "--has", "ports").output.split() == of_kind
    without = {*catalog.PRESETS} - {*run("list", "--names", "--has", "sbox").output.split()}
    assert without >= {"minalpher", "scream", "scream-r"} and "aes-gcm" not in without
    table = run("list", "--has", "ports").output
    assert "Security of SCREAM" in table and "Security of XTS" not in table


def test_info_has_the_figures_and_the_published_rows():
    value = reported("info", "fast-brw-2")
    assert value["preset"] == "fast-brw-2" and value["lanes"] == 2 and value["sector_bytes"] == 4096
    assert value["overlap"] is False and value["timing"]["interval"] <= 319
    assert 319 in [row["cycles"] for row in value["published"]]
    assert reported("info", FAST, "--set", "key_bits=256")["parameters"]["key_bits"] == 256
    assert reported("info", "aes-gcm", "--set", "ports=axi4-stream")["parameters"]["ports"] == "axi4-stream"
    assert "s_axis_tdata" in run("info", FAST).output
    assert value["sizes"] == []


def test_info_has_the_figures_of_other_sizes():
    sizes = {(row["tweak"], row["bytes"]): row for row in reported("info", "hctr2-any-4")["sizes"]}
    assert sizes[0, 512] == {"tweak": 0, "bytes": 512, "compute": 49, "latency": 58, "busy": 410, "interval": 11}
    assert "410" in run("info", "hctr2-any-4").output


def test_schedule_is_the_papers():
    value = reported("schedule", 31, "--stages", 3)
    assert value["multiplications"] == 15 and sorted(value["order"]) == list(range(2, 31, 2))
    assert "31" in run("schedule", 31, "--stages", 3).output
    assert "0" in refused("schedule", 0)
    assert "one number of stages" in refused("schedule", 31, "--stages", "2,3")


def test_table_1_and_figure_6_of_the_brw_paper(tmp_path):
    value = reported("schedule", "--table", "14..16", "--stages", "2,3")
    assert [(row["stages"], row["blocks"], row["clocks"]) for row in value] == [
        (2, 14, 7),
        (2, 15, 7),
        (2, 16, 9),
        (3, 14, 7),
        (3, 15, 7),
        (3, 16, 10),
    ]
    assert "2 6 4 10 8 12 14 - 16" in run("schedule", "--table", "16..16", "--stages", 2).output
    (value,) = reported("schedule", "--storage", "2..40")
    assert value["extra_storage"]["31"] == 1 and value["extra_storage"]["32"] == 2
    plot = tmp_path / "storage.svg"
    assert "32 blocks: 2" in run("schedule", "--storage", "2..40", "--plot", plot).output
    assert plot.read_text().startswith("<svg")
    assert "exists; choose another file or give --force" in refused("schedule", "--storage", "2..40", "--plot", plot)
    assert run("schedule", "--storage", "2..41", "--plot", plot, "--force").exit_code == 0
    for wrong in (["--table", "6"], ["--storage", "9..2"], [], ["31", "--plot", plot], ["8", "--stages", "0"]):
        assert refused("schedule", *wrong)


def test_compare_puts_the_papers_rows_beside_ours():
    rows = [row for row in reported("compare") if row["published"]]
    cycles = {(row["preset"], row["published"]["cycles"]) for row in rows}
    assert {("fast-brw-1", 455), ("fast-brw-2", 319), ("fast-horner-1", 565), ("fast-horner-2", 311)} <= cycles
    assert all(row["interval"] for row in rows)
    papers = [row for row in rows if row["preset"] == "xts-enc" and row["published"]["luts"] == 12172]
    seen = {(row["published"]["cycles"], row["interval"]) for row in papers}  # a row for each of our results
    assert seen == {(1, round(257 / 256, 3))}
    assert "319" in run("compare", "fast-brw-2").output


@pytest.mark.parametrize("names", [("hctr2-4s", "xts-4", "hbrw-31"), ("aes-gcm",)])
def test_compare_is_never_empty(names):
    rows = reported("compare", *names)
    assert [name for name in names if name in {row["preset"] for row in rows}] == list(names)
    unpublished = [row for row in rows if row["published"] is None]
    assert all(row["remarks"] == ["no published row"] and row["cycles_ratio"] is None for row in unpublished)
    shown = run("compare", *names).output
    assert all(name in shown for name in names) and ("no published row" in shown) == bool(unpublished)


def test_compare_has_luts_beside_lc_where_a_paper_has_luts():
    """And each form of output has the same figures."""
    rows = list(csv.DictReader(run("compare", "scream", "--csv").output.splitlines()))
    theirs = [row for row in rows if row["by"] == "paper" and "Table II" in row["on"]]
    ours = [row for row in rows if row["by"] == "ours" and row["LC"] and row["preset"] == "scream"]
    assert theirs and ours and all(row["LUTs"] for row in theirs + ours)
    assert all(float(row["LUTs"]) > float(row["LC"]) for row in ours)
    shown = run("compare", "scream").output
    assert all(f"{int(row['LUTs']):,} LUTs, {int(row['LC']):,} LC" in shown for row in ours)
    assert all(f"{unit}: " in shown for unit in ("LUTs", "LC", "slices")) and "ALMs: " not in shown
    for row in theirs + ours:
        assert float(row["ffs"]) > 0 and all(text in shown for text in row["remarks"].split("; "))
    assert all(f"block RAMs: theirs not given, ours {float(row['block_rams']):g}" in row["remarks"] for row in ours)
    assert not any(row["LUTs"] for row in csv.DictReader(run("compare", "fast-brw-2", "--csv").output.splitlines()))


def test_report_says_first_what_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    monkeypatch.setattr("wideblock.cli.report.load", lambda store: pytest.fail("work before the check"))
    assert "pip install vl-convert-python" in refused("report", "-o", tmp_path / "page.html")


def test_compare_says_for_how_many_bytes_the_cycles_are():
    head, *rows = run("compare", "hmch-poly", "hctr2-1s").output.partition("In the papers' metrics")[0].splitlines()
    assert head.split()[:5] == ["preset", "design", "on", "bytes", "cycles"]
    shown = {
        row.split()[0]: re.search(r"  (512|4096)  ", row)[1] for row in rows if row.startswith(("hmch-", "hctr2-"))
    }
    assert shown == {"hmch-poly": "512", "hctr2-1s": "4096"}


def test_compare_shows_a_changed_preset_beside_its_own_row(tmp_path):
    point = next(point for point in load(COMMITTED) if (point.name, point.identity.target) == ("xts-enc", "xc7"))
    changed = replace(point.identity, preset="xts-both", changed={"key_bits": 256})
    add(tmp_path / "points.jsonl", replace(point, identity=changed))
    rows = {row["preset"]: row for row in reported("compare", "xts-both", "--store", tmp_path / "points.jsonl")}
    assert [rows[name]["published"]["lcs"] for name in ("xts-both", "xts-both key_bits=256")] == [17023, 23297]
    assert rows["xts-both key_bits=256"]["interval"] == point.found.interval


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("info", "fast-brw-9"), "fast-brw-9"),
        (("info", "FAST-BRW-2S"), "unknown preset 'FAST-BRW-2S'; did you mean fast-brw-2s?"),
        (("info", "fast-h"), "unknown preset 'fast-h'; so begin fast-horner-1, fast-horner-2, fast-horner-2s"),
        (("info", ""), "preset must not be empty; give a value"),
        (
            ("list", "--has", "ahead"),
            "no preset has a parameter 'ahead'; wideblock info PRESET --parameters shows those of one",
        ),
        (("compare", "XTS-4x"), "unknown preset or part 'XTS-4x'; did you mean xts-4"),
        (("compare", "karatsubo"), "unknown preset or part 'karatsubo'; did you mean karatsuba?"),
        (("synth", "gf128-mult"), "unknown preset or part 'gf128-mult'; wideblock list shows the presets and parts"),
        (("info", "Karatsuba"), "karatsuba is a part, which wideblock synth, sweep, clock and compare take"),
        (("list", "--parts", "--scheme", "xts"), "--parts goes with no choice of presets"),
        (("info", FAST, "--set", "lanes"), "NAME=VALUE"),
        (("info", FAST, "--set", "lanes=2", "--set", "lanes=4"), "--set lanes is given twice, 2 and 4; give it once"),
        (("info", FAST, "--set", "colour=red"), "colour"),
        (("info", FAST, "--set", "sector_bytes=48"), "48"),
        (("info", FAST, "--set", "lanes=3"), "3"),
        (("synth", FAST, "--target", "abacus"), "abacus"),
        (("synth", FAST, "--target", "xc7,abacus"), "there is no target 'abacus'"),
        (("sweep", FAST, "--target", "ecp5, abacus"), "there is no target 'abacus'"),
        (("sweep", "--all", "--store", "/proc/x.jsonl"), "/proc/x.jsonl: no such file"),
        (("sweep", FAST, "--best", "clock", "--store", "{image}/x.jsonl"), "x.jsonl: not a directory"),
        (("clock", FAST, "--store", "/proc/x.jsonl"), "/proc/x.jsonl: no such file"),
        (("report", "-o", "/proc/r.html"), "/proc/r.html: no such file"),
        (("report", "-o", "{folder}"), "is a directory"),
        (("report", "-o", "{image}"), "exists; choose another file or give --force to replace it"),
        (("prove", "xts-enc", "--store", "{image}"), "is no evidence of this version"),
        (("demo", "--keep", Path(__file__).parent), "is not empty; choose another directory or give --force"),
        (("verify", FAST, "--netlist", "xc9"), "there is no device 'xc9'; there are xc5v"),
        (("schedule", 7, "--table", "4..5"), "BLOCKS and --table exclude each other; give one of them"),
        (("schedule", "--table", "4..5", "--storage", "2..3"), "--table and --storage exclude each other"),
        (("schedule",), "a number of BLOCKS is missing, or --table A..B, or --storage A..B"),
        (("schedule", 10**9), "less than or equal to 65536"),
        (("schedule", "--table", f"1..{10**9}"), "A..B with 1 <= A <= B <= 65536"),
        (("schedule", 7, "--stages", 10**9), "stages must be numbers from 1 to 64"),
        (("schedule", "--storage", "2..9", "--plot", "/proc/x.svg"), "/proc/x.svg: no such file"),
        (("schedule", "--storage", "2..9", "--plot", "{folder}"), "is a directory"),
        (("sweep", FAST, "--seeds", 10**9), "--seeds"),
        (("sweep", FAST, "--mhz", "1e300"), "--mhz"),
        (("clock", FAST, "--mhz", "1e300"), "--mhz"),
        (("sweep", FAST, "--memory", "1e300"), "--memory"),
        (("vectors", "aes-gcm", "-o", "{folder}/new", "--messages", 10**12), "--messages"),
        (("vectors", "aes-gcm", "-o", "{odd}"), "odd is a file; -o needs a directory"),
        (("vectors", "aes-gcm", "-o", "{loop}"), "too many levels of symbolic links"),
        (("generate", FAST, "-o", "{loop}"), "too many levels of symbolic links"),
        (("evidence", "--store", "{loop}"), "too many levels of symbolic links"),
        (
            ("encrypt", FAST, "--key", KEY, "--in", "{image}", "--out", "{out}", "--first-sector", "x10"),
            "'x10' is not a whole number from 0 to 2^128 - 1, such as 4096 or 0x1000",
        ),
        (
            ("decrypt", FAST, "--key", KEY, "--in", "{image}", "--out", "{out}", "--first-sector", "0x1" + 32 * "0"),
            "is not a whole number from 0 to 2^128 - 1",
        ),
        (("synth", FAST, "--target", "nangate45", "--yosys", "speed"), "one synthesis option, area; got speed"),
        (
            ("generate", FAST, "--name", "TOP", "-o", "{out}"),
            "no word of Verilog, SystemVerilog or Verilator, got 'TOP'",
        ),
        (("sweep",), "name presets or parts, or say --all, or --published FAMILY"),
        (("sweep", FAST, "--published", "Virtex-5"), "one of the three"),
        (("sweep", "--published", "Virtex-9"), "no published row is on 'Virtex-9'"),
        (("sweep", FAST, "--target", "abacus"), "there is no target 'abacus'"),
        (("sweep", FAST, "--set", "colour=red,blue"), "unknown parameter 'colour'"),
        (("sweep", "fast", "--target", "xc7"), "unknown preset or part 'fast'; so begin fast-brw-1, fast-brw-2, "),
        (("sweep", "aes128-pec", "--set", "lanes=1,2"), "unknown parameter 'lanes' of aes128-pec"),
        (("sweep", FAST, "--set", "lanes=1,3"), "3"),
        (("info", FAST, "--set", f"sector_bytes=0x{'f' * 5000}"), "sector_bytes must be a whole number such as 4096"),
        (("sweep", FAST, "--store", "{image}"), "line 1 is no evidence"),
        (("sweep", FAST, "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"), "--workers is for this machine"),
        (("sweep", FAST, "--memory", "2", "--scheduler", "tcp://127.0.0.1:1"), "--memory is for this machine"),
        (("measure-peer", "{missing}", "--top", "t", "--bytes", "1", "--interval", "1"), "is no directory"),
        (("sweep", FAST, "--best", "clock", "--store", "{image}"), "line 1 is no evidence"),
        (("clock", FAST, "--target", "xc7"), "the flow for xc7 has no clock"),
        (("clock", FAST, "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"), "--workers is for this machine"),
        (("clock", "aes128-pec", "--set", "lanes=2"), "unknown parameter 'lanes' of aes128-pec"),
        (("clock", FAST, "--store", "{image}"), "line 1 is no evidence"),
        (("report", "--store", "{missing}", "-o", "{out}"), "no such file"),
        (("compare", "--store", "{missing}"), "no such file"),
        (("encrypt", FAST, "--key", "00", "--in", "{image}", "--out", "{out}"), "16 bytes, got 1"),
        (("encrypt", FAST, "--key", "zz" * 16, "--in", "{image}", "--out", "{out}"), "not hexadecimal"),
        (("encrypt", FAST, "--key", KEY * 2, "--in", "{image}", "--out", "{out}"), "16 bytes, got 32"),
        (
            ("encrypt", FAST, "--key", "@{long}", "--in", "{image}", "--out", "{out}"),
            "the key is not 16 bytes, binary or in hexadecimal, in a file of less than 1088 bytes",
        ),
        (("decrypt", FAST, "--key", "@{missing}", "--in", "{image}", "--out", "{out}"), "no such file"),
        (("encrypt", FAST, "--in", "{image}", "--out", "{out}"), "give the key, --key HEX or --keys FILE"),
        (("encrypt", FAST, "--keys", "{missing}", "--in", "{image}", "--out", "{out}"), "no such file"),
        (
            ("encrypt", FAST, "--keys", "{long}", "--in", "{image}", "--out", "{out}"),
            "long is not TOML: Expected '=' after a key",
        ),
        (
            ("encrypt", FAST, "--keys", "{ranges}", "--in", "{image}", "--out", "{out}"),
            "ranges: standard input is no key of a range; give @FILE",
        ),
        (
            ("encrypt", FAST, "--keys", "{nul}", "--in", "{image}", "--out", "{out}"),
            "range 0 of {nul}: embedded null byte",
        ),
        (
            ("encrypt", FAST, "--key", KEY, "--keys", "{ranges}", "--in", "{image}", "--out", "{out}"),
            "give one of --key and --keys, not both",
        ),
        (
            ("encrypt", FAST, "--keys", "{ranges}", "--icv", "{out}", "--in", "{image}", "--out", "{out}"),
            "integrity check values are those of one key, got --keys; give --key",
        ),
        (("encrypt", FAST, "--key", KEY, "--in", "{missing}", "--out", "{out}"), "no such file"),
        (("encrypt", "xts-enc", "--key", KEY * 2, "--in", "{image}", "--out", "{out}"), "must differ"),
        (
            ("decrypt", "xts-enc", "--engine", "rtl", "--key", KEY + KEY[::-1], "--in", "{image}", "--out", "{out}"),
            "only encrypts",
        ),
        (("encrypt", FAST, "--key", KEY, "--in", "{odd}", "--out", "{out}"), "4096"),
        (("decrypt", FAST, "--key", KEY, "--in", "{odd}", "--out", "{out}", "--engine", "spec"), "4096"),
        (
            ("encrypt", FAST, "--key", KEY, "--in", "{image}", "--out", "{missing}/x", "--engine", "spec"),
            "no such file",
        ),
        (
            ("encrypt", FAST, "--key", KEY, "--in", "{image}", "--out", "{out}", "--engine", "magic"),
            "'rtl', 'spec'",
        ),
        (("encrypt", FAST, "--key", KEY, "--in", "{image}", "--out", "{image}", "--force"), "the same file"),
        (("encrypt", FAST, "--key", KEY, "--in", "{image}", "--out", "{odd}"), "--force"),
        (("decrypt", FAST, "--key", KEY, "--in", "{image}", "--out", "{out}", "--device"), "leave out --device"),
        (("decrypt", FAST, "--key", KEY, "--in", "/dev/zero", "--out", "{out}"), "- to read standard input"),
        (("decrypt", FAST, "--key", KEY, "--in", "{image}", "--out", "/dev/null", "--force"), "a character device"),
        (("demo", "--image", "{missing}"), "no such file"),
        (("demo", "--image", "{odd}"), "4096"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(arguments, says, tmp_path):
    (tmp_path / "image").write_bytes(bytes(8192))
    (tmp_path / "odd").write_bytes(bytes(4097))
    (tmp_path / "long").write_text(KEY + " " * 2000 + "\nand more")
    (tmp_path / "long").chmod(0o600)
    (tmp_path / "folder").mkdir()
    (tmp_path / "ranges").write_text('[[range]]\nkey = "@-"\n')
    (tmp_path / "ranges").chmod(0o600)
    (tmp_path / "nul").write_text('[[range]]\nkey = "@a\\u0000"\n')
    (tmp_path / "nul").chmod(0o600)
    (tmp_path / "loop").symlink_to("loop")
    names = {"image", "odd", "long", "folder", "ranges", "nul", "loop"}
    places = {name: tmp_path / name for name in (*names, "out", "missing")}
    assert says.format(**places) in refused(*(str(a).format(**places) for a in arguments))
    assert set(os.listdir(tmp_path)) == names


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("info", FAST, "--colour"), "wideblock: no such option: --colour; see wideblock info -h\n"),
        (("info",), "wideblock: missing argument 'PRESET'; see wideblock info -h\n"),
        (("encrypt", FAST), "wideblock: missing option '--in'; see wideblock encrypt -h\n"),
        (("paint",), "wideblock: no such command 'paint'; see wideblock -h\n"),
        (("--colour",), "wideblock: no such option: --colour; see wideblock -h\n"),
        (("verify", FAST, "--sectors", 0), "wideblock: invalid value for '--sectors': "),
    ],
)
def test_wrong_usage_is_one_line_and_status_1(arguments, says):
    assert refused(*arguments).startswith(says)


def test_generate_refuses_to_overwrite(tmp_path):
    (tmp_path / "mine").write_text("keep")
    assert "--force" in refused("generate", FAST, "--set", "sector_bytes=512", "-o", tmp_path)
    assert os.listdir(tmp_path) == ["mine"]


def test_spec_engine_round_trip_and_tweak(tmp_path):
    plain, cipher, back, moved = (tmp_path / name for name in ("plain", "cipher", "back", "moved"))
    plain.write_bytes(bytes(range(256)) * 16 * 3)
    for first, source, target, command in (
        (0, plain, cipher, "encrypt"),
        (0, cipher, back, "decrypt"),
        ("0x1", plain, moved, "encrypt"),
    ):
        result = run(
            command, FAST, "--key", KEY, "--in", source, "--out", target, "--first-sector", first, "--engine", "spec"
        )
        assert result.exit_code == 0, result.output
    assert back.read_bytes() == plain.read_bytes()
    # equal sectors differ by their number, and the number is all that counts
    assert len({cipher.read_bytes()[k : k + 4096] for k in (0, 4096, 8192)}) == 3
    assert moved.read_bytes()[:8192] == cipher.read_bytes()[4096:]
    expected = (
        contract(FAST).specification(bytes.fromhex(KEY)).encrypt((2).to_bytes(16, "little"), plain.read_bytes()[8192:])
    )
    assert cipher.read_bytes()[8192:] == expected


def test_keys_of_ranges_are_in_the_file_or_in_files_beside_it(tmp_path):
    plain, cipher, folder, other = tmp_path / "plain", tmp_path / "cipher", tmp_path / "keys", KEY[::-1]
    folder.mkdir()
    plain.write_bytes(bytes(range(256)) * 16 * 3)
    (folder / "one").write_bytes(bytes.fromhex(other))
    (folder / "ranges").write_text(f'[[range]]\nkey = "{KEY}"\n[[range]]\nstart = 0x11\nsectors = 1\nkey = "@one"\n')
    (folder / "ranges").chmod(0o644)
    (folder / "one").chmod(0o600)
    files = ("--in", plain, "--out", cipher)
    keys = folder / "ranges"
    result = run("encrypt", FAST, "--keys", keys, *files, "--first-sector", 16, "--engine", "spec")
    assert result.exit_code == 0 and f"other users can read the key in {folder / 'ranges'}, mode 0644" in result.stderr
    right = [
        contract(FAST)
        .specification(bytes.fromhex(key))
        .encrypt((16 + i).to_bytes(16, "little"), plain.read_bytes()[:4096])
        for i, key in enumerate((KEY, other, KEY))
    ]
    assert cipher.read_bytes() == b"".join(right)
    keys.chmod(0o600)
    taken = refused("encrypt", FAST, "--keys", keys, "--in", plain, "--out", folder / "one", "--force")
    assert "one has the key; the result needs a file of its own" in taken
    assert (folder / "one").read_bytes() == bytes.fromhex(other)


def test_integrity_values_never_replace_the_key(tmp_path):
    key, plain = tmp_path / "key", tmp_path / "plain"
    key.write_bytes(bytes(16))
    key.chmod(0o600)
    plain.write_bytes(bytes(4096))
    about = ("--key", f"@{key}", "--in", plain, "--out", tmp_path / "out", "--icv", key, "--force")
    assert "key has the key" in refused("encrypt", "hctr2-2s", *about)
    assert key.read_bytes() == bytes(16) and not (tmp_path / "out").exists()


def test_the_cores_cycles_are_reported(monkeypatch):
    given = {}

    def done(subject, key, source, target, job, progress):
        given.update(asdict(job))
        return Crypted(20, 2612, 1.25)

    monkeypatch.setattr(crypt, "crypt_image", done)
    files = ("--in", "a", "--out", "b", "--force", "--device")
    result = run("decrypt", FAST, "--key", KEY, *files, "--first-sector", 3, "--engine", "rtl")
    account = "20 sectors, 81,920 bytes, in 1.2 s, 0.1 MB/s, 2,612 cycles of the core, 130.6 a sector\n"
    assert result.stdout == "" and result.stderr == account
    assert given == {
        "decrypt": True,
        "first_sector": 3,
        "tweak": "le128",
        "tweak_offset": 0,
        "engine": "rtl",
        "threads": None,
        "force": True,
        "device": True,
        "accept_broken": False,
    }


def test_long_work_says_what_it_is_where_there_is_no_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("WIDEBLOCK_CACHE", str(tmp_path / "cache"))
    for force in ((), ("--force",)):
        result = run("generate", "minalpher", "-o", tmp_path / "core", *force)
        said = "" if force else "wideblock: making the Verilog of minalpher, which is kept for later runs\n"
        assert (result.exit_code, result.stderr) == (0, said)
    monkeypatch.setattr(Commands, "start", lambda *arguments: (_ for _ in ()).throw(BuildError("no compiler")))
    library.cache_clear()  # of a test before
    (tmp_path / "image").write_bytes(bytes(4096))
    arguments = ("--key", KEY, "--in", tmp_path / "image", "--out", tmp_path / "out")
    lines = run("encrypt", FAST, *arguments).stderr.splitlines()
    assert lines == ["wideblock: compiling the native library, which is kept for later runs", "wideblock: no compiler"]


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_window_cuts_no_figure_of_the_progress(width, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    console = Console(file=StringIO(), force_terminal=True, width=width, color_system=None)
    with progress_bar(console) as bar:
        bar.add_task("encrypting with fast_brw_2s_sector_bytes_512_key_bits_256, native", completed=2048, total=524288)
        bar.refresh()
    (line, *_) = (text for text in console.file.getvalue().split("\r") if "2048" in text)
    assert (
        " 2048/524288 " in line
        and "encrypting" in line
        and len(re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]", "", line).rstrip()) <= width
    )


def test_one_sector_is_no_plural(tmp_path):
    (tmp_path / "image").write_bytes(bytes(512))
    arguments = ("--key", KEY, "--engine", "spec", "--set", "sector_bytes=512", "--first-sector", (1 << 128) - 1)
    result = run("encrypt", FAST, *arguments, "--in", tmp_path / "image", "--out", tmp_path / "out")
    assert result.exit_code == 0 and result.stderr.startswith("1 sector, 512 bytes, in "), result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_no_type_of_a_flag_and_no_place_of_the_package(command):
    text = run(command, "--help").output
    assert (
        "bool" not in text.lower()
        and "evidence.jsonl" not in text
        and "points.jsonl" not in text.replace(": points.jsonl]", "")[: text.find("Example")]
    )
    assert "<bool>" not in run("--help").output


def test_targets_are_lists_and_may_be_repeated(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(
        import_module("wideblock.cli.sweep"), "open_points", lambda points, *_, **__: asked.extend(points) or []
    )
    store = ("--store", tmp_path / "points.jsonl")
    assert run("sweep", "aes128-sdc", "--target", "xc7, ecp5", "--target", "xc6v", "--no-route", *store).exit_code == 0
    assert [point.target for point in asked] == ["xc7", "ecp5", "xc6v"]


def test_report_says_in_a_pipe_what_it_does(tmp_path):
    path = tmp_path / "points.jsonl"
    add(path, next(point for point in load(COMMITTED) if (point.name, point.identity.target) == ("xts-enc", "xc7")))
    result = run("report", "--store", path, "-o", tmp_path / "r.html")
    assert result.exit_code == 0 and result.stdout == f"{tmp_path / 'r.html'}\n"
    assert run("report", "--csv", "--store", path, "-o", tmp_path / "r.csv").exit_code == 0
    (row,) = csv.DictReader((tmp_path / "r.csv").read_text().splitlines())
    assert (row["core"], row["target"]) == ("xts-enc", "xc7") and int(row["luts"]) > int(row["area"])
    lines = ["1 points", "plots", "cycles of 1 cores against sector size", "papers' tables"]
    assert result.stderr.splitlines() == [f"wideblock: {line}" for line in lines]


def limited(tmp_path, *arguments):
    """The command in a process that may write files of at most 8 KiB: what a full disk looks like.

    It writes no bytecode: Python 3.11 keeps the first 8 KiB of a module's as if they were all.
    """
    return subprocess.run(
        [sys.executable, "-c", "from wideblock.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    )


def test_full_disk_is_one_line_and_leaves_nothing(tmp_path):
    (tmp_path / "image").write_bytes(bytes(65536))
    for arguments in (
        ("encrypt", FAST, "--key", KEY, "--in", "image", "--out", "out", "--engine", "spec"),
        ("generate", "xts-enc", "--set", "sector_bytes=64", "-o", "out"),
    ):
        result = limited(tmp_path, *arguments)
        assert result.returncode == 1, result.stderr
        (line,) = errors(result.stderr)
        assert line.startswith("wideblock: ")
        assert os.listdir(tmp_path) == ["image"]


def test_missing_compiler_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "image").write_bytes(bytes(8192))
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setenv("WIDEBLOCK_CACHE", str(tmp_path / "cache"))
    key = KEY + KEY[::-1]
    says = refused(
        "encrypt", "xts-enc", "--engine", "rtl", "--key", key, "--in", tmp_path / "image", "--out", tmp_path / "out"
    )
    assert "no-such-compiler" in says and not (tmp_path / "out").exists()


def test_exhausted_memory_is_one_line():
    with pytest.raises(MemoryError) as error:
        bytes(1 << 62)
    assert one_line(error.value) == "the memory is not enough for such numbers; give smaller ones"


@pytest.mark.parametrize("command", [command for command in JUDGING if command != "vectors check"])
def test_status_2_says_that_a_core_could_not_be_checked(command, monkeypatch):
    """And status 1 that the command line is wrong."""
    module = import_module(f"wideblock.cli.{COMMANDS[command]}")

    def failing(error):
        def contract(*_):
            raise error

        monkeypatch.setattr(module, "contract", contract)
        return run(command, "xcb-1")

    assert failing(BuildError("no compiler")).exit_code == 2
    assert failing(FlowError("no memory")).exit_code == 2
    assert failing(UserError("no such core")).exit_code == 1
    assert run(command, "xcb-1", "--colour").exit_code == run(command, "xcb-0").exit_code == 1


def test_a_shell_completes_commands_presets_settings_and_targets():
    def offered(line):
        words = {"_WIDEBLOCK_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
        command = [sys.executable, "-c", "from wideblock.cli import main; main()"]
        return subprocess.run(command, env=os.environ | words, capture_output=True, text=True).stdout.split()

    assert offered("wideblock ver") == ["verify"]
    assert offered("wideblock info fast-h") == ["fast-horner-1", "fast-horner-2", "fast-horner-2s", "fast-horner-2s-k"]
    assert offered("wideblock info xts-enc --set sb") == ["sbox=lut", "sbox=composite", "sbox=norm", "sbox=bram"]
    assert offered("wideblock info xts-enc --set sec") == ["sector_bytes="]
    assert offered("wideblock synth xts-enc --target xc5") == ["xc5v"]
    assert offered("wideblock encrypt xts-enc --tweak plain64b") == ["plain64be", "plain64be-512"]


def test_the_manual_has_every_command_and_pages_that_help_names_have_their_subject():
    docs = Path(__file__).parents[2] / "docs"
    manual = (docs / "command-line.md").read_text()
    assert [name for name in COMMANDS if f"\nwideblock {name} " not in manual] == []
    pages = set(re.findall(r"docs/[\w-]+\.md", " ".join(run("encrypt", "--help").output.replace("│", " ").split())))
    assert pages == {"docs/block-device.md", "docs/command-line.md"} and "[[range]]" in manual
    assert all(f"`{name}`" in (docs / "block-device.md").read_text() for name in CONVENTIONS)


def test_a_fault_of_the_code_keeps_its_traceback(tmp_path):
    """What the user did wrong is a UserError; any other ValueError comes from code that is wrong."""
    script = (
        "from wideblock import catalog, cli\n"
        "def wrong(name): raise ValueError(name)\n"
        "catalog.preset = wrong\n"
        "cli.main()"
    )
    empty = {**os.environ, "WIDEBLOCK_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script, "info", FAST], capture_output=True, text=True, env=empty)
    assert done.returncode == 70 and done.stdout == ""
    assert f"ValueError: {FAST}\nwideblock " in done.stderr and done.stderr.rstrip().endswith("the lines above")


def test_help_names_every_command_by_its_own_words_and_imports_none():
    script = (
        "import sys; from wideblock.cli import main\n"
        "try: main()\n"
        "finally: print([name for name in ('amaranth', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("[]")
    for name, module in COMMANDS.items():
        command = getattr(import_module(f"wideblock.cli.{module}"), function(name))
        text = " ".join((command.__doc__ or "").split())
        assert name in done.stdout and text.startswith(help_line(name))
