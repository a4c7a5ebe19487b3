# SPDX-License-Identifier: Apache-2.0
"""Ciphertext stealing: order of a unit with a partial last block into the pipelines, and out of the pipelines.

The last whole block goes into a pipeline a cycle before the rest of the unit, and the result is held. The end of the
held result completes the partial block, which follows into the first pipeline. The result of the completed block takes
the place of the last whole block; the beginning of the held result takes the place of the partial block.
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bytes import chosen
from wideblock.rtl.stream.stages import blocks, select

__all__ = ["StealingControl", "StealingData"]


class StealingControl(wiring.Component):
    """The action of the present beat: none, into the pipelines, or a step of three steps of stealing.

    present:  in, a beat is present; ``last``: the unit's last beat; ``end``: number of the last byte; ``next_``: the
              next beat
    masked:   in, the masks are ready; ``room``: the result has a place; ``free``: no tweak takes the pipelines. A beat
              moves only with all three
    held:     in, the last whole block came out
    go:       out, the beat goes in; with ``hold`` only the last whole block counts, and the beat, or the next, stays
    complete: out, the completed block goes in
    finish:   out, place of the partial block in the stream; none if beside the last whole block (``together``)
    pop:      out, the beat is done         unit_end: out, the unit is done
    lane:     out, lane of the last whole block, from ``hold`` on; ``holding``: the lane in the cycle of ``hold``
    whole:    out, whole blocks in a beat with a partial block
    stealing: out, a unit is between ``hold`` and ``finish``; ``rest``: out, the unit is behind ``complete``

    Cost:  four flags and a lane's number.
    Paths: inputs to outputs; none from ``held``.
    """

    def __init__(self, *, width: int):
        self.width = width
        lane_bits, end_bits = _number_bits(width)
        flags = ("go", "hold", "complete", "finish", "together", "pop", "unit_end", "stealing", "rest")
        super().__init__(
            {
                **dict.fromkeys(("present", "last", "next_present", "next_last"), In(1)),
                **dict.fromkeys(("end", "next_end"), In(end_bits)),
                **dict.fromkeys(("masked", "room", "free", "held", "clear"), In(1)),
                **dict.fromkeys(flags, Out(1)),
                **dict.fromkeys(("lane", "holding", "whole"), Out(lane_bits)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        result_held = Signal()
        ends_here = Signal()
        ends_next = Signal()
        m.d.comb += [
            self.whole.eq(self.end[4:]),
            ends_here.eq(self.last & (self.end[:4] != 15) & (self.whole != 0)),
            ends_next.eq(~self.last & self.next_last & (self.next_end[:4] != 15) & (self.next_end[4:] == 0)),
            self.go.eq(
                self.present & self.masked & ~self.stealing & (self.last | self.next_present) & self.room & self.free
            ),
            self.hold.eq(self.go & (ends_here | ends_next)),
            self.holding.eq(Mux(ends_here, self.whole - 1, self.width - 1)),
            self.complete.eq(result_held & self.present & self.free),
            self.finish.eq(self.rest & (self.room | self.together)),
            self.unit_end.eq((self.go & ~self.hold & self.last) | self.finish),
            self.pop.eq((self.go & ~(self.hold & ends_here)) | self.finish),
        ]
        m.d.sync += [
            self.stealing.eq((self.stealing | self.hold) & ~self.finish),
            self.rest.eq((self.rest | self.complete) & ~self.finish),
            result_held.eq((result_held & ~self.complete) | self.held),
        ]
        with m.If(self.hold):
            m.d.sync += [self.together.eq(ends_here), self.lane.eq(self.holding)]
        with m.If(self.clear):
            m.d.sync += [s.eq(0) for s in (self.stealing, self.rest, self.together, self.lane, result_held)]
        return m


class StealingData(wiring.Component):
    """The blocks of stealing: the completed block on the way in, and the unit's end on the way out.

    In:  ``first`` goes into the first pipeline: bytes ``own`` of block ``part`` of the present beat, all other bytes of
         the held block ``lane``.
    Out: ``beat`` leaves, made of the results ``y``. ``y_held`` comes with the results. A cycle before the results come
         ``y_completed``, ``y_rest`` or neither, ``y_lane`` and ``y_together`` of the unit as in
         :class:`StealingControl`, and ``y_keep``, the leaving bytes; all other bytes are zero. A cycle after ``clear``,
         all bytes are zero.

    Cost:  ``width`` registers of 128 bits, for held results; ``18 width`` for the choice of bytes.
    Paths: inputs to outputs; none from inputs that come a cycle before.
    """

    def __init__(self, *, width: int):
        self.width = width
        size = 128 * width
        lane_bits, _ = _number_bits(width)
        super().__init__(
            {
                "blocks": In(size),
                **dict.fromkeys(("lane", "part"), In(lane_bits)),
                "own": In(16),
                "first": Out(128),
                "y": In(size),
                **dict.fromkeys(("y_held", "y_completed", "y_rest", "y_together"), In(1)),
                "y_lane": In(lane_bits),
                "y_keep": In(16 * width),
                "beat": Out(size),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        w = self.width
        y = blocks(self.y, w)
        held = [Signal(128, name=f"held{k}") for k in range(w)]
        for register, block in zip(held, y, strict=True):
            with m.If(self.y_held):
                m.d.sync += register.eq(block)
            with m.If(self.clear):
                m.d.sync += register.eq(0)

        stolen = Signal(128)
        part = Signal(128)
        m.d.comb += [
            stolen.eq(select(held, self.lane)),
            part.eq(select(blocks(self.blocks, w), self.part)),
            self.first.eq(chosen(self.own, part, stolen)),
            self.beat.eq(self._leaving(m, y, held)),
        ]
        return m

    def _leaving(self, m: Module, y: list[Value], held: list[Signal]) -> Value:
        """The leaving beat. Origin of blocks and number of bytes come from registers."""
        leaves = Signal(16 * self.width)
        from_held = Signal(self.width)
        from_other = Signal(self.width)  # of the block before it; where the results are new, of the completed block
        m.d.sync += leaves.eq(self.y_keep)
        for k in range(self.width):
            last_whole = self.y_lane == k
            if k == 0:
                m.d.sync += [
                    from_held[k].eq((self.y_completed & ~last_whole) | self.y_rest),
                    from_other[k].eq(self.y_rest),  # which begins the last block of those held
                ]
            else:
                part = self.y_together & (self.y_lane == k - 1)
                m.d.sync += [
                    from_held[k].eq(self.y_completed & ~last_whole),
                    from_other[k].eq(self.y_completed & (last_whole | part)),
                ]
        with m.If(self.clear):
            m.d.sync += [leaves.eq(0), from_held.eq(0), from_other.eq(0)]
        beat = [
            Mux(from_held[k], Mux(from_other[k], held[k - 1], held[k]), Mux(from_other[k], y[0], y[k]))
            for k in range(self.width)
        ]
        return chosen(leaves, Cat(beat), Const(0, 128 * self.width))


def _number_bits(width: int) -> tuple[int, int]:
    """Bits of a lane's number, at least 1, and of the number of a byte in a beat."""
    return max(1, width.bit_length() - 1), (16 * width - 1).bit_length()
