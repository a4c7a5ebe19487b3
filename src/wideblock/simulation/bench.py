# SPDX-License-Identifier: Apache-2.0
"""Exported Verilog as a compiled model that is driven with words, many cycles a call."""

import ctypes
from collections.abc import Iterable
from copy import copy
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from wideblock.errors import UserError
from wideblock.simulation.ports import ChannelPorts, Ports, PortShell
from wideblock.simulation.script import RESET, Cycles, Record, Script, ScriptEvent, Violation, Words
from wideblock.simulation.structures import (
    Change,
    ControlJob,
    Event,
    Job,
    PlayOutcome,
    Saved,
    Sink,
    SourceJob,
    StreamRule,
    Watch,
)
from wideblock.simulation.verilator import Options, Trace, build, plain

__all__ = ["Exported", "Simulation", "SimulationError", "State", "trace_format"]

_LOG = 4096
"""Least capacity of a control's log, in entries."""


State = dict[str, bytes]
"""A model's variables by name."""


class SimulationError(RuntimeError):
    """The model did not do what its ports promise; the message is a line with fault and cycle."""


class Exported(Protocol):
    """A module as it is exported; a contract is one."""

    @property
    def module(self) -> str: ...
    @property
    def verilog(self) -> str: ...
    @property
    def shell(self) -> PortShell: ...


class Simulation:
    """One instance of the compiled model of ``core``, after a cycle of reset.

    verilog:  texts to simulate in place of the core's Verilog, for example a netlist with cell models
    power_on: number that chooses the values of registers before the reset, where the model is savable; 0: all zeros
    Raises :class:`~wideblock.simulation.commands.BuildError` if the model cannot be built.
    """

    def __init__(
        self,
        core: Exported,
        *,
        verilog: Iterable[str] | None = None,
        options: Options | None = None,
        power_on: int = 0,
    ):
        self.core, self.options = core, options or Options()
        self.ports = Ports(core.shell)
        bench = resources.files("wideblock.simulation").joinpath("bench.cpp").read_text()
        files = {"bench.cpp": bench, "ports.h": self.ports.header()}
        self._library = build([core.verilog] if verilog is None else verilog, core.module, files, self.options)
        handle, number = ctypes.c_void_p, ctypes.c_int64
        self._declare("bench_new", handle, ctypes.c_uint64)
        self._declare("bench_delete", None, handle)
        self._declare("bench_run", ctypes.c_int32, handle, ctypes.POINTER(Job), ctypes.c_uint64)
        self._declare("bench_cycle", number, handle)
        if self.options.savable:
            self._declare("bench_save", None, handle, ctypes.POINTER(Saved))
        if self.options.trace:
            self._declare("bench_trace", None, handle, ctypes.c_char_p)
        if self.options.coverage:
            self._declare("bench_coverage", None, ctypes.c_char_p)
        self._bench = self._library.bench_new(power_on)

    def _declare(self, name: str, result: Any, *arguments: Any) -> None:
        function = getattr(self._library, name)
        function.restype, function.argtypes = result, arguments

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the model; a waveform is then complete."""
        bench, self._bench = self._bench, None
        if bench:
            self._library.bench_delete(bench)

    def __del__(self) -> None:
        if getattr(self, "_bench", None):
            self.close()

    @property
    def cycle(self) -> int:
        """Cycles of all calls so far."""
        return self._library.bench_cycle(self._bench)

    def words(self, channel: str, n: int) -> Words:
        """``n`` words for an input channel: payload 0, each a packet of its own, valid at once."""
        return self.ports.inputs[channel].words(n)

    def play(self, script: Script, seed: int = 0) -> Record:
        """Plays a script; the seed decides every random choice. The record says how it ended, never an exception.

        Raises ValueError for a script that does not fit the ports.
        """
        call = _Call(self.ports, script)
        outcome = PlayOutcome(self._library.bench_run(self._bench, call.job, seed & (1 << 64) - 1))
        return call.record(outcome)

    def reset(self, cycles: int = 2) -> None:
        """Holds the reset for some cycles."""
        self.play(Script(events=[ScriptEvent(RESET, 0, cycles)], quiet=1))

    def fresh(self, power_on: int = 0) -> "Simulation":
        """Another instance of the same model; ``power_on`` as for the class."""
        other = copy(self)
        other._bench = self._library.bench_new(power_on)
        return other

    def save(self) -> State:
        """All that the model holds: each register and memory by its path in the Verilog, from below the top module.

        The model must be savable. What nothing reads is left out.
        """
        saved = Saved()
        self._library.bench_save(self._bench, saved)
        data, names = ctypes.string_at(saved.bytes, saved.size), ctypes.string_at(saved.names).decode().splitlines()
        starts = saved.starts[: saved.count]
        state: State = {}
        top = self.core.module
        for name, start, end in zip(names, starts, [*starts[1:], saved.size], strict=True):
            if name:
                path = _path(name, top)
                state[path] = state.get(path, b"") + data[start:end]  # a memory comes word by word
        return state

    def coverage(self, path: Path) -> None:
        """Writes the counts of all instances of the model so far to ``path``, in Verilator's form.

        The model must be built with ``coverage``.
        """
        self._library.bench_coverage(str(path).encode())

    def trace(self, path: Path) -> None:
        """Writes a waveform of each call from now on to ``path``, over that of the call before.

        A cycle takes 10 units of time: times are 10 times the record's cycles. The model must be built with
        the format that :func:`trace_format` names.
        """
        self._library.bench_trace(self._bench, str(path).encode())


def trace_format(path: Path) -> Trace:
    """The waveform format that a file name's ending names. Raises UserError for any other."""
    ending = path.suffix.removeprefix(".").lower()
    for name in get_args(Trace):
        if name == ending:
            return name
    raise UserError(f"a waveform's file name must end in .vcd or .fst, got {path.name!r}")


@cache  # a state has thousands of names, and is saved at many cycles
def _path(name: str, top: str) -> str:
    """The path in the Verilog, from below the top module, of a variable of the compiled model."""
    instance, _, variable = name.rpartition(".")
    return f"{plain(instance)}.{plain(variable).removeprefix('__PVT__')}".removeprefix(f"TOP.{top}.")


class _Call:
    """A call of the bench, with the arrays behind the pointers of ``job``."""

    def __init__(self, ports: Ports, script: Script):
        _check_names("channel", script.words, ports.inputs)
        _check_names("channel", {**script.ready, **script.wanted}, ports.outputs)
        _check_names("control", {event.control for event in script.events}, {RESET, *ports.controls})
        if script.capacity < 1:
            raise ValueError(f"capacity must be at least 1 word, got {script.capacity}")
        self._ports = ports
        self._in = {name: _checked(channel, script.words.get(name)) for name, channel in ports.inputs.items()}
        self._accepted = {name: np.full(len(words), -1, np.int64) for name, words in self._in.items()}
        self._out = {name: np.empty(script.capacity, channel.word) for name, channel in ports.outputs.items()}
        self._shown = {name: np.empty(script.watched, channel.shown) for name, channel in ports.outputs.items()}
        log = _LOG + 4 * max(map(len, self._in.values()), default=0)
        self._logs = {name: (Change * log)() for name in ports.watches}
        self._events = [_events(script, control) for control in (RESET, *ports.controls)]
        self.sources = (SourceJob * len(self._in))(
            *(
                SourceJob(words=_address(words), accepted=_pointer(self._accepted[name]), count=len(words))
                for name, words in self._in.items()
            )
        )
        self.sinks = (Sink * len(self._out))(
            *(
                Sink(
                    words=_address(words),
                    capacity=script.capacity,
                    wanted=script.wanted.get(name, 0),
                    chance=_chance(script.ready.get(name, 1.0)),
                    shown=_address(self._shown[name]),
                    shown_stride=self._shown[name].itemsize,
                    shown_capacity=script.watched,
                )
                for name, words in self._out.items()
            )
        )
        self.watches = (Watch * len(self._logs))(*(Watch(log=entries, capacity=log) for entries in self._logs.values()))
        self.job = Job(
            sources=self.sources,
            sinks=self.sinks,
            controls=(ControlJob * len(self._events))(
                *(ControlJob(events=events, count=len(events)) for events in self._events)
            ),
            watches=self.watches,
            noise=script.noise,
            consumed=script.consumed,
            quiet=script.quiet,
            patience=script.patience,
            limit=script.limit,
        )

    def record(self, outcome: PlayOutcome) -> Record:
        """Record of the call, once the bench has run the job."""
        logs = {
            name: [(entry.cycle, entry.value) for entry in self._logs[name][: watch.count]]
            for name, watch in zip(self._logs, self.watches, strict=True)
        }
        pulses = {name for name, control in self._ports.watches.items() if control.pulse}
        return Record(
            outcome,
            self.job.cycles,
            self._accepted,
            {name: words[: sink.count] for (name, words), sink in zip(self._out.items(), self.sinks, strict=True)},
            {name: log for name, log in logs.items() if name not in pulses},
            {name: log for name, log in logs.items() if name in pulses},
            {
                name: states[: sink.shown_count]
                for (name, states), sink in zip(self._shown.items(), self.sinks, strict=True)
            },
            self._violation() if outcome == PlayOutcome.VIOLATION else None,
        )

    def _violation(self) -> Violation:
        stream = list(self._ports.outputs.values())[self.job.rule_sink].stream
        port = list(stream.payload)[self.job.rule_port]
        return Violation(
            StreamRule(self.job.rule), self.job.cycles, stream.valid, stream.ready, self._ports.reset.name, port
        )


def _check_names(kind: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise ValueError(f"no {kind} {name!r} that a script can use, there are {', '.join(sorted(known))}")


def _checked(channel: ChannelPorts, words: Words | None) -> Words:
    """The words as the bench takes them."""
    if words is None:
        return np.empty(0, channel.word)
    if words.dtype != channel.word or words.ndim != 1:
        raise ValueError(f"words of channel {channel.name} must be an array (n,) of its type, made by Simulation.words")
    if len(words) and not (0 < words["chance"].min() and words["chance"].max() <= 1):
        wrong = words["chance"][~((words["chance"] > 0) & (words["chance"] <= 1))][0]
        raise ValueError(f"the chance of a word must be over 0 and at most 1, got {wrong:g}")
    return np.ascontiguousarray(words)


def _chance(chance: float) -> float:
    if not 0 < chance <= 1:
        raise ValueError(f"the chance of ready must be over 0 and at most 1, got {chance!r}")
    return chance


def _events(script: Script, control: str) -> ctypes.Array:
    """The events of one control."""
    events = [event for event in script.events if event.control == control]
    return (Event * len(events))(*(Event(e.cycle, e.length, e.value, e.clears or control == RESET) for e in events))


def _address(array: NDArray[Any]) -> int | None:
    """The address of an array's words; None without words, as most channels of a short call are."""
    return array.ctypes.data if array.size else None


def _pointer(array: Cycles) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)) if array.size else None
