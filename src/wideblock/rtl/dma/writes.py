# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Bursts that write: units, block by block, and completions between two bursts."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, Signature

from wideblock.rtl.bus.axi4 import axi4_channels

from .queue import ClearedQueue
from .reads import ATTRIBUTES, address_payload
from .sizes import BLOCK_ADDRESS_BITS, BLOCK_BITS, BLOCK_BYTES, DmaSizes

__all__ = ["WriteMaster", "completion_write", "responses", "unit_writes"]


def unit_writes(sizes: DmaSizes) -> Signature:
    """Bursts of units.

    open:   in, a burst may begin
    begin:  out, a burst of ``beats`` from block ``at`` for job ``job`` begins, with its first beat; ``ends``: it is the
            unit's last
    within: in, the burst has more beats; ``more``: in, the next one may be put
    put:    out, a beat: ``block``, of which bytes ``keep`` are written
    void:   out, the rest of the burst writes nothing; the beats are made here
    """
    return Signature(
        {
            **dict.fromkeys(("open", "within", "more"), In(1)),
            **dict.fromkeys(("begin", "ends", "put", "void"), Out(1)),
            "at": Out(BLOCK_ADDRESS_BITS),
            "beats": Out(range(sizes.burst + 1)),
            "job": Out(sizes.job_bits),
            "block": Out(BLOCK_BITS),
            "keep": Out(BLOCK_BYTES),
        }
    )


def completion_write() -> Signature:
    """A completion: while ``request``, ``block`` for block ``at``; ``accept``: in, its burst begins.

    fails: out, the job has ended with an error
    """
    block = {"at": Out(BLOCK_ADDRESS_BITS), "block": Out(BLOCK_BITS)}
    return Signature({**dict.fromkeys(("request", "fails"), Out(1)), **block, "accept": In(1)})


def responses(sizes: DmaSizes) -> Signature:
    """Responses in the order of the bursts: pulses of ``unit`` or ``completion``.

    error:   out, the bus has refused the burst
    ends:    out, the burst was the last of its unit, or the completion that of a job with an error
    job, at: out, job and first block of a burst of a unit
    """
    names = dict.fromkeys(("unit", "completion", "error", "ends"), Out(1))
    return Signature({**names, "job": Out(sizes.job_bits), "at": Out(BLOCK_ADDRESS_BITS)})


class WriteMaster(wiring.Component):
    """Begins bursts, completions first.

    aw, w, b:    out, channels of the bus; each response is accepted at once
    units:       in, bursts of units
    completions: in, completions
    responses:   out, responses
    attributes:  in, attributes of the bursts
    run:         in, bursts may begin
    idle:        out, no burst is under way

    Address and first beat of a burst are valid in the same cycle. ``w`` has 0 while it is not valid.

    Paths: none between ``aw``, ``w`` and ``b``; from the readiness of ``w`` to ``units``.
    """

    def __init__(self, sizes: DmaSizes, *, clear_row_bits: int):
        self.sizes = sizes
        channels = {channel.name.rpartition("_")[2]: channel for channel in axi4_channels("m", BLOCK_BITS)}
        row = {"completion": 1, "ends": 1, "job": sizes.job_bits, "at": BLOCK_ADDRESS_BITS}
        self.order = ClearedQueue(data.StructLayout(row), depth=sizes.writes, clear_row_bits=clear_row_bits)
        super().__init__(
            {
                "aw": Out(stream.Signature(channels["aw"].shape)),
                "w": Out(stream.Signature(channels["w"].shape)),
                "b": In(stream.Signature(channels["b"].shape)),
                "units": In(unit_writes(sizes)),
                "completions": In(completion_write()),
                "responses": Out(responses(sizes)),
                "attributes": In(ATTRIBUTES),
                "run": In(1),
                "idle": Out(1),
                "clear": In(1),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.order = order = self.order
        owed = Signal(range(self.sizes.burst + 1), name="beats_owed")
        free = Signal()  # a burst can begin
        place = Signal()  # a beat can be put
        units, completions = self.units, self.completions
        m.d.comb += [
            place.eq(~self.w.valid | self.w.ready),
            free.eq(self.run & (owed == 0) & place & (~self.aw.valid | self.aw.ready) & ~order.full),
            completions.accept.eq(free & completions.request),
            units.open.eq(free & ~completions.request),
            units.within.eq(owed != 0),
            units.more.eq((owed != 0) & place),
            order.put.eq(completions.accept | units.begin),
            order.new.completion.eq(completions.accept),
            order.new.ends.eq(Mux(completions.accept, completions.fails, units.ends)),
            order.new.job.eq(units.job),
            order.new.at.eq(Mux(completions.accept, completions.at, units.at)),
            order.clear.eq(self.clear),
            order.clear_row.eq(self.clear_row),
            self.idle.eq(~self.aw.valid & ~self.w.valid & (owed == 0) & ~order.valid),
        ]
        with m.If(self.aw.ready):
            m.d.sync += self.aw.valid.eq(0)
        with m.If(order.put):
            beats = Mux(completions.accept, 1, units.beats)
            m.d.sync += self.aw.valid.eq(1)
            m.d.sync += address_payload(self.aw.payload, order.new.at, beats, self.attributes)
        self._beats(m, owed, place)
        self._responses(m)
        return m

    def _beats(self, m: Module, owed: Signal, place: Signal) -> None:
        """Beats of the burst that has begun."""
        units, completions, w = self.units, self.completions, self.w
        filler = Signal()
        m.d.comb += filler.eq((owed != 0) & place & (units.void | ~self.run))
        with m.If(self.w.ready):
            m.d.sync += [w.valid.eq(0), w.payload.eq(0)]
        with m.If(units.put):
            m.d.sync += [w.valid.eq(1), w.payload.data.eq(units.block), w.payload.strb.eq(units.keep)]
            m.d.sync += w.payload.last.eq(Mux(units.begin, units.beats, owed) == 1)
            m.d.sync += owed.eq(Mux(units.begin, units.beats, owed) - 1)
        with m.If(filler):
            m.d.sync += [w.valid.eq(1), w.payload.eq(0), w.payload.last.eq(owed == 1), owed.eq(owed - 1)]
        with m.If(completions.accept):
            m.d.sync += [w.valid.eq(1), w.payload.data.eq(completions.block), w.payload.strb.eq(-1)]
            m.d.sync += w.payload.last.eq(1)

    def _responses(self, m: Module) -> None:
        """Responses to the bursts, the oldest first."""
        order, out = self.order, self.responses
        answered = Signal()
        m.d.comb += [
            self.b.ready.eq(1),
            answered.eq(self.b.valid & order.valid),
            order.take.eq(answered),
            out.unit.eq(answered & ~order.head.completion),
            out.completion.eq(answered & order.head.completion),
            out.error.eq(self.b.payload.resp[1]),
            out.ends.eq(order.head.ends),
            out.job.eq(order.head.job),
            out.at.eq(order.head.at),
        ]
