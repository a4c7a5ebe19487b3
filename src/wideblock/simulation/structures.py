# SPDX-License-Identifier: Apache-2.0
"""The structures that Python and the bench in C++ share, declared here once; C++ gets them as generated text.

All cycles count from the start of the call. Pointers are to arrays that Python owns.
"""

import ctypes
from ctypes import POINTER, c_double, c_int32, c_int64, c_uint8, c_uint32, c_uint64, c_void_p
from enum import IntEnum

__all__ = ["Change", "ControlJob", "Event", "Job", "PlayOutcome", "Saved", "Sink", "SourceJob", "StreamRule"]
__all__ += ["Watch", "Word", "declarations"]


class PlayOutcome(IntEnum):
    """Why a call ended."""

    DONE = 0
    STUCK = 1
    LIMIT = 2
    RECORD_FULL = 3
    VIOLATION = 4


class StreamRule(IntEnum):
    """Rules of streams that every output channel is held to. Source: AMBA AXI4-Stream, 2.2.1 and 2.7.2."""

    VALID_DROPPED = 1
    PAYLOAD_CHANGED = 2
    VALID_IN_RESET = 3


class Word(ctypes.Structure):
    """Head of each word of an input channel; the bytes of its payload ports follow.

    earliest:      first cycle in which the word may be valid
    after_channel: number of an input channel whose first ``after_word`` words must be accepted before; -1: none
    chance:        that the word becomes valid in an allowed cycle
    noise:         bit n: payload port n has random bits instead of the word's
    start:         whether a packet starts: after a reset a source goes on with the next such word
    """

    _fields_ = [
        ("earliest", c_int64),
        ("after_word", c_int64),
        ("chance", c_double),
        ("noise", c_uint32),
        ("after_channel", c_int32),
        ("start", c_uint8),
    ]


class SourceJob(ctypes.Structure):
    """An input channel. ``words`` are ``count``, of the channel's stride; ``accepted`` has a cycle for each, or -1."""

    _fields_ = [("words", c_void_p), ("accepted", POINTER(c_int64)), ("count", c_int64), ("position", c_int64)]


class Sink(ctypes.Structure):
    """An output channel: ``words``, each a cycle and a payload, of which ``count`` were recorded.

    chance: that ready is high in a cycle     wanted: words without which the call is not done
    shown:  each state of the ports, valid or not, of which ``shown_count`` were recorded: a cycle, the payload, and
            valid; an entry in the first cycle and at each change, if the array has room
    """

    _fields_ = [
        ("words", c_void_p),
        ("capacity", c_int64),
        ("count", c_int64),
        ("wanted", c_int64),
        ("chance", c_double),
        ("shown", c_void_p),
        ("shown_stride", c_int64),
        ("shown_capacity", c_int64),
        ("shown_count", c_int64),
    ]


class Event(ctypes.Structure):
    """A control input that has ``value`` for ``length`` cycles from ``cycle`` on.

    clears: whether the event may lose words under way: no rule of streams holds in the cycles of the event
    """

    _fields_ = [("cycle", c_int64), ("length", c_int64), ("value", c_uint64), ("clears", c_uint32)]


class ControlJob(ctypes.Structure):
    """A control input, the reset first among them: its events in the order of their cycles."""

    _fields_ = [("events", POINTER(Event)), ("count", c_int64), ("position", c_int64)]


class Change(ctypes.Structure):
    """The value of a control output in a cycle."""

    _fields_ = [("cycle", c_int64), ("value", c_uint64)]


class Watch(ctypes.Structure):
    """A control output: changes of a level, cycles of a pulse."""

    _fields_ = [("log", POINTER(Change)), ("capacity", c_int64), ("count", c_int64)]


class Job(ctypes.Structure):
    """One call of the bench.

    noise:    random bits on the payload of idle input channels
    consumed: return when every input word was accepted, whatever is still inside
    quiet:    cycles without activity after which nothing more is expected
    patience: cycles without activity after which the core is stuck
    limit:    cycles of the call
    """

    _fields_ = [
        ("sources", POINTER(SourceJob)),
        ("sinks", POINTER(Sink)),
        ("controls", POINTER(ControlJob)),
        ("watches", POINTER(Watch)),
        ("noise", c_int64),
        ("consumed", c_int64),
        ("quiet", c_int64),
        ("patience", c_int64),
        ("limit", c_int64),
        # where the call ended
        ("cycles", c_int64),
        ("rule", c_int64),
        ("rule_sink", c_int64),
        ("rule_port", c_int64),
    ]


class Saved(ctypes.Structure):
    """A saved state: ``size`` bytes, where each of ``count`` parts of variables starts, and their names in lines."""

    _fields_ = [
        ("bytes", c_void_p),
        ("size", c_int64),
        ("starts", POINTER(c_int64)),
        ("count", c_int64),
        ("names", c_void_p),
    ]


_STRUCTURES: tuple[type[ctypes.Structure], ...] = (Word, SourceJob, Sink, Event, ControlJob, Change, Watch, Job, Saved)
_NAMES = {
    c_int64: "int64_t",
    c_int32: "int32_t",
    c_uint64: "uint64_t",
    c_uint32: "uint32_t",
    c_uint8: "uint8_t",
    c_double: "double",
    c_void_p: "uint8_t*",
    **{POINTER(kind): f"{kind.__name__}*" for kind in _STRUCTURES},
    POINTER(c_int64): "int64_t*",
}


def declarations() -> str:
    """The enumerations and structures in C++, each with its layout as assertions."""
    return "\n".join([*map(_enumeration, (PlayOutcome, StreamRule)), *map(_structure, _STRUCTURES)])


def _enumeration(kind: type[IntEnum]) -> str:
    values = ", ".join(f"{member.name} = {member.value}" for member in kind)
    return f"enum {kind.__name__} : int32_t {{ {values} }};\n"


def _structure(kind: type[ctypes.Structure]) -> str:
    name = kind.__name__
    fields = [(field[0], _NAMES[field[1]]) for field in kind._fields_]  # pyright: ignore[reportGeneralTypeIssues]
    lines = [f"struct {name} {{", *(f"    {c_type} {field};" for field, c_type in fields), "};"]
    lines.append(f'static_assert(sizeof({name}) == {ctypes.sizeof(kind)}, "{name}");')
    for field, _ in fields:
        offset = getattr(kind, field).offset
        lines.append(f'static_assert(offsetof({name}, {field}) == {offset}, "{name}.{field}");')
    return "\n".join(lines) + "\n"
