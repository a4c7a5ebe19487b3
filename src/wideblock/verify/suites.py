# SPDX-License-Identifier: Apache-2.0
"""The suite of checks for a core, by its kind."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol, cast

from wideblock.drive.core import CoreSimulation
from wideblock.export.contract import Contract
from wideblock.verify.report import Report

__all__ = ["Suite", "amount", "suite_of"]


class Suite(Protocol):
    """The module of a kind's checks; see :mod:`wideblock.verify.sector.suite` for the meaning of arguments.

    CHECKS:         every check by its name
    NETLIST_CHECKS: checks of a netlist, unless told otherwise
    ALONE:          options of ``verify`` with which it starts no other process
    Simulation:     the core in simulation, as the checks need it
    """

    CHECKS: Mapping[str, Any]
    NETLIST_CHECKS: tuple[str, ...]
    ALONE: Mapping[str, Any]
    Simulation: type[CoreSimulation]

    def verify(self, subject: Contract, /, **options: Any) -> Report: ...
    def trace(self, subject: Contract, check: str, path: Any, /, **options: Any) -> Report: ...


def suite_of(core: Contract) -> Suite:
    """The suite for cores of this kind."""
    return cast(Suite, import_module(f"wideblock.verify.{core.kind.name}.suite"))


def amount(core: Contract, n: int) -> dict[str, int]:
    """The option for ``n`` random sectors, or messages, of a core's suite."""
    return {f"{core.kind.noun}s": n}
