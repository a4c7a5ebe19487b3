# SPDX-License-Identifier: Apache-2.0
"""The check of secrets on ports passes real cores of every family, and finds what their Verilog is made to show."""

import numpy as np
import pytest

from wideblock.export.contract import contract
from wideblock.simulation.ports import Ports
from wideblock.simulation.script import Record, ScriptEvent
from wideblock.simulation.structures import PlayOutcome
from wideblock.simulation.verilator import Options
from wideblock.spec.gf128 import Reading
from wideblock.verify.core.twins import Play, Secret, Twins
from wideblock.verify.suites import suite_of

from ..variants import few_of_many
from .planted import Fault, choose, planted

pytestmark = pytest.mark.shows("secrets")

CHECK = "secrets on ports"
KEY = "inner.core.key_unit.expansion.round_key1"
IDLE = "!m_axis_tvalid"
SMALL = {"sector_bytes": 64, "sbox": "composite"}
FAMILIES = {
    "xts-enc": SMALL,
    "fast-brw-1": SMALL,
    "hctr2-any": SMALL,
    "heh-poly": SMALL,
    "eme2-1": SMALL,
    "aez-2ts": SMALL,
}
"""A core of each family, with its parameters."""

OF_SECTORS = {
    "nothing": None,
    "a round key": (
        Fault("m_axis_tdata", f"{IDLE} && since == 0", KEY),
        r"tdata shows round key \d+ of \w+ in cycle .*, [123] cycles? a",
    ),
    "an input": (Fault("m_axis_tdata", f"{IDLE} && computed", "word_s_axis_tdata"), "of sector . as it entered in cyc"),
    "a bit of a key": (Fault("m_axis_tlast", f"{IDLE} && ready", f"{KEY}[3]"), "m_axis_tlast differs under other sec"),
}
OF_MESSAGES = {
    "nothing": None,
    "a key": (
        Fault("do_data", "!do_valid && !since[7]", "word_sdi_data"),
        "do_data shows round key 0 of K in the opposite order of",
    ),
    "a hash key": (
        Fault("do_data", "since == 0", "inner.core.cipher.H[63:32]"),
        "shows H.1 with the bits of each byte",
    ),
    "an input": (
        Fault("do_data", "!do_valid && pdi_valid", "word_pdi_data"),
        "do_data shows .* in cycle .*do_valid low",
    ),
    "a message": (Fault("do_data", "!do_valid", "inner.core.buffer.word"), "block 0 of the (rejected )?message"),
    "a bit of a key": (Fault("pdi_ready", "1", "pdi_ready__inner & !word_sdi_data[9]"), "pdi_ready dif"),
}


def found(core, faults, number, directory):
    """The check's finding on the core with the fault of that number."""
    suite = suite_of(core)
    choose(number)
    with suite.simulation(core, verilog=planted(core, faults), options=Options(optimise=0)) as simulation:
        report = suite.verify(core, checks=[CHECK], seed=1, simulation=simulation, amount=8, processes=1)
    return report.failure


def judged(core, faults, name, directory):
    failure = found(core, [fault[0] for fault in faults.values() if fault], list(faults).index(name), directory)
    if faults[name] is None:
        assert failure is None, failure.difference
    else:
        with pytest.raises(AssertionError, match=faults[name][1]):
            raise AssertionError(failure and failure.difference)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "fault"),
    few_of_many([(n, f) for n in FAMILIES for f in OF_SECTORS], []),
)
def test_a_sector_core(here, name, fault):
    judged(contract(name, FAMILIES[name]), OF_SECTORS, fault, here)


@pytest.mark.parametrize("fault", few_of_many(OF_MESSAGES, ["nothing", "a hash key", "a bit of a key"]))
def test_an_authenticated_cipher(here, fault):
    judged(contract("aes-gcm", {"data_bytes": 64, "ad_bytes": 48}), OF_MESSAGES, fault, here)


SHELL = contract("hctr2-any", {"sector_bytes": 64}).shell
SIZES = (0, 3, 2, 1)
"""Cycles of the states of a play, added up."""


def play(data, keep, secrets, valid=(1, 0, 0, 1), ready=((0, 0), (4, 1))):
    """A play whose output has these words, of 16 bytes, and ``keep``; the states last as :data:`SIZES` says."""
    states = np.zeros(len(data), Ports(SHELL).outputs["o"].shown)
    states["cycle"], states["valid"] = np.cumsum(SIZES), valid
    states["data"] = np.frombuffer(b"".join(data), np.uint8).reshape(len(data), 16)
    states["keep"] = np.full(len(data), keep, "<u2")[:, None].view(np.uint8)
    accepted = {"i": np.array([1, 5]), "key": np.array([0])}
    record = Record(PlayOutcome.DONE, 9, accepted, {}, {"ready": [*ready]}, {}, {"o": states}, None)
    return Play(record, secrets)


def seen(*plays, events=()):
    twins = Twins(Ports(SHELL), "data")
    return twins.add(plays, "Two plays", events) or twins.found()


def random_bytes(seed, n=16):
    return np.random.default_rng(seed).bytes(n)


def two(place, change, *, until=1 << 60, constant=False):
    """Two plays that show, in state 2, ``change`` of their secret."""
    plays = []
    for seed in (1, 2):
        secret = random_bytes(7 if constant else seed)
        words = [random_bytes(10 * seed + n) for n in range(4)]
        part = change(secret)
        words[2] = words[2][:place] + part + words[2][place + len(part) :]
        plays.append(play(words, 0xFFFF, [Secret("tau", secret, until), Secret("h", random_bytes(seed + 4))]))
    return plays


@pytest.mark.parametrize("reading", Reading)
def test_a_block_in_any_reading(reading):
    found = seen(*two(0, lambda secret: Reading.LE.block(reading.element(secret))), events=[ScriptEvent("zeroize", 4)])
    assert found is not None and " in cycle 5, 1 cycle after zeroize, m_axis_tvalid low: bytes 0 to 3 are " in found
    assert found.startswith("m_axis_tdata shows tau") and found.endswith("a secret is shown: tau.")


@pytest.mark.parametrize("place", [0, 5, 12])
def test_four_bytes_anywhere(place):
    found = seen(*two(place, lambda secret: secret[8:12]))
    assert found is not None and f"5 cycles after the start, m_axis_tvalid low: bytes {place} to {place + 3} a" in found
    assert seen(*two(place, lambda secret: secret[8:11])) is None


def test_a_result_may_be_shown_from_its_cycle_on():
    assert seen(*two(0, lambda secret: secret, until=5)) is None
    assert "shows tau" in str(seen(*two(0, lambda secret: secret, until=6)))


def test_a_value_that_is_the_same_under_all_secrets_is_none():
    assert seen(*two(0, lambda secret: secret, constant=True)) is None


def test_a_chance_hit_is_none():
    """One play shows its secret; the other shows another word at that place."""
    one, _ = two(0, lambda secret: secret)
    _, other = two(0, lambda secret: secret[::-1])
    assert seen(one, other) is None


def test_an_earlier_play_counts():
    twins, words = Twins(Ports(SHELL), "data"), [random_bytes(n) for n in range(30, 34)]
    first = tuple(play(words, 0xFFFF, [Secret("h", random_bytes(seed))]) for seed in (1, 2))
    later = tuple(play([random_bytes(seed), *words[1:]], 0xFFFF, []) for seed in (1, 2))
    assert twins.add(first, "The first play") is None and twins.add(later, "The second play") is None
    assert "shows h in cycle 0" in str(twins.found()) and "The second play." in str(twins.found())


def test_outputs_without_data_do_not_depend_on_secrets():
    words = [random_bytes(n) for n in range(4)]
    usual = play(words, 0xFFFF, [])
    assert seen(usual, play(words[::-1], 0xFFFF, [])) is None
    for other, says in {
        "m_axis_tkeep differs under other secrets in cycle 5": play(words, [0xFFFF, 0xFFFF, 0xFFFE, 0xFFFF], []),
        "m_axis_tvalid differs under other secrets in cycle 6": play(words, 0xFFFF, [], valid=(1, 0, 0, 0)),
        "ready differs under other secrets in cycle 4": play(words, 0xFFFF, [], ready=((0, 0), (5, 1))),
    }.items():
        assert str(seen(usual, says)).startswith(f"{other}: it depends on secrets. Two plays")
    late = play(words, 0xFFFF, [])
    late.record.accepted["i"] = np.array([1, 6])
    assert "s_axis_tready differs under other secrets, at word 1" in str(seen(usual, late))
