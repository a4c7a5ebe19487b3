# SPDX-License-Identifier: Apache-2.0
"""Mutants that are no faults: mutants that Yosys proves without effect on any port of the core or of the module,
whatever the inputs.
"""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from wideblock.synth import process, yosys
from wideblock.verify.mutation.mutants import Instrumented, Mutant

__all__ = ["same_module", "without_effect"]

_CELL = re.compile(r"^ *cell \$eq .*?^ *end$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"^ *connect \\B \d+'([01]+)$", re.MULTILINE)
_TEMPORARY = re.compile(r"^ *wire .*(\\_\d+_)$", re.MULTILINE)
_SECONDS = 30
_SIMPLER = ("opt_expr -keepdc", "opt_clean -purge", "opt_dff -keepdc")


def without_effect(instrumented: Instrumented, top: str) -> set[int]:
    """Numbers of the mutants that change only what no output depends on.

    The core with all mutants is taken apart into gates and simplified: constants are followed, through registers, too,
    and what nothing reads is removed. A mutant has no effect if no comparison with the mutant's number is left.
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
    """Whether the mutant's module is proved to behave as before, whatever other modules do.

    Memories and instances are not taken apart: inputs of the parts are compared, outputs may be anything.
    """
    module = "__".join([top, *mutant.module.split(".")]) if mutant.module else top
    chosen = (("right", 0), ("wrong", mutant.number))
    both = [
        "read_rtlil mutated.il",
        *(f"select {module}", "memory_collect", "opt_clean", "dffunmap", "opt_clean", "select -clear"),
        *(f"copy {module} {copy}" for copy, _ in chosen),
        *(
            line
            for copy, number in chosen
            for line in (f"cd {copy}", "delete -input w:mutant", f"connect -set mutant 16'd{number}", "cd ..")
        ),
    ]
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.joinpath("mutated.il").write_text(instrumented.rtlil)
        unnamed = sorted({*_TEMPORARY.findall(instrumented.rtlil), "\\mutant"})  # the change may be in any of these
        where.joinpath("unnamed.txt").write_text("\n".join(unnamed) + "\n")
        return _by_induction(both, where) or _from_reset(both, where)


def _by_induction(both: Sequence[str], where: Path) -> bool:
    """Whether modules ``right`` and ``wrong``, as left by the script, stay alike from any common state on: fast for
    data paths. Which states are reached is not known to the proof.
    """
    script = [
        *both,
        "expose -evert right wrong",
        "delete -output right/w:*.mutant wrong/w:*.mutant",
        "equiv_make -blacklist unnamed.txt right wrong same",
        *("hierarchy -top same", "opt_clean", "async2sync"),
        *("equiv_simple", "equiv_induct -seq 4", "equiv_status -assert"),
    ]
    return _holds(script, where)


def _from_reset(both: Sequence[str], where: Path) -> bool:
    """Whether modules ``right`` and ``wrong`` are alike in each state that is reached, by ABC's property-directed
    reachability: for control, some states of which are never reached."""
    script = [
        *both,
        "expose -evert right/c:* wrong/c:*",
        "delete -output right/w:*mutant wrong/w:*mutant",
        "miter -equiv -flatten -make_assert right wrong same",
        *("hierarchy -top same", "async2sync", "opt_clean", "setundef -undriven -anyseq"),
        *("techmap", "opt -fast", "dffunmap", "zinit -all", "aigmap", "opt_clean", "write_aiger -zinit same.aig"),
    ]
    if not _holds(script, where):
        return False
    said = yosys.abc(["read_aiger same.aig", f"pdr -T {_SECONDS}"], where, "reach")
    return "Property proved." in said


def _holds(script: Sequence[str], where: Path) -> bool:
    try:
        yosys.run(script, where, "same", timeout=_SECONDS + 30)
    except process.FlowError:
        return False
    return True
