# SPDX-License-Identifier: Apache-2.0
"""The family single pass. :class:`.equations.Equations` is what a scheme of the family states."""

from .core import SinglePass

__all__ = ["SinglePass"]
