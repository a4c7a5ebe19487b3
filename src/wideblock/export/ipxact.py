# SPDX-License-Identifier: Apache-2.0
"""IP-XACT description of an exported core, as Vivado's IP catalogue reads it."""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from amaranth.lib.wiring import In

from wideblock import __version__
from wideblock.export.annotations import BusSignal, signals
from wideblock.export.contract import Contract
from wideblock.rtl.shell.shell import Port, Stream

__all__ = ["ipxact"]

SPIRIT = "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"
LOGICAL = ("TDATA", "TUSER", "TVALID", "TREADY", "TLAST", "TKEEP")


def ipxact(core: Contract) -> str:
    """Returns ``component.xml``: a bus interface a channel where the shell has a bus, clock, reset, ports, and files.

    Source: IEEE 1685-2009; bus definitions ``xilinx.com:interface:axis:1.0``, ``xilinx.com:signal:clock:1.0`` and
    ``xilinx.com:signal:reset:1.0``.
    """
    ElementTree.register_namespace("spirit", SPIRIT)
    root = Element(_spirit("component"))
    for name, text in (
        ("vendor", "wideblock"),
        ("library", core.kind.name),
        ("name", core.module),
        ("version", _version()),
    ):
        _text(root, name, text)
    interfaces = SubElement(root, _spirit("busInterfaces"))
    if core.shell.bus:
        for stream in core.shell.streams:
            _stream(interfaces, stream, core.shell.bus, {port.name for port in core.ports})
    for signal in signals(core.shell):
        _signal(interfaces, signal)
    model = SubElement(root, _spirit("model"))
    views = SubElement(model, _spirit("views"))
    for name, purpose in (
        ("xilinx_anylanguagesynthesis", "synthesis"),
        ("xilinx_anylanguagebehavioralsimulation", "simulation"),
    ):
        view = SubElement(views, _spirit("view"))
        _text(view, "name", name)
        _text(view, "envIdentifier", f":vivado.xilinx.com:{purpose}")
        _text(view, "language", "Verilog")
        _text(view, "modelName", core.module)
        for files in ("verilog", "constraints") if purpose == "synthesis" else ("verilog",):
            _text(SubElement(view, _spirit("fileSetRef")), "localName", files)
    ports = SubElement(model, _spirit("ports"))
    for port in core.ports:
        _port(ports, port)
    sets = SubElement(root, _spirit("fileSets"))
    _files(sets, "verilog", f"{core.module}.v", "fileType", "verilogSource")
    constraints = _files(sets, "constraints", f"{core.module}.xdc", "userFileType", "xdc")
    _text(constraints, "userFileType", "USED_IN_out_of_context")
    _text(root, "description", core.summary)
    ElementTree.indent(root)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- SPDX-License-Identifier: Apache-2.0 -->\n'
    return head + ElementTree.tostring(root, encoding="unicode") + "\n"


def _spirit(name: str) -> str:
    return f"{{{SPIRIT}}}{name}"


def _text(parent: Element, name: str, text: str) -> Element:
    element = SubElement(parent, _spirit(name))
    element.text = text
    return element


def _files(sets: Element, name: str, file: str, kind: str, value: str) -> Element:
    """A file set of one file, whose element is returned."""
    files = SubElement(sets, _spirit("fileSet"))
    _text(files, "name", name)
    element = SubElement(files, _spirit("file"))
    _text(element, "name", file)
    _text(element, kind, value)
    return element


def _version() -> str:
    """Major and minor number alone, which is all that Vivado takes."""
    return ".".join(__version__.split(".")[:2])


def _bus(parent: Element, name: str, library: str, kind: str) -> Element:
    interface = SubElement(parent, _spirit("busInterface"))
    _text(interface, "name", name)
    for element, of in (("busType", kind), ("abstractionType", f"{kind}_rtl")):
        values = {"vendor": "xilinx.com", "library": library, "name": of, "version": "1.0"}
        SubElement(interface, _spirit(element), {_spirit(key): value for key, value in values.items()})
    return interface


def _maps(interface: Element, pairs: list[tuple[str, str]]) -> None:
    maps = SubElement(interface, _spirit("portMaps"))
    for logical, physical in pairs:
        entry = SubElement(maps, _spirit("portMap"))
        _text(SubElement(entry, _spirit("logicalPort")), "name", logical)
        _text(SubElement(entry, _spirit("physicalPort")), "name", physical)


def _stream(parent: Element, stream: Stream, bus: str, ports: set[str]) -> None:
    prefix = stream.prefix
    interface = _bus(parent, prefix, "interface", bus)
    SubElement(interface, _spirit("slave" if stream.channel.flow is In else "master"))
    _maps(interface, [(name, port) for name in LOGICAL if (port := f"{prefix}_{name.lower()}") in ports])


def _signal(parent: Element, signal: BusSignal) -> None:
    interface = _bus(parent, signal.port, "signal", signal.kind)
    SubElement(interface, _spirit("slave"))
    _maps(interface, [(signal.logical, signal.port)])
    values = SubElement(interface, _spirit("parameters"))
    for name, value in signal.parameters.items():
        parameter = SubElement(values, _spirit("parameter"))
        _text(parameter, "name", name)
        _text(parameter, "value", value)


def _port(parent: Element, port: Port) -> None:
    element = SubElement(parent, _spirit("port"))
    _text(element, "name", port.name)
    _text(element, "description", port.meaning)
    wire = SubElement(element, _spirit("wire"))
    _text(wire, "direction", {"input": "in", "output": "out"}[port.direction])
    if port.width > 1:
        vector = SubElement(wire, _spirit("vector"))
        _text(vector, "left", str(port.width - 1))
        _text(vector, "right", "0")
