# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The cores of hash-counter-hash for messages that state their sizes: blocks and tweaks of any length.

    i -> entrance -+-> front hash -> R -> [E] or [D] -> G, Z
                   +-> input ring -> counter mode -+-> result ring -> o
                                                   +-> back hash -> inner

Three messages can be under way: one in the first pass, one in the second, and one that leaves. A message takes the last
step of its first pass when the one before it is through its second, so each pass has one, whose values are registers.
A pass goes over the header block, the tweak and the message's blocks one by one; the number of steps is known with the
first block, and nothing but a counter orders them.
"""

from dataclasses import dataclass, replace
from typing import Any

from amaranth import Const, Module, Mux, Signal, Value
from amaranth.lib import data

from wideblock.rtl.aes.forms import beside
from wideblock.rtl.aes.iterative import IterativeDecryption
from wideblock.rtl.aes.pipelined import PipelinedEncryption
from wideblock.rtl.bytes import bits, up_to
from wideblock.rtl.flow.cycles import Cycles
from wideblock.rtl.hash.run import HornerRun
from wideblock.rtl.keys.material import KeyMaterial
from wideblock.rtl.stream.behaviour import Behaviour, Fault, Length, SectorTiming, StatedLength
from wideblock.rtl.stream.interface import Interface
from wideblock.rtl.stream.sector import sector_interface
from wideblock.rtl.stream.sized_entrance import SizedEntrance
from wideblock.rtl.stream.sized_exit import SizedExit
from wideblock.rtl.stream.stages import Stages, select
from wideblock.rtl.stream.storage import Ring

from ..parameters import AnyLengthParameters
from ..store_and_forward import StoreAndForward
from .equations import HchAnyEquations
from .walk import Walk

__all__ = ["HashCounterHashAny"]

LEAST = 16
"""Bytes of the shortest message."""


@dataclass(frozen=True)
class HchAnyFrame:
    """Shared by all stages.

    message:   header of the message in the second pass; X: its first block
    R, G, Z:   see :class:`HchAnyEquations`
    called:    G and Z are known
    taken, computed: numbers of the message in the first pass, and of the one in the second
    input, result: rings of blocks as they arrived, and of the results
    """

    m: Module
    stages: Stages
    clear: Value
    message: data.View
    X: Signal
    R: Signal
    G: Signal
    Z: Signal
    called: Signal
    taken: Signal
    computed: Signal
    input: Ring
    result: Ring


@dataclass(frozen=True)
class Pulses:
    """The last step of the first pass is taken; R is known; the single call is back; Y_1 is known."""

    whole: Signal
    hashed: Signal
    called: Signal
    known: Signal


class HashCounterHashAny(HchAnyEquations, StoreAndForward):
    """A core of the family for messages of 16 to ``longest`` bytes; a scheme states its :class:`HchAnyEquations`.

    A message states its size and its tweak's with its first beat. ``sector_bytes`` and ``tweak_bytes`` are the sizes
    for which ``timing`` is stated; :meth:`cycles` has it for any.

    Timing, Paths: those of :class:`StoreAndForward`, the same for each message of these sizes.
    """

    def __init__(self, parameters: AnyLengthParameters):
        self.parameters = p = parameters
        self.lanes = PipelinedEncryption(key_bits=p.key_bits, round_stages=p.round_stages, sbox=p.sbox)
        self.inverse = IterativeDecryption(**beside(p))
        self.cipher_latency = self.lanes.timing.latency
        rows = -(-p.longest // 16)
        self.held = -(-p.most_tweak_bytes // 16)
        steps = {"most": rows + self.held, "stages": p.mult_stages, "leaf": p.leaf, "reading": self.reading}
        self.hashes = HornerRun(**steps), HornerRun(**steps)
        first, second = self._passes(p.tweak_bytes, p.sector_bytes)
        held = _blocks(p.tweak_bytes)
        stated = Cycles.stated(
            compute=first + second, beats=p.beats, interval=second + 1, held=held, residence=second + 1 + p.beats
        )
        super().__init__(
            p,
            cipher_latency=self.cipher_latency,
            cycles=replace(stated, pace=None),  # a message begins when the one before it is through its first pass
            held=held,
            rows=rows,
            depths=[self.cipher_latency + p.mult_stages + 2, self.hashes[0].decimation],
            loading=self.hashes[0].setup,
        )

    # Cycles, ports and behaviour

    def _passes(self, tweak_bytes: int, size: int) -> tuple[int, int]:
        """Cycles to the last step of the first pass, and from there to the last block known.

        A pass has a step for the header, for each block of the tweak, and for each of the message behind its first. In
        the second pass those before the message's blocks are taken while the single call is under way.
        """
        A, s = self.cipher_latency, self.parameters.mult_stages
        before, behind = 1 + _blocks(tweak_bytes), _blocks(size) - 1
        return before + behind, s + (A + behind if behind else before) + A + s

    def cycles(self, tweak_bytes: int, size: int) -> SectorTiming:
        """The cycle contract for messages of ``size`` bytes under tweaks of ``tweak_bytes``."""
        first, second = self._passes(tweak_bytes, size)
        compute, interval = first + second, second + 1
        latency = compute + 1 + _blocks(size)
        return replace(
            self.timing, compute=compute, latency=latency, busy=latency + interval - first, interval=interval
        )

    def _make_entrance(self) -> Any:
        p = self.parameters
        return SizedEntrance(least=LEAST, most=p.longest, tweak_bytes=p.most_tweak_bytes)

    def _make_exit(self, sector_bits: int) -> Any:
        return SizedExit(most=self.parameters.longest, sector_bits=sector_bits)

    def _make_interface(self, material: KeyMaterial, faults: tuple[Fault, ...]) -> Interface:
        p = self.parameters
        return sector_interface(
            1,
            material.bits,
            faults,
            key_parts=material.text,
            key_width=p.key_width,
            keep=True,
            tweak_bits=8 * p.most_tweak_bytes,
            sized=True,
        )

    def _make_behaviour(self, material: KeyMaterial, faults: tuple[Fault, ...], held: int) -> Behaviour:
        p = self.parameters
        return replace(
            super()._make_behaviour(material, faults, held),
            length=StatedLength(
                LEAST, p.longest, p.sector_bytes, Length(0, p.most_tweak_bytes), p.tweak_bytes, self.cycles
            ),
        )

    # Hardware

    def elaborate(self, platform):
        m = Module()
        pulses = Pulses(*(Signal(name=name) for name in ("whole", "hashed", "called_now", "known")))
        f = self._frame(m, pulses)
        admit = Signal()  # the present step of the first pass may be taken

        front = self._first_pass(f, pulses, admit)
        step = self._second_pass(f, pulses)
        arrived = self._lanes(f, pulses, step)
        self._results(f, pulses, arrived)
        left = self._way_out(f, pulses)

        admission = self._admission(m, pulses.whole, taken=f.taken, computed=f.computed, left=left)
        m.d.comb += admit.eq(~front.final | admission.free)
        idle = self.entrance.between & admission.done
        self._hash_keys(m, self.hashes, idle=idle, returned=arrived.tau, result=self.lanes.o.payload)
        return m

    def _frame(self, m: Module, pulses: Pulses) -> HchAnyFrame:
        """Key unit, hashes, ciphers, and the memories and registers of the messages under way."""
        stages = self._stages(m)
        m.submodules.front_hash, m.submodules.back_hash = self.hashes
        m.submodules.lanes, m.submodules.inverse = self.lanes, self.inverse
        message = Signal(self.entrance.header.shape(), name="message")
        X, R, G, Z = (Signal(128, name=name) for name in ("X", "R", "G", "Z"))
        called = Signal(name="called")
        taken, computed = stages.pointer("front", pulses.whole), stages.pointer("inner", pulses.known)
        rings = (stages.ring(name, 128) for name in ("input_ring", "result_ring"))
        m.d.comb += self.computed.eq(pulses.known)
        stages.hold(called, ~pulses.known, pulses.called | pulses.known)
        return HchAnyFrame(m, stages, self.key_unit.clear, message, X, R, G, Z, called, taken, computed, *rings)

    # Stages, in the order of the data

    def _first_pass(self, f: HchAnyFrame, pulses: Pulses, admit: Value) -> Walk:
        """The hash of the message as it arrives; the first block stays at the entrance until the tweak is hashed."""
        m, entrance, hash = f.m, self.entrance, self.hashes[0]
        fault = entrance.fault.any()
        walk = Walk(m, "front", entrance.header, self.held, fault | f.clear)
        opening = self._enter(m, admit=admit, offer=walk.go, ready=walk.ready, first=walk.before)
        X = Signal(128, name="front_X")
        f.stages.hold(X, entrance.x.data, opening)
        f.stages.hold(f.X, Mux(walk.before, entrance.x.data, X), pulses.whole)
        f.stages.hold(f.message, entrance.header, pulses.whole)
        f.input.write(f.stages.row(walk.number, f.taken), entrance.x.data, entrance.take)
        self._hash(m, hash, walk, entrance.header, entrance.x.data, walk.go & ~fault)
        m.d.comb += [pulses.whole.eq(walk.go & walk.final & ~fault), pulses.hashed.eq(hash.done)]
        return walk

    def _second_pass(self, f: HchAnyFrame, pulses: Pulses) -> Walk:
        """The steps of the counter mode, from R on; those of the message's own blocks from Z on."""
        walk = Walk(f.m, "lane", f.message, self.held, f.clear)
        steps = Signal(name="steps")
        f.stages.hold(steps, pulses.hashed, pulses.hashed | (walk.go & walk.final))
        f.m.d.comb += walk.go.eq(steps & (walk.before | f.called))
        return walk

    def _lanes(self, f: HchAnyFrame, pulses: Pulses, step: Walk) -> Any:
        """Calls of the key unit, the single call and the counter mode. Returns flags of those that arrive."""
        m, keys, inverse, lanes = f.m, self.key_unit, self.inverse, self.lanes
        R = Signal(128, name="R_now")
        m.d.comb += R.eq(self.R([f.X], f.message.decrypt, self.hashes[0].result))
        f.stages.hold(f.R, R, pulses.hashed)
        block = Mux(pulses.hashed, R, self.counter(f.Z, step.number))
        m.d.comb += [
            lanes.i.payload.eq(Mux(keys.derive | f.clear, keys.block, block)),
            lanes.round_keys.eq(keys.round_keys),
            inverse.i.payload.eq(R),
            inverse.i.valid.eq(pulses.hashed & f.message.decrypt),
            inverse.o.ready.eq(1),
            inverse.round_keys.eq(keys.round_keys),
            inverse.clear.eq(f.clear),
        ]
        flags = {"single": pulses.hashed, "tau": keys.derive, "step": step.go}
        *_, arrived = f.stages.delayed("tag", self.cipher_latency, **flags)
        # with three or more registers a round the inverse cipher is done earlier, and holds its result
        G = Mux(f.message.decrypt, inverse.o.payload, lanes.o.payload)
        f.stages.hold(f.G, G, arrived.single)
        f.stages.hold(f.Z, self.Z(f.R, G, None), arrived.single)
        m.d.comb += pulses.called.eq(arrived.single)
        return arrived

    def _results(self, f: HchAnyFrame, pulses: Pulses, arrived: Any) -> None:
        """The blocks Y_i into the result ring and the back hash, and Y_1 into the ring when that is known."""
        m, row, hash = f.m, f.stages.row, self.hashes[1]
        walk = Walk(m, "y", f.message, self.held, f.clear)
        plain = f.input.read(row(walk.following, f.computed), Const(1))
        kept = bits(up_to(f.message.end[:4])) | ~walk.final.replicate(128)
        Y, inner = Signal(128, name="Y"), Signal(128, name="inner")
        m.d.comb += [
            walk.go.eq(arrived.step),
            Y.eq((self.lanes.o.payload ^ plain) & kept),
            inner.eq(self.inner(f.G, hash.result)),
            pulses.known.eq(hash.done),
        ]
        self._hash(m, hash, walk, f.message, Y, walk.go)
        number = Mux(pulses.known, 0, walk.number)
        known = pulses.known | (walk.go & ~walk.before)
        f.result.write(row(number, f.computed), Mux(pulses.known, inner, Y), known)

    def _hash(self, m: Module, hash: HornerRun, walk: Walk, header: data.View, own: Value, go: Value) -> None:
        """A step of a pass; its block is ``own`` if it is one of the message."""
        whole = header.end[:4] == 15
        tweak = [header.tweak[128 * k : 128 * k + 128] for k in range(self.held)]
        before = select([self.header(header.tweak_size, whole), *tweak], walk.held)
        m.d.comb += [
            hash.go.eq(go),
            hash.first.eq(walk.first),
            hash.left.eq(walk.left),
            hash.block.eq(Mux(walk.before, before, Mux(walk.final, self.padded(own, header.end[:4]), own))),
        ]

    def _way_out(self, f: HchAnyFrame, pulses: Pulses) -> Value:
        """Reads results from their ring. Returns the message that leaves."""
        ends = f.stages.slots("ends", len(f.message.end))
        ends.write(f.computed, f.message.end, pulses.hashed)
        leaving = self._leave(f.m, f.stages, f.computed)
        f.m.d.comb += [
            leaving.end.eq(ends.read(leaving.sector)),
            leaving.data.eq(f.result.read(f.stages.row(leaving.number, leaving.sector), leaving.load)),
        ]
        return leaving.sector


def _blocks(size: int) -> int:
    """Blocks of ``size`` bytes, the last one perhaps in part."""
    return -(-size // 16)
