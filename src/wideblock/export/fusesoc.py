# SPDX-License-Identifier: Apache-2.0
"""FuseSoC description of an exported core."""

import json

from wideblock import __version__
from wideblock.export.contract import Contract

__all__ = ["fusesoc"]


def fusesoc(core: Contract) -> str:
    """Returns a CAPI2 ``.core`` file with a lint target, for the Verilog file of the same name beside it.

    Source: CAPI2 reference of FuseSoC. Strings are quoted as JSON, which YAML contains.
    """
    module = core.module
    return f"""\
CAPI=2:
# SPDX-License-Identifier: Apache-2.0
name: "wideblock:tes:{module}:{__version__}"
description: {json.dumps(core.summary)}

filesets:
  rtl:
    files:
      - {module}.v
    file_type: verilogSource

targets:
  default: &default
    description: the Verilog alone
    filesets: [rtl]
    toplevel: {module}
  lint:
    <<: *default
    description: Verilator, lint only
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
"""
