# SPDX-License-Identifier: Apache-2.0
"""Real filesystem images for the demo: made, checked and read back by standard tools, or by ChaN's FatFs."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from wideblock.errors import UserError

__all__ = ["check", "contents", "kind", "make", "read_back"]

PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])  # where mkfs and fsck live on most systems


def contents() -> dict[str, bytes]:
    """Files that show what sector encryption does: prose, a picture with flat areas, a page that repeats, noise."""
    y, x = np.mgrid[-256:256, -256:256]
    disc = np.where(x * x + y * y < 200 * 200, 230, 40).astype(np.uint8)
    page = (b"The same 4096-byte page, over and over. " * 103)[:4096]
    return {
        "README.txt": b"This disk image went through a hardware core in simulation and came back.\n",
        "picture.pgm": b"P5\n512 512\n255\n" + disc.tobytes(),
        "pages/same.bin": page * 64,
        "pages/zero.bin": bytes(256 * 1024),
        "noise/random.bin": np.random.default_rng(1).bytes(512 * 1024),
    }


def _partition(storage: bytearray):
    """A FAT filesystem in ``storage``. Raises UserError if its package is not installed."""
    try:
        import fatfs
    except ImportError:
        raise UserError("a FAT image needs fatfs-ng; install it with: pip install 'wideblock[demo]'") from None
    return fatfs.create_extended_partition(fatfs.RamDisk(storage, sector_size=512))


def make(image: Path, size: int, files: dict[str, bytes]) -> str:
    """Writes an image of ``size`` bytes that holds ``files``, ext4 where mkfs.ext4 is present, else FAT; says which."""
    mkfs = shutil.which("mkfs.ext4", path=PATH)
    if mkfs is None:
        storage = bytearray(size)
        partition = _partition(storage)
        partition.mkfs()
        partition.mount()
        for name, data in files.items():
            partition.makedirs(f"/{Path(name).parent.as_posix()}".rstrip("."), exist_ok=True)
            partition.write_file(f"/{name}", data)
        partition.unmount()
        image.write_bytes(storage)
        return "FAT"
    with tempfile.TemporaryDirectory(prefix="wideblock-") as folder:
        for name, data in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        image.unlink(missing_ok=True)
        _run([mkfs, "-q", "-F", "-b", "4096", "-O", "^has_journal", "-d", folder, image, f"{size // 1024}k"])
    return "ext4"


def kind(image: Path) -> str | None:
    """Returns ``"ext4"`` (or a relative of it), ``"FAT"`` or None, by the magic numbers in ``image``."""
    with image.open("rb") as file:
        head = file.read(2048)
    if head[1080:1082] == b"\x53\xef":
        return "ext4"
    if head[510:512] == b"\x55\xaa" and (head[54:57] == b"FAT" or head[82:85] == b"FAT"):
        return "FAT"
    return None


def check(image: Path) -> str | None:
    """Runs the filesystem's own checker, without repair; returns the name, or None if not installed.

    Raises UserError when the checker finds an error.
    """
    names = {"ext4": ("e2fsck", "-fn"), "FAT": ("fsck.fat", "-n")}
    name, option = names.get(kind(image) or "", ("", ""))
    tool = name and shutil.which(name, path=PATH)
    if not tool:
        return None
    _run([tool, option, image])
    return name


def read_back(image: Path) -> tuple[str, dict[str, bytes]] | None:
    """Returns (the reading tool, all files in ``image``), or None for an unreadable image."""
    what = kind(image)
    debugfs = shutil.which("debugfs", path=PATH)
    if what == "ext4" and debugfs:
        with tempfile.TemporaryDirectory(prefix="wideblock-") as folder:
            _run([debugfs, "-R", "rdump / .", image.absolute()], folder)  # the folder's own name may have blanks
            root = Path(folder)
            files = [each for each in root.rglob("*") if each.is_file() and not each.is_symlink()]
            found = {file.relative_to(root).as_posix(): file.read_bytes() for file in files}
        return "debugfs", found
    if what == "FAT":
        partition = _partition(bytearray(image.read_bytes()))
        partition.mount()
        found = {
            f"{folder.rstrip('/')}/{name}".lstrip("/"): partition.read_file(f"{folder.rstrip('/')}/{name}")
            for folder, _, names in partition.walk("/")
            for name in names
        }
        partition.unmount()
        return "FatFs", found
    return None


def _run(command: list, folder: str | None = None) -> None:
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=folder)
    if result.returncode:
        said = " ".join((result.stderr or result.stdout).split())
        raise UserError(f"{Path(command[0]).name} says: {said[-300:]}; the image should be a sound filesystem")
