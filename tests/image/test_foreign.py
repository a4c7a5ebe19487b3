# SPDX-License-Identifier: Apache-2.0
"""LUKS containers around images of the native library: QEMU and nbdkit read them, and write some that it reads.

cryptsetup makes the container around a given volume key. Images begin at the container's first sector, or eight before
sector 2^32, where ``plain`` begins again: the container is then a sparse file of 2 TiB.
"""

import random
import subprocess
from pathlib import Path

import pytest

from wideblock.export.contract import contract
from wideblock.image.crypt import ImageJob, crypt_image

SECTOR, COUNT, HEADER = 512, 64, 4096 * 512
IMAGE = random.Random(7).randbytes(COUNT * SECTOR)
KEY = random.Random(8).randbytes(64)
READERS = {"qemu": ("qemu-img",), "nbdkit": ("nbdkit", "luks filter", "nbdcopy")}
NEAR = (1 << 32) - 8

pytestmark = [pytest.mark.shows("luks"), pytest.mark.slow, pytest.mark.wants("cryptsetup")]


def tool(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Container:
    """A container in ``folder``; ``first`` is the sector of the image in it."""

    def __init__(self, folder, mode, first, key):
        self.file, self.phrase, self.at = folder / "container", folder / "phrase", first * SECTOR
        self.phrase.write_text("correct horse battery staple")
        (folder / "key").write_bytes(key)
        with self.file.open("wb") as file:
            file.truncate(HEADER + self.at + len(IMAGE))
        tool(
            *("cryptsetup", "luksFormat", "--batch-mode", "--type", "luks1", "--cipher", f"aes-xts-{mode}"),
            *("--key-size", 8 * len(key), "--volume-key-file", folder / "key", "--align-payload", HEADER // SECTOR),
            *("--key-file", self.phrase, "--pbkdf-force-iterations", 1000, self.file),
        )

    @property
    def payload(self):
        with self.file.open("rb") as file:
            file.seek(HEADER + self.at)
            return file.read()

    @payload.setter
    def payload(self, data):
        with self.file.open("r+b") as file:
            file.seek(HEADER + self.at)
            file.write(data)

    def qemu(self, *, plain, write):
        secret = ("--object", f"secret,id=phrase,file={self.phrase}")
        inner = f"file.driver=luks,file.key-secret=phrase,file.file.filename={self.file}"
        part = f"driver=raw,offset={self.at},size={len(IMAGE)},{inner}"
        if write:
            tool("qemu-img", "convert", "-n", *secret, "-f", "raw", "--target-image-opts", plain, part)
        else:
            tool("qemu-img", "convert", *secret, "--image-opts", part, "-O", "raw", plain)

    def nbdkit(self, *, plain, write):
        words = ("nbdkit", "--unix", "-", "--filter=offset", "--filter=luks", "file", self.file)
        given = (f"passphrase=+{self.phrase}", f"offset={self.at}", f"range={len(IMAGE)}")
        copy = f"nbdcopy {plain} $uri" if write else f"nbdcopy $uri {plain}"
        tool(*words, *given, "--run", copy)


@pytest.mark.parametrize(
    "reader", [pytest.param(reader, marks=pytest.mark.wants(*names)) for reader, names in READERS.items()]
)
@pytest.mark.parametrize("key_bytes", [32, 64])
@pytest.mark.parametrize("first", [0, NEAR])
@pytest.mark.parametrize("mode", ["plain64", "plain"])
def test_others_read_and_write_the_image(tmp_path, mode, first, key_bytes, reader):
    key, plain, out = KEY[:key_bytes], tmp_path / "plain", tmp_path / "out"
    core = contract("xts-both", {"sector_bytes": SECTOR, "key_bits": 4 * key_bytes})
    options = {"first_sector": first, "tweak": mode, "engine": "native", "force": True}
    container = Container(tmp_path, mode, first, key)
    plain.write_bytes(IMAGE)
    crypt_image(core, key, plain, out, ImageJob(**options))
    container.payload = out.read_bytes()
    plain.unlink()
    getattr(container, reader)(plain=plain, write=False)
    assert plain.read_bytes() == IMAGE
    other = IMAGE[::-1]
    plain.write_bytes(other)
    getattr(container, reader)(plain=plain, write=True)
    assert container.payload != out.read_bytes()
    out.write_bytes(container.payload)
    crypt_image(core, key, out, plain, ImageJob(decrypt=True, **options))
    assert plain.read_bytes() == other


def test_near_2_32_the_conventions_differ(tmp_path):
    """Sectors behind 2^32 have another tweak under ``plain``: the readers tell both apart."""
    plain, outs = tmp_path / "plain", {}
    plain.write_bytes(IMAGE)
    for mode in ("plain64", "plain"):
        core, out = contract("xts-both", {"sector_bytes": SECTOR}), tmp_path / f"{mode}.out"
        crypt_image(core, KEY[:32], plain, out, ImageJob(first_sector=NEAR, tweak=mode, engine="native"))
        outs[mode] = Path(out).read_bytes()
    assert outs["plain"][: 8 * SECTOR] == outs["plain64"][: 8 * SECTOR]
    assert outs["plain"][8 * SECTOR : 9 * SECTOR] != outs["plain64"][8 * SECTOR : 9 * SECTOR]
