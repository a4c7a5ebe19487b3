# SPDX-License-Identifier: Apache-2.0
import re
from dataclasses import astuple
from pathlib import Path

import pytest

from wideblock import catalog
from wideblock.errors import UserError
from wideblock.evaluate.metrics import metrics, of_published
from wideblock.evaluate.point import throughput
from wideblock.evaluate.published import for_preset, measured_on, published
from wideblock.evaluate.store import COMMITTED, load

from ..variants import over

pytestmark = pytest.mark.shows("synthesis")


def test_throughput_is_the_papers():
    assert throughput(4096, 319, 289.56) == pytest.approx(29.74, abs=0.005)
    with pytest.raises(ValueError, match="interval must be positive, got 0"):
        throughput(4096, 0, 100)


COMPLETE = [r for r in published() if r.gbps and r.bytes and r.cycles and r.mhz]


def deviation(row):
    """That of the printed throughput from that of the row's own bytes, cycles and clock."""
    return abs(throughput(row.bytes, row.cycles, row.mhz) / row.gbps - 1)


@over("row", COMPLETE)
def test_row_agrees_with_itself_or_says_why_not(row):
    # Printed to 3 or 4 digits from an unrounded clock; a row beyond that must carry its contradiction as a remark.
    if deviation(row) > 0.0016:
        assert "Gb/s" in row.remark or (row.kind == "open" and row.gbps < 1), (deviation(row), row.gbps)


def test_inconsistent_rows_are_known():
    rows = [row for row in COMPLETE if deviation(row) > 0.0016]
    assert [(r.design, r.table) for r in rows if r.kind == "paper"] == [
        ("AES-PDC", "Table 4"),
        ("AES pipelined decryption (AES-PDC)", "Table 2"),
        ("HEH[BRW]-1", "Table 3"),
    ]


@pytest.mark.parametrize(
    "preset, cycles",
    [
        ("fast-brw-1", 455),
        ("fast-brw-2", 319),
        ("fast-horner-1", 565),
        ("fast-horner-2", 311),
        ("xcb-1", 569),
        ("xcb-2", 316),
        ("eme2-1", 561),
        ("eme2-2", 305),
        ("aez-2-pre", 389),
        ("aez-2-otf", 404),
    ],
)
def test_both_devices_of_the_fast_paper(preset, cycles):
    rows = for_preset(preset)
    assert [(r.family, r.cycles, r.bytes) for r in rows] == [("Virtex-5", cycles, 4096), ("Virtex-7", cycles, 4096)]


def test_a_preset_that_is_like_another_has_its_rows():
    assert for_preset("fast-brw-2s") == for_preset("fast-brw-2") != ()
    assert for_preset("fast-brw-4s") == ()  # a name alone says nothing


@pytest.mark.parametrize(
    "preset, cycles",
    [("heh-brw-1", 55), ("heh-brw-3", 69), ("hmch-brw-1", 66), ("hmch-brw-3", 80), ("heh-poly", 83), ("hmch-poly", 94)],
)
def test_brw_paper(preset, cycles):
    (row,) = for_preset(preset)
    assert (row.cycles, row.bytes) == (cycles, 512)


def test_every_row_has_a_source_and_figures():
    keys = [(r.design, r.source, r.table, r.device) for r in published()]
    assert len(set(keys)) == len(keys) > 90
    for row in published():
        assert row.source and row.table and row.device and row.family and row.kind in ("paper", "open", "vendor"), row
        assert row.areas or row.gbps or row.encryption or "no figures" in row.remark, row


def test_a_preset_without_rows():
    assert for_preset("hctr2-1") == ()
    assert for_preset("s") == ()


def test_what_was_measured_on_a_family():
    cores = "aez41 aez5 aez5-p aez-cipher aez-tbc aes-gcm aes-gcm-p scream poet minalpher"
    assert measured_on("Virtex-6") == tuple(cores.split())
    # A preset with other parameters than its own is another core: "7 series" has a row of xts-both key_bits=256.
    assert all(name in (*catalog.PRESETS, *catalog.PARTS) for name in measured_on("7 series"))
    with pytest.raises(UserError, match="no published row is on 'Virtex-9'; there are rows on Virtex-5, Virtex-7"):
        measured_on("Virtex-9")


@pytest.mark.parametrize("family, target", [("Virtex-5", "xc5v"), ("Virtex-6", "xc6v"), ("Virtex-7", "xc7")])
def test_every_published_row_has_ours_beside_it(family, target):
    stored = {(p.identity.preset, p.identity.target) for p in load(COMMITTED) if p.figures and not p.identity.changed}
    assert not {(name, target) for name in measured_on(family)} - stored


def has(row, number):
    """Whether a figure of ``row`` is ``number`` as printed, rounded or cut off; or a text of it has the number."""
    texts = " ".join((row.encryption, row.decryption, row.resources, row.remark)).replace(",", "")
    if number in re.findall(r"[\w.]*\w", texts):
        return True
    values = [value for value in astuple(row) if isinstance(value, int | float)]
    values += [1000 * (row.gbps or 0), 8 * (row.bytes or 0)]
    digit = 10.0 ** -len(number.partition(".")[2]) if "." in number else 0
    return any(abs(value - float(number)) <= 0.999 * digit for value in values if not number[-1].isalpha())


def test_every_number_of_the_papers_tables_is_in_its_row():
    lines, missing, numbers = Path(__file__).with_name("printed.txt").read_text().splitlines(), [], 0
    source = table = family = ""
    for line in lines:
        if line.startswith("="):
            source, table, family = [*line.removeprefix("= ").split("; "), ""][:3]
        elif not line.startswith("#"):
            design, _, text = line.rpartition(": ")
            rows = [r for r in published() if r.design == design and source in r.source and family in r.family]
            (row,) = [r for r in rows if r.table == table] or rows
            numbers += len(text.split())
            missing += [(table, design, number) for number in text.split() if not has(row, number)]
    assert not missing and numbers > 400
    (row,) = (r for r in published() if r.per_slice_second == 399.112)
    assert has(row, "311.6") and not any(has(row, wrong) for wrong in ("311.8", "8041", "3", "399.113", "11a"))


METRIC = {
    "ns": "ns",
    "per_slice_second": "per_area_second",
    "mbps_per_slice": "mbps_per_area",
    "mbps_per_area": "mbps_per_area_ram",
    "mbps_per_lut": "mbps_per_lut",
}


def test_printed_metrics_are_those_of_their_rows():
    """Within three thousandths, or a unit of the last digit of those with two or three digits."""
    compared = 0
    for row in published():
        size = {"area": next(iter(row.areas), None), "luts": row.luts, "brams": row.brams}
        ours = metrics(**size, mhz=row.mhz, gbps=row.gbps, cycles=row.cycles, bits=None)
        for printed, name in METRIC.items():
            if value := getattr(row, printed):
                compared += 1
                computed = getattr(ours, name)
                assert value == pytest.approx(computed, rel=0.003, abs=0.01 if value < 10 else 0), (row.design, name)
                assert getattr(of_published(row), name) == value
        if row.period_ns:
            assert row.mhz == pytest.approx(1000 / row.period_ns, rel=0.002)
    assert compared > 60


def test_tau_is_left_out_of_cycles_that_are_compared():
    (row, _) = for_preset("fast-brw-2")
    assert (row.cycles, row.alike) == (319, 308)
    assert of_published(row).bits_per_kilo == pytest.approx(8 * 4096 / 308 / 7.175)


def test_formulas_of_cycles():
    ten = {row.design: row for row in published() if row.encryption}
    assert [row.message(10) for row in ten.values()] == [121, 159, 209]
    minalpher = ten["Minalpher, cycles"]
    assert minalpher.message(10, ad=2, decrypt=True) == 2 * 19 + 10 * 19 + 32
    assert minalpher.message(10, decrypt=True, last=5) == 10 * 19 + 5
    assert for_preset("fast-brw-2")[0].message(10) is None
