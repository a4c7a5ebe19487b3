# SPDX-License-Identifier: Apache-2.0
"""A second opinion on a pre-layout clock: OpenSTA on the mapped netlist, where it is installed."""

import logging
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from wideblock.synth import process
from wideblock.synth.process import FlowError

__all__ = ["Opinion", "opinion"]

log = logging.getLogger(__name__)

_SCRIPT = """\
read_liberty cells.lib
read_verilog netlist.v
link_design {top}
create_clock -name clock -period {ns:.4f} [get_ports {{{clock}}}]
report_checks -path_delay max -from [all_registers -clock_pins] -to [all_registers -data_pins] -digits 4
"""


@dataclass(frozen=True)
class Opinion:
    """The clock that ``tool`` finds, in MHz, of the slowest path from flip-flop to flip-flop."""

    mhz: float
    tool: str


def opinion(where: Path, top: str, clock: str, mhz: float) -> Opinion | None:
    """OpenSTA's clock of ``netlist.v`` on ``cells.lib``, both in directory ``where``; None, with a line in the log, if
    it is not installed or cannot tell.

    Loads and transition times are those of each pin, wires have none, and the clock is ideal. ``mhz`` is the clock to
    check against; the result hardly depends on it.
    """
    sta = shutil.which("sta")
    if sta is None:
        log.info("OpenSTA (sta) is not installed: no second opinion on the pre-layout clock")
        return None
    (where / "sta.tcl").write_text(_SCRIPT.format(top=top, ns=1000 / mhz, clock=clock))
    said = where / "sta.log"
    try:
        process.run("OpenSTA", [sta, "-no_init", "-no_splash", "-exit", "sta.tcl"], cwd=where, log=said, timeout=600)
        version = subprocess.run([sta, "-version"], capture_output=True, text=True, timeout=60).stdout.strip()
    except (FlowError, OSError, subprocess.TimeoutExpired) as error:
        log.info("no second opinion on the pre-layout clock: %s", error)
        return None
    slack = re.search(r"^\s*(-?[\d.]+)\s+slack \((MET|VIOLATED)\)", said.read_text(errors="replace"), re.MULTILINE)
    if slack is None:
        log.info("no second opinion on the pre-layout clock: OpenSTA reports no path between flip-flops")
        return None
    return Opinion(round(1000 / (1000 / mhz - float(slack[1])), 1), f"OpenSTA {version}")
