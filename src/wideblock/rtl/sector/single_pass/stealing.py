# SPDX-License-Identifier: Apache-2.0
"""Ciphertext stealing: how a unit that ends in part of a block goes into the pipelines, and what becomes of it after.

The last whole block goes into its pipeline a cycle before the rest of its unit and is held when it comes out. Its end
completes the part, which follows it into the first pipeline. Its result takes the place of the last whole
block, and the beginning of the held block that of the part.
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bytes import chosen
from wideblock.rtl.stream.stages import blocks, select

__all__ = ["StealingControl", "StealingData"]


class StealingControl(wiring.Component):
    """The action of the present beat: none, into the pipelines as it is, or one of the three steps of stealing.

    A beat is ``present``, the ``last`` of its unit or not, ``end`` the number of its last byte; the ``next_`` beat is
    behind it. It moves if its masks are there (``masked``), its result has a place (``room``), and no tweak takes the
    pipelines (``free``).

    go:       the beat goes in; with ``hold`` only its last whole block counts, and it stays, or the beat after it does
    complete: the completed block goes in; ``held`` has said that the last whole block came out
    finish:   the part's place in the stream; where it is beside the last whole block (``together``) it has none
    pop:      the beat is done with         unit_end: its unit is, too
    lane:     of the last whole block, from ``hold`` on; ``holding`` is the same in the cycle of ``hold``
    whole:    whole blocks in a beat that ends in part of one

    ``stealing`` tells that a unit is between ``hold`` and ``finish``, ``rest`` that it is behind ``complete``.

    Cost:  four flags and a lane's number.
    Paths: inputs to outputs, but for ``held``.
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
    """The blocks that stealing moves: the completed one on its way in, and the unit's end on its way out.

    In:  ``first`` goes into the first pipeline: bytes ``own`` of block ``part`` of the present beat, and the other ones
         of the held block ``lane``.
    Out: ``beat`` is what leaves for the results ``y``. ``y_held`` comes with them. The others come a cycle before them:
         ``y_completed`` or ``y_rest`` or none of these, ``y_lane`` and ``y_together`` of the unit as in
         :class:`StealingControl`, and ``y_keep``, the bytes that leave; others are zero. All are a cycle after
         ``clear``.

    Cost:  ``width`` registers of 128 bits, for the results that are held; ``18 width`` for the choice of bytes.
    Paths: inputs to outputs, but for those that come a cycle before.
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
        """The beat that leaves. The origin of its blocks and the number of its bytes come from registers."""
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
    """Bits of a lane's number, one also where there is one lane only, and of the number of a byte in a beat."""
    return max(1, width.bit_length() - 1), (16 * width - 1).bit_length()
