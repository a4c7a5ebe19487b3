# SPDX-License-Identifier: Apache-2.0
"""Rules of the family Feistel-mix-Feistel."""

from itertools import pairwise

from wideblock.export.contract import Contract
from wideblock.rtl.sector.feistel_mix_feistel.values import CALLS
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.rules.outputs import OutputPlaces
from wideblock.verify.formal.rules.parts import admitted, delayed, rekeyed_in_order

__all__ = ["order", "output", "rekey"]

FIRST, SECOND = CALLS[:3], CALLS[3:]
"""The calls of the first layer, with the mix, and of the second layer."""


def output(core: Contract) -> OutputPlaces:
    """The result ring's columns."""
    return OutputPlaces(("core.result_ring",))


def order(core: Contract) -> Rule:
    """From the first layer by the mix and the second layer to the exit.

    For each last step in the lanes a sector is between two stages. A call of the key unit takes the place of a
    returning step, and meets no step of a sector under way.
    """
    made, s = core.component, core.component.schedule
    pointers = ("result", "call", "mixed", "front")
    signals = {f"{name}_sector": f"core.{name}_sector" for name in ("result", "coming", "mixed", "front")}
    signals["call_sector"] = "core.coming_sector_later"
    signals |= {"left": "core.exit.sector", "number": "core.entrance.number", "entrance_full": "core.entrance.full"}
    signals |= {"running": "core.key_unit.running", "call_go": "core.call_go", "clear": CLEAR}
    signals |= {
        "keys_accepting": "core.key_unit.accepting",
        "keys_waiting": "core.key_unit.waiting",
        "idle": "core.key_unit.idle",
    }
    signals |= {"coming_step": "core.coming_step", "call_step": "core.coming_step_later"} if s.steps > 1 else {}
    signals |= {name: f"core.{name}" for name in ("again", "begins", "vacant")} | {"derive": "core.key_unit.derive"}
    signals |= {"row_after": "core.row_after", "coming_after": "core.coming_after_step"}
    signals |= {name: f"core.{name}" for name in ("front_first", "front_ends")}
    signals |= {f"call_{name}": f"core.coming_{name}_later" for name in ("first", "final")}
    for field in (*CALLS, "key", "final"):
        signals |= delayed(field, made.cipher_latency)[0]
    positions = range(made.cipher_latency)
    last = positions[-1]
    again = f"W_tag{last} || (X_tag{last} && final_tag{last}) || YZ_tag{last} || Cp_tag{last}"
    one = "".join(
        f"assert (3'd0 + key_tag{k} + {' + '.join(f'{call}_tag{k}' for call in CALLS)} <= 1);\n"
        f"assert (!Sy_tag{k} || final_tag{k});\n"
        for k in positions
    )
    flights = "".join(
        f"wire [15:0] {name}_flight = {' + '.join(f'(final_tag{k} && {_any(calls, k)})' for k in positions)};\n"
        for name, calls in (("first", FIRST), ("second", SECOND))
    )
    bits = made.slots.bit_length() - 1
    distances = "".join(f"wire [{bits}:0] to_{x} = {x}_sector - left;\n" for x in pointers)
    distances += "".join(f"wire [{bits}:0] {b}_{a} = {b}_sector - {a}_sector;\n" for a, b in pairwise(pointers))
    step = "" if s.steps > 1 else "wire call_step = 0, coming_step = 0;\n"
    step += f"wire [{bits}:0] call_after = call_sector + (call_go && call_step == {s.steps - 1});\n"
    room_signals, room = admitted(core, "left", "front_sector")
    return Rule(
        "no stage works on a sector that it was not given, nor announces it",
        signals | room_signals,
        f"""{distances}{step}{flights}{room}
      always @* if (!clear) begin
        {one}
        assert ({" && ".join(f"to_{a} <= to_{b}" for a, b in pairwise(pointers))});
        assert (number < {s.beats} && begins == (number == 0));
        assert (to_front <= {made.slots} && (number == 0 || to_front < {made.slots}));
        assert (running || (!entrance_full && front_sector == result_sector));
        assert (!keys_accepting || !running || (keys_waiting && idle));
        assert (front_mixed == first_flight && call_result == second_flight);
        assert (call_step < {s.steps} && again == ({again}));
        assert (coming_step == (call_go ? (call_step == {s.steps - 1} ? 0 : call_step + 1) : call_step));
        assert (coming_sector == call_after);
        assert (row_after == number / 2 + 1 && coming_after == coming_step + 1);
        assert (front_first == (number < 2) && front_ends == (number == {s.beats - 1}));
        assert (!call_go || (call_first == (call_step == 0) && call_final == (call_step == {s.steps - 1})));
        assert (2'd0 + again + call_go + vacant <= 1 && !(derive && running));
        assert ((call_step == 0 && !call_go) || call_sector != mixed_sector);
      end""",
    )


def rekey(core: Contract) -> Rule:
    """No sector between the first layer and the exit, and no last step of a sector in the lanes."""
    text = "to_front == to_result && first_flight == 0 && second_flight == 0"
    return rekeyed_in_order(core, order(core), "front_sector == result_sector", text)


def _any(calls: tuple[str, ...], position: int) -> str:
    return "(" + " || ".join(f"{call}_tag{position}" for call in calls) + ")"
