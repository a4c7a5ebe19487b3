# SPDX-License-Identifier: Apache-2.0
"""The check of keys in words passes a right core, and names what a wrong one does."""

from dataclasses import dataclass, replace
from functools import cached_property

import pytest
from amaranth import C, Instance, Module, Mux, ResetInserter, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.rtl.keys.words import WRONG_WORDS, KeyWords
from wideblock.rtl.shell.axi_stream import AxiStreamShell
from wideblock.rtl.stream.sector import sector_interface
from wideblock.verify.core.report import Outcome
from wideblock.verify.sector.checks import CHECKS
from wideblock.verify.sector.suite import SECTORS

from ..toy_core import FAULTS, PATH, Core, Toy

pytestmark = pytest.mark.shows("mutation", "protocol")

WIDTH = 32
CAUGHT = {
    "no fault": "A key of 1 words, with no key in place, is fault 4, once; seen: none",
    "last is ignored": "A key of 1 words, with no key in place, is fault 4, once; seen: none",
    "a fault loses the key": "A key of 1 words, after a right one, leaves ready low",
    "words wait for sectors": "The first word of a key waits while sectors are processed",
    "words hold sectors off": "Sector .* begins in cycle .*, but while the last word of a key is late in cycle",
    "not cleared": "ready is high in cycle .* without a key: zeroize came",
    "the rest is a key": "fault is 4 in cycle .* with no malformed sector",
    "a word is kept": "different values of core.kept_word after zeroize in cycle . of the words of a key",
}
FLAWS = tuple(CAUGHT)


@dataclass(frozen=True)
class WordsToy(Toy):
    """The toy behind a port for words of keys, with a flaw that it reads from a file."""

    module: str = "toy_words"

    @property
    def timing(self):
        words = self.key_bits // WIDTH
        return replace(super().timing, setup=super().timing.setup + words - 1, key_words=words)

    @property
    def behaviour(self):
        return replace(super().behaviour, faults=(*FAULTS, WRONG_WORDS), timing=self.timing)

    @property
    def interface(self):
        return sector_interface(self.width, self.key_bits, (*FAULTS, WRONG_WORDS), key_width=WIDTH)

    @cached_property
    def shell(self):
        return AxiStreamShell(WordsCore(self))


class WordsCore(wiring.Component):
    """The toy's core and the part that collects the words of its keys, each flaw between the two."""

    def __init__(self, toy):
        self.toy, self.interface, self.behaviour, self.timing = toy, toy.interface, toy.behaviour, toy.timing
        super().__init__(self.interface.members())

    def elaborate(self, platform):
        m = Module()
        flaw, begun, restart = Signal(8), Signal(), Signal()
        has = {name: flaw == number for number, name in enumerate(FLAWS, 1)}
        m.submodules.select = Instance("flaw_select", o_flaw=flaw)
        m.submodules.toy = core = Core(Toy())
        words = KeyWords(bits=self.toy.key_bits, width=WIDTH)
        m.submodules.words = ResetInserter(restart)(words)
        m.d.comb += restart.eq(self.zeroize & has["the rest is a key"])
        connect(m, core.o, flipped(self.o))
        connect(m, words.o, core.key)

        whole = self.toy.timing.zeroize - 1
        clearing, number, kept_word = Signal(range(64), init=whole), Signal(2), Signal(WIDTH)
        with m.If(self.zeroize):
            m.d.sync += clearing.eq(whole)
        with m.Elif(clearing != 0):
            m.d.sync += clearing.eq(clearing - 1)
        m.d.comb += words.clear.eq((self.zeroize | (clearing != 0) | ResetSignal()) & ~has["not cleared"])

        payload, passes = self.key.payload, ~(has["words wait for sectors"] & core.o.valid)
        m.d.comb += [
            words.i.valid.eq(self.key.valid & passes),
            self.key.ready.eq(words.i.ready & passes),
            words.i.payload.key.eq(payload.key),
            words.i.payload.last.eq(Mux(has["last is ignored"], number == 3, payload.last)),
        ]
        with m.If(self.key.valid & self.key.ready):
            m.d.sync += [begun.eq(~payload.last), number.eq(number + 1)]
            with m.If(has["a word is kept"]):
                m.d.sync += kept_word.eq(payload.key)

        open = ~(has["words hold sectors off"] & begun)
        m.d.comb += [
            core.i.valid.eq(self.i.valid & open),
            self.i.ready.eq(core.i.ready & open),
            core.i.payload.eq(self.i.payload),
            core.zeroize.eq(self.zeroize | (has["a fault loses the key"] & words.fault)),
            self.ready.eq(core.ready),
            self.fault.eq(core.fault | ((words.fault & ~has["no fault"]) << len(FAULTS))),
            self.computed.eq(core.computed | (kept_word == C(0x5A5A5A5A, WIDTH))),
        ]
        return m


SUBJECT = WordsToy(flawed=True)


@pytest.fixture
def flaw(tmp_path, monkeypatch):
    """Chooses what the models made from now on do wrong."""
    monkeypatch.chdir(tmp_path)

    def choose(name):
        (tmp_path / PATH).write_text(f"{FLAWS.index(name) + 1 if name else 0:02x}\n")

    choose(None)
    return choose


@pytest.mark.parametrize("seed", range(2))
def test_a_right_core_passes(flaw, seed):
    report = SECTORS.verify(SUBJECT, amount=60, seed=seed)
    assert report.failure is None, report.failure.difference
    assert [check.name for check in report.checks] == list(CHECKS)
    none = [check.name for check in report.checks if check.outcome is Outcome.NONE]
    assert none == [
        "known answers",
        "slots",
        "state after eviction",
        "forged sectors",
        "byte qualifiers",
        "equal key halves",
    ]


@pytest.mark.parametrize("name", FLAWS)
def test_a_flaw_is_caught(flaw, name):
    flaw(name)
    failure = SECTORS.verify(SUBJECT, amount=16, seed=1, checks=["key words"]).failure
    assert failure is not None
    with pytest.raises(AssertionError, match=CAUGHT[name]):
        raise AssertionError(failure.difference)


def test_a_wrong_setup_is_seen(flaw):
    class Slower(WordsToy):
        @property
        def timing(self):
            return replace(super().timing, setup=super().timing.setup - 3)

    failure = SECTORS.verify(Slower(flawed=True), checks=["cycle contract"]).failure
    assert failure is not None and "setup is 8 cycles in simulation; the contract says 5" in str(failure.difference)


def test_a_key_is_whole_words(flaw):
    with SectorSimulation(SUBJECT) as simulation:
        with pytest.raises(ValueError, match="^key must be 16 bytes, got 15$"):
            simulation.load_key(bytes(15))
        assert simulation.load_key(bytes(16)) == SUBJECT.timing.zeroize + 1
