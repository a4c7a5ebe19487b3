# SPDX-License-Identifier: Apache-2.0
"""An engine that has failed, by a damaged key or a wrong answer of its self-test, forgets every key."""

from dataclasses import replace

import numpy as np
import pytest

from wideblock.catalog.hardware import engines
from wideblock.drive.sector.engine import EngineSimulation
from wideblock.drive.sector.traffic import Request
from wideblock.export.contract import contract
from wideblock.export.verilog import FILE, generate
from wideblock.rtl.keys import store
from wideblock.rtl.sector.single_pass import slots
from wideblock.simulation.script import Script
from wideblock.verify.core.check import differing

from ..changed_source import changed

pytestmark = [pytest.mark.shows("engine"), pytest.mark.slow]

CHANGES = {"sector_bytes": 32, "slots": 4, "key_bits": 128, "sbox": "composite", "registers": "axi4-lite"}
DAMAGED = 0xA5
"""First byte of a key that is stored with a wrong parity."""


def damage(monkeypatch):
    """An engine that stores some keys with a wrong parity, and the event in which it reads one."""
    word = "word = Cat(self.data, _parity(self.data))"
    wrong = f"word = Cat(self.data, _parity(self.data) ^ (self.data[:8] == {DAMAGED}))"
    monkeypatch.setattr(slots, "KeyStore", changed(store, "KeyStore", word, wrong))

    def event(engine):
        script = engine.requests([Request(bytes(32), bytes(16), False, slot=1)])
        engine.bus(Script(words=script.words, quiet=80))

    return contract("xts-enc-k", CHANGES), event


def answer(monkeypatch):
    """An engine whose answers are wrong, and the event in which it runs its self-test."""
    real, starts = engines.TestAnswer, engines.engine
    monkeypatch.setattr(
        engines, "TestAnswer", lambda tweak, text, way, right: real(tweak, text, way, bytes(len(right)))
    )
    monkeypatch.setattr(engines, "engine", lambda scheme, core: starts(scheme, core, power_up=False))
    made = replace(contract("xts-enc-k", CHANGES), called="wrong_answers")

    def event(engine):
        engine.set("SELFTEST", 1)
        engine.until("STATUS", "FATAL", 1, made.timing.selftest)

    return made, event


@pytest.mark.parametrize("failure", [damage, answer])
def test_a_failed_engine_holds_no_key(monkeypatch, failure):
    core, event = failure(monkeypatch)
    text = generate(core.module, core.shell, core.header)[FILE]
    states = []
    with EngineSimulation(core, verilog=[text]) as model:
        for seed in (1, 2):
            rng = np.random.default_rng(seed)
            with model.fresh(0) as engine:
                engine.until("STATUS", "READY", 1, 2 * (core.timing.zeroize + core.timing.selftest))
                for slot in range(3):
                    key = rng.bytes(32)
                    first = DAMAGED if slot == 1 else key[0] & 0x7F
                    engine.load_key(bytes([first]) + key[1:], slot)
                before = engine.simulation.save()
                event(engine)
                assert engine.field("STATUS", "FATAL") == 1 and engine.field("CTRL", "RDY") == 0
                engine.wait(core.timing.zeroize)
                states.append((before, engine.simulation.save()))
    (one, cleared), (other, alike) = states
    assert one != other and cleared == alike, differing(cleared, alike)
