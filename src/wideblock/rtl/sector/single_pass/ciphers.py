# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The ciphers of single pass: pipelines for the blocks, which may encipher the tweaks, too."""

from amaranth import Cat, Mux, Value

from wideblock.rtl.aes.forms import beside
from wideblock.rtl.aes.iterative import IterativeEncryption
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEncryption, both_ways
from wideblock.rtl.aes.planes import named
from wideblock.rtl.stream.stages import blocks as blocks_of

from ..parameters import SinglePassParameters
from .slots import UnitSlots
from .timing import SinglePassCycles
from .values import Decision, SinglePassFrame

__all__ = ["Ciphers"]


class Ciphers:
    """The pipelines by name: a set for everything, a set for both directions, or a set for each direction.

    A core that only encrypts has a set of pipelines for blocks and tweaks, a cycle a tweak; other cores encipher tweaks
    in a sequential AES. With slots, blocks and tweaks bring keys, and the pipelines of both directions serve both.
    :meth:`connect` adds the pipelines to a core.
    """

    def __init__(self, p: SinglePassParameters):
        lanes = {"key_bits": p.key_bits, "round_stages": p.round_stages, "sbox": p.sbox, "lanes": p.lanes}
        if p.slots and p.direction == "encrypt":
            self.pipelines = {"lanes": PipelinedEncryption(travelling=True, **lanes)}
        elif p.slots:
            self.pipelines = both_ways(travelling=True, **lanes)
        elif p.direction == "encrypt":
            self.pipelines = {"lanes": PipelinedEncryption(key_sets=2, **lanes)}
        elif p.direction == "both":
            self.pipelines = both_ways(**lanes)
        else:
            self.pipelines = {"decryption": PipelinedDecryption(**lanes)}
        self.for_tweaks = IterativeEncryption(**beside(p))
        latency = next(iter(self.pipelines.values())).timing.latency
        self.cycles = SinglePassCycles(p, cipher=latency, tweak_cipher=self.for_tweaks.timing.latency)

    def connect(
        self, f: SinglePassFrame, blocks: list[Value], decision: Decision, *, tweak: Value, call: Value, called: Value
    ) -> list[Value]:
        """The results of the pipelines for ``blocks``. ``call`` asks for the encipherment of ``tweak``.

        Drives ``called`` as the call is taken, and writes what it gives to the queue of tweaks.
        """
        if f.slots:
            return self._keyed(f, f.slots, blocks, decision, tweak, call, called)
        return (self._shared if self.cycles.shared else self._separate)(f, blocks, decision, tweak, call, called)

    def _shared(
        self, f: SinglePassFrame, blocks: list[Value], decision: Decision, tweak: Value, call: Value, called: Value
    ) -> list[Value]:
        """One set of pipelines for blocks and tweaks."""
        m, lanes = f.m, self.pipelines["lanes"]
        m.submodules.lanes = lanes
        enters, entering = f.later("call", call), f.later("tweak", tweak)
        m.d.comb += [
            lanes.i.payload.eq(Cat(blocks)),
            lanes.i.valid.eq(decision.enters | enters),
            lanes.second.eq(enters),
            lanes.round_keys.eq(f.round_keys),
            called.eq(call),
        ]
        with m.If(enters):
            m.d.comb += lanes.i.payload[:128].eq(entering)
        m.d.comb += [
            f.tweaks.write.eq(f.tag("tweak", enters)[-1]),
            f.tweaks.data.eq(lanes.o.payload[:128]),
        ]
        return blocks_of(lanes.o.payload, len(blocks))

    def _keyed(
        self,
        f: SinglePassFrame,
        slots: UnitSlots,
        blocks: list[Value],
        decision: Decision,
        tweak: Value,
        call: Value,
        called: Value,
    ) -> list[Value]:
        """Pipelines for blocks and tweaks with keys: a block brings Key1, a tweak Key2."""
        m = f.m
        enters, entering = f.later("call", call), f.later("tweak", tweak)
        slots.calls(f.later("row", slots.row), enters)
        decrypt = named(m, "way", decision.decrypt & ~enters)
        given = named(m, "entering", Mux(enters, Cat(entering, *blocks[1:]), Cat(blocks)))
        key = named(m, "key_entering", Mux(enters, slots.tweak_keys.key, slots.data_keys.key))
        valid = decision.enters | enters
        for name, pipeline in self.pipelines.items():
            m.submodules[name] = pipeline
            m.d.comb += [pipeline.i.payload.eq(given), pipeline.i.valid.eq(valid), pipeline.key.eq(key)]
            if "decrypt" in pipeline.signature.members:
                m.d.comb += pipeline.decrypt.eq(decrypt)
        result, *other = (pipeline.o.payload for pipeline in self.pipelines.values())
        m.d.comb += [
            called.eq(call),
            slots.data_keys.used.eq(decision.enters),
            f.tweaks.write.eq(f.tag("tweak", enters)[-1]),
            f.tweaks.data.eq(Cat(result[:128], slots.called)),
        ]
        if other:
            result = named(m, "given", Mux(f.tag("way", decrypt)[-1], other[0], result))
        return blocks_of(result, len(blocks))

    def _separate(
        self, f: SinglePassFrame, blocks: list[Value], decision: Decision, tweak: Value, call: Value, called: Value
    ) -> list[Value]:
        """Pipelines for blocks, and a sequential AES for tweaks."""
        m = f.m
        half = len(f.round_keys) // 2
        m.submodules.tweak_cipher = own = self.for_tweaks
        m.d.comb += [
            own.i.payload.eq(tweak),
            own.i.valid.eq(call),
            own.round_keys.eq(f.round_keys[half:]),
            own.clear.eq(f.clear),
            own.o.ready.eq(1),
            called.eq(call & own.i.ready),
            f.tweaks.write.eq(own.o.valid),
            f.tweaks.data.eq(own.o.payload),
        ]
        if "cipher" in self.pipelines:
            m.d.comb += self.pipelines["cipher"].decrypt.eq(decision.decrypt)
        given, valid = Cat(blocks), decision.enters
        for name, pipeline in self.pipelines.items():
            m.submodules[name] = pipeline
            m.d.comb += [
                pipeline.i.payload.eq(given),
                pipeline.i.valid.eq(valid),
                pipeline.round_keys.eq(f.round_keys[:half]),
            ]
        result, *other = (pipeline.o.payload for pipeline in self.pipelines.values())
        if other:
            result = named(m, "given", Mux(f.tag("way", decision.decrypt)[-1], other[0], result))
        return blocks_of(result, len(blocks))
