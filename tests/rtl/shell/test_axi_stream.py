# SPDX-License-Identifier: Apache-2.0
"""The shell of a sector core: AXI4-Stream names, widths and directions, and wires straight to the core."""

import pytest
from amaranth import Module
from amaranth.hdl import Shape
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.sector.parameters import HashedParameters
from wideblock.rtl.shell.axi_stream import AxiStreamShell
from wideblock.rtl.stream.entrance import FAULTS
from wideblock.rtl.stream.sector import sector_interface
from wideblock.rtl.tes.fast import Fast

from ..simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")


@pytest.mark.parametrize("key_bits", [128, 256])
@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_ports(width, key_bits):
    """Source: AMBA AXI4-Stream, 2.1; beats are whole bytes."""
    core = Fast(HashedParameters(hash="horner", width=width, lanes=1, key_bits=key_bits))
    shell = AxiStreamShell(core)
    ports = {name: (member.flow, Shape.cast(member.shape).width) for name, member in shell.signature.members.items()}
    assert ports == {
        "aclk": (In, 1),
        "aresetn": (In, 1),
        "s_axis_tdata": (In, 128 * width),
        "s_axis_tuser": (In, 129),
        "s_axis_tvalid": (In, 1),
        "s_axis_tready": (Out, 1),
        "s_axis_tlast": (In, 1),
        "m_axis_tdata": (Out, 128 * width),
        "m_axis_tvalid": (Out, 1),
        "m_axis_tready": (In, 1),
        "m_axis_tlast": (Out, 1),
        "s_axis_key_tdata": (In, key_bits),
        "s_axis_key_tvalid": (In, 1),
        "s_axis_key_tready": (Out, 1),
        "zeroize": (In, 1),
        "ready": (Out, 1),
        "fault": (Out, 2),
        "computed": (Out, 1),
    }
    assert shell.timing is core.timing


class Wires(wiring.Component):
    """Ports of a sector core and nothing behind them: the test plays the core."""

    def __init__(self):
        self.interface, self.timing = sector_interface(2, 128, FAULTS), None
        super().__init__(self.interface.members())

    def elaborate(self, platform):
        return Module()


def test_wires():
    """Each port of the shell is the core's, bit for bit; ``tuser`` is the tweak with decrypt above it."""
    core = Wires()
    shell = AxiStreamShell(core)
    tweak, data, key = 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100, (0xA5 << 248) | 0x5A, (1 << 127) | 3

    async def play(ctx):
        for bit in (1, 0):
            ctx.set(shell.s_axis_tdata, data)
            ctx.set(shell.s_axis_tuser, bit << 128 | tweak)
            for port in ("s_axis_tvalid", "s_axis_tlast", "m_axis_tready", "s_axis_key_tvalid", "zeroize"):
                ctx.set(getattr(shell, port), bit)
            ctx.set(shell.s_axis_key_tdata, key)
            ctx.set(core.i.ready, bit)
            ctx.set(core.o.valid, bit)
            ctx.set(core.o.payload.data, data)
            ctx.set(core.o.payload.last, bit)
            ctx.set(core.key.ready, bit)
            ctx.set(core.ready, bit)
            ctx.set(core.fault, 2)
            ctx.set(core.computed, bit)
            await ctx.delay(1e-9)
            assert ctx.get(core.i.payload.data) == ctx.get(shell.m_axis_tdata) == data
            assert (ctx.get(core.i.payload.tweak), ctx.get(core.i.payload.decrypt)) == (tweak, bit)
            assert ctx.get(core.key.payload) == key and ctx.get(shell.fault) == 2
            for wire in (
                core.i.valid,
                core.i.payload.last,
                core.o.ready,
                core.key.valid,
                core.zeroize,
                shell.s_axis_tready,
                shell.m_axis_tvalid,
                shell.m_axis_tlast,
                shell.s_axis_key_tready,
                shell.ready,
                shell.computed,
            ):
                assert ctx.get(wire) == bit

    simulator = Simulator(shell)
    simulator.add_testbench(play)
    simulator.run()
