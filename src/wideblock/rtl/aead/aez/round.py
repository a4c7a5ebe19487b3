# SPDX-License-Identifier: Apache-2.0
"""A round of AEZ: one of AES, always with MixColumns."""

from amaranth import Module, Value

from wideblock.rtl.aes.planes import applied, from_planes, named, to_planes
from wideblock.rtl.aes.rounds import mix_steps, shift_rows
from wideblock.rtl.aes.sbox import sub_bytes

__all__ = ["full_round"]


def full_round(m: Module, state: Value, key: Value, *, sbox: str, name: str = "") -> Value:
    """``state``, 128 bits, after a round under ``key``; ``name`` begins the names of its signals."""
    rows = shift_rows(to_planes(sub_bytes(m, state, sbox, f"{name}sb")))
    live = {"s": [named(m, f"{name}sb{b}", plane) for b, plane in enumerate(rows)]}
    return from_planes(applied(m, live, mix_steps(to_planes(key), last=False), f"{name}mix")["s"])
