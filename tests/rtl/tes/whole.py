# SPDX-License-Identifier: Apache-2.0
"""The whole suite of checks on one core, as the Verilog that users get."""

from wideblock.verify.report import Outcome
from wideblock.verify.sector.checks import CHECKS
from wideblock.verify.sector.driver import SectorSimulation
from wideblock.verify.sector.stimulus import Key, Zeroize
from wideblock.verify.sector.suite import verify

__all__ = ["assert_verified"]


def assert_verified(core):
    """Every check passes or has nothing to check where it should, and the first key after zeroize comes on time."""
    with SectorSimulation(core) as simulation:
        report = verify(core, sectors=8, seed=1, vectors=core.known_answers, simulation=simulation)
        assert report.failure is None, f"{report.failure.name}: {report.failure.difference}"
        assert [check.name for check in report.checks] == list(CHECKS)
        none = {check.name for check in report.checks if check.outcome is Outcome.NONE}
        assert none == {"equal key halves"} | (set() if core.known_answers else {"known answers"})

        key = bytes(simulation.shape.key_bytes)
        simulation.reset()
        simulation.load_key(key)
        stimulus = simulation.stimulus([], [], False, keys=[Key(key, cycle=1)], events=[Zeroize(0)], quiet=0)
        assert simulation.play(stimulus).key_taken.tolist() == [core.timing.zeroize]
