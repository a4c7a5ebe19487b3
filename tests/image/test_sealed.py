# SPDX-License-Identifier: Apache-2.0
"""Sealed images: ICVs beside and behind sectors, forged sectors, and files that do not fit."""

import io
import random

import pytest

from wideblock.export.contract import configured
from wideblock.image.crypt import ImageJob
from wideblock.image.engines import Native
from wideblock.image.sealed import Forgeries, Layout, seal_image
from wideblock.image.sealers import Encoded
from wideblock.spec.fast import FAST
from wideblock.spec.sealed import Sealed

pytestmark = pytest.mark.shows("images")

N, SECTORS, KEY = 96, 50, bytes(range(16))
SUBJECT = configured("fast-brw-2", {"sector_bytes": N})


@pytest.fixture
def image(tmp_path):
    (tmp_path / "image").write_bytes(random.Random(3).randbytes(N * SECTORS))
    return tmp_path


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def sealed(folder, layout, **more):
    seal_image(SUBJECT, KEY, folder / "image", folder / "sealed", layout, ImageJob(**more))


def unsealed(folder, layout, key=KEY, **more):
    """The result, and the numbers of forged sectors."""
    done, forgeries = seal_image(
        SUBJECT, key, folder / "sealed", folder / "back", layout, ImageJob(decrypt=True, force=True, **more)
    )
    assert done.sectors == SECTORS
    return (folder / "back").read_bytes(), forgeries


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_beside_and_inline_are_the_specification(image, monkeypatch):
    """By chunks of at most 7 sectors; the tweak is the sector's number."""
    monkeypatch.setattr(Native, "chunk_bytes", N * 7)
    beside, inline = Layout(image / "icvs"), Layout(stride=160)
    sealed(image, beside, first_sector=9)
    seal_image(SUBJECT, KEY, image / "image", image / "inline", inline, ImageJob(first_sector=9))
    scheme = Sealed(FAST(KEY, hash="brw", sector_bytes=N + 16))
    data, out = (image / "image").read_bytes(), (image / "sealed").read_bytes()
    icvs, whole = (image / "icvs").read_bytes(), (image / "inline").read_bytes()
    assert (len(out), len(icvs), len(whole)) == (N * SECTORS, 16 * SECTORS, 160 * SECTORS)
    for k in (0, 6, 7, SECTORS - 1):
        icv, sector = scheme.seal((9 + k).to_bytes(16, "little"), data[N * k :][:N])
        assert (icvs[16 * k :][:16], out[N * k :][:N]) == (icv, sector)
        assert whole[160 * k :][:160] == sector + icv + bytes(160 - N - 16)
    assert unsealed(image, beside, first_sector=9) == (data, Forgeries())
    (image / "sealed").write_bytes(whole)
    assert unsealed(image, inline, first_sector=9) == (data, Forgeries())


def test_a_chunk_has_no_more_bytes_with_what_stands_behind_its_sectors(image, monkeypatch):
    """However much zeros a stride adds."""
    monkeypatch.setattr(Native, "chunk_bytes", N * 8)
    given, seal = [], Encoded.seal
    monkeypatch.setattr(Encoded, "seal", lambda *words: given.append(len(words[1])) or seal(*words))
    for stride, most in ((None, 6), (4 * N, 2), (100 * N, 1)):
        given.clear()
        sealed(image, Layout(stride=stride), force=True)
        assert sum(given) == SECTORS and max(given) == most


def test_forged_sectors_are_zeros_and_are_named(image):
    layout, data = Layout(image / "icvs"), (image / "image").read_bytes()
    sealed(image, layout, first_sector=2**100)
    for file, at in (("sealed", 3 * N), ("sealed", 4 * N + 95), ("icvs", 16 * 5 + 15), ("icvs", 16 * 49)):
        flip(image / file, at)
    plain, forgeries = unsealed(image, layout, first_sector=2**100)
    assert plain == b"".join(bytes(N) if k in (3, 4, 5, 49) else data[N * k :][:N] for k in range(SECTORS))
    assert len(forgeries) == 4 and str(forgeries) == f"{2**100 + 3} to {2**100 + 5}, {2**100 + 49}"
    plain, forgeries = unsealed(image, layout, bytes(16), first_sector=2**100)
    assert not any(plain) and len(forgeries.runs) == 1 and len(forgeries) == SECTORS
    assert (image / "back").stat().st_mode & 0o777 == 0o600


def test_streams(image):
    layout, data, out = Layout(image / "icvs"), (image / "image").read_bytes(), image / "sealed"
    seal_image(SUBJECT, KEY, io.BytesIO(data), out, layout)
    content, icvs = out.read_bytes(), (image / "icvs").read_bytes()
    seal_image(SUBJECT, KEY, io.BytesIO(content), image / "back", layout, ImageJob(decrypt=True))
    assert (image / "back").read_bytes() == data
    for wrong, said in (
        (icvs[:-16], "ended early: .* are left for 50 sectors"),
        (icvs + b"1", "has more than the 800"),
    ):
        (image / "icvs").write_bytes(wrong)
        with pytest.raises(ValueError, match=f"^ICV file .*icvs {said}"):
            seal_image(SUBJECT, KEY, io.BytesIO(content), image / "other", layout, ImageJob(decrypt=True))
    assert files(image) == ["back", "icvs", "image", "sealed"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"layout": Layout("none")}, "No such file"),
        ({"layout": Layout("short")}, "ICV file .*short has 799 bytes, the sectors of image .* need 800$"),
        ({"layout": Layout(".")}, "ICV file .* is a directory; give a regular file"),
        ({"layout": Layout("/dev/null")}, "ICV file /dev/null is a character device; give a regular file"),
        ({"layout": Layout("image")}, "image cannot have both the image and its ICVs; give each a file of its own"),
        ({"layout": Layout("./out"), "decrypt": False}, "out cannot have both the image and its ICVs"),
        ({"layout": Layout("short"), "decrypt": False}, "short exists; choose another file or give --force"),
        ({"layout": Layout("gone/icvs"), "decrypt": False}, "No such file .*gone"),
        ({"layout": Layout(stride=111)}, "stride must be 112, a sector and its ICV of 16 bytes, to 16777216, got 111"),
        ({"layout": Layout(stride=2**24 + 1)}, "stride must be 112, .*, to 16777216, got 16777217"),
        ({"layout": Layout(stride=113)}, "image .* has 4800 bytes, which is not a multiple of the sector's 113"),
        ({"key": bytes(15)}, "^key must be 16 bytes, got 15"),
        ({"preset": "xts-enc", "key": bytes(range(32))}, "^xts_enc.*: XTS seals no sectors: each block is"),
        ({"preset": "aez-2t", "key": KEY}, "AEZCore seals no sectors"),
    ],
)
def test_a_line_says_what_does_not_fit_and_no_file_is_left(image, monkeypatch, arguments, message):
    monkeypatch.chdir(image)
    (image / "short").write_bytes(bytes(799))
    given = {"layout": Layout("short"), "key": KEY, "decrypt": True, "preset": "fast-brw-2", **arguments}
    icvs = given["layout"].icvs
    layout = Layout(image / icvs if icvs else None, given["layout"].stride)
    subject = configured(given["preset"], {"sector_bytes": N})
    with pytest.raises((ValueError, OSError), match=message):
        seal_image(subject, given["key"], image / "image", image / "out", layout, ImageJob(decrypt=given["decrypt"]))
    assert files(image) == ["image", "short"]
