# SPDX-License-Identifier: Apache-2.0
"""Images for the demo: whatever the machine has, the files come back."""

import shutil

import pytest

from wideblock.image import filesystem

pytestmark = pytest.mark.shows("cli")

SIZE = 4 << 20
TOOLS = filesystem.PATH


@pytest.fixture(params=["tools of the machine", "bare machine"])
def machine(request, monkeypatch):
    if request.param == "bare machine":
        monkeypatch.setattr(filesystem, "PATH", "/nonexistent")
    return request.param


def test_files_come_back(machine, tmp_path):
    image = tmp_path / "disk.img"
    kind = filesystem.make(image, SIZE, filesystem.contents())
    assert image.stat().st_size == SIZE
    assert filesystem.kind(image) == kind
    if machine == "bare machine":
        assert kind == "FAT" and filesystem.check(image) is None
    tool, files = filesystem.read_back(image)
    assert files == filesystem.contents()
    assert tool


def test_contents_hold_equal_sectors(tmp_path):
    image = tmp_path / "disk.img"
    filesystem.make(image, SIZE, filesystem.contents())
    data = image.read_bytes()
    sectors = [data[k : k + 4096] for k in range(0, SIZE, 4096)]
    assert len(sectors) - len(set(sectors)) > 64


@pytest.mark.skipif(shutil.which("mkfs.ext4", path=TOOLS) is None, reason="needs e2fsprogs")
def test_a_damaged_filesystem_is_found(tmp_path):
    image = tmp_path / "disk.img"
    filesystem.make(image, SIZE, {"a.txt": b"a" * 10000})
    assert filesystem.check(image) == "e2fsck"
    with image.open("r+b") as file:
        file.seek(4096)  # group descriptors
        file.write(bytes(range(256)) * 16)
    with pytest.raises(ValueError, match="e2fsck says"):
        filesystem.check(image)


def test_what_is_no_filesystem_is_not_read(tmp_path):
    image = tmp_path / "noise.img"
    image.write_bytes(bytes(8192))
    assert filesystem.kind(image) is None
    assert filesystem.check(image) is None and filesystem.read_back(image) is None
