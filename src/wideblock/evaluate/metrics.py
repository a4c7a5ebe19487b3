# SPDX-License-Identifier: Apache-2.0
"""The papers' metrics to rank cores, of published rows and of our rows, each in the row's unit of area."""

from dataclasses import dataclass, replace

from wideblock.evaluate.published import Area, Published

__all__ = ["METRICS", "RAM", "TITLES", "Metrics", "metrics", "of_published"]

METRICS = {
    "ns": "time from one sector, or block of a message, to the next",
    "per_area_second": "1 / (area x time), the area in slices where a row has them, else in its first unit; time in s",
    "mbps_per_area": "throughput over the same area",
    "mbps_per_area_ram": "throughput over that area and block RAM, each as 128 slices, or 512 LUTs or LC",
    "mbps_per_lut": "throughput over LUTs",
    "bits_per_kilo": "bits a cycle a thousand of area, at one clock, values of the key not made for each sector",
    "bits_per_kilo_ram": "bits a cycle a thousand of area and block RAM",
    "bits_per_kilo_luts": "bits a cycle a thousand LUTs",
}
"""Each metric and its meaning. Areas of different units do not compare."""

TITLES = {
    "ns": "ns",
    "per_area_second": "1/(area s)",
    "mbps_per_area": "Mb/s an area",
    "mbps_per_area_ram": "Mb/s an area with RAM",
    "mbps_per_lut": "Mb/s a LUT",
    "bits_per_kilo": "bits a k",
    "bits_per_kilo_ram": "bits a k with RAM",
    "bits_per_kilo_luts": "bits a k LUT",
}
"""Titles of columns."""

RAM = {"slices": 128, "LUTs": 512, "LC": 512}
"""Area of a block RAM, by the first word of the unit: 128 slices, of four LUTs each, as the XTS paper counts it."""


@dataclass(frozen=True)
class Metrics:
    """Values of :data:`METRICS`; None where a figure is missing."""

    ns: float | None = None
    per_area_second: float | None = None
    mbps_per_area: float | None = None
    mbps_per_area_ram: float | None = None
    mbps_per_lut: float | None = None
    bits_per_kilo: float | None = None
    bits_per_kilo_ram: float | None = None
    bits_per_kilo_luts: float | None = None


def metrics(
    *,
    area: Area | None,
    luts: float | None,
    brams: float | None,
    mhz: float | None,
    gbps: float | None,
    cycles: float | None,
    bits: float | None,
) -> Metrics:
    """The metrics of a core with these figures.

    bits: a cycle; brams: None where nobody says whether there are any
    """
    ns = 1000 * cycles / mhz if cycles and mhz else None
    mbps, kilobits = gbps and 1000 * gbps, bits and 1000 * bits
    each = area and RAM.get(area.unit.partition(" ")[0])
    size = area and area.value
    whole = size + each * brams if size and each and brams is not None else size if brams == 0 else None
    return Metrics(
        ns=ns,
        per_area_second=1e9 / (size * ns) if size and ns else None,
        mbps_per_area=_over(mbps, size),
        mbps_per_area_ram=_over(mbps, whole),
        mbps_per_lut=_over(mbps, luts),
        bits_per_kilo=_over(kilobits, size),
        bits_per_kilo_ram=_over(kilobits, whole),
        bits_per_kilo_luts=_over(kilobits, luts),
    )


def of_published(row: Published) -> Metrics:
    """The metrics of a published row: printed metrics as printed, all else computed from the row's figures."""
    found = metrics(
        area=next(iter(row.areas), None),
        luts=row.luts,
        brams=row.brams,
        mhz=row.mhz,
        gbps=row.gbps,
        cycles=row.cycles,
        bits=8 * row.bytes / row.alike if row.bytes and row.alike else None,
    )
    printed = {
        "ns": row.ns,
        "per_area_second": row.per_slice_second,
        "mbps_per_area": row.mbps_per_slice,
        "mbps_per_area_ram": row.mbps_per_area,
        "mbps_per_lut": row.mbps_per_lut,
    }
    return replace(found, **{name: value for name, value in printed.items() if value is not None})


def _over(value: float | None, area: float | None) -> float | None:
    return value / area if value and area else None
