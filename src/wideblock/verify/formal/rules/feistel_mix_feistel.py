# SPDX-License-Identifier: Apache-2.0
"""Rules of the family Feistel-mix-Feistel."""

from wideblock.export.contract import Contract
from wideblock.rtl.sector.feistel_mix_feistel.values import CALLS
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.rules.outputs import OutputPlaces, damage, tag_memory
from wideblock.verify.formal.rules.parts import admitted, delayed, in_order, rekeyed_in_order

__all__ = ["order", "output", "rekey"]

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
