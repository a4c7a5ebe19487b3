# SPDX-License-Identifier: Apache-2.0
"""The proof that each unit of an engine with error beats leaves one packet, in order, with the right flag.

The engine inside is closed: results, faults and state may be anything at any time.
"""

from wideblock.export.contract import Contract
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.induction import Rule, prove
from wideblock.verify.formal.proof import NotApplicable, Proof
from wideblock.verify.formal.rules.engine import INSIDE
from wideblock.verify.formal.rules.parts import resetting

__all__ = ["prove_answers"]


def prove_answers(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves that each unit leaves one packet in order, with an error flag if the result is not whole.

    ``flat`` is proved in place of the core's own Verilog; the engine inside must be closed in ``flat``. Raises
    :class:`NotApplicable` for a core without error beats.
    """
    if not core.answering:
        raise NotApplicable("no error beats: a dropped unit leaves nothing")
    return prove(core, _rule(core), flat or flatten(core, INSIDE))


def _rule(core: Contract) -> Rule:
    """An arbitrary unit is watched from the first beat to the packet in the place of the unit."""
    inward, out = core.shell.named("i"), core.shell.named("o")
    units, clock, reset = core.component.units, core.shell.clock, resetting(core)
    bits = units.bit_length() - 1
    names = ("first", "newest", "level", "within", "moved", "begun", "unit_dropped", "unit_faulty")
    signals = {name: f"core.{name}" for name in names}
    signals |= {"engine_valid": "core.core__o__valid", "engine_takes": "core.core__o__ready"}
    data, last, keep, error = (out.port(name) for name in ("data", "last", "keep", "error"))
    return Rule(
        "as many packets leave as units began, less the units under way; the packet in the place of a unit has an "
        "error flag if the engine raised a fault from the first beat to the next unit, or was not ready since the "
        "first beat, and else none; a unit with a fault in the cycle after the first beat, or cut by an engine that is "
        "not ready, leaves a beat of one byte 0, which waits for nothing but ready; assumed: the engine accepts "
        "nothing while it is not ready",
        signals,
        f"""
      wire enters = {inward.valid} && {inward.ready}, ends = {inward.port("last")};
      wire opens = enters && !within;
      wire leaves = {out.valid} && {out.ready} && {last};
      reg [15:0] count;          // units that began, less packets that left
      reg [15:0] number, chosen; // of the next unit, and of the unit to watch
      reg watched;               // it is under way
      reg [15:0] ahead;          // units before it
      reg fresh;                 // its first beat was accepted in the cycle before
      reg newest_unit;           // no unit began after it
      reg faulted, cut;          // a fault while it was the newest; nothing of it is to come
      wire picks = opens && number == chosen && !watched;
      wire its = watched && leaves && ahead == 0;
      wire [{bits - 1}:0] row = first + ahead[{bits - 1}:0];
      always @(posedge {clock}) begin
        chosen <= chosen;
        number <= number + opens;
        count <= {reset} ? 0 : count + opens - leaves;
        watched <= !({reset}) && (picks || watched && !its);
        ahead <= picks ? count - leaves : ahead - leaves;
        fresh <= picks;
        newest_unit <= picks || newest_unit && !opens;
        faulted <= !picks && (faulted || newest_unit && fault != 0);
        cut <= !picks && (cut || !ready || fresh && fault != 0);
      end
      always @* begin assume (ready || !enters); end
      always @* begin
        assert (count == level && level <= {units});
        assert (level != 0 || !{out.valid});
        assert (level == 0 || newest == first + level[{bits - 1}:0] - {bits}'d1);
        assert (level != 0 || first == newest + {bits}'d1);
        assert (!{out.valid} || {error} == 0 || {last});
        if (watched) begin
          assert (ahead < level && newest_unit == (ahead + 16'd1 == level));
          assert (unit_dropped[row] == cut && unit_faulty[row] == faulted);
          assert (!fresh || newest_unit && begun && moved);
          assert (!begun || fresh || !newest_unit);
          if (ahead == 0 && cut)
            assert ({out.valid} && {last} && {error} && {data} == 0 && {keep} == 1 && !engine_takes);
          if (its && !cut) begin
            assert ({error} == faulted && !(newest_unit && (within || moved)));
            assert (engine_valid && engine_takes);
          end
        end
      end""",
    )
