# SPDX-License-Identifier: Apache-2.0
"""Places, times, handshakes and data of a master's bursts are proved, and not of faulty masters."""

from functools import cache

import pytest

from wideblock.export.contract import contract
from wideblock.verify.formal.flat import flatten
from wideblock.verify.formal.master import INSIDE, prove_master
from wideblock.verify.formal.master_data import prove_master_data
from wideblock.verify.formal.proof import NotApplicable, NotProved

from .faults import Fault, broken

pytestmark = pytest.mark.shows("formal-stream", "dma")

ENGINE = {"sector_bytes": 32, "slots": 4, "key_bits": 128, "registers": "axi4-lite"}
BEGINS = {"begins": "core.writer.writes__begin"}
FAULTS = (
    Fault("a burst to write goes beyond its page", "core.writer.cutter.to_page", "64"),
    Fault("a burst to read goes beyond its page", "core.reader.cutter.to_page", "64"),
    Fault("every page may be written", "core.writer.cutter.permitted", "1"),
    Fault("every page may have completions", "core.completer.permitted", "1"),
    Fault("a lookup counts for the next descriptor", "core.fetch.looked", "1"),
    Fault("windows change while the rings run", "core.file.stop", "0"),
    Fault("a job has a unit more", "core.writer.cutter.again", "was | begins", BEGINS),
    Fault("a unit is longer than the descriptor says", "core.writer.cutter.length", "was + 1"),
    Fault("bursts to read begin while the rings stop", "core.reads.run", "1"),
    Fault("bursts to write begin while the rings stop", "core.writes.run", "1"),
    Fault("a beat to write changes while it waits", "core.writes.place", "1"),
    Fault("an address to write changes while it waits", "core.writes.free", "was | run", {"run": "core.writes.run"}),
    Fault("an address to read changes while it waits", "core.reads.free", "was | run", {"run": "core.reads.run"}),
)


@cache
def core():
    return contract("xts-enc-k", {**ENGINE, "dma": "axi4"})


@pytest.mark.slow
def test_a_master_is_proved():
    assert "lies in one page" in prove_master(core()).statement


def test_an_engine_has_no_master():
    with pytest.raises(NotApplicable, match="no master"):
        prove_master(contract("xts-enc-k", ENGINE))


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_faulty_master_is_not_proved(fault):
    with pytest.raises(NotProved):
        prove_master(core(), broken(flatten(core(), INSIDE), fault))


BLOCK = {"block": "core.buffer.head.block"}
LEAKS = (
    Fault("a block decides where a completion is written", "core.completer.writes__at", "was ^ block", BLOCK),
    Fault("a block is in a request to the engine", "core.feeder.units__payload", "was ^ {block, 64'd0}", BLOCK),
    Fault(
        "a result is on the strobes", "core.writer.writes__keep", "was ^ data", {"data": "core.writer.writes__block"}
    ),
    Fault("a beat of a unit is kept as a descriptor", "core.fetch.queue.put", "was | put", {"put": "core.reader.put"}),
    Fault("a word of a key is on an address", "core.reader.cutter.at", "was ^ key", {"key": "s_axi_key_wdata"}),
)


@pytest.mark.slow
def test_data_of_a_master_are_proved_to_go_through_the_engine():
    assert "but through the engine" in prove_master_data(core()).statement


@pytest.mark.slow
@pytest.mark.parametrize("fault", LEAKS, ids=str)
def test_a_master_that_leaks_is_not_proved(fault):
    with pytest.raises(NotProved, match="reaches|is kept"):
        prove_master_data(core(), broken(flatten(core(), INSIDE), fault))
