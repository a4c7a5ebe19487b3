# SPDX-License-Identifier: Apache-2.0
"""Everything that a scheme of the family hash-ECB-hash states: plans of both passes and equations."""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth import Value

from wideblock.rtl.hash.products import Block, HashEvent, HashPlan, Product, Special

__all__ = ["BACK", "FRONT", "EcbEquations"]


@dataclass(frozen=True)
class EcbFrontPlan(HashPlan):
    """Names for the products of the front hash."""

    U: HashEvent = HashEvent("U", "psi of the sector, from which U is made")
    X1: Special = Special("X1", "the zeros in front of a sector, or its ICV, known with the last beat")


@dataclass(frozen=True)
class EcbBackPlan(HashPlan):
    """Names for the products of the back hash."""

    Cm: HashEvent = HashEvent("Cm", "psi of the result, from which its last block is made")


FRONT, BACK = EcbFrontPlan(), EcbBackPlan()


class EcbEquations:
    """The equations of a scheme; values are 128 bits, byte 0 of a block in bits 7..0. ``mask`` is x^i beta for call i.

    Beside these a scheme states ``title``, ``key_material`` and ``reading``, see :class:`StoreAndForward`
    and :class:`TwoPass`.
    """

    def psi(self, X: Sequence[Block], into: HashEvent) -> list[Product]:
        """Products of the hash of all blocks but the last. The last product, labelled ``DIGEST``, raises ``into``:
        ``FRONT.U`` or ``BACK.Cm``.
        """
        raise NotImplementedError

    def betas(self, b1: Value, decrypt: Value) -> tuple[Value, Value]:
        """The masks before and after the cipher, for call 0, of b1 = E(T)."""
        raise NotImplementedError

    def U(self, Pm: Value, psi: Value) -> Value:
        """Added to all blocks, of the last block and the hash of the others."""
        raise NotImplementedError

    def first_call(self, U: Value, mask: Value) -> Value:
        """The cipher's input for V."""
        raise NotImplementedError

    def call(self, P: Value, U: Value, mask: Value) -> Value:
        """The cipher's input for a block."""
        raise NotImplementedError

    def V(self, CC: Value, mask: Value) -> Value:
        """V of the cipher's output."""
        raise NotImplementedError

    def result(self, CC: Value, V: Value, mask: Value) -> Value:
        """A block of the result, of the cipher's output."""
        raise NotImplementedError

    def last(self, V: Value, psi: Value) -> Value:
        """The last block of the result, of V and the hash of the others."""
        raise NotImplementedError
