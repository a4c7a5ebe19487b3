# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The pipeline: rounds two to four of AES4, and what goes beside them."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.planes import named

from .datapath import BLOCK
from .offsets import Version
from .overlap import CALL
from .round import full_round
from .step import AES4, AES4_V4, AezKey

__all__ = ["AezPipeline", "key_of"]


def key_of(m: Module, version: Version, place: int, keys: dict[AezKey, Value], second: Value) -> Value:
    """The round key at ``place``, from 0; ``second``: the call is one of j = 2."""
    usual, other = keys[AES4[place]], keys[AES4_V4[place]]
    if version is Version.V5 or AES4_V4[place] is AES4[place]:
        return usual
    return named(m, f"key{place}", Mux(second, other, usual))


class AezPipeline(wiring.Component):
    """Gives AES4 of a call as ``result``, four cycles after the first round's result in ``first``.

    carried, live: out, with the result: text and flag of the call, given as ``carry`` and ``enter`` when loaded
    made:          in, offset of a pair's first call; ``late``: out, ``made`` of ``2 CALL`` cycles ago
    second:        in, the loaded call is of j = 2; ``of_second``: in, the call in the first round is of j = 2

    Timing: from a call loaded to its result ``CALL`` cycles with ``enable``.
    Cost:   three rounds, 48 S-boxes, 512 registers, delay lines of ``CALL`` and of ``2 CALL`` blocks.
    Security: no masking; nothing is left after ``2 CALL`` cycles of ``clear``.
    """

    def __init__(self, version: Version, *, sbox: str):
        self.version, self.sbox = version, sbox
        blocks = {name: In(BLOCK) for name in ("I", "J", "L", "first", "carry", "made")}
        bits = {name: In(1) for name in ("enter", "second", "enable", "clear")}
        found = {name: Out(BLOCK) for name in ("result", "carried", "late")}
        super().__init__({**blocks, **bits, **found, "live": Out(1), "of_second": Out(1)})

    def elaborate(self, platform):
        m = Module()
        seconds = self._line(m, "second", self.second, len(AES4))
        keys = {AezKey.I: self.I, AezKey.J: self.J, AezKey.L: self.L, AezKey.ZERO: Const(0, BLOCK)}
        value = self.first
        for place in range(1, len(AES4) + 1):
            stage = Signal(BLOCK, name=f"stage{place}", reset_less=True)
            with m.If(self.enable):
                m.d.sync += stage.eq(value)
            with m.If(self.clear):
                m.d.sync += stage.eq(0)
            value = stage
            if place < len(AES4):
                key = key_of(m, self.version, place, keys, seconds[place])
                value = full_round(m, stage, key, sbox=self.sbox, name=f"r{place}_")
        m.d.comb += [
            self.result.eq(value),
            self.carried.eq(self._line(m, "carry", self.carry, CALL)[-1]),
            self.live.eq(self._line(m, "live", self.enter, CALL)[-1]),
            self.late.eq(self._line(m, "made", self.made, 2 * CALL)[-1]),
            self.of_second.eq(seconds[0]),
        ]
        return m

    def _line(self, m: Module, name: str, value: Value, length: int) -> list[Signal]:
        """``value`` after one cycle with ``enable``, two, ..; shift registers without a reset, cleared by zeros."""
        line = [Signal(len(value), name=f"{name}{at}", reset_less=True) for at in range(length)]
        with m.If(self.enable | self.clear):
            m.d.sync += Cat(line).eq(Cat(value & ~self.clear.replicate(len(value)), *line[:-1]))
        return line
