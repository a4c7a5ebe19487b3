# SPDX-License-Identifier: Apache-2.0
"""Measured points with figures that no flow gave."""

from ..evaluate.conftest import measurement

__all__ = ["measurement"]
