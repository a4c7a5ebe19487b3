# SPDX-License-Identifier: Apache-2.0
"""Inverse AES round by round, with round keys made backward from the last round keys."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.forms import ROUNDS
from wideblock.rtl.aes.planes import applied, from_planes, named, to_planes
from wideblock.rtl.aes.rounds import check_whole_keys, inv_shift_rows, unmix_steps
from wideblock.rtl.aes.sbox import sbox_steps, sub_bytes
from wideblock.rtl.aes.travelling import key_sums, round_constant
from wideblock.rtl.pipeline import Timing

__all__ = ["BackwardDecryption"]

LAST_CONSTANT = {128: 9, 256: 6}
"""Power of x in the last round constant, by bits of a key."""


class BackwardDecryption(wiring.Component):
    """``o`` is inverse AES of ``i``, a block at a time, each under a separate key.

    ``key``, beside ``i``, has the last round keys as :class:`.travelling.LastRoundKeys` has them. ``o`` holds its block
    until it is taken; the next block can be taken in that same cycle. ``clear`` forgets it, and no round key stays once
    the block is through.

    Timing: latency 1 + rounds * round_stages (11 for AES-128, 15 for AES-256 with one stage), interval as long.
    Cost:   16 inverse S-boxes and 4 of the schedule, 128 + ``key_bits`` registers; with two stages 160 more.
    Paths:  ``o.ready`` to ``i.ready``.
    Bytes:  byte 0 of a block is bits 7..0.
    Source: FIPS 197, 5.2 and 5.3.
    Security: no masking; the cycle count does not depend on data or key.
    """

    def __init__(self, *, key_bits: int = 128, sbox: str = "lut", round_stages: int = 1):
        check_whole_keys(key_bits, sbox)
        if round_stages not in (1, 2):
            raise ValueError(f"round_stages must be 1 or 2 for keys made on the way, got {round_stages!r}")
        self.key_bits, self.sbox, self.round_stages, self.rounds = key_bits, sbox, round_stages, ROUNDS[key_bits]
        cycles = 1 + self.rounds * round_stages
        self.timing = Timing(latency=cycles, interval=cycles)
        members = {"i": In(stream.Signature(128)), "key": In(key_bits), "o": Out(stream.Signature(128)), "clear": In(1)}
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        state = Signal(128, reset_less=True)
        busy = Signal()
        full = Signal()
        left = Signal(range(self.rounds + 1))
        second = Signal()
        take = Signal()
        ends = Signal()
        m.d.comb += [
            self.i.ready.eq(~busy & (~full | self.o.ready)),
            self.o.valid.eq(full),
            self.o.payload.eq(state),
            take.eq(self.i.valid & self.i.ready),
            ends.eq(busy & (second if self.round_stages == 2 else 1)),
        ]
        mixed, keyed = self._round(m, state, self._schedule(m, take, ends, left))
        if self.round_stages == 2:
            m.d.sync += second.eq(busy & ~second)
        with m.If(ends):
            m.d.sync += [state.eq(Mux(left == 1, keyed, mixed)), left.eq(left - 1)]
            with m.If(left == 1):
                m.d.sync += [busy.eq(0), full.eq(1)]
        with m.Elif(self.o.ready):
            m.d.sync += full.eq(0)
        with m.If(take):
            m.d.sync += [state.eq(self.i.payload ^ self.key[:128]), busy.eq(1), full.eq(0), left.eq(self.rounds)]
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in (state, busy, full, second, left)]
        return m

    def _later(self, m: Module, name: str, value: Value) -> Value:
        """``value`` in the last stage of a round."""
        if self.round_stages == 1:
            return named(m, name, value)
        register = Signal(len(value), name=name, reset_less=True)
        m.d.sync += register.eq(value & ~self.clear.replicate(len(value)))
        return register

    def _round(self, m: Module, state: Value, key: Value) -> tuple[Value, Value]:
        """The state after a round under ``key``, and after the last one."""
        substituted = applied(m, {"s": to_planes(state)}, sbox_steps(self.sbox, True), "sbox")
        rows = self._later(m, "rows", from_planes(inv_shift_rows(substituted["s"])))
        steps = unmix_steps(to_planes(key), last=False)
        mixed = named(m, "mixed", from_planes(applied(m, {"s": to_planes(rows)}, steps, "mix")["s"]))
        return mixed, named(m, "keyed", rows ^ key)

    def _schedule(self, m: Module, take: Value, ends: Value, left: Value) -> Value:
        """The round key of the present round. The made round key is of the next round, or of the round after."""
        keys = Signal(self.key_bits, reset_less=True)
        constant = Signal(8)
        turned = Signal(init=1)  # AES-256 turns the word and adds the constant for every other round key only
        pair = self.key_bits > 128
        word = keys[-32:] if pair else named(m, "word", keys[-32:] ^ keys[64:96])  # backward it is not made yet
        word = self._later(m, "word_substituted", sub_bytes(m, word, self.sbox, "word_sbox"))
        g = named(m, "g", Mux(turned, word.rotate_right(8) ^ constant, word))
        made = named(m, "made", key_sums(keys[:128], g, Const(0, 1)))
        following = named(m, "following", Cat(keys[128:], made))
        with m.If(ends):
            m.d.sync += keys.eq(following & ~(left == 1).replicate(len(keys)))
            m.d.sync += turned.eq(~turned) if pair else []
            with m.If(turned):  # divided by x
                m.d.sync += constant.eq((constant >> 1) ^ (constant[0].replicate(8) & 0x8D))
        with m.If(take):
            m.d.sync += [keys.eq(self.key), turned.eq(1), constant.eq(round_constant(LAST_CONSTANT[self.key_bits]))]
        with m.If(self.clear):
            m.d.sync += [keys.eq(0), constant.eq(0), turned.eq(1)]
        return named(m, "round_key", following[:128])
