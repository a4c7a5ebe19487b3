# SPDX-License-Identifier: Apache-2.0
"""The family Feistel-mix-Feistel. :class:`.equations.Equations` is what a scheme of the family states."""

from .core import FeistelMixFeistel
from .equations import Mask

__all__ = ["FeistelMixFeistel", "Mask"]
