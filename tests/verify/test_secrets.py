# SPDX-License-Identifier: Apache-2.0
"""The check of secrets on ports passes real cores of every family, and finds what their Verilog is made to show."""


import pytest

from wideblock.export.contract import contract
from wideblock.simulation.verilator import Options
from wideblock.verify.suites import amount, suite_of

from ..variants import few_of_many
from .planted import Fault, choose, planted

pytestmark = pytest.mark.shows("secrets")

CHECK = "secrets on ports"
KEY = "inner.core.key_unit.expansion.round_key1"
IDLE = "!m_axis_tvalid"
SMALL = {"sector_bytes": 64, "sbox": "composite"}
FAMILIES = {
    "xts-enc": SMALL,
    "fast-brw-1": SMALL,
    "hctr2-any": SMALL,
    "heh-poly": SMALL,
    "eme2-1": SMALL,
    "aez-2ts": SMALL,
}
"""A core of each family, with its parameters."""

OF_SECTORS = {
    "nothing": None,
    "a round key": (
        Fault("m_axis_tdata", f"{IDLE} && since == 0", KEY),
        r"tdata shows round key 1 of \w+ in cycle .*, 1 cycle aft",
    ),
    "an input": (Fault("m_axis_tdata", f"{IDLE} && computed", "word_s_axis_tdata"), "of sector . as it entered in cyc"),
    "a bit of a key": (Fault("m_axis_tlast", f"{IDLE} && ready", f"{KEY}[3]"), "m_axis_tlast differs under other sec"),
}
OF_MESSAGES = {
    "nothing": None,
    "a key": (
        Fault("do_data", "!do_valid && !since[7]", "word_sdi_data"),
        "do_data shows round key 0 of K in the opposite order of",
    ),
    "a hash key": (
        Fault("do_data", "since == 0", "inner.core.cipher.H[63:32]"),
        "shows H.1 with the bits of each byte",
    ),
    "an input": (
        Fault("do_data", "!do_valid && pdi_valid", "word_pdi_data"),
        "do_data shows .* in cycle .*do_valid low",
    ),
    "a message": (Fault("do_data", "!do_valid", "inner.core.buffer.word"), "block 0 of the (rejected )?message"),
    "a bit of a key": (Fault("pdi_ready", "1", "pdi_ready__inner & !word_sdi_data[9]"), "pdi_ready dif"),
}


def found(core, faults, number, directory):
    """The check's finding on the core with the fault of that number."""
    suite = suite_of(core)
    choose(number)
    with suite.Simulation(core, verilog=planted(core, faults), options=Options(optimise=0)) as simulation:
        report = suite.verify(core, checks=[CHECK], seed=1, simulation=simulation, **amount(core, 24), **suite.ALONE)
    return report.failure


def judged(core, faults, name, directory):
    failure = found(core, [fault[0] for fault in faults.values() if fault], list(faults).index(name), directory)
    if faults[name] is None:
        assert failure is None, failure.difference
    else:
        with pytest.raises(AssertionError, match=faults[name][1]):
            raise AssertionError(failure and failure.difference)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "fault"),
    few_of_many([(n, f) for n in FAMILIES for f in OF_SECTORS], [("xts-enc", fault) for fault in OF_SECTORS]),
)
def test_a_sector_core(here, name, fault):
    judged(contract(name, FAMILIES[name]), OF_SECTORS, fault, here)


@pytest.mark.parametrize("fault", OF_MESSAGES)
def test_an_authenticated_cipher(here, fault):
    judged(contract("aes-gcm", {"data_bytes": 64, "ad_bytes": 48}), OF_MESSAGES, fault, here)
