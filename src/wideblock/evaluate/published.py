# SPDX-License-Identifier: Apache-2.0
"""Published figures of papers and peers, row by row, each with its source."""

import re
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources

from wideblock import catalog
from wideblock.errors import UserError

__all__ = ["Area", "Published", "for_preset", "measured_on", "published"]

_TERM = re.compile(r"(?=.)(\d*)(a|n|c|\|M_N\||)")  # of a formula of cycles

_UNITS = {"slices": "slices", "luts": "LUTs", "alms": "ALMs", "lcs": "LC (estimated by Yosys)", "lut4s": "LUT4"}


@dataclass(frozen=True)
class Area:
    """A number and what it counts. Areas of different units do not compare."""

    value: float
    unit: str

    def __str__(self) -> str:
        return f"{self.value:,} {self.unit}"


@dataclass(frozen=True)
class Published:
    """A row of a published table, as printed.

    presets: ours of the same architecture ("xts-both key_bits=256": a preset, changed)
    kind:    "paper", "open" or "vendor"
    bytes, cycles: what is processed in how many cycles     setup: cycles that ``gbps`` leaves out
    slices ... lut4s: None where the source has none     brams: block RAMs of the device
    derived: cycles of ``cycles`` in which values of the key are made for each sector; ours makes them once a key
    key_setup: cycles from a key to the first message
    encryption, decryption: cycles of a message, a formula; see :meth:`message`
    ns ... mbps_per_area: as printed; see :mod:`.metrics` for each
    resources: AES cores, multipliers and buffers
    remark:  what a reader must know, and where the source contradicts itself
    """

    design: str
    source: str
    table: str
    device: str
    family: str
    tool: str
    presets: tuple[str, ...]
    kind: str = "paper"
    bytes: int | None = None
    cycles: int | None = None
    setup: int = 0
    mhz: float | None = None
    gbps: float | None = None
    slices: int | None = None
    luts: int | None = None
    alms: int | None = None
    lcs: int | None = None
    lut4s: int | None = None
    registers: int | None = None
    brams: int | None = None
    lut_ff_pairs: int | None = None
    iobs: int | None = None
    derived: int = 0
    key_setup: int | None = None
    encryption: str = ""
    decryption: str = ""
    ns: float | None = None
    period_ns: float | None = None
    per_slice_second: float | None = None
    mbps_per_slice: float | None = None
    mbps_per_lut: float | None = None
    mbps_per_area: float | None = None
    resources: str = ""
    remark: str = ""

    @property
    def areas(self) -> tuple[Area, ...]:
        """Every area figure of the row, each with its unit."""
        values = [(getattr(self, name), unit) for name, unit in _UNITS.items()]
        return tuple(Area(value, unit) for value, unit in values if value is not None)

    @property
    def alike(self) -> int | None:
        """The cycles without cycles that our core does not need for each sector."""
        return None if self.cycles is None else self.cycles - self.derived

    def message(self, blocks: int, *, ad: int = 0, decrypt: bool = False, last: int | None = None) -> int | None:
        """Cycles of a message of ``blocks`` and ``ad`` blocks of associated data; None where there is no formula.

        last: bytes of the last block; None: it is whole
        """
        known = {"a": ad, "n": blocks, "c": blocks, "|M_N|": self.bytes if last is None else last, "": 1}
        terms = [_TERM.fullmatch(term) for term in (self.decryption if decrypt else self.encryption).split(" + ")]
        return sum(int(t[1] or 1) * (known[t[2]] or 0) for t in terms if t) if all(terms) else None


@cache
def published() -> tuple[Published, ...]:
    """Every published row, in the order of the tables."""
    with resources.files("wideblock.evaluate").joinpath("published.toml").open("rb") as file:
        sets = tomllib.load(file)["set"]
    known = {f.name for f in fields(Published)}
    rows = []
    for table in sets:
        shared = {key: value for key, value in table.items() if key != "row"}
        for row in table["row"]:
            row = {**shared, **row}
            if unknown := row.keys() - known:
                raise UserError(f"published row {row['design']!r} has fields that do not exist: {sorted(unknown)}")
            for name in row["presets"]:
                if name.partition(" ")[0] not in (*catalog.PRESETS, *catalog.PARTS):
                    raise UserError(f"published row {row['design']!r} names {name!r}, which is no preset and no part")
            rows.append(Published(**{**row, "presets": tuple(row["presets"])}))
    return tuple(rows)


def for_preset(name: str) -> tuple[Published, ...]:
    """The published rows of the architecture of a preset, perhaps changed, or part; rows of the preset in ``like``."""
    own = tuple(row for row in published() if name in row.presets)
    preset = catalog.PRESETS.get(name)
    return for_preset(preset.like) if not own and preset and preset.like else own


def measured_on(family: str) -> tuple[str, ...]:
    """The presets and parts with rows on devices of ``family``; without changed presets of a row.

    family: as in the rows, for example "Virtex-5"
    Raises UserError without a row.
    """
    named = dict.fromkeys(name for row in published() if row.family == family for name in row.presets)
    if not named:
        families = dict.fromkeys(row.family for row in published() if row.presets)
        raise UserError(f"no published row is on {family!r}; there are rows on {', '.join(families)}")
    return tuple(name for name in named if name in catalog.PRESETS or name in catalog.PARTS)
