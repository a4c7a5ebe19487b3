# SPDX-License-Identifier: Apache-2.0
"""Tables for the choice of a core, in the README and in docs/choosing.md: from the store and from contracts."""

from collections.abc import Iterable, Sequence

from wideblock import catalog
from wideblock.catalog import Preset, Status
from wideblock.catalog.kinds import SECTOR
from wideblock.errors import UserError
from wideblock.evaluate.best import bits_a_cycle, both_ways, of_presets, representatives
from wideblock.evaluate.point import Point
from wideblock.evaluate.store import own, typical
from wideblock.evaluate.tables import SHOWN, area, cells, measured_table
from wideblock.export.contract import contract
from wideblock.export.markdown import table
from wideblock.renewal.points import BUILDS

__all__ = ["bodies", "ciphers", "lanes", "schemes", "sizes"]

KEYS, SIZES = (128, 256), (512, 4096)


def schemes(points: Iterable[Point]) -> str:
    """The core of each scheme by :func:`representatives`, with figures on 7 series."""
    measured = {p.identity.preset: p for p in typical(own(points)) if _plain(p, "xc7")}
    listed = [(catalog.SCHEMES[scheme], name) for scheme, name in representatives().items()]
    order, rows = list(Status), []
    listed.sort(key=lambda each: (each[0].kind is not SECTOR, order.index(each[0].status), -bits_a_cycle(each[1])))
    for scheme, name in listed:
        found = measured[name].found if name in measured else None
        size = (area(found), f"{found.block_rams:g}") if found else ("-", "-")
        title, rate = scheme.name.replace("_", "-").upper(), f"{bits_a_cycle(name):.0f}"
        rows.append((title, scheme.status.value, f"`{name}`", rate, *size, scheme.purpose))
    return table(("scheme", "status", "core", "bits a cycle", "LC", "block RAM", "pick it for"), rows)


def lanes(points: Iterable[Point]) -> str:
    """The overlapped and single-pass cores of each sector scheme that is not broken, from the narrowest on."""
    listed = own(points)
    fixed = {(p.identity.target, p.identity.preset): p for p in typical(listed) if _built(p)}
    best = {p.identity.preset: p for p in of_presets(listed) if p.identity.target == "ecp5"}
    rows = []
    for scheme, presets in _sector_schemes():
        ordered = sorted(presets, key=lambda each: (SECTOR.data_bits(each.parameters), not both_ways(each)))
        first = fixed.get(("xc7", ordered[0].name))
        for preset in ordered:
            lut, gates = (fixed.get((target, preset.name)) for target in ("xc7", "nangate45"))
            ratio = f"{lut.found.area / first.found.area:.2f}" if lut and first else "-"
            rams = f"{lut.found.block_rams:g}" if lut else "-"
            (lc, _, _), on_ecp5, on_asic = map(cells, (lut, best.get(preset.name), gates))
            width = str(SECTOR.data_bits(preset.parameters))
            only = "" if both_ways(preset) else f", {getattr(preset.parameters, 'direction', '')} only"
            rate = f"{bits_a_cycle(preset.name):.0f}"
            rows.append((scheme, f"`{preset.name}`{only}", width, rate, lc, ratio, rams, *on_ecp5, *on_asic))
    head = (
        *("scheme", "core", "port, bits", "bits a cycle", "7 series, LC", "of the first", "block RAM"),
        *("ECP5, LUT4", "MHz", "Gb/s"),
        *("Nangate45, kGE", "MHz, pre-layout", "Gb/s, pre-layout"),
    )
    return table(head, rows)


def sizes() -> str:
    """Cycles from sector to sector, and of one sector, against sector and key size: of the narrowest core of each."""
    rows = []
    for scheme, presets in _sector_schemes():
        preset = min(presets, key=lambda each: (not both_ways(each), SECTOR.data_bits(each.parameters)))
        rows.append((scheme, f"`{preset.name}`", *(_cycles(preset, size, key) for size in SIZES for key in KEYS)))
    head = (f"{size:,} bytes, AES-{key}" for size in SIZES for key in KEYS)
    return table(("scheme", "core", *head), rows)


def ciphers(points: Iterable[Point]) -> str:
    """The AES pipeline alone on each target, by S-box and stages a round."""
    rows = []
    for point in typical(own(points)):
        core, device = point.identity, point.found.part.partition(",")[0]
        if core.preset == "aes128-pec" and core.target in SHOWN:
            rows.append((device, core.parameters["sbox"], str(core.parameters["round_stages"]), *cells(point)[:2]))
    return measured_table(("device", "S-box", "stages a round", "area", "MHz"), sorted(rows))


def bodies(points: Sequence[Point]) -> dict[str, str]:
    """Markdown of docs/choosing.md by marker."""
    return {"lanes": lanes(points), "sizes": sizes(), "ciphers": ciphers(points)}


def _sector_schemes() -> list[tuple[str, list[Preset]]]:
    """Names of the unbroken schemes of sectors, each with the presets for streams of sectors."""
    found = []
    for name, scheme in catalog.SCHEMES.items():
        if scheme.kind is not SECTOR or scheme.broken:
            continue
        own_presets = [preset for preset in catalog.PRESETS.values() if preset.scheme is scheme]
        streaming = [preset for preset in own_presets if getattr(preset.parameters, "overlap", False)]
        found.append((name.replace("_", "-"), streaming or own_presets))
    return found


def _plain(point: Point, target: str) -> bool:
    """Whether the point is of an unchanged preset on ``target``."""
    core = point.identity
    return core.target == target and core.preset in catalog.PRESETS and not core.changed


def _built(point: Point) -> bool:
    """Whether the point is of the build in the tables: a preset with the changes of :data:`BUILDS`."""
    core = point.identity
    return core.preset in catalog.PRESETS and BUILDS.get(core.target) == dict(core.changed)


def _cycles(preset: Preset, size: int, key: int) -> str:
    """Interval and latency; a dash if no core has the sizes."""
    try:
        timing = contract(preset.name, {"sector_bytes": size} | ({"key_bits": key} if key != KEYS[0] else {})).timing
    except UserError:
        return "-"
    return f"{timing.interval:,} / {timing.latency:,}"
