# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams: one description, drawn by WaveDrom or as text."""

from collections.abc import Callable
from typing import Any

__all__ = ["sector_diagram", "text"]


def sector_diagram(timing, beats: int) -> dict[str, Any]:
    """Returns WaveDrom's description of two sectors back to back, both sides always willing.

    Cycle 0 takes the first beat of sector A; ``beats`` is the number of beats of a sector. Only the cycles in which
    something changes are drawn, with a gap between two that do not follow each other.
    """
    first_out = timing.latency - beats + 1
    starts = {"A": 0, "B": timing.interval}

    def where(t: int, offset: int) -> tuple[str, int] | None:
        for sector, start in starts.items():
            if 0 <= t - start - offset < beats:
                return sector, t - start - offset
        return None

    def transfers(offset: int) -> Callable[[int], str]:
        return lambda t: "1" if where(t, offset) else "0"

    def data(offset: int) -> Callable[[int], str | None]:
        def label(t: int) -> str | None:
            found = where(t, offset)
            return found and f"{found[0]}{found[1]}"

        return label

    def tuser(t: int) -> str | None:
        found = where(t, 0)
        return f"T{found[0]}" if found and found[1] == 0 else None

    def last(offset: int) -> Callable[[int], str]:
        return lambda t: "1" if (where(t, offset) or ("", -1))[1] == beats - 1 else "0"

    signals: list[tuple[str, Callable[[int], str | None]]] = [
        ("s_axis_tvalid & tready", transfers(0)),
        ("s_axis_tdata", data(0)),
        ("s_axis_tuser", tuser),
        ("s_axis_tlast", last(0)),
        ("computed", lambda t: "1" if t - timing.compute in starts.values() else "0"),
        ("m_axis_tvalid & tready", transfers(first_out)),
        ("m_axis_tdata", data(first_out)),
        ("m_axis_tlast", last(first_out)),
    ]
    edges = {0, 1, beats - 1, beats, timing.compute, first_out, first_out + 1, timing.latency}
    end = timing.latency + 1
    cycles = sorted({t for edge in edges for t in (edge, edge + timing.interval) if t <= end} | {end})
    return _draw(cycles, signals)


def _draw(cycles: list[int], signals) -> dict[str, Any]:
    columns: list[int | None] = []
    for t in cycles:
        if columns and t != cycles[cycles.index(t) - 1] + 1:
            columns.append(None)
        columns.append(t)
    ticks = " ".join("-" if t is None else str(t) for t in columns)
    rows: list[dict[str, Any]] = [
        {"name": "aclk", "wave": "p" + "".join("|" if t is None else "." for t in columns[1:])}
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
