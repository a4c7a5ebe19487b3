# SPDX-License-Identifier: Apache-2.0
"""Generates, verifies and measures hardware cores for wide-block storage encryption.

Names of ``__all__`` come from :mod:`wideblock.api` and are imported when first used: importing the package is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wideblock.api import (
        BuildError,
        ConfiguredCore,
        Forged,
        Records,
        Rejected,
        Report,
        UserError,
        compare,
        preset,
        presets,
        results,
        schemes,
    )

__version__ = "0.9.0"

__all__ = ["BuildError", "ConfiguredCore", "Forged", "Records", "Rejected", "Report", "UserError"]
__all__ += ["compare", "preset", "presets", "results", "schemes"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("wideblock.api"), name)  # not an import statement: every room imports this package


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
