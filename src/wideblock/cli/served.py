# SPDX-License-Identifier: Apache-2.0
"""A block device as the servers of :mod:`wideblock.native.servers` take it: options, checks, parameters."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from wideblock.catalog.kinds import SECTOR
from wideblock.cli.app import settings
from wideblock.cli.crypt import key_of
from wideblock.errors import UserError
from wideblock.export.contract import configured

__all__ = ["Below", "Icv", "ReadOnly", "Served"]

Below = Annotated[Path, typer.Option(metavar="FILE", help="File or block device below, of whole sectors.")]
Icv = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Integrity check values, 16 bytes a sector; a forged sector is an error."),
]
ReadOnly = Annotated[bool, typer.Option("--read-only", help="Device that cannot be written.")]


@dataclass(frozen=True)
class Served:
    """The device of a command line; members are its options."""

    preset: str
    changes: list[str] | None
    key: str = field(repr=False)
    file: Path
    tweak: str | None
    first_sector: int
    tweak_offset: int
    icv: Path | None
    read_only: bool
    accept_broken: bool

    def words(self) -> list[str]:
        """Parameters of a server, which reads the key from a descriptor. Raises UserError for what it cannot serve."""
        core = configured(self.preset, settings(self.changes)).expect(SECTOR)
        scheme, parameters = core.preset.scheme, core.parameters
        scheme.check_status(accept_broken=self.accept_broken)
        if scheme.native is None or not parameters.tweak_bytes:
            raise UserError(
                f"{core.module} is no device's: its scheme needs a tweak, and a place in the native library"
            )
        if parameters.icv_bytes and not self.icv:
            raise UserError(f"{core.module} seals sectors; give their values, --icv FILE, or leave out icv_bytes")
        secret = key_of(self.key, core.key_bytes)
        core.specification(secret)  # raises UserError for a key that the scheme does not take
        return [
            f"file={self.file.absolute()}",
            f"scheme={core.native}",
            f"key-file=/dev/fd/{_readable(secret)}",
            f"sector={parameters.sector_bytes}",
            f"tweak-bytes={parameters.tweak_bytes}",
            f"tweak={self.tweak}",
            f"first={self.first_sector}",
            f"tweak-offset={self.tweak_offset}",
            f"read-only={str(self.read_only).lower()}",
            *([f"icv={self.icv.absolute()}"] if self.icv else []),
        ]


def _readable(secret: bytes) -> int:
    """A descriptor from which the next program reads ``secret``: no command line and no file has it."""
    reading, writing = os.pipe()
    os.write(writing, secret)
    os.close(writing)
    os.set_inheritable(reading, True)
    return reading
