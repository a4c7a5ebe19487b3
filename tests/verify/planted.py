# SPDX-License-Identifier: Apache-2.0
"""A core whose Verilog shows secrets on a port: it is wrapped, and the wrapper reads registers inside.

All faults are in one model, which reads the number of its fault from a file when it is made: 0 is the core as it is.
"""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["FILE", "Fault", "choose", "planted"]

FILE = "planted.hex"


@dataclass(frozen=True)
class Fault:
    """``port`` has ``value`` while ``when``, both in Verilog.

    ``inner`` is the core, ``since`` the number of cycles after zeroize, ``word_PORT`` the word that was accepted last.
    """

    port: str
    when: str
    value: str


def choose(number):
    """Chooses the fault of models that are made in this directory from now on."""
    Path(FILE).write_text(f"{number:02x}\n")


def planted(core, faults):
    """The Verilog of ``core`` with the faults, numbered from 1."""
    shell, module = core.shell, core.module
    text = core.verilog.replace(f"\nmodule {module}(", f"\nmodule {module}__inner(", 1)
    assert text != core.verilog
    shown = {fault.port for fault in faults}

    def width(port):
        return f"[{port.width - 1}:0] " if port.width > 1 else ""

    lines = [f"  {port.direction} {width(port)}{port.name};" for port in shell.ports]
    pins = [f".{port.name}({port.name + '__inner' if port.name in shown else port.name})" for port in shell.ports]
    lines += [f"  wire {width(port)}{port.name}__inner;" for port in shell.ports if port.name in shown]
    lines += [f"  {module}__inner inner({', '.join(pins)});"]
    lines += ["  reg [7:0] chosen [0:0];", f'  initial $readmemh("{FILE}", chosen);', "  reg [7:0] since = 255;"]
    lines += [f"  always @(posedge {shell.clock}) since <= zeroize ? 0 : &since ? since : since + 1;"]
    for stream in shell.streams:
        data = next(iter(stream.payload))
        if (bits := {port.name: port for port in shell.ports}[data]).direction == "input":
            lines += [f"  reg {width(bits)}word_{data} = 0;", f"  always @(posedge {shell.clock})"]
            lines += [f"    if ({stream.valid} & {stream.ready}) word_{data} <= {data};"]
    for name in sorted(shown):
        chosen = "".join(
            f"chosen[0] == {number} && ({fault.when}) ? ({fault.value}) : "
            for number, fault in enumerate(faults, 1)
            if fault.port == name
        )
        lines.append(f"  assign {name} = {chosen}{name}__inner;")
    ports = ", ".join(port.name for port in shell.ports)
    return [text, "\n".join([f"module {module}({ports});", *lines, "endmodule", ""])]
