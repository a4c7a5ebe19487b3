# SPDX-License-Identifier: Apache-2.0
"""XTS cores as the Verilog that users get: against the specification, and against tools that others wrote."""

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tools.engines import LANES, SIZES
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.stream import stream_sectors
from wideblock.drive.sector.traffic import SectorRecord
from wideblock.export.contract import contract
from wideblock.image.crypt import ImageJob, crypt_image
from wideblock.rtl.stream.behaviour import Cause
from wideblock.simulation.structures import PlayOutcome as Ended
from wideblock.spec.xts import MAX_BLOCKS, XTS
from wideblock.verify.sector.measure import measure

from ...variants import few_of_many
from .whole import assert_verified, cases

WIDE = ("xts-2", {"sector_bytes": 184, "key_bits": 256, "sbox": "composite", "round_stages": 2})
FEW = [
    ("xts-both", {"sector_bytes": 64, "sbox": "composite"}),  # the core of the tests of images
]
MORE = [
    ("xts-enc-k", {"sector_bytes": 40, "slots": 4, "key_bits": 128}),
    ("xts-enc", {"sector_bytes": 160}),
    ("xts-dec", {"sector_bytes": 17}),  # its queue fills over many units
    ("xts-dec", {"sector_bytes": 168}),
    WIDE,
    ("xts-both", {"sector_bytes": 160, "key_width": 32}),
    ("xts-enc", {"sector_bytes": 64, "key_bits": 256, "key_width": 64}),
    ("xts-both-k", {"sector_bytes": 72, "slots": 5, "round_stages": 2, "sbox": "composite", "key_width": 32}),
    ("xts-both-k", {"sector_bytes": 16, "sbox": "bram", "key_bits": 128}),
    ("xts-both-k", {"sector_bytes": 48, "slots": 2, "direction": "decrypt"}),
    ("xts-2-k", {"sector_bytes": 184, "slots": 1024}),
    ("xts-2", {"sector_bytes": 64, "tag_bits": 64}),
    ("xts-both-k", {"sector_bytes": 56, "slots": 3, "tag_bits": 16, "header": True}),
    (
        "xts-2-k",
        {"sector_bytes": 72, "slots": 6, "round_stages": 2, "sbox": "composite", "tag_bits": 32, "header": True},
    ),
]
KEY = bytes(range(32))
SECTOR = 512  # as in the tests of LUKS, so that there is one model


@pytest.mark.shows("known-answers", "random-sectors", "cycle-contract", "protocol", "zeroize-state")
@pytest.mark.parametrize(("name", "changes"), cases(FEW, MORE))
def test_exported_verilog(name, changes):
    """The whole suite of checks, and the cycle of the first key after zeroize."""
    core = contract(name, changes)
    known = core.known_answers
    assert len(known) >= 75 and {len(answer.plaintext) % 16 for answer in known} == set(range(16))
    assert_verified(core, sectors=12)


@pytest.mark.slow
def test_a_part_of_a_block_takes_the_pipeline_once_more():
    """Stated with the family: 2 cycles and the pipeline's latency, whatever the part is."""
    core = contract("xts-enc", {"sector_bytes": SECTOR})
    rng = random.Random(1)
    with SectorSimulation(core) as simulation:
        simulation.load_key(KEY)
        taken = {}
        for size in (64, *range(65, 80)):
            for _ in range(2):
                units = [rng.randbytes(size) for _ in range(24)]
                result = simulation.run(units, [rng.randbytes(16) for _ in units])
                taken.setdefault(size, []).append((result.first_out - result.first_in[0]).tolist())
    for size, (first, second) in taken.items():
        assert first == second, size
        gaps = set(np.diff(first).tolist()[8:-8])
        assert gaps == {5 if size == 64 else 5 + 13}, size
        assert first == taken[65 if size > 64 else 64][0]


@pytest.mark.slow
@pytest.mark.shows("cycle-contract", "engine")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("direction", ["encrypt", "both"])
def test_an_interval_under_slots_is_that_of_one_key_or_shorter(direction, lanes, size):
    """Each unit under a slot chosen at random, both directions: as stated, and as of a core with one key."""
    shape = {"direction": direction, "lanes": lanes, "width": lanes, "sector_bytes": size, "sbox": "composite"}
    keyed, plain = contract("xts-enc-k", shape), contract("xts-enc", shape | {"key_bits": 256})
    for way in measure(keyed, seed=1).values():
        assert (way.interval, way.latency) == (keyed.timing.interval, keyed.timing.latency)
    if direction == "encrypt":
        assert keyed.timing.interval == plain.timing.interval
    assert keyed.timing.interval <= max(plain.timing.interval, size // (16 * lanes) + 1)


@pytest.mark.slow
def test_the_longest_unit_and_one_byte_more():
    """2^20 blocks, SP 800-38E's limit, whole; then one that goes on is ended there, and the next is right."""
    tried = contract("xts-4")
    rng = random.Random(2)
    unit, tweaks = rng.randbytes(16 * MAX_BLOCKS), [rng.randbytes(16) for _ in range(3)]
    right = Cipher(algorithms.AES(KEY), modes.XTS(tweaks[0])).encryptor().update(unit)
    with SectorSimulation(tried) as simulation:
        simulation.load_key(KEY)
        assert simulation.run([unit], tweaks[:1]).sectors[0].tobytes() == right
        with pytest.raises(ValueError, match=r"^sector must be 16 to 16777216 bytes, got 16777217$"):
            simulation.run([unit + b"!"], tweaks[:1])
        units = [unit + bytes(100), unit[:100]]
        record = simulation.play(simulation.script(units, [tweaks[0], tweaks[1]], quiet=2000, patience=100_000))
    assert [cause for _, cause in record.faults] == [2]
    first, second = np.flatnonzero(record.out_last).tolist()
    assert record.out[: first + 1].tobytes() == right
    assert record.out[first + 1 :].tobytes()[:100] == XTS(KEY).encrypt(tweaks[1], units[1])
    assert second == len(record.out) - 1 and record.out_bytes[-1] == 100 % 64


@pytest.mark.parametrize(("kept", "faults"), [((), []), ((0, 2), [Cause.KEEP])])
def test_a_last_beat_without_bytes_ends_the_unit_and_so_does_one_with_a_hole(kept, faults):
    """The unit is that of the beats before it, which for a beat with a hole is a fault; the next is right."""
    rng = random.Random(3)
    units, tweaks = [rng.randbytes(48), rng.randbytes(48)], [rng.randbytes(16) for _ in range(2)]
    with SectorSimulation(contract("xts-enc", {"sector_bytes": SECTOR})) as simulation:
        simulation.load_key(KEY)
        script = simulation.script(units, tweaks, quiet=200)
        script.words["i"]["keep"][2] = np.packbits([n in kept for n in range(16)], bitorder="little")
        record = simulation.play(script)
    assert [fault for _, fault in record.faults] == [simulation.core.behaviour.fault(cause) for cause in faults]
    assert np.flatnonzero(record.out_last).tolist() == [1, 4]
    assert record.out[:2].tobytes() == XTS(KEY).encrypt(tweaks[0], units[0][:32])
    assert record.out[2:].tobytes() == XTS(KEY).encrypt(tweaks[1], units[1])


def test_output_bytes_that_are_no_run_are_found():
    """A record in which the core's ``keep`` has a hole, or room before the last beat."""
    with SectorSimulation(contract("xts-enc", {"sector_bytes": SECTOR})) as simulation:
        simulation.load_key(KEY)
        right = simulation.play(simulation.script([bytes(48)], [bytes(16)], want=3))
        words = right.words
        assert right.violation is None
        for beat, keep in ((2, [1, 0] + [1] * 14), (2, [0] * 16), (1, [1] * 15 + [0])):
            before = words.words["o"]["keep"][beat].copy()
            words.words["o"]["keep"][beat] = np.packbits(keep, bitorder="little")
            record = SectorRecord(right.script, words, "m_axis_tkeep")
            assert record.outcome == Ended.VIOLATION and record.violation_cycle == record.out_cycle[beat]
            assert str(record.violation).startswith("m_axis_tkeep is not a run from byte 0")
            words.words["o"]["keep"][beat] = before


@pytest.mark.slow
@pytest.mark.parametrize("size", [520, 176, 33, 16])
def test_a_stream_of_sectors_that_are_not_whole_beats(size):
    """Beats are of 32 bytes; 520-byte sectors end in half a block."""
    rng = np.random.default_rng(size)
    sectors, tweaks = rng.integers(0, 256, (60, size), np.uint8), rng.integers(0, 256, (60, 16), np.uint8)
    key = bytes(range(64))
    with SectorSimulation(contract(*WIDE)) as simulation, ThreadPoolExecutor(1) as threads:
        simulation.load_key(key)
        chunks = ((sectors[n : n + 9], tweaks[n : n + 9], 0) for n in range(0, 60, 9))
        out = np.concatenate(list(stream_sectors([simulation], threads, chunks)))
    right = [XTS(key).encrypt(tweak.tobytes(), sector.tobytes()) for tweak, sector in zip(tweaks, sectors, strict=True)]
    assert [sector.tobytes() for sector in out] == right


# Disk images: the tweak of a sector is its number, as Linux calls it, plain64.


def cryptography_image(key, data, size, *, decrypt):
    """The image sector by sector through the `cryptography` package."""
    out = []
    for number, at in enumerate(range(0, len(data), size)):
        cipher = Cipher(algorithms.AES(key), modes.XTS(number.to_bytes(16, "little")))
        out.append((cipher.decryptor() if decrypt else cipher.encryptor()).update(data[at : at + size]))
    return b"".join(out)


@pytest.mark.parametrize(
    "name, decrypt", few_of_many([("xts-enc", False), ("xts-both", False), ("xts-both", True)], [("xts-enc", False)])
)
def test_an_image_that_another_tool_reads_and_the_reverse(tmp_path, name, decrypt):
    core = contract(name, {"sector_bytes": SECTOR})
    data = random.Random(4).randbytes(SECTOR * 90)
    given = cryptography_image(KEY, data, SECTOR, decrypt=False) if decrypt else data
    (tmp_path / "in").write_bytes(given)
    done = crypt_image(core, KEY, tmp_path / "in", tmp_path / "out", ImageJob(decrypt=decrypt))
    assert done.sectors == 90 and 0 < done.cycles < 90 * core.timing.interval + core.timing.latency + 16
    out = (tmp_path / "out").read_bytes()
    assert (out if decrypt else cryptography_image(KEY, out, SECTOR, decrypt=True)) == data
    assert out != given


def test_a_core_of_one_direction_says_so(tmp_path):
    tried = contract("xts-enc", {"sector_bytes": SECTOR})
    (tmp_path / "in").write_bytes(bytes(10 * SECTOR))
    message = "^xts_enc_sector_bytes_512 only encrypts; to decrypt, choose the engine 'native' or a core"
    with pytest.raises(ValueError, match=message):
        crypt_image(tried, KEY, tmp_path / "in", tmp_path / "out", ImageJob(decrypt=True))
    crypt_image(tried, KEY, tmp_path / "in", tmp_path / "out", ImageJob(decrypt=True, engine="spec"))
    with pytest.raises(ValueError, match="^the halves of an XTS-AES key, Key1 and Key2, must differ"):
        crypt_image(tried, bytes(32), tmp_path / "in", tmp_path / "other")
    assert not (tmp_path / "other").exists()


@pytest.mark.slow
def test_an_image_of_sectors_that_are_not_whole_blocks(tmp_path):
    core = contract("xts-dec", {"sector_bytes": 168})
    data = random.Random(5).randbytes(168 * 50)
    (tmp_path / "in").write_bytes(cryptography_image(KEY, data, 168, decrypt=False))
    crypt_image(core, KEY, tmp_path / "in", tmp_path / "out", ImageJob(decrypt=True))
    assert (tmp_path / "out").read_bytes() == data


def test_lanes_are_the_width():
    with pytest.raises(ValueError, match="^XTS takes a block a lane and beat: lanes must be the width of 2, got 1$"):
        contract("xts-2", {"lanes": 1})
