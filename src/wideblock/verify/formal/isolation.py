# SPDX-License-Identifier: Apache-2.0
"""The proof that the register bus cannot reach the key bus: two engines look alike from the key bus.

Both engines have equal registers of keys and an equal command, and equal accesses of the key bus. Everything else may
differ: accesses of the register bus, window, passage, self-test, named slots and streams.
"""

import time
from collections.abc import Mapping

from amaranth.hdl import Fragment

from wideblock.export.contract import Contract
from wideblock.rtl.engine.commands import POLICY
from wideblock.rtl.engine.key_memory import METD_ROW
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.proof import NotApplicable, NotProved, Proof
from wideblock.verify.formal.rules.engine import INSIDE
from wideblock.verify.formal.two_steps import NEVER, Shared, prove_shared

__all__ = ["prove_isolation"]


STATEMENT = (
    "no register of the key bus and no response on it changes by what the register bus does, but for: begin and end of "
    "clearing; failure; POLICY; the cycle in which a command begins, after a self-test; the states of slots; what the "
    "core answers to a command"
)

_REGISTERS = ("done_shown", "error_shown", "command_shown", "registers_waiting", "waiting_caught", "memory.present")
_OF_COMMAND = ("command", "row", "missing", "wrong_metd", "wrong_aux", "state", "fsm_state", "key", "sent")
_COMPARED = ("differs", "differs_near")
_BUS = ("read_answered", "read_busy", "read_held", "read_held_address", "read_response", "read_word")
_BUS += ("write_answered", "write_go", "write_held", "write_held_address", "write_response", "word", "strobe")
_DECLARED = ("failed", "tested", "clearing.clear", "clearing.row", "table.adding")


def prove_isolation(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of an engine that the register bus changes only the exceptions of :data:`STATEMENT` on the key bus.

    ``flat`` is proved in place of the core's own Verilog, with the core inside closed. Raises :class:`NotApplicable`
    for a core without registers.
    """
    if not core.registers:
        raise NotApplicable("no registers: keys come through a stream")
    if core.headed:
        raise NotApplicable("the rule is about an engine alone: header=false")
    start = time.monotonic()
    parts = {name: Shared() for name in _key_ports(core)}
    parts |= {f"core.key_bus.{name}": Shared() for name in _BUS}
    parts |= {f"core.commands.{name}": Shared() for name in _REGISTERS}
    parts |= {f"core.commands.memory.{name}": Shared() for name in ("words", "marks")}
    declared = [*(f"core.{name}" for name in _DECLARED), *(f"core.file.policy_{name}" for name in POLICY)]
    parts |= {name: Shared(after=NEVER) for name in (*declared, "core.table.states", *_answers(core))}
    of_command = Shared(_own("a.now"), _own("a.next"))
    compared = _COMPARED if core.component.commands.differ else ()
    parts |= {f"core.commands.{name}": of_command for name in (*_OF_COMMAND, *compared)}
    states = Fragment.get(core.component.commands, None).find_generated("fsm").encoding
    parts["core.commands.table__slot"] = Shared(_names_slot("a.now", states), _names_slot("a.next", states))
    parts |= {f"core.commands.{name}": Shared(NEVER, NEVER) for name in ("running", "of_test")}
    resting = " && ".join(f"one.at.core.commands.{name} == 0" for name in ("fsm_state", "key", "sent"))
    proved, gates = prove_shared(
        flat or flatten(core, INSIDE),
        parts,
        Shared(NEVER, NEVER),
        fields={},
        signals={"begin": "core.commands.registers_begin", "clear": "core.clear", "valid": "core.commands.key__valid"},
        kept=[f"one.at.core.commands.running || {resting}"],
        given=[
            "a.begin == b.begin",
            f"({_own('a.now')}) == ({_own('b.now')})",
            *(f"!({one}.clear && {one}.valid && {one}.core.core.key__ready)" for one in "ab"),
        ],
        goals=[f"({_own('a.next')}) == ({_own('b.next')})"],
    )
    if not proved:
        raise NotProved(f"{core.module}: the register bus reaches the registers of the key bus")
    method = "SAT, one step of two engines that differ in their register bus"
    return Proof(STATEMENT, method, gates, 0, time.monotonic() - start)


def _own(of: str) -> str:
    """Whether a command of the key registers runs, in Verilog on the registers ``of`` an engine."""
    return f"{of}.core.commands.running && !{of}.core.commands.of_test"


def _names_slot(of: str, states: Mapping[str, int]) -> str:
    """The same for a command with a known slot: no clear came, and the slot was read.

    ``states``: numbers of the states of a command.
    """
    state, row = f"{of}.core.commands.fsm_state", f"{of}.core.commands.row"
    return f"{_own(of)} && {state} != {states['cleared']} && !({state} == {states['scan']} && {row} <= {METD_ROW})"


def _key_ports(core: Contract) -> list[str]:
    """The ports of the key bus, clock and reset."""
    shell = core.shell
    found = [shell.clock, shell.reset]
    for stream in shell.streams:
        if stream.channel.name.startswith("key_"):
            found += [stream.valid, stream.ready, *stream.payload]
    return found


def _answers(core: Contract) -> list[str]:
    """Outputs of the core inside on which commands depend."""
    return ["core.core.key__ready", "core.core.ready"]
