# SPDX-License-Identifier: Apache-2.0
"""``wideblock aead``."""

import sys
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from wideblock.atomic import replacing
from wideblock.catalog.kinds import AEAD
from wideblock.cli.app import Force, Preset, Set, progress, settings
from wideblock.cli.crypt import STREAM, Key, key_of, refuse_twice
from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.image.aead import ENGINES, crypt, longest
from wideblock.image.target import refuse_terminal

KEY, NONCE = "000102030405060708090a0b0c0d0e0f", "101112131415161718191a1b"
EXAMPLE = f"Example: [b]wideblock aead encrypt aes-gcm --key {KEY} --nonce {NONCE} --in note.txt --out note.gcm[/b]"


class Direction(StrEnum):
    """Direction of one message."""

    ENCRYPT = "encrypt"
    DECRYPT = "decrypt"


def aead(
    direction: Annotated[Direction, typer.Argument(help="Direction.")],
    preset: Preset,
    key: Key,
    nonce: Annotated[str, typer.Option(metavar="HEX", help="Nonce in hexadecimal; never twice under a key.")],
    source: Annotated[Path, typer.Option("--in", metavar="FILE", help="Message, or - for standard input.")],
    target: Annotated[Path, typer.Option("--out", metavar="FILE", help="Result, or - for standard output.")],
    ad: Annotated[Path | None, typer.Option(metavar="FILE", help="Associated data; none if left out.")] = None,
    engine: Annotated[
        str, typer.Option(metavar="|".join(ENGINES), help="Compiled core, or its specification.")
    ] = "rtl",
    force: Force = False,
    changes: Set = None,
) -> None:
    """Encrypt or decrypt one message with an authenticated cipher; the tag is the end of the ciphertext."""
    core = contract(preset, settings(changes)).expect(AEAD)
    try:
        npub = bytes.fromhex(nonce)
    except ValueError:
        raise UserError(f"the nonce is not hexadecimal; write it as --nonce {NONCE}") from None
    refuse_twice(key, source, (target,), "message")
    if target == STREAM:
        refuse_terminal(sys.stdout)
    given = _read(sys.stdin.buffer if source == STREAM else open(source, "rb"), longest(core))
    data = _read(open(ad, "rb"), core.behaviour.longest_ad) if ad else b""
    decrypt = direction is Direction.DECRYPT
    mode = 0o600 if decrypt else None
    opened = nullcontext(sys.stdout.buffer) if target == STREAM else replacing(target, overwrite=force, new_mode=mode)
    with opened as output, progress(f"{direction}ing with {core.module}, {engine}"):
        secret = key_of(key, core.behaviour.shape.key)
        output.write(crypt(core, secret, npub, data, given, decrypt=decrypt, engine=engine))
        sys.stdout.flush()


def _read(file: BinaryIO, most: int) -> bytes:
    """The bytes of a file, and no more than one too many: a device has no end."""
    with file:
        return file.read(most + 1)
