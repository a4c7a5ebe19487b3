# SPDX-License-Identifier: Apache-2.0
"""Whole images through the core and through the specification."""

import os
import random
import resource
from contextlib import contextmanager

import pytest

from wideblock.verify.image import crypt_image, tweak_of

from .toy_core import Specification, Toy

TOY = Toy()
KEY = bytes(range(100, 116))


def image(path, n, seed=1):
    path.write_bytes(random.Random(seed).randbytes(n))
    return path


@pytest.mark.parametrize("engine", ["rtl", "spec"])
def test_there_and_back(tmp_path, engine):
    source = image(tmp_path / "image", 64 * 500)
    told = []
    done = crypt_image(
        TOY, KEY, source, tmp_path / "out", first_sector=7, engine=engine, progress=lambda *step: told.append(step)
    )
    data, out = source.read_bytes(), (tmp_path / "out").read_bytes()
    specification = Specification(KEY)
    assert out == b"".join(specification.encrypt(tweak_of(7 + i), data[64 * i : 64 * i + 64]) for i in range(500))
    assert done.sectors == 500 and (done.cycles > 0) == (engine == "rtl")
    assert told[0] == (0, 500) and told[-1] == (500, 500)
    other = {"rtl": "spec", "spec": "rtl"}[engine]
    crypt_image(TOY, KEY, tmp_path / "out", tmp_path / "back", first_sector=7, engine=other, decrypt=True)
    assert (tmp_path / "back").read_bytes() == data
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "image", "out"]


def test_an_image_of_several_chunks(tmp_path):
    source = image(tmp_path / "image", 64 * 40_000)
    crypt_image(TOY, KEY, source, tmp_path / "out")
    crypt_image(TOY, KEY, tmp_path / "out", tmp_path / "back", decrypt=True)
    assert (tmp_path / "back").read_bytes() == source.read_bytes()


def test_tweak():
    assert tweak_of(0x0102) == b"\x02\x01" + bytes(14)
    assert tweak_of((1 << 128) - 1) == b"\xff" * 16
    with pytest.raises(ValueError, match="a sector number must be from 0 to 2\\^128 - 1, got -1"):
        tweak_of(-1)


@pytest.mark.parametrize(
    "n, arguments, message",
    [
        (64, {"key": bytes(8)}, "key must be 16 bytes, got 8"),
        (65, {}, "image .* has 65 bytes, which is not a multiple of the sector's 64: 63 bytes are missing to the next"),
        (0, {}, "image .* is empty"),
        (64, {"first_sector": -1}, "a sector number must be from 0 to .*, got -1"),
        (128, {"first_sector": (1 << 128) - 1}, "a sector number must be from 0 to .*, got 3402.*"),
        (64, {"engine": "magic"}, "engine must be 'rtl' or 'spec', got 'magic'"),
        (64, {"target": "image"}, "input and output are the same file: .*image"),
        (64, {"target": "."}, "output is a directory: .*"),
    ],
)
def test_errors(tmp_path, n, arguments, message):
    source = image(tmp_path / "image", n)
    target = tmp_path / arguments.pop("target", "out")
    with pytest.raises(ValueError, match=f"^{message}$"):
        crypt_image(TOY, arguments.pop("key", KEY), source, target, **arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["image"]


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        crypt_image(TOY, KEY, tmp_path / "none", tmp_path / "out")
    image(tmp_path / "image", 64)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        crypt_image(TOY, KEY, tmp_path / "image", tmp_path / "nowhere" / "out", engine="spec")


@contextmanager
def files_of_at_most(n):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("engine", ["rtl", "spec"])
def test_a_disk_that_fills_up_leaves_the_old_file(tmp_path, engine):
    source, target = image(tmp_path / "image", 64 * 2000), tmp_path / "out"
    target.write_bytes(b"old")
    crypt_image(TOY, KEY, source, tmp_path / "warm", engine=engine)  # builds the model before files are limited
    (tmp_path / "warm").unlink()
    with files_of_at_most(64 * 1000), pytest.raises(OSError, match="out") as caught:
        crypt_image(TOY, KEY, source, target, engine=engine)
    assert caught.value.filename == str(target)
    assert target.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["image", "out"]


@pytest.mark.parametrize("engine", ["rtl", "spec"])
def test_ctrl_c_leaves_nothing(tmp_path, engine):
    source = image(tmp_path / "image", 64 * 2000)

    def interrupt(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crypt_image(TOY, KEY, source, tmp_path / "out", engine=engine, progress=interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["image"]


def test_the_output_has_the_usual_mode(tmp_path):
    before = os.umask(0o027)
    try:
        crypt_image(TOY, KEY, image(tmp_path / "image", 64), tmp_path / "out", engine="spec")
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640
