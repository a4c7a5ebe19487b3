# SPDX-License-Identifier: Apache-2.0
"""AES a column a cycle with round keys made on the way: encryption for seldom calls, with four S-boxes."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.forms import ROUNDS
from wideblock.rtl.aes.planes import applied, from_planes, named, to_planes
from wideblock.rtl.aes.rounds import check_whole_keys, mix_columns_steps, shift_rows
from wideblock.rtl.aes.sbox import sub_bytes
from wideblock.rtl.aes.travelling import round_constant
from wideblock.rtl.pipeline import Timing

__all__ = ["WordSerialEncryption"]

STEPS = 6
"""Cycles of a round: five words through the S-boxes, that of the key schedule first, and the rest of the last one."""


class WordSerialEncryption(wiring.Component):
    """``o`` is AES of ``i`` under ``key``, one block at a time; ``key`` is taken with ``i``.

    ``o`` holds a result until the result is taken. From ``o.valid`` until the next block is taken, ``last`` are the
    last round keys, the very last lowest: as many bits as a key has. ``clear`` zeroes all registers at the next clock
    edge.

    Timing: latency and interval 1 + 6 * (rounds + 1): 67 for AES-128, 91 for AES-256.
    Cost:   four S-boxes, MixColumns of one column, ``key_bits`` + 192 registers.
    Paths:  ``o.ready`` to ``i.ready``.
    Bytes:  byte 0 of a block and of a key is bits 7..0.
    Source: FIPS 197, 5.1 and 5.2.
    Security: no masking; the cycle count does not depend on data or key.
    """

    def __init__(self, *, key_bits: int = 128, sbox: str = "lut"):
        check_whole_keys(key_bits, sbox)
        self.key_bits, self.sbox = key_bits, sbox
        self.rounds = ROUNDS[key_bits]
        cycles = 1 + STEPS * (self.rounds + 1)
        self.timing = Timing(latency=cycles, interval=cycles)
        super().__init__(
            {
                "key": In(key_bits),
                "i": In(stream.Signature(128)),
                "o": Out(stream.Signature(128)),
                "last": Out(key_bits),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        """Words of ``running`` are of the present round key and, with AES-256, of the next. Each column takes the first
        word, and a word of the key schedule goes behind. In the last rounds the first word goes behind unchanged.

        A register behind the S-boxes has the word of the step before: a path has the S-boxes or MixColumns.
        """
        m = Module()
        state = Signal(128)
        made = Signal(32)  # a word behind the S-boxes
        g = Signal(32)
        running = Signal(self.key_bits)
        step = Signal(range(STEPS))  # 0: the word of the key schedule; then a column each
        busy = Signal()
        constant = Signal(8, init=1)  # of the round key that is made: it counts the rounds
        turned = Signal(init=1)  # AES-256 turns the word and adds the constant for every other round key only
        made_all = round_constant(self.rounds * 128 // self.key_bits)
        first, kept = (named(m, name, constant == value) for name, value in (("first", 1), ("kept", made_all)))
        final = named(m, "final", kept & turned)
        ends = named(m, "ends", step == STEPS - 1)
        take = named(m, "take", self.i.valid & self.i.ready)
        scheduling = named(m, "scheduling", step == 0)
        m.d.comb += [
            self.i.ready.eq(~busy & (~self.o.valid | self.o.ready)),
            self.o.payload.eq(state),
            self.last.eq(Cat(running[at : at + 128] for at in reversed(range(0, self.key_bits, 128)))),
        ]
        column = named(m, "column", Mux(scheduling, running[-32:], state[:32]))
        through = named(m, "through", sub_bytes(m, column, self.sbox, "sb"))
        live = applied(m, {"s": to_planes(made)}, mix_columns_steps(), "mix")
        mixed = named(m, "mixed", Mux(first | final, made, from_planes(live["s"])))
        before = named(m, "before", Mux(step == 2, g, running[-32:]))
        word = named(m, "word", running[:32] ^ Mux(kept, 0, before))
        m.d.sync += made.eq(Mux(first & ~scheduling, column, through) & busy.replicate(32))
        with m.If(take):
            m.d.sync += [state.eq(self.i.payload), running.eq(self.key), busy.eq(1), self.o.valid.eq(0)]
        with m.Elif(busy & scheduling):
            m.d.sync += step.eq(1)
            with m.If(~first):
                m.d.sync += state.eq(from_planes(shift_rows(to_planes(state))))
        with m.Elif(busy):
            m.d.sync += [state.eq(Cat(state[32:], mixed ^ running[:32])), step.eq(Mux(ends, 0, step + 1))]
            with m.If(step == 1):
                m.d.sync += g.eq(Mux(turned, made.rotate_right(8) ^ constant, made))
            with m.Else():
                m.d.sync += running.eq(Cat(running[32:], word))
            with m.If(ends & final):
                m.d.sync += [busy.eq(0), self.o.valid.eq(1), constant.eq(1)]
            with m.Elif(ends):
                m.d.sync += constant.eq(Mux(turned, constant.rotate_left(1) ^ Mux(constant[7], 0x1A, 0), constant))
                if self.key_bits > 128:
                    m.d.sync += turned.eq(~turned)
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(self.clear):
            m.d.sync += [each.eq(0) for each in (state, running, made, g, step, busy, self.o.valid)]
            m.d.sync += [constant.eq(1), turned.eq(1)]
        return m
