# SPDX-License-Identifier: Apache-2.0
"""Events at the ports of a core, each crossed with each state of its ports: counted by a module bound to the core.

Events: words accepted, pulses of faults and controls, commands and starts written to registers.
States: of the input of messages, of the output, and of ``ready`` where the core has it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from amaranth.lib.wiring import In

from wideblock.export.contract import Contract
from wideblock.rtl.bus.axi_lite import AXI_LITE
from wideblock.rtl.bus.key_map import KeyCommand
from wideblock.rtl.bus.registers import Access, RegisterMap

__all__ = ["MONITOR", "Monitor", "monitor"]

MONITOR = "crosses"
"""Name of the instance of the module that counts, in the core."""


@dataclass(frozen=True)
class Monitor:
    """SystemVerilog of the module that counts; by line of the text, the counted event and state."""

    text: str
    crosses: dict[int, tuple[str, str]]


def monitor(core: Contract) -> Monitor:
    """The monitor of a core; the variables are no registers, and are not in a state of the core."""
    shell, module = core.shell, f"{core.module}__{MONITOR}"
    reset = f"{'!' if shell.active_low else ''}{shell.reset}"
    lines = [
        f"module {module}({', '.join(f'input [{port.width - 1}:0] {port.name}' for port in core.ports)});",
        *_addresses(core, reset),
        *_amid(core, reset),
    ]
    crosses = {}
    for event, happens in _events(core):
        for state, holds in _states(core):
            lines.append(f"cover property (@(posedge {shell.clock}) !({reset}) && ({happens}) && ({holds}));")
            crosses[len(lines)] = event, state
    lines += ["endmodule", f"bind {core.module} {module} {MONITOR}(.*);"]
    return Monitor("\n".join(lines) + "\n", crosses)


def _states(core: Contract) -> Iterator[tuple[str, str]]:
    (out,) = (stream for stream in core.shell.streams if stream.channel.name in ("o", "do"))
    yield "output idle", f"!{out.valid}"
    yield "output accepted", f"{out.valid} && {out.ready}"
    yield "output stalled", f"{out.valid} && !{out.ready}"
    for stream in _packets(core):
        yield f"between packets of {stream.prefix}", f"!amid_{stream.prefix}"
        yield f"amid a packet of {stream.prefix}", f"amid_{stream.prefix}"
    if any(control.name == "ready" for control in core.shell.controls):
        yield "ready", "ready"
        yield "not ready", "!ready"


def _events(core: Contract) -> Iterator[tuple[str, str]]:
    for stream in core.shell.streams:
        if stream.channel.flow is In and stream.channel.name.rpartition("_")[2] not in AXI_LITE:
            yield f"word of {stream.prefix} accepted", f"{stream.valid} && {stream.ready}"
    for stream in _packets(core):
        last = stream.port(str(stream.channel.last))
        yield f"packet of {stream.prefix} accepted", f"{stream.valid} && {stream.ready} && {last}"
    causes = [str(fault.cause.name) for fault in getattr(core.behaviour, "faults", ())]
    for control in core.shell.controls:
        if control.name == "fault":
            yield from ((f"fault {cause}", f"fault[{bit}]") for bit, cause in enumerate(causes))
        elif control.pulse:
            yield control.name, f"|{control.name}"
    for registers in core.registers:
        yield from _writes(core, registers)


def _writes(core: Contract, registers: RegisterMap) -> Iterator[tuple[str, str]]:
    """Commands and starts written to registers of a bus, whatever the response."""
    word = core.shell.named(f"{registers.channel}_w".lstrip("_"))
    (data,) = (port for port, fields in word.payload.items() if fields[0].name == "data")
    for register in registers.registers:
        place = f"{word.valid} && {word.ready} && address_{word.prefix} == {register.offset >> 2}"
        fields = {field.name: f"{data}[{field.low + field.bits - 1}:{field.low}]" for field in register.fields}
        if {"EXE", "CMD", "DONE"} <= fields.keys():
            execute = f"{place} && {fields['EXE']} && !{fields['DONE']}"
            for command in KeyCommand:
                yield f"{command.name} written", f"{execute} && {fields['CMD']} == {command.value}"
        for field in register.fields:
            if field.access is Access.W1P:
                yield f"{register.name}.{field.name} written", f"{place} && {fields[field.name]}"


def _addresses(core: Contract, reset: str) -> Iterator[str]:
    """The address of the word that each bus accepts next; it is accepted before the word."""
    for registers in core.registers:
        given = core.shell.named(f"{registers.channel}_aw".lstrip("_"))
        word = core.shell.named(f"{registers.channel}_w".lstrip("_"))
        (address,) = (port for port, fields in given.payload.items() if fields[0].name == "addr")
        (width,) = (port.width for port in core.ports if port.name == address)
        name = f"address_{word.prefix}"
        yield f"bit [{width - 3}:0] {name};"
        yield (
            f"always @(posedge {core.shell.clock}) if ({reset}) {name} <= 0; "
            f"else if ({given.valid} && {given.ready}) {name} <= {address}[{width - 1}:2];"
        )


def _amid(core: Contract, reset: str) -> Iterator[str]:
    """Whether a packet has begun and not ended."""
    for stream in _packets(core):
        name, last = f"amid_{stream.prefix}", stream.port(str(stream.channel.last))
        yield f"bit {name};"
        yield (
            f"always @(posedge {core.shell.clock}) if (({reset}) || zeroize) {name} <= 0; "
            f"else if ({stream.valid} && {stream.ready}) {name} <= !{last};"
        )


def _packets(core: Contract) -> list:
    """The inputs whose words are of packets."""
    return [stream for stream in core.shell.streams if stream.channel.flow is In and stream.channel.last]
