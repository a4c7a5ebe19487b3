# SPDX-License-Identifier: Apache-2.0
"""AXI4-Stream names for a sector core: the only place where they are spelled."""

from amaranth import Cat, ClockDomain, ClockSignal, Module, ResetSignal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["AxiStreamShell"]


class AxiStreamShell(wiring.Component):
    """``core`` behind the ports that users of Verilog expect, with ``aclk`` and the active-low reset ``aresetn``.

    ``s_axis_tuser`` is the tweak in bits 127..0 and decrypt in bit 128; cores for units that are not whole beats have
    ``s_axis_tkeep`` and ``m_axis_tkeep``. No registers, no logic.
    """

    def __init__(self, core):
        self.core, self.timing = core, core.timing
        beat = 128 * core.parameters.width
        self.keep = "keep" in core.o.payload.shape().members
        last = {"s_axis_tkeep": In(beat // 8), "m_axis_tkeep": Out(beat // 8)} if self.keep else {}
        super().__init__(
            {
                "aclk": In(1),
                "aresetn": In(1),
                "s_axis_tdata": In(beat),
                "s_axis_tuser": In(129),
                "s_axis_tvalid": In(1),
                "s_axis_tready": Out(1),
                "s_axis_tlast": In(1),
                "m_axis_tdata": Out(beat),
                "m_axis_tvalid": Out(1),
                "m_axis_tready": In(1),
                "m_axis_tlast": Out(1),
                **last,
                "s_axis_key_tdata": In(len(core.key.payload)),
                "s_axis_key_tvalid": In(1),
                "s_axis_key_tready": Out(1),
                "zeroize": In(1),
                "ready": Out(1),
                "fault": Out(len(core.fault)),
                "computed": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain("sync", local=True)
        m.submodules.core = core = self.core
        m.d.comb += [
            ClockSignal().eq(self.aclk),
            ResetSignal().eq(~self.aresetn),
            core.i.payload.data.eq(self.s_axis_tdata),
            Cat(core.i.payload.tweak, core.i.payload.decrypt).eq(self.s_axis_tuser),
            core.i.payload.last.eq(self.s_axis_tlast),
            core.i.valid.eq(self.s_axis_tvalid),
            self.s_axis_tready.eq(core.i.ready),
            self.m_axis_tdata.eq(core.o.payload.data),
            self.m_axis_tlast.eq(core.o.payload.last),
            self.m_axis_tvalid.eq(core.o.valid),
            core.o.ready.eq(self.m_axis_tready),
            core.key.payload.eq(self.s_axis_key_tdata),
            core.key.valid.eq(self.s_axis_key_tvalid),
            self.s_axis_key_tready.eq(core.key.ready),
            core.zeroize.eq(self.zeroize),
            self.ready.eq(core.ready),
            self.fault.eq(core.fault),
            self.computed.eq(core.computed),
        ]
        if self.keep:
            m.d.comb += [core.i.payload.keep.eq(self.s_axis_tkeep), self.m_axis_tkeep.eq(core.o.payload.keep)]
        return m
