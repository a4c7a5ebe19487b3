# SPDX-License-Identifier: Apache-2.0
"""State of an engine as in the contract: slots, command, self-test, window and events."""

from typing import NamedTuple

from wideblock.rtl.bus.engine_facts import GONE
from wideblock.rtl.bus.key_map import KEY_MAP
from wideblock.rtl.bus.registers import REGISTER_BYTES

__all__ = ["AUX", "METD", "Held", "Log", "Running", "Sending", "State"]

METD = range(KEY_MAP.offset("METD"), KEY_MAP.offset("METD") + 5 * REGISTER_BYTES)
AUX = range(KEY_MAP.offset("AUX_OFFSET"), KEY_MAP.offset("CTRL"))

WORDS = bytes(KEY_MAP.offset("CTRL"))
"""MEK, METD and AUX, by their offsets, all zero."""


class Held(NamedTuple):
    """A key in a slot.

    aux:   AUX_MODE
    marks: bit 0: WARN reached, bit 1: LIMIT reached
    """

    key: bytes
    aux: int = 0
    kat: bool = False
    blocks: int = 0
    marks: int = 0


class Running(NamedTuple):
    """A command between EXE and DONE.

    first, last: error of the words alone, before and after the errors of slots in precedence; 0: none
    phase:       scan, closes (CLOSING may be 1), closed (units are dropped), freed, noted (the slot has a state), live
                 (the key can be used), zeroize, cleared
    due:         cycle by which DONE must be 1
    """

    command: int
    slot: int
    held: Held
    first: int
    last: int
    phase: str
    due: int


class Sending(NamedTuple):
    """The request of the window.

    phase: none, waits, inside (the core has it), counted
    wrong: cause of a refusal, None: none is known
    vague: a clear has met a request that the core refuses: either may be the cause
    stale: the key of its slot has changed since START: it may end with GONE, too
    """

    phase: str = "none"
    slot: int = 0
    decrypt: bool = False
    tweak: bytes = b""
    data: bytes = b""
    wrong: int | None = None
    vague: bool = False
    stale: bool = False
    key: bytes = b""
    admitted: bool = False
    done: bool = False
    result: bytes = b""


class Log(NamedTuple):
    """FAULT_COUNT by bit of ``fault``, and FIRST_FAULT."""

    counts: tuple[int, ...]
    first: int = 0


class State(NamedTuple):
    """State in a cycle.

    run:     the command of the registers
    words:   bytes of MEK, METD and AUX; ``marks``: 1 for each byte that was written
    clear:   cycle in which the clear has ended
    cleared: IRQ_STATUS.CLEARED is to be set at the end of the clear
    power:   the self-test after reset has not ended
    test:    idle, waits, holds; ``tested``: DONE, PASSED, FAILED
    unlucky: the self-test finds a key in its slot
    open:    units (number, slot) that count in their slot and have not been counted
    data, tweak: WINDOW_DATA_IN, WINDOW_TWEAK
    """

    log: Log
    clear: int
    slots: tuple[tuple[int, Held], ...] = ()
    run: Running | None = None
    done: int = 0
    error: int = 0
    shown: int = 0
    words: bytes = WORDS
    marks: bytes = WORDS
    cleared: bool = True
    power: bool = True
    test: str = "waits"
    tested: tuple[int, int, int] = (0, 0, 0)
    unlucky: bool = False
    irq: int = 0
    window: Sending = Sending()
    open: tuple[tuple[int, int], ...] = ()
    data: bytes = b""
    tweak: bytes = b""

    def held(self, slot: int) -> Held | None:
        """The key of a slot."""
        return next((held for number, held in self.slots if number == slot), None)

    def put(self, slot: int, held: Held | None) -> "State":
        """The state with another key in a slot, or with other numbers of the key."""
        others = [each for each in self.slots if each[0] != slot]
        return self._replace(slots=tuple(sorted([*others, *([(slot, held)] if held else [])])))

    def rekeyed(self, slot: int, held: Held | None) -> "State":
        """The state as a key ends or begins in a slot: what was under way counts no more, a result is gone."""
        state = self.put(slot, held)._replace(open=tuple(unit for unit in self.open if unit[1] != slot))
        sent = state.window
        if sent.slot == slot and sent.phase in ("inside", "counted") and sent.wrong is None:
            return state._replace(window=sent._replace(wrong=GONE, admitted=False))
        if sent.slot == slot and sent.phase == "waits" and sent.wrong is None:
            return state._replace(window=sent._replace(stale=True))
        if sent.slot == slot and sent.done and sent.phase == "none" and sent.wrong is None:
            return state._replace(window=sent._replace(wrong=GONE, result=b""))
        return state
