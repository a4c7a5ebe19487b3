# SPDX-License-Identifier: Apache-2.0
"""The suite of engines."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from wideblock.drive.sector.engine import EngineSimulation
from wideblock.drive.sector.pool import SpecificationPool
from wideblock.errors import UserError
from wideblock.export.contract import SectorContract
from wideblock.verify.core.suite import Suite
from wideblock.verify.engine.check import EngineCheck
from wideblock.verify.engine.checks import CHECKS
from wideblock.verify.sector.native import NativePool

__all__ = ["ENGINES", "ENGINES_JUDGED_NATIVELY"]


@contextmanager
def _opened(subject: SectorContract, processes: int | None) -> Iterator[Callable[..., EngineCheck]]:
    with SpecificationPool(subject.specification, processes) as pool:
        yield partial(EngineCheck, pool=pool)


@contextmanager
def _natively(subject: SectorContract, processes: int | None) -> Iterator[Callable[..., EngineCheck]]:
    yield partial(EngineCheck, pool=NativePool(subject))


def _measure(subject: SectorContract) -> Mapping[str, Any]:
    raise UserError(f"{subject.name} has registers; wideblock verify --check 'cycle contract' measures its cycles")


ENGINES = Suite("sector", EngineSimulation, CHECKS, ("known answers", "cycle contract"), _opened, _measure)
"""The suite of a core within its engine; the core alone has its own."""

ENGINES_JUDGED_NATIVELY = replace(ENGINES, opened=_natively)
"""The suite with the native library as judge."""
