# SPDX-License-Identifier: Apache-2.0
"""Most mutants of a right core die; which ones live is known and harmless."""

from itertools import islice

import pytest

from wideblock.verify.mutation import KINDS, mutants, try_mutant

from .toy_core import Toy

TOY = Toy()


# What may live: comparisons that feed a flaw the toy was built without, and data registers that need no reset.
@pytest.mark.parametrize(
    "kind, seed, deaths", [("gate", 0, 3), ("constant", 0, 1), ("operand", 0, 3), ("reset", 13, 3)]
)
def test_mutants_die(kind, seed, deaths):
    tried = list(islice(mutants(TOY.verilog, kind, seed=seed), 3))
    reports = [try_mutant(TOY, mutant, sectors=32) for mutant in tried]
    survivors = [str(mutant) for mutant, report in zip(tried, reports, strict=True) if report.passed]
    assert len(tried) == 3 and len(survivors) <= 3 - deaths, survivors


@pytest.mark.parametrize("kind", KINDS)
def test_a_mutant_differs_in_one_line(kind):
    original = TOY.verilog.splitlines()
    for mutant in islice(mutants(TOY.verilog, kind), 20):
        changed = [i for i, (a, b) in enumerate(zip(original, mutant.verilog.splitlines(), strict=True)) if a != b]
        assert changed == [mutant.line - 1]
        assert mutant.kind in str(mutant)


def test_the_seed_chooses_the_order():
    lines = [[mutant.line for mutant in islice(mutants(TOY.verilog, "gate", seed=seed), 10)] for seed in (1, 1, 2)]
    assert lines[0] == lines[1] != lines[2]


def test_unknown_kind():
    with pytest.raises(ValueError, match="no kind of mutation 'rust', there are gate, constant, operand, reset"):
        next(mutants(TOY.verilog, "rust"))
