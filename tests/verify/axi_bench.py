# SPDX-License-Identifier: Apache-2.0
"""Runs inside the simulator: AXI4-Stream sources and sinks that others wrote, around the exported Verilog of one core.

The core is named in the environment: :data:`CORE` is its preset and the changes to it, as JSON.
"""

import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from wideblock.export.contract import contract
from wideblock.rtl.stream.behaviour import Cause

CORE = "WIDEBLOCK_BENCH_CORE"
core = contract(*json.loads(os.environ[CORE]))
KEY_BYTES = next(port.width for port in core.ports if port.name == "s_axis_key_tdata") // 8
BEAT = next(port.width for port in core.ports if port.name == "s_axis_tdata") // 8


def pauses(seed, chance):
    rng = random.Random(seed)
    while True:
        yield rng.random() < chance


async def start(dut):
    cocotb.start_soon(Clock(dut.aclk, 10, "ns").start())
    for port in (dut.zeroize, dut.s_axis_tuser, dut.s_axis_key_tvalid, dut.aresetn):
        port.value = 0
    ends: dict = {"clock": dut.aclk, "reset": dut.aresetn, "reset_active_level": False}
    if core.behaviour.length.name == "fixed":  # no tkeep, which would say how many bytes a beat has
        ends["byte_lanes"] = BEAT
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), **ends)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), **ends)
    for _ in range(3):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    return source, sink


async def load(dut, key):
    """Offers a key until it is accepted: sectors that were sent before it are done by then."""
    dut.s_axis_key_tdata.value = int.from_bytes(key, "little")
    dut.s_axis_key_tvalid.value = 1
    while True:
        await ReadOnly()
        accepted = dut.s_axis_key_tready.value
        await RisingEdge(dut.aclk)
        if accepted:
            break
    dut.s_axis_key_tvalid.value = 0


def length(rng):
    """Bytes of a sector, or of a unit: a whole number of blocks, or one that needs ciphertext stealing."""
    size = core.behaviour.length
    if size.name == "fixed":
        return size.least
    return rng.choice((size.least, core.behaviour.usual, rng.randint(size.least, size.least + 6 * BEAT)))


async def sectors_come_back(dut, seed, in_pause, out_pause, keys=3, count=6):
    """Sectors of mixed directions come back as the specification has them, in order, whole; a key after another."""
    rng = random.Random(seed)
    source, sink = await start(dut)
    source.set_pause_generator(pauses(rng.random(), in_pause))
    sink.set_pause_generator(pauses(rng.random(), out_pause))
    for _ in range(keys):
        key = rng.randbytes(KEY_BYTES)
        await load(dut, key)
        specification = core.specification(key)
        expected = []
        for _ in range(count):
            sector, tweak = rng.randbytes(length(rng)), rng.randbytes(16)
            decrypt = rng.choice(core.behaviour.directions)
            await source.send(AxiStreamFrame(sector, tuser=int.from_bytes(tweak, "little") | decrypt << 128))
            expected.append((specification.decrypt if decrypt else specification.encrypt)(tweak, sector))
        for number, right in enumerate(expected):
            frame = await sink.recv()
            assert bytes(frame.tdata) == right, f"seed {seed}, sector {number} of {len(right)} bytes"
    assert sink.empty()
    assert int(dut.fault.value) == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def full_rate(dut):
    await sectors_come_back(dut, 1, 0.0, 0.0)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def pauses_on_both_sides(dut):
    await sectors_come_back(dut, 2, 0.5, 0.5, count=12)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def slow_source(dut):
    await sectors_come_back(dut, 3, 0.9, 0.0)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def slow_sink(dut):
    await sectors_come_back(dut, 4, 0.0, 0.9)


if core.behaviour.length.name != "fixed":

    @cocotb.test(timeout_time=2, timeout_unit="ms")
    async def byte_qualifiers(dut):
        """An empty last beat ends the unit before it; a beat with a hole ends it, too, which is a fault."""
        rng = random.Random(5)
        source, sink = await start(dut)
        faults = []

        async def watch():
            while True:
                await RisingEdge(dut.aclk)
                if value := int(dut.fault.value):
                    faults.append(value)

        key = rng.randbytes(KEY_BYTES)
        await load(dut, key)
        cocotb.start_soon(watch())
        specification, hole = core.specification(key), [0, *[1] * (BEAT - 1)]
        for size in (BEAT, 2 * BEAT, 3 * BEAT):
            for last, fault in ((None, 0), ([0] * BEAT, 0), (hole, core.behaviour.fault(Cause.KEEP)), (None, 0)):
                unit, tweak = rng.randbytes(size), rng.randbytes(16)
                sent = unit + (rng.randbytes(BEAT) if last else b"")
                user = int.from_bytes(tweak, "little")
                await source.send(AxiStreamFrame(sent, tkeep=[1] * size + (last or []), tuser=user))
                frame = await sink.recv()
                assert bytes(frame.tdata) == specification.encrypt(tweak, unit), f"{size} bytes, then {last}"
                assert faults == [fault] * bool(fault)
                faults.clear()
