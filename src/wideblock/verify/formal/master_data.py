# SPDX-License-Identifier: Apache-2.0
"""The proof of secrecy of a master: data of units go through the engine alone, and results to the data of bursts alone.

The engine inside is closed: its outputs may be anything at any time, and are not followed further.
"""

import time
from collections.abc import Iterable

from amaranth.lib.wiring import In

from wideblock.export.contract import Contract
from wideblock.verify.formal.cone import Cone, Graph
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.master import INSIDE
from wideblock.verify.formal.proof import NotProved, Proof
from wideblock.verify.formal.substitution import CellNetlist, Values
from wideblock.verify.formal.two_steps import places

__all__ = ["prove_master_data"]

_READ = "core.buffer.head.block"
_DESCRIPTOR, _BUFFER = "core.reads.order.head.descriptor", "core.buffer.blocks"
_STOPPING = "core.stopping"


def prove_master_data(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of a core with a master where data of units, and results, may go.

    ``flat`` is proved in place of the core's own Verilog; the engine inside must be closed in ``flat``. Raises
    :class:`NotProved` with a path.
    """
    start = time.monotonic()
    flat = flat or flatten(core, INSIDE)
    data = _Data(core, Graph(flat.netlist("memory_collect")))
    data.units()
    data.results()
    data.keys()
    _units_alone(core, CellNetlist(flat))
    return Proof(
        "a beat that answers a read of a unit is kept in the buffer alone; no output depends on a block in the buffer "
        "but through the data of the engine's input, and no request to the engine does; of all outputs only the data "
        "of bursts depend on the data of a result; no output of the master depends on the key bus but through the "
        "engine",
        "backward cones of the netlist; constant propagation over single cycles",
        len(data.graph.cells),
        data.graph.registers,
        time.monotonic() - start,
    )


class _Data:
    """The claims by cones; each method raises :class:`NotProved`."""

    def __init__(self, core: Contract, graph: Graph):
        self.core, self.graph = core, graph
        (cell,) = (each for each in graph.cells if each["type"].endswith("__engine"))
        pins: dict[str, list[int]] = cell["connections"]
        of = {name: places(core.component.engine.interface.channel(name).fields)["data"] for name in ("i", "o")}
        self.block = [bit for bit in graph.signal(_READ) if isinstance(bit, int)]
        self.into, self.result = (pins[f"{name}__payload"][slice(*own)] for name, own in of.items())
        self.entering = graph.inputs(cell)
        leaving = (bits for pin, bits in pins.items() if cell["port_directions"][pin] == "output")
        self.leaving = {bit for bits in leaving for bit in bits}
        shell = core.shell
        self.written = shell.named("m_w").port("data")
        self.outputs = [port.name for port in core.ports if port.direction == "output"]

    def units(self) -> None:
        """Blocks in the buffer."""
        self._free(self._ports(*self.outputs), self.block, "a block in the buffer", "an output")
        self._free(self.entering - set(self.into), self.block, "a block in the buffer", "a request to the engine")

    def results(self) -> None:
        """Data of results."""
        others = [name for name in self.outputs if name != self.written]
        self._free(self._ports(*others), self.result, "a result", "an output other than the data of bursts")
        self._free(self.entering, self.result, "a result", "the engine")

    def keys(self) -> None:
        """Words of the key bus."""
        streams = [each for each in self.core.shell.streams if each.channel.name.startswith("key_")]
        inward = [each for each in streams if each.channel.flow is In]
        given = self._ports(*(name for each in inward for name in (each.valid, *each.payload)))
        mine = [name for each in self.core.shell.streams for name in each.payload if each.channel.name.startswith("m_")]
        self._free(self._ports(*(name for name in mine if name in self.outputs)), given, "the key bus", "the master")

    def _free(self, ends: Iterable[int], secret: Iterable[int], what: str, where: str) -> None:
        cone = Cone(self.graph, ends, self.leaving)
        for bit in secret:
            if bit in cone:
                raise NotProved(f"{self.core.module}: {what} reaches {where}: {' -> '.join(cone.path(bit))}")

    def _ports(self, *names: str) -> list[int]:
        return [bit for name in names for bit in self.graph.ports[name] if isinstance(bit, int)]


def _units_alone(core: Contract, net: CellNetlist) -> None:
    """While the oldest burst is of a unit, a beat goes to the buffer alone."""
    beat = set(net.bits(core.shell.named("m_r").port("data")))
    for stopping in "01":  # a memory is written while the buffers are cleared, too
        given = {_STOPPING: stopping, _DESCRIPTOR: "0"}
        values = Values(net, {bit: value for name, value in given.items() for bit in net.bits(name)})
        for register, value in net.registers.items():
            if beat.intersection(net.sources([value], values)):
                raise NotProved(f"{core.module}: a beat of a unit is kept in {net.name(register)}")
        for write in (each for each in net.writes if each.memory != _BUFFER):
            for bit, enable in zip(write.data, write.enable, strict=True):
                if values.of(enable) != "0" and beat.intersection(net.sources([bit], values)):
                    raise NotProved(f"{core.module}: a beat of a unit is kept in {write.memory}")
