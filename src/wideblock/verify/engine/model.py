# SPDX-License-Identifier: Apache-2.0
"""An engine as in the contract, in all states that agree with the ports so far.

The cycles of steps of a command, of the self-test and of a request of the window are not stated: the model holds every
possible state. Each access, unit and level removes the contradicting states. When none is left, the engine is wrong.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wideblock.rtl.bus.engine_facts import GONE, NOT_RUN
from wideblock.rtl.bus.key_map import KAT_KEY, CommandError, KeyCommand
from wideblock.rtl.stream.behaviour import Behaviour, Cause
from wideblock.verify.engine.state import AUX, METD, WORDS, Held, Log, Running, Sending, State

__all__ = ["BITS", "Bounds", "Expected", "Model", "Unit", "Wrong"]

LOAD, UNLOAD, ZEROIZE, LOAD_KAT = KeyCommand
MOST_BLOCKS = 1 << 44

BITS = {
    name: 1 << bit for bit, name in enumerate(("COMMAND", "FAULT", "WARN", "LIMIT", "WINDOW", "SELFTEST", "CLEARED"))
}
"""Bits of IRQ_STATUS."""

Expected = tuple[int, int] | str
"""A value with the mask of bits that count, or the reason for no possible value."""


class Wrong(Exception):
    """The engine did what no state allows."""


@dataclass(frozen=True)
class Unit:
    """A unit of the stream.

    first, last: cycles of its first and last beat; -1: not accepted
    over:        last cycle of the unit in the core: of the last beat, or of the beat of a fault; -1: none
    fault:       0: none; -1: a clear cut it
    """

    number: int
    slot: int
    decrypt: bool
    tweak: bytes
    data: bytes
    first: int
    last: int
    over: int
    fault: int
    result: bytes | None

    @property
    def size(self) -> int:
        return len(self.data)


@dataclass(frozen=True)
class Bounds:
    """Cycles of an engine: of a clear, and of a command at most, at the pace of the script."""

    zeroize: int
    command: int


class Model:
    """All states of an engine that agree with the ports; ``registers`` change by writes alone.

    answer:       result of a unit: of a key, a tweak, data and a direction
    window_least: bytes below which the window itself refuses a message
    width:        blocks of a beat
    """

    def __init__(
        self,
        behaviour: Behaviour,
        slots: int,
        key_bytes: int,
        differ: bool,
        answer: Callable[..., bytes],
        *,
        window_least: int,
        width: int,
    ):
        self.behaviour, self.slots, self.key_bytes, self.differ = behaviour, slots, key_bytes, differ
        self.answer, self.window_least = answer, window_least
        self.width = width
        self.most_before = -(-(1 << (behaviour.length.most // 16).bit_length()) // width) * width - width
        self.bit = {fault.cause: bit for bit, fault in enumerate(behaviour.faults)}
        self.states: set[State] = set()
        self.units: list[Unit] = []
        self.bounds = Bounds(0, 0)
        self.registers: dict[str, int] = {}
        self.cleared_at = 0  # last cycle in which a clear began
        self.held_until = self.ran_until = 0  # last cycles in which the self-test may hold the core, a command may run

    # Observations

    def observe(self, cycle: int, what: str, seen: int, expected: Callable[[State], Expected]) -> None:
        """Keeps the states that agree with a value. Raises :class:`Wrong` if none does."""
        found = {state: expected(state) for state in self.states}
        self.states = {s for s, e in found.items() if not isinstance(e, str) and not (e[0] ^ seen) & e[1]}
        if not self.states:
            right = sorted({e if isinstance(e, str) else f"{e[0] & e[1]:x}h" for e in found.values()})
            raise Wrong(f"{what} is {seen:x}h in cycle {cycle}; right is {' or '.join(right[:4])}")

    def change(self, change: Callable[[State], State]) -> None:
        """Makes a change in every state."""
        self.states = {change(state) for state in self.states}

    # Steps that the ports do not show

    def advance(self, cycle: int) -> None:
        """Adds every state that can follow until ``cycle``, and removes overdue states."""
        self.spread(cycle)
        kept = {state for state in self.states if not self._overdue(state, cycle)}
        if any(state.test == "holds" for state in kept):
            self.held_until = cycle
        if any(state.run for state in kept):
            self.ran_until = cycle
        if not kept:
            run = next(state.run for state in self.states if state.run)
            raise Wrong(f"Command {run.command} for slot {run.slot} has not ended in cycle {cycle}, due was {run.due}")
        self.states = kept

    def spread(self, cycle: int, *, command: bool = True) -> None:
        """Adds every state that can follow until ``cycle``; without ``command`` no command goes on."""
        self.change(lambda state: self._cleared(state, cycle))
        new = self.states
        while new:
            new = {after for state in new for after in self._steps(state, cycle)} - self.states
            if not command:
                new = {state for state in new if state.run in {before.run for before in self.states}}
            self.states = self.states | new

    def clear(self, cycle: int, last: int) -> None:
        """Zeroize begins in a cycle, and lasts until cycle ``last``; further steps may end in the first cycle."""
        self.spread(cycle + 1)
        self.cleared_at = cycle
        self.clear_by(lambda state: self.zeroize(state, last + self.bounds.zeroize))

    def clear_by(self, change: Callable[[State], State]) -> None:
        """Clears every state by a change; a fault of the window in the same cycle is logged before or after."""
        late = {
            self.logged(change(state), 1 << sent.wrong, sent.slot)
            for state in self.states
            if (sent := state.window).phase == "inside" and sent.wrong not in (None, GONE)
        }
        self.change(change)
        self.states |= late

    @staticmethod
    def _cleared(state: State, cycle: int) -> State:
        if state.cleared and cycle > state.clear:
            return state._replace(cleared=False, irq=state.irq | BITS["CLEARED"])
        return state

    def _overdue(self, state: State, cycle: int) -> bool:
        run = state.run
        if run is None or cycle <= max(run.due, state.clear + 4, self.held_until + self.bounds.command):
            return False
        own = [unit for unit in self.units if unit.slot == run.slot and unit.first <= cycle and self._enters(unit)]
        return all(0 <= unit.last <= cycle - self.bounds.command for unit in own)

    def inside(self, cycle: int, slot: int | None = None) -> bool:
        """Whether a unit has begun and not ended before a cycle; in an admitting slot a dropped unit has ended."""
        if slot is None:
            return any(0 <= unit.first < cycle and not 0 <= unit.last < cycle for unit in self.units)
        own = (unit for unit in self.units if unit.slot == slot and self._enters(unit))
        return any(0 <= unit.first < cycle and not 0 <= unit.over < cycle for unit in own)

    def _enters(self, unit: Unit) -> bool:
        """Whether a unit is not dropped at its first beat."""
        return unit.fault in (-1, 0, *(1 << self.bit[cause] for cause in (Cause.SHORT, Cause.LONG)))

    def _steps(self, state: State, cycle: int) -> Iterator[State]:
        if state.window.phase == "waits" and state.window.wrong is not None:
            yield self._sent(state)
        if cycle < state.clear:
            return
        if state.run:
            yield from self._command_steps(state, state.run, cycle)
        if state.test == "waits" and not self.inside(cycle) and state.window.phase not in ("inside", "counted"):
            if state.run is None or state.run.phase == "scan":
                yield state._replace(test="holds", unlucky=state.held(self.slots - 1) is not None)
        if state.test == "holds":
            tested = (1, 0, NOT_RUN) if state.unlucky else (1, 1, 0)
            yield state._replace(test="idle", tested=tested, power=False, irq=state.irq | BITS["SELFTEST"])
        elif state.window.phase != "none":
            yield from self._window_steps(state, cycle)

    def _command_steps(self, state: State, run: Running, cycle: int) -> Iterator[State]:
        """The steps of a command."""
        loads = run.command in (LOAD, LOAD_KAT)
        if run.phase in ("zeroize", "cleared"):
            if cycle > state.clear:
                yield self._ended(state, CommandError["OK" if run.phase == "zeroize" else "CLEARED"])
        elif run.phase == "scan":
            if state.test != "holds":
                error = self._verdict(state, run)
                if error:
                    yield self._ended(state, error)
                elif state.held(run.slot):
                    yield state._replace(run=run._replace(phase="closes"))
                else:
                    yield self._noted(state, run)
        elif run.phase == "closes":
            yield state._replace(run=run._replace(phase="closed"))
        elif run.phase == "closed":
            sent = state.window
            if not self.inside(cycle, run.slot) or (sent.phase == "inside" and sent.slot == run.slot):
                freed = state.rekeyed(run.slot, None)
                yield freed._replace(run=run._replace(phase="freed")) if loads else self._ended(freed, 0)
        elif run.phase == "freed":
            yield self._noted(state, run)
        elif run.phase == "noted":
            yield state._replace(run=run._replace(phase="live"))
        else:
            yield self._ended(state, 0)

    @staticmethod
    def _noted(state: State, run: Running) -> State:
        return state.rekeyed(run.slot, run.held)._replace(run=run._replace(phase="noted"))

    @staticmethod
    def _ended(state: State, error: int) -> State:
        """The state with DONE; MEK is wiped."""
        kept = METD.start
        return state._replace(
            run=None,
            done=1,
            error=error,
            words=bytes(kept) + state.words[kept:],
            marks=bytes(kept) + state.marks[kept:],
            irq=state.irq | BITS["COMMAND"],
        )

    def _verdict(self, state: State, run: Running) -> int:
        """Error of a command that is judged now."""
        policy, held, loads = self.registers["POLICY"], state.held(run.slot), run.command != UNLOAD
        replace, frozen_loads, frozen_unloads = policy & 1, policy & 2, policy & 4
        if run.first:
            return run.first
        if not loads and not held:
            return CommandError.NOT_LOADED
        if loads and held and not replace:
            return CommandError.LOADED
        if (loads and frozen_loads) or (held and (frozen_unloads or held.aux & 4)):
            return CommandError.LOCKED
        return run.last

    def _window_steps(self, state: State, cycle: int) -> Iterator[State]:
        """The steps of a request of the window."""
        sent = state.window
        if sent.phase == "waits" and sent.wrong is None and not self.inside(cycle):
            cause = self.cause(state, sent, of_window=True)
            held = state.held(sent.slot)
            admitted = held is not None and self.admits(state, sent.slot, sent.decrypt, of_window=True)
            wrong = None if cause is None else self.bit[cause]
            key = held.key if held else b""
            yield state._replace(window=sent._replace(phase="inside", wrong=wrong, key=key, admitted=admitted))
        elif sent.phase == "inside":
            after = state._replace(window=sent._replace(phase="counted"))
            if sent.admitted:
                after = self.counted(after, sent.slot, -(-len(sent.data) // 16))
            if sent.wrong not in (None, GONE):
                after = self.logged(after, 1 << sent.wrong, sent.slot)
            yield after
        elif sent.phase == "counted":
            yield self._sent(state)
            if sent.stale and sent.wrong is None:
                yield self._sent(state._replace(window=sent._replace(wrong=GONE)))

    def _sent(self, state: State) -> State:
        sent = state.window
        result = b"" if sent.wrong is not None else self.answer(sent.key, sent.tweak, sent.data, sent.decrypt)
        window = sent._replace(phase="none", done=True, result=result, key=b"", tweak=b"", data=b"", admitted=False)
        return state._replace(window=window, irq=state.irq | BITS["WINDOW"])

    # Changes

    def cause(self, state: State, unit: Unit | Sending, *, of_window: bool = False) -> Cause | None:
        """Cause to refuse a unit that begins now, or None."""
        if unit.decrypt not in self.behaviour.directions:
            return Cause.DIRECTION
        if refused := self._slot_cause(state, unit.slot, unit.decrypt, of_window=of_window):
            return refused
        return self.behaviour.length.fault(len(unit.data), None, len(unit.tweak))

    def admits(self, state: State, slot: int, decrypt: bool, *, of_window: bool = False) -> bool:
        """Whether a slot admits and counts a unit that begins now, even if the core drops the unit."""
        return self._slot_cause(state, slot, decrypt, of_window=of_window) is None

    @staticmethod
    def _slot_cause(state: State, slot: int, decrypt: bool, *, of_window: bool) -> Cause | None:
        """Cause of a slot to refuse a unit that begins now, or None."""
        held = state.held(slot)
        if held and ((held.kat and not of_window) or held.aux & (2 if decrypt else 1)):
            return Cause.FORBIDDEN
        if held and held.marks & 2:
            return Cause.LIMIT
        shut = state.run is not None and state.run.slot == slot and state.run.phase in ("closed", "freed", "noted")
        return Cause.SLOT if held is None or shut else None

    def begun(self, state: State, unit: Unit) -> State:
        """The state with a counted unit, if the slot admits the unit."""
        if self.admits(state, unit.slot, unit.decrypt):
            return state._replace(open=(*state.open, (unit.number, unit.slot)))
        return state

    def ended(self, state: State, unit: Unit) -> State:
        """The state with the blocks of a unit counted."""
        if (unit.number, unit.slot) not in state.open:
            return state
        rest = tuple(each for each in state.open if each[0] != unit.number)
        return self.counted(state._replace(open=rest), unit.slot, self._blocks(unit.size))

    def _blocks(self, size: int) -> int:
        """Counted blocks of a unit: of the last beat, and of all beats before, up to the most of the counter."""
        last = (-(-size // 16) - 1) % self.width + 1
        return min(-(-size // 16) - last, self.most_before) + last

    def counted(self, state: State, slot: int, blocks: int) -> State:
        """The state with blocks added to those of a slot, compared with WARN and LIMIT."""
        held = state.held(slot)
        if held is None:
            return state
        total = held.blocks + blocks
        limit, warn = (self.wide(name) for name in ("LIMIT", "WARN"))
        warned, spent = total >= min(warn, MOST_BLOCKS), total >= min(limit, MOST_BLOCKS)
        held = held._replace(blocks=total, marks=held.marks | warned | spent << 1)
        irq = state.irq | warned * BITS["WARN"] | spent * BITS["LIMIT"]
        return state.put(slot, held)._replace(irq=irq)

    def wide(self, name: str) -> int:
        """Value of a register of two halves."""
        return self.registers[f"{name}_LO"] | self.registers[f"{name}_HI"] << 32

    @staticmethod
    def logged(state: State, fault: int, slot: int) -> State:
        """The state with a pulse of ``fault`` in the log."""
        counts = tuple(min(n + (fault >> bit & 1), 0xFFFF) for bit, n in enumerate(state.log.counts))
        first = state.log.first or (slot | ((fault & -fault).bit_length() - 1) << 16 | 1 << 31)
        return state._replace(log=Log(counts, first), irq=state.irq | BITS["FAULT"])

    def no_log(self) -> Log:
        """A log without faults."""
        return Log((0,) * len(self.behaviour.faults))

    def zeroize(self, state: State, end: int) -> State:
        """The state as the engine clears itself, which ends in cycle ``end``."""
        sent, run = state.window, state.run
        if sent.phase != "none":
            vague = sent.vague or sent.wrong not in (None, GONE)
            sent = sent._replace(phase="waits", wrong=GONE, vague=vague, key=b"", tweak=b"", data=b"", admitted=False)
        elif sent.done and sent.wrong is None:
            sent = sent._replace(wrong=GONE, result=b"")
        if run and run.phase != "zeroize":
            run = run._replace(phase="cleared")
        return state._replace(
            log=self.no_log(),
            clear=max(end, state.clear),
            cleared=True,
            slots=(),
            run=run,
            words=WORDS,
            marks=WORDS,
            test="waits" if state.test == "holds" else state.test,
            window=sent,
            open=(),
            data=bytes(len(state.data)),
            tweak=bytes(len(state.tweak)),
        )

    def execute(self, state: State, command: int, cycle: int) -> State:
        """The state with a command that starts."""
        words, marks = state.words, state.marks
        slot = int.from_bytes(words[METD.start : METD.start + 2], "little")
        loads, mode = command in (LOAD, LOAD_KAT), words[AUX.start + 16]
        needed = [*(METD if command != ZEROIZE else ()), *(AUX if loads else ())]
        needed += range(self.key_bytes) if command == LOAD else ()
        rules = (
            (command not in tuple(KeyCommand), "COMMAND"),
            (not all(marks[at] for at in needed), "INCOMPLETE"),
            (any(words[METD.start + 2 : METD.stop]), "METD"),
            (slot >= self.slots, "NO_SLOT"),
            (
                loads and (mode > 7 or any(words[AUX.start : AUX.start + 16]) or any(words[AUX.start + 17 : AUX.stop])),
                "AUX",
            ),
        )
        first = next((CommandError[name] for applies, name in rules if applies), 0)
        key = KAT_KEY[: self.key_bytes] if command == LOAD_KAT else words[: self.key_bytes]
        half = self.key_bytes // 2
        equal = self.differ and command == LOAD and (key[:half] == key[half:] or key[:16] == key[16:32])
        held = Held(key if loads else b"", mode & 7, command == LOAD_KAT)
        run = Running(
            *(command, slot, held, first, CommandError.EQUAL_HALVES if equal else 0),
            *("zeroize" if command == ZEROIZE else "scan", cycle + self.bounds.command),
        )
        return state._replace(run=run, shown=command)
