# SPDX-License-Identifier: Apache-2.0
"""The key unit: clearing, round keys, and the wait for what is derived from them."""

from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.key_expansion import KeyExpansion

__all__ = ["KeyUnit"]


class KeyUnit(wiring.Component):
    """Takes a key between two sectors, so that no sector sees two.

    Of the ``port_bits`` of a key the first ``key_bits`` are the cipher's; the others, which the core must take with
    ``taken``, are ``words``.

    After reset and after ``zeroize`` it holds ``clear`` high while ``clear_row`` goes twice over ``rows`` rows: once
    for what the memories hold, once for what was still under way. With a new key it asks for the hash key by
    ``derive``, a pulse once the round keys are there, and waits for ``derived``. ``running`` says that sectors may
    enter, ``waiting`` that a key is offered and no further sector may, ``idle`` that none is under way.

    Timing: ``clear`` for 2 * rows cycles; key taken to ``derive`` as :class:`KeyExpansion` to its ``ready``.
    Paths:  none from ``key.valid`` to ``key.ready``.
    """

    def __init__(self, *, key_bits: int, sbox: str, rows: int, port_bits: int | None = None):
        self.rows, self.key_bits = rows, key_bits
        port_bits = port_bits or key_bits
        self.expansion = KeyExpansion(key_bits=key_bits, sbox="lut" if sbox == "bram" else sbox)
        super().__init__(
            {
                "key": In(stream.Signature(port_bits)),
                "taken": Out(1),
                "words": Out(port_bits - key_bits),
                "zeroize": In(1),
                "idle": In(1),
                "derived": In(1),
                "derive": Out(1),
                "running": Out(1),
                "waiting": Out(1),
                "clear": Out(1),
                "clear_row": Out(range(rows)),
                "round_keys": Out(128 * (self.expansion.rounds + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.expansion = expansion = self.expansion
        count = Signal(range(2 * self.rows))
        taken = self.taken
        m.d.comb += [
            taken.eq(self.key.valid & self.key.ready),
            self.words.eq(self.key.payload[self.key_bits :]),
            expansion.key.valid.eq(taken),
            expansion.key.payload.eq(self.key.payload[: self.key_bits]),
            expansion.clear.eq(self.clear),
            self.round_keys.eq(expansion.round_keys),
            self.clear_row.eq(count),
        ]
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
                with m.If(taken):
                    m.next = "expansion"
                cleared_on_demand()
            with m.State("expansion"):
                with m.If(expansion.ready):
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
                with m.If(taken):
                    m.next = "expansion"
                cleared_on_demand()
        return m
