# SPDX-License-Identifier: Apache-2.0
"""Every kind of file as the input and as the output of an image."""

import os
import random
import re
import socket
import stat
import subprocess
from functools import cache
from pathlib import Path

import pytest

from wideblock.image import engines
from wideblock.image import target as target_module
from wideblock.image.crypt import ImageJob, crypt_image
from wideblock.image.files import BLOCK_DEVICE, kind_of

from .. import wants
from .subject import KEY, SUBJECT

pytestmark = pytest.mark.shows("images")
LOOPS = pytest.mark.wants("losetup")

DATA = random.Random(3).randbytes(64 * 1024)  # whole blocks of any device


@cache
def cipher():
    """:data:`DATA`, encrypted."""
    specification = SUBJECT.specification(KEY)
    return b"".join(specification.encrypt(i.to_bytes(16, "little"), DATA[64 * i : 64 * i + 64]) for i in range(1024))


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "image"
    path.write_bytes(DATA)
    return path


@pytest.fixture(autouse=True)
def nothing_else_is_left(tmp_path):
    yield
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".part")]


def crypt(source, target, progress=None, **options):
    return crypt_image(SUBJECT, KEY, source, target, ImageJob(engine="spec", **options), progress)


def refused(monkeypatch, source, target, **options):
    """The message of a refusal, which must come before any engine is made."""
    with monkeypatch.context() as patch:
        patch.setattr(engines.SpecificationEngine, "__enter__", lambda _: pytest.fail("an engine was made"))
        with pytest.raises((ValueError, FileExistsError)) as caught:
            crypt(source, target, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_modes_of_results(image, tmp_path, umask):
    crypt(image, tmp_path / "cipher")
    crypt(tmp_path / "cipher", tmp_path / "back", decrypt=True)
    assert mode(tmp_path / "cipher") == 0o644 and mode(tmp_path / "back") == 0o600
    for old in (0o600, 0o640, 0o664):
        for name, source, decrypt in (("cipher", image, False), ("back", tmp_path / "cipher", True)):
            (tmp_path / name).chmod(old)
            crypt(source, tmp_path / name, decrypt=decrypt, force=True)
            assert mode(tmp_path / name) == old
    assert (tmp_path / "back").read_bytes() == DATA


def test_the_result_is_private_while_it_is_written(image, tmp_path, umask):
    seen = []

    def look(done, total):
        seen.extend(mode(path) for path in tmp_path.iterdir() if path.name.endswith(".part"))

    crypt(image, tmp_path / "out", progress=look)
    assert seen and set(seen) == {0o600}


def test_an_existing_file_needs_force(image, tmp_path, monkeypatch):
    (tmp_path / "out").write_text("mine")
    assert re.search("out exists; .* --force", refused(monkeypatch, image, tmp_path / "out"))
    assert (tmp_path / "out").read_text() == "mine"
    crypt(image, tmp_path / "out", force=True)
    assert (tmp_path / "out").read_bytes() == cipher()


def test_a_symbolic_link_is_followed(image, tmp_path, monkeypatch):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    assert "--force" in refused(monkeypatch, image, tmp_path / "link")
    crypt(image, tmp_path / "link", force=True)
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == cipher()


def test_a_directory_is_refused(image, tmp_path, monkeypatch):
    for options in ({}, {"force": True}, {"device": True}):
        assert "is a directory; give the name of a file" in refused(monkeypatch, image, tmp_path, **options)
    assert "is a directory; give a regular file" in refused(monkeypatch, tmp_path, tmp_path / "out")


def fifo(path):
    os.mkfifo(path)


def node(path, kind, device):
    try:
        os.mknod(path, kind | 0o600, device)
    except PermissionError:
        wants.refused("device nodes", "they may not be made here")


def character_device(path):
    node(path, stat.S_IFCHR, os.makedev(1, 3))  # the null device


def unix_socket(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


@pytest.mark.parametrize(
    "make, kind", [(fifo, "a FIFO"), (character_device, "a character device"), (unix_socket, "a socket")]
)
def test_streams_with_a_name_are_refused(image, tmp_path, monkeypatch, make, kind):
    path = tmp_path / "special"
    make(path)
    before = path.stat()
    for options in ({}, {"force": True}, {"device": True}):
        message = refused(monkeypatch, image, path, **options)
        assert message == f"output {path} is {kind}; give - to write to standard output and redirect that"
    message = refused(monkeypatch, path, tmp_path / "out")
    assert message == f"input {path} is {kind}; give a regular file, a block device, or - to read standard input"
    assert path.stat().st_ino == before.st_ino and path.stat().st_mode == before.st_mode


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_the_same_file_under_another_name(image, tmp_path, monkeypatch, link):
    link(image, tmp_path / "alias")
    for source, target in ((image, tmp_path / "alias"), (tmp_path / "alias", image), (image, image)):
        assert "the same file" in refused(monkeypatch, source, target, force=True)
    with image.open("rb") as stream:
        assert "the same file" in refused(monkeypatch, stream, image, force=True)
    with image.open("r+b") as stream:
        assert "the same file" in refused(monkeypatch, image, stream)
    assert image.read_bytes() == DATA


def test_device_is_for_block_devices_alone(image, tmp_path, monkeypatch):
    assert "is missing, not a block device; leave out --device" in refused(
        monkeypatch, image, tmp_path / "none", device=True
    )
    (tmp_path / "out").write_text("mine")
    message = refused(monkeypatch, image, tmp_path / "out", device=True, force=True)
    assert "is a regular file, not a block device; leave out --device" in message
    with open(tmp_path / "out", "r+b") as stream:
        assert "leave out --device" in refused(monkeypatch, image, stream, device=True)


@pytest.fixture
def loop_device(tmp_path):
    """A block device of the kernel's, of the image's size."""
    backing = tmp_path / "backing"
    backing.write_bytes(bytes(len(DATA)))
    made = subprocess.run(["losetup", "--show", "-f", backing], capture_output=True, text=True)
    device = Path(made.stdout.strip())
    if made.returncode or not device.is_block_device():
        wants.refused("loop devices", "they may not be made here")
    yield device
    subprocess.run(["losetup", "-d", device], check=True)


@pytest.fixture(params=[pytest.param("loop device", marks=LOOPS), "regular file in its place"])
def block_device(request, tmp_path, monkeypatch):
    """A loop device, or a regular file that is taken for a block device."""
    if request.param == "loop device":
        return request.getfixturevalue("loop_device")
    file = tmp_path / "device"
    file.write_bytes(bytes(len(DATA)))
    inode = file.stat().st_ino
    monkeypatch.setattr(
        target_module, "kind_of", lambda status: BLOCK_DEVICE if status.st_ino == inode else kind_of(status)
    )
    return file


def test_a_block_device_is_written_in_place(image, tmp_path, monkeypatch, block_device):
    before, synced, fsync = block_device.stat(), [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino) or fsync(descriptor))
    assert "is a block device; give --device" in refused(monkeypatch, image, block_device, force=True)
    crypt(image, block_device, device=True)
    after = block_device.stat()
    assert (after.st_ino, after.st_mode, after.st_rdev) == (before.st_ino, before.st_mode, before.st_rdev)
    assert synced == [before.st_ino] and block_device.read_bytes() == cipher()
    crypt(block_device, tmp_path / "back", decrypt=True)
    assert (tmp_path / "back").read_bytes() == DATA


def test_a_block_device_behind_a_symbolic_link(image, tmp_path, block_device):
    (tmp_path / "link").symlink_to(block_device)
    crypt(image, tmp_path / "link", device=True)
    assert (tmp_path / "link").is_symlink() and block_device.read_bytes() == cipher()


@pytest.mark.parametrize("size", [len(DATA) - 4096, len(DATA) + 4096])
def test_a_block_device_must_have_the_size_of_the_image(tmp_path, monkeypatch, block_device, size):
    source = tmp_path / "other"
    source.write_bytes(bytes(size))
    message = refused(monkeypatch, source, block_device, device=True)
    assert f"has {len(DATA)} bytes" in message and f"has {size};" in message and "exactly the size" in message
    with source.open("rb") as stream:
        assert "needs an image of known size" in refused(monkeypatch, stream, block_device, device=True)
    assert block_device.read_bytes() == bytes(len(DATA))


@LOOPS
def test_a_block_device_onto_itself(tmp_path, monkeypatch, loop_device):
    alias = tmp_path / "alias"
    node(alias, stat.S_IFBLK, loop_device.stat().st_rdev)  # another node of the same device
    for target in (loop_device, alias):
        assert "the same file" in refused(monkeypatch, loop_device, target, device=True)


def test_a_block_device_says_how_far_it_was_overwritten(image, block_device):
    def interrupt(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        crypt(image, block_device, device=True, progress=interrupt)
    (note,) = caught.value.__notes__
    assert re.fullmatch(f"{block_device} is overwritten in part: the first \\d+ of {len(DATA)} bytes", note)


@LOOPS
def test_a_device_in_use_is_refused_by_the_kernel(image, loop_device):
    descriptor = os.open(loop_device, os.O_RDONLY | os.O_EXCL)  # as a mounted file system does
    try:
        with pytest.raises(OSError, match="busy"):
            crypt(image, loop_device, device=True)
    finally:
        os.close(descriptor)


def test_a_terminal_gets_no_binary_data(image, monkeypatch):
    leader, follower = os.openpty()
    with os.fdopen(follower, "wb", buffering=0) as terminal:
        assert "output is a terminal" in refused(monkeypatch, image, terminal)
    os.close(leader)


def test_a_stream_takes_the_result(image, tmp_path):
    with open(tmp_path / "log", "wb") as stream:
        stream.write(b"before")
        crypt(image, stream)
        assert not stream.closed
    assert (tmp_path / "log").read_bytes() == b"before" + cipher()


@pytest.mark.wants("/dev/full")
def test_a_stream_that_is_full(image):
    with open("/dev/full", "wb") as stream, pytest.raises(OSError, match="standard output"):
        crypt(image, stream)
