# SPDX-License-Identifier: Apache-2.0
"""Rules on the streams of a core, by induction; the part that depends on the family of the core is in ``rules``."""

from dataclasses import replace

from amaranth.lib.wiring import In, Out

from wideblock.export.contract import Contract
from wideblock.rtl.bus.axi_lite import AXI_LITE
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.induction import CLEAR, Rule, prove
from wideblock.verify.formal.proof import Proof
from wideblock.verify.formal.rules import engine, family
from wideblock.verify.formal.rules.parts import resetting, settled

__all__ = [
    "prove_clearing",
    "prove_order",
    "prove_queues",
    "prove_rekey",
    "prove_release",
    "prove_slots",
    "prove_stable",
]


def prove_clearing(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves that a clearing core has no valid output, accepts nothing and is not ready; a bus works on.

    With a signal ``ready``, also that no beat is accepted while ``ready`` is low. ``flat`` is proved in place of the
    core's own Verilog.
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
    """Proves that a valid output word stays, with all fields, until accepted, reset or cleared.

    ``flat`` is proved in place of the core's own Verilog.
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
    """Proves that no queue of the core is written when full or read when empty.

    ``flat`` is proved in place of the core's own Verilog. Raises :class:`NotApplicable` for a core without a queue.
    """
    return prove(core, _settled(core, family(core).queues(core)), flat)


def prove_order(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of a core with ``overlap`` that each stage works on given sectors, and announces no others.

    The distance of neighbouring stages is the number of sectors between the two. The control words of the hash units
    are part of the proof, not free. ``flat`` is proved in place of the core's own Verilog. Raises
    :class:`NotApplicable` for a core without ``overlap``.
    """
    return prove(core, _settled(core, family(core).order(core)), flat)


def prove_rekey(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves that a core of one key takes a key only with no message under way.

    For an authenticated cipher: the key loader offers a key only between two messages. ``flat`` is proved in place of
    the core's own Verilog. Raises :class:`NotApplicable` for a core with slots.
    """
    return prove(core, _settled(core, family(core).rekey(core)), flat)


def prove_release(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves, for messages with tags, that nothing of a decrypted message leaves before the tag was verified.

    After a wrong tag, the status FAILURE alone leaves. The cipher is free, see
    :func:`wideblock.verify.formal.rules.caesar.release`. Of a core that seals sectors: no beat of a sector leaves
    before the verdict, or if the sector is forged. ``flat`` is proved in place of the core's own Verilog. Raises
    :class:`NotApplicable` for a core without tags and integrity check values.
    """
    return prove(core, family(core).release(core), flat)


def prove_slots(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of a core with slots that each message is processed under the keys of the named slot.

    For an engine: no message of the user's stream is processed under the key of known answers. ``flat`` is proved in
    place of the core's own Verilog; in an engine the core inside must be closed. Raises :class:`NotApplicable` for a
    core of one key.
    """
    if core.registers and not core.headed:
        return prove(core, engine.slots(core), flat or flatten(core, engine.INSIDE))
    return prove(core, family(core).slots(core), flat)


def _settled(core: Contract, rule: Rule) -> Rule:
    """``rule``, and what holds of the key unit, on which every rule depends."""
    signals, text = settled(core)
    return replace(rule, signals=rule.signals | signals, text=f"{rule.text}\n{text}")
