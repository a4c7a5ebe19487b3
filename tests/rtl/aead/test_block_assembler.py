# SPDX-License-Identifier: Apache-2.0
"""Words collected to a block: random words, drops and clearing, against bytes in Python."""

import random

import pytest

from wideblock.rtl.aead.block_assembler import BlockAssembler

from ..simulated import Simulator

pytestmark = pytest.mark.shows("caesar")

BLOCK = 16


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_random_words(bits):
    """A word behind others, the first of a new block, or of the next one as the block goes; then none, or clearing."""
    dut, rng, step = BlockAssembler(block_bytes=BLOCK, word_bits=bits), random.Random(bits), bits // 8
    seen = set()

    async def bench(ctx):
        held = b""
        for _ in range(600):
            room = len(held) % step == 0 and len(held) < BLOCK
            action = rng.choice([*(["further"] * 3 if room else []), "none", "drop", "next", "clear"])
            word, size = rng.randbytes(step), rng.choice([step, step, rng.randrange(1, step + 1)])
            flags = {
                "further": {"store": 1, "further": 1},
                "next": {"store": 1, "drop": 1},
                "drop": {"drop": 1},
                "clear": {"clear": 1, "store": rng.getrandbits(1)},
            }.get(action, {})
            for name in ("store", "further", "drop", "clear"):
                ctx.set(getattr(dut, name), flags.get(name, 0))
            ctx.set(dut.word, int.from_bytes(word, "little"))
            ctx.set(dut.bytes, size)
            await ctx.tick()
            held = {"further": held + word[:size], "next": word[:size], "none": held}.get(action, b"")
            seen.add((action, len(held)))
            assert ctx.get(dut.size) == len(held)
            assert ctx.get(dut.block) == int.from_bytes(held, "little")
            for pads, padded in ((0, held), (1, (held + b"\x80")[:BLOCK])):
                ctx.set(dut.pads, pads)
                assert ctx.get(dut.padded) == int.from_bytes(padded, "little")

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert ("further", BLOCK) in seen and ("next", step) in seen
