# SPDX-License-Identifier: Apache-2.0
"""The suite passes a right core and fails every wrong one, in the check that is for it."""

from dataclasses import dataclass, replace
from functools import cached_property

import pytest

from wideblock.catalog import KnownAnswer
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.simulation.verilator import Options
from wideblock.verify.core.report import Outcome
from wideblock.verify.sector.checks import CHECKS
from wideblock.verify.sector.suite import SECTORS

from ..toy_core import FLAWS, PATH, Specification, Toy

pytestmark = pytest.mark.shows("mutation", "protocol")

SOUND = Toy(flawed=True)
CAUGHT = {
    "dropped beat": ("random sectors", "differs from the specification in"),
    "duplicated sector": ("random sectors", "beats left, .* the last of a sector; right are"),
    "wrong byte": ("random sectors", "in 1 of 64 bytes"),
    "wrong direction": ("random sectors", "decrypted"),
    "tweak of the last beat": ("gaps and back-pressure", "differs from the specification"),
    "unstable valid": ("gaps and back-pressure", "m_axis_tvalid fell"),
    "payload changes while held": ("gaps and back-pressure", "m_axis_tdata changed before m_axis_tready took the word"),
    "valid in reset": ("resets", "m_axis_tvalid is high during aresetn"),
    "stale output after zeroize": ("zeroize", "A beat leaves in cycle|m_axis_tdata changed before"),
    "key kept by zeroize": ("zeroize without a key", "ready is high in cycle"),
    "late zeroize": ("zeroize without a key", "cycles are allowed to clear"),
    "zero key": ("data before a key", "Sector 0 is taken in cycle . without a key"),
    "key inside a sector": ("key changes", "differs from the specification"),
    "wrong fault": ("wrong lengths", "is too long .right are 4., so fault must be 2, but it is 1"),
    "no fault": ("wrong lengths", "is cut short .right are 4., so fault must be 1"),
    "malformed sector leaves": ("wrong lengths", "Sector 2|A beat leaves"),
    "early ready": ("data before a key", "is set up in 5 cycles, but ready rises in cycle"),
    "computed after reset": ("resets", "computed pulses in cycle .* for no sector"),
    "tweak kept by zeroize": (
        "state after zeroize",
        "different values of core.decrypt0, core.tweak0: they are not cleared",
    ),
    "buffer kept by zeroize": ("state after zeroize", "different values of core.buffer"),
    "key on an idle port": ("secrets on ports", "m_axis_tdata shows K in cycle .* m_axis_tvalid low: bytes 0 to 3 are"),
    "reversed key on an idle port": ("secrets on ports", "m_axis_tdata shows K with its bits reversed in cycle"),
    "mask after zeroize": (
        "secrets on ports",
        "shows mask 1 in cycle .* [12] cycles? after zeroize, m_axis_tvalid low",
    ),
    "input on an idle port": ("secrets on ports", "m_axis_tdata shows block 0 of sector 0 as it entered in cycle"),
    "key bit on a status": ("secrets on ports", "computed differs under other secrets in cycle"),
    "data bit beside the data": ("secrets on ports", "m_axis_tlast differs under other secrets in cycle"),
}


@pytest.fixture
def flaw(tmp_path, monkeypatch):
    """Chooses what the models made from now on do wrong."""
    monkeypatch.chdir(tmp_path)

    def choose(name):
        (tmp_path / PATH).write_text(f"{FLAWS.index(name) + 1 if name else 0:02x}\n")

    choose(None)
    return choose


@pytest.mark.parametrize("seed", range(3))
def test_a_right_core_passes(flaw, seed):
    known = KnownAnswer(
        "computed here",
        bytes(16),
        bytes(range(16)),
        bytes(64),
        Specification(bytes(16)).encrypt(bytes(range(16)), bytes(64)),
    )
    told = []
    report = SECTORS.verify(SOUND, amount=100, seed=seed, vectors=[known], progress=lambda *step: told.append(step))
    assert report.failure is None
    assert report.passed and [check.name for check in report.checks] == list(CHECKS)
    assert [check.name for check in report.checks if check.outcome is Outcome.NONE] == [
        "slots",
        "state after eviction",
        "forged sectors",
        "byte qualifiers",
        "equal key halves",
        "key words",
    ]
    assert report.sectors > 500 and report.cycles_per_second > 1000
    assert {name for name, *_ in told} == set(CHECKS)
    assert all(check.tried for check in report.checks)


def test_every_flaw_has_its_check():
    assert set(CAUGHT) == set(FLAWS)


@pytest.mark.parametrize("name", FLAWS)
def test_a_flaw_is_caught(flaw, name):
    flaw(name)
    check, words = CAUGHT[name]
    failure = SECTORS.verify(SOUND, amount=64, seed=1, checks=[check]).failure
    assert failure is not None
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(failure.difference)
    assert failure.difference and failure.difference.endswith("--seed 1 --sectors 64")


@pytest.mark.parametrize("name", ["wrong byte", "key kept by zeroize", "computed after reset"])
def test_the_whole_suite_stops_at_a_flaw(flaw, name):
    flaw(name)
    report = SECTORS.verify(SOUND, amount=64, seed=2)
    assert not report.passed and report.failure is report.checks[-1]


def test_a_difference_is_explained(flaw):
    flaw("wrong byte")
    failure = SECTORS.verify(SOUND, amount=20, seed=3, checks=["random sectors"]).failure
    assert failure is not None and failure.difference is not None
    for words in (
        "Sector ",
        "tweak ",
        "key ",
        "first at byte 49",
        "Bytes 48 to 63: expected ",
        "got ",
        "verify toy --check 'random sectors' --seed 3",
    ):
        assert words in failure.difference


@dataclass(frozen=True)
class Promises:
    """A right core with a wrong contract."""

    core: Toy
    name: str

    def __getattr__(self, name):
        return getattr(self.core, name)

    @cached_property
    def timing(self):
        return replace(self.core.timing, **{self.name: getattr(self.core.timing, self.name) + 1})


@pytest.mark.parametrize("name", ["compute", "latency", "interval", "setup"])
def test_the_contract_is_exact(flaw, name):
    failure = SECTORS.verify(Promises(SOUND, name), checks=["cycle contract"]).failure
    assert failure is not None and f"{name} is " in str(failure.difference)


def test_a_wrong_known_answer(flaw):
    vector = KnownAnswer("a misprint", bytes(16), bytes(16), bytes(64), bytes(64))
    failure = SECTORS.verify(SOUND, vectors=[vector], checks=["known answers"]).failure
    assert failure is not None and str(failure.difference).startswith("a misprint: Sector 0")


def test_one_model_can_be_used_for_several_suites(flaw):
    with SectorSimulation(SOUND) as simulation:
        for seed in range(2):
            assert SECTORS.verify(SOUND, amount=8, seed=seed, simulation=simulation).passed


def test_nothing_to_check_is_said(flaw):
    (known, halves) = SECTORS.verify(SOUND, checks=["known answers", "equal key halves"]).checks
    assert known.outcome is halves.outcome is Outcome.NONE and known.sectors == halves.sectors == 0
    assert known.tried == "no known answer for these parameters" and halves.tried == "the core takes every key"
    with SectorSimulation(SOUND, options=Options()) as simulation:
        (state,) = SECTORS.verify(SOUND, checks=["state after zeroize"], simulation=simulation).checks
    assert state.outcome is Outcome.NONE and "without access" in state.tried


def test_waveform_of_a_failing_run(flaw, tmp_path):
    """Its times are ten times the cycles of which the difference speaks."""
    flaw("unstable valid")
    report = SECTORS.trace(SOUND, "gaps and back-pressure", tmp_path / "wave.vcd", amount=64, seed=1)
    assert report.failure is not None and "m_axis_tvalid fell" in str(report.failure.difference)
    assert (
        report.failure.difference
        == SECTORS.verify(SOUND, amount=64, seed=1, checks=["gaps and back-pressure"]).failure.difference
    )
    cycle = int(str(report.failure.difference).split("in cycle ")[1].split(":")[0])
    text = (tmp_path / "wave.vcd").read_text()
    symbol = next(line.split()[3] for line in text.splitlines() if line.split()[4:5] == ["m_axis_tvalid"])
    before, _, after = text.rpartition(f"{symbol}\n")  # its last change, by the edge before that cycle
    assert before.endswith("\n0") and before.rpartition("#")[2].startswith(f"{10 * cycle - 5}\n")
    assert after.rpartition("#")[2].split("\n")[0] == str(10 * cycle)


def test_waveform_of_a_play_that_shows_a_secret(flaw, tmp_path):
    """The check plays two other instances; the play that fails is played again for the waveform."""
    flaw("mask after zeroize")
    report = SECTORS.trace(SOUND, "secrets on ports", tmp_path / "wave.vcd", amount=16, seed=1)
    cycle = int(str(report.failure and report.failure.difference).split("in cycle ")[1].split(",")[0])
    lines = (tmp_path / "wave.vcd").read_text().splitlines()
    symbol = next(line.split()[3] for line in lines if line.split()[4:5] == ["m_axis_tdata"])
    before = lines[: lines.index(f"#{10 * cycle + 10}")]
    assert "1" in [line for line in before if line.endswith(f" {symbol}") and line.startswith("b")][-1].split()[0]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"checks": ["luck"]}, "no check 'luck', there are 'known answers', .*"),
        ({"amount": 0}, "at least 1 random sector must be tried, got 0"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        SECTORS.verify(SOUND, **arguments)
