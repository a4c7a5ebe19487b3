# SPDX-License-Identifier: Apache-2.0
"""Squares on the fly: the start of each squaring register, for a product's power of tau in time.

A register opens with tau^4, the square of the stored tau^2, and then squares itself once a step. The paper's circuit
has two squaring registers for 31 blocks; here the number follows from the schedule of a program.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .program import Program, colour

__all__ = ["OPEN", "SQUARE", "Squares", "plan"]

OPEN, SQUARE = 1, 2  # what a register does at the end of a step


@dataclass(frozen=True)
class Squares:
    """The squaring registers of a program, and their actions.

    registers: number of registers
    actions:   step -> register -> OPEN or SQUARE
    source:    (step, multiplier) of a product -> the register with the power
    """

    registers: int
    actions: Mapping[int, Mapping[int, int]]
    source: Mapping[tuple[int, int], int]


def plan(program: Program) -> Squares:
    """Returns the squaring registers of ``program``: a power tau^(2^j), j >= 2, is opened j - 1 steps before its use.

    Raises ValueError if a left operand wants a power above 3 that is not a power of two.
    Source: Chakraborty et al., IEEE TC 62(2), section 3 and Fig. 7.
    """
    places: list[list[tuple[int, int]]] = []
    actions: dict[int, dict[int, int]] = {}
    source = {}
    for issue in program.issues:
        power = issue.product.power
        if isinstance(power, tuple) or power < 4:
            continue
        if power & (power - 1):
            raise ValueError(f"squares on the fly give powers of two only, not tau^{power}")
        opened = issue.step - (power.bit_length() - 2)
        register = colour(places, opened, issue.step, program.period)
        for step in range(opened, issue.step):
            actions.setdefault(step, {})[register] = OPEN if step == opened else SQUARE
        source[issue.step, issue.multiplier] = register
    return Squares(len(places), actions, source)
