# SPDX-License-Identifier: Apache-2.0
"""The family hash-counter-hash. :class:`.equations.Equations` is what a scheme of the family states."""

from .core import HashCounterHash
from .equations import BACK, FRONT, BackPlan, FrontPlan, Structure

__all__ = ["BACK", "FRONT", "BackPlan", "FrontPlan", "HashCounterHash", "Structure"]
