# SPDX-License-Identifier: Apache-2.0
"""A scheme under a key in the native library."""

import ctypes
import threading
import weakref

import numpy as np
from numpy.typing import NDArray

from wideblock.errors import UserError
from wideblock.native.library import library
from wideblock.spec.sealed import ICV

__all__ = ["Twin"]

Bytes = NDArray[np.uint8]

FORGED = 15
"""WIDEBLOCK_FORGED of ``wideblock.h``: at least one sector was forged, and all have been written."""


class Twin:
    """The library's ``scheme`` under ``key``, at the widest vectors of the processor, or at ``width``.

    Any number of threads may use a twin; calls let other Python threads run. The key's values are wiped when the twin
    is closed, after the calls under way, or garbage.

    Raises ValueError for an unknown scheme or width and for a key that the scheme does not take; BuildError.
    """

    def __init__(self, scheme: str, key: bytes, width: str | None = None):
        self._library, context = library(), ctypes.c_void_p()
        wide = width.encode() if width is not None else None
        self._expect(self._library.wideblock_open(ctypes.byref(context), scheme.encode(), key, len(key), wide), scheme)
        self._scheme, self._context = scheme, context
        self._closed, self._calls, self._turn = False, 0, threading.Condition()
        self._wipe = weakref.finalize(self, self._library.wideblock_close, context)
        self._wipe.atexit = False  # a thread may be within a call

    def __enter__(self) -> "Twin":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Refuses further calls, waits for the calls under way, and wipes the key's values."""
        with self._turn:
            self._closed = True
            self._turn.wait_for(lambda: not self._calls)
        self._wipe()

    def crypt(self, sectors: Bytes, tweaks: Bytes, decrypt: bool, threads: int = 1, out: Bytes | None = None) -> Bytes:
        """The sectors, (n, sector_bytes), each enciphered or deciphered under its tweak, (n, tweak_bytes).

        out: where they are written, an array of the sectors' shape without gaps, perhaps theirs; None: a new one
        Raises ValueError for invalid sizes, and for arrays that overlap at another address.
        """
        sectors, tweaks = _rows(sectors, tweaks)
        out = _place(out, sectors)
        self._call("crypt", decrypt, sectors, out, *sectors.shape, tweaks, tweaks.shape[1], threads)
        return out

    def crypt_numbered(
        self,
        sectors: Bytes,
        first: int,
        decrypt: bool,
        tweak_bytes: int = 16,
        threads: int = 1,
        out: Bytes | None = None,
    ) -> Bytes:
        """As :meth:`crypt`, under the sectors' numbers from ``first`` on, little-endian, with zeros behind.

        Raises OverflowError for a number below 0 or beyond 16 bytes.
        """
        sectors = np.ascontiguousarray(sectors)
        out, number = _place(out, sectors), first.to_bytes(16, "little")
        self._call("crypt_numbered", decrypt, sectors, out, *sectors.shape, number, tweak_bytes, threads)
        return out

    def seal(self, sectors: Bytes, tweaks: Bytes, threads: int = 1) -> tuple[Bytes, Bytes]:
        """The sectors enciphered, and their integrity check values, (n, 16).

        Raises ValueError for a scheme without sealed sectors, and for invalid sizes.
        """
        sectors, tweaks = _rows(sectors, tweaks)
        out, icvs = np.empty_like(sectors), np.empty((len(sectors), ICV), np.uint8)
        self._call("seal", sectors, out, icvs, *sectors.shape, tweaks, tweaks.shape[1], threads)
        return out, icvs

    def unseal(self, sectors: Bytes, icvs: Bytes, tweaks: Bytes, threads: int = 1) -> tuple[Bytes, NDArray[np.bool_]]:
        """The plain sectors, zeros for a forged one, and whether each is right. Raises ValueError as :meth:`seal`."""
        sectors, tweaks = _rows(sectors, tweaks)
        icvs = np.ascontiguousarray(icvs)
        if icvs.shape != (len(sectors), ICV):
            raise ValueError(f"ICVs must be {len(sectors)} rows of {ICV} bytes, got {icvs.shape}")
        out, verdicts = np.empty_like(sectors), np.empty(len(sectors), np.bool_)
        rows = (*sectors.shape, tweaks, tweaks.shape[1])
        self._call("unseal", sectors, out, icvs, verdicts, *rows, threads, allowed=FORGED)
        return out, verdicts

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """A sector enciphered, as by the specification."""
        return self._one(tweak, sector, decrypt=False)

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """A sector deciphered, as by the specification."""
        return self._one(tweak, sector, decrypt=True)

    def _one(self, tweak: bytes, sector: bytes, *, decrypt: bool) -> bytes:
        out = ctypes.create_string_buffer(len(sector))
        self._call("crypt", decrypt, sector, out, 1, len(sector), tweak, len(tweak), 1)
        return out.raw

    def _call(self, function: str, *arguments: object, allowed: int = 0) -> None:
        """Calls a function of the library, with arrays as the addresses of their data. Raises ValueError."""
        plain = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in arguments]
        with self._turn:
            if self._closed:
                raise UserError("the cipher is closed; make another")
            self._calls += 1
        try:
            result = getattr(self._library, f"wideblock_{function}")(self._context, *plain)
        finally:
            with self._turn:
                self._calls -= 1
                self._turn.notify_all()
        if result != allowed:
            self._expect(result, self._scheme)

    def _expect(self, result: int, scheme: str) -> None:
        if result:
            raise ValueError(f"{scheme}: {self._library.wideblock_message(result).decode()}")


def _place(out: Bytes | None, sectors: Bytes) -> Bytes:
    """The array that is written for ``sectors``."""
    if out is None:
        return np.empty_like(sectors)
    if out.shape != sectors.shape or not out.flags.c_contiguous:
        raise ValueError(f"out must be an array of shape {sectors.shape} without gaps, got {out.shape}")
    return out


def _rows(sectors: Bytes, tweaks: Bytes) -> tuple[Bytes, Bytes]:
    """Both as the library reads them."""
    if len(sectors) != len(tweaks):
        raise ValueError(f"there must be a tweak a sector, got {len(tweaks)} for {len(sectors)} sectors")
    return np.ascontiguousarray(sectors), np.ascontiguousarray(tweaks)
