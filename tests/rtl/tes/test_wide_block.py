# SPDX-License-Identifier: Apache-2.0
"""Wide-block cores as the Verilog that users get, against the specification, over every value of every parameter."""

import pytest

from wideblock.export.contract import contract
from wideblock.verify.checks import CHECKS
from wideblock.verify.driver import Simulation
from wideblock.verify.exported import Exported, known_answers
from wideblock.verify.measure import measure
from wideblock.verify.scoreboard import verify
from wideblock.verify.stimulus import Key, Zeroize

CORES = [
    ("fast-brw-2", {}),
    ("fast-brw-2s", {}),
    ("fast-brw-1", {"sector_bytes": 160, "key_bits": 256, "sbox": "composite", "mult_stages": 3, "round_stages": 2}),
    ("fast-brw-2", {"sector_bytes": 64, "width": 4, "sbox": "bram", "leaf": 16}),
    ("fast-brw-2s", {"sector_bytes": 512, "width": 4, "mult_stages": 8, "leaf": 8, "squares": "on-the-fly"}),
    ("fast-brw-4s", {"sector_bytes": 512, "mult_stages": 2, "sbox": "norm"}),
    ("fast-horner-2", {"sector_bytes": 64, "mult_stages": 1, "sbox": "bram", "leaf": 2}),
    ("fast-horner-1", {"sector_bytes": 176, "overlap": True, "mult_stages": 7, "round_stages": 4, "sbox": "composite"}),
    ("fast-horner-2s", {"sector_bytes": 512, "key_bits": 256, "round_stages": 2, "sbox": "bram"}),
    ("heh-brw-2", {}),
    ("heh-brw-3", {"sector_bytes": 80, "width": 1, "mult_stages": 6, "sbox": "bram", "round_stages": 3}),
    ("heh-poly", {"sector_bytes": 48, "mult_stages": 4, "sbox": "bram", "leaf": 2}),
    ("heh-brw-3s", {"sector_bytes": 160, "round_stages": 4, "mult_stages": 5, "sbox": "composite", "order": "paper"}),
    ("heh-polys", {"sector_bytes": 64, "key_bits": 256, "round_stages": 2, "sbox": "bram"}),
    ("hmch-brw-1", {}),
    ("hmch-brw-2", {"sector_bytes": 32, "mult_stages": 1, "sbox": "bram"}),
    ("hmch-brw-3", {"sector_bytes": 160, "key_bits": 256, "round_stages": 2, "order": "paper"}),
    ("hmch-brw-3s", {"sector_bytes": 160, "round_stages": 3, "mult_stages": 4, "sbox": "composite"}),
    ("hmch-poly", {"sector_bytes": 48, "sbox": "norm"}),
]


@pytest.mark.parametrize(
    ("name", "changes"), CORES, ids=[" ".join([name, *map(str, changes.values())]) for name, changes in CORES]
)
def test_exported_verilog(name, changes):
    """The whole suite of checks, and the cycle contract once more, as measured."""
    core = contract(name, changes)
    tried = Exported(core)
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
