# SPDX-License-Identifier: Apache-2.0
"""Runs inside the simulator: sources and sinks that others wrote, around the exported Verilog of one core."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from .toy_core import Specification, Toy

TOY = Toy()


def pauses(seed, chance):
    rng = random.Random(seed)
    while True:
        yield rng.random() < chance


async def start(dut):
    cocotb.start_soon(Clock(dut.aclk, 10, "ns").start())
    for port in (dut.zeroize, dut.s_axis_tuser, dut.s_axis_key_tvalid, dut.aresetn):
        port.value = 0
    ends = {"clock": dut.aclk, "reset": dut.aresetn, "reset_active_level": False}
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), **ends, byte_lanes=16)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), **ends, byte_lanes=16)
    for _ in range(3):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    return source, sink


async def load(dut, key):
    dut.s_axis_key_tdata.value = int.from_bytes(key, "little")
    dut.s_axis_key_tvalid.value = 1
    while True:
        await ReadOnly()
        taken = dut.s_axis_key_tready.value
        await RisingEdge(dut.aclk)
        if taken:
            break
    dut.s_axis_key_tvalid.value = 0


async def sectors_come_back(dut, seed, in_pause, out_pause):
    rng = random.Random(seed)
    source, sink = await start(dut)
    source.set_pause_generator(pauses(rng.random(), in_pause))
    sink.set_pause_generator(pauses(rng.random(), out_pause))
    for _ in range(2):
        key = rng.randbytes(16)
        await load(dut, key)
        specification = Specification(key)
        expected = []
        for _ in range(6):
            sector, tweak, decrypt = rng.randbytes(TOY.sector_bytes), rng.randbytes(16), rng.randrange(2)
            user = int.from_bytes(tweak, "little") | decrypt << 128
            await source.send(AxiStreamFrame(sector, tuser=user))
            expected.append((specification.decrypt if decrypt else specification.encrypt)(tweak, sector))
        for right in expected:
            frame = await sink.recv()
            assert bytes(frame.tdata) == right, f"seed {seed}"
    assert sink.empty()


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def full_rate(dut):
    await sectors_come_back(dut, 1, 0.0, 0.0)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def pauses_on_both_sides(dut):
    await sectors_come_back(dut, 2, 0.5, 0.5)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def slow_sink(dut):
    await sectors_come_back(dut, 3, 0.0, 0.9)
