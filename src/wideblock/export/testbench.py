# SPDX-License-Identifier: Apache-2.0
"""A self-checking test bench of an exported core, in Verilog: right answers, and no unknown value where one matters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from amaranth.lib.wiring import Flow, In, Out

from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.export.render import render
from wideblock.rtl.shell.shell import Shell, Stream
from wideblock.rtl.stream.interface import Field

__all__ = ["KNOWN", "SPECIFIED", "BenchPlay", "Word", "testbench"]

KNOWN = "known answers"
SPECIFIED = "answers of the specification, for want of known ones"
"""Sources of a bench's answers, as printed."""

Word = Mapping[str, int]
"""Values of the fields of a word by their names. A field without a value is unknown."""


@dataclass(frozen=True)
class BenchPlay:
    """Right answers as words of a core's channels.

    words:   by channel; words of inputs are driven, words of outputs are expected, with every field; a channel may be
             left out
    steps:   by input, the number of words to play up to; a step begins when the one before was accepted
    answers: number of answers
    limit:   cycles after which the core is stuck
    rests:   by the number of a step, cycles from the step to the next
    source:  of the answers, :data:`KNOWN` or :data:`SPECIFIED`
    """

    words: Mapping[str, Sequence[Word]]
    steps: Sequence[Mapping[str, int]]
    answers: int
    limit: int
    rests: Mapping[int, int] = field(default_factory=dict)
    source: str = KNOWN


@dataclass(frozen=True)
class _Channel:
    """A channel in the bench: a register or wire for the payload, connected to the ports."""

    name: str
    flow: Flow
    fields: str
    bits: int
    words: list[str]
    pins: list[str]


def testbench(core: Contract, play: BenchPlay) -> str:
    """Returns Verilog-2001 text of module ``<core>_tb``, which prints ``PASSED`` or ``FAILED: ..``.

    Every input is unknown (X) wherever the rules of the ports let it be: before reset, in words that are not valid, and
    where a field is not read. After reset no control output may be X, nor any bit of a valid word. Inputs pause, and
    the output is held off, in a quarter of the cycles. It runs under Verilog-2005 and SystemVerilog simulators alike.
    Raises UserError if there is no answer.
    """
    if not play.answers:
        raise UserError(f"{core.module}: a test bench needs an answer to play, got none")
    shell = core.shell
    channels = [_channel(shell, stream, play.words.get(stream.channel.name, ())) for stream in shell.streams]
    inputs = [channel for channel in channels if channel.flow is In]
    outputs = [channel for channel in channels if channel.flow is Out]
    level = "!" if shell.active_low else ""
    pins = [f".{shell.clock}(clock)", f".{shell.reset}({level}reset)", *(pin for c in channels for pin in c.pins)]
    status = [f"{channel.name}_ready" for channel in inputs] + [f"{channel.name}_valid" for channel in outputs]
    return render(
        "bench.v.jinja",
        module=core.module,
        pins=[*pins, *(f".{control.name}({control.name})" for control in shell.controls)],
        controls=shell.controls,
        inputs=inputs,
        outputs=outputs,
        status=", ".join([*status, *(control.name for control in shell.controls if control.flow is Out)]),
        play=play,
        span=lambda width: f"[{width - 1}:0] " if width > 1 else "",
        In=In,
    )


def _channel(shell: Shell, stream: Stream, words: Sequence[Word]) -> _Channel:
    name, low, pins = stream.channel.name, 0, []
    fields = [field for port in stream.payload.values() for field in port]
    bits = sum(field.width for field in fields)
    missing = {field.name for field in fields for word in words if field.name not in word}
    if stream.channel.flow is Out and missing:
        raise ValueError(f"words of {name} must have all of its fields; missing: {', '.join(sorted(missing))}")
    for port, members in stream.payload.items():
        end = low + sum(field.width for field in members)
        lanes = ", ".join(f"{name}_word[{at + 7}:{at}]" for at in range(low, end, 8))
        part = f"[{end - 1}:{low}]" if end - low > 1 else f"[{low}]" if bits > 1 else ""
        pins.append(f".{port}({f'{{{lanes}}}' if members[0].name in shell.swapped else f'{name}_word{part}'})")
        low = end
    pins += [f".{stream.valid}({name}_valid)", f".{stream.ready}({name}_ready)"]
    listed = ", ".join(field.name for field in reversed(fields))
    return _Channel(name, stream.channel.flow, listed, bits, [_literal(fields, word) for word in words], pins)


def _literal(fields: Sequence[Field], word: Word) -> str:
    values = [f"{f.width}'h{word[f.name]:x}" if f.name in word else f"{f.width}'bx" for f in reversed(fields)]
    return f"{{{', '.join(values)}}}" if len(values) > 1 else values[0]
