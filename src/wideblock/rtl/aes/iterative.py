# SPDX-License-Identifier: Apache-2.0
"""AES round by round, a block at a time: encryption, and the papers' sequential decryption core (SDC)."""

from functools import reduce
from operator import or_

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.forms import GATES, ROUND_STAGES, ROUNDS
from wideblock.rtl.aes.planes import LayerPart, Planes, applied, from_planes, named, separated, to_planes
from wideblock.rtl.aes.rounds import (
    add_round_key,
    check_parameters,
    cut_places,
    either_sbox_steps,
    either_steps,
    inv_shift_rows,
    mirror_columns,
    mix_steps,
    round_key,
    shift_rows,
    unmirror,
    unmix_steps,
    whiten_either,
)
from wideblock.rtl.aes.sbox import sbox_steps
from wideblock.rtl.pipeline import Timing

__all__ = ["IterativeDecryption", "IterativeEitherWay", "IterativeEncryption"]


CHOICE = 2  # levels behind a round: the choice of the last one, and of a new block


class _Iterative(wiring.Component):
    """The rounds in turn in a register; a subclass says which way."""

    _inverse: bool

    def __init__(
        self,
        *,
        key_bits: int = 128,
        sbox: str = "lut",
        round_stages: int = 1,
        key_sets: int = 1,
        full_rounds: int | None = None,
    ):
        check_parameters(key_bits, sbox, kinds=GATES)
        if round_stages not in ROUND_STAGES:
            raise ValueError(f"round_stages must be 1, 2 or 3, got {round_stages!r}")
        if key_sets not in (1, 2):
            raise ValueError(f"key_sets must be 1 or 2, got {key_sets!r}")
        if full_rounds is not None and (self._inverse or not 1 <= full_rounds <= ROUNDS[key_bits]):
            most = "None to decrypt" if self._inverse else f"from 1 to {ROUNDS[key_bits]}"
            raise ValueError(f"full_rounds must be {most}, got {full_rounds!r}")
        self.key_bits, self.sbox, self.key_sets = key_bits, sbox, key_sets
        self.round_stages = round_stages
        self.full = full_rounds is not None
        self.rounds = full_rounds or ROUNDS[key_bits]
        cycles = 1 + self.rounds * round_stages
        self.timing = Timing(latency=cycles, interval=cycles)
        super().__init__(
            {
                "i": In(stream.Signature(128)),
                "o": Out(stream.Signature(128)),
                "round_keys": In(128 * (self.rounds + 1) * key_sets),
                "clear": In(1),
                "ahead": Out(128),
                **({"second": In(1)} if key_sets == 2 else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        state = Signal(128, reset_less=True)
        full = Signal()  # a block is in the rounds, or its result waits
        # choices of 128 bits wait for these, so they are registers, not computed from a count
        busy = Signal()  # a block is in the rounds
        first = 1 << self.rounds - 1
        turn = Signal(self.rounds, init=first)  # of a round's key; one bit is high: the lowest for the last round

        take = named(m, "take", self.i.valid & self.i.ready)
        m.d.comb += [
            self.o.valid.eq(full & ~busy),
            self.o.payload.eq(state),
            self.i.ready.eq(~full | (~busy & self.o.ready)),
        ]

        turns, end, final = self._pace(m, busy, turn)
        outer, inner = self._keys(m, take, turn)
        live = self._round(m, state, inner)
        mixed = named(m, "mixed", from_planes(live["s"]))
        last = mixed if self.full else named(m, "keyed", from_planes(live["k"]))
        m.d.comb += self.ahead.eq(last)

        with m.If(take | (busy & end)):  # ``take`` alone would choose, too, but comes late
            m.d.sync += state.eq(Mux(busy, Mux(final, last, mixed), self.i.payload ^ outer))
        with m.If(take):
            m.d.sync += [full.eq(1), busy.eq(1)]
        with m.Elif(busy):
            m.d.sync += busy.eq(~(end & final))
        with m.Elif(self.o.ready):
            m.d.sync += full.eq(0)
        with m.If(turns):
            m.d.sync += turn.eq(turn.rotate_right(1))
        with m.If(self.clear):
            m.d.sync += [state.eq(0), full.eq(0), busy.eq(0), turn.eq(first)]
        return m

    def _pace(self, m: Module, busy: Value, turn: Value) -> tuple[Value, Value, Value]:
        """Whether ``turn`` passes on, whether a round ends, and whether that is the last round.

        With several stages ``turn`` passes on in the first stage: the choice of a round key takes two cycles.
        """
        if self.round_stages == 1:
            return busy, Const(1, 1), turn[0]
        # the stage that the block is in, if it is behind the first one
        behind = [Signal(name=f"stage{k}") for k in range(2, self.round_stages + 1)]
        final = Signal(name="final")
        begins = busy & ~Cat(behind).any()
        m.d.sync += Cat(behind).eq(Cat(begins, behind[:-1]) & ~self.clear.replicate(len(behind)))
        with m.If(begins):
            m.d.sync += final.eq(turn[0])
        with m.If(self.clear):
            m.d.sync += final.eq(0)
        return begins, behind[-1], final

    def _round(self, m: Module, state: Value, key: Value) -> dict[str, Planes]:
        """The state after a round, and as ``k`` without MixColumns, as after a last one.

        With more than one stage the first ends before the round key.
        """
        substitution = sbox_steps(self.sbox, self._inverse)
        steps = [*substitution, *self._linear(named(m, "round_key", key))]
        levels = [step.levels for step in steps]
        levels[-1] += CHOICE
        cuts = cut_places(levels, self.round_stages, first=len(substitution) - 1)
        return applied(m, {"s": to_planes(state)}, steps, "r", cuts=cuts - {len(steps) - 1})

    def _linear(self, key: Value) -> list[LayerPart]:
        """The steps after the S-boxes. ``k`` is the state without MixColumns, unless every round has it.

        key: planes of a round key side by side
        """
        planes = separated(key)
        permutation = inv_shift_rows if self._inverse else shift_rows
        first, *others = (unmix_steps if self._inverse else mix_steps)(planes, last=False)

        def begin(m, live, name):
            rows = {"s": permutation(live["s"])}
            out = first.apply(m, rows, name)
            return out if self.full else {**out, "k": add_round_key(m, rows, name, key=planes)["s"]}

        return [LayerPart(first.levels, begin), *(others if self.full else [step.keeping("k") for step in others])]

    def _keys(self, m: Module, take: Value, turn: Value) -> tuple[Value, Value]:
        """The round key of an accepted block, and the round key of the round.

        turn: one bit is high: the lowest for the last round, the highest for the first

        With more than one stage the choice takes two cycles: a register for each key holds the key's round key; a
        register behind holds the round key in use. It is right from the second stage of the round on.
        """
        first, *others = range(self.rounds, -1, -1) if self._inverse else range(self.rounds + 1)
        sets = range(0, self.key_sets * (self.rounds + 1), self.rounds + 1)  # index of each key's first round key
        outer = [from_planes(round_key(self.round_keys, start + first)) for start in sets]
        rounds = list(zip(reversed(others), turn, strict=True))
        inner: list[Value] = [
            reduce(or_, [Cat(round_key(self.round_keys, start + index)) & now.replicate(128) for index, now in rounds])
            for start in sets
        ]
        if self.round_stages > 1:
            inner = [self._register(m, f"key{k}", key) for k, key in enumerate(inner)]
        if self.key_sets == 1:
            entering, key = outer[0], inner[0]
        else:
            held = Signal(name="second_held")
            with m.If(take):
                m.d.sync += held.eq(self.second)
            with m.If(self.clear):
                m.d.sync += held.eq(0)
            entering, key = Mux(self.second, outer[1], outer[0]), Mux(held, inner[1], inner[0])
        return entering, key if self.round_stages == 1 else self._register(m, "key", key)

    @staticmethod
    def _register(m: Module, name: str, value: Value) -> Signal:
        """``value`` a cycle later. It is of round keys alone, and zero once they are."""
        register = Signal(128, name=name, reset_less=True)
        m.d.sync += register.eq(value)
        return register


class IterativeEncryption(_Iterative):
    """``o`` is AES of ``i`` under ``round_keys``, one block at a time.

    ``round_keys`` holds the round keys in order, the first lowest, and must not change while a block is inside. ``o``
    holds its block until it is taken; the next block can be taken in that same cycle. ``clear`` forgets it.
    With two ``key_sets``, ``round_keys`` has the round keys of two keys; ``second``, beside ``i``, chooses the key.
    ``full_rounds`` is a number of rounds, all with MixColumns, under one round key more: AES4 has four.

    Timing: latency 1 + rounds * round_stages (11 for AES-128, 15 for AES-256 with one stage), interval as long;
            ``ahead`` has the result a cycle before ``o``, before the last register.
    Cost:   16 S-boxes, a multiplexer over the round keys, 128 registers; with more stages 128 for the round key
            and for each set of them, and those inside a round.
    Paths:  ``o.ready`` to ``i.ready``.
    Bytes:  byte 0 of a block is bits 7..0.
    Source: FIPS 197, 5.1.
    Security: no masking; the cycle count does not depend on data or key.
    """

    _inverse = False


class IterativeDecryption(_Iterative):
    """``o`` is inverse AES of ``i`` under ``round_keys``, one block at a time: the papers' SDC.

    ``round_keys`` is what encryption takes, in the same order, and must not change while a block is inside. ``o`` holds
    its block until it is taken; the next block can be taken in that same cycle. ``clear`` forgets it.
    With two ``key_sets``, ``round_keys`` has the round keys of two keys; ``second``, beside ``i``, chooses the key.

    Timing: latency 1 + rounds * round_stages (11 for AES-128, 15 for AES-256 with one stage), interval as long;
            ``ahead`` has the result a cycle before ``o``, before the last register.
    Cost:   16 inverse S-boxes, a multiplexer over the round keys, 128 registers; with more stages 128 for the round
            key and for each set of them, and those inside a round.
    Paths:  ``o.ready`` to ``i.ready``.
    Bytes:  byte 0 of a block is bits 7..0.
    Source: FIPS 197, 5.3.
    Security: no masking; the cycle count does not depend on data or key.
    """

    _inverse = True


class IterativeEitherWay(wiring.Component):
    """``o`` is AES of ``i`` under ``round_keys``, with ``decrypt`` beside ``i`` inverse AES, a block at a time.

    ``round_keys`` holds the round keys in order, the first lowest, and must not change while a block is inside. ``o``
    is valid in the cycle of the last round alone, before a register; the next block can be taken in that same cycle.
    ``clear`` forgets the block inside.

    Timing: latency rounds (10 for AES-128, 14 for AES-256), interval as long.
    Cost:   16 inversions in GF(2^8) for both directions, a multiplexer over the round keys, 128 registers.
    Paths:  none from ``i``.
    Bytes:  byte 0 of a block is bits 7..0.
    Source: FIPS 197, 5.1 and 5.3.
    Security: no masking; the cycle count does not depend on data or key.
    """

    def __init__(self, *, key_bits: int = 128, sbox: str = "lut"):
        check_parameters(key_bits, sbox, kinds=GATES)
        self.key_bits, self.sbox = key_bits, sbox
        self.rounds = ROUNDS[key_bits]
        self.timing = Timing(latency=self.rounds, interval=self.rounds)
        super().__init__(
            {
                "i": In(stream.Signature(128)),
                "decrypt": In(1),
                "o": Out(stream.Signature(128, always_ready=True)),
                "round_keys": In(128 * (self.rounds + 1)),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        state = Signal(128, reset_less=True)
        way = Signal()
        full = Signal()
        number = Signal(range(self.rounds + 1))  # of the round key: upwards, or to decrypt downwards
        keys = Array(Cat(round_key(self.round_keys, index)) for index in range(self.rounds + 1))
        chosen = named(m, "key", keys[number])
        key = [chosen[16 * b : 16 * b + 16] for b in range(8)]
        last = named(m, "last", full & (number == Mux(way, 0, self.rounds)))

        live = {"s": to_planes(state), "way": [named(m, "d", way.replicate(16))]}
        live = applied(m, live, either_sbox_steps(self.sbox), "sb")
        mixed, keyed = (
            applied(m, live, either_steps(key, mirror_columns(key), last=end), name)
            for end, name in ((False, "mix"), (True, "last"))
        )
        m.d.comb += [
            self.i.ready.eq(~full | last),
            self.o.valid.eq(last),
            self.o.payload.eq(from_planes(unmirror(keyed["way"][0], keyed["s"]))),
        ]
        first, mirrored_last = round_key(self.round_keys, 0), mirror_columns(round_key(self.round_keys, self.rounds))
        whitened = whiten_either(self.decrypt.replicate(16), to_planes(self.i.payload), first, mirrored_last)
        entering = [named(m, f"entering{b}", plane) for b, plane in enumerate(whitened)]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [state.eq(from_planes(entering)), way.eq(self.decrypt), full.eq(1)]
            m.d.sync += number.eq(Mux(self.decrypt, self.rounds - 1, 1))
        with m.Elif(full):
            m.d.sync += [state.eq(from_planes(mixed["s"])), number.eq(Mux(way, number - 1, number + 1)), full.eq(~last)]
        with m.If(self.clear):
            m.d.sync += [state.eq(0), way.eq(0), full.eq(0), number.eq(0)]
        return m
