# SPDX-License-Identifier: Apache-2.0
"""What the datasheets of all kinds of cores share, in Markdown."""

from collections.abc import Mapping

from wideblock import __version__
from wideblock.export.contract import Contract
from wideblock.export.markdown import table
from wideblock.rtl.stream.influence import EqualHalves, HeaderWords, Influence, OutcomeInfluence

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
        "Security": f"{core.security}\n\n{_constant_time(core)}\n{SIDE_CHANNELS}",
    }
    made = f"Made by wideblock {__version__} with `{core.command}`. {rate}"
    title = f"# {core.module}\n\n{core.title}. {core.summary}\n\n{made}\n"
    return "\n".join([title, *(f"## {name}\n\n{text}" for name, text in parts.items())])


def _constant_time(core: Contract) -> str:
    """Which inputs the cycles depend on, and by which command that is proved."""
    named = dict.fromkeys(_named(core, each) for each in core.behaviour.influences)
    preset = " ".join([core.name, *(f"--set {name}={value}" for name, value in core.changed)])
    return CONSTANT_TIME.format(inputs="".join(f", {each}" for each in named), preset=preset)


def _named(core: Contract, influence: Influence) -> str:
    """An influence in terms of the ports."""
    if isinstance(influence, EqualHalves):
        return "the equality of the key's halves"
    if isinstance(influence, OutcomeInfluence):
        return f"the {influence.meaning}"
    stream = core.shell.named(influence.channel)
    port, low = stream.port(influence.field), 0
    for field in stream.payload[port]:
        if field.name == influence.field:
            break
        low += field.width
    place = f"[{low + field.width - 1}:{low}]" if field.width > 1 else f"[{low}]"
    name = f"`{port}{place if len(stream.payload[port]) > 1 else ''}`"
    return f"instructions and headers on {name}" if isinstance(influence, HeaderWords) else name


CONSTANT_TIME = """\
Valid and ready, marks of ends and lengths, and status depend on these alone: handshakes, resets, `zeroize`{inputs}. No
other bit of data, tweak or key changes a cycle: `wideblock prove {preset} --rule timing` proves it of the Verilog.
"""

SIDE_CHANNELS = "There is no masking and no other protection against side channels that need physical access.\n"


def instance(core: Contract) -> str:
    """Returns a Verilog instantiation template."""
    width = max(len(port.name) for port in core.ports)
    connections = ",\n".join(f"    .{port.name:<{width}} ({port.name})" for port in core.ports)
    wires = "".join(
        f"wire {f'[{port.width - 1}:0] ' if port.width > 1 else '':<10}{port.name};\n" for port in core.ports
    )
    return f"{wires}\n{core.module} cipher (\n{connections}\n);\n"
