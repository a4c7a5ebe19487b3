# SPDX-License-Identifier: Apache-2.0
"""The outcome of a proof: the claim and the argument, or the reason for a failure or for nothing to prove."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

__all__ = ["NotApplicable", "NotProved", "Proof", "RuleFinding", "RuleResult", "attempted"]


class NotProved(Exception):
    """The statement does not hold, or not by this argument; the text says where."""


class NotApplicable(Exception):
    """The core has nothing that the rule is about; the text says why."""


@dataclass(frozen=True)
class Proof:
    """A successful proof: claim, argument, numbers of gates and registers."""

    statement: str
    method: str
    gates: int
    registers: int
    seconds: float


class RuleResult(Enum):
    """How the proof of a rule ended."""

    PROVED = "proved"
    NOT_PROVED = "NOT PROVED"
    NONE = "none"


@dataclass(frozen=True)
class RuleFinding:
    """The result for one rule. ``detail`` is the statement if proved, else the reason; ``seconds`` are of CPU time."""

    rule: str
    result: RuleResult
    detail: str
    proof: Proof | None = None
    seconds: float = 0.0


def attempted(module: str, rule: str, attempt: Callable[[], Proof]) -> RuleFinding:
    """The result of a proof for the core called ``module`` in Verilog."""
    start = _cpu()
    try:
        proof = attempt()
    except NotApplicable as reason:
        return RuleFinding(rule, RuleResult.NONE, str(reason), None, _cpu() - start)
    except NotProved as reason:
        return RuleFinding(rule, RuleResult.NOT_PROVED, str(reason).removeprefix(f"{module}: "), None, _cpu() - start)
    return RuleFinding(rule, RuleResult.PROVED, proof.statement, proof, _cpu() - start)


def _cpu() -> float:
    """Seconds of CPU time of the process and of ended children."""
    times = os.times()
    return times.user + times.children_user
