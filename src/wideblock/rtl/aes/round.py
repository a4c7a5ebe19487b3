# SPDX-License-Identifier: Apache-2.0
"""A round of a pipeline as a part of its own: equal rounds are one module of the Verilog."""

from collections.abc import Callable, Iterable

from amaranth import Cat, Module, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.planes import LayerPart, Planes, from_planes, named, separated, to_planes
from wideblock.rtl.aes.rounds import (
    cut_places,
    either_sbox_steps,
    either_steps,
    inv_shift_rows,
    mirror_columns,
    mix_steps,
    round_key,
    shift_rows,
    unmix_steps,
)
from wideblock.rtl.aes.sbox import rom, sbox_steps
from wideblock.rtl.pipeline import OUTLINE, Pipeline

__all__ = ["Round"]


class Round(wiring.Component):
    """``o`` is a round of AES of ``i`` under ``key``, a block a cycle and lane.

    ``i`` and ``o`` have the state ``s`` as planes side by side, bit k of plane b at 16 * ``lanes`` * b + k. A round for
    blocks of either direction has beside it ``way``, a plane that is high for bytes to decrypt, and ``inverse_key``.

    inverse: whether it decrypts; None: it does either, as ``way`` says
    last:    whether the round is the last, without MixColumns ahead:   whether a port of this name has the state a
             cycle before ``o``

    Timing: latency ``stages``, full rate, never stalls. The first register of S-boxes in block RAM is their read; with
            one stage the logic behind the read ends at the register of the next round.
    Source: FIPS 197, 5.1 and 5.3.
    """

    def __init__(
        self,
        *,
        inverse: bool | None,
        sbox: str,
        stages: int,
        lanes: int = 1,
        last: bool = False,
        ahead: bool = False,
    ):
        self._inverse, self._sbox, self._stages, self._last = inverse, sbox, stages, last
        self._size = 16 * lanes
        self._lanes = lanes
        either = inverse is None
        state = data.StructLayout({"s": 8 * self._size} | ({"way": self._size} if either else {}))
        super().__init__(
            {
                "i": In(state),
                "o": Out(state),
                "key": In(128),
                **({"inverse_key": In(128)} if either else {}),
                **({"ahead": Out(8 * self._size)} if ahead else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        if platform == OUTLINE:
            return m
        names = self.i.shape().members
        p = Pipeline(m, valid=None, **{name: self.i[name] for name in names})
        stages = self._stages
        if self._sbox == "bram":
            stages = self._read(m, p)
            steps = self._linear()
        else:
            steps = [*self._substitution(), *self._linear()]
        cuts = cut_places([step.levels for step in steps], stages) if stages else ()
        for i, step in enumerate(steps):
            self._run(m, p, step, f"r{i}")
            if i in cuts:
                p.cut(**p.live)
        assert p.depth == self._stages
        if self._sbox == "bram":
            p.live["s"] = Cat(self._ports(m, p.s, "out"))

        m.d.comb += [self.o[name].eq(p.live[name]) for name in names]
        if "ahead" in self.signature.members:
            m.d.comb += self.ahead.eq(p.ahead["s"])
        return m

    def _run(self, m: Module, p: Pipeline, step: LayerPart, name: str) -> None:
        """One step, without a register."""
        live = {
            key: [value[at : at + self._size] for at in range(0, len(value), self._size)]
            for key, value in p.live.items()
        }
        p.live = {key: named(m, f"{name}_{key}", Cat(planes)) for key, planes in step.apply(m, live, name).items()}

    @staticmethod
    def _ports(m: Module, state: Value, name: str) -> Planes:
        """The planes of a state, with names: a net without a name gets a number, and rounds with different numbers
        would not be one module."""
        return [named(m, f"{name}{b}", plane) for b, plane in enumerate(separated(state))]

    def _permutation(self) -> Callable[[Planes], Planes]:
        return inv_shift_rows if self._inverse else shift_rows

    def _substitution(self) -> Iterable[LayerPart]:
        """SubBytes and ShiftRows in gates."""
        if self._inverse is None:
            return either_sbox_steps(self._sbox)
        # a table in halves only where there are more registers than other places for them
        *front, back = sbox_steps(self._sbox, self._inverse, halves=self._stages == 4)

        def apply_back(m, live, name):
            planes = back.apply(m, live, name)["s"]
            return {"s": self._permutation()([named(m, f"{name}_o{b}", plane) for b, plane in enumerate(planes)])}

        return [*front, LayerPart(back.levels, apply_back)]

    def _read(self, m: Module, p: Pipeline) -> int:
        """SubBytes and ShiftRows in block RAM; returns the registers to come.

        The ROM's read is a register of the round; with more than two registers the ROM's output register counts, too.
        """
        address = named(m, "address", from_planes(self._ports(m, p.s, "in")))
        p.cut()
        values = to_planes(rom(m, address, "sbox", inverse=bool(self._inverse)))
        p.live["s"] = named(
            m, "rows", Cat(self._permutation()([named(m, f"read{b}", x) for b, x in enumerate(values)]))
        )
        if self._stages > 2:
            p.cut(s=p.s)
        return self._stages - p.depth

    def _linear(self) -> list[LayerPart]:
        """The steps after the S-boxes."""
        key = round_key(self.key, 0, self._lanes)
        if self._inverse is None:
            return either_steps(key, mirror_columns(round_key(self.inverse_key, 0, self._lanes)), last=self._last)
        return (unmix_steps if self._inverse else mix_steps)(key, last=self._last)
