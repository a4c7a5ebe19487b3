# SPDX-License-Identifier: Apache-2.0
"""Comments and attributes at the ports of an exported module: their meaning, and the bus that they belong to."""

import re
import textwrap
from dataclasses import dataclass

from wideblock.rtl.shell.shell import Shell

__all__ = ["BusSignal", "annotated", "signals"]

_DECLARED = re.compile(r"^  (?:input|output) (?:\[\d+:0\] )?(\w+);$", re.MULTILINE)


@dataclass(frozen=True)
class BusSignal:
    """A port that is a bus of its own to Vivado: ``kind`` and ``logical`` name its definition and signal there."""

    port: str
    kind: str
    logical: str
    parameters: dict[str, str]


def signals(shell: Shell) -> tuple[BusSignal, BusSignal]:
    """The clock and the reset."""
    buses = {"ASSOCIATED_BUSIF": ":".join(stream.prefix for stream in shell.streams)} if shell.bus else {}
    return (
        BusSignal(shell.clock, "clock", "CLK", {**buses, "ASSOCIATED_RESET": shell.reset}),
        BusSignal(shell.reset, "reset", "RST", {"POLARITY": "ACTIVE_LOW" if shell.active_low else "ACTIVE_HIGH"}),
    )


def annotated(module: str, shell: Shell, verilog: str) -> str:
    """The text with a comment and attributes before each port of ``module``, that of the shell.

    Vivado's block designs read the attributes ``X_INTERFACE_INFO`` and ``X_INTERFACE_PARAMETER``, also where the file
    is used as it is, without ``component.xml``; other tools ignore them. Source: Vivado Design Suite User Guide 994.
    """
    start = verilog.index(f"module {module}(")
    end = verilog.index("\nendmodule", start)
    meaning = {port.name: port.meaning for port in shell.ports}
    attributes = _attributes(shell)

    def before(port: re.Match[str]) -> str:
        lines = textwrap.wrap(meaning[port[1]], 112, initial_indent="  // ", subsequent_indent="  // ")
        return "\n".join([*lines, *(f'  (* {key} = "{value}" *)' for key, value in attributes[port[1]]), port[0]])

    return verilog[:start] + _DECLARED.sub(before, verilog[start:end]) + verilog[end:]


def _attributes(shell: Shell) -> dict[str, list[tuple[str, str]]]:
    """The attributes of each port, by its name."""
    info, parameter = "X_INTERFACE_INFO", "X_INTERFACE_PARAMETER"
    found: dict[str, list[tuple[str, str]]] = {port.name: [] for port in shell.ports}
    for stream in shell.streams if shell.bus else ():
        for name in (*stream.payload, stream.valid, stream.ready):
            signal = name.removeprefix(f"{stream.prefix}_").upper()
            found[name] = [(info, f"xilinx.com:interface:{shell.bus}:1.0 {stream.prefix} {signal}")]
    for signal in signals(shell):
        parameters = ", ".join(f"{name} {value}" for name, value in signal.parameters.items())
        about = f"xilinx.com:signal:{signal.kind}:1.0 {signal.port} {signal.logical}"
        found[signal.port] = [(info, about), (parameter, parameters)]
    return found
