# SPDX-License-Identifier: Apache-2.0
"""Images for the demo: with the tools of ext4 and without them, the files come back."""

import subprocess
import tempfile

import pytest

from wideblock.image import filesystem

pytestmark = pytest.mark.shows("cli")

SIZE = 4 << 20
KINDS = ["FAT", pytest.param("ext4", marks=pytest.mark.wants("mkfs.ext4", "debugfs"))]


@pytest.fixture(params=KINDS)
def kind(request, monkeypatch):
    """The kind of file system that is made: FAT where no tool is installed."""
    if request.param == "FAT":
        monkeypatch.setattr(filesystem, "PATH", "/nonexistent")
    return request.param


def test_files_come_back(kind, tmp_path):
    image = tmp_path / "disk.img"
    assert filesystem.make(image, SIZE, filesystem.contents()) == kind
    assert image.stat().st_size == SIZE
    assert filesystem.kind(image) == kind
    assert filesystem.check(image) == {"FAT": None, "ext4": "e2fsck"}[kind]
    tool, files = filesystem.read_back(image)
    assert files == filesystem.contents()
    assert tool == {"FAT": "FatFs", "ext4": "debugfs"}[kind]


@pytest.mark.wants("mkfs.ext4", "debugfs")
def test_files_come_back_by_a_folder_with_blanks_and_links_are_not_followed(tmp_path, monkeypatch):
    image, folder, listed = tmp_path / "disk.img", tmp_path / "my folder", tmp_path / "debugfs.txt"
    filesystem.make(image, SIZE, {"a.txt": b"a"})
    (tmp_path / "secret").write_text("of the host")
    listed.write_text(f"symlink link {tmp_path / 'secret'}\n")
    subprocess.run(["debugfs", "-w", "-f", listed, image], check=True, env={"PATH": filesystem.PATH})
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    assert filesystem.read_back(image) == ("debugfs", {"a.txt": b"a"})


def test_contents_hold_equal_sectors(kind, tmp_path):
    image = tmp_path / "disk.img"
    filesystem.make(image, SIZE, filesystem.contents())
    data = image.read_bytes()
    sectors = [data[k : k + 4096] for k in range(0, SIZE, 4096)]
    assert len(sectors) - len(set(sectors)) > 64


@pytest.mark.wants("mkfs.ext4", "debugfs")
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
