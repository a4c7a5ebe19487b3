# SPDX-License-Identifier: Apache-2.0
"""The key unit: clearing, round keys, and the wait for what is derived from them."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.key_expansion import KeyExpansion
from wideblock.rtl.stream.behaviour import Cause, Fault

__all__ = ["REFUSED", "KeyUnit"]

REFUSED = Fault(Cause.KEY, "a key had two equal halves")


class KeyUnit(wiring.Component):
    """Takes a key between two sectors, so that no sector sees two.

    The first ``key_bits`` of what it takes are the cipher's key; the last ``word_bits`` are ``words``, which the core
    must take with ``taken``.

    After reset and after ``zeroize`` it holds ``clear`` high while ``clear_row`` goes twice over ``rows`` rows: once
    for what the memories hold, once for what was still under way. With a new key it asks for the hash key by
    ``derive``, a pulse once the round keys are there, and waits for ``derived``. ``running`` says that sectors may
    enter, ``waiting`` that a key is offered and no further sector may, ``idle`` that none is under way.

    With two ``keys`` the key is Key1 || Key2 and ``round_keys`` those of both, one after the other. Equal ones are
    ``refused``, a pulse, and leave no key.

    Timing: ``clear`` for 2 * rows cycles; key taken to ``derive`` as :class:`KeyExpansion` to its ``ready``, once for
            each of ``keys``.
    Paths:  none from ``key.valid`` to ``key.ready``.
    Cost:   one key expansion; for a second key registers for its round keys and the wait of the first.
    """

    def __init__(
        self, *, key_bits: int, sbox: str, rows: int, round_stages: int = 1, word_bits: int = 0, keys: int = 1
    ):
        if keys not in (1, 2):
            raise ValueError(f"keys must be 1 or 2, got {keys!r}")
        self.rows, self.key_bits, self.keys = rows, key_bits, keys
        self.expansion = KeyExpansion(
            key_bits=key_bits, sbox="lut" if sbox == "bram" else sbox, round_stages=round_stages
        )
        super().__init__(
            {
                "key": In(stream.Signature(keys * key_bits + word_bits)),
                "taken": Out(1),
                "zeroize": In(1),
                "idle": In(1),
                "derived": In(1),
                "derive": Out(1),
                "running": Out(1),
                "waiting": Out(1),
                "clear": Out(1),
                "clear_row": Out(range(rows)),
                "round_keys": Out(keys * 128 * (self.expansion.rounds + 1)),
                **({"words": Out(word_bits)} if word_bits else {}),
                **({"refused": Out(1)} if keys == 2 else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.expansion = expansion = self.expansion
        count = Signal(range(2 * self.rows))
        taken = self.taken
        m.d.comb += [
            taken.eq(self.key.valid & self.key.ready),
            self.clear_row.eq(count),
        ]
        if "words" in self.signature.members:
            m.d.comb += self.words.eq(self.key.payload[self.keys * self.key_bits :])
        accepted, expanded = self._keys(m, taken)
        m.d.sync += self.waiting.eq(self.key.valid & self.running & ~taken)

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
                with m.If(self.derived):
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

    def _keys(self, m: Module, taken: Value) -> tuple[Value, Value]:
        """Whether what is ``taken`` is a key, and whether all round keys of the last one are there."""
        expansion = self.expansion
        if self.keys == 1:
            m.d.comb += [
                expansion.key.valid.eq(taken),
                expansion.key.payload.eq(self.key.payload[: self.key_bits]),
                expansion.clear.eq(self.clear),
                self.round_keys.eq(expansion.round_keys),
            ]
            return taken, expansion.ready
        size = self.key_bits
        key1, key2 = self.key.payload[:size], self.key.payload[size : 2 * size]
        accepted = Signal()
        halfway = Signal()
        forget = Signal()
        waiting_key = Signal(size)
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
