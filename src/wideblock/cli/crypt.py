# SPDX-License-Identifier: Apache-2.0
"""``wideblock encrypt`` and ``wideblock decrypt``."""

import os
import stat
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from wideblock.catalog.kinds import AEAD, SECTOR
from wideblock.cli.app import AcceptBroken, Force, Preset, Set, progress, settings
from wideblock.errors import UserError
from wideblock.export.contract import configured
from wideblock.image.crypt import ImageJob, crypt_image
from wideblock.image.engines import ENGINES, usual
from wideblock.image.files import same_storage
from wideblock.image.numbering import CONVENTIONS, DEFAULT, DM_CRYPT

if TYPE_CHECKING:
    from wideblock.image.keyring import Keyring
    from wideblock.image.sealed import Forgeries, Layout

KEY = "000102030405060708090a0b0c0d0e0f"
EXAMPLE = f"Example: [b]wideblock {{command}} fast-brw-2s --key {KEY} --in disk.img --out disk.out[/b]"
STREAM = Path("-")

KEY_OPTION = typer.Option(
    metavar="HEX",
    help="Key in hexadecimal, or @FILE for a file with it, binary or hexadecimal, @- for standard input.",
)
Key = Annotated[str, KEY_OPTION]
OneKey = Annotated[str | None, KEY_OPTION]
Keys = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keys of ranges of sectors, a file in TOML: docs/command-line.md has the form."),
]
In = Annotated[
    Path,
    typer.Option("--in", metavar="FILE", help="Image of whole sectors: file, block device, or - for standard input."),
]
Out = Annotated[
    Path,
    typer.Option("--out", metavar="FILE", help="Result; a file appears only when it is whole; - for standard output."),
]


def sector_number(text: str | int) -> int:
    """The number that ``text``, or the default, writes in any base of Python's."""
    try:
        number = int(str(text), 0)
        if not 0 <= number < 1 << 128:
            raise ValueError
    except ValueError:
        form = "a whole number from 0 to 2^128 - 1, such as 4096 or 0x1000"
        raise typer.BadParameter(f"{text!r} is not {form}") from None
    return number


First = Annotated[
    int,
    typer.Option(
        metavar="N", parser=sector_number, help="Number of the image's first sector, its tweak, such as 16 or 0x10."
    ),
]


def complete_tweak(incomplete: str) -> list[str]:
    """The conventions with the given beginning, for the shell."""
    return [name for name in CONVENTIONS if name.startswith(incomplete)]


Tweak = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Tweak of a sector number: {', '.join(CONVENTIONS)}; docs/block-device.md has the meanings. Default: "
        f"{DEFAULT}, or {DM_CRYPT} for an authenticated cipher.",
        autocompletion=complete_tweak,
    ),
]
Offset = Annotated[
    int, typer.Option(metavar="N", parser=sector_number, help="Number added to each sector's, in the tweak's unit.")
]
Engine = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(ENGINES),
        help="Native code, the compiled core, or its specification. Default: native, or rtl for a scheme without.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Threads of native and spec, models of rtl; default: one a processor."),
]
Icv = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Integrity check values, 16 bytes a sector, or tags and nonces of an authenticated cipher: encrypt makes "
        "the file, decrypt judges each sector by it.",
    ),
]
LayoutName = Annotated[
    str | None,
    typer.Option(metavar="inline", help="Integrity check values behind each sector, in the place of a file of them."),
]
Stride = Annotated[
    int | None,
    typer.Option(metavar="N", help="Bytes from one inline sector to the next; default: sector and ICV without gaps."),
]
Device = Annotated[bool, typer.Option("--device", help="Write to a block device in place.")]


def key_of(text: str, size: int) -> bytes:
    """Returns the key of ``size`` bytes that ``text`` gives.

    A file of ``size`` bytes is the key itself, as made by cryptsetup; any other file has the key in hexadecimal.
    """
    form = f"hexadecimal; write it as --key {KEY}, or --key @FILE"
    if text.startswith("@"):
        with sys.stdin.buffer if text == "@-" else open(text[1:], "rb") as file:
            if text != "@-":
                warn_if_others_read(file, text[1:])
            content = file.read(most := 4 * size + 1024)  # a device has no end
        if len(content) == size:
            return content
        form = f"{size} bytes, binary or in hexadecimal, in a file of less than {most} bytes"
        text = content.removeprefix(BOM_UTF8).decode("latin-1").strip() if len(content) < most else "more"
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UserError(f"the key is not {form}") from None


def keyring_of(path: Path, size: int, target: Path) -> "Keyring":
    """The keys, of ``size`` bytes, of the file of ranges at ``path``; key files are named from the same folder.

    None of them may be the ``target``.
    """
    from wideblock.image.keyring import Keyring

    def read(text: str) -> bytes:
        if text == "@-":
            raise UserError("standard input is no key of a range; give @FILE")
        text = f"@{path.parent / text[1:]}" if text.startswith("@") else text
        refuse_twice(text, path, (target,), "file of keys")
        return key_of(text, size)

    with path.open("rb") as file:
        warn_if_others_read(file, str(path))
        content = file.read(most := 1 << 24)
    if len(content) == most:
        raise UserError(f"{path} must be less than {most} bytes")
    return Keyring.parse(str(path), content, read)


def warn_if_others_read(file: BinaryIO, name: str) -> None:
    """Prints a line if further users than the owner can read ``file``, of a key."""
    mode = os.fstat(file.fileno()).st_mode
    if stat.S_ISREG(mode) and mode & (stat.S_IRGRP | stat.S_IROTH):
        state = f"other users can read the key in {name}, mode {stat.S_IMODE(mode):04o}"
        typer.echo(f"wideblock: warning: {state}; chmod 600 it", err=True)


def refuse_twice(key: str, source: Path, targets: Iterable[Path], what: str) -> None:
    """Refuses standard input as the key and as ``what``, too, and one of the results in the place of the key."""
    if key == "@-" and source == STREAM:
        raise UserError(f"standard input can be the key or the {what}, not both")
    for target in targets if key.startswith("@") else ():
        with suppress(FileNotFoundError):
            if same_storage(os.stat(key[1:]), target.stat()):
                raise UserError(f"{target} has the key; the result needs a file of its own")


def encrypt(
    preset: Preset,
    source: In,
    target: Out,
    key: OneKey = None,
    keys: Keys = None,
    first_sector: First = 0,
    tweak: Tweak = None,
    tweak_offset: Offset = 0,
    icv: Icv = None,
    layout: LayoutName = None,
    stride: Stride = None,
    engine: Engine = None,
    threads: Threads = None,
    force: Force = False,
    device: Device = False,
    accept_broken: AcceptBroken = False,
    changes: Set = None,
) -> None:
    """Encrypt an image, sector by sector; the tweak is the sector number, 128 bits, little-endian, by default."""
    job = ImageJob(decrypt=False, first_sector=first_sector, tweak=tweak or "", tweak_offset=tweak_offset)
    job = replace(job, engine=engine or "", threads=threads, force=force, device=device, accept_broken=accept_broken)
    crypt(preset, changes, (key, keys), (source, target), layout_of(icv, layout, stride), job)


def decrypt(
    preset: Preset,
    source: In,
    target: Out,
    key: OneKey = None,
    keys: Keys = None,
    first_sector: First = 0,
    tweak: Tweak = None,
    tweak_offset: Offset = 0,
    icv: Icv = None,
    layout: LayoutName = None,
    stride: Stride = None,
    engine: Engine = None,
    threads: Threads = None,
    force: Force = False,
    device: Device = False,
    accept_broken: AcceptBroken = False,
    changes: Set = None,
) -> None:
    """Decrypt an image, sector by sector; the tweak is the sector number, 128 bits, little-endian, by default.

    With integrity check values a forged sector becomes zeros, its number is printed, and the exit status is 1.
    """
    job = ImageJob(decrypt=True, first_sector=first_sector, tweak=tweak or "", tweak_offset=tweak_offset)
    job = replace(job, engine=engine or "", threads=threads, force=force, device=device, accept_broken=accept_broken)
    crypt(preset, changes, (key, keys), (source, target), layout_of(icv, layout, stride), job)


def layout_of(icv: Path | None, name: str | None, stride: int | None) -> "Layout | None":
    """The layout that the options ask for; None for sectors without integrity check values."""
    if name not in (None, "inline"):
        raise UserError(f"layout must be inline, got {name!r}; leave it out for values in a file, --icv FILE")
    if icv and name:
        raise UserError("--icv and --layout inline exclude each other; give one of them")
    if stride is not None and not name:
        raise UserError("--stride goes with --layout inline; give that, too")
    if icv == STREAM:
        raise UserError("--icv is the name of a file, got '-'")
    if not icv and not name:
        return None
    from wideblock.image.sealed import Layout

    return Layout(icv, stride)


def crypt(
    preset: str,
    changes: list[str] | None,
    given: tuple[str | None, Path | None],
    ends: tuple[Path, Path],
    layout: "Layout | None",
    job: ImageJob,
) -> None:
    """Does ``job``, by the usual engine and convention if it names none.

    given: a key, and a file of keys; one of the two is None
    ends:  source and target
    """
    (key, keys), (source, target) = given, ends
    core = configured(preset, settings(changes))
    authenticates = core.kind is AEAD
    if authenticates and not layout:
        raise UserError(f"{core.name} has a tag and a nonce for each sector; give --icv FILE, or --layout inline")
    core = core if authenticates else core.expect(SECTOR)
    if (key is None) == (keys is None):
        raise UserError(f"give {'one of --key and --keys, not both' if key else 'the key, --key HEX or --keys FILE'}")
    if keys and layout:
        raise UserError("integrity check values are those of one key, got --keys; give --key")
    icvs = layout.icvs if layout and not job.decrypt else None
    refuse_twice(key or f"@{keys}", source, (target, icvs) if icvs else (target,), "image")
    if layout and not authenticates and job.engine not in ("", "native"):
        raise UserError(
            f"integrity check values are those of the engine native, got {job.engine!r}; leave out --engine"
        )
    usual_tweak = DM_CRYPT if authenticates else DEFAULT
    job = replace(job, engine=job.engine or usual(core), tweak=job.tweak or usual_tweak)
    name = f"{core.module}, {job.engine}"
    forgeries: Forgeries | None = None
    with progress(f"{'de' if job.decrypt else 'en'}crypting with {name}", before=f"preparing {name}") as report:
        opened = (
            sys.stdin.buffer if source == STREAM else source,
            sys.stdout.buffer if target == STREAM else target,
        )
        if layout:
            from wideblock.image.sealed import seal_image

            done, forgeries = seal_image(core, key_of(key or "", core.key_bytes), *opened, layout, job, report)
        else:
            held = keyring_of(keys, core.key_bytes, target) if keys else key_of(key or "", core.key_bytes)
            done = crypt_image(core, held, *opened, job, report)
    size = done.sectors * (core.parameters.data_bytes if authenticates else core.parameters.sector_bytes)
    rate = f", {size / done.seconds / 1e6:,.1f} MB/s" if done.seconds else ""
    cycles = f", {done.cycles:,} cycles of the core, {done.cycles / done.sectors:.1f} a sector" if done.cycles else ""
    sectors = "1 sector" if done.sectors == 1 else f"{done.sectors} sectors"
    with suppress(OSError):  # the image is whole
        typer.echo(f"{sectors}, {size:,} bytes, in {done.seconds:.1f} s{rate}{cycles}", err=True)
    if forgeries:
        many = "1 sector is" if len(forgeries) == 1 else f"{len(forgeries)} sectors are"
        typer.echo(f"wideblock: {many} forged, and zeros in the result: {forgeries}", err=True)
        raise typer.Exit(1)
