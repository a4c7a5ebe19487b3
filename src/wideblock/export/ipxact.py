# SPDX-License-Identifier: Apache-2.0
"""IP-XACT description of an exported core, as Vivado's IP catalogue reads it."""

from xml.sax.saxutils import escape

from amaranth.lib.wiring import In

from wideblock import __version__
from wideblock.export.annotations import signals
from wideblock.export.contract import Contract
from wideblock.export.render import render

__all__ = ["SPIRIT", "ipxact"]

SPIRIT = "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"
LOGICAL = ("TDATA", "TUSER", "TVALID", "TREADY", "TLAST", "TKEEP")


def ipxact(core: Contract) -> str:
    """Returns ``component.xml``: a bus interface a channel where the shell has a bus, clock, reset, ports, and files.

    The library is the kind of the core; the version has its major and minor number alone, all that Vivado takes.
    Source: IEEE 1685-2009; bus definitions ``xilinx.com:interface:axis:1.0``, ``xilinx.com:signal:clock:1.0`` and
    ``xilinx.com:signal:reset:1.0``.
    """
    ports, streams = {port.name for port in core.ports}, core.shell.streams if core.shell.bus else ()
    named = [(stream, [(name, f"{stream.prefix}_{name.lower()}") for name in LOGICAL]) for stream in streams]
    return render(
        "ipxact.xml.jinja",
        core=core,
        spirit=SPIRIT,
        version=".".join(__version__.split(".")[:2]),
        streams=[(stream, [pair for pair in pairs if pair[1] in ports]) for stream, pairs in named],
        signals=signals(core.shell),
        escape=escape,
        In=In,
    )
