# SPDX-License-Identifier: Apache-2.0
"""LiteX SoC around a wideblock engine: VexRiscv, ROM, RAM, a character port, and the engine's two AXI4-Lite slaves.

``python soc.py FOLDER`` reads ``FOLDER/engine.json``, which ``run.py`` writes: name and ports of the engine's module.
It writes ``soc.v``, which is all Verilog but the engine's, ``soc.h`` with addresses and numbers for the firmware,
``soc.ld`` with the memories for its linker, and the files that fill memories, of which ``soc_rom.init`` is to be the
firmware. It runs where LiteX is installed, and imports nothing of wideblock.

The engine's streams of sectors are not connected: sectors go through the window of its registers, or by its master, if
it has one, to and from the RAM.
"""

import json
import logging
import re
import sys
from pathlib import Path

from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import axi
from litex.soc.interconnect.csr import CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, Instance, ResetSignal, Signal
from migen.genlib.io import CRG

CLOCK_HZ = 50_000_000
"""For LiteX, which wants a figure; nothing here depends on it."""

ROM_BYTES, RAM_BYTES = 64 << 10, 64 << 10

SLAVES = {"s_axi_key": 0x9000_0000, "s_axi": 0x9001_0000, "s_axi_dma": 0x9002_0000}
"""Addresses of the engine's slaves by the beginning of the names of their ports; the CPU does not cache them."""

MASTER = "m_axi"

DATED = re.compile(r"// .*\d\d:\d\d:\d\d")
"""Comments with the time: without them the same SoC is the same file, whose model is kept."""

IO = [
    ("sys_clk", 0, Pins(1)),
    ("sys_rst", 0, Pins(1)),
    (
        "serial",
        0,
        *(Subsignal(f"{way}_{name}", Pins(bits)) for way in ("source", "sink") for name, bits in
          (("valid", 1), ("ready", 1), ("data", 8))),
    ),
    ("result", 0, Pins(32)),
]  # fmt: skip


class Result(LiteXModule):
    """A register at whose pins the bench reads how the firmware ended: 0 while it runs."""

    def __init__(self, pins):
        self.code = CSRStorage(32)
        self.comb += pins.eq(self.code.storage)


class Engine(LiteXModule):
    """The engine's module, its two buses, and its interrupt as an event."""

    def __init__(self, module, ports):
        self.ev = EventManager()
        self.ev.engine = EventSourceLevel()
        self.ev.finalize()
        there = [slave for slave in SLAVES if f"{slave}_awaddr" in ports]
        self.buses = {slave: axi.AXILiteInterface(data_width=32, address_width=32) for slave in there}
        channels = {bus: dict.fromkeys(("aw", "w", "b", "ar", "r"), each) for bus, each in self.buses.items()}
        self.masters = {}
        if f"{MASTER}_awaddr" in ports:
            reads, writes = (self._master(way, ports[f"{MASTER}_wdata"][1]) for way in ("reads", "writes"))
            channels[MASTER] = dict.fromkeys(("ar", "r"), reads) | dict.fromkeys(("aw", "w", "b"), writes)
        wires = {"aclk": ClockSignal("sys"), "aresetn": ~ResetSignal("sys"), "irq": self.ev.engine.trigger}
        for prefix, of in channels.items():
            for channel, bus in of.items():
                endpoint = getattr(bus, channel)
                ends = ("valid", "ready", "last") if prefix == MASTER and channel in "wr" else ("valid", "ready")
                for name in (*ends, *(field for field, *_ in endpoint.description.payload_layout)):
                    wires[f"{prefix}_{channel}{name}"] = getattr(endpoint, name)
        parameters = {}
        for name, (direction, width) in ports.items():
            wire = wires.get(name)
            if name.endswith("addr") and direction == "input":
                wire = wire[:width]  # the slave decodes the rest no more than the interconnect has
            elif name.endswith("addr"):
                wide = Signal(width, name=f"wide_{name}")  # no window of the firmware's is beyond 32 bits
                self.comb += wire.eq(wide)
                wire = wide
            if wire is None:
                wire = 0 if direction == "input" else Signal(width, name=f"open_{name}")
            parameters[f"{direction[0]}_{name}"] = wire
        self.specials += Instance(module, **parameters)

    def _master(self, way, width):
        """A bus for the master's reads or writes. Its bursts become beats of AXI4-Lite, as wide as the beats.

        LiteX's bridge serves a burst at a time, and a burst of results may wait for a read: each way has its bridge.
        """
        bursts = axi.AXIInterface(data_width=width, address_width=32)
        self.masters[way] = axi.AXILiteInterface(data_width=width, address_width=32)
        setattr(self, f"bridge_of_{way}", axi.AXI2AXILite(bursts, self.masters[way]))
        return bursts


class Soc(SoCCore):
    def __init__(self, engine):
        platform = GenericPlatform("", IO, name="soc")
        self.crg = CRG(platform.request("sys_clk"), rst=platform.request("sys_rst"))
        SoCCore.__init__(
            self,
            platform,
            CLOCK_HZ,
            cpu_type="vexriscv",
            cpu_variant="standard",
            integrated_rom_size=ROM_BYTES,
            integrated_rom_init=[0],
            integrated_sram_size=RAM_BYTES,
            uart_name="sim",
            timer_uptime=True,
        )
        self.result = Result(platform.request("result"))
        self.engine = Engine(engine["module"], engine["ports"])
        for way, beats in self.engine.masters.items():
            self.bus.add_master(f"engine_{way}", beats)
        for slave, origin in SLAVES.items():
            if slave not in self.engine.buses:
                continue
            size = 1 << engine["ports"][f"{slave}_awaddr"][1]
            region = SoCRegion(origin=origin, size=size, mode="rw", cached=False)
            self.bus.add_slave(slave, self.engine.buses[slave], region)
        self.irq.add("engine", use_loc_if_exists=True)


def header(soc):
    """Addresses and numbers as macros."""
    numbers = {}
    for bank, region in soc.csr.regions.items():
        address = region.origin
        for csr in region.obj:
            numbers[f"CSR_{bank}_{csr.name}"] = address
            address += 4 * -(-csr.size // region.busword)
    numbers |= {f"{slave}_BASE": SLAVES[slave] for slave in soc.engine.buses}
    numbers |= {"SRAM_BASE": soc.bus.regions["sram"].origin, "SRAM_BYTES": soc.bus.regions["sram"].size}
    numbers |= {f"{name}_INTERRUPT": number for name, number in soc.irq.locs.items()}
    lines = [f"#define {name.upper()} 0x{value:08x}u" for name, value in numbers.items()]
    return "\n".join(
        ["/* SPDX-License-Identifier: Apache-2.0 */", "#ifndef SOC_H", "#define SOC_H", *lines, "#endif\n"]
    )


def linker(soc):
    """The memories for a linker."""
    parts = [
        f"  {name} : ORIGIN = 0x{soc.bus.regions[name].origin:08x}, LENGTH = 0x{soc.bus.regions[name].size:x}"
        for name in ("rom", "sram")
    ]
    return "\n".join(["MEMORY {", *parts, "}", ""])


def main(folder):
    logging.disable(logging.INFO)  # LiteX's account of its work
    soc = Soc(json.loads((folder / "engine.json").read_text()))
    soc.finalize()
    made = soc.platform.get_verilog(soc, name="soc")
    sources = [made.main_source, *(Path(source[0]).read_text() for source in soc.platform.sources)]
    lines = [line for text in sources for line in text.splitlines() if not DATED.match(line)]
    (folder / "soc.v").write_text("\n".join([*lines, ""]))
    for name, text in made.data_files.items():
        (folder / name).write_text(text)
    (folder / "soc.h").write_text(header(soc))
    (folder / "soc.ld").write_text(linker(soc))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
