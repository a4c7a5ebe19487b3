# SPDX-License-Identifier: Apache-2.0
"""Runs inside the simulator: rules of OCP L.O.C.K.'s key registers, by a bus master that others wrote.

The cases are those of the unit tests of Caliptra's emulator of an encryption engine (chipsalliance/caliptra-sw,
sw-emulator), written anew for slots: an entry is a slot, a full cache is a slot that does not exist. An engine fails
for good when its self-test does, which is started where the emulator sets a flag; :data:`WRONG` says that it does, and
:data:`PRESET` whose engine it is.
"""

import os
import random
from dataclasses import replace

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

from wideblock.catalog.hardware import engines
from wideblock.export.contract import contract
from wideblock.rtl.bus.key_map import KEY_MAP

WRONG, PRESET, BUS_CLOCK = "WIDEBLOCK_WRONG_ANSWERS", "WIDEBLOCK_PRESET", "WIDEBLOCK_BUS_CLOCK"
CORE_CLOCK = 10
"""Period in nanoseconds; :data:`BUS_CLOCK` has another one for the buses, where these have a clock of their own."""
PRESETS = {
    "xts-enc-k": {"sector_bytes": 32, "key_bits": 128},
    "fast-brw-2s-k": {"sector_bytes": 128},
    "hctr2-2s-k": {"sector_bytes": 400},
}
SLOTS = 8
LOAD, UNLOAD, ZEROIZE, NONE = 1, 2, 3, 15
EXE, DONE, RDY = 1, 2, 1 << 31
NO_SLOT, NOT_LOADED, LOADED, INVALID = 4, 5, 6, 1
MEK = random.Random("a key").randbytes(64)


def engine(preset, wrong, own_clock=False):
    """An engine of eight slots; with ``wrong`` answers its self-test fails, and runs when it is asked to."""
    real, starts = engines.TestAnswer, engines.engine
    try:
        if wrong:
            engines.TestAnswer = lambda tweak, text, way, right: real(tweak, text, way, bytes(len(right)))
            engines.engine = lambda scheme, core: starts(scheme, core, power_up=False)
        changes = PRESETS[preset] | {"slots": SLOTS, "sbox": "composite", "registers": "axi4-lite"}
        changes |= {"bus_clock": "own"} if own_clock else {}
        return replace(contract(preset, changes), called="wrong_answers" if wrong else "right_answers")
    finally:
        engines.TestAnswer, engines.engine = real, starts


fails = os.environ.get(WRONG) == "1"
period = float(os.environ.get(BUS_CLOCK, 0))
core = engine(os.environ.get(PRESET, next(iter(PRESETS))), fails, own_clock=period > 0)


class Engine:
    """The buses of an engine after reset, and what firmware does with them."""

    def __init__(self, dut):
        clock = dut.s_axi_aclk if period else dut.aclk
        ends = {"clock": clock, "reset": dut.aresetn, "reset_active_level": False}
        self.dut = dut
        self.keys = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi_key"), **ends)
        self.all = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), **ends)
        self.map = next(each for each in core.registers if each.name == "ENGINE")

    @classmethod
    async def of(cls, dut, seed=0):
        """Resets the engine, and waits until it is ready; channels pause at random."""
        cocotb.start_soon(Clock(dut.aclk, CORE_CLOCK, "ns").start())
        if period:
            cocotb.start_soon(Clock(dut.s_axi_aclk, period, "ns").start())
        for port in (dut.zeroize, dut.s_axis_tvalid, dut.m_axis_tready, dut.aresetn):
            port.value = 0
        it = cls(dut)
        for number, master in enumerate((it.keys, it.all)):
            channels = (
                master.write_if.aw_channel,
                master.write_if.w_channel,
                master.write_if.b_channel,
                master.read_if.ar_channel,
                master.read_if.r_channel,
            )
            for place, channel in enumerate(channels):
                channel.set_pause_generator(pauses(f"{seed} {number} {place}"))
        for _ in range(3):
            await RisingEdge(dut.aclk)
        dut.aresetn.value = 1
        for _ in range(core.timing.zeroize + (0 if fails else core.timing.selftest)):
            await RisingEdge(dut.aclk)
        return it

    async def ctrl(self):
        return await self.keys.read_dword(KEY_MAP.offset("CTRL"))

    async def entry(self, slot):
        await self.keys.write(KEY_MAP.offset("MEK"), MEK)
        await self.keys.write(KEY_MAP.offset("METD"), slot.to_bytes(20, "little"))
        await self.keys.write(KEY_MAP.offset("AUX_OFFSET"), bytes(32))

    async def execute(self, command):
        """Starts a command, if the engine is ready."""
        if not await self.ctrl() & RDY:
            return False
        await self.keys.write_dword(KEY_MAP.offset("CTRL"), command << 2 | EXE)
        return True

    async def done(self):
        """Waits for DONE; whether the engine is still ready."""
        while (word := await self.ctrl()) & (DONE | RDY) == RDY:
            pass
        return bool(word & RDY)

    async def clear(self):
        await self.keys.write_dword(KEY_MAP.offset("CTRL"), await self.ctrl() | DONE)

    async def run(self, command, error=0):
        """A command from start to the clear of DONE, with CTRL as the rules have it after each."""
        assert await self.execute(command) and await self.done()
        assert await self.ctrl() == RDY | DONE | command << 2 | error << 16
        await self.clear()
        assert await self.ctrl() == RDY

    async def loaded(self):
        """The slots that have keys."""
        found = set()
        for slot in range(SLOTS):
            await self.all.write_dword(self.map.offset("SLOT_SELECT"), slot)
            if await self.all.read_dword(self.map.offset("SLOT_STATE")) & 1:
                found.add(slot)
        return found

    async def fail(self):
        """Starts the self-test, which ends the engine where its answers are wrong."""
        await self.all.write_dword(self.map.offset("SELFTEST"), 1)


def case(runs):
    """A test of the simulator's process, of the engine of this process alone."""
    return cocotb.test() if runs else lambda function: function


def pauses(seed):
    rng = random.Random(seed)
    while True:
        yield rng.random() < 0.3


@case(not fails)
async def initialization(dut):
    it = await Engine.of(dut, 1)
    assert await it.ctrl() == RDY


@case(not fails)
async def a_key_that_was_written_is_not_read(dut):
    it = await Engine.of(dut, 2)
    await it.entry(3)
    assert bytes((await it.keys.read(0, 64)).data) == bytes(64)


@case(not fails)
async def load(dut):
    it = await Engine.of(dut, 3)
    await it.entry(3)
    await it.run(LOAD)
    assert await it.loaded() == {3}


@case(not fails)
async def load_of_an_entry_that_is_there(dut):
    it = await Engine.of(dut, 4)
    await it.entry(3)
    await it.run(LOAD)
    await it.entry(3)
    await it.run(LOAD, LOADED)
    assert await it.loaded() == {3}


@case(not fails)
async def unload(dut):
    it = await Engine.of(dut, 5)
    for slot in (3, 0):
        await it.entry(slot)
        await it.run(LOAD)
    assert await it.loaded() == {0, 3}
    await it.entry(3)
    await it.run(UNLOAD)
    assert await it.loaded() == {0}


@case(not fails)
async def unload_of_an_entry_that_is_not_there(dut):
    it = await Engine.of(dut, 6)
    await it.entry(3)
    await it.run(LOAD)
    await it.entry(0)
    await it.run(UNLOAD, NOT_LOADED)
    assert await it.loaded() == {3}


@case(not fails)
async def zeroize(dut):
    it = await Engine.of(dut, 7)
    for slot in (3, 0):
        await it.entry(slot)
        await it.run(LOAD)
    assert await it.execute(ZEROIZE)
    for _ in range(core.timing.zeroize + 20):
        await RisingEdge(dut.aclk)
    assert await it.ctrl() == RDY | DONE | ZEROIZE << 2
    await it.clear()
    assert await it.ctrl() == RDY and await it.loaded() == set()


@case(not fails)
async def more_entries_than_there_is_room_for(dut):
    it = await Engine.of(dut, 8)
    for slot in range(SLOTS):
        await it.entry(slot)
        await it.run(LOAD)
    assert await it.loaded() == set(range(SLOTS))
    await it.entry(SLOTS)
    await it.run(LOAD, NO_SLOT)
    assert await it.loaded() == set(range(SLOTS))


@case(not fails)
async def no_such_command(dut):
    it = await Engine.of(dut, 9)
    await it.entry(3)
    await it.run(NONE, INVALID)


@case(not fails)
async def a_command_before_done_is_cleared(dut):
    it = await Engine.of(dut, 10)
    await it.entry(3)
    assert await it.execute(LOAD) and await it.done()
    assert await it.execute(ZEROIZE) and await it.done()
    assert await it.loaded() == {3}
    assert await it.ctrl() == RDY | DONE | LOAD << 2


@case(fails)
async def a_fatal_error_before_a_command(dut):
    it = await Engine.of(dut, 11)
    await it.fail()
    for _ in range(core.timing.selftest):
        await RisingEdge(dut.aclk)
    assert not await it.ctrl() & RDY and not await it.execute(LOAD)


@case(fails)
async def a_fatal_error_before_done_is_cleared(dut):
    it = await Engine.of(dut, 12)
    await it.entry(3)
    assert await it.execute(LOAD) and await it.done()
    await it.fail()
    for _ in range(core.timing.selftest):
        await RisingEdge(dut.aclk)
    await it.clear()
    assert not await it.ctrl() & RDY and not await it.execute(LOAD)
