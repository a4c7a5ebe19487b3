# SPDX-License-Identifier: Apache-2.0
"""A component in Amaranth's simulator."""

from amaranth.sim import Simulator

__all__ = ["run"]


def run(dut, bench):
    """Runs ``bench``, a test bench of Amaranth, against ``dut`` with a clock."""
    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
