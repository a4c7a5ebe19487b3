# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""AES a block a cycle: the papers' pipelined encryption core (PEC) and pipelined decryption core (PDC)."""

from collections.abc import Sequence
from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.forms import GATES, ROUNDS, logic_sbox
from wideblock.rtl.aes.planes import from_planes, named, separated, to_planes
from wideblock.rtl.aes.round import Round
from wideblock.rtl.aes.rounds import check_parameters, mirror_columns, round_key, unmirror, whiten_either
from wideblock.rtl.aes.travelling import TravellingKeys
from wideblock.rtl.pipeline import FixedLatency, Pipeline, Timing

__all__ = ["PipelinedDecryption", "PipelinedEitherWay", "PipelinedEncryption", "both_ways"]


class _Pipelined(wiring.Component):
    """The rounds one after another; a subclass states the direction."""

    _inverse: bool | None
    """Direction; None for both, chosen by ``decrypt`` beside each block."""

    def __init__(
        self,
        *,
        key_bits: int = 128,
        round_stages: int = 1,
        sbox: str = "lut",
        lanes: int = 1,
        key_sets: int = 1,
        ahead: bool = False,
        travelling: bool = False,
    ):
        encrypts = self._inverse is False
        check_parameters(key_bits, sbox, **({"kinds": GATES} if self._inverse is None else {}))
        if round_stages not in (1, 2, 3, 4):
            raise ValueError(f"round_stages must be 1, 2, 3 or 4, got {round_stages!r}")
        if lanes < 1:
            raise ValueError(f"lanes must be 1 or more, got {lanes!r}")
        if key_sets not in ((1, 2) if encrypts else (1,)):
            raise ValueError(f"key_sets must be {'1 or 2' if encrypts else '1 to decrypt'}, got {key_sets!r}")
        if ahead and self._inverse is None:
            raise ValueError("ahead must be False for both directions: their result is not in its own order before")
        if travelling and key_sets != 1:
            raise ValueError(f"key_sets must be 1 where each block brings its key, got {key_sets!r}")
        self.key_bits, self.round_stages, self.sbox, self.lanes = key_bits, round_stages, sbox, lanes
        self.key_sets, self.schedule = key_sets, None
        self.rounds = ROUNDS[key_bits]
        self.timing = Timing(latency=1 + self.rounds * round_stages, interval=1)
        streams = FixedLatency(128 * lanes, 128 * lanes).members
        choice = {"second": In(1)} if key_sets == 2 else {"decrypt": In(1)} if self._inverse is None else {}
        early = {"ahead": Out(128 * lanes)} if ahead else {}
        if travelling:
            self.schedule = TravellingKeys(
                key_bits=key_bits, round_stages=round_stages, sbox=logic_sbox(sbox), inverse=self._inverse
            )
        keys = {"key": In(key_bits)} if travelling else {"round_keys": In(128 * (self.rounds + 1) * key_sets)}
        super().__init__({**streams, **keys, **choice, **early})

    def elaborate(self, platform):
        m = Module()
        keys, inverse_keys = self._keys(m)
        p = Pipeline(m, valid=self.i.valid, **self._whitened(m, keys[0], inverse_keys[0]))
        if not self._rom_is_state:
            p.cut(**p.live)
        rounds = [self._round(r) for r in range(1, self.rounds + 1)]
        _chain(m, p, rounds, self.round_stages)
        for part, key, inverse_key in zip(rounds, keys[1:], inverse_keys[1:], strict=True):
            m.d.comb += part.key.eq(key)
            if self._inverse is None:
                m.d.comb += part.inverse_key.eq(inverse_key)
        if self._rom_is_state:
            p.cut(s=p.s)

        assert p.depth == self.timing.latency
        out = separated(p.s) if self._inverse is not None else unmirror(p.way, separated(p.s))
        m.d.comb += [self.o.valid.eq(p.valid), self.o.payload.eq(from_planes(out))]
        if "ahead" in self.signature.members:
            ahead = p.ahead["s"] if self._rom_is_state else rounds[-1].ahead
            m.d.comb += self.ahead.eq(from_planes(separated(ahead)))
        return m

    def _whitened(self, m: Module, key: Value, inverse_key: Value) -> dict[str, Value]:
        """Planes of the block with its first round key added and, for both directions, ``way``: its direction."""
        first, block = round_key(key, 0, self.lanes), to_planes(self.i.payload)
        if self._inverse is not None:
            return {"s": named(m, "whitened", Cat(s ^ k for s, k in zip(block, first, strict=True)))}
        way = named(m, "d", self.decrypt.replicate(16 * self.lanes))
        last = round_key(inverse_key, 0, self.lanes)
        return {"s": named(m, "whitened", Cat(whiten_either(way, block, first, mirror_columns(last)))), "way": way}

    def _keys(self, m: Module) -> tuple[list[Value], list[Value]]:
        """The round keys in the order of their use, and where both directions are served, those to decrypt."""
        numbers = list(range(self.rounds + 1))
        if self.schedule is not None:
            m.submodules.schedule = schedule = self.schedule
            m.d.comb += schedule.key.eq(self.key)
            if self._inverse is None:
                m.d.comb += schedule.decrypt.eq(self.decrypt)
            keys = [schedule.round_keys[128 * k : 128 * k + 128] for k in numbers]
            return keys, keys
        if self.key_sets == 2:
            keys = self._chosen(m, numbers)
        else:
            order = reversed(numbers) if self._inverse else numbers
            keys = [self.round_keys[128 * k : 128 * k + 128] for k in order]
        return keys, keys[::-1]

    def _chosen(self, m: Module, numbers: Sequence[int]) -> list[Value]:
        """The round key of the set chosen by ``second`` with the block."""
        keys, chosen = [], self.second
        for index in numbers:  # an encryption adds a round's key in the last of its stages
            first, second = (self.round_keys[128 * k : 128 * k + 128] for k in (index, index + self.rounds + 1))
            keys.append(named(m, f"key{index}", Mux(chosen, second, first)))
            for stage in range(self.round_stages):
                following = Signal(name=f"second{index}_{stage}")
                m.d.sync += following.eq(chosen)
                chosen = following
        return keys

    @property
    def _rom_is_state(self) -> bool:
        """Whether the single register of a round is inside the S-boxes; the last register is then behind all rounds."""
        return self.sbox == "bram" and self.round_stages == 1

    def _round(self, r: int) -> Round:
        last = r == self.rounds
        return Round(
            inverse=self._inverse,
            sbox=self.sbox,
            stages=self.round_stages,
            lanes=self.lanes,
            last=last,
            ahead=last and not self._rom_is_state and "ahead" in self.signature.members,
        )


def _chain(m: Module, p: Pipeline, rounds: Sequence[Round], stages: int) -> None:
    """Rounds of ``stages`` stages one after another, behind the live signals."""
    for r, part in enumerate(rounds, start=1):
        m.submodules[f"round{r}"] = part
        m.d.comb += [part.i[name].eq(value) for name, value in p.live.items()]
        for _ in range(stages):
            p.cut()
        p.live = {name: part.o[name] for name in part.o.shape().members}


class PipelinedEncryption(_Pipelined):
    """``o`` is AES of ``i`` under ``round_keys``, a block a cycle and lane: the papers' PEC.

    ``lanes`` blocks go side by side, block 0 in the low bits; a gate of the description serves all lanes.
    ``round_keys`` holds the round keys in order, the first lowest, and must not change while blocks are in flight.
    With two ``key_sets``, ``round_keys`` has round keys of two keys; ``second``, beside ``i``, chooses a block's key.
    With ``travelling``, ``key`` takes the place of ``round_keys``, beside ``i``: the key of the present cycle's blocks
    alone, as for :class:`.travelling.TravellingKeys`.

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

    ``round_keys`` is what encryption takes, in the same order. With ``travelling``, ``key`` is that of
    :class:`.travelling.LastRoundKeys`.

    Timing: latency 1 + rounds * round_stages (11 for AES-128 with one stage), full rate, never stalls.
            With ``ahead``, a port of that name has the result a cycle earlier, before the last register.
    Cost:   16 inverse S-boxes a round and lane; 128 registers a stage, more where a register stands inside an S-box.
    Bytes:  byte 0 of a block is bits 7..0.
    Source: FIPS 197, 5.3.
    Security: no masking; the cycle count does not depend on data or key.
    """

    _inverse = True


class PipelinedEitherWay(_Pipelined):
    """``o`` is AES of ``i`` under ``round_keys``, or with ``decrypt`` beside it inverse AES: a block a cycle and lane.

    An inversion in GF(2^8) serves S-box and inverse. A block to decrypt has mirrored columns: both directions shift
    rows alike. With ``travelling``, ``key`` is as in :class:`PipelinedEncryption`, with ``decrypt`` as in
    :class:`PipelinedDecryption`.

    Timing: latency 1 + rounds * round_stages (11 for AES-128 with one stage), full rate, never stalls.
    Cost:   16 inversions a round and lane, about three quarters of a pipeline for each direction; deeper logic.
    Bytes:  byte 0 of a block is bits 7..0.
    Source: FIPS 197, 5.1 and 5.3.
    Security: no masking; the cycle count does not depend on data or key.
    """

    _inverse = None


def both_ways(*, sbox: str, **parameters) -> dict[str, Any]:
    """The pipelines of a core that serves both directions, by name: ``cipher``, or ``encryption`` and ``decryption``.

    The inversion in GF(2^8) can serve both directions, but not where S-boxes are block RAM, which has no gates.
    ``parameters`` are those of :class:`PipelinedEitherWay`.
    """
    if sbox in GATES:
        return {"cipher": PipelinedEitherWay(sbox=sbox, **parameters)}
    separate = {"encryption": PipelinedEncryption, "decryption": PipelinedDecryption}
    return {name: pipeline(sbox=sbox, **parameters) for name, pipeline in separate.items()}
