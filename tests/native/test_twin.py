# SPDX-License-Identifier: Apache-2.0
"""The twin at every width against the specifications, which are the judges, and against published answers."""

import ctypes
import random
import threading
from dataclasses import replace

import numpy as np
import pytest

from wideblock import catalog
from wideblock.catalog.kinds import SECTOR
from wideblock.native.library import library, schemes, widths
from wideblock.native.twin import Twin
from wideblock.spec.aez_core import AEZCore
from wideblock.spec.eme2 import EME2
from wideblock.spec.fast import FAST
from wideblock.spec.hctr2 import HCTR2
from wideblock.spec.heh import HEH
from wideblock.spec.hmch import HMCH
from wideblock.spec.xcb import XCB
from wideblock.spec.xts import XTS

from ..variants import over

pytestmark = pytest.mark.shows("native")

SEED = 7
TOGETHER = 15
"""Sectors of a call: some are enciphered together at every width, and one is left."""


def psi(scheme, hash, order="natural"):
    return (32, 48), 32, 16, (16,), lambda key, n: scheme(key, hash=hash, sector_bytes=n, order=order)


ANY_TWEAK = (0, 8, 16, 17, 32, 45)
# Bytes of keys, of the shortest sector and its steps, and of tweaks; the specification of a key and a sector's bytes.
CASES = {
    "xts": ((32, 64), 16, 1, (16,), lambda key, n: XTS(key)),
    "hctr2": ((16, 24, 32), 16, 1, ANY_TWEAK, lambda key, n: HCTR2(key)),
    "fast-brw": ((16, 32), 64, 16, (16,), lambda key, n: FAST(key, hash="brw", sector_bytes=n)),
    "fast-horner": ((16, 32), 48, 16, (16,), lambda key, n: FAST(key, hash="horner", sector_bytes=n)),
    "eme2": ((48, 64), 16, 1, ANY_TWEAK, lambda key, n: EME2(key)),
    "heh-brw": psi(HEH, "brw"),
    "heh-brw-paper": psi(HEH, "brw", "paper"),
    "heh-horner": psi(HEH, "horner"),
    "hmch-brw": psi(HMCH, "brw"),
    "hmch-brw-paper": psi(HMCH, "brw", "paper"),
    "hmch-horner": psi(HMCH, "horner"),
    "xcb": ((16, 32), 16, 1, ANY_TWEAK, lambda key, n: XCB(key)),
    "aez-core": ((16,), 32, 32, (0, 16), lambda key, n: AEZCore(key)),
}


def test_every_scheme_has_a_case():
    assert schemes() == [*CASES, "aes-gcm"]  # which seals sectors alone
    assert widths()[-1] == "portable"


def some(draw, scheme, most):
    """Number of bytes of a sector that the scheme takes."""
    _, least, step, _, _ = CASES[scheme]
    return least + step * draw.randrange((most - least) // step + 1)


@pytest.mark.parametrize("scheme", CASES)
def test_the_specification_agrees_at_every_width(scheme):
    """Every key size, both directions, sectors up to a few groups of every width, and one of 4,096 bytes."""
    keys, _, _, tweaks, specification = CASES[scheme]
    draw = random.Random(f"{SEED} {scheme}")
    for key_bytes in keys:
        twins = {}
        for most in (100, 100, 700, 2500):
            n, t, decrypt = some(draw, scheme, most), draw.choice(tweaks), draw.random() < 0.5
            key, tweak, data = draw.randbytes(key_bytes), draw.randbytes(t), draw.randbytes(n)
            keyed = specification(key, n)
            right = {False: keyed.encrypt(tweak, data), True: keyed.decrypt(tweak, data)}
            twins = {width: Twin(scheme, key, width) for width in widths()}
            for width, twin in twins.items():
                assert twin.encrypt(tweak, data) == right[False], (width, key_bytes, n, t)
                assert twin.decrypt(tweak, data) == right[True], (width, key_bytes, n, t)
        data = np.frombuffer(draw.randbytes(3 * 4096), np.uint8).reshape(3, -1)
        numbers = np.frombuffer(draw.randbytes(3 * t), np.uint8).reshape(3, -1)
        keyed = specification(key, 4096)
        right = b"".join(
            (keyed.decrypt if decrypt else keyed.encrypt)(numbers[i].tobytes(), data[i].tobytes()) for i in range(3)
        )
        for width, twin in twins.items():
            assert twin.crypt(data, numbers, decrypt).tobytes() == right, (width, key_bytes, 4096, t)


@pytest.mark.parametrize("scheme", CASES)
def test_widths_agree_on_every_length(scheme):
    """Lengths around each multiple of every width, where tails begin and end; sectors together and alone."""
    keys, least, step, sizes, _ = CASES[scheme]
    draw = random.Random(f"{SEED} {scheme}")
    key = draw.randbytes(keys[-1])
    first, *others = (Twin(scheme, key, width) for width in widths())
    tweaks = np.frombuffer(draw.randbytes(TOGETHER * sizes[-1]), np.uint8).reshape(TOGETHER, -1)
    for n in range(least, 1700, step if step > 1 else 13):
        data = np.frombuffer(draw.randbytes(TOGETHER * n), np.uint8).reshape(TOGETHER, n)
        result = first.crypt(data, tweaks, False)
        alone = [first.encrypt(tweaks[i].tobytes(), data[i].tobytes()) for i in range(TOGETHER)]
        assert b"".join(alone) == result.tobytes(), n
        assert (first.crypt(result, tweaks, True) == data).all(), n
        for other in others:
            assert (other.crypt(data, tweaks, False) == result).all(), n
            assert (other.crypt(result, tweaks, True) == data).all(), n


def sector_presets():
    return [preset for preset in catalog.PRESETS.values() if preset.scheme.kind is SECTOR]


@over("preset", sector_presets())
def test_the_catalogue_names_each_scheme(preset):
    """A preset's specification and the twin that its scheme names agree, and so do published answers."""
    p = replace(preset.parameters, sector_bytes=512)
    key = random.Random(SEED).randbytes(preset.scheme.key_bits(p) // 8)
    tweak, data = bytes(range(p.tweak_bytes)), bytes(512)
    assert Twin(preset.scheme.native(p), key).encrypt(tweak, data) == preset.scheme.under(p, key).encrypt(tweak, data)
    for answer in preset.scheme.known_answers(preset.parameters):
        for width in widths():
            twin = Twin(preset.scheme.native(preset.parameters), answer.key, width)
            assert twin.encrypt(answer.tweak, answer.plaintext) == answer.ciphertext, answer.source
            assert twin.decrypt(answer.tweak, answer.ciphertext) == answer.plaintext, answer.source


def test_schemes_with_native_code():
    """Those of sectors, and the authenticated cipher of dm-crypt."""
    named = {s.name for s in catalog.SCHEMES.values() if s.native}
    assert named == {s.name for s in catalog.SCHEMES.values() if s.kind is SECTOR} | {"aes_gcm", "aes_gcm_p"}


@pytest.mark.parametrize("scheme", CASES)
def test_in_place_unaligned_and_in_threads(scheme):
    """A call in place at odd addresses and by three threads gives what one thread gives elsewhere."""
    keys, _, _, tweaks, _ = CASES[scheme]
    draw = random.Random(SEED)
    n, sectors, t = some(draw, scheme, 1500), 300, tweaks[-1]
    data = np.frombuffer(draw.randbytes(n * sectors), np.uint8).reshape(sectors, n)
    numbers = np.frombuffer(draw.randbytes(t * sectors), np.uint8).reshape(sectors, t)
    crypt = library().wideblock_crypt
    for width in widths():
        twin = Twin(scheme, draw.randbytes(keys[0]), width)
        right = twin.crypt(data, numbers, False)
        room, away = np.zeros(data.size + 64, np.uint8), np.zeros(numbers.size + 64, np.uint8)
        for shift in (1, 15):
            room[shift:][: data.size], away[shift:][: numbers.size] = data.ravel(), numbers.ravel()
            place = room.ctypes.data + shift
            before, after = room[:shift].tobytes(), room[shift + data.size :].tobytes()
            assert crypt(twin._context, 0, place, place, sectors, n, away.ctypes.data + shift, t, 3) == 0
            assert room[shift:][: data.size].tobytes() == right.tobytes(), width
            assert room[:shift].tobytes() == before and room[shift + data.size :].tobytes() == after
        assert (twin.crypt(right, numbers, True, threads=2) == data).all()


def test_one_twin_in_many_threads():
    twin, data = Twin("hctr2", bytes(16)), np.arange(64 * 512, dtype=np.uint8).reshape(64, 512)
    right, wrong = twin.crypt_numbered(data, 5, False), []

    def work():
        for _ in range(50):
            if (twin.crypt_numbered(data, 5, False, threads=2) != right).any():
                wrong.append(threading.get_ident())

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.parametrize("first", [0, 254, 65534, 2**32 - 2, 2**64 - 2, 2**128 - 600])
@pytest.mark.parametrize("t", [16, 20])
def test_numbers_are_tweaks(first, t):
    """Numbers carry over every byte; the tweaks come in batches."""
    twin, data = Twin("hctr2", bytes(16)), np.zeros((600, 16), np.uint8)
    tweaks = b"".join((first + i).to_bytes(t, "little") for i in range(600))
    right = twin.crypt(data, np.frombuffer(tweaks, np.uint8).reshape(600, t), False)
    for threads in (1, 2):
        assert (twin.crypt_numbered(data, first, False, t, threads) == right).all()


def test_numbers_that_do_not_fit_are_refused():
    twin, data = Twin("hctr2", bytes(16)), np.zeros((2, 16), np.uint8)
    for first, t in ((2**128 - 1, 16), (2**64 - 1, 8), (255, 1), (0, 0)):
        with pytest.raises(ValueError, match="^hctr2: sector number that does not fit the tweak$"):
            twin.crypt_numbered(data, first, False, t)
    twin.crypt_numbered(data, 2**64 - 2, False, 8)


def test_no_sectors_are_nothing_to_do():
    for twin in (Twin("xts", bytes(range(32))), Twin("aez-core", bytes(16))):
        assert twin.crypt(np.zeros((0, 64), np.uint8), np.zeros((0, 16), np.uint8), False).shape == (0, 64)
        assert twin.crypt_numbered(np.zeros((0, 64), np.uint8), 2**128 - 1, False).shape == (0, 64)


KEY, TWEAK, SECTOR_SIZE, WIDTH = "key size or key", "tweak size", "sector size", "unknown width"


@pytest.mark.parametrize(
    "scheme, key, tweak, sector, message",
    [
        ("none", 16, 16, 16, "none: unknown scheme"),
        ("hctr2", 17, 16, 16, KEY),
        ("hctr2", 0, 16, 16, KEY),
        ("aez-core", 0, 16, 32, KEY),
        ("fast-brw", 24, 16, 64, KEY),
        ("hctr2", 16, 16, 15, SECTOR_SIZE),
        ("xts", 32, 16, 15, SECTOR_SIZE),
        ("xts", 32, 16, (16 << 20) + 1, SECTOR_SIZE),
        ("xts", 32, 15, 16, TWEAK),
        ("fast-brw", 16, 16, 48, SECTOR_SIZE),
        ("fast-horner", 16, 16, 32, SECTOR_SIZE),
        ("fast-horner", 16, 16, 49, SECTOR_SIZE),
        ("heh-brw", 32, 16, 16, SECTOR_SIZE),
        ("heh-brw", 32, 0, 32, TWEAK),
        ("aez-core", 16, 16, 48, SECTOR_SIZE),
        ("aez-core", 16, 8, 64, TWEAK),
        ("aez-core", 16, 17, 64, TWEAK),
    ],
)
def test_wrong_sizes_are_refused(scheme, key, tweak, sector, message):
    with pytest.raises(ValueError, match=message):
        Twin(scheme, bytes(range(key))).encrypt(bytes(tweak), bytes(sector))


NULL, RANGE, OVERLAP = b"NULL in the place", b"more sectors or tweaks than memory", b"output that overlaps"
LONG, LARGE = b"tweak size", b"sector size"


def crypt_results(scheme, sectors, sector_bytes, tweak_bytes, *, into=0, from_=0, tweaks=-4096):
    """Messages of both crypt functions, a byte of 5 after them in ``out``; addresses are offsets into 1 MiB or None."""
    loaded, room = library(), ctypes.create_string_buffer(b"\5" * (1 << 20), 1 << 20)
    middle = ctypes.addressof(room) + (1 << 19)
    out, source, places = (None if at is None else middle + at for at in (into, from_, tweaks))
    twin = Twin(scheme, bytes(range(48 if scheme == "eme2" else 32)))
    given = loaded.wideblock_crypt(twin._context, 0, source, out, sectors, sector_bytes, places, tweak_bytes, 1)
    numbered = loaded.wideblock_crypt_numbered(
        twin._context, 0, source, out, sectors, sector_bytes, bytes(16), tweak_bytes, 1
    )
    assert not (given and numbered) or room.raw == b"\5" * (1 << 20)
    return [loaded.wideblock_message(result) for result in (given, numbered)]


@pytest.mark.parametrize("scheme", ["hctr2", "eme2", "xcb"])
@over("tweak_bytes", [(1 << 16) + 1, 1 << 44, 1 << 56, 1 << 63, (1 << 64) - 1])
def test_a_tweak_that_is_longer_than_any_is_refused(scheme, tweak_bytes):
    assert all(said.startswith(LONG) for said in crypt_results(scheme, 1, 512, tweak_bytes))
    assert all(said == b"done" for said in crypt_results(scheme, 1, 512, 1 << 16, tweaks=4096))


@pytest.mark.parametrize(
    ("sectors", "sector_bytes"), [(1 << 52, 4096), (1 << 60, 16), ((1 << 64) - 1, 512), (1 << 47, 1 << 17)]
)
def test_sizes_whose_product_wraps_are_refused(sectors, sector_bytes):
    assert all(said.startswith(RANGE) for said in crypt_results("hctr2", sectors, sector_bytes, 16))
    assert crypt_results("hctr2", 1 << 60, 16, 256)[0].startswith(RANGE)


@pytest.mark.parametrize("sector_bytes", [(1 << 30) + 16, 1 << 44, (1 << 64) - 16])
def test_a_sector_that_is_larger_than_any_is_refused(sector_bytes):
    for scheme in ("xts", "hctr2", "fast-brw", "heh-brw-paper"):
        assert all(said.startswith(LARGE) for said in crypt_results(scheme, 1, sector_bytes, 16))


def test_outputs_that_overlap_are_refused():
    for shift in (-1023, -16, 1, 1023):
        assert all(said.startswith(OVERLAP) for said in crypt_results("hctr2", 2, 512, 16, from_=shift))
    for shift in (-31, 0, 512, 1023):
        given, numbered = crypt_results("hctr2", 2, 512, 16, tweaks=shift)
        assert given.startswith(OVERLAP) and numbered == b"done"
    for apart in ({"from_": 1024}, {"from_": -1024}, {"tweaks": 1024}, {"tweaks": -32}):
        assert crypt_results("hctr2", 2, 512, 16, **apart) == [b"done"] * 2


def test_null_is_refused_where_bytes_are_read():
    loaded, context, key = library(), ctypes.c_void_p(), bytes(16)
    say = loaded.wideblock_message
    for arguments in (
        (None, b"hctr2", key, 16, None),
        (ctypes.byref(context), None, key, 16, None),
        (ctypes.byref(context), b"hctr2", None, 16, None),
    ):
        assert say(loaded.wideblock_open(*arguments)).startswith(NULL)
    assert say(loaded.wideblock_check(None, 512, 16)).startswith(NULL)
    data = bytes(512)
    assert say(loaded.wideblock_crypt(None, 0, data, data, 1, 512, data, 16, 1)).startswith(NULL)
    assert say(loaded.wideblock_crypt_numbered(None, 0, data, data, 1, 512, data, 16, 1)).startswith(NULL)
    twin = Twin("hctr2", key)
    assert say(loaded.wideblock_crypt_numbered(twin._context, 0, data, data, 1, 512, None, 16, 1)).startswith(NULL)
    for place in ("into", "from_", "tweaks"):
        given, numbered = crypt_results("hctr2", 1, 512, 16, **{place: None})
        assert given.startswith(NULL) and numbered.startswith(b"done" if place == "tweaks" else NULL)
        assert crypt_results("hctr2", 0, 512, 0, **{place: None})[0] == b"done"
    assert say(loaded.wideblock_open(ctypes.byref(context), b"hctr2", None, 0, None)).startswith(KEY.encode())
    loaded.wideblock_close(None)


def test_wrong_widths_keys_and_uses_are_refused(monkeypatch):
    with pytest.raises(ValueError, match=KEY):
        Twin("xts", bytes(32))
    for width in ("wide", ""):
        with pytest.raises(ValueError, match=WIDTH):
            Twin("xts", bytes(range(32)), width)
    with pytest.raises(ValueError, match="a tweak a sector, got 1 for 2"):
        Twin("hctr2", bytes(16)).crypt(np.zeros((2, 16), np.uint8), np.zeros((1, 16), np.uint8), False)
    with Twin("hctr2", bytes(16)) as twin:
        pass
    with pytest.raises(ValueError, match="closed"):
        twin.encrypt(b"", bytes(16))
    monkeypatch.setenv("WIDEBLOCK_WIDTH", "wide")
    with pytest.raises(ValueError, match=WIDTH):
        Twin("hctr2", bytes(16))
    Twin("hctr2", bytes(16), "portable")
    for width in ("", *widths()):
        monkeypatch.setenv("WIDEBLOCK_WIDTH", width)
        Twin("hctr2", bytes(16))


@pytest.mark.parametrize(
    ("size", "rest", "taken"),
    [(56, b"", True), (8, b"", True), (16, b"", True), (96, bytes(40), True), (0, b"", False), (7, b"", False)]
    + [(12, b"", False), (64, b"\1" + bytes(7), False), (96, bytes(39) + b"\1", False)],
)
def test_options_of_other_versions(size, rest, taken):
    """Options have a size, and members that the library does not have must be 0."""
    loaded, context, wide = library(), ctypes.c_void_p(), ctypes.c_char_p(b"wide")
    for width in (bytes(8), bytes(wide)):
        options = size.to_bytes(8, "little") + width + bytes(40) + rest
        result = loaded.wideblock_open2(ctypes.byref(context), b"hctr2", bytes(16), 16, options)
        said = b"options" if not taken else WIDTH.encode() if any(width) and size > 8 else b"done"
        assert loaded.wideblock_message(result).startswith(said) and bool(context) == (said == b"done")
        loaded.wideblock_close(context)


def test_no_options_are_all_defaults():
    loaded, context = library(), ctypes.c_void_p()
    assert not loaded.wideblock_open2(ctypes.byref(context), b"hctr2", bytes(16), 16, None) and context
    loaded.wideblock_close(context)


def test_messages():
    message = library().wideblock_message
    assert message(0) == b"done" and {message(n) for n in (-1, 17, 1 << 30)} == {b"unknown result"}
    assert len({message(n) for n in range(17)} - {b"unknown result"}) == 17
    assert ctypes.c_char_p is library().wideblock_scheme.restype and library().wideblock_scheme(1 << 40) is None
