# SPDX-License-Identifier: Apache-2.0
"""The comparison of states sees whatever zeroize leaves in a real core, whichever part of it forgets."""

import re

import pytest

from wideblock.drive.core import reset_at, zeroize_at
from wideblock.drive.sector.pool import SpecificationPool
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.export.contract import contract
from wideblock.verify.core.check import Clear
from wideblock.verify.sector.check import SectorCheck
from wideblock.verify.sector.state import life
from wideblock.verify.sector.suite import SECTORS

pytestmark = [pytest.mark.shows("zeroize-state"), pytest.mark.slow]

CORE = contract("hmch-brw-3", {"sector_bytes": "64", "sbox": "composite"})
CHECK = "state after zeroize"
FILE = "kept.hex"
KEPT = [
    ("core.key_unit.expansion", "round_key3"),
    ("core.inverse", "o__payload"),
    ("core.front_hash", "accumulators0"),
    ("core.front_hash", "powers"),
    ("core.entrance", "x"),
]
"""Registers and memories, each with the module that has it."""


def forgetful(text):
    """The Verilog with a choice, read from a file, of the register that keeps its value while all others clear."""
    for number, (module, register) in enumerate(KEPT, 1):
        start = text.index(f"\nmodule {CORE.module}__{module.replace('.', '__')}(")
        end = text.index("\nendmodule", start)
        keeps, module_text = f"kept{number}[0] != {number} | ~clear", text[start:end]
        written = rf"(always @\(posedge clk\)(?: begin)?\n\s+)((?:if \(.*\)\n\s+)?{register} <= )"
        body, n = re.subn(written, rf"\1if ({keeps}) \2", module_text)
        if f" {register} (\n" in module_text:
            instance = rf"( {register} \((?:\n    .*)*\.write_en\()(.*)\)"
            body, n = re.subn(instance, rf"\1\2 & ({keeps}))", module_text)
        assert n == 1, (module, register)
        declared = f'  reg [7:0] kept{number} [0:0];\n  initial $readmemh("{FILE}", kept{number});\n'
        text = text[:start] + body.replace(");\n", f");\n{declared}", 1) + text[end:]
    return text


@pytest.fixture
def model(tmp_path, monkeypatch):
    """Makes the model of the core in which the register of a number, from 1 on, is not cleared."""
    monkeypatch.chdir(tmp_path)

    def make(number):
        (tmp_path / FILE).write_text(f"{number:02x}\n")
        return SectorSimulation(CORE, verilog=[forgetful(CORE.verilog)])

    return make


@pytest.mark.parametrize("number", range(len(KEPT) + 1))
def test_what_zeroize_leaves_is_found(model, number):
    with model(number) as simulation:
        report = SECTORS.verify(CORE, amount=16, seed=1, checks=[CHECK], simulation=simulation)
    if number == 0:
        assert report.failure is None
    else:
        assert report.failure is not None and "they are not cleared" in str(report.failure.difference)


def test_the_time_that_clearing_takes_is_needed_and_enough(model):
    with model(0) as simulation, SpecificationPool(CORE.specification, processes=1) as pool:
        check = SectorCheck(CORE, simulation, 1, 16, pool=pool)
        moment = CORE.timing.setup + CORE.timing.latency
        clean = life(check, CORE.timing.setup, sectors=0)
        # one sector, which is taken by then: whether the source is inside one would show
        enough = [
            cycles
            for cycles in range(1, CORE.timing.zeroize + 1)
            if life(check, moment, sectors=1, clear=Clear("", (zeroize_at(moment),), cycles)).state == clean.state
        ]
        assert enough == [CORE.timing.zeroize]


def test_a_reset_leaves_what_zeroize_leaves(model):
    with model(0) as simulation, SpecificationPool(CORE.specification, processes=1) as pool:
        check = SectorCheck(CORE, simulation, 1, 16, pool=pool)
        resets = [Clear("", (reset_at(moment),), CORE.timing.zeroize) for moment in check.moments(8)]
        states = [life(check, reset.events[0].cycle, clear=reset).state for reset in resets]
        assert all(state == states[0] for state in states)
