# SPDX-License-Identifier: Apache-2.0
"""Windows of addresses: the pages that bursts may touch."""

from typing import Any

from amaranth import Cat, Value
from amaranth.lib import data

from wideblock.rtl.bus.axi4 import ADDRESS_BITS, PAGE_BITS
from wideblock.rtl.bus.dma_map import WINDOWS

__all__ = ["PAGES", "WINDOW_SET", "hits"]

PAGES = ADDRESS_BITS - PAGE_BITS
"""Bits of the number of a page."""

WINDOW_SET = data.ArrayLayout(data.StructLayout({"read": 1, "write": 1, "base": PAGES, "last": PAGES}), WINDOWS)
"""Windows from page ``base`` to page ``last``, both included, with what they permit."""


def hits(windows: Any, page: Value, permission: str) -> Value:
    """The windows, a bit each, that have ``page`` with ``permission``, "read" or "write"."""
    each = [windows[number] for number in range(WINDOWS)]
    return Cat(window[permission] & (page >= window.base) & (page <= window.last) for window in each)
