# SPDX-License-Identifier: Apache-2.0
"""The operands of a hash unit's multipliers: arriving, waiting and held blocks, and powers of tau."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from amaranth import Module, Mux, Signal, Value
from amaranth.hdl import Cat
from amaranth.lib import memory

from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.stream.storage import store

from .powers import Powers, read_row
from .products import Special
from .words import ControlWords

__all__ = ["Operands"]


class Operands:
    """Chooses operands as the fields of the control ``word`` say; made once for all multipliers of a unit.

    beat:    arriving blocks, as elements of the field
    special: blocks driven by the core, as elements of the field
    powers:  reads a power of tau for a multiplier, in the row of a field of ``word``
    A window, a memory for each bank, keeps waiting blocks.
    """

    DEPTH: ClassVar[int] = 3
    """Tables between the memories and a multiplier's inputs: product or row, operand sum, read."""

    def __init__(
        self,
        m: Module,
        control: ControlWords,
        word: Any,
        powers: Powers,
        *,
        beat: Sequence[Value],
        special: Mapping[Special, Value],
        clear: Value,
        clear_row: Value,
    ):
        self._m, self._control, self._word, self._stored, self._special = m, control, word, powers, special
        self._clear, self._clear_row = clear, clear_row
        self._arriving = [self._arriving_at(bank, beat[bank % len(beat)]) for bank in range(control.banks)]
        self._window = {bank: self._window_of(bank) for bank in range(control.banks) if control.waits(bank)}
        self._squarers = self._make_squarers()

    def right(self, u: int, sums: Sequence[Value]) -> Signal:
        """The right operand of multiplier ``u``: a block, ``sums`` of products, both added, or nothing."""
        return self._operand(f"right{u}", [*sums, *self._blocks("right", u)])

    def left(self, u: int) -> Signal:
        """The left operand of multiplier ``u``: a power of tau or a block."""
        return self._operand(f"left{u}", [*self._powers(u), *self._blocks("left", u)])

    def beside(self, u: int) -> list[tuple[Signal, Signal]]:
        """The operands of the products beside a multiplier's product: a power of tau, and a block or nothing."""
        return [
            (
                self._operand(f"{side}{u}_left", [self._stored.read(u, f"{side}{u}_power")]),
                self._operand(f"{side}{u}_right", self._blocks(side, u)),
            )
            for side in self._control.sides[2:]
        ]

    def _arriving_at(self, bank: int, block: Value) -> Value:
        """The block arriving at a bank."""
        for special in self._control.specials_of(bank):
            block = Mux(self._word[f"write{bank}_{special.name}"], self._special[special], block)
        return block

    def _window_of(self, bank: int) -> memory.Memory:
        """The memory of a bank with waiting blocks."""
        m, word = self._m, self._word
        window = memory.Memory(shape=128, depth=max(2, self._control.slots), init=[])
        m.submodules[f"window{bank}"] = window
        slot, enable = word[f"slot{bank}"], word[f"write{bank}"]
        store(m, window, slot, self._arriving[bank], enable, clear=self._clear, clear_row=self._clear_row)
        return window

    def _make_squarers(self) -> list[Signal]:
        """Registers from tau^4 up by squaring."""
        m, word = self._m, self._word
        registers = [Signal(128, name=f"squarer{q}") for q in range(self._control.squarers)]
        for q, register in enumerate(registers):
            fourth = self._stored.square()
            argument = Signal(128, name=f"squarer{q}_argument")
            m.d.comb += argument.eq(Mux(word[f"open{q}"], fourth, register))
            with m.If(word[f"open{q}"] | word[f"square{q}"]):
                m.d.sync += register.eq(GF128.square(argument))
            with m.If(self._clear):
                m.d.sync += register.eq(0)
        return registers

    def _powers(self, u: int) -> list[Value]:
        """The power of tau in a left operand: stored, or in a squaring register."""
        stored = self._stored.read(u, f"power{u}")
        if not self._squarers:
            return [stored]
        uses = [self._word[f"use{u}_{q}"] for q in range(len(self._squarers))]
        return [
            Mux(Cat(uses).any(), 0, stored),
            *(register & use.replicate(128) for register, use in zip(self._squarers, uses, strict=True)),
        ]

    def _blocks(self, side: str, u: int) -> list[Value]:
        """The blocks in an operand, from the window or on the way into the window.

        A term for each bank read by the operand, and a term for each held block.
        """
        m, control, word = self._m, self._control, self._word
        return [
            *(
                read_row(m, self._window[b], word[f"{side}{u}_slot"]) & word[f"{side}{u}_{b}"].replicate(128)
                for b in control.waiting[side][u]
            ),
            *(self._arriving[b] & word[f"{side}{u}_fresh{b}"].replicate(128) for b in control.fresh[side][u]),
            *(self._special[s] & word[f"{side}{u}_{s.name}"].replicate(128) for s in control.held[side][u]),
        ]

    def _operand(self, name: str, terms: list[Value]) -> Signal:
        """The sum of an operand's terms; no term if a core has fewer blocks than multipliers."""
        operand = Signal(128, name=name)
        if terms:
            total = terms[0]
            for term in terms[1:]:
                total = total ^ term
            self._m.d.comb += operand.eq(total)
        return operand
