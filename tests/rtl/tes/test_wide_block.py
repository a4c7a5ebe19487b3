# SPDX-License-Identifier: Apache-2.0
"""Wide-block cores as the Verilog that users get, against the specification.

Every value of every parameter is in a core, and every family in each of its variants: one hash unit or two, one lane or
more, width beyond the lanes, tweak's call and inverse call early and late. Sectors are as small as the variant allows;
two presets are simulated as they ship.
"""

import random

import pytest

from wideblock.export.contract import contract
from wideblock.image.crypt import crypt_image
from wideblock.simulation.verilator import Options
from wideblock.verify.sector.checks import CHECKS
from wideblock.verify.sector.driver import SectorSimulation
from wideblock.verify.sector.suite import verify

pytestmark = pytest.mark.shows("known-answers", "random-sectors", "cycle-contract", "protocol", "zeroize-state")

SMALL = [
    ("fast-brw-1", {"sector_bytes": 160, "key_bits": 256, "sbox": "composite", "mult_stages": 3, "round_stages": 2}),
    ("fast-brw-2", {"sector_bytes": 64, "width": 4, "sbox": "bram", "leaf": 16}),
    ("fast-brw-4s", {"sector_bytes": 256, "mult_stages": 2, "sbox": "norm", "squares": "on-the-fly", "leaf": 8}),
    ("fast-horner-2", {"sector_bytes": 64, "mult_stages": 1, "sbox": "bram", "leaf": 2}),
    ("fast-horner-1", {"sector_bytes": 176, "overlap": True, "mult_stages": 7, "round_stages": 4, "sbox": "composite"}),
    ("heh-brw-3", {"sector_bytes": 80, "width": 1, "mult_stages": 6, "sbox": "bram", "round_stages": 3}),
    ("heh-poly", {"sector_bytes": 48, "mult_stages": 8, "sbox": "bram", "leaf": 2}),
    ("heh-brw-2s", {"sector_bytes": 96, "round_stages": 2, "mult_stages": 5, "sbox": "composite", "order": "paper"}),
    ("hmch-brw-2", {"sector_bytes": 32, "mult_stages": 1, "sbox": "bram"}),
    ("hmch-brw-1s", {"sector_bytes": 160, "key_bits": 256, "round_stages": 3, "sbox": "bram", "order": "paper"}),
    ("hmch-polys", {"sector_bytes": 48, "mult_stages": 4, "sbox": "norm"}),
]
SHIPPED = ["fast-brw-2s", "hmch-brw-3"]


def ids(cores):
    return [" ".join([name, *map(str, changes.values())]) for name, changes in cores]


def passes_every_check(core, options, sectors):
    with SectorSimulation(core, options=options) as simulation:
        report = verify(core, sectors=sectors, seed=1, vectors=core.known_answers, simulation=simulation)
    assert report.failure is None, f"{report.failure.name}: {report.failure.difference}"
    assert [check.name for check in report.checks] == list(CHECKS)


@pytest.mark.parametrize(("name", "changes"), SMALL, ids=ids(SMALL))
def test_small_cores_pass_every_check(name, changes):
    passes_every_check(contract(name, changes), Options(optimise=0, savable=True), sectors=8)


@pytest.mark.parametrize("name", SHIPPED)
def test_presets_as_they_ship_pass_every_check(name):
    core = contract(name)
    assert core.known_answers
    passes_every_check(core, Options(savable=True), sectors=8)


def test_an_image_by_the_core_is_that_by_the_specification(tmp_path):
    """In the model of the preset as it ships, which the test before has built."""
    core = contract("hmch-brw-3")
    key = bytes(range(32))
    (tmp_path / "in").write_bytes(random.Random(1).randbytes(512 * 100))
    for engine in ("rtl", "spec"):
        crypt_image(core, key, tmp_path / "in", tmp_path / engine, engine=engine, first_sector=(1 << 64) - 50)
    assert (tmp_path / "rtl").read_bytes() == (tmp_path / "spec").read_bytes() != (tmp_path / "in").read_bytes()
