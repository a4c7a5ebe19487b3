# SPDX-License-Identifier: Apache-2.0
"""The outcome of a proof: what was proved and by which argument, why it was not, or why there was nothing to prove."""

from dataclasses import dataclass

__all__ = ["NotApplicable", "NotProved", "Proof"]


class NotProved(Exception):
    """The statement does not hold, or not by this argument; the text says where."""


class NotApplicable(Exception):
    """The core has nothing that the rule is about; the text says why."""


@dataclass(frozen=True)
class Proof:
    """A proof that went through: what was proved, by which argument, over how many gates and registers."""

    statement: str
    method: str
    gates: int
    registers: int
    seconds: float
