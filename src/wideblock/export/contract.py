# SPDX-License-Identifier: Apache-2.0
"""A core as one value: parameters, ports, behaviour, cycle contract, specification and Verilog."""

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from wideblock import __version__, catalog
from wideblock.catalog import Kind, Preset
from wideblock.catalog.changes import differences, written
from wideblock.catalog.scheme import hooks_of
from wideblock.errors import UserError
from wideblock.export.names import checked, module_name
from wideblock.spec.sealed import Sealed

if TYPE_CHECKING:
    from wideblock.export.memories import MemoryBlock
    from wideblock.rtl.aead.behaviour import AeadBehaviour
    from wideblock.rtl.aead.timing import AeadTiming
    from wideblock.rtl.bus.registers import RegisterMap
    from wideblock.rtl.shell.shell import Port, Shell
    from wideblock.rtl.stream.behaviour import Behaviour, SectorTiming
    from wideblock.rtl.stream.core import CoreBehaviour, CycleContract
    from wideblock.rtl.stream.interface import Interface

__all__ = ["AeadContract", "Contract", "SectorContract", "configured", "contract"]


B = TypeVar("B", bound="CoreBehaviour[CycleContract]")
T = TypeVar("T", bound="CycleContract")
OtherB = TypeVar("OtherB", bound="CoreBehaviour[CycleContract]")
OtherT = TypeVar("OtherT", bound="CycleContract")


@dataclass(frozen=True)
class Contract(Generic[B, T]):
    """A core of a preset, with the changed parameters and values.

    parameters: of the type that the scheme has
    make:       returns the core in Amaranth, of a type of its family; the same object at each call
    called:     name that was chosen for the module

    All checks, documents and measurements of a core use the contract.

    Contracts are equal if preset, changes and name are. A contract in another process makes a component of its own.
    """

    preset: Preset
    parameters: Any = field(compare=False, repr=False)
    make: Callable[[], Any] = field(compare=False, repr=False)
    changed: tuple[tuple[str, Any], ...] = ()
    called: str | None = None

    def __post_init__(self):
        if self.called is not None:
            checked(self.called)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _made, (self.name, self.changed, self.called)

    @property
    def name(self) -> str:
        """Name of the preset."""
        return self.preset.name

    @property
    def component(self) -> Any:
        """The core in Amaranth, made at first use."""
        return self.make()

    @property
    def key_bytes(self) -> int:
        """Bytes of a key."""
        return self.preset.scheme.key_bits(self.parameters) // 8

    @property
    def settings(self) -> dict[str, Any]:
        """The scheme and the parameters, by name."""
        return {"scheme": self.preset.scheme.name, **asdict(self.parameters)}

    @property
    def title(self) -> str:
        return self.preset.scheme.title

    @property
    def summary(self) -> str:
        """A line on the core, from the parameters; it begins with a warning if the scheme is broken."""
        scheme = self.preset.scheme
        return f"{'BROKEN, not to protect data: ' if scheme.broken else ''}{scheme.summary(self.parameters)}"

    @property
    def security(self) -> str:
        """Security statement of the scheme, of sealed sectors and of parameters: protection, limits and source."""
        sealing = Sealed.security if self.parameters.icv_bytes else ""
        return " ".join(filter(None, (self.parameters.caution, self.preset.scheme.security, sealing)))

    @property
    def registers(self) -> "tuple[RegisterMap, ...]":
        """Maps of registers, a map for each bus with registers; none for a core without."""
        return getattr(self.component, "registers", ())

    @property
    def headed(self) -> bool:
        """Whether a part is around the core or its engine: for requests before their data, or for error beats."""
        from wideblock.rtl.stream.header import HeaderCore

        return isinstance(self._inner, HeaderCore) or self.answering

    @property
    def answering(self) -> bool:
        """Whether each unit leaves a packet, some with an error flag, by a part around the engine."""
        from wideblock.rtl.engine.error_beats import ErrorBeats

        return isinstance(self._inner, ErrorBeats)

    @property
    def mastered(self) -> bool:
        """Whether a master reads units from memory and writes results, and there are no streams of units."""
        from wideblock.rtl.dma.engine import DmaEngine

        return isinstance(self._inner, DmaEngine)

    @property
    def crossed(self) -> bool:
        """Whether the buses of registers have a clock of their own, by a part around all others."""
        return self._inner is not self.component

    @property
    def benched(self) -> bool:
        """Whether the core has a test bench: not with a master, as a bench would have to be the memory, nor with a
        clock of the buses.
        """
        return not (self.mastered or self.crossed)

    @property
    def _inner(self) -> Any:
        """The component behind the crossings of its buses."""
        from wideblock.rtl.bus.own_clock import OwnBusClock

        return self.component.core if isinstance(self.component, OwnBusClock) else self.component

    @property
    def enclosed(self) -> bool:
        """Whether another part is around the core: an engine, or one for requests before their data."""
        return self.headed or bool(self.registers)

    @property
    def interface(self) -> "Interface":
        return self.component.interface

    @property
    def streaming(self) -> "Interface":
        """The interface with the streams of messages: of the engine inside, where a master takes their place."""
        return self._inner.engine.interface if self.mastered else self.interface

    @property
    def kind(self) -> Kind[Any, Any]:
        return self.preset.scheme.kind

    @property
    def behaviour(self) -> B:
        """Behaviour as a value, of the type that the kind has."""
        return self.component.behaviour

    @property
    def timing(self) -> T:
        """The cycle contract, of the type that the kind has."""
        return cast(T, self.behaviour.timing)

    @property
    def shell(self) -> "Shell":
        """The exported module: the core behind the ports of its kind."""
        return self._shell

    @cached_property
    def _shell(self) -> "Shell":  # a type checker takes no cached property for a property
        return self.kind.shell(self.component)

    @property
    def ports(self) -> "tuple[Port, ...]":
        return self.shell.ports

    @property
    def module(self) -> str:
        """Name of the Verilog module: the chosen name, or the preset with the changes."""
        if self.called:
            return self.called
        return module_name(self.name, dict(self.changed))

    @property
    def verilog(self) -> str:
        """The Verilog that a user gets."""
        return self._verilog

    @cached_property
    def _verilog(self) -> str:
        from wideblock.export import verilog

        with hooks_of(self.preset.scheme):
            return verilog.verilog(verilog.FILE, self.module, self.shell, self.header)

    @cached_property
    def observed(self) -> str:
        """The Verilog with more names of signals: for proofs, mutants and waveforms."""
        from wideblock.export import verilog

        return verilog.verilog(verilog.OBSERVED, self.module, self.shell, self.header)

    @cached_property
    def memories(self) -> "tuple[MemoryBlock, ...]":
        """Every memory of the exported module; the core is elaborated for it once."""
        from wideblock.export.memories import memories

        return memories(self.kind.shell(self.preset.scheme.make(self.parameters)))

    @cached_property
    def resources(self) -> dict[str, int]:
        """AES cores, multipliers and bits of memory of the exported module; elaborates the core once."""
        from wideblock.export.resources import resources

        return resources(self.kind.shell(self.preset.scheme.make(self.parameters)))

    @property
    def asked(self) -> str:
        """The preset and the changes, as for commands."""
        return self._asked()

    @property
    def proved(self) -> str:
        """As :attr:`asked`, of the core whose rules are proved: without parts around it that have none of their own."""
        return self._asked("bus_clock", "error_beats")

    def _asked(self, *without: str) -> str:
        changed = [f"--set {name}={written(value)}" for name, value in self.changed if name not in without]
        return " ".join((self.name, *changed))

    @property
    def command(self) -> str:
        """The command that makes the core."""
        return " ".join(
            [
                *("wideblock generate", self.asked),
                *([f"--name {self.called}"] if self.called else []),
                *(["--accept-broken"] if self.preset.scheme.broken else []),
                "-o DIR",
            ]
        )

    @property
    def header(self) -> str:
        """The comment on top of the Verilog: licence, origin, parameters, cycle contract and security statement.

        A parameter of an optional part that the core does not have is left out.
        """
        from importlib.metadata import version

        absent = self.parameters.absent
        lines = [
            "SPDX-License-Identifier: Apache-2.0",
            "",
            f"{self.module}: {self.title}",
            *textwrap.wrap(self.summary, 112),
            "",
            f"Made by wideblock {__version__} with amaranth {version('amaranth')} and Yosys {version('pyosys')}:",
            "  " + self.command,
            "",
            "Parameters",
            *(f"  {name:<14}{written(value)}" for name, value in self.settings.items() if name not in absent),
            "",
            f"Cycles, {self.timing.holds}",
            *(f"  {figure.name:<14}{figure.cycles:>5}  {figure.meaning}" for figure in self.timing.figures()),
            "",
            "Security",
            *textwrap.wrap(self.security, 112, initial_indent="  ", subsequent_indent="  "),
            "  No masking and no other protection against side channels that need physical access.",
        ]
        return "".join(f"// {line}".rstrip() + "\n" for line in lines) + "\n"

    @property
    def specification(self) -> Callable[[bytes], Any]:
        """Function from a key to the scheme under the key, with ``encrypt`` and ``decrypt`` of the kind.

        The function can be pickled, for calls in other processes.
        """
        return partial(_specification, self.name, self.parameters)

    @property
    def native(self) -> str:
        """The scheme's name in the native library. Raises UserError for a scheme without native code."""
        if (name := self.preset.scheme.native) is None:
            raise UserError(f"{self.name} is not in the native library, which has the sector schemes")
        return name(self.parameters)

    @property
    def known_answers(self) -> list[Any]:
        """Every known answer for the core; there may be none."""
        found = self.preset.scheme.known_answers(self.parameters)
        return [answer for answer in found if self.kind.takes(self.behaviour, answer)]

    def expect(self, kind: Kind[OtherB, OtherT]) -> "Contract[OtherB, OtherT]":
        """The contract itself. Raises UserError if the core is of another kind."""
        if self.kind != kind:
            raise UserError(f"{self.name} takes {self.kind.noun}s; this is for cores that take {kind.noun}s")
        return cast(Contract[OtherB, OtherT], self)

    def expect_streams(self) -> None:
        """Raises UserError if traffic cannot drive the exported module, which has a master or a clock of its buses."""
        if self.mastered:
            raise UserError(
                f"{self.name} has a master in the place of streams; traffic is for the engine with dma=none"
            )
        if self.crossed:
            raise UserError(
                f"{self.name} has a clock of the buses; traffic is for the engine with bus_clock=core, which is inside"
            )

    def json(self) -> dict[str, Any]:
        """The contract as plain values, for ``info --json``."""
        return {
            "preset": self.name,
            "summary": self.summary,
            "changed": dict(self.changed),
            **self.settings,
            "timing": {figure.name: figure.cycles for figure in self.timing.figures()},
            "module": self.module,
            "ports": [asdict(port) for port in self.ports],
            "memories": [asdict(memory) for memory in self.memories],
            **({"registers": [each.json() for each in self.registers]} if self.registers else {}),
            "status": self.preset.scheme.status.value,
            "security": self.security,
        }

    def listed(self) -> dict[str, Any]:
        """The core in a list of presets, as plain values."""
        return {
            "preset": self.name,
            "title": self.title,
            "summary": self.summary,
            "parameters": self.settings,
            "interval": self.timing.interval,
            "status": self.preset.scheme.status.value,
            "security": self.security,
        }


SectorContract: TypeAlias = "Contract[Behaviour, SectorTiming]"
AeadContract: TypeAlias = "Contract[AeadBehaviour, AeadTiming]"


def _made(name: str, changed: tuple[tuple[str, Any], ...], called: str | None) -> Contract[Any, Any]:
    return replace(contract(name, dict(changed)), called=called)


def _specification(preset: str, parameters: Any, key: bytes) -> Any:
    return catalog.preset(preset).scheme.under(parameters, key)


def contract(name: str, changes: Mapping[str, Any] | None = None) -> Contract[Any, Any]:
    """Returns the contract of preset ``name`` with ``changes`` made to its parameters.

    Raises UserError for an unknown preset, an unknown parameter or a mix that no core can have.
    """
    made = configured(name, changes)
    made.make()
    return made


def configured(name: str, changes: Mapping[str, Any] | None = None) -> Contract[Any, Any]:
    """As :func:`contract`; the component is made at first use; no hardware description is loaded.

    Raises UserError as :func:`contract`, but for a mix that only the component refuses.
    """
    preset = catalog.preset(name)
    parameters = preset.changed(changes or {})
    changed = differences(parameters, preset.parameters)

    @cache
    def make() -> Any:
        with hooks_of(preset.scheme):
            return preset.scheme.make(parameters)

    return Contract(preset, parameters, make, tuple(changed.items()))
