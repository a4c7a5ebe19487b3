# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The datapath with a pipeline behind its AES round, in which pairs of a message overlap."""

from collections.abc import Mapping
from typing import ClassVar

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Member, Out

from ..cipher import CipherShape
from .datapath import BLOCK, Datapath
from .offsets import Version, doubled
from .pipeline import AezPipeline, key_of
from .step import Added, AezKey, Base, Carry, Enter

__all__ = ["PipelinedDatapath"]


class PipelinedDatapath(Datapath):
    """A :class:`Datapath` with an :class:`AezPipeline`: a call may leave the AES' register after the first round.

    whole:  the pair before the offered block stays whole
    effect: the step's result is stored, added or given out

    Timing: as :class:`Datapath`; in the pipeline a call a cycle.
    Cost:   :class:`Datapath`, the pipeline, a choice of texts and of offsets.
    """

    more_ports: ClassVar[Mapping[str, Member]] = {"whole": In(1), "effect": Out(1)}
    remains = (*Datapath.remains, "pipeline.*")

    def __init__(self, version: Version, shape: CipherShape, layout: data.StructLayout, *, sbox: str, rows: int):
        super().__init__(version, shape, layout, sbox=sbox, rows=rows)
        self.pipeline = AezPipeline(version, sbox=sbox)
        self._Y = Signal(BLOCK, name="Y")  # T + the pipeline's result

    def _values(self, m: Module) -> None:
        line = self.pipeline
        base = Signal(BLOCK)
        result = Signal(BLOCK)
        m.d.comb += [self._Y.eq(self._T ^ line.result), base.eq(self._T), result.eq(line.result)]
        with m.Switch(self.step.base):
            with m.Case(Base.TEXT):
                m.d.comb += result.eq(self._state & self.step.result.replicate(BLOCK))
            with m.Case(Base.ROW):
                m.d.comb += base.eq(self._row)
            with m.Case(Base.CARRIED):
                m.d.comb += base.eq(line.carried)
        m.d.comb += self._V.eq(base ^ result)

    def _pipeline(self, m: Module, after: Value) -> None:
        m.submodules.pipeline = line = self.pipeline
        enter = self.step.enter
        m.d.comb += [
            Cat(line.I, line.J, line.L).eq(Cat(self._I, self._J, self._L)),
            line.enable.eq(self.go),
            line.clear.eq(self.clear),
            line.first.eq(after),
            line.made.eq(self.offsets.offset),
            line.second.eq(enter == Enter.SECOND),
            self.effect.eq((self.step.base == Base.TEXT) | line.live),
        ]
        with m.Switch(enter):
            for name, value in {Enter.SAME: line.live, Enter.WHOLE: self.whole, Enter.SECOND: 1}.items():
                with m.Case(name):
                    m.d.comb += line.enter.eq(value)
        texts = {Carry.H: self._H, Carry.CARRIED: line.carried, Carry.Y: self._Y, Carry.V: self._V}
        with m.Switch(self.step.carry):
            for name, value in texts.items():
                with m.Case(name):
                    m.d.comb += line.carry.eq(value)

    def _effective(self) -> Value:
        return self.go & self.effect

    def _added(self, m: Module, D: Value) -> Value:
        added = Signal(BLOCK)
        second, inner = D, Const(0, BLOCK)
        if self.version is Version.V5:
            second, inner = D ^ self._J ^ doubled(m, "J", self._J), self._I
        of = {Added.MADE: D, Added.SECOND: second, Added.INNER: inner, Added.FIRST: self.pipeline.late}
        with m.Switch(self.step.added):
            for name, value in of.items():
                with m.Case(name):
                    m.d.comb += added.eq(value)
        return added

    def _round_keys(self, m: Module) -> dict[AezKey, Value]:
        """As without a pipeline, and the first of a call that goes through it."""
        keys = super()._round_keys(m)
        first = key_of(m, self.version, 0, keys, self.pipeline.of_second)
        return {**keys, AezKey.LOAD: first, AezKey.KEEP: first}

    def _texts(self, m: Module, D: Value) -> None:
        super()._texts(m, D)
        with m.If(self._effective() & self.step.gather):
            m.d.sync += self._sum.eq(self._sum ^ self._Y)

    def _second_half(self) -> Value:
        return Mux(self.step.base == Base.TEXT, self._H, self.pipeline.carried)
