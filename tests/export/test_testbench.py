# SPDX-License-Identifier: Apache-2.0
"""The exported Verilog in a simulator of other people, under both languages' rules of initialisation."""

import re
import subprocess
from contextlib import suppress
from dataclasses import replace

import pytest

from wideblock import catalog
from wideblock.catalog.kinds import AEAD, SECTOR
from wideblock.errors import UserError
from wideblock.export import aead, sector, testbench
from wideblock.export.aead import others
from wideblock.export.contract import contract
from wideblock.export.directory import generate
from wideblock.export.sector import cases, play

from ..variants import few_of_many, over

pytestmark = pytest.mark.shows("other-simulator")
export = {SECTOR: sector.others, AEAD: aead.others}
needs_icarus = pytest.mark.wants("iverilog")
ONE_A_FAMILY = ("fast-brw-1s", "hmch-brw-3", "heh-poly", "eme2-1", "aez-2t", "xts-enc")
SECTORS = [name for name, preset in catalog.PRESETS.items() if preset.scheme.kind is SECTOR]
AUTHENTICATED = [name for name, preset in catalog.PRESETS.items() if preset.scheme.kind is AEAD]


def small(name):
    """The preset, with sectors of the least size that it takes of a few; of EME2 one with a rest."""
    sizes = {
        "fast": (512,),
        "xts": (512,),
        "hctr2": (128, 512, 2048),
        "eme2": (520,),
        "xcb": (49,),
        "aez_core": (64, 512),
    }
    for size in sizes.get(catalog.preset(name).scheme.name, ()):
        with suppress(UserError):  # with slots, as the copies of a key take longer
            return contract(name, {"sector_bytes": str(size)})
    return contract(name)


def bench_of(core, cases):
    return testbench.testbench(core, play(core, cases))


def run(folder, core, text, bench, generation):
    (folder / "core.v").write_text(text)
    (folder / "bench.v").write_text(bench)
    program = folder / f"simulation{generation}"
    command = ["iverilog", generation, "-s", f"{core.module}_tb", "-o", program, folder / "core.v", folder / "bench.v"]
    subprocess.run(command, check=True, capture_output=True)
    return subprocess.run(["vvp", "-n", program], check=True, capture_output=True, text=True).stdout


@needs_icarus
@pytest.mark.parametrize(
    ("name", "generation"),
    [
        *few_of_many([(name, "-g2005") for name in ONE_A_FAMILY], [("xts-enc", "-g2005")]),
        *few_of_many([(name, "-g2012") for name in SECTORS], [("eme2-1", "-g2012")]),
    ],
)
def test_known_answers_and_no_unknown_value_in_icarus(name, generation, tmp_path):
    """Both generations for one preset a family; for all the one whose rules of initialisation are the stricter."""
    core = small(name)
    printed = run(tmp_path, core, core.verilog, bench_of(core, cases(core, 1)), generation)
    assert "PASSED" in printed and "FAILED" not in printed, printed


@pytest.mark.slow
@needs_icarus
def test_a_sector_that_ends_inside_a_block(tmp_path):
    core = contract("hctr2-2", {"sector_bytes": "255"})
    printed = run(tmp_path, core, core.verilog, bench_of(core, cases(core, 1)), "-g2005")
    assert "PASSED" in printed and "FAILED" not in printed, printed


@pytest.mark.slow
@needs_icarus
def test_messages_that_state_their_sizes(tmp_path):
    """Known answers of four sizes and four sizes of tweaks, in one run."""
    core = contract("hctr2-any")
    plays = cases(core)
    assert len({len(tweak) for _, tweak, *_ in plays}) == len({len(given) for *_, given, _ in plays}) == 4
    printed = run(tmp_path, core, core.verilog, bench_of(core, plays), "-g2005")
    assert "PASSED: 8 known answers" in printed and "FAILED" not in printed, printed


@needs_icarus
@pytest.mark.parametrize("generation", few_of_many(["-g2005", "-g2012"], ["-g2005"]))
def test_keys_in_words(generation, tmp_path):
    core = contract("heh-poly", {"sector_bytes": 64, "key_width": 32})
    printed = run(tmp_path, core, core.verilog, bench_of(core, cases(core, 1)), generation)
    assert "PASSED" in printed and "FAILED" not in printed, printed


@needs_icarus
@pytest.mark.parametrize("generation", few_of_many(["-g2005", "-g2012"], ["-g2005"]))
def test_an_engine_whose_requests_come_with_tags_before_the_data(generation, tmp_path):
    changes = {"sector_bytes": 64, "slots": 4, "registers": "axi4-lite", "header": True, "tag_bits": 16}
    core = contract("xts-both-k", changes)
    plays = cases(core)
    printed = run(tmp_path, core, core.verilog, bench_of(core, plays), generation)
    assert "PASSED" in printed and "FAILED" not in printed, printed
    right = play(core, plays)
    *before, last = right.words["o"]
    other = {**right.words, "o": [*before, {**last, "tag": last["tag"] ^ 1}]}
    wrong = testbench.testbench(core, replace(right, words=other))
    assert "FAILED: a wrong word" in run(tmp_path, core, core.verilog, wrong, generation)


ENGINE = {"sector_bytes": 32, "slots": 4, "registers": "axi4-lite"}
FORMS = [
    ("xts-enc-k", ENGINE | {"error_beats": True}),
    ("fast-brw-2s-k", {"sector_bytes": 128, "slots": 4, "tag_bits": 16}),
    ("hctr2-1s", {"sector_bytes": 64, "icv_bytes": 16}),
    ("hctr2-1s", {"sector_bytes": 64, "icv_bytes": 16, "stride": 80}),
]
"""Cores with further fields beside their results."""


@over(
    "name, changes",
    [FORMS[0], FORMS[2], ("aez5", {"data_bytes": 48, "tag_bytes": 5})]
    + [("xts-enc-k", ENGINE | more) for more in ({"bus_clock": "own"}, {"dma": "axi4"})],
)
def test_the_datasheet_names_a_bench_where_there_is_one(name, changes):
    core = contract(name, changes)
    kind = {SECTOR: sector, AEAD: aead}[core.kind]
    files, sheet = kind.others(core), kind.datasheet(core)
    for text in (f"`{core.module}_tb.v` ", f"-s {core.module}_tb ", f"--top-module {core.module}_tb "):
        assert (text in sheet) == (f"{core.module}_tb.v" in files), text
    known = "known answers" in sheet.partition("## How to simulate")[2].partition("##")[0]
    assert not core.benched or known == bool(core.known_answers)


@pytest.mark.parametrize(("name", "changes"), FORMS)
def test_every_field_of_a_result_has_a_right_value(name, changes):
    core = contract(name, changes)
    made = play(core, cases(core, 1))
    assert "expected %h, got %h" in testbench.testbench(core, made)
    field = core.interface.channel("o").fields[-1].name
    words = {**made.words, "o": [{k: v for k, v in made.words["o"][0].items() if k != field}]}
    with pytest.raises(ValueError, match=f"^words of o must have all of its fields; missing: {field}$"):
        testbench.testbench(core, replace(made, words=words))


@pytest.mark.slow
@needs_icarus
@pytest.mark.parametrize("generation", ["-g2005", "-g2012"])
@pytest.mark.parametrize(("name", "changes"), FORMS)
def test_further_fields_of_results_in_icarus(name, changes, generation, tmp_path):
    core = contract(name, changes)
    printed = run(tmp_path, core, core.verilog, bench_of(core, cases(core, 1)), generation)
    assert "PASSED" in printed and "FAILED" not in printed, printed


@needs_icarus
def test_the_bench_sees_an_unknown_value_and_a_wrong_byte(tmp_path):
    core = small("xts-enc")
    text, bench = core.verilog, bench_of(core, cases(core, 1))
    unknown = text.replace("wire ready;\n", "wire ready = 1'bx;\n", 1)
    assert "FAILED: a control output is unknown" in run(tmp_path, core, unknown, bench, "-g2012")
    key, tweak, way, given, right = cases(core)[0]
    wrong = bench_of(core, [(key, tweak, way, given, bytes([right[0] ^ 1]) + right[1:])])
    assert "FAILED: a wrong word" in run(tmp_path, core, text, wrong, "-g2005")


def test_logic_is_continuous_assignments():
    """What an "always @*" gives at time 0 depends on the language's rules of initialisation."""
    assert "always @*" not in small("xts-enc").verilog and "always_comb" not in small("fast-brw-1").verilog


def test_a_bench_needs_an_answer():
    with pytest.raises(ValueError, match="needs an answer to play, got none"):
        bench_of(small("xts-enc"), [])


@pytest.mark.parametrize("name", ["heh-poly", "aes-gcm"])
def test_a_core_without_known_answers_has_a_bench_of_its_specification(monkeypatch, name):
    core = contract(name)
    monkeypatch.setattr(type(core), "known_answers", [])
    bench = export[core.kind](core)[f"{core.module}_tb.v"]
    assert f"// {core.module}: answers of the specification, for want of known ones. Prints PASSED" in bench
    assert "known answers" not in bench and re.search(r"PASSED: \d+ answers of the specification", bench)


@pytest.mark.slow
@needs_icarus
def test_answers_of_the_specification_in_icarus(tmp_path):
    core = contract("heh-poly", {"sector_bytes": 96, "sbox": "composite"})
    bench = sector.others(core)[f"{core.module}_tb.v"]
    assert "PASSED: 4 answers of the specification" in run(tmp_path, core, core.verilog, bench, "-g2005")


@needs_icarus
@pytest.mark.parametrize(
    ("name", "generation"),
    few_of_many(
        [(name, generation) for name in AUTHENTICATED for generation in ("-g2005", "-g2012")],
        [("aes-gcm", "-g2005")],
    ),
)
def test_known_answers_of_authenticated_ciphers_in_icarus(name, generation, tmp_path):
    """The test bench that is written beside the Verilog; of a wrong word in it the first is named."""
    core = contract(name, {"data_bytes": 16, "ad_bytes": 16})
    bench = others(core)[f"{core.module}_tb.v"]
    printed = run(tmp_path, core, core.verilog, bench, generation)
    assert "PASSED" in printed and "FAILED" not in printed, printed
    bits = core.parameters.word_bits
    zeros = "0" * (bits // 4 - 1)
    wrong = run(tmp_path, core, core.verilog, bench.replace(f"{bits}'he{zeros}", f"{bits}'hf{zeros}", 1), generation)
    assert "FAILED: a wrong word" in " ".join(wrong.split()) and f"got e{zeros}" in wrong, wrong


@pytest.mark.slow
@needs_icarus
@pytest.mark.parametrize("name", ["scream", "minalpher"])
def test_messages_of_several_segments_in_icarus(name, tmp_path):
    """Longer than the result buffer; minalpher to encrypt."""
    core = contract(name, {"data_bytes": 32, "ad_bytes": 32, "release": "at-once"})
    bench = others(core)[f"{core.module}_tb.v"]
    assert "PASSED" in run(tmp_path, core, core.verilog, bench, "-g2005")


@needs_icarus
def test_the_command_of_the_datasheet(tmp_path):
    """Of an authenticated cipher, as it is printed."""
    core = contract("aes-gcm", {"data_bytes": 16, "ad_bytes": 16})
    generate(core, tmp_path, force=True)
    (command,) = re.findall(r"^iverilog .*$", (tmp_path / f"{core.module}.md").read_text(), re.MULTILINE)
    printed = subprocess.run(command, shell=True, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "PASSED" in printed and "FAILED" not in printed, printed


@needs_icarus
def test_an_authenticated_cipher_on_axi4_stream_in_icarus(tmp_path):
    """Of a wrong end of a packet the first is named."""
    core = contract("scream", {"data_bytes": 16, "ad_bytes": 16, "ports": "axi4-stream"})
    bench = others(core)[f"{core.module}_tb.v"]
    printed = run(tmp_path, core, core.verilog, bench, "-g2005")
    assert "PASSED" in printed and "FAILED" not in printed, printed
    wrong = run(
        tmp_path, core, core.verilog, bench.replace("{1'h1, 32'he0000000}", "{1'h0, 32'he0000000}", 1), "-g2005"
    )
    assert "FAILED: a wrong word" in " ".join(wrong.split()) and "got 1e0000000" in wrong, wrong
