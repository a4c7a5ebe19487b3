# SPDX-License-Identifier: Apache-2.0
"""Runs inside the simulator: jobs of the master beside a memory of AXI4 and bus masters that others wrote."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

from wideblock.rtl.bus.dma_map import JobStatus
from wideblock.rtl.bus.key_map import DONE, KEY_MAP, KeyCommand, started
from wideblock.spec.xts import XTS

from .bench import Completion, Job, core

RINGS, SEEDS, JOBS = 0x1000, (1, 2), 24
SIZE = 1 << 20
KEY = random.Random("a key").randbytes(32)


def pauses(seed):
    rng = random.Random(seed)
    while True:
        yield rng.random() < 0.3


class Machine:
    """The buses of the engine, and the memory; channels pause at random."""

    def __init__(self, dut, seed):
        ends = {"clock": dut.aclk, "reset": dut.aresetn, "reset_active_level": False}
        self.dut, self.maps = dut, {each.name: each for each in core().registers}
        prefixes = {"KEY": "s_axi_key", "ENGINE": "s_axi", "DMA": "s_axi_dma"}
        self.buses = {name: AxiLiteMaster(AxiLiteBus.from_prefix(dut, of), **ends) for name, of in prefixes.items()}
        self.ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), size=SIZE, **ends)
        writes, reads = self.ram.write_if, self.ram.read_if
        channels = (writes.aw_channel, writes.w_channel, writes.b_channel, reads.ar_channel, reads.r_channel)
        for number, channel in enumerate(channels):
            channel.set_pause_generator(pauses(f"{seed} {number}"))

    async def set(self, bus, name, value, index=0):
        await self.buses[bus].write_dword(self.maps[bus].offset(name, index), value)

    async def started(self):
        """Resets the engine, loads a key into slot 0 and starts the rings."""
        cocotb.start_soon(Clock(self.dut.aclk, 10, "ns").start())
        self.dut.zeroize.value = self.dut.aresetn.value = 0
        for _ in range(3):
            await RisingEdge(self.dut.aclk)
        self.dut.aresetn.value = 1
        while not int(self.dut.ready.value):
            await RisingEdge(self.dut.aclk)
        for name, data in {
            "CTRL": bytes([DONE, 0, 0, 0]),
            "METD": bytes(20),
            "AUX_OFFSET": bytes(32),
            "MEK": KEY,
        }.items():
            await self.buses["KEY"].write(KEY_MAP.offset(name), data)
        await self.set("KEY", "CTRL", started(KeyCommand.LOAD))
        await self.set("DMA", "WINDOW_BASE_LO", 3)
        await self.set("DMA", "WINDOW_LAST_LO", SIZE - 1)
        for name, value in {"RING": 5, "SUBMISSION_LO": RINGS, "COMPLETION_LO": 2 * RINGS, "CONTROL": 1}.items():
            await self.set("DMA", name, value)
        for _ in range(100):
            await RisingEdge(self.dut.aclk)


async def play(dut, seed):
    """Jobs of random sizes at random places: each target is that of the specification, and nothing else has changed."""
    machine, rng = Machine(dut, seed), random.Random(seed)
    ram, expected = machine.ram, bytearray(SIZE)
    await machine.started()
    at, jobs = 0x10000, []
    for number in range(JOBS):
        units = rng.choice((1, 1, 3))
        job = Job(0, 0, rng.choice((rng.randint(16, 300), 4096)) if units == 1 else 64, units, cookie=number)
        job.tweak, job.decrypt = rng.getrandbits(64), rng.random() < 0.5
        given, rounded = rng.randbytes(job.size), -(-job.size // 16) * 16
        job.source = at + 16 * rng.randrange(256)
        job.target = job.source if rng.random() < 0.3 else job.source + rounded + 16 * rng.randrange(64)
        at = job.target + rounded
        expected[job.source : job.source + job.size] = given
        ram.write(job.source, given)
        way = XTS(KEY).decrypt if job.decrypt else XTS(KEY).encrypt
        for unit in range(units):
            part = given[unit * job.bytes : (unit + 1) * job.bytes]
            right = way((job.tweak + unit * job.step).to_bytes(16, "little"), part)
            expected[job.target + unit * job.bytes : job.target + unit * job.bytes + len(right)] = right
        ram.write(RINGS + 64 * number, job.encoded())
        jobs.append(job)
    await machine.set("DMA", "DOORBELL", JOBS)
    for job in jobs:
        for _ in range(20_000):
            found = Completion.of(ram.read(2 * RINGS + 16 * job.cookie, 16))
            if found.phase:
                break
            await RisingEdge(dut.aclk)
        assert (found.cookie, found.units, found.status) == (job.cookie, job.units, JobStatus.OK)
    assert ram.read(0x10000, SIZE - 0x10000) == bytes(expected[0x10000:])


@cocotb.test()
async def jobs_beside_a_memory(dut):
    await play(dut, SEEDS[0])


@cocotb.test()
async def further_jobs_beside_a_memory(dut):
    await play(dut, SEEDS[1])
