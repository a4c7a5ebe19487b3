# SPDX-License-Identifier: Apache-2.0
"""Tables that help to choose a core, in the README and in docs/choosing.md: from the store and from contracts."""

from collections.abc import Iterable, Sequence

from wideblock import catalog
from wideblock.catalog import Preset, Status
from wideblock.catalog.kinds import SECTOR
from wideblock.errors import UserError
from wideblock.evaluate.best import of_presets
from wideblock.evaluate.digests import older
from wideblock.evaluate.point import Point
from wideblock.evaluate.store import own, typical
from wideblock.evaluate.tables import SHOWN, area, cells, noted
from wideblock.export.contract import contract
from wideblock.export.markdown import table
from wideblock.synth.targets import targets

__all__ = ["bodies", "ciphers", "lanes", "of_schemes", "schemes", "sizes"]

KEYS, SIZES = (128, 256), (512, 4096)


def of_schemes(points: Iterable[Point]) -> dict[str, Point]:
    """A point for each scheme on 7 series, by name: of its presets as they are, for both directions, with the fewest
    lanes, the one with the most bits a cycle; the smallest of several.
    """
    measured = [p for p in typical(own(points)) if _plain(p, "xc7") and _both_ways(catalog.PRESETS[p.identity.preset])]
    chosen: dict[str, Point] = {}
    for point in sorted(measured, key=lambda p: (_lanes(p), -(p.found.bits_a_cycle or 0), p.found.area)):
        chosen.setdefault(catalog.PRESETS[point.identity.preset].scheme.name, point)
    return chosen


def schemes(points: Iterable[Point]) -> str:
    """The core of each scheme that :func:`of_schemes` gives."""
    chosen = of_schemes(points)
    rows, order = [], list(Status)
    listed = (catalog.SCHEMES[name] for name in chosen)
    for scheme in sorted(listed, key=lambda scheme: (scheme.kind is not SECTOR, order.index(scheme.status))):
        name, point = scheme.name, chosen[scheme.name]
        found = point.found
        size = f"{found.bits_a_cycle:.0f}", f"{area(found)}{older(point)}", f"{found.block_rams:g}"
        rows.append((name.replace("_", "-").upper(), scheme.status.value, f"`{point.name}`", *size, scheme.purpose))
    head = ("scheme", "status", "core", "bits a cycle", "LC", "block RAM", "pick it for")
    return noted(table(head, rows), chosen.values())


def lanes(points: Iterable[Point]) -> str:
    """The overlapped and single-pass cores of each sector scheme that is not broken, from the narrowest on."""
    listed = own(points)
    fixed = {(p.identity.target, p.identity.preset): p for p in typical(listed) if _built(p)}
    best = {p.identity.preset: p for p in of_presets(listed) if p.identity.target == "ecp5"}
    rows, shown = [], []
    for scheme, presets in _sector_schemes():
        one = None
        for preset in sorted(presets, key=lambda each: (SECTOR.data_bits(each.parameters), not _both_ways(each))):
            lut, gates = (fixed.get((target, preset.name)) for target in ("xc7", "nangate45"))
            routed = best.get(preset.name)
            if lut is None:
                continue
            one = one or lut
            ratio = f"{lut.found.area / one.found.area:.2f}"
            (lc, _, _), on_ecp5, on_asic = map(cells, (lut, routed, gates))
            bits = f"{lut.found.bits_a_cycle:.0f}"
            width = str(SECTOR.data_bits(preset.parameters))
            only = "" if _both_ways(preset) else f", {getattr(preset.parameters, 'direction', '')} only"
            rows.append((scheme, f"`{preset.name}`{only}", width, bits, lc, ratio, *on_ecp5, *on_asic))
            shown += [point for point in (lut, routed, gates) if point]
    head = ("scheme", "core", "port, bits", "bits a cycle", "7 series, LC", "of the first", "ECP5, LUT4", "MHz", "Gb/s",
            "Nangate45, kGE", "MHz, pre-layout", "Gb/s, pre-layout")  # fmt: skip
    return noted(table(head, rows), shown)


def sizes() -> str:
    """Cycles from sector to sector, and of one sector, against sector and key size: of the narrowest core of each."""
    rows = []
    for scheme, presets in _sector_schemes():
        preset = min(presets, key=lambda each: (not _both_ways(each), SECTOR.data_bits(each.parameters)))
        rows.append((scheme, f"`{preset.name}`", *(_cycles(preset, size, key) for size in SIZES for key in KEYS)))
    head = (f"{size:,} bytes, AES-{key}" for size in SIZES for key in KEYS)
    return table(("scheme", "core", *head), rows)


def ciphers(points: Iterable[Point]) -> str:
    """The AES pipeline alone on each target, by S-box, at one stage a round."""
    rows, shown = [], []
    for point in typical(own(points)):
        core = point.identity
        if core.preset == "aes128-pec" and not {"round_stages"} & core.changed.keys() and targets[core.target] in SHOWN:
            shown.append(point)
            rows.append((point.found.part.partition(",")[0], str(core.parameters["sbox"]), *cells(point)[:2]))
    return noted(table(("device", "S-box", "area", "MHz"), sorted(rows)), shown)


def bodies(points: Sequence[Point]) -> dict[str, str]:
    """Markdown of docs/choosing.md by marker."""
    return {"lanes": lanes(points), "sizes": sizes(), "ciphers": ciphers(points)}


def _sector_schemes() -> list[tuple[str, list[Preset]]]:
    """Names of the schemes of sectors that are not broken, each with its presets that process a stream of them."""
    found = []
    for name, scheme in catalog.SCHEMES.items():
        if scheme.kind is not SECTOR or scheme.broken:
            continue
        own_presets = [preset for preset in catalog.PRESETS.values() if preset.scheme is scheme]
        streaming = [preset for preset in own_presets if getattr(preset.parameters, "overlap", False)]
        found.append((name.replace("_", "-"), streaming or own_presets))
    return found


def _lanes(point: Point) -> int:
    return getattr(catalog.PRESETS[point.identity.preset].parameters, "lanes", 1)


def _both_ways(preset: Preset) -> bool:
    """Whether the cores of a preset encrypt and decrypt."""
    return getattr(preset.parameters, "direction", "both") == "both"


def _plain(point: Point, target: str) -> bool:
    """Whether the point is of a preset as it is, on ``target``."""
    core = point.identity
    return core.target == target and core.preset in catalog.PRESETS and not core.changed


def _built(point: Point) -> bool:
    """Whether the point is of the build that the tables show: a preset as it is, on Nangate45 S-boxes in gates."""
    gates = point.identity.target == "nangate45" and dict(point.identity.changed) == {"sbox": "composite"}
    return _plain(point, "xc7") or gates


def _cycles(preset: Preset, size: int, key: int) -> str:
    """Interval and latency, if there is such a core."""
    try:
        timing = contract(preset.name, {"sector_bytes": size} | ({"key_bits": key} if key != KEYS[0] else {})).timing
    except UserError:
        return "-"
    return f"{timing.interval:,} / {timing.latency:,}"
