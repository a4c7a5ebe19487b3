# SPDX-License-Identifier: Apache-2.0
"""``wideblock demo``."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from wideblock import catalog
from wideblock.cli.app import AcceptBroken, err, out, progress, table
from wideblock.errors import UserError
from wideblock.evaluate.digests import NOTE, older
from wideblock.evaluate.published import for_preset
from wideblock.evaluate.store import COMMITTED, load
from wideblock.evaluate.tables import of_core
from wideblock.export.contract import Contract, contract
from wideblock.image import filesystem
from wideblock.image.crypt import crypt_image
from wideblock.image.source import tweak_of
from wideblock.simulation.bench import SimulationError
from wideblock.verify.sector.measure import measure

EXAMPLE = "Example: [b]wideblock demo --image disk.img[/b]"
SIZE = 4 << 20
KEY = bytes.fromhex("000102030405060708090a0b0c0d0e0f")


def demo(
    image: Annotated[Path | None, typer.Option(metavar="FILE", help="Image to use; by default one is created.")] = None,
    preset: Annotated[str, typer.Option(metavar="NAME", help="Preset to demonstrate.")] = catalog.DEMO,
    keep: Annotated[Path | None, typer.Option(metavar="DIR", help="Directory that keeps the three images.")] = None,
    accept_broken: AcceptBroken = False,
) -> None:
    """Encrypt a filesystem image with the hardware core in simulation and decrypt it with the specification."""
    core = contract(preset)
    core.preset.scheme.check_status(accept_broken=accept_broken)
    dut = core
    with folder(keep) as work:
        plain, cipher, back = (work / name for name in ("plain.img", "cipher.img", "back.img"))
        if image:
            if image.stat().st_size % core.parameters.sector_bytes:
                raise UserError(
                    f"{image} has {image.stat().st_size} bytes; it must be a multiple of {core.parameters.sector_bytes}"
                )
            shutil.copyfile(image, plain)
            say(f"{image}: {plain.stat().st_size:,} bytes, {filesystem.kind(plain) or 'an unknown filesystem'}")
        else:
            kind = filesystem.make(plain, SIZE, filesystem.contents())
            say(f"made an {kind} image of {SIZE:,} bytes with {len(filesystem.contents())} files in it")
        before = filesystem.read_back(plain)

        with progress(f"encrypting, RTL of {core.module}", before=f"preparing {core.module}") as report:
            encrypted = crypt_image(dut, KEY, plain, cipher, force=True, accept_broken=accept_broken, progress=report)
        rate = encrypted.sectors / encrypted.seconds
        say(f"encrypted {encrypted.sectors} sectors with the compiled RTL in {encrypted.cycles:,} cycles of the core, "
            f"{rate:,.0f} sectors a second")  # fmt: skip
        with progress("decrypting, specification") as report:
            decrypted = crypt_image(
                dut,
                KEY,
                cipher,
                back,
                decrypt=True,
                engine="spec",
                force=True,
                accept_broken=accept_broken,
                progress=report,
            )
        if plain.read_bytes() != back.read_bytes():
            raise SimulationError(
                "the specification does not give the image back; the core or the specification is wrong"
            )
        say(f"decrypted {decrypted.sectors} sectors with the specification: every byte is back")

        checker = filesystem.check(back)
        if checker:
            say(f"{checker} finds the filesystem sound")
        after = filesystem.read_back(back)
        if after:
            if before != after or (not image and after[1] != filesystem.contents()):
                raise SimulationError("files differ after decryption; they should be those that went in")
            say(f"{after[0]} reads {len(after[1])} files back, {sum(map(len, after[1].values())):,} bytes, all equal")

        sector_bytes = core.parameters.sector_bytes
        p = np.frombuffer(plain.read_bytes(), np.uint8).reshape(-1, sector_bytes)
        c = np.frombuffer(cipher.read_bytes(), np.uint8).reshape(-1, sector_bytes)
    same, different = equal_sectors(p, c)
    say(f"{same} sectors of the image equal another one; encrypted, {different} of them differ from all others"
        if same else "no two sectors of the image are equal")  # fmt: skip
    number = len(c) // 2
    bytes_changed, bits_changed = flip(dut, number, c[number].tobytes(), bit=12345 % (8 * sector_bytes))
    say(f"one bit flipped in encrypted sector {number}: {bytes_changed} of {sector_bytes} bytes are wrong after "
        f"decryption, {100 * bits_changed / (8 * sector_bytes):.1f} % of the bits")  # fmt: skip
    show(core, dut, rate)


def equal_sectors(plain: np.ndarray, cipher: np.ndarray) -> tuple[int, int]:
    """Returns how many rows of ``plain`` equal another one, and how many of those are unique in ``cipher``."""
    _, place, count = np.unique(plain, axis=0, return_inverse=True, return_counts=True)
    shared = count[place.reshape(-1)] > 1
    _, place, count = np.unique(cipher, axis=0, return_inverse=True, return_counts=True)
    return int(shared.sum()), int((shared & (count[place.reshape(-1)] == 1)).sum())


def flip(dut: Contract, number: int, sector: bytes, *, bit: int) -> tuple[int, int]:
    """Returns how many bytes and bits of sector ``number`` decipher wrongly when ``bit`` of it is flipped."""
    specification, tweak = dut.specification(KEY), tweak_of(number)
    damaged = bytearray(sector)
    damaged[bit // 8] ^= 1 << bit % 8
    right = int.from_bytes(specification.decrypt(tweak, sector), "little")
    wrong = int.from_bytes(specification.decrypt(tweak, bytes(damaged)), "little")
    difference = right ^ wrong
    return sum(map(bool, difference.to_bytes(len(sector), "little"))), difference.bit_count()


def show(core: Contract, dut: Contract, rate: float) -> None:
    """Prints the core's measured cycles beside the published rows, and its area where it has been measured."""
    with err.status("measuring the cycle contract"):
        measured = measure(dut)
    rows = [
        (f"{core.name}, {direction}", "measured", cycles.compute, cycles.interval, cycles.latency, cycles.setup)
        for direction, cycles in measured.items()
    ]
    papers = {(row.design, row.cycles): row for row in for_preset(core.name) if row.kind == "paper"}
    rows += [(row.design, "paper", row.cycles, row.cycles, None, row.setup) for row in papers.values()]
    out.print()
    table(
        ("core", "", "compute", "interval", "latency", "setup"),
        rows,
        title=f"Cycles a sector of {core.parameters.sector_bytes} bytes",
    )
    measured = of_core(core, load(COMMITTED))
    for point in measured:
        found = point.found
        clock = f", {found.clock.mhz:.0f} MHz, {found.gbps:.1f} Gb/s" if found.clock and found.gbps else ""
        out.print(f"{found.part}: {found.area:,} {found.unit}{older(point)}{clock}", markup=False)
    if any(map(older, measured)):
        out.print(NOTE, end="")
    out.print(f"simulation: {rate:,.0f} sectors a second")


def say(text: str) -> None:
    out.print(f"> {text}", markup=False)


@contextmanager
def folder(keep: Path | None) -> Iterator[Path]:
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
    else:
        with tempfile.TemporaryDirectory(prefix="wideblock-") as name:
            yield Path(name)
