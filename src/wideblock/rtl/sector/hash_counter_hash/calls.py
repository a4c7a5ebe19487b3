# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The single calls of hash-counter-hash: by the lanes, by an inverse cipher beside them, or by ciphers at both ends."""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth import Cat, Mux, Signal, Value

from wideblock.rtl.aes.backward import BackwardDecryption
from wideblock.rtl.aes.forms import beside
from wideblock.rtl.aes.iterative import IterativeDecryption, IterativeEncryption

from ..parameters import HashedParameters
from .equations import Structure
from .values import HchFrame, Single, Tags

__all__ = ["Called", "HchCalls"]


@dataclass(frozen=True)
class Called:
    """The ``result`` of the single call of ``sector``, valid with ``back``."""

    result: Value
    back: Value
    sector: Value


class HchCalls:
    """The ciphers of the single calls beside the lanes, and their cycles.

    latency: from the single call's block to the result; closing_latency: of the call of the inner block, or 0
    spacing: least cycles from a sector's calls to the next sector's
    """

    def __init__(self, p: HashedParameters, structure: Structure, cipher_latency: int):
        self.parameters, self.structure = p, structure
        self.shortcut = structure.shortcuts and not p.overlap
        self.cipher_latency = self.latency = cipher_latency
        self.spacing, self.closing_latency = 1, 0
        if structure.inverse_call:
            self.inverse = self._inverse_cipher(p)
            self.latency = max(cipher_latency, self.inverse.timing.latency)
            self.spacing = self.inverse.timing.interval
        if structure.end_calls:
            self.encryption = IterativeEncryption(**beside(p), key_sets=2)
            self.inverse = IterativeDecryption(**beside(p), key_sets=2)
            self.latency = self.encryption.timing.latency
            self.closing_latency = self.inverse.timing.latency
            self.spacing = max(self.encryption.timing.interval, self.inverse.timing.interval)

    @staticmethod
    def _inverse_cipher(p: HashedParameters) -> IterativeDecryption | BackwardDecryption:
        """The inverse cipher of the single call; with slots each block brings its key."""
        if not p.slots:
            return IterativeDecryption(**beside(p))
        more = beside(p)
        return BackwardDecryption(**more | {"round_stages": min(more["round_stages"], 2)})

    def single(self, f: HchFrame, single: Single, tags: Tags, keys: Sequence[Value]) -> Called:
        """The single call. ``keys`` are the round keys of the lanes, or with end calls those of the first and the last
        call when encrypting.
        """
        m = f.m
        if self.structure.end_calls:
            m.submodules.encryption = self.encryption
            result, back = self._end_call(f, "single", self.encryption, single, keys)
            return Called(result, back, f.stages.pointer("single_done", back))
        *_, waited = f.stages.delayed("single_tag", self.latency - self.cipher_latency, call=tags.called.single)
        back = waited.call
        sector = f.stages.pointer("single_done", back)
        called = Signal(128)
        m.d.comb += called.eq(self._waiting(f, tags))
        if self.structure.inverse_call:
            inverse = self._inverse(f, single, sector, keys)
            with m.If(f.later("single_done_decrypt", f.carried.direction.read(sector))):
                m.d.comb += called.eq(inverse)
        return Called(called, back, sector)

    def closing(self, f: HchFrame, inner: Single, keys: Sequence[Value]) -> tuple[Value, Value]:
        """Inverse AES of the inner block, and the pulse of the result."""
        f.m.submodules.inverse = self.inverse
        return self._end_call(f, "inner", self.inverse, inner, keys[::-1])

    def _end_call(
        self,
        f: HchFrame,
        name: str,
        cipher: IterativeEncryption | IterativeDecryption,
        call: Single,
        keys: Sequence[Value],
    ) -> tuple[Value, Value]:
        """A call under the first of the ``keys``, when decrypting the second; result, and pulse of the result."""
        f.m.d.comb += [
            cipher.i.payload.eq(call.block),
            cipher.i.valid.eq(f.later(f"{name}_call", call.go)),
            cipher.second.eq(f.later(f"{name}_call_decrypt", call.decrypt)),
            cipher.o.ready.eq(1),
            cipher.round_keys.eq(Cat(keys)),
            cipher.clear.eq(f.clear),
        ]
        *_, arrived = f.stages.delayed(f"{name}_tag", cipher.timing.latency, call=call.go)
        return cipher.o.payload, arrived.call

    def _waiting(self, f: HchFrame, tags: Tags) -> Value:
        """The lanes' result of the single call, kept until the inverse cipher would have one, too."""
        if self.latency == self.cipher_latency:
            return f.called
        kept = Signal(128, name="called")
        f.stages.hold(kept, f.called, f.later("called_back", tags.called.single))
        return kept

    def _inverse(self, f: HchFrame, single: Single, back_sector: Value, keys: Sequence[Value]) -> Value:
        """Inverse AES of the single call's block, in the cycle in which the result of the call is back."""
        m, inverse, go = f.m, self.inverse, f.later("inverse_go", single.go & single.decrypt)
        m.submodules.inverse = inverse
        m.d.comb += [
            inverse.i.payload.eq(single.block),
            inverse.i.valid.eq(go),
            inverse.o.ready.eq(1),
            (inverse.key if isinstance(inverse, BackwardDecryption) else inverse.round_keys).eq(keys[0]),
            inverse.clear.eq(f.clear),
        ]
        if self.latency == inverse.timing.latency:
            return inverse.ahead if self.shortcut else inverse.o.payload
        if not self.parameters.overlap:
            return inverse.o.payload  # which stays there until the next one
        done = f.stages.slots("inverse_done")
        sector = Signal.like(single.sector)
        called = f.later("inverse_sector", single.sector)
        with m.If(go | f.clear):
            m.d.sync += sector.eq(Mux(f.clear, 0, called))
        done.write(sector, inverse.o.payload, inverse.o.valid)
        return done.read(f.later("inverse_back", back_sector))
