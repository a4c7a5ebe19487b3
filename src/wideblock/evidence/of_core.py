# SPDX-License-Identifier: Apache-2.0
"""Evidence on a core made now, by the running code."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from wideblock.evidence.code import code
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.export.contract import Contract
from wideblock.synth.circuit import circuit
from wideblock.synth.yosys import Source

__all__ = ["evidence_of"]


def evidence_of(
    core: Contract,
    kind: EvidenceKind,
    subject: str,
    *,
    method: Mapping[str, Any],
    checks: str,
    tool: str,
    seconds: float,
    outcome: str,
    result: Mapping[str, Any],
) -> Evidence:
    """A result about ``core``, of today, with the circuit; ``checks`` is the digest of the checking code."""
    version, commit = code()
    return Evidence(
        kind=kind,
        subject=subject,
        core=core.name,
        changed=dict(core.changed),
        parameters=core.settings,
        method=method,
        circuit=circuit(Source(core.verilog, core.module)),
        code=checks,
        tools=(tool,),
        version=version,
        commit=commit,
        date=date.today().isoformat(),
        seconds=seconds,
        outcome=outcome,
        result=result,
    )
