# SPDX-License-Identifier: Apache-2.0
"""Tables that help to choose: by one rule, and those of the documents are today's."""

from dataclasses import replace

import pytest

from tools import choosing
from wideblock import catalog
from wideblock.evaluate.best import representatives

pytestmark = pytest.mark.shows("synthesis")


def rows(text):
    return [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in text.splitlines() if "`" in line]


def test_a_scheme_has_its_narrowest_fastest_core():
    """In both directions; of two for as many bits the one with the narrower ports."""
    chosen = representatives()
    assert chosen.keys() == catalog.SCHEMES.keys()
    assert [chosen[name] for name in ("xts", "fast", "heh", "scream")] == [
        "xts-both",
        "fast-brw-1s",
        "heh-polys",
        "scream-r",
    ]


def test_every_scheme_has_a_row_measured_or_not(measurement):
    assert all(scheme.purpose for scheme in catalog.SCHEMES.values())
    shown = {row[0]: row for row in rows(choosing.schemes([measurement("xts-both"), measurement("fast-brw-2s")]))}
    assert shown.keys() == {name.replace("_", "-").upper() for name in catalog.SCHEMES}
    assert shown["XTS"][2:6] == ["`xts-both`", "128", "12,345", "7.5"] and shown["FAST"][4:6] == ["-", "-"]


def test_lanes_have_ratios_to_the_first_and_no_broken_scheme(measurement):
    one, two = measurement("hctr2-1s", lcs=10000), measurement("hctr2-2s", lcs=15000)
    gates = measurement("hctr2-2s", "nangate45", changed={"sbox": "composite"}, mhz=900, interval=128)
    shown = rows(choosing.lanes([one, two, gates, measurement("xcb-1s")]))
    assert [row[:7] for row in shown if row[0] == "hctr2"] == [
        ["hctr2", "`hctr2-1s`", "128", "127", "10,000", "1.00", "7.5"],
        ["hctr2", "`hctr2-1s-k`", "128", "127", "-", "-", "-"],
        ["hctr2", "`hctr2-2s`", "256", "254", "15,000", "1.50", "7.5"],
        ["hctr2", "`hctr2-2s-k`", "256", "254", "-", "-", "-"],
        ["hctr2", "`hctr2-4s`", "512", "504", "-", "-", "-"],
        ["hctr2", "`hctr2-4s-k`", "512", "504", "-", "-", "-"],
        ["hctr2", "`hctr2-8s`", "1024", "993", "-", "-", "-"],
    ]
    found = {row[1]: row for row in shown}
    assert found["`hctr2-2s`"][-3:] == ["70.2", "900", "230.4"] and found["`hctr2-1s`"][-3:] == ["-", "-", "-"]
    assert "xcb" not in {row[0] for row in shown} and found["`xts-enc`, encrypt only"][4:6] == ["-", "-"]


def test_the_aes_pipeline_is_shown_by_s_box_and_stages(measurement):
    parameters = {"sbox": "norm", "round_stages": 2}
    made = [measurement("aes128-pec", "ecp5", changed=parameters), measurement("aes128-both", changed=parameters)]
    made = [replace(each, identity=replace(each.identity, parameters=parameters)) for each in made]
    lines = choosing.ciphers(made).splitlines()
    assert len(lines) == 3 and lines[-1].split(" | ")[1:4] == ["norm", "2", "23,456"]
