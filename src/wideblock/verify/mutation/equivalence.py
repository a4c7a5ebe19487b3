# SPDX-License-Identifier: Apache-2.0
"""Mutants that are no faults: those that Yosys proves to change nothing that a port of the core or of their module can
show, whatever the inputs."""

import re
import tempfile
from pathlib import Path

from wideblock.synth import process, yosys
from wideblock.verify.mutation.mutants import Instrumented, Mutant

__all__ = ["same_module", "without_effect"]

_CELL = re.compile(r"^ *cell \$eq .*?^ *end$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"^ *connect \\B \d+'([01]+)$", re.MULTILINE)
_TEMPORARY = re.compile(r"^ *wire .*(\\_\d+_)$", re.MULTILINE)
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


def same_module(instrumented: Instrumented, mutant: Mutant, top: str) -> bool:
    """Whether the mutant's module is proved to behave as before: by induction over its registers and its ports.

    What other modules do is not known to the proof, nor which states are reached; memories are not taken apart.
    """
    module = "__".join([top, *mutant.module.split(".")]) if mutant.module else top
    chosen = (("right", 0), ("wrong", mutant.number))
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.joinpath("mutated.il").write_text(instrumented.rtlil)
        unnamed = sorted({*_TEMPORARY.findall(instrumented.rtlil), "\\mutant"})  # the change may be in any of these
        where.joinpath("unnamed.txt").write_text("\n".join(unnamed) + "\n")
        script = [
            "read_rtlil mutated.il",
            *(f"select {module}", "memory_collect", "opt_clean", "dffunmap", "opt_clean", "select -clear"),
            *(f"copy {module} {copy}" for copy, _ in chosen),
            *(
                line
                for copy, number in chosen
                for line in (f"cd {copy}", "delete -input w:mutant", f"connect -set mutant 16'd{number}", "cd ..")
            ),
            "expose -evert right wrong",
            "delete -output right/w:*.mutant wrong/w:*.mutant",
            "equiv_make -blacklist unnamed.txt right wrong same",
            *("hierarchy -top same", "opt_clean", "async2sync"),
            *("equiv_simple", "equiv_induct -seq 4", "equiv_status -assert"),
        ]
        try:
            yosys.run(script, where, "same", timeout=60)
        except process.FlowError:
            return False
    return True
