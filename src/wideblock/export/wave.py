# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams: one description, drawn by WaveDrom or as text."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from wideblock.export.contract import Contract
from wideblock.rtl.shell.shell import Shell, Stream

__all__ = ["sector_diagram", "text", "transfers"]


def transfers(core: Contract) -> tuple[list[int], list[int]]:
    """The cycles in which the beats of a sector are taken and leave, alone in an idle core, without stalls.

    If a partial last block leaves later, all from the last whole block on leaves later.
    """
    behaviour, p = core.behaviour, core.parameters
    beats = p.beats + p.behind
    taken = [n + (behaviour.held if n else 0) for n in range(beats)]
    late, gap = beats, 0
    if behaviour.length.late and (blocks := behaviour.usual // 16) * 16 < behaviour.usual:
        late, gap = (blocks - 1) // p.width, behaviour.length.late - 1
    last = behaviour.timing.latency
    return taken, [last - beats + 1 + n - (gap if n < late else 0) for n in range(beats)]


def sector_diagram(shell: Shell, taken: Sequence[int], left: Sequence[int]) -> dict[str, Any]:
    """WaveDrom's description of sector A, whose beats are taken and leave in the cycles given, from cycle 0 on.

    R are beats of the request, before the sector.
    Only cycles with a change are drawn, with a gap between two cycles that are not neighbors.
    """

    def transferred(cycles: Sequence[int]) -> Callable[[int], str]:
        return lambda t: "1" if t in cycles else "0"

    def data(cycles: Sequence[int], head: int = 0) -> Callable[[int], str | None]:
        return lambda t: f"A{cycles.index(t)}" if t in cycles else f"R{t + head}" if -head <= t < 0 else None

    def last(cycles: Sequence[int]) -> Callable[[int], str]:
        return lambda t: "1" if t == cycles[-1] else "0"

    timing, given, result = shell.timing, shell.named("i"), shell.named("o")
    head = given.channel.header_words
    request = range(-head, 0)
    signals: list[tuple[str, Callable[[int], str | None]]] = [
        (_transfer(given), transferred([*request, *taken])),
        (given.port("data"), data(taken, head)),
        *([] if head else [(given.port("decrypt"), lambda t: "TA" if t == 0 else None)]),
        (given.port("last"), last(taken)),
        ("computed", lambda t: "1" if t == timing.compute else "0"),
        (_transfer(result), transferred(left)),
        (result.port("data"), data(left)),
        (result.port("last"), last(left)),
    ]
    edges = {timing.compute}
    for cycles in ([*request, *taken], left):
        ends = {cycles[0], *(t for pair in pairwise(cycles) if pair[1] > pair[0] + 1 for t in pair), cycles[-1]}
        edges |= ends | {t + 1 for t in ends}
    return _draw(shell.clock, sorted(edges), signals)


def _transfer(stream: Stream) -> str:
    return f"{stream.valid} & {stream.ready.removeprefix(stream.prefix + '_')}"


def _draw(clock: str, cycles: list[int], signals) -> dict[str, Any]:
    columns: list[int | None] = []
    for t in cycles:
        if columns and t != cycles[cycles.index(t) - 1] + 1:
            columns.append(None)
        columns.append(t)
    ticks = " ".join("-" if t is None else str(t) for t in columns)
    rows: list[dict[str, Any]] = [
        {"name": clock, "wave": "p" + "".join("|" if t is None else "." for t in columns[1:])}
    ]
    for name, value in signals:
        wave, labels, now = "", [], None
        for t in columns:
            if t is None:
                wave += "|"
                continue
            new = value(t)
            is_level = new in ("0", "1")
            symbol = new if is_level else "x" if new is None else "="
            wave += "." if new == now and wave and (is_level or new is None) else symbol
            if symbol == "=":
                labels.append(new)
            now = new
        rows.append({"name": name, "wave": wave} | ({"data": labels} if labels else {}))
    return {"signal": rows, "head": {"text": "cycle", "tick": ticks}, "config": {"hscale": 2}}


def text(diagram: dict[str, Any], width: int = 8) -> str:
    """Draws ``diagram`` in plain characters, ``width`` a cycle: ``~`` is high, ``_`` low, ``:`` a gap."""
    ticks = diagram["head"]["tick"].split()
    name_width = max(len(row["name"]) for row in diagram["signal"]) + 2
    lines = ["cycle".ljust(name_width) + "".join(" : " if t == "-" else t.ljust(width) for t in ticks)]
    for row in diagram["signal"]:
        line, labels, now = "", iter(row.get("data", ())), ""
        for symbol in row["wave"]:
            if symbol == "|":
                line += " : "
                continue
            now = symbol if symbol != "." else now
            if now == "p":
                line += "~" * (width // 2) + "_" * (width - width // 2)
            elif now == "=":
                line += f"[{next(labels)}]".ljust(width)
            else:
                line += {"1": "~", "0": "_", "x": " "}[now] * width
        lines.append(row["name"].ljust(name_width) + line)
    return "\n".join(line.rstrip() for line in lines) + "\n"
