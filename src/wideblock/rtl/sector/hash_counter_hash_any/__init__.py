# SPDX-License-Identifier: Apache-2.0
"""The family hash-counter-hash for messages of any length. :class:`.equations.Equations` is what a scheme states."""

from .core import HashCounterHashAny

__all__ = ["HashCounterHashAny"]
