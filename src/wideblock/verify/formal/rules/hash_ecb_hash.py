# SPDX-License-Identifier: Apache-2.0
"""Rules of the family hash-ECB-hash."""

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.proof import NotApplicable
from wideblock.verify.formal.rules.outputs import OutputPlaces
from wideblock.verify.formal.rules.parts import admitted, back_queue, in_flight, rekeyed_in_order

__all__ = ["order", "output", "queues", "rekey"]


def queues(core: Contract) -> Rule:
    """The queue between ciphers and back hash."""
    signals, rule = back_queue(core)
    return Rule(f"the queue of {core.component.queue_depth} beats neither overflows nor underflows", signals, rule)


def output(core: Contract) -> OutputPlaces:
    """The result ring's columns, and the back hash, which the last block is short of."""
    return OutputPlaces(("core.result_ring", "core.back_psi"))


def order(core: Contract) -> Rule:
    """From the front hash by U, the calls and their results to the back hash and Cm."""
    if not core.parameters.overlap:
        raise NotApplicable("no order to prove: overlap is False, so sectors do not share the stages")
    made = core.component
    front, back = made.programs["front"], made.programs["back"]
    U, Cm = (next(i.step for i in program.issues if i.into is None) for program in (front, back))
    signals, rule = back_queue(core)
    pointers = ("computed", "result", "call", "ready", "hashed", "front")
    signals |= {"entering_sector": "core.entering_sector"}
    signals |= {f"{name}_sector": f"core.{name}_sector" for name in pointers}
    signals |= {"sector": "core.exit.sector", "number": "core.entrance.number", "clear": CLEAR}
    signals |= {name: f"core.{name}" for name in ("call_step", "result_step")}
    signals |= {"event_U": "core.front_hash.event_U", "event_Cm": "core.event_Cm"}
    waits = [f"hashed{k}" for k in range(made.wait)]
    signals |= {wait: f"core.{wait}" for wait in waits}
    for event, unit, program in (("U", "front", front), ("Cm", "back", back)):
        found, flight = in_flight(unit, program, event, registered=made.ahead > 0)
        signals, rule = signals | found, rule + flight
    found, room = admitted(core, "sector", "entering_sector", registered=made.ahead > 0)
    signals, rule = signals | found, rule + room
    bits = made.slots.bit_length() - 1
    distances = "".join(f"wire [{bits}:0] to_{x} = {x}_sector - sector;\n" for x in pointers)
    s, arriving, within, anew = made.lane_steps, "", "1'd1", ""
    if made.ahead:
        # the exit hears of a sector in the cycle after the pointer has passed it; a sector that is cut short is at its
        # old step for a cycle
        signals |= {"done": "core.exit_sector_later", "known": "core.Cm_later"}
        arriving, within = " + queue_write", "!front_begins"
        distances += f"wire [{bits}:0] to_done = done - sector;\n"
        anew = f"""
        assert (computed_sector == done + (known ? {bits + 1}'d1 : {bits + 1}'d0) && to_done <= to_computed);
        assert ((!front_begins || number == 0) && (!back_begins || back_step == 0));"""
    return Rule(
        "no stage works on a sector that it was not given, nor announces it",
        signals,
        f"""{distances}{rule}
      // a sector's last beat is taken before its U is issued, and its steps before its Cm
      wire whole = {within} && front_step >= {front.beats};
      wire hashing = whole && front_step <= {U};
      wire [{bits}:0] front_hashed = front_sector - hashed_sector - hashing;
      wire [{bits}:0] hashed_ready = hashed_sector - ready_sector, call_result = call_sector - result_sector;
      wire [{bits}:0] result_back = result_sector - computed_sector + (back_step > {Cm});
      wire [15:0] popped = back_step < {back.beats} ? back_step : 16'd{back.beats};
      wire [15:0] wait_flight = {" + ".join(waits) or 0};
      always @* if (!clear) begin
        assert (!event_U || hashed_sector != front_sector);
        assert (!event_Cm || computed_sector != result_sector);
        assert ({" && ".join(f"to_{a} <= to_{b}" for a, b in zip(pointers, pointers[1:], strict=False))});
        assert (!({within}) || number == (front_step < {front.beats} ? front_step : 0));
        assert (front_sector == entering_sector + (whole ? {bits + 1}'d1 : {bits + 1}'d0));
        assert (to_front <= {made.slots} && (number == 0 || to_front < {made.slots}));
        assert (front_hashed == U_flight && hashed_ready == wait_flight);
        assert (call_step < {s} && result_step < {s} && (call_step == 0 || call_sector != ready_sector));
        assert (16'd{s} * call_result + call_step == steps + result_step);
        assert (16'd{s} * result_back + result_step == queue_waiting{arriving} + popped + 16'd{s} * Cm_flight);{anew}
      end""",
        kept=("words",),
        cycles=1 + made.ahead,  # what goes to the data through a register was decided in the cycle before
    )


def rekey(core: Contract) -> Rule:
    """No sector between the front hash and the last block known, and no step in the lanes."""
    text = "front_step == 0 && to_front == to_computed && steps == 0"
    return rekeyed_in_order(core, order(core), "entering_sector == computed_sector && front_step == 0", text)
