# SPDX-License-Identifier: Apache-2.0
"""The flow of the families that hash, encipher and hash again, against the sum of the latencies on a sector's way."""

import pytest

from wideblock import catalog
from wideblock.errors import UserError
from wideblock.rtl.flow.cycles import alone
from wideblock.rtl.sector.hash_counter_hash import HashCounterHash, equations
from wideblock.rtl.sector.hash_ecb_hash import HashEcbHash
from wideblock.rtl.sector.hash_ecb_hash import equations as ecb

pytestmark = pytest.mark.shows("cycle-contract")

CHANGES = [
    {"sector_bytes": 512},
    {"sector_bytes": 64},
    {"sector_bytes": 130},
    {"sector_bytes": 512, "round_stages": 2, "mult_stages": 6},
    {"sector_bytes": 192, "width": 4, "lanes": 2},
    {"sector_bytes": 128, "width": 4, "lanes": 1, "key_bits": 256},
]


def cores(family):
    """The cores of a family with each of the changes that a preset can have."""
    for preset in catalog.PRESETS.values():
        if issubclass(preset.scheme.core, family):
            for changes in CHANGES:
                try:
                    yield preset.scheme.core(preset.changed(changes))
                except UserError:
                    continue


def test_hash_counter_hash():
    """Front hash, single call, a pass of the lanes, back hash, and with calls at the ends the last of them."""
    R, h, made = equations.FRONT.R, equations.BACK.h, 0
    for core in cores(HashCounterHash):
        p, calls, place, made = core.parameters, core.calls, core.place, made + 1
        queued, saved = int(p.overlap), int(calls.shortcut)
        waits = (1 if calls.shortcut else place.rows) * (place.parts - 1)  # for the last parts of beats
        hashes = core.programs["front"].done(R) + core.programs["back"].done(h)
        ciphers = calls.latency + calls.cipher_latency + calls.closing_latency
        assert alone(core.flow).compute == 2 + hashes + ciphers + 2 * p.ahead + queued + waits - 3 * saved
        assert core.timing.interval == _interval(core, core.place.steps + core.structure.lane_calls)
    assert made > 40


def test_hash_ecb_hash():
    """Front hash, or the tweak's call if that takes longer, a pass of the lanes, back hash."""
    U, Cm, made = ecb.FRONT.U, ecb.BACK.Cm, 0
    for core in cores(HashEcbHash):
        p, A, made = core.parameters, core.cipher_latency, made + 1
        early, queued = int(not p.overlap), int(p.overlap)
        hashed = 1 + core.programs["front"].done(U) - early
        first_call = max(hashed + queued, max(A + p.ahead, p.beats) + 2)
        expected = first_call + A + queued + core.programs["back"].done(Cm) + 2 * p.ahead - early
        assert alone(core.flow).compute == expected
        assert core.timing.interval == _interval(core, core.lane_steps + 1)
    assert made > 20


def _interval(core, calls):
    """The longest of both heads and the lanes' work; without overlap, compute."""
    heads = [program.steps for program in core.programs.values()]
    return max(*heads, calls) if core.parameters.overlap else core.timing.compute
