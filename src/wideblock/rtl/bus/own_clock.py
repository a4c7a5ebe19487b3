# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""A separate clock for the buses of a core's registers."""

from dataclasses import replace
from typing import Any

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.rtl.stream.passing import pass_ports

from .axi_lite import AXI_LITE
from .crossing import BUS, INNER, LiteCrossing, synchronised

__all__ = ["OwnBusClock"]


class OwnBusClock(wiring.Component):
    """``core`` with each slave of the register maps, and with interrupts, in domain ``bus``; all else is in ``sync``.

    Timing: of the core; an access of a register takes longer, see :class:`.crossing.LiteCrossing`.
    Paths:  as the core; none between the domains but through two registers.
    """

    domains = (BUS,)
    """Clock domains beside ``sync``, each with an asynchronous reset."""

    def __init__(self, core: Any):
        self.core, self.parameters, self.interface = core, core.parameters, core.interface
        self.crossings = {each.channel: LiteCrossing(each.address_bits) for each in core.registers}
        self.timing, self.behaviour = core.timing, replace(core.behaviour, influences=())
        super().__init__(self.interface.members())

    @property
    def registers(self):
        """The maps of the core."""
        return self.core.registers

    @property
    def of_bus(self) -> tuple[str, ...]:
        """Names of the channels in domain ``bus``."""
        return tuple(channel for name in self.crossings for channel in _names(name))

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self.core
        for name, crossing in self.crossings.items():
            m.submodules[f"{name}_crossing" if name else "crossing"] = crossing
            for outer, channel in zip(AXI_LITE, _names(name), strict=True):
                connect(m, flipped(getattr(self, channel)), getattr(crossing, outer))
                connect(m, getattr(crossing, f"{INNER}_{outer}"), getattr(core, channel))
        interrupts = [control.name for control in self.interface.controls if control.interrupt]
        pass_ports(m, core, self, but=(*self.of_bus, *interrupts))
        for name in interrupts:
            m.d.comb += getattr(self, name).eq(synchronised(m, name, getattr(core, name), BUS))
        return m


def _names(bus: str) -> list[str]:
    """Channels of the bus of a map."""
    return [f"{bus}_{name}" if bus else name for name in AXI_LITE]
