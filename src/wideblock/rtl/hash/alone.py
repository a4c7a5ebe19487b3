# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""psi_h = h BRW_h or h Poly_h of a fixed number of blocks, alone: the papers' hBRW and hPoly."""

from amaranth import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.pipeline import Timing

from .products import Block, HashEvent, psi_products
from .program import Arrival, Program, schedule
from .unit import HashUnit

__all__ = ["Psi"]

DIGEST_DONE = HashEvent("digest", "psi of the message")


class Psi(wiring.Component):
    """``o`` is psi of ``blocks`` blocks; two blocks a beat for ``"brw"``, a block a beat for ``"horner"``.

    order:   order of the blocks in BRW: ``"natural"``, or ``"paper"``, a different function without bubble and window
    squares: source of the powers of h, see :class:`HashUnit`
    ``h`` is taken between two messages; ``setup`` cycles later the next message can begin.

    Timing: ``timing``: first beat taken to the digest, and message to message.
    Cost:   a multiplier, an operand's tables, memories of a few rows for accumulators and powers.
    Bytes:  byte 0 of a block is bits 7..0 and holds the coefficients of x^0 to x^7; block 0 of a beat in the low bits.
    Source: IEEE TC 62(2), 2013, section 3, figures 7 and 8, and section 4.5.
    """

    def __init__(
        self,
        blocks: int,
        *,
        hash: str = "brw",
        order: str = "natural",
        stages: int = 3,
        squares: str = "stored",
        leaf: int = 4,
    ):
        if blocks < 2:
            raise ValueError(f"psi alone is for 2 blocks or more, got {blocks}")
        width = 1 if hash == "horner" else 2
        self.width, self.blocks = width, blocks
        self.program = self._program(blocks, hash, order, stages, width)
        self.unit = HashUnit({"psi": self.program}, width=width, leaf=leaf, squares=squares)
        latency = self.program.done(DIGEST_DONE)
        self.timing = Timing(latency=latency, interval=latency)
        self.setup = self.unit.setup
        super().__init__(
            {
                "i": In(stream.Signature(data.ArrayLayout(128, width))),
                "h": In(stream.Signature(128)),
                "o": Out(stream.Signature(128, always_ready=True)),
            }
        )

    def _program(self, blocks: int, hash: str, order: str, stages: int, width: int) -> Program:
        X: list[Block] = list(range(blocks))
        beats = -(-blocks // width)
        return schedule(
            psi_products(X, DIGEST_DONE, hash=hash, order=order, decimation=stages),
            [Arrival(b, b // width, b % width) for b in range(blocks)],
            latency=stages,
            multipliers=1,
            beats=beats,
            steps=beats,
            prompt=True,
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.unit = unit = self.unit
        psi, done = unit.hash_pass("psi"), unit.event(DIGEST_DONE)
        loaded = Signal()  # h is there
        busy = Signal()  # a message is whole and not yet hashed
        m.d.comb += [
            unit.blocks.eq(self.i.payload),
            psi.beat.eq(self.i.valid & self.i.ready),
            self.i.ready.eq(loaded & psi.ready & (~busy | done)),
            self.h.ready.eq(psi.first & ~busy & ~psi.beat),
            unit.load.eq(self.h.valid & self.h.ready),
            unit.tau.eq(self.h.payload),
            self.o.valid.eq(done),
            self.o.payload.eq(unit.result(DIGEST_DONE)),
        ]
        with m.If(unit.load):
            m.d.sync += loaded.eq(0)
        with m.Elif(unit.loaded):
            m.d.sync += loaded.eq(1)
        with m.If(psi.last):
            m.d.sync += busy.eq(1)
        with m.Elif(done):
            m.d.sync += busy.eq(0)
        return m
