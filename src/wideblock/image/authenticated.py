# SPDX-License-Identifier: Apache-2.0
"""Sectors of an authenticated cipher, by the compiled core or the specification."""

import os

import numpy as np

from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.errors import UserError
from wideblock.export.contract import AeadContract
from wideblock.image.aead import ENGINES, by_core, check_lengths
from wideblock.image.engines import Bytes, Rtl
from wideblock.image.sealers import Verdicts
from wideblock.spec.aead import Rejected

__all__ = ["MOST", "Authenticated"]

NUMBER = 8
"""Bytes of a sector's number in its associated data."""

MOST = 1 << 32
"""Most sectors of one key where nonces are random. Source: SP 800-38D, 8.3."""


class Authenticated:
    """An authenticated cipher as dm-crypt uses it; tag and nonce are beside the sector.

    Bytes:    associated data are the sector's number, little-endian, and the nonce.
    Source:   Linux, drivers/md/dm-crypt.c: ``crypt_convert_block_aead``, with an IV of ``random``.
    Security: a nonce is fresh random bytes for each sealed sector: a key serves 2^32 sectors.
    """

    tweak_bytes, chunk_bytes = NUMBER, Rtl.chunk_bytes

    def __init__(self, subject: AeadContract, key: bytes, engine: str):
        if engine not in ENGINES:
            raise UserError(f"engine of {subject.module} must be one of {', '.join(ENGINES)}, got {engine!r}")
        self._core, self._key, self._specification = subject, key, subject.specification(key)
        shape, self.sector_bytes = subject.behaviour.shape, subject.parameters.data_bytes
        self._tag, self._nonce, self.beside = shape.tag, shape.npub, shape.tag + shape.npub
        if shape.enciphered(self.sector_bytes) != self.sector_bytes:
            raise UserError(f"{subject.module} makes messages longer: it seals no sectors")
        check_lengths(subject, bytes(shape.npub), bytes(NUMBER + shape.npub), b"", False)
        self._by_core, self._sealed, self._simulation = engine == "rtl", 0, None

    def __enter__(self) -> "Authenticated":
        if self._by_core:
            self._simulation = AeadSimulation(self._core)
        return self

    def __exit__(self, *_: object) -> None:
        if self._simulation:
            self._simulation.close()

    @property
    def cycles(self) -> int | None:
        return self._simulation and self._simulation.cycle

    def seal(self, sectors: Bytes, tweaks: Bytes, threads: int) -> tuple[Bytes, Bytes]:
        self._sealed += len(sectors)
        if self._sealed > MOST:
            raise UserError(f"a key seals at most {MOST} sectors where nonces are random; give another key")
        results = []
        for sector, tweak in zip(sectors, tweaks, strict=True):
            nonce = os.urandom(self._nonce)
            results.append(self._message(nonce, tweak, sector.tobytes(), decrypt=False) + nonce)
        out = np.frombuffer(b"".join(results), np.uint8).reshape(len(sectors), -1)
        return np.ascontiguousarray(out[:, : self.sector_bytes]), np.ascontiguousarray(out[:, self.sector_bytes :])

    def unseal(self, sectors: Bytes, beside: Bytes, tweaks: Bytes, threads: int) -> tuple[Bytes, Verdicts]:
        out, verdicts = np.zeros_like(sectors), np.zeros(len(sectors), np.bool_)
        for k, (sector, tail, tweak) in enumerate(zip(sectors, beside, tweaks, strict=True)):
            tag, nonce = tail[: self._tag].tobytes(), tail[self._tag :].tobytes()
            try:
                plain = self._message(nonce, tweak, sector.tobytes() + tag, decrypt=True)
            except Rejected:
                continue
            out[k], verdicts[k] = np.frombuffer(plain, np.uint8), True
        return out, verdicts

    def _message(self, nonce: bytes, tweak: Bytes, given: bytes, *, decrypt: bool) -> bytes:
        """A ciphertext with a tag at the end, or the message of a ciphertext. Raises Rejected."""
        ad = tweak.tobytes() + nonce
        if self._simulation:
            return by_core(self._simulation, self._key, nonce, ad, given, decrypt=decrypt)
        return (self._specification.decrypt if decrypt else self._specification.encrypt)(nonce, ad, given)
