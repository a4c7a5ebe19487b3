# SPDX-License-Identifier: Apache-2.0
"""HMCH cores as the Verilog that users get, against the specification, over every value of every parameter."""

import pytest

from wideblock.export.contract import contract
from wideblock.export.subject import known_answers, subject
from wideblock.verify.checks import CHECKS
from wideblock.verify.driver import Key, Simulation, Zeroize, measure
from wideblock.verify.scoreboard import verify

CORES = [
    ("hmch-brw-1", {}),
    ("hmch-brw-2", {"order": "paper"}),
    ("hmch-brw-2s", {"sbox": "composite"}),
    ("hmch-brw-3", {"sector_bytes": 160, "key_bits": 256, "round_stages": 2, "order": "paper"}),
    ("hmch-brw-3s", {"sector_bytes": 160, "round_stages": 3, "mult_stages": 4, "sbox": "composite"}),
    ("hmch-brw-2", {"sector_bytes": 32, "mult_stages": 1, "sbox": "bram"}),
    ("hmch-brw-1", {"sector_bytes": 192, "width": 4, "mult_stages": 2, "sbox": "composite"}),
    ("hmch-brw-2s", {"sector_bytes": 32, "mult_stages": 1, "sbox": "composite"}),
    ("hmch-poly", {"sector_bytes": 48, "sbox": "composite"}),
    ("hmch-polys", {"sector_bytes": 512, "key_bits": 256, "leaf": 8, "sbox": "composite"}),
]


@pytest.mark.parametrize(
    ("name", "changes"), CORES, ids=[" ".join([name, *map(str, changes.values())]) for name, changes in CORES]
)
def test_exported_verilog(name, changes):
    """The whole suite of checks, and the cycle contract once more, as measured."""
    core = contract(name, changes)
    tried = subject(core)
    with Simulation(tried) as simulation:
        report = verify(tried, sectors=8, seed=1, vectors=known_answers(core), simulation=simulation)
        assert report.failure is None, f"{report.failure.name}: {report.failure.difference}"
        assert [check.name for check in report.checks] == list(CHECKS)

        stated = core.timing
        for direction, seen in measure(tried, seed=2, simulation=simulation).items():
            assert (seen.compute, seen.latency, seen.interval, seen.setup) == (
                stated.compute,
                stated.latency,
                stated.interval,
                stated.setup,
            ), direction

        simulation.reset()
        key = bytes(core.key_bits // 8)
        simulation.load_key(key)
        record = simulation.play(
            simulation.stimulus([], [], False, keys=[Key(key, cycle=1)], events=[Zeroize(0)], tail=0)
        )
        assert record.key_taken.tolist() == [stated.zeroize]


@pytest.mark.parametrize(
    ("name", "compute", "interval"),
    [
        ("hmch-brw-1", 66, 66),
        ("hmch-brw-2", 66, 66),
        ("hmch-brw-3", 80, 80),
        ("hmch-poly", 94, 94),
        ("hmch-brw-1s", None, 19),
        ("hmch-brw-2s", None, 19),
        ("hmch-brw-3s", None, 36),
        ("hmch-polys", None, 36),
    ],
)
def test_cycles_of_the_paper(name, compute, interval):
    """Stated cycles, which the simulation above measures, against the paper's Table 3 and the lanes' bound."""
    core = contract(name)
    assert core.parameters.sector_bytes == 512
    assert core.timing.interval <= interval
    assert compute is None or core.timing.compute <= compute
    assert known_answers(core)


def test_the_paper_s_order_needs_no_window_and_fewer_cycles():
    natural, paper = (contract("hmch-brw-2", {"order": order}).core for order in ("natural", "paper"))
    assert paper.timing.compute == natural.timing.compute - 4
    assert (natural.front_program.window, paper.front_program.window, paper.back_program.window) == (3, 1, 1)


def test_impossible_parameters():
    with pytest.raises(ValueError, match="^HMCH needs at least 2 blocks a sector, got 1$"):
        contract("hmch-poly", {"sector_bytes": 16})
    with pytest.raises(ValueError, match="^the paper's order is one of heh and hmch with brw; order must be natural"):
        contract("hmch-poly", {"order": "paper"})
    with pytest.raises(ValueError, match="^the paper's order is one of heh and hmch with brw; order must be natural"):
        contract("fast-brw-2", {"order": "paper"})
