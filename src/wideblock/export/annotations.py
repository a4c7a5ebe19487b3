# SPDX-License-Identifier: Apache-2.0
"""Comments and attributes at the ports of an exported module: their meaning, and the bus that they belong to."""

import re
import textwrap
from dataclasses import dataclass

from amaranth.lib.wiring import In

from wideblock.rtl.shell.shell import Shell

__all__ = ["BusInterface", "BusSignal", "annotated", "interfaces", "signals"]

_DECLARED = re.compile(r"^  (?:input|output) (?:\[\d+:0\] )?(\w+);$", re.MULTILINE)


@dataclass(frozen=True)
class BusSignal:
    """A port that is a separate bus to Vivado: ``kind`` and ``logical`` name definition and signal in Vivado."""

    port: str
    kind: str
    logical: str
    parameters: dict[str, str]
    slave: bool = True


@dataclass(frozen=True)
class BusInterface:
    """Ports that are a bus together: ``kind`` names the definition, ``ports`` are by the names of the definition's
    signals.
    """

    name: str
    kind: str
    slave: bool
    ports: dict[str, str]

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters that the ports alone do not tell."""
        return {"PROTOCOL": "AXI4LITE" if self.slave else "AXI4"} if self.kind == "aximm" else {}


def interfaces(shell: Shell) -> tuple[BusInterface, ...]:
    """The buses, a stream each or several channels, and their ports, both in the order of the shell's ports."""
    found: dict[str, BusInterface] = {}
    part_of = {port: each for each in shell.streams for port in (*each.payload, each.valid, each.ready)}
    for port in shell.ports:
        if (stream := part_of.get(port.name)) and stream.bus:
            slave = stream.channel.flow is In
            bus = found.setdefault(stream.prefix, BusInterface(stream.prefix, stream.bus, slave, {}))
            bus.ports[port.name.removeprefix(f"{stream.prefix}_").upper()] = port.name
    return tuple(found.values())


def signals(shell: Shell) -> tuple[BusSignal, ...]:
    """The clocks, the reset, and interrupts."""
    of_others = {shell.named(channel).prefix: port for port in shell.domains.values() for channel in shell.core.of_bus}
    buses = {shell.clock: list[str](), **{port: [] for port in shell.domains.values()}}
    for bus in interfaces(shell):
        buses[of_others.get(bus.name, shell.clock)].append(bus.name)
    about = {clock: {"ASSOCIATED_BUSIF": ":".join(names)} if names else {} for clock, names in buses.items()}
    return (
        *(BusSignal(clock, "clock", "CLK", {**more, "ASSOCIATED_RESET": shell.reset}) for clock, more in about.items()),
        BusSignal(shell.reset, "reset", "RST", {"POLARITY": "ACTIVE_LOW" if shell.active_low else "ACTIVE_HIGH"}),
        *(
            BusSignal(each.name, "interrupt", "INTERRUPT", {"SENSITIVITY": "LEVEL_HIGH"}, slave=False)
            for each in shell.controls
            if each.interrupt
        ),
    )


def annotated(module: str, shell: Shell, verilog: str) -> str:
    """The text with a comment and attributes before each port of ``module``, that of the shell.

    Vivado's block designs read the attributes ``X_INTERFACE_INFO`` and ``X_INTERFACE_PARAMETER``, also where the file
    is used as it is, without ``component.xml``; all other tools ignore the attributes. Source: Vivado Design Suite User
    Guide 994.
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
    for bus in interfaces(shell):
        for signal, port in bus.ports.items():
            found[port] = [(info, f"xilinx.com:interface:{bus.kind}:1.0 {bus.name} {signal}")]
        if bus.parameters:
            about = ", ".join(f"{name} {value}" for name, value in bus.parameters.items())
            found[next(iter(bus.ports.values()))].append((parameter, f"XIL_INTERFACENAME {bus.name}, {about}"))
    for signal in signals(shell):
        parameters = ", ".join(f"{name} {value}" for name, value in signal.parameters.items())
        about = f"xilinx.com:signal:{signal.kind}:1.0 {signal.port} {signal.logical}"
        found[signal.port] = [(info, about), (parameter, parameters)]
    return found
