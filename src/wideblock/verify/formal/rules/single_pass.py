# SPDX-License-Identifier: Apache-2.0
"""Rules of the family single pass."""

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import Rule
from wideblock.verify.formal.proof import NotApplicable
from wideblock.verify.formal.rules.outputs import Queue, damage
from wideblock.verify.formal.rules.parts import no_loss, rekeyed
from wideblock.verify.formal.rules.unit_slots import ends, followed

__all__ = ["held", "order", "output", "queues", "rekey", "slots"]


def held(core: Contract) -> Rule:
    """A valid beat is a row of the queue of results; a waiting row neither leaves nor changes."""
    rule = queues(core)
    signals = {"results_head": "core.results.read__addr", "results_tail": "core.results.tail"}
    bits = (core.component.cycles.results - 1).bit_length()
    return Rule(
        "",
        rule.signals | signals,
        f"""{rule.text}
      wire [{bits - 1}:0] results_rows = results_tail - results_head;
      always @* if (!clear) assert (results_rows == results_waiting[{bits - 1}:0]);""",
        kept=("results.beats",),
    )


def output(core: Contract) -> Queue:
    """The queue of results."""
    return Queue("results", begins=damage(core))


def order(core: Contract) -> Rule:
    """No rule: no stage of the family chooses a sector."""
    raise NotApplicable("units pass through one chain of queues; no stage could take them in another order")


def slots(core: Contract) -> Rule:
    """Of a core with slots."""
    return followed(core, queues(core))


def rekey(core: Contract) -> Rule:
    """No beat in the entrance, no tweak under way to the masks, no mask loaded, no block in the pipelines.

    A unit counts until the last result is written: the units in all places are the core's own count. A step in the
    pipelines without a loaded mask behind is the last of a unit.
    """
    keys, idle = rekeyed(core, "units == 0")
    flags = ("first", "discard", "wrong", "closes")
    cycles = core.component.cycles
    # bits of the count, in which the units of all places have room
    size = (cycles.arrivals + cycles.cipher + 7).bit_length()
    found, counted = ends(core, "units + (entrance_full && first && !discard && !wrong)", size)
    signals = {"units": "core.units"} | {flag: f"core.entrance.{flag}" for flag in flags}
    rule = queues(core)
    return Rule(
        "a key is taken only while the entrance is empty, no tweak is enciphered or waits, no mask is loaded and no "
        "block is in the pipelines",
        rule.signals | found | keys | signals,
        f"""{rule.text}{counted}{idle}
      always @* if (!clear) begin
        assert (entrance_begun == (entrance_full ? !closes : discard || !first));
        assert (!(call || call_waits) || entrance_full && first && !discard && !wrong);
        assert (masked && !(rest && together) || !(result_steps & -result_steps & ~ends));
        if (key_taken) assert (!call && !call_waits && called == 0 && tweaks_waiting == 0 && !masked && !stealing);
        if (key_taken) assert (!(|result_steps));
      end""",
    )


def queues(core: Contract) -> Rule:
    """The queues of arrivals, tweaks and results.

    An arrival is promised and written at once. A tweak under way is in the pipelines or in a separate cipher. A result
    under way is a beat in the pipelines, a beat held back until completed, or a rest. A held last whole block is in the
    pipelines, from the view of the control, or has come out. The place of a tweak is promised as the call is taken, and
    free while the call is requested.
    """
    cycles = core.component.cycles
    steps = {step: step for step in ("beat", "held", "completed", "rest")}
    steps |= {"tweak": "call"} if cycles.shared else {}
    signals = {f"{step}_tag": f"core.{step}_tag" for step in steps}
    tags = {step: f"{step}_tag" for step in steps}
    if cycles.ahead:
        signals |= {f"{step}_later": f"core.{decided}_later" for step, decided in steps.items()}
        tags = {step: f"{{{step}_tag, {step}_later}}" for step in steps}
    signals |= {flag: f"core.control.{flag}" for flag in ("stealing", "rest", "result_held")}
    signals["call"] = "core.call"
    if not cycles.shared:
        signals["tweak_inside"] = "core.tweak_cipher.full"
    flags = cycles.ahead + cycles.cipher
    results, tweaks = (" + ".join(f"{name}_steps[{k}]" for k in range(flags)) for name in ("result", "tweak"))
    held = " + ".join(f"held_steps[{k}]" for k in range(cycles.cipher))
    rules = [
        no_loss("arrivals", cycles.arrivals, "0"),
        no_loss("tweaks", cycles.arrivals, tweaks if cycles.shared else "tweak_inside"),
        no_loss("results", cycles.results, f"(stealing && !rest) + {results}"),
    ]
    for found_signals, _ in rules:
        signals |= found_signals
    wires = "".join(f"\n      wire [{flags - 1}:0] {step}_steps = {tags[step]};" for step in steps)
    return Rule(
        f"the queues of {cycles.arrivals} arrivals, {cycles.arrivals} tweaks and {cycles.results} results "
        "neither overflow nor underflow",
        signals,
        f"""{wires}
      wire [{flags - 1}:0] result_steps = beat_steps | completed_steps | rest_steps;
      {"".join(rule for _, rule in rules)}
      always @* if (!clear) begin
        assert (!call || tweaks_room);
        assert (stealing || !rest);
        assert (16'd0 + result_held + {held} == (stealing && !rest));
        assert (!(beat_steps & completed_steps) && !(beat_steps & rest_steps) && !(completed_steps & rest_steps));
      end""",
    )
