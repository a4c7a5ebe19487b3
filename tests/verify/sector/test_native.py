# SPDX-License-Identifier: Apache-2.0
"""The native library as judge gives the specification's answers, and the specification catches it when it does not."""

import random

import pytest

from wideblock.drive.sector.traffic import Request
from wideblock.export.contract import contract
from wideblock.native.twin import Twin
from wideblock.simulation.bench import SimulationError
from wideblock.verify.sector.native import EVERY, NativePool
from wideblock.verify.suites import judged_by, suite_of

pytestmark = pytest.mark.shows("native")

CORE = contract("hctr2-any")


def requests(count, seed=1):
    draw = random.Random(seed)
    return [
        Request(draw.randbytes(draw.randint(16, 90)), draw.randbytes(draw.randint(0, 32)), draw.random() < 0.5)
        for _ in range(count)
    ]


def test_answers_are_the_specifications():
    key, asked, pool = bytes(16), requests(150), NativePool(CORE)
    keyed = CORE.specification(key)
    right = [(keyed.decrypt if r.decrypt else keyed.encrypt)(r.tweak, r.data) for r in asked]
    assert pool.answers(key, asked) == right
    parts = [promise.result() for promise in pool.submit(key, asked, chunk=40)]
    assert [len(part) for part in parts] == [40, 40, 40, 30] and sum(parts, []) == right


def test_the_specification_catches_a_wrong_library(monkeypatch):
    """One of 64 answers is compared, wherever the calls begin and end."""
    compared, right = [], Twin.encrypt
    pool = NativePool(CORE)
    asked = [Request(bytes([i]) * 16, b"", False) for i in range(2 * EVERY)]

    def wrong(self, tweak, sector):
        compared.append(sector[0])
        return bytes(16) if sector[0] == EVERY else right(self, tweak, sector)

    monkeypatch.setattr(Twin, "encrypt", wrong)
    for i in range(0, EVERY, 10):
        pool.answers(bytes(16), asked[i : min(i + 10, EVERY)])
    with pytest.raises(SimulationError, match="^the native library differs from the specification under key 0000"):
        pool.answers(bytes(16), asked[EVERY:])
    assert compared == list(range(2 * EVERY))


def test_judges():
    aead = contract("scream")
    assert judged_by("spec", CORE) is suite_of(CORE) and judged_by("spec", aead) is suite_of(aead)
    assert judged_by("native", CORE).checks is suite_of(CORE).checks
    with pytest.raises(ValueError, match="^judge must be one of spec, native, got 'magic'$"):
        judged_by("magic", CORE)
    with pytest.raises(ValueError, match="^scream takes messages; the native library judges cores that take sectors$"):
        judged_by("native", aead)
