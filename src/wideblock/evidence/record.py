# SPDX-License-Identifier: Apache-2.0
"""A piece of evidence: a result about a core, with circuit and checking code."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["OUTCOMES", "Evidence", "EvidenceKind", "from_json", "key_of", "named"]


class EvidenceKind(StrEnum):
    """Kind of a result; the value of a member is the word in the store.

    AREA:     figures after synthesis for a target
    CLOCK:    the same with a clock, routed or before layout
    PROOF:    a formal rule
    VERIFY:   the suite of checks, in simulation
    MEASURE:  the cycle contract, in simulation
    MUTATION: faults in the Verilog that the checks and rules find
    COVERAGE: lines, toggles and crosses of events and states that the checks reach
    """

    AREA = "area"
    CLOCK = "clock"
    PROOF = "proof"
    VERIFY = "verify"
    MEASURE = "measure"
    MUTATION = "mutation"
    COVERAGE = "coverage"


OUTCOMES = ("passed", "failed", "none")
"""passed: as wanted, or measured; failed: a fault, or a tool that failed; none: nothing to show for such a core."""


def named(core: str, changed: Mapping[str, Any]) -> str:
    """Preset and changes in a line, for example "fast-brw-1 sbox=composite"."""
    return " ".join((core, *(f"{name}={value}" for name, value in changed.items())))


def key_of(kind: EvidenceKind, subject: str, core: str, changed: Mapping[str, Any], method: Mapping[str, Any]) -> str:
    """Equal for results of a question, perhaps of an older and a newer circuit."""
    return json.dumps([kind, subject, core, changed, method], sort_keys=True)


@dataclass(frozen=True)
class Evidence:
    """A result.

    kind:       kind of the result
    subject:    target of an area or a clock, rule of a proof, suite of the checks
    core:       preset or part; of a peer repository and module
    changed:    parameters that differ from the preset's own
    parameters: all parameters of the core; empty where not noted
    method:     settings of the run, such as options, seed, number of sectors
    circuit:    digest of the circuit, see :func:`wideblock.synth.circuit.circuit`; None where not noted. Older results
                have "text:" and a digest of the Verilog's text
    code:       digest of the checking code, see :mod:`wideblock.evidence.code`, and of the contract of the core, see
                :mod:`wideblock.evidence.stated`; None where the tools alone decide, and where not noted
    tools:      each tool with its version
    version, commit: of wideblock; commit None outside a repository, with "-dirty" where the code was changed since
    date:       day of the run, ISO 8601; None where not noted
    seconds:    of CPU time for proofs, checks and scores, of run time for areas and clocks; None where not noted
    outcome:    one of :data:`OUTCOMES`
    result:     figures, statement or reason, by name

    Raises ValueError for an unknown kind or outcome.
    """

    kind: EvidenceKind
    subject: str
    core: str
    changed: Mapping[str, Any]
    parameters: Mapping[str, Any]
    method: Mapping[str, Any]
    circuit: str | None
    code: str | None
    tools: tuple[str, ...]
    version: str
    commit: str | None
    date: str | None
    seconds: float | None
    outcome: str
    result: Mapping[str, Any]

    def __post_init__(self):
        EvidenceKind(self.kind)
        if self.outcome not in OUTCOMES:
            raise ValueError(f"outcome must be one of {', '.join(OUTCOMES)}, got {self.outcome!r}")

    @property
    def name(self) -> str:
        """As :func:`named`, the changes in the order of the store."""
        return named(self.core, dict(sorted(self.changed.items())))

    @property
    def key(self) -> str:
        """As :func:`key_of`."""
        return key_of(self.kind, self.subject, self.core, self.changed, self.method)

    def is_of(self, circuit: str | None, code: str | None) -> bool:
        """True if the result is of the given circuit and checking code."""
        return self.circuit is not None and (self.circuit, self.code) == (circuit, code)

    def json(self) -> str:
        """The result in a line, equal from run to run."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True, separators=(",", ":"))


_SETTINGS = {
    **dict.fromkeys((EvidenceKind.AREA, EvidenceKind.CLOCK), ("options", "route_options", "seed", "aim_mhz", "origin")),
    EvidenceKind.PROOF: ("netlist",),
    EvidenceKind.VERIFY: ("amount", "judge", "seed"),
    EvidenceKind.MEASURE: (),
    EvidenceKind.MUTATION: ("mutants", "sectors", "seed"),
    EvidenceKind.COVERAGE: ("sectors", "seed"),
}
"""Least settings in the method of a result, by kind."""

_KINDS = {
    ("an object", dict): ("changed", "parameters", "method", "result"),
    ("a list", list): ("tools",),
    ("text", str): ("subject", "core", "version"),
    ("text or null", str | None): ("circuit", "code", "commit", "date"),
    ("a number or null", int | float | None): ("seconds",),
}
"""JSON types of the fields, with words for messages."""


def from_json(line: str) -> Evidence:
    """The evidence written by :meth:`Evidence.json`. Raises ValueError with the fault of the line."""
    content = json.loads(line)
    if not isinstance(content, dict):
        raise ValueError(f"a JSON object is wanted, got {type(content).__name__}")
    names = {field.name for field in dataclasses.fields(Evidence)}
    if missing := names - content.keys():
        raise ValueError(f"field {', '.join(sorted(missing))} is missing")
    if more := content.keys() - names:
        raise ValueError(f"there is no field {', '.join(sorted(more))}")
    for (words, kind), fields in _KINDS.items():
        for name in fields:
            if not isinstance(content[name], kind):
                raise ValueError(f"{name} must be {words}, got {content[name]!r}")
    if not all(isinstance(tool, str) for tool in content["tools"]):
        raise ValueError(f"tools must be texts, got {content['tools']!r}")
    kind = EvidenceKind(content["kind"])
    if missing := set(_SETTINGS[kind]) - content["method"].keys():
        raise ValueError(f"the method of a result of kind {kind} needs {', '.join(sorted(missing))}")
    return Evidence(**content | {"kind": kind, "tools": tuple(content["tools"])})
