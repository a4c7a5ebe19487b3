# SPDX-License-Identifier: Apache-2.0
"""Flags of bytes and the values that they mark, against Python's slices, for every n and block."""

import random

import pytest
from amaranth import Cat, Module, Signal

from wideblock.rtl.bytes import below, bits, chosen, end, is_run, kept, marked, only, up_to

from .simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

SIZES = (4, 16)


def number(block):
    return int.from_bytes(block, "little")


def computed(inputs, made, cases):
    """The outputs ``made(*signals)`` for each case: values of signals of these widths."""
    signals = [Signal(width, name=f"i{k}") for k, width in enumerate(inputs)]
    values = made(*signals)
    outputs = [Signal(len(value), name=f"o{k}") for k, value in enumerate(values)]
    m, found = Module(), []
    m.d.comb += [Cat(outputs).eq(Cat(values))]

    async def bench(ctx):
        for case in cases:
            for signal, value in zip(signals, case, strict=True):
                ctx.set(signal, value)
            found.append(tuple(ctx.get(output) for output in outputs))

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    return found


@pytest.mark.parametrize("size", SIZES)
def test_flags_of_a_number(size):
    numbers = range(1 << size.bit_length())  # beyond the block, too
    found = computed([size.bit_length()], lambda n: [below(n, size), only(n, size)], [(n,) for n in numbers])
    assert found == [((1 << min(n, size)) - 1, 1 << n if n < size else 0) for n in numbers]


@pytest.mark.parametrize("size", SIZES)
def test_flags_up_to_a_byte(size):
    assert computed([size.bit_length() - 1], lambda n: [up_to(n)], [(n,) for n in range(size)]) == [
        ((2 << n) - 1,) for n in range(size)
    ]


@pytest.mark.parametrize("size", SIZES)
def test_a_run_and_its_end(size):
    """Every pattern of flags; the end of those that are runs."""
    runs = {(1 << n) - 1: n - 1 for n in range(1, size + 1)}
    patterns = range(1 << size)
    found = computed([size], lambda flags: [is_run(flags), end(flags)], [(flags,) for flags in patterns])
    for flags, (run, last) in enumerate(found):
        assert run == (flags in runs)
        assert not run or last == runs[flags]


@pytest.mark.parametrize("size", SIZES)
def test_bytes_of_flags(size):
    """Every number of first bytes, and other patterns: the bytes kept, chosen from two blocks, and marked."""
    rng = random.Random(size)
    patterns = [(1 << n) - 1 for n in range(size + 1)] + [rng.getrandbits(size) for _ in range(50)]
    cases = [(flags, rng.getrandbits(8 * size), rng.getrandbits(8 * size)) for flags in patterns]

    def made(flags, block, other):
        return [bits(flags), kept(block, flags), chosen(flags, block, other), marked(flags), marked(flags, 0x41)]

    for (flags, block, other), found in zip(cases, computed([size, 8 * size, 8 * size], made, cases), strict=True):
        high = [flags >> k & 1 for k in range(size)]
        ours, others = block.to_bytes(size, "little"), other.to_bytes(size, "little")
        assert found == (
            number(0xFF * flag for flag in high),
            number(byte * flag for byte, flag in zip(ours, high, strict=True)),
            number(a if flag else b for a, b, flag in zip(ours, others, high, strict=True)),
            number(0x80 * flag for flag in high),
            number(0x41 * flag for flag in high),
        )


@pytest.mark.parametrize("size", SIZES)
def test_padding(size):
    """10* behind the first n bytes, for every n: none behind a whole block."""
    block = random.Random(size).randbytes(size)

    def made(n):
        return [kept(number(block), below(n, size)) | marked(only(n, size))]

    for n, (padded,) in enumerate(computed([size.bit_length()], made, [(n,) for n in range(size + 1)])):
        assert padded == number((block[:n] + b"\x80" + bytes(size))[:size])
