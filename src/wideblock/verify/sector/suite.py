# SPDX-License-Identifier: Apache-2.0
"""The suite of sector cores."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from wideblock.drive.sector.pool import SpecificationPool
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.export.contract import SectorContract
from wideblock.verify.core.suite import Suite
from wideblock.verify.sector.check import SectorCheck
from wideblock.verify.sector.checks import CHECKS
from wideblock.verify.sector.measure import measure

__all__ = ["SECTORS"]


@contextmanager
def opened(subject: SectorContract, processes: int | None) -> Iterator[Callable[..., SectorCheck]]:
    """Checks beside processes that compute the specification."""
    with SpecificationPool(subject.specification, processes) as pool:
        yield partial(SectorCheck, pool=pool)


# synthesis can break the data path, rarely the protocol
NETLIST = ("known answers", "cycle contract", "random sectors", "gaps and back-pressure", "wrong lengths")
SECTORS = Suite("sector", SectorSimulation, CHECKS, NETLIST, opened, measure)
