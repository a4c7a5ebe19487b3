# SPDX-License-Identifier: Apache-2.0
"""Evidence that no tool gave, to see where it ends up."""

import pytest

from wideblock.evidence.record import Evidence, EvidenceKind


@pytest.fixture
def proof():
    """A proof of a rule for a core; fields may be said."""

    def make(core="xts-enc", subject="timing", **fields):
        usual = {
            "kind": EvidenceKind.PROOF,
            "changed": {},
            "parameters": {},
            "method": {"netlist": None},
            "circuit": "1:a",
            "code": "rules",
            "tools": ("Yosys 0",),
            "version": "0",
            "commit": None,
            "date": "2026-01-02",
            "seconds": 2.5,
            "outcome": "passed",
            "result": {"detail": "d", "method": "m", "gates": 1},
        }
        return Evidence(core=core, subject=subject, **usual | fields)

    return make
