# SPDX-License-Identifier: Apache-2.0
"""Datasheet of a core, in Markdown: a common frame; each kind of core adds rules."""

from collections.abc import Sequence
from typing import Any

from wideblock import __version__
from wideblock.catalog.changes import written
from wideblock.export import simulators
from wideblock.export.compliance import compliance_table
from wideblock.export.contract import Contract
from wideblock.export.memories import memory_table
from wideblock.export.registers import register_tables
from wideblock.export.render import render
from wideblock.rtl.bus.key_map import DONE, KeyCommand, started
from wideblock.rtl.shell.shell import Stream
from wideblock.rtl.stream.influence import EqualHalves, HeaderWords, Influence, OutcomeInfluence

__all__ = ["instance", "sheet"]


def sheet(core: Contract, template: str, measured: str, **values: Any) -> str:
    """Returns the datasheet by ``template``, of a kind of core; the template has ``values`` and extends the frame.

    ``measured`` is a Markdown table of area and clock, or empty. Templates know the channels by their names, and the
    ports of a channel by its fields, ``valid`` and ``ready``.
    """
    return render(
        template,
        core=core,
        version=__version__,
        measured=measured,
        memories=memory_table(core.memories),
        registers=register_tables(core.registers),
        compliance=compliance_table(core.preset.scheme.name, core.settings, engine=bool(core.registers)),
        influences=dict.fromkeys(_named(core, each) for each in core.behaviour.influences),
        written=written,
        instance=instance(core),
        simulators=simulators,
        done=DONE,
        command=lambda name: started(KeyCommand[name]),
        bits=lambda *causes: _bits(core, causes),
        **{stream.channel.name: _ports(stream) for stream in core.shell.streams},
        **values,
    )


def _bits(core: Contract, causes: Sequence[str]) -> str:
    """The bits of ``fault`` with any of the causes; empty if there is none."""
    faults = core.behaviour.faults
    return " or ".join(str(bit) for bit, fault in enumerate(faults) if fault.cause.name in causes)


def _ports(stream: Stream) -> dict[str, str]:
    fields = {field.name: port for port, members in stream.payload.items() for field in members}
    fields |= {field.name: fields["data"] for field in stream.channel.header}
    return fields | {"valid": stream.valid, "ready": stream.ready}


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


def instance(core: Contract) -> str:
    """Returns a Verilog instantiation template."""
    width = max(len(port.name) for port in core.ports)
    connections = ",\n".join(f"    .{port.name:<{width}} ({port.name})" for port in core.ports)
    wires = "".join(
        f"wire {f'[{port.width - 1}:0] ' if port.width > 1 else '':<10}{port.name};\n" for port in core.ports
    )
    return f"{wires}\n{core.module} cipher (\n{connections}\n);\n"
