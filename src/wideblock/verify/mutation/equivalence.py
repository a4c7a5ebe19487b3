# SPDX-License-Identifier: Apache-2.0
"""Mutants that are no faults: those that Yosys proves to change nothing that a port can show, whatever the inputs."""

import re
import tempfile
from pathlib import Path

from wideblock.synth import yosys
from wideblock.verify.mutation.mutants import Instrumented

__all__ = ["without_effect"]

_CELL = re.compile(r"^ *cell \$eq .*?^ *end$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"^ *connect \\B \d+'([01]+)$", re.MULTILINE)
_SIMPLER = ("opt_expr -keepdc", "opt_clean -purge", "opt_dff -keepdc")


def without_effect(instrumented: Instrumented, top: str) -> set[int]:
    """Numbers of the mutants that change only what no output depends on.

    The core with all mutants is taken apart into gates and simplified: constants are followed, through registers, too,
    and what nothing reads is removed. A mutant whose number is compared with nowhere after that has no effect.
    """
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.joinpath("mutated.il").write_text(instrumented.rtlil)
        script = [
            "read_rtlil mutated.il",
            f"hierarchy -top {top}",
            "flatten",
            "memory_collect",
            "opt_clean -purge",
            "simplemap t:* t:$eq %d",
            *(_SIMPLER * 3),
            "opt_clean -purge",
            "tee -q -o compared.txt dump t:$eq",
        ]
        yosys.run(script, where, "effect")
        cells = _CELL.findall(where.joinpath("compared.txt").read_text())
    numbers = (_NUMBER.search(cell) for cell in cells if "connect \\A \\mutant\n" in cell)
    return {mutant.number for mutant in instrumented.mutants} - {int(found[1], 2) for found in numbers if found}
