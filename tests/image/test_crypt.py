# SPDX-License-Identifier: Apache-2.0
"""Whole images through every engine."""

import io
import os
import random
import resource
import signal
import sys
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from wideblock.export.contract import contract
from wideblock.image import engines
from wideblock.image.crypt import ImageJob, crypt_image
from wideblock.image.engines import ENGINES

from ..variants import few_of_many
from .subject import KEY, SUBJECT

pytestmark = pytest.mark.shows("images")


def tweak_of(sector):
    return sector.to_bytes(16, "little")


def image(path, n, seed=1):
    path.write_bytes(random.Random(seed).randbytes(n))
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_there_and_back(tmp_path, engine):
    source = image(tmp_path / "image", 64 * 500)
    told = []
    done = crypt_image(
        SUBJECT,
        KEY,
        source,
        tmp_path / "out",
        ImageJob(first_sector=7, engine=engine),
        progress=lambda *step: told.append(step),
    )
    data, out = source.read_bytes(), (tmp_path / "out").read_bytes()
    specification = SUBJECT.specification(KEY)
    assert out == b"".join(specification.encrypt(tweak_of(7 + i), data[64 * i : 64 * i + 64]) for i in range(500))
    assert done.sectors == 500 and done.seconds > 0
    t = SUBJECT.timing
    assert done.cycles is None if engine != "rtl" else 0 <= done.cycles - 500 * t.interval <= t.latency + t.setup + 16
    assert told[0] == (0, 500) and told[-1] == (500, 500)
    other = "spec" if engine == "rtl" else "rtl"
    crypt_image(SUBJECT, KEY, tmp_path / "out", tmp_path / "back", ImageJob(first_sector=7, engine=other, decrypt=True))
    assert (tmp_path / "back").read_bytes() == data
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "image", "out"]


@pytest.mark.parametrize("models", [1, 2, 3])
def test_a_model_on_each_processor(tmp_path, monkeypatch, models):
    """The chunks go to the models in turn, and their results come back in order; cycles are those of one model."""
    monkeypatch.setattr(engines, "processors", lambda: models)
    monkeypatch.setattr(engines.Rtl, "chunk_bytes", 64 * 30)
    source, t = image(tmp_path / "image", 64 * 500), SUBJECT.timing
    done = crypt_image(SUBJECT, KEY, source, tmp_path / "out", ImageJob(first_sector=7))
    data, specification = source.read_bytes(), SUBJECT.specification(KEY)
    right = [specification.encrypt(tweak_of(7 + i), data[64 * i : 64 * i + 64]) for i in range(500)]
    assert (tmp_path / "out").read_bytes() == b"".join(right)
    assert 0 <= done.cycles - 500 * t.interval <= models * (t.latency + t.setup + 16)


@pytest.mark.parametrize("engine", few_of_many(ENGINES, ["spec"]))
def test_a_tweak_of_32_bytes_and_sectors_that_end_inside_a_block(tmp_path, engine):
    """The number of the sector, with zeros behind it."""
    core = contract("hctr2-1", {"sector_bytes": 41, "tweak_bytes": 32})
    source = image(tmp_path / "image", 41 * 5)
    crypt_image(core, KEY[:16], source, tmp_path / "out", ImageJob(first_sector=3, engine=engine))
    data, specification = source.read_bytes(), core.specification(KEY[:16])
    tweaks = [tweak_of(3 + i) + bytes(16) for i in range(5)]
    right = [specification.encrypt(tweak, data[41 * i : 41 * i + 41]) for i, tweak in enumerate(tweaks)]
    assert (tmp_path / "out").read_bytes() == b"".join(right)


def test_a_core_without_a_tweak_is_refused(tmp_path):
    core = contract("aez-2-otf")
    with pytest.raises(ValueError, match="^aez_2_otf takes no tweak, so equal sectors would stay equal; choose a core"):
        crypt_image(core, KEY[:16], image(tmp_path / "image", 4096), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_image_of_several_chunks(tmp_path):
    source = image(tmp_path / "image", 64 * 40_000)
    crypt_image(SUBJECT, KEY, source, tmp_path / "out")
    crypt_image(SUBJECT, KEY, tmp_path / "out", tmp_path / "back", ImageJob(decrypt=True))
    assert (tmp_path / "back").read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    "n, arguments, message",
    [
        (64, {"key": bytes(8)}, "key must be 32 bytes, got 8"),
        (65, {}, "image .* has 65 bytes, which is not a multiple of the sector's 64: 63 bytes are missing to the next"),
        (0, {}, "image .* is empty; it must hold at least one sector of 64 bytes"),
        (64, {"first_sector": -1}, "a sector number must be from 0 to .*, got -1"),
        (128, {"first_sector": (1 << 128) - 1}, "a sector number must be from 0 to .*, got 3402.*"),
        (64, {"tweak": "plain32"}, "tweak must be one of le128, .*, got 'plain32'"),
        (64, {"tweak": "plain64", "first_sector": 1 << 64}, "a sector number must be from 0 to 2\\^64 - 1 .*"),
        (64, {"tweak_offset": 1 << 128}, "a sector number must be from 0 to 2\\^128 - 1 .*"),
        (64, {"engine": "magic"}, "engine must be one of 'native', 'rtl', 'spec', got 'magic'"),
        (64, {"target": "image"}, "input and output are the same file: .*image; the result needs a file of its own"),
        (64, {"target": "."}, "output .* is a directory; give the name of a file"),
    ],
)
def test_errors_come_before_any_engine_is_made(tmp_path, monkeypatch, n, arguments, message):
    for kind in ENGINES.values():
        monkeypatch.setattr(kind, "__enter__", lambda _: pytest.fail("an engine was made"))
    source = image(tmp_path / "image", n)
    target = tmp_path / arguments.pop("target", "out")
    with pytest.raises(ValueError, match=f"^{message}$"):
        crypt_image(SUBJECT, arguments.pop("key", KEY), source, target, ImageJob(**arguments))
    assert [path.name for path in tmp_path.iterdir()] == ["image"]


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        crypt_image(SUBJECT, KEY, tmp_path / "none", tmp_path / "out")
    image(tmp_path / "image", 64)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        crypt_image(SUBJECT, KEY, tmp_path / "image", tmp_path / "nowhere" / "out", ImageJob(engine="spec"))


@contextmanager
def files_of_at_most(n):
    """No file grows beyond ``n`` bytes; bytecode, which Python 3.11 would keep cut off, is not written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with patch.object(sys, "dont_write_bytecode", True):
        resource.setrlimit(resource.RLIMIT_FSIZE, (n, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_disk_that_fills_up_leaves_the_old_file(tmp_path, engine):
    source, target = image(tmp_path / "image", 64 * 2000), tmp_path / "out"
    target.write_bytes(b"old")
    crypt_image(
        SUBJECT, KEY, source, tmp_path / "warm", ImageJob(engine=engine)
    )  # builds the model before files are limited
    (tmp_path / "warm").unlink()
    with files_of_at_most(64 * 1000), pytest.raises(OSError, match="out") as caught:
        crypt_image(SUBJECT, KEY, source, target, ImageJob(engine=engine, force=True))
    assert caught.value.filename == str(target)
    assert target.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["image", "out"]


@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_leaves_nothing(tmp_path, engine):
    source = image(tmp_path / "image", 64 * 2000)

    def interrupt(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crypt_image(SUBJECT, KEY, source, tmp_path / "out", ImageJob(engine=engine), progress=interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["image"]


def test_an_image_that_grows_is_an_error(tmp_path):
    source = image(tmp_path / "image", 64 * 500)

    def grow(done, total):
        if not done:
            with source.open("ab") as file:
                file.write(bytes(64))

    with pytest.raises(ValueError, match="501 of 500 sectors came back: image .* changed while it was read"):
        crypt_image(SUBJECT, KEY, source, tmp_path / "out", ImageJob(engine="spec"), progress=grow)
    assert [path.name for path in tmp_path.iterdir()] == ["image"]


class Trickle(io.BytesIO):
    """A pipe that gives less than is asked for; a read for all bytes would see no signal while it waits for more."""

    def read(self, n=-1):
        pytest.fail(f"a read waits for {n} bytes")

    def read1(self, n=-1):
        return super().read1(min(n, 100))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stream_has_no_total(tmp_path, engine):
    data = random.Random(2).randbytes(64 * 3000)
    source = image(tmp_path / "image", len(data), seed=2)
    crypt_image(SUBJECT, KEY, source, tmp_path / "expected", ImageJob(engine="spec"))
    told = []
    done = crypt_image(
        SUBJECT, KEY, Trickle(data), tmp_path / "out", ImageJob(engine=engine), progress=lambda *step: told.append(step)
    )
    assert done.sectors == 3000 and told[0] == (0, None) and told[-1] == (3000, None)
    assert (tmp_path / "out").read_bytes() == (tmp_path / "expected").read_bytes()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "n, message",
    [
        (
            64 * 999 + 17,
            "the input stream ended inside a sector: 17 bytes are left over after 999 sectors of 64 bytes",
        ),
        (0, "the input stream is empty; it must hold at least one sector of 64 bytes"),
    ],
)
def test_a_stream_of_part_of_a_sector(tmp_path, engine, n, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        crypt_image(SUBJECT, KEY, io.BytesIO(bytes(n)), tmp_path / "out", ImageJob(engine=engine))
    assert not list(tmp_path.iterdir())


class Failing:
    """A specification that raises."""

    def __init__(self, key):
        pass

    def encrypt(self, tweak, sector):
        raise ValueError("no luck")


class Killed(Failing):
    """A specification in a process that the system kills."""

    def encrypt(self, tweak, sector):
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    "specification, error, message",
    [(Failing, ValueError, "^no luck$"), (Killed, ChildProcessError, "ended from outside")],
)
def test_a_specification_that_fails_says_why(tmp_path, monkeypatch, specification, error, message):
    source = image(tmp_path / "image", 64 * 1000)
    monkeypatch.setattr(type(SUBJECT), "specification", property(lambda _: specification))
    with pytest.raises(error, match=message):
        crypt_image(SUBJECT, KEY, source, tmp_path / "out", ImageJob(engine="spec"))
    assert [path.name for path in tmp_path.iterdir()] == ["image"]


def test_another_engine_needs_only_its_name_in_the_table(tmp_path, monkeypatch):
    class Copy:
        chunk_bytes, sector_bytes, tweak_bytes, cycles = 128, 64, 16, None

        def __init__(self, subject, keys, decrypt, threads):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def crypt(self, chunks):
            for sectors, tweaks, _ in chunks:
                assert len(sectors) <= 2 and tweaks.shape == (len(sectors), 16)
                yield sectors

    monkeypatch.setitem(engines.ENGINES, "copy", Copy)
    source = image(tmp_path / "image", 64 * 5)
    assert crypt_image(SUBJECT, KEY, source, tmp_path / "out", ImageJob(engine="copy")).sectors == 5
    assert (tmp_path / "out").read_bytes() == source.read_bytes()
