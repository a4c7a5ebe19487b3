# SPDX-License-Identifier: Apache-2.0
"""FuseSoC description of an exported core."""

import json

from wideblock import __version__
from wideblock.export.contract import Contract

__all__ = ["fusesoc"]


def fusesoc(core: Contract, *, bench: bool) -> str:
    """Returns a CAPI2 ``.core`` file with targets lint and synth, and with ``bench`` also sim, for the files beside it.

    Source: CAPI2 reference of FuseSoC. Strings are quoted as JSON, which YAML contains.
    """
    module = core.module
    text = f"""\
CAPI=2:
# SPDX-License-Identifier: Apache-2.0
name: "wideblock:tes:{module}:{__version__}"
description: {json.dumps(core.summary)}

filesets:
  rtl:
    files:
      - {module}.v
    file_type: verilogSource
  waivers:
    files:
      - {module}.vlt
    file_type: vlt
"""
    if bench:
        text += f"""\
  bench:
    files:
      - {module}_tb.v
    file_type: verilogSource
"""
    text += f"""
targets:
  default: &default
    description: the Verilog alone
    filesets: [rtl]
    toplevel: {module}
  lint:
    <<: *default
    description: Verilator, lint only
    filesets: [waivers, rtl]
    flow: lint
    flow_options:
      tool: verilator
  synth:
    <<: *default
    description: Yosys, for the 7 series
    flow: generic
    flow_options:
      tool: yosys
      arch: xilinx
"""
    if bench:
        text += f"""\
  sim:
    description: known answers in Icarus Verilog
    filesets: [rtl, bench]
    toplevel: {module}_tb
    flow: sim
    flow_options:
      tool: icarus
"""
    return text
