# SPDX-License-Identifier: Apache-2.0
"""A core in simulation, of whatever kind: model, reset and waveform."""

from collections.abc import Iterable
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar

from wideblock.rtl.shell.shell import Shell
from wideblock.rtl.stream.interface import Interface
from wideblock.simulation.bench import Exported, Simulation
from wideblock.simulation.script import RESET, ScriptEvent
from wideblock.simulation.verilator import Options

__all__ = ["ZEROIZE", "Core", "CoreSimulation", "reset_at", "zeroize_at"]

ZEROIZE = "zeroize"
"""Name of the control that clears a core."""


class Core(Exported, Protocol):
    """A core, as far as traffic needs it: the exported module, and the interface behind its ports."""

    @property
    def interface(self) -> Interface: ...
    @property
    def shell(self) -> Shell: ...


C = TypeVar("C", bound=Core)


def zeroize_at(cycle: int, length: int = 1) -> ScriptEvent:
    """A ``zeroize`` pulse of ``length`` cycles; the source goes on with the sector or message it is in."""
    return ScriptEvent(ZEROIZE, cycle, length, clears=True)


def reset_at(cycle: int, length: int = 1) -> ScriptEvent:
    """A reset of ``length`` cycles; the source goes on with the next whole sector or message."""
    return ScriptEvent(RESET, cycle, length, clears=True)


class CoreSimulation(Generic[C]):
    """A core in simulation, out of reset, with no key loaded.

    verilog:    texts to simulate in place of the core's Verilog, for example a netlist with cell models
    options:    how the model is built; by default its state can be saved
    simulation: an instance of the model to use in the place of a new one
    Raises :class:`~wideblock.simulation.commands.BuildError` if the model cannot be built.
    """

    def __init__(
        self,
        core: C,
        *,
        verilog: Iterable[str] | None = None,
        options: Options | None = None,
        simulation: Simulation | None = None,
    ):
        self.core = core
        self.simulation = simulation or Simulation(core, verilog=verilog, options=options or Options(savable=True))
        self.reset()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the model."""
        self.simulation.close()

    def fresh(self, power_on: int = 0) -> Self:
        """Another instance of the model; ``power_on`` chooses the values of its registers before the reset."""
        return type(self)(self.core, simulation=self.simulation.fresh(power_on))

    def trace(self, path: Path) -> None:
        """Writes a waveform of each call from now on over that of the call before."""
        self.simulation.trace(path)

    @property
    def savable(self) -> bool:
        """Whether the model's state can be saved."""
        return self.simulation.options.savable

    @property
    def cycle(self) -> int:
        """Cycles of all calls so far."""
        return self.simulation.cycle

    def reset(self, cycles: int = 2) -> None:
        """Holds the reset for some cycles; afterwards no key is loaded."""
        self.simulation.reset(cycles)
