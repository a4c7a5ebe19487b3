# SPDX-License-Identifier: Apache-2.0
"""AES a round a cycle with its round keys made on the way: encryption, one block at a time."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.forms import ROUNDS
from wideblock.rtl.aes.planes import applied, from_planes, named, to_planes
from wideblock.rtl.aes.rounds import check_whole_keys, mix_columns_steps, shift_rows
from wideblock.rtl.aes.sbox import sub_bytes
from wideblock.rtl.aes.travelling import round_constant
from wideblock.rtl.pipeline import Timing

__all__ = ["OnTheFlyEncryption"]


class OnTheFlyEncryption(wiring.Component):
    """``o`` is AES of ``i`` under the last ``key`` taken, one block at a time.

    ``o`` holds its block until it is taken; the next block can be taken in that same cycle. A key can be taken in any
    cycle, for the blocks taken later; a block inside, or taken in the cycle of the key, keeps the old key. ``drop``
    forgets the block inside; ``clear`` zeroes the key, every round key and the block, at the next clock edge.

    Each round makes the round key of the next round; the last round sets the register back to the key.

    Timing: latency 1 + rounds (11 for AES-128, 15 for AES-256), a block in each of these times; ``key_latency`` from a
            key taken to the first block under the key.
    Cost:   20 S-boxes, 128 registers for the block and two times ``key_bits`` for keys; no multiplexer over round keys.
    Paths:  ``o.ready`` to ``i.ready``.
    Bytes:  byte 0 of a block and of a key is bits 7..0.
    Source: FIPS 197, 5.1 and 5.2.
    Security: no masking; the cycle count does not depend on data or key.
    """

    key_latency = 2  # the key is stored; it becomes the first round key

    def __init__(self, *, key_bits: int = 128, sbox: str = "lut"):
        check_whole_keys(key_bits, sbox)
        self.key_bits, self.sbox = key_bits, sbox
        self.rounds = ROUNDS[key_bits]
        self.timing = Timing(latency=1 + self.rounds, interval=1 + self.rounds)
        super().__init__(
            {
                "key": In(stream.Signature(key_bits, always_ready=True)),
                "i": In(stream.Signature(128)),
                "o": Out(stream.Signature(128)),
                "drop": In(1),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        state = Signal(128, reset_less=True)
        busy = Signal()  # rounds are left
        fresh = Signal()  # the round key is not yet the key: that was stored, or its block dropped, in the cycle before
        take = named(m, "take", self.i.valid & self.i.ready)
        step = named(m, "step", take | busy)
        round_key, last = self._round_keys(m, step, busy)
        m.d.comb += [
            self.i.ready.eq(~busy & ~fresh & (~self.o.valid | self.o.ready)),
            self.o.payload.eq(state),
        ]
        m.d.sync += fresh.eq(self.key.valid | self.drop)

        shifted = shift_rows(to_planes(sub_bytes(m, state, self.sbox, "sb")))
        rows = [named(m, f"rows{b}", plane) for b, plane in enumerate(shifted)]
        live = applied(m, {"s": rows}, mix_columns_steps(), "mix")
        mixed = named(m, "mixed", from_planes(live["s"]))
        # the block that enters, the last round without MixColumns, and the key: with ``mixed`` six inputs a bit
        before_key = named(m, "before_key", Mux(take, self.i.payload, Mux(last, from_planes(rows), mixed)))
        with m.If(step):
            m.d.sync += state.eq(before_key ^ round_key)
        with m.If(take):
            m.d.sync += [busy.eq(1), self.o.valid.eq(0)]
        with m.Elif(last):
            m.d.sync += [busy.eq(0), self.o.valid.eq(1)]
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(self.drop | self.clear):
            m.d.sync += [state.eq(0), busy.eq(0), self.o.valid.eq(0)]
        return m

    def _round_keys(self, m: Module, step: Value, busy: Value) -> tuple[Value, Signal]:
        """The round key of the present cycle, and whether the round key is the last: the round constant counts the
        rounds.
        """
        key = Signal(self.key_bits, reset_less=True)
        running = Signal(self.key_bits, reset_less=True)  # the present round key and, with AES-256, the next one
        constant = Signal(8, init=1)
        turned = Signal(init=1)  # AES-256 turns the word and adds the constant for every other round key only
        last = Signal()
        pair = self.key_bits > 128

        word = sub_bytes(m, running[-32:], self.sbox, "word")
        g = word.rotate_right(8) ^ constant
        sums = [running[:32] ^ named(m, "g", Mux(turned, g, word) if pair else g)]
        for at in range(32, 128, 32):
            sums.append(named(m, f"sum{at}", sums[-1]) ^ running[at : at + 32])
        doubled = named(m, "doubled", constant.rotate_left(1) ^ Mux(constant[7], 0x1A, 0))

        final = round_constant((self.rounds + 1) // 2 if pair else self.rounds)
        m.d.comb += last.eq(busy & (constant == final) & (turned if pair else 1))
        with m.If(step & ~last):
            m.d.sync += running.eq(Cat(running[128:], *sums))
            if pair:
                m.d.sync += [turned.eq(~turned), constant.eq(Mux(turned, doubled, constant))]
            else:
                m.d.sync += constant.eq(doubled)
        with m.Else():
            m.d.sync += [running.eq(key), constant.eq(1), turned.eq(1)]
        with m.If(self.key.valid):
            m.d.sync += key.eq(self.key.payload)
        with m.If(self.clear):
            m.d.sync += [key.eq(0), running.eq(0), constant.eq(1), turned.eq(1)]
        return running[:128], last
