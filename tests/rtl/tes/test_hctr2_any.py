# SPDX-License-Identifier: Apache-2.0
"""HCTR2 cores for messages of any length as the Verilog that users get, against the specification."""

import random
from dataclasses import fields, replace
from itertools import product

import pytest

from wideblock.drive.sector.pool import SpecificationPool
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.traffic import Key, Request
from wideblock.export.contract import contract
from wideblock.image.crypt import crypt_image
from wideblock.rtl.sector.parameters import AnyLengthParameters
from wideblock.spec.hctr2 import HCTR2
from wideblock.verify.sector.judge import judge

from ...variants import few_of_many
from .whole import assert_verified, cases

SMALL = {"longest": 128, "sector_bytes": 40, "tweak_bytes": 20, "most_tweak_bytes": 32, "sbox": "composite"}
LONG = SMALL | {"longest": 512, "sector_bytes": 100}
FEW = [("hctr2-any-2", SMALL)]
MORE = [
    ("hctr2-any", SMALL),
    ("hctr2-any-2", LONG),
    ("hctr2-any", LONG),
    ("hctr2-any", {}),
    ("hctr2-any-4", LONG),
    ("hctr2-any-4", {"key_bits": 192, "round_stages": 2, "sbox": "composite", "most_tweak_bytes": 255}),
    ("hctr2-any-2", {"key_bits": 256, "round_stages": 2, "sbox": "composite", "longest": 1000, "sector_bytes": 999}),
    (
        "hctr2-any",
        {
            "longest": 1000,
            "sector_bytes": 16,
            "tweak_bytes": 200,
            "most_tweak_bytes": 255,
            "key_bits": 192,
            "round_stages": 2,
            "sbox": "composite",
            "mult_stages": 1,
            "leaf": 2,
        },
    ),
    (
        "hctr2-any",
        {"longest": 512, "key_bits": 256, "round_stages": 4, "sbox": "bram", "mult_stages": 8, "leaf": 16}
        | {"sector_bytes": 496, "tweak_bytes": 0, "most_tweak_bytes": 48},
    ),
    (
        "hctr2-any",
        {"longest": 32, "sector_bytes": 31, "round_stages": 3, "sbox": "norm", "mult_stages": 6, "leaf": 8},
    ),
    ("hctr2-any-k", SMALL | {"slots": 4}),
    ("hctr2-any-k", {"longest": 512, "sector_bytes": 100, "slots": 5, "key_bits": 256, "tag_bits": 8, "header": True}),
    ("hctr2-any-2", SMALL | {"slots": 4, "round_stages": 2}),
]
KEY = bytes(range(16))


@pytest.mark.shows("known-answers", "random-sectors", "cycle-contract", "protocol", "zeroize-state")
@pytest.mark.parametrize(("name", "changes"), cases(FEW, MORE))
def test_exported_verilog(name, changes):
    """The whole suite of checks, and the cycle of the first key after zeroize."""
    assert_verified(contract(name, changes))


def test_every_value_of_the_ciphers_and_the_field_is_simulated():
    """The stages of the multiplier: in the tests of the hash alone."""
    rows = [contract(name, changes).settings for name, changes in FEW + MORE]
    choices = {field.name: field.metadata["choices"] for field in fields(AnyLengthParameters)}
    for name in ("key_bits", "round_stages", "sbox", "leaf"):
        assert {row[name] for row in rows} == set(choices[name])


def test_known_answers_are_of_all_sizes():
    sizes = {}
    for name, changes in FEW + MORE:
        core = contract(name, changes)
        found = {(len(answer.tweak), len(answer.plaintext)) for answer in core.known_answers}
        sizes.setdefault(core.parameters.key_bits, set()).update(found)
        assert core.behaviour.length.most == core.parameters.longest
    for found in sizes.values():
        assert {(tweak, size % 16 == 0) for tweak, size in found} == set(product((0, 1, 16, 32, 47), (False, True)))
    every = {size for found in sizes.values() for _, size in found}
    assert every >= {16, 17, 31, 48, 128, 255, 512, 4095, 4096}


def played(core, sizes):
    """Cycles in which each result of a stream of messages is known and has left, as the family's page has them.

    A stage moves in each cycle in which it can. What it decides by is as it was in the cycle before.
    """
    A, s, flight = core.component.cipher_latency, core.parameters.mult_stages, core.component.slots
    beats = [-(-size // core.parameters.beat_bytes) for _, size in sizes]
    early = [max(1, -(-tweak // core.parameters.beat_bytes)) for tweak, _ in sizes]
    n, rows = len(sizes), core.component.ring_rows
    front, back = [[e + b for e, b in zip(early, beats, strict=True)] for _ in range(2)]  # steps left of each pass
    lane, out = list(beats), list(beats)
    hashed, called, known, left = ([None] * n for _ in range(4))  # cycles
    at = dict.fromkeys(("front", "single", "lane", "back", "out"), 0)
    entered, gone, lanes, pause, arrived, cycle = 0, 0, [], 0, 0, 0
    while at["out"] < n:
        moves = {"single": False, "lane": False, "back": False, "out": False, "front": False}
        f, g, k, b, o = (at[name] for name in ("front", "single", "lane", "back", "out"))
        moves["front"] = f < n and f - o < flight and entered - gone < rows
        moves["single"] = g < n and hashed[g] is not None and cycle > hashed[g] and pause == 0
        moves["lane"] = k < n and called[k] is not None and cycle > called[k] and not moves["single"]
        waits = sum(1 for step in lanes if step + A < cycle) - arrived
        moves["back"] = b < f and (back[b] > beats[b] or waits > 0)
        moves["out"] = o < n and known[o] is not None and cycle > known[o]
        pause = A - 1 if moves["single"] else max(0, pause - 1)
        if moves["front"]:
            entered += front[f] <= beats[f]
            front[f] -= 1
            if not front[f]:
                hashed[f] = cycle + s
                at["front"] += 1
        if moves["single"]:
            called[g] = cycle + A
            at["single"] += 1
        if moves["lane"]:
            lanes.append(cycle)
            lane[k] -= 1
            at["lane"] += not lane[k]
        if moves["back"]:
            arrived += back[b] <= beats[b]
            back[b] -= 1
            if not back[b]:
                known[b] = cycle + s
                at["back"] += 1
        if moves["out"]:
            gone += 1
            out[o] -= 1
            if not out[o]:
                left[o] = cycle
                at["out"] += 1
        cycle += 1
    return known, left


@pytest.mark.parametrize(
    ("name", "changes"),
    few_of_many([*FEW, ("hctr2-any", LONG), ("hctr2-any-2", LONG), ("hctr2-any-4", LONG)], FEW),
    ids=lambda of: of if isinstance(of, str) else str(of["longest"]),
)
@pytest.mark.parametrize("mix", ["any", "long and short"])
def test_sizes_mix_at_the_stated_cycles(name, changes, mix):
    """Each size alone has its own cycles, whatever went before it; and a stream of all of them has its own, too.

    Behind a long message, short ones fill all places. Those of any size fill the memory of the core of 128 bytes.
    """
    core, rng = contract(name, changes), random.Random(5)
    longest = core.parameters.longest
    sizes = [(rng.randrange(33), rng.randrange(16, longest + 1)) for _ in range(40)]
    if mix != "any":
        sizes = [(16, longest), *[(rng.randrange(33), 16)] * 45] * 2
    tweaks, messages = [rng.randbytes(tweak) for tweak, _ in sizes], [rng.randbytes(size) for _, size in sizes]
    ways = [rng.random() < 0.5 for _ in sizes]
    hctr2 = HCTR2(KEY)
    right = [
        (hctr2.decrypt if decrypt else hctr2.encrypt)(tweak, message)
        for tweak, message, decrypt in zip(tweaks, messages, ways, strict=True)
    ]
    with SectorSimulation(core) as simulation:
        simulation.load_key(KEY)
        together = simulation.run(messages, tweaks, ways)
        assert [sector.tobytes() for sector in together.sectors] == right
        for size, message, tweak, decrypt, answer in list(zip(sizes, messages, tweaks, ways, right, strict=True))[:40]:
            alone = simulation.run([message], [tweak], decrypt)
            timing = core.behaviour.length.timing(*size)
            assert alone.sectors[0].tobytes() == answer
            assert alone.computed[0] - alone.first_in[0] == timing.compute
            assert alone.last_out[0] - alone.first_in[0] == timing.latency
    known, left = played(core, sizes)
    begin = together.computed[0] - known[0]
    assert (together.computed - begin).tolist() == known
    assert (together.last_out - together.last_out[0]).tolist() == [cycle - left[0] for cycle in left]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hctr2-any", "hctr2-any-2", "hctr2-any-4"])
@pytest.mark.parametrize(("key_bits", "round_stages"), list(product((128, 192, 256), (1, 2))))
def test_answers_and_mixed_sizes_with_every_key_size(name, key_bits, round_stages):
    """The designers' answers in a stream a key, and one of any sizes of messages and tweaks, in both directions."""
    changes = {"longest": 512, "sector_bytes": 512, "sbox": "composite", "key_bits": key_bits}
    core, rng = contract(name, changes | {"round_stages": round_stages}), random.Random(key_bits)
    by_key = {}
    for answer in core.known_answers:
        rows = by_key.setdefault(answer.key, [])
        rows.append((answer.tweak, answer.plaintext, False, answer.ciphertext))
        rows.append((answer.tweak, answer.ciphertext, True, answer.plaintext))
    key = rng.randbytes(key_bits // 8)
    mixed, hctr2 = by_key.setdefault(key, []), HCTR2(key)
    for _ in range(100):
        tweak, message = rng.randbytes(rng.randrange(65)), rng.randbytes(rng.randrange(16, 513))
        decrypt = rng.random() < 0.5
        mixed.append((tweak, message, decrypt, (hctr2.decrypt if decrypt else hctr2.encrypt)(tweak, message)))
    with SectorSimulation(core) as simulation:
        for key, rows in by_key.items():
            tweaks, messages, ways, right = zip(*rows, strict=True)
            simulation.load_key(key)
            assert [each.tobytes() for each in simulation.run(messages, tweaks, ways).sectors] == list(right)


@pytest.mark.parametrize(
    ("other", "fault"),
    [
        ({"stated": 49}, 1),
        ({"stated": 47}, 2),
        ({"stated": 15}, 1),
        ({"stated": 257}, 2),
        ({"tweak": bytes(33)}, 4),
    ],
)
def test_a_core_that_takes_a_sector_of_another_size_than_stated_is_found(other, fault):
    """The record of right sectors, judged as if one of them had stated something else."""
    core = contract("hctr2-any-2", SMALL)
    requests = [Request(bytes(48), bytes(tweak), False) for tweak in (5, 32, 0)]
    with SectorSimulation(core) as simulation, SpecificationPool(core.specification, 1) as pool:
        record = simulation.play(simulation.requests(requests, keys=[Key(KEY, before=0)], quiet=200))
        assert judge(core, pool, requests, record) is None
        said = judge(core, pool, [requests[0], replace(requests[1], **other), requests[2]], record)
    assert said is not None and f"so fault must be {fault}, and fault never pulsed for it" in said


def test_an_image_that_the_specification_reads(tmp_path):
    core, data = contract("hctr2-any-2", SMALL), random.Random(6).randbytes(40 * 70)
    (tmp_path / "in").write_bytes(data)
    done = crypt_image(core, KEY, tmp_path / "in", tmp_path / "out")
    once = core.timing.setup + core.timing.latency + 16
    assert done.sectors == 70 and 0 < done.cycles < 70 * core.timing.interval + once
    sectors = [data[at : at + 40] for at in range(0, len(data), 40)]
    right = [HCTR2(KEY).encrypt(number.to_bytes(20, "little"), sector) for number, sector in enumerate(sectors)]
    assert (tmp_path / "out").read_bytes() == b"".join(right)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"longest": 31}, "longest must be 32 to 65535, got 31"),
        ({"longest": 65536}, "longest must be 32 to 65535, got 65536"),
        ({"sector_bytes": 15}, "sector_bytes must be 16 to 4096, the longest, got 15"),
        ({"sector_bytes": 4097}, "sector_bytes must be 16 to 4096, the longest, got 4097"),
        ({"tweak_bytes": 65}, "tweak_bytes must be 0 to 64, got 65"),
        ({"width": 2}, "lanes must be the width: 2, got 1"),
        ({"most_tweak_bytes": 0}, "most_tweak_bytes must be 1 to 255, got 0"),
        ({"most_tweak_bytes": 256}, "most_tweak_bytes must be 1 to 255, got 256"),
        ({"slots": 4, "key_bits": 192}, "key_bits must be 128 or 256 with slots, got 192"),
    ],
)
def test_sizes_that_no_core_can_have(changes, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        contract("hctr2-any", changes)
