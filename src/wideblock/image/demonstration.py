# SPDX-License-Identifier: Apache-2.0
"""A filesystem image through a core in simulation and back through its specification, step by step in words."""

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np

from wideblock.drive.sector.shape import shape
from wideblock.errors import UserError
from wideblock.export.contract import SectorContract
from wideblock.image import filesystem
from wideblock.image.crypt import ImageJob, Progress, crypt_image
from wideblock.image.numbering import DEFAULT, Numbering
from wideblock.simulation.bench import SimulationError

__all__ = ["Working", "demonstrate", "equal_sectors", "flip", "key_of"]

SIZE = 4 << 20


def key_of(core: SectorContract) -> bytes:
    """The bytes 0, 1, 2 .. of a key of the core's size."""
    return bytes(range(core.key_bytes))


Working = Callable[[str, str | None], AbstractContextManager[Progress]]
"""From names of a task and of its preparation, or None: the context of a run."""


def demonstrate(
    core: SectorContract, image: Path | None, work: Path, say: Callable[[str], None], working: Working
) -> float:
    """Enciphers ``image``, or a new image, deciphers and compares; returns sectors a second of the simulation.

    work: directory of the three images      say: called with a sentence for each step
    Raises UserError for an image that is not whole sectors, SimulationError if the image does not come back.
    """
    size = core.parameters.sector_bytes
    plain, cipher, back = (work / name for name in ("plain.img", "cipher.img", "back.img"))
    if image:
        if image.stat().st_size % size:
            raise UserError(f"{image} has {image.stat().st_size} bytes; it must be a multiple of {size}")
        plain.touch(0o600)
        shutil.copyfile(image, plain)
        say(f"{image}: {plain.stat().st_size:,} bytes, {filesystem.kind(plain) or 'an unknown filesystem'}")
    else:
        kind = filesystem.make(plain, SIZE, filesystem.contents())
        say(f"made an {kind} image of {SIZE:,} bytes with {len(filesystem.contents())} files in it")
    before = filesystem.read_back(plain)

    with working(f"encrypting, RTL of {core.module}", f"preparing {core.module}") as report:
        encrypted = crypt_image(core, key_of(core), plain, cipher, ImageJob(force=True, accept_broken=True), report)
    rate = encrypted.sectors / encrypted.seconds
    cycles = f"{encrypted.cycles:,} cycles of the core, {rate:,.0f} sectors a second"
    say(f"encrypted {encrypted.sectors} sectors with the compiled RTL in {cycles}")
    with working("decrypting, specification", None) as report:
        job = ImageJob(decrypt=True, engine="spec", force=True, accept_broken=True)
        decrypted = crypt_image(core, key_of(core), cipher, back, job, report)
    if plain.read_bytes() != back.read_bytes():
        raise SimulationError("the specification does not give the image back; the core or the specification is wrong")
    say(f"decrypted {decrypted.sectors} sectors with the specification: every byte is back")
    if checker := filesystem.check(back):
        say(f"{checker} finds the filesystem sound")
    if after := filesystem.read_back(back):
        if before != after or (not image and after[1] != filesystem.contents()):
            raise SimulationError("files differ after decryption; they should be those that went in")
        say(f"{after[0]} reads {len(after[1])} files back, {sum(map(len, after[1].values())):,} bytes, all equal")
    p, c = (np.frombuffer(path.read_bytes(), np.uint8).reshape(-1, size) for path in (plain, cipher))
    _show_diffusion(core, p, c, say)
    return rate


def _show_diffusion(core: SectorContract, plain: np.ndarray, cipher: np.ndarray, say: Callable[[str], None]) -> None:
    """Says what equal sectors became, and what one flipped bit does to a sector."""
    size = core.parameters.sector_bytes
    same, different = equal_sectors(plain, cipher)
    if same:
        say(f"{same} sectors of the image equal another one; encrypted, {different} of them differ from all others")
    else:
        say("no two sectors of the image are equal")
    number = len(cipher) // 2
    changed, bits = flip(core, number, cipher[number].tobytes(), bit=12345 % (8 * size))
    wrong = f"{changed} of {size} bytes are wrong after decryption, {100 * bits / (8 * size):.1f} % of the bits"
    say(f"one bit flipped in encrypted sector {number}: {wrong}")


def equal_sectors(plain: np.ndarray, cipher: np.ndarray) -> tuple[int, int]:
    """Returns the number of rows of ``plain`` equal to another row, and the number of unique rows of ``cipher`` among
    the equal rows.
    """
    _, place, count = np.unique(plain, axis=0, return_inverse=True, return_counts=True)
    shared = count[place.reshape(-1)] > 1
    _, place, count = np.unique(cipher, axis=0, return_inverse=True, return_counts=True)
    return int(shared.sum()), int((shared & (count[place.reshape(-1)] == 1)).sum())


def flip(core: SectorContract, number: int, sector: bytes, *, bit: int) -> tuple[int, int]:
    """Returns how many bytes and bits of sector ``number`` decipher wrongly when ``bit`` of it is flipped."""
    specification = core.specification(key_of(core))
    tweak = Numbering(DEFAULT, len(sector), shape(core).tweak_bytes).tweaks(number, 1).tobytes()
    damaged = bytearray(sector)
    damaged[bit // 8] ^= 1 << bit % 8
    right = int.from_bytes(specification.decrypt(tweak, sector), "little")
    wrong = int.from_bytes(specification.decrypt(tweak, bytes(damaged)), "little")
    difference = right ^ wrong
    return sum(map(bool, difference.to_bytes(len(sector), "little"))), difference.bit_count()
