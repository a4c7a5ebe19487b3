# SPDX-License-Identifier: Apache-2.0
"""What a core promises: parameters, ports and cycle contract of a preset as one value."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import Shape
from amaranth.lib import wiring

from wideblock import catalog
from wideblock.rtl.sector.axi import AxiStreamShell

__all__ = ["Port", "Contract", "contract"]

MEANING = {
    "aclk": "clock; every port is sampled and driven on its rising edge",
    "aresetn": "synchronous reset, active low: forgets the key and every sector under way",
    "s_axis_tdata": "beat of the sector, {width} block(s): byte n of the beat is bits 8n+7..8n",
    "s_axis_tuser": "bit 128: decrypt; bits 127..0: tweak, byte 0 in bits 7..0. Read with the first beat of a sector",
    "s_axis_tvalid": "a beat is offered",
    "s_axis_tready": "the beat is taken; low until a key is in place",
    "s_axis_tlast": "last beat of the sector",
    "s_axis_tkeep": "bytes of the last beat that are the unit's, a run from byte 0. Read with the last beat",
    "m_axis_tdata": "beat of the result, blocks in natural order",
    "m_axis_tvalid": "a beat of the result is offered, and held until it is taken",
    "m_axis_tready": "the beat of the result is taken; may stay low for any time",
    "m_axis_tlast": "last beat of the result",
    "m_axis_tkeep": "bytes of the beat that are the result's, a run from byte 0; all before the last beat",
    "s_axis_key_tdata": "key, byte 0 in bits 7..0: the AES key, and after it what else the scheme has for a key",
    "s_axis_key_tvalid": "a key is offered",
    "s_axis_key_tready": "the key is taken, between two sectors; the sectors before it finish under the old key",
    "zeroize": "clears keys, derived values, buffers and pipelines",
    "ready": "a key is in place and its derived values are computed",
    "fault": "one-cycle pulse, the sector is dropped whole: bit 0 it was too short, bit 1 too long",
    "fault of units": "one-cycle pulse: bit 0 a unit was too short or its last s_axis_tkeep had a hole, bit 1 it was "
    "too long, bit 2 in a direction that the core does not have, bit 3 a key had equal halves",
    "computed": "one-cycle pulse: the last result block of a sector is known inside the core",
}


@dataclass(frozen=True)
class Port:
    """One port of the exported module; ``width`` in bits."""

    name: str
    direction: str
    width: int

    def meaning(self, width: int) -> str:
        """Says what the port is for; ``width`` is the core's, in blocks a beat."""
        several = self.name == "fault" and self.width > 2
        return MEANING["fault of units" if several else self.name].format(width=width)


@dataclass(frozen=True)
class Contract:
    """A core under the name of the preset it comes from, and what was changed in it.

    ``changed`` holds the parameters that differ from the preset's own.
    """

    preset: str
    summary: str
    title: str
    security: str
    core: Any
    changed: tuple[tuple[str, Any], ...] = ()

    @property
    def parameters(self):
        return self.core.parameters

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters that mean something to the scheme, by name."""
        return catalog.settings(self.parameters)

    @property
    def timing(self):
        return self.core.timing

    @cached_property
    def shell(self) -> AxiStreamShell:
        """The core behind AXI4-Stream ports: what is exported."""
        return AxiStreamShell(self.core)

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        members = self.shell.signature.members.items()
        return tuple(
            Port(name, "input" if member.flow is wiring.In else "output", Shape.cast(member.shape).width)
            for name, member in members
        )

    @property
    def key_bits(self) -> int:
        """Width of the key port: all the words of a key."""
        return next(port.width for port in self.ports if port.name == "s_axis_key_tdata")

    @property
    def module(self) -> str:
        """Name of the Verilog module: the preset and what was changed in it."""
        words = [self.preset, *(f"{name}_{value}" for name, value in self.changed)]
        return "_".join(words).replace("-", "_").lower()

    @property
    def beats(self) -> int:
        """Beats of a sector on either stream."""
        return -(-self.parameters.sector_bytes // (16 * self.parameters.width))

    def json(self) -> dict[str, Any]:
        """The contract as plain values, for ``info --json``."""
        p = self.parameters
        return {
            "preset": self.preset,
            "summary": self.summary,
            "changed": dict(self.changed),
            **self.settings,
            "overlap": p.overlap,
            "stages": self.settings.get("mult_stages"),  # None where there is no multiplier
            "timing": asdict(self.timing),
            "module": self.module,
            "ports": [asdict(port) for port in self.ports],
            "security": self.security,
        }


def contract(name: str, changes: dict[str, Any] | None = None) -> Contract:
    """Returns the contract of preset ``name`` with ``changes`` made to its parameters.

    Raises ValueError for an unknown preset, an unknown parameter or a mix that no core can have.
    """
    preset = catalog.preset(name)
    parameters = catalog.parameters(name, **(changes or {}))
    changed = tuple(
        (field, value) for field, value in asdict(parameters).items() if value != getattr(preset.parameters, field)
    )
    return Contract(preset.name, preset.summary, preset.title, preset.security, catalog.core(parameters), changed)
