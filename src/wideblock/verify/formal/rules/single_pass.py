# SPDX-License-Identifier: Apache-2.0
"""Rules of the family single pass."""

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import Rule
from wideblock.verify.formal.proof import NotApplicable
from wideblock.verify.formal.rules.parts import no_loss

__all__ = ["held", "order", "queues"]


def held(core: Contract) -> Rule:
    """A valid beat is a row of the queue of results, which must neither leave nor be written over as it waits."""
    rule = queues(core)
    signals = {"results_head": "core.results.read__addr", "results_tail": "core.results.tail"}
    bits = (core.component.results_depth - 1).bit_length()
    return Rule(
        "",
        rule.signals | signals,
        f"""{rule.text}
      wire [{bits - 1}:0] results_rows = results_tail - results_head;
      always @* if (!clear) assert (results_rows == results_waiting);""",
        kept=("results.beats",),
    )


def order(core: Contract) -> Rule:
    """None: no stage of the family works on a sector of its own choice."""
    raise NotApplicable("units pass through one chain of queues; no stage could take them in another order")


def queues(core: Contract) -> Rule:
    """The queues of arrivals, tweaks and results.

    An arrival is promised and written at once. A tweak under way is in the pipelines or in a cipher of its own. A
    result under way is a beat in the pipelines, or one that is held back until it is completed, or a rest.
    """
    made = core.component
    tags = ("beat_tag", "completed_tag", "rest_tag", *(("tweak_tag",) if made.shared else ()))
    signals = {tag: f"core.{tag}" for tag in tags}
    signals |= {"completing": "core.control.completing", "rest": "core.control.rest", "call": "core.call"}
    if not made.shared:
        signals["tweak_inside"] = "core.tweak_cipher.full"
    results, tweaks = (
        " + ".join(f"{tag}[{k}]" for k in range(made.cipher_latency)) for tag in ("result_tag", "tweak_tag")
    )
    rules = [
        no_loss("arrivals", made.arrivals_depth, "0"),
        no_loss("tweaks", made.arrivals_depth, f"call + {tweaks if made.shared else 'tweak_inside'}"),
        no_loss("results", made.results_depth, f"completing + {results}"),
    ]
    for found_signals, _ in rules:
        signals |= found_signals
    return Rule(
        f"the queues of {made.arrivals_depth} arrivals, {made.arrivals_depth} tweaks and {made.results_depth} results "
        "neither overflow nor underflow",
        signals,
        f"""
      wire [{made.cipher_latency - 1}:0] result_tag = beat_tag | completed_tag | rest_tag;
      {"".join(rule for _, rule in rules)}
      always @* if (!clear) begin
        assert (!completing || !rest);
        assert (!(beat_tag & completed_tag) && !(beat_tag & rest_tag) && !(completed_tag & rest_tag));
      end""",
    )
