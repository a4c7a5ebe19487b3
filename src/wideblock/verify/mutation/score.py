# SPDX-License-Identifier: Apache-2.0
"""The mutation score of the checks and formal rules on one core: how many of its mutants they kill."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.verify.mutation.equivalence import same_module, without_effect
from wideblock.verify.mutation.mutants import KINDS, Mutant, instrument
from wideblock.verify.mutation.rules import broken_rule
from wideblock.verify.mutation.trial import Suite, Trial, suite, trials

__all__ = ["Score", "score"]

Progress = Callable[[str, int, int], None]
_BUILD = 3600.0  # seconds that a build may take


@dataclass(frozen=True)
class Score:
    """All mutants of a run, each with a trial; a mutant proved equivalent to the core has none."""

    module: str
    seed: int
    trials: tuple[tuple[Mutant, Trial | None], ...]

    @property
    def equivalent(self) -> list[Mutant]:
        """Mutants that behave as the core does: not counted."""
        return [mutant for mutant, trial in self.trials if trial is None]

    @property
    def killed(self) -> list[Mutant]:
        return [mutant for mutant, trial in self.trials if trial and trial.check]

    @property
    def survivors(self) -> list[Mutant]:
        """Mutants that passed every check and keep every rule, and are not proved equivalent."""
        return [mutant for mutant, trial in self.trials if trial and not trial.check]

    @property
    def share(self) -> float:
        """Mutants killed, as a share of those not equivalent; 1 if there are none."""
        counted = len(self.trials) - len(self.equivalent)
        return len(self.killed) / counted if counted else 1.0


def score(
    core: Contract,
    *,
    mutants: int = 100,
    seed: int = 0,
    kinds: Sequence[str] = tuple(KINDS),
    within: Sequence[str] = (),
    sectors: int = 16,
    processes: int | None = None,
    checks: Callable[[Contract, Sequence[str]], Suite] | None = None,
    progress: Progress | None = None,
) -> Score:
    """Tries about ``mutants`` mutants of the core's Verilog; equal seeds give equal mutants.

    within:    patterns of the modules that get mutants, see :func:`instrument`; none: all do
    sectors:   random sectors, or messages, of the checks
    processes: mutants tried at the same time; by default one a processor
    checks:    makes the suite for a core and the texts of its model, in place of all checks
    Raises UserError for a core without streams, and if the core itself fails: then nothing can be said about mutants.
    """
    core.expect_streams()
    tell = progress or (lambda stage, done, total: None)
    tell(f"making mutants of {core.module}", 0, mutants)
    made = instrument(core, mutants, seed=seed, kinds=kinds, within=within)
    equivalent = without_effect(made, core.module)
    run = checks(core, made.verilog) if checks else suite(core, made.verilog, sectors=sectors, seed=seed)
    tell("compiling all of them as one model", 0, len(made.mutants))
    limit = _limit(core, run)
    numbers = [mutant.number for mutant in made.mutants if mutant.number not in equivalent]
    found: dict[int, Trial] = {}
    for trial in trials(run, numbers, limit=limit, processes=processes or os.cpu_count() or 1):
        found[trial.number] = trial
        tell("trying", len(found), len(numbers))
    survived = [mutant for mutant in made.mutants if mutant.number in found and not found[mutant.number].check]
    for done, mutant in enumerate(survived):
        tell("proving that survivors are no faults, or break a rule", done, len(survived))
        if same_module(made, mutant, core.module):
            del found[mutant.number]
        elif broken := broken_rule(core, made, mutant):
            rule, statement = broken
            found[mutant.number] = replace(found[mutant.number], check=f"rule {rule!r}", difference=statement)
    return Score(core.module, seed, tuple((mutant, found.get(mutant.number)) for mutant in made.mutants))


def _limit(core: Contract, run: Suite) -> float:
    """Seconds after which a mutant counts as killed, from a run of the core itself, mutant 0."""
    first, second = trials(run, [0, 0], limit=_BUILD, processes=1)  # the first one builds the model
    if first.check:
        raise UserError(f"{core.module} itself fails {first.check!r}: {first.difference}")
    return 60 + 20 * second.seconds
