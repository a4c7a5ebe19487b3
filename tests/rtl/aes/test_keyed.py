# SPDX-License-Identifier: Apache-2.0
"""AES cores with their own key expansion, on the example of FIPS 197."""

import pytest

from wideblock.catalog import PARTS

from ..simulated import Simulator

pytestmark = pytest.mark.shows("aes-cores")

# FIPS 197, appendix C.1; byte 0 in the low bits
KEY, PLAIN, CIPHER = (
    int.from_bytes(bytes.fromhex(text), "little")
    for text in (
        "000102030405060708090a0b0c0d0e0f",
        "00112233445566778899aabbccddeeff",
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    )
)


@pytest.mark.parametrize(("name", "ways"), [("aes128-both", (0, 1)), ("aes128-sec", (0,)), ("aes128-sdc", (1,))])
def test_a_part_takes_a_key_and_then_blocks(name, ways):
    part = PARTS[name]
    core = part.make(part.parameters)
    results = []

    async def bench(ctx):
        ctx.set(core.key.payload, KEY)
        ctx.set(core.key.valid, 1)
        await ctx.tick().until(core.key.ready)
        ctx.set(core.key.valid, 0)
        await ctx.tick().until(core.ready)
        for way in ways:
            if core.either_way:
                ctx.set(core.decrypt, way)
            ctx.set(core.i.payload, CIPHER if way else PLAIN)
            ctx.set(core.i.valid, 1)
            await ctx.tick()
            ctx.set(core.i.valid, 0)
            for _ in range(core.timing.latency - 1):
                assert not ctx.get(core.o.valid)
                await ctx.tick()
            assert ctx.get(core.o.valid)
            results.append(ctx.get(core.o.payload))

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert results == [PLAIN if way else CIPHER for way in ways]
