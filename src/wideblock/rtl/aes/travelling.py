# SPDX-License-Identifier: Apache-2.0
"""Round keys that travel with the block: a key schedule of AES as a pipeline, a key a cycle, and its far end.

A schedule goes forward from the key or backward from the last round keys. The sums of a step differ, its S-boxes do
not: with ``g`` of the word before, and words a of the round key that is replaced, the new one is

    forward     a0 + g,  a1 + a0 + g,  a2 + a1 + a0 + g,  a3 + a2 + a1 + a0 + g
    backward    a0 + g,  a1 + a0,      a2 + a1,           a3 + a2
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.forms import ROUNDS
from wideblock.rtl.aes.gf256 import mul
from wideblock.rtl.aes.key_expansion import SUMS
from wideblock.rtl.aes.planes import applied, from_planes, named, to_planes
from wideblock.rtl.aes.rounds import check_whole_keys, cut_places
from wideblock.rtl.aes.sbox import sbox_steps, sub_bytes
from wideblock.rtl.pipeline import Pipeline, Timing

__all__ = ["LastRoundKeys", "TravellingKeys", "key_sums", "round_constant"]


class TravellingKeys(wiring.Component):
    """``round_keys`` of the ``key`` of each cycle, each in the cycle for a block that enters a pipeline with the key.

    Bits 128 k up are the round key that is used k-th. ``key`` to encrypt is the key, to decrypt the last round keys in
    the order of their use, those of :class:`LastRoundKeys`; ``inverse`` None: either, as ``decrypt`` beside it says.

    Timing: the k-th round key k * ``round_stages`` cycles after the key, the first in the key's cycle; a key a cycle.
            ``timing`` is of the last round key.
    Cost:   four S-boxes a round; ``key_bits`` registers a stage, and registers inside the S-boxes.
    Bytes:  byte 0 of a key and of a round key is bits 7..0.
    Source: FIPS 197, 5.2.
    Security: no masking; the cycle count does not depend on the key. Registers hold the keys that came in last.
    """

    def __init__(self, *, key_bits: int = 128, round_stages: int = 1, sbox: str = "lut", inverse: bool | None = False):
        check_whole_keys(key_bits, sbox)
        if round_stages not in (1, 2):  # a round of more may need its key before the last of its stages
            raise ValueError(f"round_stages must be 1 or 2 for keys that travel, got {round_stages!r}")
        self.key_bits, self.round_stages, self.sbox, self.inverse = key_bits, round_stages, sbox, inverse
        self.rounds = ROUNDS[key_bits]
        self.timing = Timing(latency=self.rounds * round_stages, interval=1)
        either = {"decrypt": In(1)} if inverse is None else {}
        super().__init__({"key": In(key_bits), **either, "round_keys": Out(128 * (self.rounds + 1))})

    def elaborate(self, platform):
        m = Module()
        way = self.decrypt if self.inverse is None else Const(int(bool(self.inverse)), 1)
        p = Pipeline(m, valid=None, key=self.key, **({"way": way} if self.inverse is None else {}))
        used = [p.key[:128]]
        for number in range(1, self.rounds + 1):
            made = number - 1 + self.key_bits // 128  # place of the round key that this step makes
            if made > self.rounds:  # the last ones are there
                for _ in range(self.round_stages):
                    p.cut(key=p.key)
                p.live["key"] = p.key[128:]
            else:
                self._step(m, p, made, way)
            used.append(p.key[:128])
        m.d.comb += self.round_keys.eq(Cat(used))
        return m

    def _step(self, m: Module, p: Pipeline, made: int, way: Value) -> None:
        """Makes the round key used in place ``made``, and drops the round key used first."""
        layer, name = sbox_steps(self.sbox), f"key{made}"
        here = p.live.get("way", way)
        word = p.key[-32:]
        if self.key_bits == 128:  # the last word of the round key before: backward it is not made yet
            word = named(m, f"{name}_word", word ^ (p.key[64:96] & here.replicate(32)))
        cuts = cut_places([*(step.levels for step in layer), SUMS], self.round_stages)
        live = applied(m, {"s": to_planes(word)}, layer, f"{name}_sbox", cuts=cuts)
        for _ in range(self.round_stages - 1):
            p.cut(**p.live)
        here = p.live.get("way", way)
        forward, backward = (self._constant(place) for place in (made, self.rounds - made + self.key_bits // 128))
        constant = Mux(here, backward, forward)
        g = named(m, f"{name}_g", _g(from_planes(live["s"]), constant, turned=made * 128 % self.key_bits == 0))
        p.live["key"] = named(m, name, Cat(p.key[128:], key_sums(p.key[:128], g, ~here)))
        p.cut(**p.live)

    def _constant(self, place: int) -> int:
        """The round constant of a round key; counts the whole keys before; 0 for a round key without one."""
        keys, rest = divmod(128 * place, self.key_bits)
        return 0 if rest else round_constant(keys - 1)


class LastRoundKeys(wiring.Component):
    """``o`` are the last round keys of ``key``, the last one lowest: as many bits as a key has.

    ``start`` takes the key, also while another is under way. ``done`` from then on, once ``o`` is right, until the next
    ``start``. ``clear`` zeroes all registers at the next clock edge.

    Timing: latency 1 + 2 * (rounds, or for AES-256 rounds - 1): 21 and 27 cycles from ``start`` to ``done``.
    Cost:   four S-boxes, ``key_bits`` + 32 registers.
    Paths:  none.
    Source: FIPS 197, 5.2.
    """

    def __init__(self, *, key_bits: int = 128, sbox: str = "lut"):
        check_whole_keys(key_bits, sbox)
        self.key_bits, self.sbox = key_bits, sbox
        self.steps = ROUNDS[key_bits] + 1 - key_bits // 128
        self.timing = Timing(latency=1 + 2 * self.steps, interval=1 + 2 * self.steps)
        super().__init__(
            {"key": In(key_bits), "start": In(1), "clear": In(1), "o": Out(key_bits), "done": Out(1)},
        )

    def elaborate(self, platform):
        m = Module()
        key = Signal(self.key_bits)
        word = Signal(32)
        left = Signal(range(self.steps + 1))
        second = Signal()  # the S-boxes of a step are done
        turned = Signal(init=1)  # AES-256 turns the word and adds the constant for every other round key only
        constant = Signal(8, init=1)
        g = named(m, "g", Mux(turned, _g(word, constant, turned=True), word))
        made = named(m, "made", Cat(key[128:], key_sums(key[:128], g, Const(1, 1))))
        halves = [key[at : at + 128] for at in range(0, self.key_bits, 128)]
        m.d.comb += self.o.eq(Cat(reversed(halves)))
        m.d.sync += word.eq(sub_bytes(m, key[-32:], self.sbox, "word"))
        with m.If(second):
            m.d.sync += [key.eq(made), left.eq(left - 1), self.done.eq(left == 1), second.eq(0)]
            if self.key_bits > 128:
                m.d.sync += turned.eq(~turned)
            with m.If(turned):
                m.d.sync += constant.eq(constant.rotate_left(1) ^ Mux(constant[7], 0x1A, 0))
        with m.Else():
            m.d.sync += second.eq(left != 0)
        with m.If(self.start):
            m.d.sync += [key.eq(self.key), left.eq(self.steps), self.done.eq(0)]
            m.d.sync += [second.eq(0), turned.eq(1), constant.eq(1)]
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in (key, word, left, second, self.done)]
            m.d.sync += [turned.eq(1), constant.eq(1)]
        return m


def round_constant(power: int) -> int:
    """x^``power`` in GF(2^8)."""
    value = 1
    for _ in range(power):
        value = mul(value, 2)
    return value


def _g(word: Value, constant: Value, *, turned: bool) -> Value:
    """RotWord of a word behind the S-boxes, as both commute, and the round constant; or the word as it is."""
    return word.rotate_right(8) ^ constant if turned else word


def key_sums(a: Value, g: Value, forward: Value) -> Value:
    """The new round key, of the replaced round key, ``a``, and ``g``. One LUT6 a bit in either direction."""
    a0, a1, a2, a3 = (a[at : at + 32] for at in range(0, 128, 32))
    f = forward.replicate(32)
    return Cat(a0 ^ g, a1 ^ a0 ^ (g & f), a2 ^ a1 ^ ((a0 ^ g) & f), a3 ^ a2 ^ ((a1 ^ a0 ^ g) & f))
