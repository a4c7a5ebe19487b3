# SPDX-License-Identifier: Apache-2.0
"""A LUKS container whose payload the AES-XTS cores wrote opens with QEMU, and they read what QEMU wrote into one.

cryptsetup makes the container around a volume key that is given, so that the cores can be given the same one.
"""

import random
import subprocess

import pytest

from wideblock.export.contract import contract
from wideblock.image.crypt import ImageJob, crypt_image

SECTOR = 512
IMAGE = random.Random(5).randbytes(256 * SECTOR)
KEY = random.Random(6).randbytes(32)

pytestmark = [
    pytest.mark.wants("cryptsetup", "qemu-img"),
    pytest.mark.shows("luks"),
]


def tool(*command):
    subprocess.run(list(map(str, command)), check=True, capture_output=True)


@pytest.fixture
def container(tmp_path):
    """A container in aes-xts-plain64 under ``KEY``, QEMU's names for its secret and image, and its payload's place."""
    file, phrase, volume_key = tmp_path / "container", tmp_path / "phrase", tmp_path / "key"
    phrase.write_text("correct horse battery staple")
    volume_key.write_bytes(KEY)
    header = 4096 * SECTOR
    file.write_bytes(bytes(header + len(IMAGE)))
    tool(
        *("cryptsetup", "luksFormat", "--batch-mode", "--type", "luks1", "--cipher", "aes-xts-plain64"),
        *("--key-size", 8 * len(KEY), "--volume-key-file", volume_key, "--align-payload", header // SECTOR),
        *("--key-file", phrase, "--pbkdf-force-iterations", 1000, file),
    )
    secret = ("--object", f"secret,id=phrase,file={phrase}")
    return file, secret, f"driver=luks,key-secret=phrase,file.filename={file}", header


def test_qemu_reads_what_the_core_wrote(tmp_path, container):
    file, secret, luks, header = container
    (tmp_path / "image").write_bytes(IMAGE)
    core = contract("xts-enc", {"sector_bytes": SECTOR})
    crypt_image(core, KEY, tmp_path / "image", tmp_path / "payload")
    with file.open("r+b") as whole:
        whole.seek(header)
        whole.write((tmp_path / "payload").read_bytes())
    tool("qemu-img", "convert", *secret, "--image-opts", luks, "-O", "raw", tmp_path / "read")
    assert (tmp_path / "read").read_bytes() == IMAGE


@pytest.mark.slow
def test_the_core_reads_what_qemu_wrote(tmp_path, container):
    file, secret, luks, header = container
    (tmp_path / "image").write_bytes(IMAGE)
    tool("qemu-img", "convert", "-n", *secret, "-f", "raw", "--target-image-opts", tmp_path / "image", luks)
    payload = file.read_bytes()[header:]
    assert payload != IMAGE
    (tmp_path / "payload").write_bytes(payload)
    core = contract("xts-dec", {"sector_bytes": SECTOR})
    crypt_image(core, KEY, tmp_path / "payload", tmp_path / "read", ImageJob(decrypt=True))
    assert (tmp_path / "read").read_bytes() == IMAGE
