# SPDX-License-Identifier: Apache-2.0
"""Replay of a record of an engine: each cycle with a visible step at the ports, compared with the model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from wideblock.drive.sector.accesses import Answer
from wideblock.verify.engine.model import BITS, Bounds, Expected, Model, Unit, Wrong
from wideblock.verify.engine.register_model import Registers
from wideblock.verify.engine.state import State

__all__ = ["Seen", "replay"]

COUNTED = 2
"""Cycles from the last beat of a unit to the cycle after which the blocks are counted."""


@dataclass(frozen=True)
class Seen:
    """All that the ports of an engine showed in a script; cycles count from its start.

    answers:  of the accesses
    units:    of the stream, in order
    clears:   (first, last) cycle of each zeroize of the port
    pulses:   (cycle, fault, slot) of each fault
    ready, irq: levels at each change
    cycles:   of the script
    rests:    the script ends when nothing is under way
    """

    answers: Sequence[Answer]
    units: Sequence[Unit]
    clears: Sequence[tuple[int, int]]
    pulses: Sequence[tuple[int, int, int]]
    ready: Sequence[tuple[int, int]]
    irq: Sequence[tuple[int, int]]
    cycles: int
    rests: bool = True


@dataclass
class _Cycle:
    """Events of one cycle: shown values first, then changes."""

    shows: list[Callable[[], None]] = field(default_factory=list)
    clears: list[Callable[[], None]] = field(default_factory=list)
    counts: list[Callable[[], None]] = field(default_factory=list)
    changes: list[Callable[[], None]] = field(default_factory=list)


def replay(model: Model, registers: Registers, seen: Seen, bounds: Bounds) -> None:
    """Steps through a record. Raises :class:`Wrong` at the first cycle that agrees with no state."""
    model.units, model.bounds = list(seen.units), bounds
    cycles: dict[int, _Cycle] = {}

    def at(cycle: int) -> _Cycle:
        return cycles.setdefault(cycle, _Cycle())

    for answer in seen.answers:
        (_read if answer.access.value is None else _write)(at, model, registers, answer)
    for unit in seen.units:
        if unit.first >= 0:
            at(unit.first).shows.append(partial(_begun, model, unit))
        if unit.last >= 0:
            at(unit.last + COUNTED).counts.append(partial(_ended, model, unit))
    for cycle, fault, slot in seen.pulses:
        at(cycle).counts.append(partial(_pulsed, model, cycle, fault, slot))
        at(cycle).changes.append(partial(model.change, _interrupted))
    for first, last in seen.clears:
        for cycle in {first, last}:
            at(cycle).changes.append(partial(model.clear, cycle, last))
    for cycle, _ in (*seen.ready, *seen.irq):
        at(cycle)
    levels = {"ready": iter([*seen.ready, (seen.cycles, 0)]), "irq": iter([*seen.irq, (seen.cycles, 0)])}
    now = {name: 0 for name in levels}
    coming = {name: next(changes) for name, changes in levels.items()}
    for cycle in sorted(cycle for cycle in cycles if cycle < seen.cycles):
        model.advance(cycle)
        for name, changes in levels.items():
            while coming[name][0] <= cycle:
                now[name] = coming[name][1]
                coming[name] = next(changes)
        model.observe(cycle, "ready", now["ready"], partial(_ready, cycle))
        model.observe(cycle, "irq", now["irq"], partial(_irq, registers))
        events = cycles[cycle]
        for event in (*events.shows, *events.clears, *events.counts, *events.changes):
            event()
    if seen.rests:
        _rest(model, seen.cycles)
    model.states = {shifted(state, -seen.cycles) for state in model.states}
    registers.selected -= seen.cycles
    model.held_until -= seen.cycles
    model.cleared_at -= seen.cycles
    model.ran_until -= seen.cycles


def _ready(cycle: int, state: State) -> Expected:
    return int(cycle >= state.clear and not state.power), 1


def _irq(registers: Registers, state: State) -> Expected:
    return int(bool(state.irq & registers.model.registers["IRQ_ENABLE"])), 1


def _read(at: Callable[[int], _Cycle], model: Model, registers: Registers, answer: Answer) -> None:
    access, name = answer.access, _name(registers, answer)
    response = 0 if registers.place(access.space, access.offset) else 2

    def show() -> None:
        if answer.response != response:
            raise Wrong(
                f"The response to a read of {name} is {answer.response} in cycle {answer.cycle}; right is {response}"
            )
        model.observe(
            answer.cycle,
            name,
            answer.word,
            lambda state: registers.read(state, answer.cycle, access.space, access.offset),
        )

    at(answer.cycle).shows.append(show)


def _write(at: Callable[[int], _Cycle], model: Model, registers: Registers, answer: Answer) -> None:
    access = answer.access
    value = access.value or 0
    words = (access.space, access.offset, value, access.strobe)

    def show() -> None:
        model.observe(
            answer.cycle,
            f"The response to a write of {value:x}h, strobe {access.strobe:x}h, to {_name(registers, answer)}",
            answer.response,
            lambda state: registers.response(state, answer.cycle, *words),
        )

    if answer.response and registers.aborts(access.space, access.offset, value, access.strobe):
        # refused, too, where the command ends in this cycle; then DONE is 1 in the next one
        at(answer.cycle).changes.insert(0, lambda: model.spread(answer.cycle + 1))
        at(answer.cycle).changes.insert(1, show)
        return
    at(answer.cycle).shows.append(show)
    if answer.response == 0:
        found = registers.place(access.space, access.offset)
        name = found[0].name if found else ""
        if name == "IRQ_STATUS":  # an event in the cycle of a clear stays
            at(answer.cycle).clears.append(lambda: registers.write(answer.cycle, *words))
        else:
            at(answer.cycle).changes.append(lambda: registers.write(answer.cycle, *words))
        if name == "WINDOW_REQUEST" and value >> 31 and access.strobe & 8:
            at(answer.cycle + 1).changes.append(lambda: registers.start_window(answer.cycle + 1))


def _name(registers: Registers, answer: Answer) -> str:
    found = registers.place(answer.access.space, answer.access.offset)
    return f"{found[0].name}[{found[1]}]" if found else f"{answer.access.space} {answer.access.offset:x}h"


def _begun(model: Model, unit: Unit) -> None:
    """A unit begins: states that admit the unit, and that drop or process the unit as seen at the ports."""
    cycle = unit.first

    def expected(state: State) -> Expected:
        if cycle < state.clear or state.power or state.test == "holds" or state.window.phase in ("inside", "counted"):
            return "no unit accepted"
        cause = model.cause(state, unit)
        if unit.fault < 0:  # cut short by a clear
            return 0, 0
        if cause is not None:
            return 1 << model.bit[cause], 0xFFFFFFFF
        held = state.held(unit.slot)
        assert held is not None
        if unit.result is not None and unit.fault == 0:
            right = model.answer(held.key, *_request(unit))
            if right != unit.result:
                return f"the result {right[:8].hex()} .."
        return 0, 0xFFFFFFFF

    about = f" with result {unit.result[:8].hex()} .." if unit.result else ""
    what = f"fault of unit {unit.number} of {unit.size} bytes in slot {unit.slot}{about}"
    model.observe(cycle, what, max(unit.fault, 0), expected)
    model.change(lambda state: model.begun(state, unit))


def _request(unit: Unit) -> tuple[bytes, bytes, bool]:
    return unit.tweak, unit.data, unit.decrypt


def _ended(model: Model, unit: Unit) -> None:
    model.change(lambda state: model.ended(state, unit))


def _pulsed(model: Model, cycle: int, fault: int, slot: int) -> None:
    """A fault is logged; for a unit just cut by a clear either is possible."""
    logged = {model.logged(state, fault, slot) for state in model.states}
    cut = cycle == model.cleared_at + 1
    model.states = logged | model.states if cut else logged


def _interrupted(state: State) -> State:
    return state._replace(irq=state.irq | BITS["FAULT"])


def _rest(model: Model, cycle: int) -> None:
    """Nothing is under way at the end of a script."""
    model.advance(cycle)
    busy = "a command, the self-test or a request of the window under way"

    def expected(state: State) -> Expected:
        return busy if state.run or state.test != "idle" or state.window.phase != "none" else (0, 0)

    model.observe(cycle, "The engine at rest", 0, expected)


def shifted(state: State, by: int) -> State:
    """The state with all its cycles moved."""
    run = state.run and state.run._replace(due=state.run.due + by)
    return state._replace(clear=state.clear + by, run=run, open=())
