# SPDX-License-Identifier: Apache-2.0
"""What stands beside the ports of an exported module: their meaning, and the bus that they belong to."""

import re
import textwrap
from typing import TYPE_CHECKING

from wideblock.rtl.shell.axi_stream import CLOCK, RESET

if TYPE_CHECKING:
    from wideblock.export.contract import Contract

__all__ = ["annotated"]

_DECLARED = re.compile(r"^  (?:input|output) (?:\[\d+:0\] )?(\w+);$", re.MULTILINE)


def annotated(core: "Contract", verilog: str) -> str:
    """The text with a comment and attributes before each port of the core's module.

    Vivado's block designs read the attributes ``X_INTERFACE_INFO`` and ``X_INTERFACE_PARAMETER``, also where the file
    is used as it is, without ``component.xml``; other tools ignore them. Source: Vivado Design Suite User Guide 994.
    """
    start = verilog.index(f"module {core.module}(")
    end = verilog.index("\nendmodule", start)
    meaning = {port.name: port.meaning for port in core.ports}
    attributes = _attributes(core)

    def before(port: re.Match[str]) -> str:
        lines = textwrap.wrap(meaning[port[1]], 112, initial_indent="  // ", subsequent_indent="  // ")
        return "\n".join([*lines, *(f'  (* {key} = "{value}" *)' for key, value in attributes[port[1]]), port[0]])

    return verilog[:start] + _DECLARED.sub(before, verilog[start:end]) + verilog[end:]


def _attributes(core: "Contract") -> dict[str, list[tuple[str, str]]]:
    """The attributes of each port, by its name."""
    info, parameter = "X_INTERFACE_INFO", "X_INTERFACE_PARAMETER"
    found: dict[str, list[tuple[str, str]]] = {port.name: [] for port in core.ports}
    prefixes = [stream.valid.removesuffix("_tvalid") for stream in core.shell.streams]
    for stream, prefix in zip(core.shell.streams, prefixes, strict=True):
        for name in (*stream.payload, stream.valid, stream.ready):
            signal = name.removeprefix(f"{prefix}_").upper()
            found[name] = [(info, f"xilinx.com:interface:axis:1.0 {prefix} {signal}")]
    found[CLOCK] = [
        (info, f"xilinx.com:signal:clock:1.0 {CLOCK} CLK"),
        (parameter, f"ASSOCIATED_BUSIF {':'.join(prefixes)}, ASSOCIATED_RESET {RESET}"),
    ]
    found[RESET] = [(info, f"xilinx.com:signal:reset:1.0 {RESET} RST"), (parameter, "POLARITY ACTIVE_LOW")]
    return found
