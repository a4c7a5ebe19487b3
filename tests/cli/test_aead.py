# SPDX-License-Identifier: Apache-2.0
"""``wideblock vectors`` and ``wideblock aead``."""

import stat

import pytest
from typer.testing import CliRunner

from wideblock.cli.app import app
from wideblock.drive.aead.caesar import from_text
from wideblock.spec.aead.gcm import GCM

pytestmark = pytest.mark.shows("cli")

KEY, NONCE = bytes(range(16)), bytes(range(12))
OPTIONS = ("aes-gcm", "--key", KEY.hex(), "--nonce", NONCE.hex(), "--engine", "spec")


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], prog_name="wideblock")


def refused(*arguments):
    result = run(*arguments)
    assert result.exit_code == 1 and result.stdout == "" and result.stderr.count("\n") == 1, result.output
    return result.stderr


def test_a_message_is_sealed_and_opened(tmp_path):
    plain, sealed, opened, ad = (tmp_path / name for name in ("plain", "sealed", "opened", "ad"))
    plain.write_bytes(b"a message")
    ad.write_bytes(b"associated data")
    assert run("aead", "encrypt", *OPTIONS, "--ad", ad, "--in", plain, "--out", sealed).exit_code == 0
    assert sealed.read_bytes() == GCM(KEY).encrypt(NONCE, b"associated data", b"a message")
    assert run("aead", "decrypt", *OPTIONS, "--ad", ad, "--in", sealed, "--out", opened).exit_code == 0
    assert opened.read_bytes() == b"a message" and stat.S_IMODE(opened.stat().st_mode) == 0o600
    assert "exists" in refused("aead", "decrypt", *OPTIONS, "--ad", ad, "--in", sealed, "--out", opened)
    other = tmp_path / "other"
    assert "rejected" in refused("aead", "decrypt", *OPTIONS, "--in", sealed, "--out", other)
    assert not other.exists()


def test_bad_input_is_one_line(tmp_path):
    (tmp_path / "plain").write_bytes(b"a message")
    files = ("--in", tmp_path / "plain", "--out", tmp_path / "out")
    nonce = ("aes-gcm", "--key", KEY.hex(), "--nonce", "xyz", "--engine", "spec")
    assert "the nonce is not hexadecimal" in refused("aead", "encrypt", *nonce, *files)
    twice = ("aes-gcm", "--key", "@-", "--nonce", NONCE.hex(), "--in", "-", "--out", tmp_path / "out")
    assert "standard input can be the key or the message, not both" in refused("aead", "encrypt", *twice)
    endless = ("--in", "/dev/zero", "--out", tmp_path / "out")
    assert "must be at most 2047 bytes" in refused("aead", "encrypt", *OPTIONS, *endless)
    assert not (tmp_path / "out").exists()
    (tmp_path / "key").write_bytes(KEY)
    over = ("aes-gcm", "--key", f"@{tmp_path / 'key'}", "--nonce", NONCE.hex(), "--in", tmp_path / "plain", "--force")
    assert "the result needs a file of its own" in refused("aead", "encrypt", *over, "--out", tmp_path / "key")
    assert (tmp_path / "key").read_bytes() == KEY
    sector = ("fast-brw-1", "--key", KEY.hex(), "--nonce", NONCE.hex())
    assert "fast-brw-1 takes sectors" in refused("aead", "encrypt", *sector, *files)
    assert "fast-brw-1 takes sectors" in refused("vectors", "fast-brw-1", "-o", tmp_path / "kat")
    assert "aes-gcm has a tag and a nonce for each sector" in refused("encrypt", "aes-gcm", "--key", KEY.hex(), *files)


def test_vectors_are_three_files(tmp_path):
    folder = tmp_path / "kat"
    options = ("aes-gcm", "--set", "data_bytes=32", "--set", "ad_bytes=32", "--messages", 5, "-o", folder)
    assert run("vectors", *options).stdout.split() == [str(folder / name) for name in ("pdi.txt", "sdi.txt", "do.txt")]
    words = from_text("do.txt", (folder / "do.txt").read_text(), 32)
    assert words.count(0xE0000000) > 9 and words[-1] == 0xE0000000
    assert "is not empty" in refused("vectors", *options)
    assert run("vectors", *options, "--force").exit_code == 0
    few = ("aes-gcm", "--set", "key_bits=256", "--set", "data_bytes=1", "--set", "ad_bytes=1", "--messages", 0)
    assert run("vectors", *few, "-o", tmp_path / "few").exit_code == 0


def test_verify_plays_files_of_authenticated_ciphers_alone(tmp_path):
    result = run("verify", "fast-brw-1", "--files", tmp_path)
    assert result.exit_code == 1 and "fast-brw-1 takes sectors" in result.stderr
