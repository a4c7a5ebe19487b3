# SPDX-License-Identifier: Apache-2.0
"""The family hash-counter-hash. :class:`.equations.Equations` is what a scheme of the family states."""

from .core import HashCounterHash
from .equations import BACK, FRONT, HchBackPlan, HchFrontPlan, Structure

__all__ = ["BACK", "FRONT", "HashCounterHash", "HchBackPlan", "HchFrontPlan", "Structure"]
