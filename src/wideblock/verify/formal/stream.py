# SPDX-License-Identifier: Apache-2.0
"""The rules that every core with streams must keep, each proved for one core.

``RULES`` has them by name. How a proof is made is in :mod:`~wideblock.verify.formal.induction` and
:mod:`~wideblock.verify.formal.paths`; the part of a rule that depends on the family of the core is in
:mod:`~wideblock.verify.formal.rules`.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

from amaranth.lib.wiring import In, Out

from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.rtl.bus.axi_lite import AXI_LITE
from wideblock.synth.targets import Fpga
from wideblock.verify.formal.commands import prove_commands
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.forgets import prove_forgets
from wideblock.verify.formal.induction import CLEAR, Rule, prove
from wideblock.verify.formal.isolation import prove_isolation
from wideblock.verify.formal.key_registers import prove_keys
from wideblock.verify.formal.paths import prove_no_paths
from wideblock.verify.formal.proof import NotApplicable, NotProved, Proof
from wideblock.verify.formal.rules import engine, family
from wideblock.verify.formal.rules.parts import resetting, settled
from wideblock.verify.formal.secrecy import prove_secrecy
from wideblock.verify.formal.timing import prove_timing, prove_timing_of_netlist

__all__ = [
    "OF_ENGINES",
    "ON_NETLISTS",
    "RULES",
    "RuleFinding",
    "RuleResult",
    "findings",
    "prove_clearing",
    "prove_commands",
    "prove_forgets",
    "prove_isolation",
    "prove_keys",
    "prove_no_paths",
    "prove_order",
    "prove_queues",
    "prove_rekey",
    "prove_release",
    "prove_secrecy",
    "prove_slots",
    "prove_stable",
]


class RuleResult(Enum):
    """How the proof of a rule ended."""

    PROVED = "proved"
    NOT_PROVED = "NOT PROVED"
    NONE = "none"


@dataclass(frozen=True)
class RuleFinding:
    """The result for one rule. ``detail`` is the statement if proved, else the reason; ``seconds`` are of CPU time."""

    rule: str
    result: RuleResult
    detail: str
    proof: Proof | None = None
    seconds: float = 0.0


def prove_clearing(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves that a core that clears has no valid output, accepts nothing and is not ready; a bus works on.

    Of a core with a signal ``ready``: and that no beat is accepted while that is low. ``flat`` is proved in place of
    the core's own Verilog.
    """
    streams = [stream for stream in core.shell.streams if stream.channel.name.rpartition("_")[2] not in AXI_LITE]
    low = [stream.ready if stream.channel.flow is In else stream.valid for stream in streams]
    statement, accepted = "while clearing no stream is valid or ready", ""
    if any(control.name == "ready" for control in core.shell.controls):
        low.append("ready")
        statement += "; no beat is accepted unless the core is ready"
        accepted = f"if (!ready) assert (!{core.shell.named('i').ready});"
    rule = Rule(
        statement,
        {"clear": f"core.{CLEAR}" if core.headed else CLEAR},
        f"""
      always @* begin
        if (clear) assert ({" && ".join(f"!{port}" for port in low)});
        {accepted}
      end""",
    )
    return prove(core, _settled(core, rule), flat)


def prove_stable(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves that a valid output word stays, with all its fields, until it is accepted.

    A reset and the begin of clearing end that. ``flat`` is proved in place of the core's own Verilog.
    """
    rule = family(core).held(core)
    (stream,) = (stream for stream in core.shell.streams if stream.channel.flow is Out)
    widths = {port.name: port.width for port in core.ports}
    registers = "".join(f"reg [{widths[name] - 1}:0] was_{name};\n" for name in stream.payload)
    samples = "".join(f"was_{name} <= {name};\n" for name in stream.payload)
    same = "".join(f"assert ({name} == was_{name});\n" for name in stream.payload)
    fields = ", ".join(name.removeprefix(f"{stream.prefix}_") for name in stream.payload)
    rule = replace(
        rule,
        statement="; ".join(filter(None, (f"a valid beat stays stable ({fields}) until accepted", rule.statement))),
        signals=rule.signals | {"clear": CLEAR},
        text=f"""{registers}
      reg waits = 0;
      always @(posedge {core.shell.clock}) begin
        waits <= {stream.valid} && !{stream.ready} && !({resetting(core)});
        {samples}
      end
      always @* if (waits && !clear) begin
        assert ({stream.valid});
        {same}
      end
      {rule.text}""",
    )
    return prove(core, _settled(core, rule), flat)


def prove_queues(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of every queue of the core that it is never written when full nor read when empty.

    ``flat`` is proved in place of the core's own Verilog. Raises :class:`NotApplicable` for a core without a queue.
    """
    return prove(core, _settled(core, family(core).queues(core)), flat)


def prove_order(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of a core with ``overlap`` that each stage works on sectors that it was given, and announces no others.

    Every stage's sector is tied to the next one's by what is between the two. The control words of the hash units are
    those of the core, not free. ``flat`` is proved in place of the core's own Verilog. Raises :class:`NotApplicable`
    for a core without ``overlap``.
    """
    return prove(core, _settled(core, family(core).order(core)), flat)


def prove_rekey(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of a core of one key that it takes a key only with no message under way.

    Of an authenticated cipher: that the key loader offers a key only between two messages. ``flat`` is proved in place
    of the core's own Verilog. Raises :class:`NotApplicable` for a core with slots.
    """
    return prove(core, _settled(core, family(core).rekey(core)), flat)


def prove_release(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of a core whose messages have tags that nothing of one to decrypt leaves before its tag was verified.

    If that fails, the status FAILURE is all that leaves. The cipher is free, see
    :func:`wideblock.verify.formal.rules.caesar.release`. ``flat`` is proved in place of the core's own Verilog. Raises
    :class:`NotApplicable` for a core whose messages have no tags.
    """
    return prove(core, family(core).release(core), flat)


def prove_slots(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of a core with slots that each message is processed under the keys of the slot that it named.

    Of an engine: that no message of the user's stream is processed under the key of known answers. ``flat`` is proved
    in place of the core's own Verilog; in that of an engine the core inside must be closed. Raises
    :class:`NotApplicable` for a core of one key.
    """
    if core.registers and not core.headed:
        return prove(core, engine.slots(core), flat or flatten(core, engine.INSIDE))
    return prove(core, family(core).slots(core), flat)


def _settled(core: Contract, rule: Rule) -> Rule:
    """``rule``, and what holds of the key unit, on which every rule depends."""
    signals, text = settled(core)
    return replace(rule, signals=rule.signals | signals, text=f"{rule.text}\n{text}")


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
}
"""Every rule by its name."""


OF_ENGINES = ("slots", "secrecy", "keys", "isolation")
"""Rules that are proved of an engine while the core inside is closed."""

ON_NETLISTS: dict[str, Callable[[Contract, Fpga], Proof]] = {"timing": prove_timing_of_netlist}
"""Rules that can be proved for a mapped netlist, too."""


def findings(
    core: Contract, rules: Sequence[str] = tuple(RULES), flat: Flat | None = None, *, target: Fpga | None = None
) -> Iterator[RuleFinding]:
    """The result for each of the named rules, as soon as it is known. Raises UserError for an unknown rule.

    flat:   proved in place of the core's own Verilog
    target: family whose mapped netlist is proved; a rule that is not about netlists is refused, too
    """
    attempts: dict[str, Callable[[], Proof]]
    if target is None:
        attempts = {name: partial(prove_rule, core, flat) for name, prove_rule in RULES.items()}
    else:
        attempts = {name: partial(prove_rule, core, target) for name, prove_rule in ON_NETLISTS.items()}
    for rule in rules:
        if rule not in attempts:
            about = " about netlists" if target else ""
            raise UserError(f"no rule {rule!r}{about}; there are {', '.join(attempts)}")
    return (_finding(core, rule, attempts[rule]) for rule in rules)


def _finding(core: Contract, rule: str, attempt: Callable[[], Proof]) -> RuleFinding:
    start = _cpu()
    try:
        proof = attempt()
    except NotApplicable as reason:
        return RuleFinding(rule, RuleResult.NONE, str(reason), None, _cpu() - start)
    except NotProved as reason:
        return RuleFinding(
            rule, RuleResult.NOT_PROVED, str(reason).removeprefix(f"{core.module}: "), None, _cpu() - start
        )
    return RuleFinding(rule, RuleResult.PROVED, proof.statement, proof, _cpu() - start)


def _cpu() -> float:
    """Seconds of CPU time of this process and of those that it waited for."""
    times = os.times()
    return times.user + times.children_user
