# SPDX-License-Identifier: Apache-2.0
"""The rule of slots of an engine: no message of the user's stream is processed under the key of known answers.

The core inside is closed, and may do anything. An arbitrary slot is watched: the row of the slot in the table of slots
has the last written value, all other rows are free.
"""

from wideblock.export.contract import Contract
from wideblock.rtl.bus.key_map import KeyCommand
from wideblock.rtl.engine.slots import STATE
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.rules.parts import watched_row

__all__ = ["INSIDE", "slots"]

INSIDE = ("core",)
"""The closed core."""


def slots(core: Contract) -> Rule:
    """The rule for an engine.

    ``loaded`` and ``constant`` follow the core's key in the slot, from the accepted keys.
    """
    table = core.component.table
    bits, clock = table.bits, core.shell.clock
    signals, row = watched_row(
        core, "table", "core.table.states", bits, word=(0, STATE.size), ports=("read0", "read1", "read2")
    )
    signals |= _signals()
    kat, present = (f"[{STATE[name].offset}]" for name in ("kat", "loaded"))
    return Rule(
        "a message of the user's stream names a slot of the core only if the key there is not that of known answers; "
        "a message is whole of the user's stream or whole of the engine itself",
        signals,
        f"""{row}
      wire [{bits - 1}:0] slot = table_at;
      wire of_slot = commanded[{bits - 1}:0] == slot;
      wire loads = key_valid && !key_evict, evicts = key_valid && key_evict;
      reg loaded, constant;
      always @(posedge {clock})
        if (clear) loaded <= 0;
        else if (key_valid && key_ready && key_slot == slot) begin
          loaded <= !key_evict;
          constant <= command == {KeyCommand.LOAD_KAT};
        end
      reg within, of_engine;
      always @(posedge {clock})
        if (clear) within <= 0;
        else if (i_valid && i_ready) begin
          within <= !i_last;
          if (!within) of_engine <= granted;
        end
      reg zeroized;
      always @(posedge {clock}) zeroized <= core_zeroize;
      always @* begin assume (!(zeroized && core_ready) && (core_ready || !key_ready)); end
      always @* begin assert (!(clear && key_valid && core_ready) && sent == 0); end
      always @* begin assert ((sending || part == 0) && (running || !busy)); end
      always @* if (!clear) begin
        assert (!loaded || table_content{present} && table_content{kat} == constant);
        if (closing || table_write || key_valid) begin
          assert (running && commanded < {table.slots});
          assert (state{present} && state{kat} == (command == {KeyCommand.LOAD_KAT}));
        end
        if (of_slot && (evicts && key_slot != commanded || table_write || loads)) assert (!loaded);
        if (of_slot && loads) assert (table_content == state);
        assert (!within || begun && granted == of_engine && (sending || !granted));
        if (i_valid && !granted && i_slot == slot) assert (!(loaded && constant));
      end""",
    )


def _signals() -> dict[str, str]:
    """Signals of the commands, of both ports of the core inside, and of the parts that share them."""
    signals = {name: f"core.commands.{name}" for name in ("command", "closing", "running", "state")}
    signals |= {"commanded": "core.commands.table__slot", "busy": "core.commands.fsm_state"}
    signals |= {"table_write": "core.commands.table__write", "clear": CLEAR}
    given = "core.commands.key__payload"
    signals |= {"key_valid": "core.commands.key__valid", "key_ready": "core.core__key__ready"}
    signals |= {"key_slot": f"{given}.slot", "key_evict": f"{given}.evict"}
    signals |= {"i_valid": "core.core__i__valid", "i_ready": "core.core__i__ready", "i_last": "core.gate.into.last"}
    signals |= {"i_slot": "core.core__i__payload.slot", "begun": "core.gate.access__begun"}
    signals |= {"core_ready": "core.core__ready", "core_zeroize": "core.core__zeroize", "sent": "core.commands.sent"}
    signals |= {
        "granted": "core.passage.access__granted",
        "sending": "core.passage.sending",
        "part": "core.passage.part",
    }
    return signals
