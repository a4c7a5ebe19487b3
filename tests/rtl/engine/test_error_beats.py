# SPDX-License-Identifier: Apache-2.0
"""Each unit of an engine with error beats leaves one packet in its turn, whatever becomes of the unit."""

import random
from functools import cache

import numpy as np
import pytest

from wideblock.catalog.hardware import engines
from wideblock.drive.core import zeroize_at
from wideblock.drive.sector.engine import EngineSimulation
from wideblock.drive.sector.traffic import Request
from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.rtl.engine import error_beats
from wideblock.simulation.structures import PlayOutcome
from wideblock.verify.engine.suite import ENGINES

from ...variants import few_of_many, over
from ...verify.changed_source import changed, expect_found

pytestmark = pytest.mark.shows("engine")

CHANGES = {"sector_bytes": 64, "slots": 4, "key_bits": 128, "sbox": "composite", "registers": "axi4-lite"}
KEY = bytes(range(32))
FULL, HOLE = 0xFFFF, 0xFFEF


@cache
def core():
    return contract("xts-both-k", CHANGES | {"error_beats": True})


@pytest.fixture(scope="module")
def model():
    with EngineSimulation(core()) as simulation:
        yield simulation


def units(rng, count):
    """Requests with what must leave for each: data, and whether with an error flag; those of slot 0 have a key."""
    for _ in range(count):
        tweak, beats = rng.randbytes(16), rng.randint(2, 6)
        kind = rng.choice(("good", "good", "slot", "short", "first", "middle", "early"))
        data = rng.randbytes(16 * beats)
        right = core().specification(KEY).encrypt
        if kind == "good":
            data = data[: len(data) - rng.randrange(16)]
            yield Request(data, tweak, False), (right(tweak, data), False)
        elif kind == "slot":
            yield Request(data, tweak, False, slot=1), (b"\0", True)
        elif kind == "short":
            yield Request(data[: rng.randint(1, 15)], tweak, False), (b"\0", True)
        elif kind == "first":
            yield Request(data, tweak, False, keep=(HOLE, *[FULL] * (beats - 1))), (b"\0", True)
        elif kind == "middle":
            kept = rng.randint(1, beats - 1)
            keep = [FULL] * kept + [HOLE] + [FULL] * (beats - kept - 1)
            yield Request(data, tweak, False, keep=tuple(keep)), (right(tweak, data[: 16 * kept]), True)
        else:
            kept, part = rng.randint(1, beats - 1), rng.randint(1, 15)
            keep = [FULL] * kept + [(1 << part) - 1] + [FULL] * (beats - kept - 1)
            whole = kept == beats - 1  # the beat that is not full is the last one
            yield (
                Request(data, tweak, False, keep=tuple(keep)),
                (right(tweak, data[: 16 * kept + part]), not whole),
            )


def packets(record):
    """Data and error flag of each packet that left."""
    data, found = b"", []
    for word in record.words.words["o"]:
        size = int(np.unpackbits(word["keep"]).sum())
        data += bytes(word["data"][:size])
        assert not word["error"] or word["last"]
        if word["last"]:
            found.append((data, bool(word["error"])))
            data = b""
    assert not data
    return found


@pytest.mark.parametrize(("offer", "take"), [(1.0, 1.0), (0.4, 0.9), (0.9, 0.3)])
def test_each_unit_leaves_its_result_or_an_error(model, offer, take):
    rng = random.Random(f"{offer} {take}")
    with model.fresh() as engine:
        engine.load_key(KEY, 0)
        requests, right = zip(*units(rng, 150), strict=True)
        record = engine.play(engine.requests(requests, offer=offer, take=take, quiet=300), seed=1)
        assert record.outcome == PlayOutcome.DONE and packets(record) == list(right)


def test_a_zeroize_leaves_an_error_for_each_unit_under_way(model):
    """In each cycle of a stream: as many packets as units, results before the zeroize, errors from then on."""
    rng = random.Random(7)
    seen = set()
    for moment in range(0, 90, 5):
        with model.fresh() as engine:
            engine.load_key(KEY, 0)
            requests = [Request(rng.randbytes(48), rng.randbytes(16), False) for _ in range(12)]
            script = engine.requests(requests, take=0.7, quiet=core().timing.zeroize + 100)
            script.events = [zeroize_at(moment)]
            record = engine.play(script, seed=moment)
            flags = record.errors
            good = flags.index(True) if True in flags else 12
            assert record.outcome == PlayOutcome.DONE and flags == [n >= good for n in range(12)]
            left = [core().specification(KEY).encrypt(r.tweak, r.data) for r in requests[:good]]
            assert record.out.tobytes()[: 48 * good] == b"".join(left)
            seen.add(good)
            engine.load_key(KEY, 0)
            (again,) = packets(engine.play(engine.requests(requests[:1], quiet=100)))
            assert again == (core().specification(KEY).encrypt(requests[0].tweak, requests[0].data), False)
    assert len(seen) > 5 and 0 in seen


def test_the_suite_of_engines_judges_error_beats():
    report = ENGINES.verify(core(), amount=6, checks=["random slots", "storms", "both buses", "every offset"])
    assert report.failure is None, report.failure.difference


@over(
    "other, message",
    [
        ({"registers": "none"}, "error_beats must be false without registers"),
        ({"dma": "axi4"}, "error_beats must be false with dma"),
        ({"header": True}, "header must be false with error_beats"),
        ({"tag_bits": 8}, "tag_bits must be 0 with error_beats"),
    ],
)
def test_a_mix_without_a_meaning_is_refused(other, message):
    with pytest.raises(UserError, match=message):
        contract("xts-both-k", CHANGES | {"error_beats": True} | other)


FAULTS = {
    "a unit that is cut leaves nothing": ("dropped.eq(-1)", "dropped.eq(0)"),
    "a dropped unit has its packet before the units ahead": (
        "gone.eq(present & dropped.bit_select(first, 1))",
        "gone.eq(present & (dropped & ~faulty | dropped.bit_select(last, 1).replicate(self.units)).any())",
    ),
    "an error beat has no flag": ("out.payload.error.eq(gone | (", "out.payload.error.eq((gone & 0) | ("),
    "a dropped unit is not noted": ("with m.If(begun):", "with m.If(begun & within):"),
}


@pytest.mark.parametrize("name", few_of_many(list(FAULTS), []))
def test_a_planted_fault_is_found(monkeypatch, name):
    monkeypatch.setattr(engines, "ErrorBeats", changed(error_beats, "ErrorBeats", *FAULTS[name]))
    expect_found(ENGINES, contract("xts-both-k", CHANGES | {"error_beats": True}), "both buses", ".", amount=64)
