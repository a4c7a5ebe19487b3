# SPDX-License-Identifier: Apache-2.0
"""The key schedule of AES, once for any number of cores."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.forms import GATES, ROUNDS
from wideblock.rtl.aes.planes import applied, from_planes, named, to_planes
from wideblock.rtl.aes.rounds import check_parameters, cut_places
from wideblock.rtl.aes.sbox import sbox_steps
from wideblock.rtl.pipeline import Timing

__all__ = ["KeyExpansion"]

SUMS = 3  # levels behind the S-boxes: constant and running sums, the choice of the word, the load


class KeyExpansion(wiring.Component):
    """``round_keys`` are the round keys of the last ``key`` taken, in order, the first lowest.

    ``ready`` is high while they are complete: until then they are on their way through the registers and must not be
    used. ``clear`` zeroes every key register, and lowers ``ready``, at the second clock edge, whatever is under way: a
    register takes the key to all round keys, as after reset. A key that is taken meanwhile is forgotten, too.

    With ``rounds_short``, the cipher has ``rounds_short`` rounds for a key with ``short`` beside: ``ready`` follows
    when the short key's round keys are complete, the last of ``round_keys``.

    A round key, or with AES-192 one and a half, takes ``round_stages`` cycles, the registers of a round of the cipher:
    both reach a common clock; where the S-box is one table, at most two.

    Timing: latency from the key taken to ``ready``: with one cycle a round key 1 + rounds for AES-128 and rounds for
            AES-256 (11, 14), as the key itself is one or two round keys; 9 for AES-192; ``short_latency`` for a
            short one. The next key can be taken then.
    Paths:  none.
    Cost:   four S-boxes, 128 * (rounds + 1) registers in a shift register with enable, no multiplexer over them, and
            64 more for AES-192; registers inside the S-boxes.
    Bytes:  byte 0 of the key and of each round key is bits 7..0.
    Source: FIPS 197, 5.2.
    """

    def __init__(
        self, *, key_bits: int = 128, sbox: str = "lut", round_stages: int = 1, rounds_short: int | None = None
    ):
        check_parameters(key_bits, sbox, kinds=GATES)
        if round_stages < 1:
            raise ValueError(f"round_stages must be 1 or more, got {round_stages!r}")
        if rounds_short is not None and (key_bits != 128 or not 1 <= rounds_short <= 8):
            raise ValueError(
                f"rounds_short must be 1 to 8, of a key of 128 bits, got {rounds_short!r} of {key_bits} bits"
            )
        self.layer = sbox_steps(sbox)
        self.stages = min(round_stages, 1 + len(self.layer))
        self.key_bits, self.sbox = key_bits, sbox
        self.rounds = ROUNDS[key_bits]
        # a step makes a round key, or where the key is no whole number of them, as many words as the key has
        self.step_bits = 128 if key_bits % 128 == 0 else key_bits
        self.parts = -(-128 * (self.rounds + 1) // self.step_bits)
        self.rounds_short = rounds_short
        self.short_latency = 1 + (rounds_short or self.rounds) * self.stages
        steps = (self.parts - key_bits // self.step_bits) * self.stages
        self.timing = Timing(latency=1 + steps, interval=1 + steps)
        super().__init__(
            {
                "key": In(stream.Signature(key_bits)),
                **({"short": In(1)} if rounds_short else {}),
                "clear": In(1),
                "round_keys": Out(128 * (self.rounds + 1)),
                "ready": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        size = self.step_bits
        held = self.key_bits // size  # parts of the round keys that the key itself is
        keys = [Signal(size, name=f"round_key{i}", reset_less=True) for i in range(self.parts)]
        busy = Signal()
        free = Signal()
        forget = Signal(init=1)  # after reset, too
        load = named(m, "load", self.key.valid & self.key.ready)
        m.d.comb += [self.round_keys.eq(Cat(keys)[: len(self.round_keys)]), self.key.ready.eq(free)]
        m.d.sync += forget.eq(self.clear)

        # AES-256 turns the word and adds the constant for every other round key only.
        turned = Signal(init=1)
        constant = Signal(8, init=1)
        # The word is turned behind the S-boxes, which commute with that, so that registers feed them.
        word = self._sub_word(m, keys[-1][size - 32 :])
        # One-hot, so that what enables all key registers comes from a register itself.
        phase = Signal(self.stages)
        shift = phase[-1]
        m.d.sync += phase.eq(phase.rotate_left(1))
        if held > 1:
            g = named(m, "g", Mux(turned, word.rotate_right(8) ^ constant, word))
        else:
            g = named(m, "g", word.rotate_right(8) ^ constant)

        # The words of the next part are running sums.
        w = [keys[-held][at : at + 32] for at in range(0, size, 32)]
        sums = [named(m, "sum0", g ^ w[0])]
        for k in range(1, len(w)):
            sums.append(named(m, f"sum{k}", sums[-1] ^ w[k]))

        following = [*keys[1:], Cat(sums)]
        with m.If(shift):
            m.d.sync += [key.eq(then) for key, then in zip(keys[:-held], following[:-held], strict=True)]
        with m.If(shift | load):  # a register, not ``load``, chooses
            m.d.sync += Cat(keys[-held:]).eq(Mux(busy, Cat(following[-held:]), self.key.payload))
        last_step = self._last_step(m, load, constant)
        with m.If(load):
            m.d.sync += [
                phase.eq(1),
                busy.eq(1),
                free.eq(0),
                self.ready.eq(0),
                turned.eq(1),
                constant.eq(1),
            ]
        with m.Elif(shift):
            doubled = constant.rotate_left(1) ^ Mux(constant[7], 0x1A, 0)
            if held > 1:
                m.d.sync += turned.eq(~turned)
                with m.If(turned):
                    m.d.sync += constant.eq(doubled)
            else:
                m.d.sync += constant.eq(doubled)
            with m.If(last_step & turned):
                m.d.sync += [phase.eq(0), busy.eq(0), free.eq(1), self.ready.eq(1)]
        with m.If(forget):
            m.d.sync += [*(key.eq(0) for key in keys), phase.eq(0), busy.eq(0), free.eq(~self.clear), self.ready.eq(0)]
        return m

    def _sub_word(self, m: Module, word):
        """SubWord, ``stages`` - 1 cycles later. Source: FIPS 197, 5.2."""
        cuts = cut_places([*(step.levels for step in self.layer), SUMS], self.stages)
        live = applied(m, {"s": to_planes(word)}, self.layer, "word", cuts=cuts)
        return named(m, "word", from_planes(live["s"]))

    def _last_step(self, m: Module, load, constant):
        """Whether the constant is that of the last step: x^9 for AES-128, x^7 for AES-192, x^6 for AES-256."""
        last = constant == {128: 0x36, 192: 0x80, 256: 0x40}[self.key_bits]
        if self.rounds_short is None:
            return last
        short = Signal()
        with m.If(load):
            m.d.sync += short.eq(self.short)
        return last | (short & (constant == 1 << self.rounds_short - 1))
