# SPDX-License-Identifier: Apache-2.0
"""IP-XACT description of an exported core, as Vivado's IP catalogue reads it."""

from xml.sax.saxutils import escape

from wideblock import __version__
from wideblock.export.annotations import interfaces, signals
from wideblock.export.contract import Contract
from wideblock.export.render import render
from wideblock.rtl.bus.axi_lite import axi_lite_channels
from wideblock.rtl.bus.registers import Access, RegisterField, RegisterMap

__all__ = ["SPIRIT", "ipxact", "memory_maps"]

SPIRIT = "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"

_ACCESS = {Access.RO: "read-only", Access.WO: "write-only", Access.W1P: "write-only"}
_WRITTEN = {Access.W1C: "oneToClear", Access.W1S: "oneToSet"}
_LEAST = 4096


def ipxact(core: Contract) -> str:
    """Returns ``component.xml``: a bus interface for each bus of the shell, registers, clock, reset, ports, and files.

    The library is the kind of the core; the version has major and minor number alone, for Vivado.
    Source: IEEE 1685-2009; bus definitions ``xilinx.com:interface:axis:1.0``, ``xilinx.com:interface:aximm:1.0``,
    ``xilinx.com:signal:clock:1.0``, ``reset`` and ``interrupt``.
    """
    maps = {_bus(core, each): each for each in core.registers}
    masters = [bus for bus in interfaces(core.shell) if bus.kind == "aximm" and not bus.slave]
    widths = {port.name: port.width for port in core.ports}
    return render(
        "ipxact.xml.jinja",
        core=core,
        spirit=SPIRIT,
        version=".".join(__version__.split(".")[:2]),
        buses=interfaces(core.shell),
        maps=maps,
        spaces={bus.name: widths[bus.ports["AWADDR"]] for bus in masters},
        widths={bus.name: widths[bus.ports["WDATA"]] for bus in masters},
        memory_maps=memory_maps(maps),
        signals=signals(core.shell),
        escape=escape,
    )


def memory_maps(maps: dict[str, RegisterMap]) -> str:
    """Returns element ``memoryMaps`` with the register maps of bus interfaces; empty without any.

    A field that cannot be read is write only, also if a 1 starts an action: importers take the written value ``modify``
    for a field outside of the core. A range has at least 4 KiB, the smallest of Vivado's block designs; a smaller map
    repeats in the range, since the bus has the address bits of the map alone.
    """
    if not maps:
        return ""
    return render("memory_maps.xml.jinja", maps=maps, access=_access, written=_WRITTEN, least=_LEAST, escape=escape)


def _access(field: RegisterField) -> str:
    return _ACCESS.get(field.access, "read-write")


def _bus(core: Contract, registers: RegisterMap) -> str:
    """Name of the bus interface that reaches a map."""
    return core.shell.named(axi_lite_channels(registers.channel, registers.address_bits)[0].name).prefix
