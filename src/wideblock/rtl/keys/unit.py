# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The key unit: clearing, round keys, and the program that derives further values from them."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.key_expansion import KeyExpansion
from wideblock.rtl.aes.sbox import logic_sbox
from wideblock.rtl.stream.behaviour import Cause, Fault, KeyRule

from .material import KeyMaterial, KeyWord

__all__ = ["REFUSED", "KeyUnit"]

REFUSED = Fault(Cause.KEY, "a key had two equal halves")


class KeyUnit(wiring.Component):
    """Takes a key between two sectors, so that no sector sees two, and runs the scheme's derivations under it.

    After reset and after ``zeroize`` it holds ``clear`` high while ``clear_row`` goes twice over ``rows`` rows: once
    for what the memories hold, once for what was still under way. ``taken`` pulses with every key; in that cycle
    ``words`` are those of the port that are no AES keys. ``running``: sectors may enter. ``waiting``: a key is offered,
    and no further sector may enter. ``idle``, from the core: no sector is under way.

    Derivations: once the round keys are complete, ``derive`` pulses as the cipher has to take :attr:`block`. The core
    raises ``derived`` when all that it keeps itself is in place. A single derivation of a hash key is the core's own
    affair. With more, or with other words, the core gives the cipher's output in ``result`` with ``returned``;
    the unit then asks for the next one, keeps the words of :meth:`value`, and pulses ``load`` with the hash key.

    With two AES keys, ``round_keys`` are those of both, one after the other; equal keys are ``refused``, a pulse, and
    leave no key.

    Timing: ``clear`` for 2 * rows cycles; the rest is :meth:`setup`.
    Paths:  none from ``key.valid`` to ``key.ready``; ``returned`` to ``derive`` and ``load``.
    Cost:   one key expansion; for a second AES key registers for its round keys and the wait of the first; 128
            registers for each derived word that is kept.
    """

    def __init__(self, material: KeyMaterial, *, sbox: str, rows: int, round_stages: int = 1):
        if (len(material.ciphers), material.rule) not in ((1, KeyRule.ANY), (2, KeyRule.HALVES_DIFFER)):
            raise ValueError(
                f"a key unit takes one AES key, or two that must differ; got {len(material.ciphers)} under the rule "
                f"{material.rule.name}"
            )
        self.material, self.rows = material, rows
        self.expansion = KeyExpansion(
            key_bits=material.ciphers[0].bits, sbox=logic_sbox(sbox), round_stages=round_stages
        )
        self.calls = len(material.derivations)
        self.sequenced = self.calls > 1 or bool(material.stored)
        raw, both = material.raw, len(material.ciphers) == 2
        super().__init__(
            {
                "key": In(stream.Signature(material.bits)),
                "taken": Out(1),
                "zeroize": In(1),
                "idle": In(1),
                "derived": In(1),
                "derive": Out(1),
                "running": Out(1),
                "waiting": Out(1),
                "clear": Out(1),
                "clear_row": Out(range(rows)),
                "round_keys": Out(len(material.ciphers) * 128 * (self.expansion.rounds + 1)),
                **({"words": Out(sum(word.bits for word in raw))} if raw else {}),
                **({"refused": Out(1)} if both else {}),
                **({"returned": In(1), "result": In(128), "load": Out(1)} if self.sequenced else {}),
                **{f"value_{word.name}": Out(word.bits) for word in material.stored},
            }
        )
        self._asked = Signal(range(self.calls + 1), name="asked")  # calls of the program that the cipher has taken

    def setup(self, *, call: int, loading: int) -> int:
        """Cycles from a key accepted to ``running``: ``call`` of the cipher, ``loading`` from hash key to ``derived``.

        A hash key of the port is loaded while the AES key is expanded. One that is derived is loaded while those after
        it in the program are derived. Without a hash key, ``loading`` begins with the last derived word.
        """
        expansion = len(self.material.ciphers) * self.expansion.timing.latency
        derived, hash_key = expansion + self.calls * call, self.material.hash_key
        if hash_key is None:
            return derived + loading + 2
        into = [derivation.into for derivation in self.material.derivations]
        known = expansion + (into.index(hash_key) + 1) * call if hash_key in into else 0
        return max(derived, known + loading) + 2

    @property
    def block(self) -> Value:
        """The cipher's input while ``derive``: the block of the present derivation."""
        blocks = [derivation.block for derivation in self.material.derivations]
        chosen: Value = Const(blocks[0] if blocks else 0, 128)
        for number, block in enumerate(blocks[1:], 1):
            chosen = Mux(self._asked == number, Const(block, 128), chosen)
        return chosen

    def word(self, word: KeyWord) -> Value:
        """A word of the port that is no AES key, in the cycle of ``taken``."""
        start = sum(before.bits for before in self.material.raw[: self.material.raw.index(word)])
        return self.words[start : start + word.bits]

    def value(self, word: KeyWord) -> Signal:
        """A derived word that the unit keeps, while ``running``."""
        return getattr(self, f"value_{word.name}")

    def elaborate(self, platform):
        m = Module()
        m.submodules.expansion = expansion = self.expansion
        count = Signal(range(2 * self.rows))
        taken = self.taken
        m.d.comb += [
            taken.eq(self.key.valid & self.key.ready),
            self.clear_row.eq(count),
        ]
        if raw := self.material.raw:
            m.d.comb += self.words.eq(Cat(self.key.payload[self.material.place(word)] for word in raw))
        accepted, expanded = (self._one_key if len(self.material.ciphers) == 1 else self._two_keys)(m, taken)
        m.d.sync += self.waiting.eq(self.key.valid & self.running & ~taken)
        derived = self._program(m, accepted) if self.sequenced else self.derived

        def cleared_on_demand():
            with m.If(self.zeroize):
                m.d.sync += count.eq(0)
                m.next = "clear"

        with m.FSM():
            with m.State("clear"):
                m.d.comb += self.clear.eq(1)
                m.d.sync += count.eq(count + 1)
                with m.If(count == 2 * self.rows - 1):
                    m.next = "no key"
                cleared_on_demand()
            with m.State("no key"):
                m.d.comb += self.key.ready.eq(expansion.key.ready)
                with m.If(accepted):
                    m.next = "expansion"
                with m.Elif(taken):
                    m.next = "refused"
                cleared_on_demand()
            with m.State("refused"):
                m.next = "no key"
                cleared_on_demand()
            with m.State("expansion"):
                with m.If(expanded):
                    m.d.comb += self.derive.eq(1)
                    m.next = "derivation"
                cleared_on_demand()
            with m.State("derivation"):
                if self.sequenced:
                    m.d.comb += self.derive.eq(self.returned & (self._asked != self.calls))
                with m.If(derived):
                    m.next = "running"
                cleared_on_demand()
            with m.State("running"):
                m.d.comb += [
                    self.running.eq(1),
                    self.key.ready.eq(self.waiting & self.idle & expansion.key.ready),
                ]
                with m.If(accepted):
                    m.next = "expansion"
                with m.Elif(taken):
                    m.next = "refused"
                cleared_on_demand()
        return m

    def _program(self, m: Module, accepted: Value) -> Value:
        """Counts the calls that were asked for, keeps what returns; high when all did and the core is done, too."""
        asked = self._asked
        finished = Signal()
        into = [derivation.into for derivation in self.material.derivations]
        returned = {word: self.returned & (asked == number) for number, word in enumerate(into, 1)}
        if self.material.hash_key in returned:
            m.d.comb += self.load.eq(returned[self.material.hash_key])
        m.d.sync += asked.eq(asked + self.derive)
        with m.If(returned[into[-1]]):
            m.d.sync += finished.eq(1)
        for word in self.material.stored:
            with m.If(returned[word]):
                m.d.sync += self.value(word).eq(self.result)
        with m.If(accepted | self.clear):
            m.d.sync += [asked.eq(0), finished.eq(0)]
        with m.If(self.clear):
            m.d.sync += [self.value(word).eq(0) for word in self.material.stored]
        return finished & self.derived

    def _one_key(self, m: Module, taken: Value) -> tuple[Value, Value]:
        """Expands the AES key. Returns whether a key is accepted, and whether its round keys are complete."""
        expansion = self.expansion
        m.d.comb += [
            expansion.key.valid.eq(taken),
            expansion.key.payload.eq(self.key.payload[self.material.place(self.material.ciphers[0])]),
            expansion.clear.eq(self.clear),
            self.round_keys.eq(expansion.round_keys),
        ]
        return taken, expansion.ready

    def _two_keys(self, m: Module, taken: Value) -> tuple[Value, Value]:
        """Expands the second AES key, then the first. Returns the same as :meth:`_one_key`."""
        expansion = self.expansion
        key1, key2 = (self.key.payload[self.material.place(word)] for word in self.material.ciphers)
        accepted = Signal()
        halfway = Signal()
        forget = Signal()
        waiting_key = Signal(len(key1))
        second_keys = Signal(len(expansion.round_keys))
        on_key1 = Signal()
        m.d.comb += [
            accepted.eq(taken & (key1 != key2)),
            halfway.eq(expansion.ready & ~on_key1),
            expansion.key.valid.eq(accepted | halfway),
            expansion.key.payload.eq(Mux(halfway, waiting_key, key2)),
            expansion.clear.eq(forget),
            self.round_keys.eq(Cat(expansion.round_keys, second_keys)),
            forget.eq(self.clear | self.refused),
        ]
        m.d.sync += self.refused.eq(taken & ~accepted & ~self.zeroize)
        with m.If(accepted):
            m.d.sync += [waiting_key.eq(key1), on_key1.eq(0)]
        with m.If(halfway):
            m.d.sync += [second_keys.eq(expansion.round_keys), waiting_key.eq(0), on_key1.eq(1)]
        with m.If(forget):
            m.d.sync += [s.eq(0) for s in (waiting_key, second_keys, on_key1)]
        return accepted, expansion.ready & on_key1
