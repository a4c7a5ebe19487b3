# SPDX-License-Identifier: Apache-2.0
"""Figures of a core that depend on sizes of messages."""

from collections.abc import Iterable

from wideblock.rtl.stream.behaviour import LengthRule

__all__ = ["figures"]


def figures(length: LengthRule, sizes: Iterable[tuple[int, int]] | None = None) -> list[dict[str, int]]:
    """Bytes of tweak and message, and the dependent figures; of ``length.examples()`` unless of ``sizes``."""
    names = ("compute", "latency", "busy", "interval")
    return [
        {"tweak": tweak, "bytes": size} | {name: getattr(length.timing(tweak, size), name) for name in names}
        for tweak, size in (length.examples() if sizes is None else sizes)
    ]
