# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""AES a block a cycle: the papers' pipelined encryption core (PEC) and pipelined decryption core (PDC)."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.planes import Planes, Step, from_planes, named, to_planes
from wideblock.rtl.aes.rounds import (
    ROUNDS,
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
from wideblock.rtl.aes.sbox import GATES, rom, sbox_steps
from wideblock.rtl.pipeline import FixedLatency, Pipeline, Timing

__all__ = ["PipelinedDecryption", "PipelinedEitherWay", "PipelinedEncryption", "both_ways"]


class _Pipelined(wiring.Component):
    """The rounds one after another; a subclass says which way."""

    _inverse: bool

    def __init__(
        self,
        *,
        key_bits: int = 128,
        round_stages: int = 1,
        sbox: str = "lut",
        lanes: int = 1,
        key_sets: int = 1,
        ahead: bool = False,
    ):
        check_parameters(key_bits, sbox)
        if round_stages not in (1, 2, 3, 4):
            raise ValueError(f"round_stages must be 1, 2, 3 or 4, got {round_stages!r}")
        if lanes < 1:
            raise ValueError(f"lanes must be 1 or more, got {lanes!r}")
        if key_sets not in ((1,) if self._inverse else (1, 2)):
            raise ValueError(f"key_sets must be {'1 to decrypt' if self._inverse else '1 or 2'}, got {key_sets!r}")
        self.key_bits, self.round_stages, self.sbox, self.lanes = key_bits, round_stages, sbox, lanes
        self.key_sets = key_sets
        self.rounds = ROUNDS[key_bits]
        self.timing = Timing(latency=1 + self.rounds * round_stages, interval=1)
        streams = FixedLatency(128 * lanes, 128 * lanes).members
        choice = {"second": In(1)} if key_sets == 2 else {}
        early = {"ahead": Out(128 * lanes)} if ahead else {}
        super().__init__({**streams, "round_keys": In(128 * (self.rounds + 1) * key_sets), **choice, **early})

    def elaborate(self, platform):
        m = Module()
        whitening, *keys = self._keys(m)
        block = [s ^ k for s, k in zip(to_planes(self.i.payload), whitening, strict=True)]

        p = Pipeline(m, valid=self.i.valid, s=named(m, "whitened", Cat(block)))
        rom_is_state = self.sbox == "bram" and self.round_stages == 1
        if not rom_is_state:
            p.cut(s=p.s)
        for r, key in enumerate(keys, start=1):
            (self._rom_round if self.sbox == "bram" else self._round)(m, p, key, r)
        if rom_is_state:
            p.cut(s=p.s)

        assert p.depth == self.timing.latency
        m.d.comb += [self.o.valid.eq(p.valid), self.o.payload.eq(from_planes(_split(p.s)))]
        if "ahead" in self.signature.members:
            m.d.comb += self.ahead.eq(from_planes(_split(p.ahead["s"])))
        return m

    def _keys(self, m: Module) -> list[Planes]:
        """The round keys in the order of their use; of two sets, the one that ``second`` chose with the block."""
        numbers = list(range(self.rounds + 1))
        if self.key_sets == 1:
            order = reversed(numbers) if self._inverse else numbers
            return [round_key(self.round_keys, index, self.lanes) for index in order]
        keys, chosen = [], self.second
        for index in numbers:  # an encryption adds a round's key in the last of its stages
            first, second = (self.round_keys[128 * k : 128 * k + 128] for k in (index, index + self.rounds + 1))
            key = named(m, f"key{index}", Mux(chosen, second, first))
            keys.append(round_key(key, 0, self.lanes))
            for stage in range(self.round_stages):
                following = Signal(name=f"second{index}_{stage}")
                m.d.sync += following.eq(chosen)
                chosen = following
        return keys

    def _round(self, m: Module, p: Pipeline, key: Planes, r: int) -> None:
        # a table in halves only where there are more registers than other places for them
        *front, back = sbox_steps(self.sbox, self._inverse, halves=self.round_stages == 4)
        permutation = inv_shift_rows if self._inverse else shift_rows

        def apply_back(m, live, name):
            planes = back.apply(m, live, name)["s"]
            return {"s": permutation([named(m, f"{name}_o{b}", plane) for b, plane in enumerate(planes)])}

        _apply(
            m,
            p,
            [*front, Step(back.levels, apply_back), *self._linear(key, r)],
            self.round_stages,
            16 * self.lanes,
            f"r{r}",
        )

    def _rom_round(self, m: Module, p: Pipeline, key: Planes, r: int) -> None:
        """The ROM's read is one of the registers, and with four of them the ROM's output register another."""
        address = named(m, f"r{r}_address", from_planes(_split(p.s)))
        p.cut()
        permutation = inv_shift_rows if self._inverse else shift_rows
        read = [
            named(m, f"r{r}_read{b}", plane)
            for b, plane in enumerate(to_planes(rom(m, address, f"r{r}", inverse=self._inverse)))
        ]
        p.live["s"] = named(m, f"r{r}_rows", Cat(permutation(read)))
        stages = self.round_stages - 1
        if stages == 0:  # the next ROM, or the output register, ends the round
            _run(m, p, self._linear(key, r), 16 * self.lanes, f"r{r}")
            return
        if stages > 1:
            p.cut(s=p.s)
            stages -= 1
        _apply(m, p, self._linear(key, r), stages, 16 * self.lanes, f"r{r}")

    def _linear(self, key: Planes, r: int) -> list[Step]:
        """The steps after the S-boxes in round ``r``."""
        return (unmix_steps if self._inverse else mix_steps)(key, last=r == self.rounds)


def _split(planes) -> Planes:
    """Planes that were put side by side."""
    return [planes[b * len(planes) // 8 : (b + 1) * len(planes) // 8] for b in range(8)]


def _planes(live, size: int) -> dict[str, Planes]:
    return {name: [value[at : at + size] for at in range(0, len(value), size)] for name, value in live.items()}


def _run(m: Module, p: Pipeline, steps: list[Step], size: int, name: str) -> None:
    """``steps`` without a register, on planes of ``size`` bytes."""
    for i, step in enumerate(steps):
        out = step.apply(m, _planes(p.live, size), f"{name}_{i}")
        p.live = {key: named(m, f"{name}_{i}_{key}", Cat(planes)) for key, planes in out.items()}


def _apply(m: Module, p: Pipeline, steps: list[Step], stages: int, size: int, name: str) -> None:
    """``steps`` with ``stages`` registers, the last of them after the last step."""
    cuts = cut_places([step.levels for step in steps], stages)
    for i, step in enumerate(steps):
        _run(m, p, [step], size, f"{name}{i}")
        if i in cuts:
            p.cut(**p.live)


class PipelinedEncryption(_Pipelined):
    """``o`` is AES of ``i`` under ``round_keys``, a block a cycle and lane: the papers' PEC.

    ``lanes`` blocks go side by side, block 0 in the low bits; one gate of the description serves them all.
    ``round_keys`` holds the round keys in order, the first lowest, and must not change while blocks are in flight.
    With two ``key_sets`` it holds those of two keys, and ``second``, beside ``i``, chooses which a block goes under.

    Timing: latency 1 + rounds * round_stages (11 for AES-128 with one stage), full rate, never stalls.
            With ``ahead``, a port of that name has the result a cycle earlier, before the last register.
    Cost:   16 S-boxes a round and lane; 128 registers a stage, more where a register stands inside an S-box; for a
            second key set 128 multiplexers of two a round.
    Bytes:  byte 0 of a block is bits 7..0.
    Source: FIPS 197, 5.1.
    Security: no masking; the cycle count does not depend on data or key.
    """

    _inverse = False


class PipelinedDecryption(_Pipelined):
    """``o`` is inverse AES of ``i`` under ``round_keys``, a block a cycle and lane: the papers' PDC.

    ``round_keys`` is what encryption takes, in the same order.

    Timing: latency 1 + rounds * round_stages (11 for AES-128 with one stage), full rate, never stalls.
            With ``ahead``, a port of that name has the result a cycle earlier, before the last register.
    Cost:   16 inverse S-boxes a round and lane; 128 registers a stage, more where a register stands inside an S-box.
    Bytes:  byte 0 of a block is bits 7..0.
    Source: FIPS 197, 5.3.
    Security: no masking; the cycle count does not depend on data or key.
    """

    _inverse = True


class PipelinedEitherWay(wiring.Component):
    """``o`` is AES of ``i`` under ``round_keys``, or with ``decrypt`` beside it inverse AES: a block a cycle and lane.

    The S-box and its inverse are inversion in GF(2^8) and an affine map, behind or before it: the inversion serves
    both. A block to decrypt goes with its columns mirrored, so that both directions shift rows alike.

    Timing: latency 1 + rounds * round_stages (11 for AES-128 with one stage), full rate, never stalls.
    Cost:   16 inversions a round and lane, about three quarters of a pipeline for each direction; deeper logic.
    Bytes:  byte 0 of a block is bits 7..0.
    Source: FIPS 197, 5.1 and 5.3.
    Security: no masking; the cycle count does not depend on data or key.
    """

    def __init__(self, *, key_bits: int = 128, round_stages: int = 1, sbox: str = "lut", lanes: int = 1):
        check_parameters(key_bits, sbox, kinds=GATES)
        if round_stages not in (1, 2, 3, 4):
            raise ValueError(f"round_stages must be 1, 2, 3 or 4, got {round_stages!r}")
        if lanes < 1:
            raise ValueError(f"lanes must be 1 or more, got {lanes!r}")
        self.key_bits, self.round_stages, self.sbox, self.lanes = key_bits, round_stages, sbox, lanes
        self.rounds = ROUNDS[key_bits]
        self.timing = Timing(latency=1 + self.rounds * round_stages, interval=1)
        streams = FixedLatency(128 * lanes, 128 * lanes).members
        super().__init__({**streams, "decrypt": In(1), "round_keys": In(128 * (self.rounds + 1))})

    def elaborate(self, platform):
        m = Module()
        size, last = 16 * self.lanes, self.rounds
        keys = [round_key(self.round_keys, index, self.lanes) for index in range(last + 1)]
        mirrored = [mirror_columns(key) for key in keys]

        d = named(m, "d", self.decrypt.replicate(size))
        whitened = whiten_either(d, to_planes(self.i.payload), keys[0], mirrored[last])
        p = Pipeline(m, valid=self.i.valid, s=named(m, "whitened", Cat(whitened)), way=d)
        p.cut(**p.live)
        for r in range(1, last + 1):
            linear = either_steps(keys[r], mirrored[last - r], last=r == last)
            _apply(m, p, [*either_sbox_steps(self.sbox), *linear], self.round_stages, size, f"r{r}")

        assert p.depth == self.timing.latency
        out = unmirror(p.way, _split(p.s))
        m.d.comb += [self.o.valid.eq(p.valid), self.o.payload.eq(from_planes(out))]
        return m


def both_ways(*, sbox: str, **parameters) -> dict[str, Any]:
    """The pipelines of a core that serves both directions, by name: ``cipher``, or ``encryption`` and ``decryption``.

    The inversion in GF(2^8) can serve both directions, but not where S-boxes are block RAM, which has no gates.
    ``parameters`` are those of :class:`PipelinedEitherWay`.
    """
    if sbox in GATES:
        return {"cipher": PipelinedEitherWay(sbox=sbox, **parameters)}
    separate = {"encryption": PipelinedEncryption, "decryption": PipelinedDecryption}
    return {name: pipeline(sbox=sbox, **parameters) for name, pipeline in separate.items()}
