# SPDX-License-Identifier: Apache-2.0
"""The few facts of a Liberty file that Yosys and ABC do not tell: timing of flip-flops, area and load of a pin."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from wideblock.synth.process import FlowError

__all__ = ["FlipFlop", "Library"]

_TOKEN = re.compile(r'"[^"]*"|[(){}:;,]|[^\s(){}:;,"]+')
_NOISE = re.compile(r"/\*.*?\*/|\\\n", re.DOTALL)


@dataclass
class Group:
    """A group of the file: ``kind (arguments) { attributes, complex attributes, groups }``."""

    kind: str
    arguments: list[str]
    attributes: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    groups: list["Group"] = field(default_factory=list)

    def all(self, kind: str) -> Iterator["Group"]:
        return (group for group in self.groups if group.kind == kind)


@dataclass(frozen=True)
class Table:
    """A timing table: rows by ``slew``, the transition time of a pin, columns by ``other``, the time of a second pin.

    ``other`` is None where the columns are loads: the first one, the smallest load, is then read.
    """

    slew: list[float]
    other: list[float] | None
    values: np.ndarray

    @property
    def middle_slew(self) -> float:
        return self.slew[len(self.slew) // 2]

    def at(self, slew: float) -> float:
        """The value with this transition time on every pin, interpolated."""
        rows = [row[0] if self.other is None else np.interp(slew, self.other, row) for row in self.values]
        return float(np.interp(slew, self.slew, rows))


@dataclass(frozen=True)
class FlipFlop:
    """Worst case over rising and falling, in ps, and the load of the data pin in fF.

    All at one transition time, the middle of the range of the delay tables. ``clock_to_output`` is at the smallest
    load: the delay by the real load is counted at the buffer that stands for the output.
    """

    clock_to_output: float
    setup: float
    load: float

    @property
    def overhead(self) -> float:
        """Share of the clock period that the registers take, in ps."""
        return self.clock_to_output + self.setup


class Library:
    """A Liberty file. Groups are found by a search and read one at a time: these files have megabytes."""

    def __init__(self, text: str):
        self._text = text
        head = text[: _start(text, "cell")]
        self._ps = _unit(head, r'time_unit\s*:\s*"?([\d.]+)([pn])s', {"p": 1, "n": 1000})
        self._ff = _unit(head, r"capacitive_load_unit\s*\(\s*([\d.]+)\s*,\s*\"?([pf])f", {"f": 1, "p": 1000})

    def area(self, cell: str) -> float:
        """Area of ``cell`` in the unit of the file."""
        return float(self._group("cell", cell).attributes["area"])

    def flip_flop(self, cell: str) -> FlipFlop | None:
        """Timing of ``cell``, or None if it is no flip-flop."""
        group = self._group("cell", cell)
        latch = next(group.all("ff"), None)
        if latch is None:
            return None
        data = set(re.findall(r"[A-Za-z_]\w*", latch.attributes["next_state"]))
        inputs = [pin for pin in group.all("pin") if pin.arguments[0] in data]
        outputs = [pin for pin in group.all("pin") if pin.attributes.get("direction") == "output"]
        delays = [t for pin in outputs for t in self._tables(pin, "_edge", ("cell_rise", "cell_fall"))]
        setups = [t for pin in inputs for t in self._tables(pin, "setup", ("rise_constraint", "fall_constraint"))]
        if not setups or not delays:
            raise FlowError(f"the library has no timing of flip-flop {cell}")
        slew = delays[0].middle_slew
        clock_to_output, setup = (max(table.at(slew) for table in tables) for tables in (delays, setups))
        load = max(float(pin.attributes["capacitance"]) for pin in inputs)
        return FlipFlop(self._ps * clock_to_output, self._ps * setup, self._ff * load)

    def _tables(self, pin: Group, kind: str, names: tuple[str, ...]) -> Iterator[Table]:
        for timing in pin.all("timing"):
            if kind in timing.attributes.get("timing_type", ""):
                yield from (self._table(group) for group in timing.groups if group.kind in names)

    def _table(self, group: Group) -> Table:
        template = self._group("lu_table_template", group.arguments[0])
        axes = [template.attributes.get(f"variable_{n}", "") for n in (1, 2)]
        scales = [(group.lists.get(name) or template.lists[name])[0] for name in ("index_1", "index_2")]
        values = np.array([_numbers(row) for row in group.lists["values"]])
        if "capacitance" in axes[0]:
            axes.reverse()
            scales.reverse()
            values = values.T
        return Table(_numbers(scales[0]), None if "capacitance" in axes[1] else _numbers(scales[1]), values)

    def _group(self, kind: str, name: str) -> Group:
        try:
            start = _start(self._text, kind, name)
        except ValueError:
            raise FlowError(f"the library has no {kind} {name}") from None
        depth = 0
        for brace in re.compile(r"[{}]").finditer(self._text, start):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                tokens = _TOKEN.findall(_NOISE.sub("", self._text[start : brace.end()]))
                return _statements(iter(tokens)).groups[0]
        raise FlowError(f"the library ends within {kind} {name}")


def _start(text: str, kind: str, name: str = "") -> int:
    found = re.search(rf'^\s*{kind}\s*\(\s*"?{re.escape(name)}' + (r'"?\s*\)' if name else ""), text, re.MULTILINE)
    if found is None:
        raise ValueError(f"no {kind} {name}")
    return found.start()


def _unit(head: str, pattern: str, scale: dict[str, int]) -> float:
    found = re.search(pattern, head, re.IGNORECASE)
    if found is None:
        raise FlowError("the library does not state its units")
    return float(found[1]) * scale[found[2].lower()]


def _numbers(text: str) -> list[float]:
    return [float(number) for number in re.split(r"[\s,]+", text.strip())]


def _statements(tokens: Iterator[str]) -> Group:
    """The statements up to the closing brace, or the end, as the content of a group without a name."""
    found = Group("", [])
    word = ""
    for token in tokens:
        if token == "}":
            break
        if token == ":":
            found.attributes[word] = " ".join(iter(lambda: next(tokens), ";")).strip('"')
        elif token == "(":
            arguments = [each.strip('"') for each in iter(lambda: next(tokens), ")") if each != ","]
            following = next(tokens)
            if following == "{":
                content = _statements(tokens)
                content.kind, content.arguments = word, arguments
                found.groups.append(content)
            else:
                found.lists[word] = arguments
        else:
            word = token
    return found
