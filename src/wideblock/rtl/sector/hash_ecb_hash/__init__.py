# SPDX-License-Identifier: Apache-2.0
"""The family hash-ECB-hash. :class:`.equations.Equations` is what a scheme of the family states."""

from .core import HashEcbHash
from .equations import BACK, FRONT

__all__ = ["BACK", "FRONT", "HashEcbHash"]
