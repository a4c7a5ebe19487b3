# SPDX-License-Identifier: Apache-2.0
"""What the datasheets of all kinds of cores share, in Markdown."""

from collections.abc import Mapping

from wideblock import __version__
from wideblock.export.contract import Contract
from wideblock.export.markdown import table
from wideblock.export.verilog import command

__all__ = ["instance", "sheet"]


def sheet(core: Contract, *, rate: str, cycles: str, measured: str, sections: Mapping[str, str]) -> str:
    """Returns the datasheet: title, parameters, ports, cycle contract, area, then ``sections`` by title, and security.

    rate:     one sentence on throughput
    cycles:   what is to be said of the cycle contract, behind its table
    measured: a Markdown table of area and clock, or empty
    """
    settings = [(f"`{name}`", str(value)) for name, value in core.settings.items()]
    ports = [(f"`{port.name}`", port.direction, str(port.width), port.meaning) for port in core.ports]
    figures = [
        (figure.name, f"{'' if figure.exact else 'at most '}{figure.cycles}", figure.meaning)
        for figure in core.timing.figures()
    ]
    parts = {
        "Parameters": table(("parameter", "value"), settings),
        "Ports": table(("port", "direction", "bits", "meaning"), ports),
        "Cycle contract": f"{table(('figure', 'cycles', 'meaning'), figures)}\n{cycles}",
        **({"Area and clock": measured} if measured else {}),
        **sections,
        "Security": f"{core.security}\n\n{SIDE_CHANNELS}",
    }
    made = f"Made by wideblock {__version__} with `{command(core)}`. {rate}"
    title = f"# {core.module}\n\n{core.title}. {core.summary}\n\n{made}\n"
    return "\n".join([title, *(f"## {name}\n\n{text}" for name, text in parts.items())])


SIDE_CHANNELS = "There is no masking and no other protection against side channels that need physical access.\n"


def instance(core: Contract) -> str:
    """Returns a Verilog instantiation template."""
    width = max(len(port.name) for port in core.ports)
    connections = ",\n".join(f"    .{port.name:<{width}} ({port.name})" for port in core.ports)
    wires = "".join(
        f"wire {f'[{port.width - 1}:0] ' if port.width > 1 else '':<10}{port.name};\n" for port in core.ports
    )
    return f"{wires}\n{core.module} cipher (\n{connections}\n);\n"
