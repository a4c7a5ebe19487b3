# SPDX-License-Identifier: Apache-2.0
"""Byte strings of whole and partial blocks, mostly of 16 bytes: sum, padding, cutting."""

from wideblock.spec.aes import BLOCK

__all__ = ["add", "check_size", "pad", "pad0", "split"]


def add(a: bytes, b: bytes) -> bytes:
    """a + b, bit by bit, of two strings of one length."""
    if len(a) != len(b):
        raise ValueError(f"strings to add must have equal lengths, got {len(a)} and {len(b)} bytes")
    return (int.from_bytes(a, "little") ^ int.from_bytes(b, "little")).to_bytes(len(a), "little")


def check_size(name: str, data: bytes, size: int) -> None:
    """Raises ValueError unless ``data``, called ``name``, has ``size`` bytes."""
    if len(data) != size:
        raise ValueError(f"{name} must be {size} bytes, got {len(data)}")


def pad(data: bytes, size: int = BLOCK) -> bytes:
    """data, of less than a block, the byte 80, and zeros up to a whole block."""
    if len(data) >= size:
        raise ValueError(f"data to pad must be shorter than {size} bytes, got {len(data)}")
    return (data + b"\x80").ljust(size, b"\0")


def pad0(data: bytes) -> bytes:
    """data and zero bytes up to a whole number of blocks; unchanged if it is one."""
    return data + bytes(-len(data) % BLOCK)


def split(data: bytes, size: int = BLOCK) -> list[bytes]:
    """The blocks of data, the last one of 1 to ``size`` bytes; none of no data."""
    return [data[i : i + size] for i in range(0, len(data), size)]
