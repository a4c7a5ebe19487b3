# SPDX-License-Identifier: Apache-2.0
"""The suite of checks for a core, by its kind."""

from typing import Any

from wideblock.catalog.kinds import AEAD, SECTOR
from wideblock.export.contract import Contract
from wideblock.verify.aead.suite import MESSAGES
from wideblock.verify.core.suite import Suite
from wideblock.verify.sector.suite import SECTORS

__all__ = ["suite_of"]

SUITES: dict[str, Suite[Any]] = {SECTOR.name: SECTORS, AEAD.name: MESSAGES}
"""By the name of the kind."""


def suite_of(core: Contract) -> Suite[Any]:
    """The suite for cores of this kind."""
    return SUITES[core.kind.name]
