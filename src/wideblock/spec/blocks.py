# SPDX-License-Identifier: Apache-2.0
"""Byte strings of whole and partial 16-byte blocks: sum and zero padding."""

from wideblock.spec.aes import BLOCK

__all__ = ["add", "pad0"]


def add(a: bytes, b: bytes) -> bytes:
    """a + b, bit by bit, of two strings of one length."""
    if len(a) != len(b):
        raise ValueError(f"strings to add must have equal lengths, got {len(a)} and {len(b)} bytes")
    return (int.from_bytes(a, "little") ^ int.from_bytes(b, "little")).to_bytes(len(a), "little")


def pad0(data: bytes) -> bytes:
    """data and zero bytes up to a whole number of blocks; unchanged if it is one."""
    return data + bytes(-len(data) % BLOCK)
