# SPDX-License-Identifier: Apache-2.0
"""Curves against size: those of the documents are of today, and values are measured at six sizes."""

from pathlib import Path
from random import Random

import pytest

from tools.curves import curves, document
from tools.drawings import against
from wideblock.drive.aead.exchange import activation, encryption
from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.evaluate.plots import PlotMark, _ratios
from wideblock.evaluate.report import entries
from wideblock.evaluate.stated import sector
from wideblock.export.contract import contract
from wideblock.synth.targets import targets
from wideblock.verify.aead.measure import message
from wideblock.verify.sector.measure import measure

from ..variants import few_of_many

pytestmark = pytest.mark.shows("cycle-contract")

DOCS = Path(__file__).parents[2] / "docs"
SIX = (16, 64, 256, 1024, 4096, 16384)


def of(title, core):
    """The line of a core in the curve of that title, by size."""
    (curve,) = (curve for curve in curves(["units", "messages"]) if curve.title == title)
    return dict(curve.values[core])


def test_curves_of_contracts_that_are_soon_made_are_in_the_documents():
    page = (DOCS / "curves.md").read_text()
    made = curves(["units", "messages"])
    assert len(made) == 4 and all(curve.body in page for curve in made)
    assert all(curve.described in (DOCS / f"{curve.name}.svg").read_text() for curve in made)


@pytest.mark.slow
def test_every_curve_is_in_the_documents():
    assert (DOCS / "curves.md").read_text() == document()
    assert all(curve.described in (DOCS / f"{curve.name}.svg").read_text() for curve in curves())


def test_ours_take_no_more_cycles_than_the_paper_at_any_size():
    made = {core: of("AES-XTS: cycles of one data unit", core) for core in ("the XTS paper", "xts-enc")}
    theirs, ours = made.values()
    assert theirs[128] == 26 and all(ours[bits] <= cycles for bits, cycles in theirs.items())
    rates = of("AES-XTS: throughput of one data unit", "the XTS paper")
    assert list(rates.values()) == sorted(rates.values()) and rates[8 * 65536] == pytest.approx(35.8, rel=0.01)


def test_throughput_against_area_has_lines_of_ratios_to_the_reference(measurement):
    sizes = {"aes-gcm": (16, 11, 3000), "scream": (16, 11, 2000), "aez5": (32, 25, 4000)}
    points = [measurement(name, bytes=n, interval=cycles, lcs=lcs) for name, (n, cycles, lcs) in sizes.items()]
    plot = against(entries([*points, measurement("xts-enc"), measurement("karatsuba")]), targets["xc7"])
    assert plot and "times the throughput an area of aes-gcm. Ratios: aez5 0.66, scream 1.50." in plot.caption
    assert against(entries(points[1:]), targets["xc7"]) is None and against(entries(points[:1]), targets["xc7"]) is None
    first = PlotMark("r", "g", 2000, 10)
    drawn = [_ratios((1000, 9000), (1, 99), mark) for mark in (first, None)]
    assert drawn[0] == [0.00125, 0.0025, 0.005, 0.01, 0.02] and drawn[1][1] / drawn[1][0] == pytest.approx(10**0.5)


@pytest.mark.parametrize("name", few_of_many(["scream", "aes-gcm", "aez5", "poet", "minalpher"], ["scream"]))
def test_messages_take_the_cycles_of_the_curve(name):
    line, rng = of("Authenticated ciphers: latency", name), Random(2)
    core = contract(name, {"data_bytes": SIX[-1]})
    with AeadSimulation(core) as simulation:
        key, npub = rng.randbytes(core.key_bytes), rng.randbytes(core.behaviour.shape.npub)
        keyed = activation(simulation.api, key)
        for size in SIX:
            P = rng.randbytes(size)
            sent = encryption(simulation.api, npub, b"", P, core.specification(key).encrypt(npub, b"", P))
            assert message(simulation, keyed, sent).again == line[size], size


@pytest.mark.slow
@pytest.mark.parametrize("size", SIX)
def test_data_units_of_xts_take_the_cycles_of_the_curve(size):
    seen = measure(contract("xts-enc", {"sector_bytes": size}))["encrypt"]
    assert seen.latency == of("AES-XTS: cycles of one data unit", "xts-enc")[8 * size]
    assert (seen.latency, seen.interval) == sector("xts-enc", size)
