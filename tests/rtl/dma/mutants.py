# SPDX-License-Identifier: Apache-2.0
"""The mutation score of the master of AXI4: how many mutants do the tests of jobs and the formal rules find?

``python -m tests.rtl.dma.mutants [COUNT]`` prints each survivor, then the score. Only the master's modules have
mutants; those of the engine inside are tried by ``wideblock mutate`` with ``dma=none``.
"""

import os
import sys
from pathlib import Path

import pytest

from wideblock.verify.formal.findings import findings
from wideblock.verify.formal.master import INSIDE
from wideblock.verify.formal.proof import RuleResult
from wideblock.verify.mutation.equivalence import same_module, without_effect
from wideblock.verify.mutation.mutants import instrument
from wideblock.verify.mutation.rules import _flat as flat_of
from wideblock.verify.mutation.trial import trials

from .bench import INSTEAD, core

MASTER = ("core", "core.[!e]*")
"""Patterns of the master's modules: those around ``core.engine``."""

RULES = ("secrecy", "master")
CASES = str(Path(__file__).with_name("test_jobs.py"))
SECONDS = 300
"""Of the tests of a mutant; then it hangs."""


class First:
    """The first case that failed."""

    found = None

    def pytest_runtest_logreport(self, report):
        if report.failed and not self.found:
            self.found = report.nodeid.rpartition("::")[2], report.longreprtext.splitlines()[-1]


def played():
    """The first difference that the quick cases see, or None."""
    first = First()
    pytest.main(["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow", CASES], plugins=[first])
    return first.found


def broken(made, mutant):
    """The first rule that is not proved of a mutant, or None."""
    flat = flat_of(core(), made, mutant.number, INSIDE)
    results = findings(core(), RULES, flat)
    return next((found.rule for found in results if found.result is RuleResult.NOT_PROVED), None)


def main(count):
    made = instrument(core(), count, within=MASTER)
    INSTEAD[core().module] = made.verilog
    (itself,) = trials(played, [0], limit=3600, processes=1)
    if itself.check:
        sys.exit(f"the master itself fails {itself.check}: {itself.difference}")
    equivalent = without_effect(made, core().module)
    numbers = [mutant.number for mutant in made.mutants if mutant.number not in equivalent]
    found = {trial.number: trial for trial in trials(played, numbers, limit=SECONDS, processes=os.cpu_count() or 1)}
    by_rule = survived = 0
    for mutant in made.mutants:
        if mutant.number not in found or found[mutant.number].check:
            continue
        if same_module(made, mutant, core().module):
            equivalent.add(mutant.number)
        elif rule := broken(made, mutant):
            by_rule += 1
            print(f"rule {rule}: {mutant}", flush=True)
        else:
            survived += 1
            print(f"survives: {mutant}", flush=True)
    counted = len(made.mutants) - len(equivalent)
    print(f"{counted - survived} of {counted} mutants killed, {by_rule} of them by rules; {len(equivalent)} equivalent")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
