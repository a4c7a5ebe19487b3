# SPDX-License-Identifier: Apache-2.0
"""Sealers of sectors, behind one protocol: sectors in, and sectors with bytes beside each out."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wideblock.catalog.kinds import AEAD, SECTOR
from wideblock.errors import UserError
from wideblock.export.contract import Contract, SectorContract
from wideblock.image.engines import Bytes, Native
from wideblock.native.twin import Twin
from wideblock.spec.sealed import ICV, Sealed

__all__ = ["Sealer", "Verdicts", "sealer"]

Verdicts = NDArray[np.bool_]


class Sealer(Protocol):
    """Seals and unseals sectors under one key.

    beside:      bytes that stand beside a sector
    chunk_bytes: most bytes of a call
    cycles:      clock cycles of a core so far; None without a clock

    Construction is cheap and checks whether the sealer can do the work. Entering the context starts the sealer.
    """

    sector_bytes: int
    tweak_bytes: int
    beside: int
    chunk_bytes: int

    @property
    def cycles(self) -> int | None: ...
    def __enter__(self) -> "Sealer": ...
    def __exit__(self, *_: object) -> None: ...

    def seal(self, sectors: Bytes, tweaks: Bytes, threads: int) -> tuple[Bytes, Bytes]:
        """Sectors enciphered, (n, sector_bytes), and the bytes beside each, (n, beside)."""
        ...

    def unseal(self, sectors: Bytes, beside: Bytes, tweaks: Bytes, threads: int) -> tuple[Bytes, Verdicts]:
        """Plain sectors, zeros for a forged one, and whether each is right."""
        ...


def sealer(subject: Contract[Any, Any], key: bytes, engine: str) -> Sealer:
    """The sealer of a core: native code of a wide-block scheme, or an authenticated cipher by ``engine``.

    Raises UserError for an invalid key, and for a scheme without sealed sectors.
    """
    if subject.kind is AEAD:
        from wideblock.image.authenticated import Authenticated

        return Authenticated(subject.expect(AEAD), key, engine)
    return Encoded(subject.expect(SECTOR), key)


class Encoded:
    """A wide-block scheme over zeros and the sector, by native code; beside a sector stands its ICV."""

    beside, cycles = ICV, None

    def __init__(self, subject: SectorContract, key: bytes):
        specification = subject.specification(key)  # raises UserError for a key that the scheme does not take
        try:
            if not isinstance(specification, Sealed):
                Sealed(specification)
        except ValueError as error:
            raise UserError(f"{subject.module}: {error}") from None
        self._scheme, self._key, self.chunk_bytes = subject.native, key, Native.chunk_bytes
        self.sector_bytes, self.tweak_bytes = subject.parameters.sector_bytes, subject.parameters.tweak_bytes

    def __enter__(self) -> "Encoded":
        self._twin = Twin(self._scheme, self._key)
        return self

    def __exit__(self, *_: object) -> None:
        self._twin.close()

    def seal(self, sectors: Bytes, tweaks: Bytes, threads: int) -> tuple[Bytes, Bytes]:
        return self._twin.seal(sectors, tweaks, threads)

    def unseal(self, sectors: Bytes, beside: Bytes, tweaks: Bytes, threads: int) -> tuple[Bytes, Verdicts]:
        return self._twin.unseal(sectors, beside, tweaks, threads)
