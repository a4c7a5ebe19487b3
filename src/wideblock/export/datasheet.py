# SPDX-License-Identifier: Apache-2.0
"""Datasheet of a sector core, in Markdown."""

import json

from wideblock.export.contract import Contract
from wideblock.export.markdown import table
from wideblock.export.sheet import instance, sheet
from wideblock.export.simulators import simulate
from wideblock.export.wave import sector_diagram, text, transfers
from wideblock.rtl.stream.behaviour import Behaviour, Cause, KeyRule, Length, Stated

__all__ = ["datasheet"]


def datasheet(core: Contract, measured: str = "") -> str:
    """Returns the datasheet; ``measured`` is a Markdown table of area and clock, or empty."""
    p, t = core.parameters, core.timing
    rate = 8 * p.sector_bytes / t.interval
    diagram = sector_diagram(t, *transfers(core))
    tweak = TWEAK.format(bits=8 * p.tweak_bytes, high=8 * p.tweak_bytes - 1) if p.tweak_bytes else NO_TWEAK
    tweak = SIZES if core.behaviour.stated else tweak
    return sheet(
        core,
        rate=f"{rate:.1f} bits a cycle: {rate / 10:.1f} Gb/s at 100 MHz.",
        cycles=f"{_holds(core)}\n{IDLE}",
        measured=measured,
        sections={
            "Timing diagram": f"Sector A of {p.beats} beats, with `s_axis_tuser` TA, into an idle core: every transfer "
            "is in the cycle in which simulation has it. `~` is high, `_` low, `:` cycles left out.\n\n"
            f"```text\n{text(diagram)}```\n\n"
            f"The same for WaveDrom:\n\n```json\n{_wavedrom(diagram)}\n```\n",
            "Rules of the ports": _rules(core),
            "How to connect": f"```verilog\n{instance(core)}```\n\n{CONNECT.format(core=core, tweak=tweak)}",
            "How to simulate": simulate(core, BENCH.format(module=core.module) if core.known_answers else ""),
        },
    )


def _holds(core: Contract) -> str:
    behaviour = core.behaviour
    if behaviour.length.fixed:
        return "Equal for encryption and decryption, and independent of data, key and tweak."
    if behaviour.stated:
        return (
            f"For sectors of {behaviour.usual} bytes under tweaks of {behaviour.stated.usual_tweak}; equal for "
            "encryption and decryption, and independent of data, key and tweak. For other sizes:\n\n"
            + _of_other_sizes(behaviour.length, behaviour.stated)
        )
    return (
        f"For units of {behaviour.usual} bytes, independent of data, key and tweak. A unit of another "
        f"length takes a cycle a beat more or fewer; one that ends in part of a block leaves "
        f"{behaviour.partial} cycles later, and so does what follows it."
    )


def _of_other_sizes(length: Length, stated: Stated) -> str:
    """Returns a table of the figures that depend on sizes, from the least sizes to the greatest."""
    sizes = [size for size in (length.least, 512, 4096) if size in length]
    rows = [(tweak, size) for size in dict.fromkeys((*sizes, length.most)) for tweak in (0, stated.tweak.most)]
    timings = [stated.timing(*row) for row in rows]
    return table(
        ("tweak, bytes", "sector, bytes", "compute", "latency", "busy", "interval"),
        [
            tuple(map(str, (*row, t.compute, t.latency, t.busy, t.interval)))
            for row, t in zip(rows, timings, strict=True)
        ],
    )


def _rules(core: Contract) -> str:
    behaviour = core.behaviour
    keys = (_words_rules(core) if core.timing.key_words > 1 else "") + KEYS
    if behaviour.stated:
        sizes = {"least": behaviour.length.least, "most": behaviour.length.most, "tweak": behaviour.stated.tweak.most}
        dropped = _dropped(core, DROPPED, Cause.SHORT | Cause.LONG | Cause.TWEAK | Cause.KEEP)
        return PAUSES + SIZED.format(**sizes) + _keep_rules(behaviour) + dropped + keys
    if not behaviour.length.fixed:
        dropped = _dropped(core, DROPPED_UNIT, Cause.SHORT | Cause.DIRECTION | Cause.KEEP)
        return PAUSES + units_rules(behaviour) + dropped + keys
    tail = core.parameters.sector_bytes % core.parameters.beat_bytes
    dropped = _dropped(core, DROPPED, Cause.SHORT | Cause.LONG | Cause.KEEP)
    return PAUSES + SECTORS + (TAIL.format(tail=tail) + _keep_rules(behaviour) if tail else "") + dropped + keys


def _keep_rules(behaviour: Behaviour) -> str:
    return KEEP.format(bit=behaviour.fault(Cause.KEEP).bit_length() - 1)


def _dropped(core: Contract, rule: str, causes: Cause) -> str:
    numbers = [str(bit) for bit, fault in enumerate(core.behaviour.faults) if fault.cause & causes]
    return rule.format(bits=f"bit {' or '.join(numbers)}")


def _words_rules(core: Contract) -> str:
    bit = core.behaviour.fault(Cause.KEY_WORDS).bit_length() - 1
    t = core.timing
    return WORDS.format(words=t.key_words, width=core.parameters.key_width, bit=bit, rest=t.preparation)


def units_rules(behaviour: Behaviour) -> str:
    """Returns what holds for a core that takes units of any length."""
    if len(behaviour.directions) == 2:
        ways = "Encryption and decryption mix freely, unit by unit."
    else:
        has, lacks = ("decrypts", "encrypt") if behaviour.directions[0] else ("encrypts", "decrypt")
        bit = behaviour.fault(Cause.DIRECTION).bit_length() - 1
        ways = f"The core only {has}: a unit to {lacks} is dropped whole, and bit {bit} of `fault` pulses."
    halves = (
        HALVES.format(bit=behaviour.fault(Cause.KEY).bit_length() - 1)
        if behaviour.keys is KeyRule.HALVES_DIFFER
        else ""
    )
    keep = behaviour.fault(Cause.KEEP).bit_length() - 1
    return UNITS.format(ways=ways, least=behaviour.length.least, most=behaviour.length.most, bit=keep) + halves


DROPPED = """\
- A dropped sector gives no output. A queue beside the core, such as one of command tags, must drop its entry, too:
  {bits} of `fault` pulses once for each.
"""

DROPPED_UNIT = """\
- A dropped unit gives no output. A queue beside the core, such as one of command tags, must drop its entry, too, when
  {bits} of `fault` pulses and none of that unit leaves.
"""

PAUSES = """\
- The input may pause between any two beats, and the output may be held off at any time. Nothing is lost and the result
  is the same. `m_axis_tvalid`, once high, stays until `m_axis_tready`.
"""

IDLE = """
They hold while `s_axis_tvalid` and `m_axis_tready` are always high.
Compute and latency are exact for a sector that an idle core takes;
interval is exact from sector to sector in a stream. There a sector is taken early and waits inside the core, and where
sectors overlap calls of its neighbours go first: it leaves after at most the cycles of "busy".
"""

SECTORS = """\
- `s_axis_tuser` belongs to the first beat of a sector. Encryption and decryption mix freely, sector by sector.
- A sector whose `s_axis_tlast` comes early or late is dropped whole. `fault` pulses, and the next sector is right.
"""

TAIL = """\
- The last beat of a sector has {tail} bytes. `s_axis_tkeep` must mark just these, from byte 0, and all bytes of the
  beats before it, or the sector is dropped like one of another length. `m_axis_tkeep` marks the same bytes of the
  result; the others are zero.
"""

KEEP = """\
- Bytes that are not a run from byte 0, and a beat that is not full before the last one, are a fault: the sector is
  dropped whole, and bit {bit} of `fault` pulses; bit 0 where the sector is too short by then.
- A beat without bytes, `s_axis_tkeep` 0, with `s_axis_tlast` may follow the sector: it ends the sector before it. The
  beat before it then enters with it; without a pause between them the result leaves one cycle later.
"""

SIZED = """\
- `s_axis_tuser` belongs to the first beat of a sector. It has the tweak, the number of its bytes, 0 to {tweak}, that of
  the sector's bytes, {least} to {most}, and the direction. The bytes behind the tweak's last one do not count.
  Encryption and decryption, and sectors and tweaks of all sizes, mix freely.
- `s_axis_tlast` must mark the last beat of a sector of that size, and `s_axis_tkeep` the bytes of that beat, a run from
  byte 0, and all bytes of the beats before it. A sector of another length is dropped whole, and so is one that states a
  size which the core does not take: `fault` pulses, and the next sector is right. `m_axis_tkeep` marks the bytes of the
  result; the others are zero.
"""

UNITS = """\
- A unit has {least} to {most} bytes. `s_axis_tlast` marks its last beat and `s_axis_tkeep` the bytes of that beat, a
  run from byte 0; all bytes of the beats before it must be marked. The result has the same length, marked likewise; its
  other bytes are zero.
- A beat without bytes, `s_axis_tkeep` 0, with `s_axis_tlast` may follow the unit: it ends the unit before it. It takes
  a cycle of the input; without a pause before it the unit leaves one cycle later.
- A beat enters the cipher when the one after it is there, or it is the last.
- `s_axis_tuser` belongs to the first beat of a unit. {ways}
- A unit under {least} bytes is dropped, and bit 0 of `fault` pulses. A unit that goes on after {most} bytes is ended
  there, with `m_axis_tlast`, the rest is dropped, and bit 1 pulses.
- A beat whose bytes are not a run from byte 0, and one that is not full before the last one, are a fault: bit {bit} of
  `fault` pulses. A unit whose first beat has such bytes is dropped. A later beat ends its unit, with `m_axis_tlast`,
  and the rest is dropped: a run from byte 0 is the unit's last bytes, of any other bytes of the beat none is
  processed. Its last block then leaves as that of a shorter unit. The next unit is right each time.
"""

HALVES = """\
- The key is two keys, one after the other. If they are equal, the key is refused: bit {bit} of `fault` pulses, there is
  no key, and `ready` stays low.
"""

WORDS = """\
- A key is {words} words of {width} bits, its first bytes in the first word. `s_axis_key_tlast` marks the last one.
  Words may pause. All but the last are accepted while sectors are processed and hold none off. The last one is accepted
  when the key takes effect, {rest} cycles before the first beat of a sector under it.
- A key of fewer or more words is dropped up to its `s_axis_key_tlast`. Bit {bit} of `fault` pulses. The key in place
  stays.
- The rest of a key that `zeroize` cuts in two is dropped up to its `s_axis_key_tlast`, without `fault`. After a reset
  the next word is the first one of a key.
"""

KEYS = """\
- Before the first key, and while `ready` is low after a new one, sectors are held off. A new key is taken between two
  sectors; those taken before it finish under the old key, and none is taken while it waits.
- `zeroize` clears keys and everything derived from keys or data; then the core waits for a key. `m_axis_tvalid` falls
  at once; `fault` and `computed` may still pulse in the cycle after it.
- No port shows a key, a value derived from it, a mask of a tweak, or input data: while `m_axis_tvalid` is low, and from
  `zeroize` on, `m_axis_tdata` has zeros or an earlier result. `wideblock verify` looks for secrets in every cycle
  (check "secrets on ports"); `wideblock prove` proves the rule "secrecy".
- The rest of a sector that `zeroize` cuts in two is dropped up to its `s_axis_tlast`, without `fault`.
- `computed` is for measurement and may stay open.
"""

CONNECT = """\
All ports are synchronous to `aclk`. `aresetn` is sampled by `aclk`: after power-up it must be low for at least one
cycle, since registers have no initial value. A 16-byte block keeps
its byte order, byte 0 first, so a byte stream packed by any AXI4-Stream width converter fits as it is.
{tweak}
The Verilog file needs no other file. `component.xml` describes it to Vivado's IP catalogue, `{core.module}.core` to
FuseSoC (targets `lint`, `synth` and, with a test bench, `sim`). `{core.module}.xdc`, for Vivado, and
`{core.module}.sdc`, for other tools, have a clock constraint for runs of the core by itself.
"""

TWEAK = """\
For storage, the tweak is the sector number as a {bits}-bit little-endian integer: put the number in
`s_axis_tuser[{high}:0]`."""

NO_TWEAK = "There is no tweak: equal sectors give equal results, so this core is not for storage."

SIZES = """\
For storage, the tweak is the sector number as a little-endian integer in the low bits of `s_axis_tuser`, of as many
bytes as every user of the data gives it: under a tweak of another size the same sector gives another result."""

BENCH = """\
`{module}_tb.v` plays known answers and prints `PASSED`. It drives unknown values wherever the rules of the ports
allow them.
"""


def _wavedrom(diagram) -> str:
    rows = ",\n".join("    " + json.dumps(row) for row in diagram["signal"])
    rest = "".join(f",\n  {json.dumps(key)}: {json.dumps(diagram[key])}" for key in ("head", "config"))
    return f'{{\n  "signal": [\n{rows}\n  ]{rest}\n}}'
