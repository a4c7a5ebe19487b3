# SPDX-License-Identifier: Apache-2.0
"""Rules of the family Feistel-mix-Feistel."""

from itertools import pairwise

from wideblock.export.contract import Contract
from wideblock.rtl.sector.feistel_mix_feistel.values import CALLS
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.proof import NotApplicable
from wideblock.verify.formal.rules.copies import Part, copied, number_bits, places_of
from wideblock.verify.formal.rules.outputs import OutputPlaces, damage, tag_memory
from wideblock.verify.formal.rules.parts import NO_SLOTS, admitted, delayed, in_order, rekeyed_in_order

__all__ = ["order", "output", "rekey", "slots"]

FIRST, SECOND = CALLS[:3], CALLS[3:]
"""The calls of the first layer, with the mix, and of the second layer."""

_ONE_KEY = """assert (running || (!entrance_full && W_sector == C_done_sector));
        assert (!keys_accepting || !running || (keys_waiting && idle));
        assert (!(derive && running));"""
"""A core of one key derives, and takes another, with no sector under way."""


def output(core: Contract) -> OutputPlaces:
    """The result ring's columns."""
    return OutputPlaces(("core.result_ring", *tag_memory(core)), begins=damage(core))


def order(core: Contract) -> Rule:
    """From the first layer by the mix and the second layer to the exit.

    For each last step in the lanes a sector is between two stages. A call of the key unit takes the place of a
    returning step, and meets no step of a sector under way.
    """
    made, s = core.component, core.component.schedule
    signals, distances, ordered = in_order(core, ("C_done", "YZ", "Sy_done", "W"))
    signals |= _signals(core)
    positions = range(made.cipher_latency)
    last = positions[-1]
    again = f"W_tag{last} || (X_tag{last} && final_tag{last}) || YZ_tag{last} || Cp_tag{last}"
    slots, calls = core.parameters.slots, CALLS if core.parameters.slots else (*CALLS, "key")
    one = "".join(
        f"assert (3'd0 + {' + '.join(f'{call}_tag{k}' for call in calls)} <= 1);\n"
        f"assert (!Sy_tag{k} || final_tag{k});\n"
        for k in positions
    )
    flights = "".join(
        f"wire [15:0] {name}_flight = {' + '.join(f'(final_tag{k} && {_any(calls, k)})' for k in positions)};\n"
        for name, calls in (("first", FIRST), ("second", SECOND))
    )
    bits = made.slots.bit_length() - 1
    step = "" if s.steps > 1 else "wire YZ_step = 0, coming_step = 0;\n"
    step += f"wire [{bits}:0] sector_after = YZ_sector + (YZ_go && YZ_step == {s.steps - 1});\n"
    room_signals, room = admitted(core, "left", "W_sector")
    return Rule(
        "no stage works on a sector that it was not given, nor announces it",
        signals | room_signals,
        f"""{distances}{step}{flights}{room}
      always @* if (!clear) begin
        {one}
        {ordered}
        assert (number < {s.beats} && W_begins == (number == 0));
        assert (to_W <= {made.slots} && (number == 0 || to_W < {made.slots}));
        {"" if slots else _ONE_KEY}
        assert (W_to_Sy_done == first_flight && YZ_to_C_done == second_flight);
        assert (YZ_step < {s.steps} && again == ({again}));
        assert (coming_step == (YZ_go ? (YZ_step == {s.steps - 1} ? 0 : YZ_step + 1) : YZ_step));
        assert (coming_sector == sector_after);
        assert (W_after == number / 2 + 1 && coming_after == coming_step + 1);
        assert (W_first == (number < 2) && W_ends == (number == {s.beats - 1}));
        assert (!YZ_go || (YZ_first == (YZ_step == 0) && YZ_final == (YZ_step == {s.steps - 1})));
        assert (2'd0 + again + YZ_go + vacant <= 1);
        assert ((YZ_step == 0 && !YZ_go) || YZ_sector != Sy_done_sector);
      end""",
    )


def rekey(core: Contract) -> Rule:
    """No sector between the first layer and the exit, and no last step of a sector in the lanes."""
    text = "to_W == to_C_done && first_flight == 0 && second_flight == 0"
    return rekeyed_in_order(core, order(core), "W_sector == C_done_sector", text)


def slots(core: Contract) -> Rule:
    """As :func:`wideblock.verify.formal.rules.copies.copied`: the copy is complete a cycle after the first beat."""
    if not core.parameters.slots:
        raise NotApplicable(NO_SLOTS)
    ready, bits = core.component.key_unit.context.lead + 3, number_bits(core)
    numbered, reads = _numbered(core), _reads(core)
    complete = f"""
        assert (reached == W_sector);
        assert (!(live && W_sector == n && a_open && !a_bad) || since == {ready});
        assert (!(live && to_n < (W_sector - C_done_sector) % {1 << bits}) || since == {ready});"""
    readers = numbered[0] | reads[0], numbered[1] + reads[1]
    return copied(core, order(core), "C_done_sector", "keys_oldest == C_done_sector", complete, readers, 1, {})


def _numbered(core: Contract) -> Part:
    """Each step in the lanes is of a sector between the first that is not computed and the entering sector.

    A step of a layer has the number that the layer took as the step entered. The last numbers of a layer are kept, a
    call's cycles for each call. From the oldest number of the second layer to the newest one of the first, each is at
    least the one before.
    """
    cycles, bits = core.component.cipher_latency, number_bits(core)
    kept, shifts, rules, ages = "", "", "", list[str]()
    for layer, number, calls in (("second", "YZ_sector", SECOND), ("first", "W_sector", FIRST)):
        numbers = [number, *(f"{layer}_before{age}" for age in range(1, 3 * cycles + 1))]
        kept += f"\n      reg [{bits - 1}:0] {', '.join(numbers[1:])};"
        shifts += "".join(f"\n        {old} <= clear ? 0 : {new};" for new, old in pairwise(numbers))
        for age, (new, old) in enumerate(pairwise(numbers)):
            step, k = f"{calls[age // cycles]}_tag{age % cycles}", age % cycles
            rules += f"""
        assert ({new} == {old} + {bits}'d0 + ({step} && final_tag{k}) && (!{step} || sector_tag{k} == {old}));"""
        ages += reversed(numbers)
    rules += "".join(
        f"\n        assert ((({old}) - C_done_sector) % {1 << bits} <= (({new}) - C_done_sector) % {1 << bits});"
        for old, new in pairwise(ages)
    )
    return (
        delayed("sector", cycles)[0],
        f"""{kept}
      always @(posedge {core.shell.clock}) begin{shifts}
      end
      always @* if (!clear) begin
        assert (C_done_sector == second_before{3 * cycles} && Sy_done_sector == first_before{3 * cycles});{rules}
      end""",
    )


def _reads(core: Contract) -> Part:
    """Words are read at the place of the step's sector. Steps of the entering sector are followed, up to the drop."""
    made, bits, clock = core.component, number_bits(core), core.shell.clock
    keys, last = made.key_unit, made.cipher_latency - 1
    complete, J = len(keys.context.words), keys.context.places(made.J)[0]
    (key,) = keys.material.ciphers
    returning, entering = f"sector_tag{last}", f"again ? sector_tag{last} : YZ_go ? YZ_sector : W_sector"
    reads = [("W_sector", "1"), (returning, "again"), ("coming_sector", "1")]
    signals = {"YZ_goes": "core.YZ_goes", "gate_taken": "core.entrance.take"}
    text = ""
    for word, ports in ((made.J, reads), (made.I, reads), (key, [(entering, "again || YZ_go || W_go")])):
        more, read = places_of(core, word, ports)
        signals, text = signals | more, text + read
    return (
        signals,
        f"""
      reg [{3 * last + 2}:0] followed;
      reg [{bits - 1}:0] read_of;
      wire W_go = gate_taken && (number % 2 != 0 || number == {made.schedule.beats - 1});
      wire of_n = live && gate_taken && W_sector == n && !a_bad;
      always @(posedge {clock}) begin
        followed <= clear || !live ? 0 : {{followed, of_n && W_go}};
        read_of <= coming_sector;
      end
      always @* if (!clear) begin{text}
        assert (!YZ_go || YZ_sector == read_of);
        assert (!of_n || since > {J + 1} && (!W_go || since > {complete}));
        assert (!live || followed == 0 || since > {complete});
        if (live && again && {returning} == n && (n != W_sector || followed[{last}] || followed[{2 * last + 1}])) begin
          assert (since > {complete});
        end
        assert (!(live && YZ_goes && coming_sector == n) || since > {complete});
        assert (!(live && YZ_go && YZ_sector == n) || since > {complete});
      end""",
    )


def _any(calls: tuple[str, ...], position: int) -> str:
    return "(" + " || ".join(f"{call}_tag{position}" for call in calls) + ")"


def _signals(core: Contract) -> dict[str, str]:
    """Signals of key unit, entrance, and both first calls of a layer, and the flags of the lanes."""
    made, s = core.component, core.component.schedule
    signals = {"YZ_sector": "core.YZ_sector_later", "coming_sector": "core.YZ_sector"}
    signals |= {"number": "core.entrance.number", "YZ_go": "core.YZ_go", "clear": CLEAR}
    if not core.parameters.slots:
        keys = {"keys_accepting": "accepting", "keys_waiting": "waiting"}
        keys |= {name: name for name in ("running", "idle", "derive")}
        signals |= {name: f"core.key_unit.{signal}" for name, signal in keys.items()}
        signals |= {"entrance_full": "core.entrance.full"} | delayed("key", made.cipher_latency)[0]
    signals |= {"coming_step": "core.YZ_step", "YZ_step": "core.YZ_step_later"} if s.steps > 1 else {}
    signals |= {name: f"core.{name}" for name in ("again", "vacant")}
    signals |= {"coming_after": "core.YZ_after_step"}
    signals |= {name: f"core.{name}" for name in ("W_begins", "W_first", "W_ends", "W_after")}
    signals |= {f"YZ_{name}": f"core.YZ_{name}_later" for name in ("first", "final")}
    for field in (*CALLS, "final"):
        signals |= delayed(field, made.cipher_latency)[0]
    return signals
