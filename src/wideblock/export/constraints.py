# SPDX-License-Identifier: Apache-2.0
"""Timing constraints of an exported core by itself, for out-of-context runs."""

from wideblock.export.contract import Contract

__all__ = ["constraints"]

PERIOD_NS = 5.0


def constraints(core: Contract) -> str:
    """Returns SDC commands, which Vivado's XDC contains: one clock, of a period that is a placeholder."""
    clock = core.shell.clock
    return f"""\
# SPDX-License-Identifier: Apache-2.0
# {core.module} by itself. All ports are synchronous to {clock}; the period, in ns, is yours to choose.
# In a design of your own the clock has its constraint already, and this file is not needed.
create_clock -name {clock} -period {PERIOD_NS:.3f} [get_ports {clock}]
"""
