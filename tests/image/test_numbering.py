# SPDX-License-Identifier: Apache-2.0
"""Every tweak convention: AES-XTS that others wrote reads an image in it; numbers carry, and end with the tweak."""

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from wideblock.export.contract import contract
from wideblock.image.crypt import ImageJob, crypt_image
from wideblock.image.numbering import CONVENTIONS, Numbering

from ..variants import over

pytestmark = pytest.mark.shows("images")

KEY = bytes(range(100, 132))


def le(n, size=8):
    return n.to_bytes(size, "little")


RIGHT = {  # from the number of a sector of b bytes: the tweak
    "le128": lambda n, b: le(n, 16),
    "be128": lambda n, b: n.to_bytes(16, "big"),
    "plain64": lambda n, b: le(n) + bytes(8),
    "plain64-512": lambda n, b: le(n * b // 512) + bytes(8),
    "plain64be": lambda n, b: bytes(8) + n.to_bytes(8, "big"),
    "plain64be-512": lambda n, b: bytes(8) + (n * b // 512).to_bytes(8, "big"),
    "plain": lambda n, b: le(n % 2**32, 4) + bytes(12),
    "plain-512": lambda n, b: le(n * b // 512 % 2**32, 4) + bytes(12),
    "blk-crypto": lambda n, b: le(n) + bytes(8),
    "spdk-simple-lba": lambda n, b: le(n) + bytes(8),
    "spdk-join-neg-lba-with-lba": lambda n, b: le(n) + le(~n & 2**63 - 1),
    "spdk-incr-512-full-lba": lambda n, b: le(n, 16),
    "spdk-incr-512-upper-lba": lambda n, b: bytes(8) + le(n),
}
FIRST = [0, 253, 65533, 2**32 - 3, 2**61 - 5, 2**64 - 5, 2**64 - 2, 2**128 - 5]


def bits(name):
    return CONVENTIONS[name].bits


def test_every_convention_has_a_row():
    assert list(RIGHT) == list(CONVENTIONS)


@over("first", FIRST)
@pytest.mark.parametrize("name", CONVENTIONS)
def test_tweaks_are_those_of_the_convention(name, first):
    """Five sectors from a number on, or a refusal if the last one does not fit."""
    for b in (512, 4096):
        if CONVENTIONS[name].sector not in (None, b):
            continue
        times = b // (CONVENTIONS[name].counts or b)
        if (first + 4) * times >= 1 << bits(name):
            message = (
                f"a sector number must be from 0 to 2\\^{bits(name)} - 1 in tweaks of {name}, got {(first + 4) * times}"
            )
            with pytest.raises(ValueError, match=f"^{message}$"):
                Numbering(name, b, 16, first).tweaks(0, 5)
            continue
        got = Numbering(name, b, 16, first).tweaks(0, 5)
        assert [row.tobytes() for row in got] == [RIGHT[name](first + i, b) for i in range(5)]
        assert (Numbering(name, b, 16, first).tweaks(3, 2) == got[3:]).all()
        longer = [row.tobytes() for row in Numbering(name, b, 32, first).tweaks(0, 5)]
        zeros = bytes(16)
        assert longer == [
            zeros + t.tobytes() if name.endswith(("be128", "be", "be-512")) else t.tobytes() + zeros for t in got
        ]


@pytest.mark.parametrize("engine", ["native", "spec"])
@pytest.mark.parametrize("name", CONVENTIONS)
def test_others_read_the_image(tmp_path, name, engine):
    """An image of 4,096-byte sectors, or 512 where the convention has them, whose numbers carry over a byte."""
    b, first, offset = CONVENTIONS[name].sector or 4096, 250, 1000
    core = contract("xts-both", {"sector_bytes": b})
    data = random.Random(name).randbytes(8 * b)
    (tmp_path / "in").write_bytes(data)
    options = {"first_sector": first, "tweak": name, "tweak_offset": offset, "engine": engine}
    crypt_image(core, KEY, tmp_path / "in", tmp_path / "out", ImageJob(**options))
    out, times = (tmp_path / "out").read_bytes(), b // (CONVENTIONS[name].counts or b)
    for i in range(8):
        tweak = RIGHT[name]((first + i) * times + offset, CONVENTIONS[name].counts or b)
        reader = Cipher(algorithms.AES(KEY), modes.XTS(tweak)).decryptor()
        assert reader.update(out[b * i : b * i + b]) + reader.finalize() == data[b * i : b * i + b]
    crypt_image(core, KEY, tmp_path / "out", tmp_path / "back", ImageJob(decrypt=True, **options))
    assert (tmp_path / "back").read_bytes() == data


@pytest.mark.parametrize(
    "name, b, message",
    [
        ("plain32", 512, "tweak must be one of le128, be128, .*, got 'plain32'"),
        (
            "spdk-incr-512-full-lba",
            4096,
            ".* has data units of 512 bytes, the core's have 4096; give --set sector_bytes=512",
        ),
        ("plain64-512", 520, "plain64-512 counts 512 bytes, and a sector of 520 is no multiple"),
    ],
)
def test_wrong_conventions_are_refused(name, b, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        Numbering(name, b, 16)


def test_a_short_tweak_has_room_for_short_numbers():
    assert Numbering("le128", 512, 2, 2**16 - 1).tweaks(0, 1).tolist() == [[255, 255]]
    with pytest.raises(ValueError, match="from 0 to 2\\^16 - 1 in tweaks of le128, got 65536"):
        Numbering("le128", 512, 2, 2**16 - 1).tweaks(0, 2)
    with pytest.raises(ValueError, match="got -1"):
        Numbering("le128", 512, 16, -1).tweaks(0, 2)
