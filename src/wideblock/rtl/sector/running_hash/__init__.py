# SPDX-License-Identifier: Apache-2.0
"""The family running hash. :class:`.equations.RunningHashEquations` is what a scheme of the family states."""

from .core import RunningHash

__all__ = ["RunningHash"]
