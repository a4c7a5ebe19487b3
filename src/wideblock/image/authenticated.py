# SPDX-License-Identifier: Apache-2.0
"""Sectors of an authenticated cipher: by native code, the compiled core or the specification."""

import os

import numpy as np

from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.errors import UserError
from wideblock.export.contract import AeadContract
from wideblock.image.aead import ENGINES, by_core, check_lengths
from wideblock.image.engines import Bytes, Native, Rtl
from wideblock.image.sealers import Verdicts
from wideblock.native.twin import Twin
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
        known = ENGINES if subject.preset.scheme.native is None else ("native", *ENGINES)
        if engine not in known:
            raise UserError(f"engine of {subject.module} must be one of {', '.join(known)}, got {engine!r}")
        self._core, self._key, self._specification = subject, key, subject.specification(key)
        shape, self.sector_bytes = subject.behaviour.shape, subject.parameters.data_bytes
        self._tag, self._nonce, self.beside = shape.tag, shape.npub, shape.tag + shape.npub
        if shape.enciphered(self.sector_bytes) != self.sector_bytes:
            raise UserError(f"{subject.module} makes messages longer: it seals no sectors")
        check_lengths(subject, bytes(shape.npub), bytes(NUMBER + shape.npub), b"", False)
        self._engine, self._sealed, self._simulation, self._twin = engine, 0, None, None
        if engine == "native":
            self.chunk_bytes = Native.chunk_bytes

    def __enter__(self) -> "Authenticated":
        if self._engine == "rtl":
            self._simulation = AeadSimulation(self._core)
        if self._engine == "native":
            self._twin = Twin(self._core.native, self._key)
        return self

    def __exit__(self, *_: object) -> None:
        for started in (self._simulation, self._twin):
            if started:
                started.close()

    @property
    def cycles(self) -> int | None:
        return self._simulation and self._simulation.cycle

    def seal(self, sectors: Bytes, tweaks: Bytes, threads: int) -> tuple[Bytes, Bytes]:
        self._sealed += len(sectors)
        if self._sealed > MOST:
            raise UserError(f"a key seals at most {MOST} sectors where nonces are random; give another key")
        if self._twin:
            random = os.urandom(self._nonce * len(sectors))
            nonces = np.frombuffer(random, np.uint8).reshape(len(sectors), self._nonce)
            sealed, tags = self._twin.seal(sectors, np.concatenate([tweaks, nonces], axis=1), threads)
            return sealed, np.concatenate([tags, nonces], axis=1)
        results = []
        for sector, tweak in zip(sectors, tweaks, strict=True):
            nonce = os.urandom(self._nonce)
            results.append(self._message(nonce, tweak, sector.tobytes(), decrypt=False) + nonce)
        out = np.frombuffer(b"".join(results), np.uint8).reshape(len(sectors), -1)
        return np.ascontiguousarray(out[:, : self.sector_bytes]), np.ascontiguousarray(out[:, self.sector_bytes :])

    def unseal(self, sectors: Bytes, beside: Bytes, tweaks: Bytes, threads: int) -> tuple[Bytes, Verdicts]:
        if self._twin:
            tags, nonces = beside[:, : self._tag], beside[:, self._tag :]
            return self._twin.unseal(sectors, tags, np.concatenate([tweaks, nonces], axis=1), threads)
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
