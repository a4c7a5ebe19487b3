# SPDX-License-Identifier: Apache-2.0
"""Measured points as records: a row a point, for programs and CSV files."""

from collections.abc import Iterable

from wideblock import catalog
from wideblock.evaluate.digests import older
from wideblock.evaluate.point import Point
from wideblock.records import Records

__all__ = ["measured"]


def measured(points: Iterable[Point]) -> Records:
    """A row for each of ``points`` that has figures, in their order.

    area, unit: the figure that compares within a target       luts: LUTs of logic, as mapped by Yosys
    lutram:     cells of LUTs, as memory or shift register     clock: "routed", "pre-layout" or None
    bytes, cycles: what the core takes, and in how many cycles, back to back
    bits_a_cycle:  bits in a clock cycle at that rate         latency: clock cycles from first beat in to last beat out
    mhz:        clock in MHz                                   gbps: throughput at that clock in Gb/s
    memory_bits: bits of memories on standard cells            block_rams: blocks of the target's size
    older:      commit, if that core has another circuit today
    """
    return Records.of(map(_row, (point for point in points if point.figures)))


def _row(point: Point) -> dict[str, object]:
    found, core = point.found, point.identity
    preset = catalog.PRESETS.get(core.preset)
    clock = found.clock
    return {
        "core": point.name,
        "preset": core.preset,
        "scheme": preset.scheme.name if preset else None,
        "status": preset.scheme.status.value if preset else None,
        "target": core.target,
        "device": found.part,
        "area": found.area,
        "unit": found.unit,
        "luts": found.luts or None,
        "ffs": found.ffs,
        "lutram": found.lutram + found.shift_registers,
        "block_rams": found.block_rams,
        "memory_bits": found.memory_bits,
        "mhz": found.mhz,
        "clock": clock and ("routed" if clock.wires else "pre-layout"),
        "bytes": found.bytes,
        "cycles": found.interval,
        "bits_a_cycle": found.bits_a_cycle,
        "gbps": found.gbps,
        "latency": found.latency,
        "seed": core.seed,
        "options": " ".join(core.options),
        "tools": ", ".join(core.tools),
        "commit": core.commit,
        "older": older(point).strip(" ()") or None,
    }
