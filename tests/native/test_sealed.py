# SPDX-License-Identifier: Apache-2.0
"""Sealed sectors of the library at every width, against the specification, published answers, and every forgery."""

import ctypes
import random
from itertools import product

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from wideblock import vectors
from wideblock.native.library import library, widths
from wideblock.native.twin import FORGED, Twin
from wideblock.spec.sealed import Sealed

from ..variants import over
from .test_twin import CASES, SEED

pytestmark = pytest.mark.shows("native")

NONE = ("xts", "xcb", "aez-core")


def rows(*strings):
    return np.frombuffer(b"".join(strings), np.uint8).reshape(len(strings), -1)


@pytest.mark.parametrize("scheme", [scheme for scheme in CASES if scheme not in NONE])
def test_the_specification_agrees_at_every_width(scheme):
    """Every key size, the shortest sectors, and batches: threads and in place, some sectors forged."""
    keys, least, step, tweaks, specification = CASES[scheme]
    draw = random.Random(f"{SEED} {scheme}")
    for key_bytes, n in zip(
        (keys[0], keys[-1], keys[-1]), (max(least - 16, step), 16 * 6 + step % 16, 512), strict=True
    ):
        key, t = draw.randbytes(key_bytes), draw.choice(tweaks)
        data, numbers = [draw.randbytes(n) for _ in range(7)], [draw.randbytes(t) for _ in range(7)]
        sealed = Sealed(specification(key, n + 16))
        right = [sealed.seal(tweak, sector) for tweak, sector in zip(numbers, data, strict=True)]
        for width in widths():
            twin = Twin(scheme, key, width)
            out, icvs = twin.seal(rows(*data), rows(*numbers), threads=2)
            assert [(icvs[i].tobytes(), out[i].tobytes()) for i in range(7)] == right, (width, n, t)
            plain, verdicts = twin.unseal(out, icvs, rows(*numbers))
            assert verdicts.all() and plain.tobytes() == b"".join(data)
            icvs[2], icvs[4], out[6, -1] = icvs[3], 0, out[6, -1] ^ 128
            plain, verdicts = twin.unseal(out, icvs, rows(*numbers), threads=3)
            assert verdicts.tolist() == [True, True, False, True, False, True, False], width
            assert plain.tobytes() == b"".join(bytes(n) if i in (2, 4, 6) else data[i] for i in range(7))


def test_published_answers():
    (group,) = vectors.load("hctr2_icv")
    for vector in group.vectors:
        for width in widths():
            out, icvs = Twin("hctr2", vector["key"], width).seal(rows(vector["pt"]), rows(vector["tweak"]))
            assert (out.tobytes(), icvs.tobytes()) == (vector["ct"], vector["icv"])


@pytest.mark.parametrize("scheme", ["hctr2", "fast-brw", "hmch-brw", "heh-brw", "eme2"])
def test_every_bit_counts(scheme):
    """A sector a bit of tweak, ICV and sector, which is flipped there: each is forged; swaps and other keys, too."""
    draw = random.Random(SEED)
    key, n = draw.randbytes(CASES[scheme][0][0]), 48
    whole = np.tile(np.frombuffer(draw.randbytes(16 + 16 + n), np.uint8), (8 * (32 + n), 1))
    for width in widths():
        twin = Twin(scheme, key, width)
        tweaks, data = whole[:, :16].copy(), whole[:, 32:].copy()
        sealed, icvs = twin.seal(data, tweaks)
        all_ = np.concatenate([tweaks, icvs, sealed], axis=1)
        bits = np.arange(len(all_))
        all_[bits, bits // 8] ^= (1 << bits % 8).astype(np.uint8)
        plain, verdicts = twin.unseal(all_[:, 32:], all_[:, 16:32], all_[:, :16])
        assert not verdicts.any() and not plain.any()
        other = Twin(scheme, draw.randbytes(len(key)), width)
        assert not other.unseal(sealed, icvs, tweaks)[1].any()
        assert twin.unseal(sealed, icvs, tweaks)[1].all()  # an old sector with its old ICV


KINDS = ("bit of a sector", "bit of an ICV", "bit of a tweak", "ICV", "sector", "tweak", "key")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["hctr2", "fast-brw", "hmch-brw", "heh-brw", "eme2", "aes-gcm"])
def test_a_hundred_thousand_sectors_half_of_them_forged(scheme):
    """Every second one: a bit changed, or ICV, sector or tweak of the sector before, or another key.

    All others are right, and right again when they come again.
    """
    draw, n, total = np.random.default_rng(SEED), 512, 100_000
    key_bytes, t = (32, 20) if scheme == "aes-gcm" else (CASES[scheme][0][0], 16)
    twin, other = (Twin(scheme, draw.bytes(key_bytes)) for _ in range(2))
    data, tweaks = (draw.integers(0, 256, (total, size), np.uint8) for size in (n, t))
    sealed, icvs = twin.seal(data, tweaks, threads=2)
    foreign, foreign_icvs = other.seal(data, tweaks, threads=2)
    given, given_icvs, given_tweaks = sealed.copy(), icvs.copy(), tweaks.copy()
    parts = (given, given_icvs, given_tweaks)
    for place in range(0, total, 2):
        kind = place // 2 % len(KINDS)
        if kind < 3:
            parts[kind][place, draw.integers(parts[kind].shape[1])] ^= 1 << draw.integers(8)
        elif kind < 6:
            which = (1, 0, 2)[kind - 3]
            parts[which][place] = (sealed, icvs, tweaks)[which][place - 1]
        else:
            given[place], given_icvs[place] = foreign[place], foreign_icvs[place]
    plain, verdicts = twin.unseal(given, given_icvs, given_tweaks, threads=2)
    assert not verdicts[::2].any() and verdicts[1::2].all()
    assert not plain[::2].any() and (plain[1::2] == data[1::2]).all()
    again, verdicts = twin.unseal(sealed, icvs, tweaks, threads=2)
    assert verdicts.all() and (again == data).all()


def test_in_place_large_and_in_threads():
    """Rooms on the stack and of their own, whole shares of two threads, sectors at odd addresses."""
    draw, twin = random.Random(SEED), Twin("heh-brw-paper", bytes(range(32)))
    for n, sectors in ((16, 9000), (4096, 40), (1 << 17, 3)):
        data, numbers = np.frombuffer(draw.randbytes(n * sectors), np.uint8), draw.randbytes(16 * sectors)
        tweaks = np.frombuffer(numbers, np.uint8).reshape(sectors, 16)
        right, icvs = twin.seal(data.reshape(sectors, n), tweaks)
        room = np.full(data.size + 2, 90, np.uint8)
        place = room[1:-1]
        place[:] = data
        made, verdicts = np.empty(16 * sectors, np.uint8), np.empty(sectors, np.uint8)
        at, names = place.ctypes.data, tweaks.ctypes.data
        assert not library().wideblock_seal(twin._context, at, at, made.ctypes.data, sectors, n, names, 16, 2)
        assert place.tobytes() == right.tobytes() and made.tobytes() == icvs.tobytes()
        made[16 * (sectors - 1)] ^= 1
        result = library().wideblock_unseal(
            twin._context, at, at, made.ctypes.data, verdicts.ctypes.data, sectors, n, names, 16, 2
        )
        assert result == FORGED and verdicts.tolist() == [1] * (sectors - 1) + [0]
        assert place[:-n].tobytes() == data[:-n].tobytes() and not place[-n:].any()
        assert room[0] == room[-1] == 90


@over("scheme", CASES)
def test_schemes_that_seal_nothing_say_so(scheme):
    keys, least, _, tweaks, _ = CASES[scheme]
    twin, n, tweak = Twin(scheme, bytes(range(keys[0]))), max(16, least), bytes(tweaks[-1])
    if scheme in NONE:
        with pytest.raises(ValueError, match=f"^{scheme}: scheme that seals no sectors$"):
            twin.seal(rows(bytes(n)), rows(tweak))
        with pytest.raises(ValueError, match="seals no sectors$"):
            twin.unseal(rows(bytes(n)), rows(bytes(16)), rows(tweak))
    else:
        twin.seal(rows(bytes(n)), rows(tweak))


def test_aes_gcm_agrees_with_openssl_at_every_width():
    """Every size of a key; sectors of every tail, and batches in threads, with a bit of each part flipped."""
    draw = random.Random(SEED)
    for key_bytes, n in product((16, 24, 32), (1, 15, 16, 17, 100, 128, 500, 555, 1024, 4096)):
        key, data, numbers = draw.randbytes(key_bytes), draw.randbytes(5 * n), draw.randbytes(5 * 20)
        parts = [(numbers[20 * i :][:20], data[n * i :][:n]) for i in range(5)]
        right = b"".join(AESGCM(key).encrypt(ad[8:], sector, ad) for ad, sector in parts)
        sectors, tweaks = (np.frombuffer(each, np.uint8).reshape(5, -1) for each in (data, numbers))
        for width in widths():
            twin = Twin("aes-gcm", key, width)
            out, tags = twin.seal(sectors, tweaks, threads=2)
            assert np.concatenate([out, tags], axis=1).tobytes() == right, (width, key_bytes, n)
            assert twin.unseal(out, tags, tweaks)[0].tobytes() == data
            wrong = tweaks.copy()
            out[0, -1] ^= 1
            tags[1, 0] ^= 128
            wrong[2, 0], wrong[3, -1] = wrong[2, 0] ^ 1, wrong[3, -1] ^ 16
            plain, verdicts = twin.unseal(out, tags, wrong)
            assert verdicts.tolist() == [False] * 4 + [True]
            assert plain.tobytes() == bytes(4 * n) + data[4 * n :]


def test_aes_gcm_only_seals():
    """A sector that is enciphered under a number is refused: numbers are no nonces."""
    twin = Twin("aes-gcm", bytes(16))
    said = "^aes-gcm: scheme that only seals sectors, under nonces$"
    for t in (16, 20):
        with pytest.raises(ValueError, match=said):
            twin.crypt(rows(bytes(32)), rows(bytes(t)), False)
        with pytest.raises(ValueError, match=said):
            twin.crypt_numbered(rows(bytes(32)), 0, False, t)
    for n, t, wrong in ((0, 20, "sector size"), (16, 19, "tweak size"), (16, 21, "tweak size"), (16, 12, "tweak size")):
        with pytest.raises(ValueError, match=wrong):
            twin.seal(rows(bytes(n)), rows(bytes(t)))


def test_wrong_sizes_are_refused():
    for scheme, n, t, said in (
        ("hctr2", 0, 16, "sector size"),
        ("fast-brw", 32, 16, "sector size"),
        ("heh-brw", 32, 15, "tweak size"),
        ("eme2", (1 << 30) - 15, 16, "sector size"),
        ("hctr2", (1 << 64) - 16, 16, "sector size"),
    ):
        twin = Twin(scheme, bytes(range(48 if scheme == "eme2" else 32)))
        for result in (
            library().wideblock_seal(twin._context, None, None, None, 0, n, None, t, 1),
            library().wideblock_unseal(twin._context, None, None, None, None, 0, n, None, t, 1),
        ):
            assert library().wideblock_message(result).decode().startswith(said)
    with pytest.raises(ValueError, match=r"^ICVs must be 1 rows of 16 bytes, got \(1, 15\)$"):
        Twin("hctr2", bytes(16)).unseal(rows(bytes(16)), rows(bytes(15)), rows(bytes(16)))


def test_arguments_that_overlap_or_are_missing_are_refused():
    """Places are offsets into one room; what is written overlaps nothing, but for sectors in place."""
    room = ctypes.create_string_buffer(b"\5" * 8192, 8192)
    twin = Twin("hctr2", bytes(16))
    usual = {"in": 0, "out": 1024, "icvs": 2048, "verdicts": 3500, "tweaks": 4000}

    def results(**places):
        ctypes.memset(room, 5, 8192)
        at = {name: p if p is None else ctypes.addressof(room) + p for name, p in {**usual, **places}.items()}
        data, ends = (twin._context, at["in"], at["out"], at["icvs"]), (2, 512, at["tweaks"], 16, 1)
        done = library().wideblock_seal(*data, *ends), library().wideblock_unseal(*data, at["verdicts"], *ends)
        assert 0 in done or FORGED in done or room.raw == b"\5" * 8192
        return [library().wideblock_message(result).partition(b" ")[0] for result in done]

    done, overlap, null = b"done", b"output", b"NULL"
    assert results() == results(**{"in": 2048 + 32}) == results(icvs=6000) == [done, b"sector"]
    assert results(**{"in": 1024}) == [done, done] and results(icvs=992, **{"in": 5000})[0] == done
    for places in ({"in": 1023}, {"out": 4031 - 1024}, {"icvs": 2047}, {"tweaks": 1024}, {"icvs": 993, "in": 5000}):
        assert results(**places) == [overlap, overlap], places
    for place in (1023, 1024, 2079, 4031, 2047):
        assert results(verdicts=place)[1] == overlap, place
    for place in (512, 4031):  # ICVs are only read where sectors are unsealed
        assert results(icvs=place) == [overlap, b"sector"], place
    for missing in ("in", "out", "icvs", "tweaks"):
        assert results(**{missing: None}) == [null, null], missing
    assert results(verdicts=None)[1] == null
    nothing = library().wideblock_seal(None, None, None, None, 0, 16, None, 0, 1)
    assert library().wideblock_message(nothing).startswith(null)
