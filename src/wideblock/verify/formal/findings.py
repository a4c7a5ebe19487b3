# SPDX-License-Identifier: Apache-2.0
"""The rules for every core, by name, and the trial of each for a core."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.synth.targets import Fpga
from wideblock.verify.formal.answers import prove_answers
from wideblock.verify.formal.commands import prove_commands
from wideblock.verify.formal.flat import Flat
from wideblock.verify.formal.forgets import prove_forgets
from wideblock.verify.formal.isolation import prove_isolation
from wideblock.verify.formal.key_registers import prove_keys
from wideblock.verify.formal.master import prove_master
from wideblock.verify.formal.paths import prove_no_paths
from wideblock.verify.formal.proof import NotApplicable, Proof, RuleFinding, attempted
from wideblock.verify.formal.secrecy import prove_secrecy
from wideblock.verify.formal.stream import (
    prove_clearing,
    prove_order,
    prove_queues,
    prove_rekey,
    prove_release,
    prove_slots,
    prove_stable,
)
from wideblock.verify.formal.timing import prove_timing, prove_timing_of_netlist

__all__ = ["OF_ENGINES", "ON_NETLISTS", "RULES", "findings"]

RULES: dict[str, Callable[[Contract, Flat | None], Proof]] = {
    "paths": prove_no_paths,
    "clearing": prove_clearing,
    "stable": prove_stable,
    "queues": prove_queues,
    "order": prove_order,
    "rekey": prove_rekey,
    "release": prove_release,
    "slots": prove_slots,
    "commands": prove_commands,
    "timing": prove_timing,
    "secrecy": prove_secrecy,
    "forgets": prove_forgets,
    "keys": prove_keys,
    "isolation": prove_isolation,
    "master": prove_master,
    "answers": prove_answers,
}
"""Every rule by its name."""


OF_ENGINES = ("slots", "secrecy", "keys", "isolation")
"""Rules that are proved of an engine while the core inside is closed."""

OF_MASTERS = ("paths", "secrecy", "master")
"""Rules that are proved of a core with a master."""

OF_ERROR_BEATS = ("paths", "forgets", "answers")
"""Rules that are proved of a core with error beats."""

ON_NETLISTS: dict[str, Callable[[Contract, Fpga], Proof]] = {"timing": prove_timing_of_netlist}
"""Rules that can be proved for a mapped netlist, too."""


def _proved(core: Contract, name: str, flat: Flat | None) -> Proof:
    """The proof of one rule. Raises NotApplicable for a rule about the engine that has a master around it."""
    if core.crossed:
        raise NotApplicable("the rule is about the core with one clock that is inside: bus_clock=core")
    if core.mastered and name not in OF_MASTERS:
        raise NotApplicable("the rule is about the engine that has the master around it: dma=none")
    if core.answering and name not in OF_ERROR_BEATS:
        raise NotApplicable("the rule is about the engine that has the error beats around it: error_beats=false")
    return RULES[name](core, flat)


def findings(
    core: Contract, rules: Sequence[str] = tuple(RULES), flat: Flat | None = None, *, target: Fpga | None = None
) -> Iterator[RuleFinding]:
    """Yields the result of each named rule at once. Raises UserError for an unknown rule.

    flat:   proved in place of the core's own Verilog
    target: family of the mapped netlist to prove; a rule without netlists is refused, too
    """
    attempts: dict[str, Callable[[], Proof]]
    if target is None:
        attempts = {name: partial(_proved, core, name, flat) for name in RULES}
    else:
        attempts = {name: partial(prove_rule, core, target) for name, prove_rule in ON_NETLISTS.items()}
    for rule in rules:
        if rule not in attempts:
            about = " about netlists" if target else ""
            raise UserError(f"no rule {rule!r}{about}; there are {', '.join(attempts)}")
    return (attempted(core.module, rule, attempts[rule]) for rule in rules)
