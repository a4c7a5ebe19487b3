# SPDX-License-Identifier: Apache-2.0
"""The formal rules on one mutant: faults of the control without an occasion in simulation, for example a lost
credit.
"""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from wideblock.export.contract import Contract
from wideblock.synth import yosys
from wideblock.verify.formal.findings import OF_ENGINES, RULES, findings
from wideblock.verify.formal.flat import DATAPATH, Flat
from wideblock.verify.formal.proof import RuleResult
from wideblock.verify.formal.rules.engine import INSIDE
from wideblock.verify.mutation.mutants import Instrumented, Mutant

__all__ = ["broken_rule"]


def broken_rule(core: Contract, instrumented: Instrumented, mutant: Mutant) -> tuple[str, str] | None:
    """The first unproved rule of ``RULES`` for the mutant, and the statement of the rule."""
    flats: dict[tuple[str, ...], Flat] = {}
    for rule in RULES:
        closed = INSIDE if core.registers and not core.headed and rule in OF_ENGINES else DATAPATH
        if closed not in flats:
            flats[closed] = _flat(core, instrumented, mutant.number, closed)
        (finding,) = findings(core, (rule,), flats[closed])
        if finding.result is RuleResult.NOT_PROVED:
            return finding.rule, finding.detail
    return None


def _flat(core: Contract, instrumented: Instrumented, number: int, closed: Sequence[str]) -> Flat:
    """The mutant as one module, but for the submodules ``closed``."""
    part = re.compile(rf"^module \\({core.module}__core__(?:\w+__)?(?:{'|'.join(closed)}))$", re.MULTILINE)
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.joinpath("mutated.il").write_text(instrumented.rtlil)
        script = [
            "read_rtlil mutated.il",
            *(f"blackbox {module}" for module in part.findall(instrumented.rtlil)),
            *(f"cd {core.module}", "delete -input w:mutant", f"connect -set mutant 16'd{number}", "cd .."),
            *("flatten", "opt_expr", "write_rtlil flat.il"),
        ]
        yosys.run(script, where, "flatten")
        return Flat(core.module, where.joinpath("flat.il").read_text())
