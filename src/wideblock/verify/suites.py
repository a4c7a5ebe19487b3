# SPDX-License-Identifier: Apache-2.0
"""The suite of checks for a core, by its kind."""

from typing import Any

from wideblock.catalog.kinds import AEAD, SECTOR
from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.verify.aead.suite import MESSAGES
from wideblock.verify.core.suite import Suite
from wideblock.verify.sector.native import JUDGED_NATIVELY
from wideblock.verify.sector.suite import SECTORS

__all__ = ["JUDGES", "judged_by", "suite_of"]

SUITES: dict[str, Suite[Any]] = {SECTOR.name: SECTORS, AEAD.name: MESSAGES}
"""By the name of the kind."""


def suite_of(core: Contract) -> Suite[Any]:
    """The suite for cores of this kind."""
    return SUITES[core.kind.name]


JUDGES = ("spec", "native")
"""Sources of right answers: the specification, or the native library."""


def judged_by(judge: str, core: Contract) -> Suite[Any]:
    """The suite for this kind with a source of right answers. Raises UserError if the kind does not have that."""
    if judge not in JUDGES:
        raise UserError(f"judge must be one of {', '.join(JUDGES)}, got {judge!r}")
    if judge == "native" and core.kind is not SECTOR:
        raise UserError(f"{core.name} takes {core.kind.noun}s; the native library judges cores that take sectors")
    return JUDGED_NATIVELY if judge == "native" else suite_of(core)
