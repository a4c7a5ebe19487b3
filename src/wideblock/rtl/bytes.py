# SPDX-License-Identifier: Apache-2.0
"""Bytes of a block or a beat: flags, a flag a byte, and the marked values. Byte k is bits 8k + 7 .. 8k."""

from amaranth import Cat, Const, Mux, Value

__all__ = ["below", "bits", "chosen", "end", "is_run", "kept", "marked", "only", "up_to"]


def below(n: Value, size: int) -> Value:
    """Flags of bytes 0 to ``n`` - 1, of ``size`` bytes."""
    return Cat(k < n if k < (1 << len(n)) - 1 else Const(0, 1) for k in range(size))


def up_to(end: Value) -> Value:
    """Flags of bytes 0 to ``end``, as many flags as ``end`` can number."""
    return Cat(Const(1, 1), *(end >= k for k in range(1, 1 << len(end))))


def only(n: Value, size: int) -> Value:
    """Flag of byte ``n`` alone, of ``size`` bytes; none if ``n`` is ``size`` or more."""
    return Cat(n == k for k in range(size))


def is_run(flags: Value) -> Value:
    """Whether the flags are of bytes 0 to some byte: one byte or more."""
    return flags[0] & ~(flags[1:] & ~flags[:-1]).any()


def end(run: Value) -> Value:
    """The number of the last byte of a ``run`` from byte 0, by halves; a power of two of flags."""
    half = len(run) // 2
    if not half:
        return Const(0, 0)
    return Cat(end(Mux(run[half], run[half:], run[:half])), run[half])


def bits(flags: Value) -> Value:
    """Each flag for the eight bits of a byte."""
    return Cat(flag.replicate(8) for flag in flags)


def kept(block: Value, flags: Value) -> Value:
    """The bytes of the flags; the rest is 0."""
    return block & bits(flags)


def chosen(flags: Value, block: Value, other: Value) -> Value:
    """The bytes of ``block`` where flags are high, else the bytes of ``other``."""
    places = [slice(8 * k, 8 * k + 8) for k in range(len(flags))]
    return Cat(Mux(flags[k], block[place], other[place]) for k, place in enumerate(places))


def marked(flags: Value, byte: int = 0x80) -> Value:
    """``byte`` at the flags, else 0; with :func:`only` and 80 the first byte of the padding 10*."""
    return Cat(flag if byte >> b & 1 else Const(0, 1) for flag in flags for b in range(8))
