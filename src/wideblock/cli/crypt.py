# SPDX-License-Identifier: Apache-2.0
"""``wideblock encrypt`` and ``wideblock decrypt``."""

import time
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from wideblock.cli.app import Preset, Set, err, progress, settings
from wideblock.export.contract import contract
from wideblock.verify.image import crypt_image

KEY = "000102030405060708090a0b0c0d0e0f"


class Engine(Enum):
    """What enciphers: the compiled core, or the specification."""

    rtl = "rtl"
    spec = "spec"


Key = Annotated[str, typer.Option(metavar="HEX", help="Key in hexadecimal, or @FILE to read it from a file.")]
In = Annotated[Path, typer.Option("--in", metavar="FILE", help="Image; its size is a multiple of the sector.")]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="Result; it appears when it is whole.")]
First = Annotated[int, typer.Option(metavar="N", min=0, help="Number of the image's first sector: its tweak.")]


def key_of(text: str) -> bytes:
    """Returns the key that ``text`` gives."""
    if text.startswith("@"):
        text = Path(text[1:]).read_text().strip()
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise ValueError(f"the key is not hexadecimal; write it as --key {KEY}, or --key @FILE") from None


def encrypt(
    preset: Preset, key: Key, source: In, target: Out, first_sector: First = 0, engine: Engine = Engine.rtl,
    changes: Set = None,
) -> None:  # fmt: skip
    """Encrypt an image, sector by sector; the tweak is the sector number, 128 bits, little-endian."""
    crypt("encrypt", preset, key, source, target, first_sector, engine, changes)


def decrypt(
    preset: Preset, key: Key, source: In, target: Out, first_sector: First = 0, engine: Engine = Engine.rtl,
    changes: Set = None,
) -> None:  # fmt: skip
    """Decrypt an image, sector by sector; the tweak is the sector number, 128 bits, little-endian."""
    crypt("decrypt", preset, key, source, target, first_sector, engine, changes)


def crypt(
    direction: str, preset: str, key: str, source: Path, target: Path, first: int, engine: Engine,
    changes: list[str] | None,
) -> None:  # fmt: skip
    core = contract(preset, settings(changes))
    with progress(f"{direction}ing with {core.module}, {engine.value}") as report:
        started = time.perf_counter()
        done = crypt_image(
            core, key_of(key), source, target, decrypt=direction == "decrypt", first_sector=first,
            engine=engine.value, progress=report,
        )  # fmt: skip
    err.print(f"{done.sectors} sectors in {time.perf_counter() - started:.1f} s", markup=False)


def example(direction: str) -> str:
    return f"Example: [b]wideblock {direction} fast-brw-2s --key {KEY} --in disk.img --out disk.out[/b]"


def register(app: typer.Typer) -> None:
    for command in (encrypt, decrypt):
        app.command(command.__name__, epilog=example(command.__name__))(command)
