# SPDX-License-Identifier: Apache-2.0
"""Images of an authenticated cipher, as dm-crypt has them: AES-GCM with random nonces."""

import hashlib
import os
import random
import re

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from typer.testing import CliRunner

from wideblock.cli.app import app
from wideblock.export.contract import configured
from wideblock.image import authenticated
from wideblock.image.crypt import ImageJob
from wideblock.image.numbering import DM_CRYPT
from wideblock.image.sealed import Layout, seal_image

pytestmark = pytest.mark.shows("images")

N, SECTORS, KEY = 4096, 6, bytes(range(32))
SIZES = {"key_bits": 256, "data_bytes": N, "ad_bytes": 20}
SUBJECT = configured("aes-gcm-p", SIZES)
PLAIN = bytes((7 * i + i // 256) % 256 for i in range(N))


def crypt(source, target, layout, subject=SUBJECT, **more):
    return seal_image(subject, KEY, source, target, layout, ImageJob(tweak=DM_CRYPT, **{"engine": "spec", **more}))


@pytest.fixture
def image(tmp_path):
    (tmp_path / "image").write_bytes(random.Random(5).randbytes(N * SECTORS))
    return tmp_path


def test_a_sector_that_openssl_made(tmp_path, monkeypatch):
    """Sector 40 of 512 bytes. Source: OpenSSL's AES-256-GCM in dm-crypt's layout."""
    monkeypatch.setattr(os, "urandom", lambda n: bytes(range(0xA0, 0xA0 + n)))
    (tmp_path / "image").write_bytes(PLAIN)
    for engine in ("spec", "native"):
        out, meta = tmp_path / f"{engine}-out", tmp_path / f"{engine}-meta"
        crypt(tmp_path / "image", out, Layout(meta), first_sector=5, engine=engine)
        assert meta.read_bytes().hex() == "d4f369a54287449c9a3c54f40a8fa284a0a1a2a3a4a5a6a7a8a9aaab"
        found = hashlib.sha256(out.read_bytes()).hexdigest()
        assert found == "5b7c6923849d512d70b150aa616d880a65f444e15943f8d874f35e7afec872f3"


def there_and_back(image, subject=SUBJECT, **more):
    """Against cryptography's AES-GCM; forged: a bit of a sector, of a tag and of a nonce, and a sector's place."""
    layout, plain = Layout(image / "meta"), (image / "image").read_bytes()
    size, gcm = subject.parameters.data_bytes, AESGCM(KEY)
    count = len(plain) // size
    crypt(image / "image", image / "out", layout, subject, first_sector=9, **more)
    out, meta = bytearray((image / "out").read_bytes()), bytearray((image / "meta").read_bytes())
    assert (len(out), len(meta)) == (len(plain), 28 * count)
    nonces = {bytes(meta[28 * k + 16 :][:12]) for k in range(count)}
    assert len(nonces) == count
    for k in range(count):
        sealed, tag, nonce = out[size * k :][:size], meta[28 * k :][:16], bytes(meta[28 * k + 16 :][:12])
        ad = ((9 + k) * size // 512).to_bytes(8, "little") + nonce
        assert gcm.decrypt(nonce, bytes(sealed + tag), ad) == plain[size * k :][:size]
    out[size + 77] ^= 4
    meta[28 * 2 + 15] ^= 128
    meta[28 * 3 + 27] ^= 1
    out[4 * size : 6 * size] = out[5 * size : 6 * size] + out[4 * size : 5 * size]
    meta[28 * 4 : 28 * 6] = meta[28 * 5 : 28 * 6] + meta[28 * 4 : 28 * 5]
    (image / "out").write_bytes(out)
    (image / "meta").write_bytes(meta)
    done, forged = crypt(image / "out", image / "back", layout, subject, first_sector=9, decrypt=True, **more)
    assert (image / "back").read_bytes() == plain[:size] + bytes(5 * size) + plain[6 * size :]
    assert str(forged) == "10 to 14"
    return done


def test_there_and_back(image):
    assert there_and_back(image).cycles is None


@pytest.mark.slow
def test_there_and_back_by_the_core(image):
    """By its compiled Verilog, a sector of 512 bytes a message."""
    subject = configured("aes-gcm", {"key_bits": 256, "data_bytes": 512, "ad_bytes": 20})
    assert there_and_back(image, subject, engine="rtl").cycles > 48 * 32


@pytest.mark.slow
def test_the_core_seals_the_image_that_native_code_seals(image, monkeypatch):
    """Data and metadata, byte by byte, under the same nonces; each opens what the other sealed."""
    subject = configured("aes-gcm-p", {"key_bits": 256, "data_bytes": 512, "ad_bytes": 20})
    sealed = {}
    for engine in ("rtl", "native"):
        nonces = random.Random(7)
        monkeypatch.setattr(os, "urandom", nonces.randbytes)
        out, meta = image / f"{engine}-out", image / f"{engine}-meta"
        crypt(image / "image", out, Layout(meta), subject, first_sector=9, engine=engine)
        sealed[engine] = out.read_bytes(), meta.read_bytes()
    assert sealed["rtl"] == sealed["native"] and len(sealed["rtl"][1]) == 28 * 48
    for engine, other in (("rtl", "native"), ("native", "rtl")):
        layout = Layout(image / f"{other}-meta")
        out, back = image / f"{other}-out", image / f"{engine}-back"
        _, forged = crypt(out, back, layout, subject, first_sector=9, decrypt=True, engine=engine)
        assert not forged and back.read_bytes() == (image / "image").read_bytes()


def test_there_and_back_by_native_code(image):
    assert there_and_back(image, engine="native").cycles is None


def test_inline(image):
    plain = (image / "image").read_bytes()
    crypt(image / "image", image / "out", Layout(stride=4160))
    assert (image / "out").stat().st_size == 4160 * SECTORS
    done, forged = crypt(image / "out", image / "back", Layout(stride=4160), decrypt=True)
    assert (done.sectors, len(forged), (image / "back").read_bytes()) == (SECTORS, 0, plain)


def test_random_nonces_have_an_end(image, monkeypatch):
    monkeypatch.setattr(authenticated, "MOST", SECTORS)
    crypt(image / "image", image / "out", Layout(image / "meta"))
    monkeypatch.setattr(authenticated, "MOST", SECTORS - 1)
    with pytest.raises(ValueError, match="^a key seals at most 5 sectors where nonces are random; give another key$"):
        crypt(image / "image", image / "more", Layout(image / "other"))
    assert sorted(path.name for path in image.iterdir()) == ["image", "meta", "out"]


@pytest.mark.parametrize(
    ("preset", "options", "said"),
    [
        ("aes-gcm-p", (), "aes-gcm-p has a tag and a nonce for each sector; give --icv FILE, or --layout inline"),
        ("aes-gcm-p", ("--icv", "meta", "ad_bytes=19"), "associated data must be at most 19 bytes; --set"),
        ("minalpher", ("--icv", "meta", "--engine", "native"), "engine of minalpher.* must be one of rtl, spec, got"),
        ("aes-gcm-p", ("--icv", "meta", "data_bytes=100"), "plain64-512 counts 512 bytes, and a sector"),
        ("minalpher", ("--icv", "meta"), "minalpher.* makes messages longer: it seals no sectors"),
    ],
)
def test_a_line_says_what_does_not_fit(image, monkeypatch, preset, options, said):
    monkeypatch.chdir(image)
    sizes = SIZES if preset == "aes-gcm-p" else {"data_bytes": N}
    given = [option for option in options if "=" not in option]
    sizes_of = sizes | dict(option.split("=") for option in options if "=" in option)
    changed = [word for name, value in sizes_of.items() for word in ("--set", f"{name}={value}")]
    words = ["encrypt", preset, "--key", "00" * (32 if sizes is SIZES else 16), "--in", "image", "--out", "out"]
    done = CliRunner().invoke(app, [*words, *changed, *given])
    assert done.exit_code == 1 and re.fullmatch(f"wideblock: {said}.*\n", done.stderr), done.output
    assert [path.name for path in image.iterdir()] == ["image"]
