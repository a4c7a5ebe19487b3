# SPDX-License-Identifier: Apache-2.0
"""Engines to encrypt and decrypt sectors, behind a protocol.

An engine imports what it needs when it is made: native code needs neither simulation nor specification.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wideblock.errors import UserError
from wideblock.export.contract import SectorContract
from wideblock.native.twin import Twin
from wideblock.simulation.commands import processors

__all__ = ["ENGINES", "Bytes", "Chunk", "Engine", "KeyedChunk", "make", "usual"]

Bytes = NDArray[np.uint8]
Chunk = tuple[Bytes, Bytes]
"""Sectors (n, sector_bytes) and their tweaks (n, tweak_bytes)."""

KeyedChunk = tuple[Bytes, Bytes, int]
"""The same, and the slot of their key."""


class Engine(Protocol):
    """Encrypts or decrypts sectors in a direction, each under a key of ``keys``, by its slot.

    ``threads`` bounds the processors that work; None: all. Construction is cheap and checks whether the engine can do
    the work. Entering the context starts the engine, which may take minutes; leaving the context ends the engine.
    """

    sector_bytes: int
    tweak_bytes: int
    chunk_bytes: int
    """Most bytes of a chunk. A bound of memory, and of the time for which signals wait for a chunk."""

    def __init__(self, subject: SectorContract, keys: Sequence[bytes], decrypt: bool, threads: int | None): ...
    def __enter__(self) -> "Engine": ...
    def __exit__(self, *_: object) -> None: ...

    def crypt(self, chunks: Iterable[KeyedChunk]) -> Iterator[Bytes]:
        """Results (any number, sector_bytes), in the order of the sectors; memory is bounded by a few chunks."""
        ...

    @property
    def cycles(self) -> int | None:
        """Clock cycles of the core so far; None for an engine without a clock."""
        ...


class Rtl:
    """The compiled model of the exported Verilog, one a processor. Raises BuildError and SimulationError."""

    chunk_bytes = 1 << 16  # at most a second of simulation

    def __init__(self, subject: SectorContract, keys: Sequence[bytes], decrypt: bool, threads: int | None = None):
        subject.expect_streams()
        if decrypt not in subject.behaviour.directions:
            has, lacks = ("encrypts", "decrypt") if decrypt else ("decrypts", "encrypt")
            raise UserError(f"{subject.module} only {has}; to {lacks}, choose the engine 'native' or a core that does")
        if len(keys) > (most := max(1, subject.parameters.slots)):
            held = "one key" if most == 1 else f"{most} keys"
            raise UserError(f"{subject.module} holds {held}, got {len(keys)}; set slots, or choose the engine native")
        self._subject, self._keys, self._decrypt, self._models = subject, keys, decrypt, threads or processors()
        self.sector_bytes, self.tweak_bytes = _sizes(subject)
        self._first_cycle = 0

    def __enter__(self) -> "Rtl":
        from wideblock.drive.sector.engine import simulated

        first = simulated(self._subject)
        self._simulations = [first, *(first.fresh() for _ in range(self._models - 1))]
        self._threads = ThreadPoolExecutor(len(self._simulations))
        for simulation in self._simulations:
            for slot, key in enumerate(self._keys):
                simulation.load_key(key, slot)
        self._first_cycle = self._all_cycles()
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)  # a thread uses a model until its call ends
        for simulation in self._simulations:
            simulation.close()

    def crypt(self, chunks: Iterable[KeyedChunk]) -> Iterator[Bytes]:
        from wideblock.drive.sector.stream import stream_sectors

        return stream_sectors(self._simulations, self._threads, chunks, self._decrypt)

    @property
    def cycles(self) -> int:
        """The cycles of all models together, each with a separate clock."""
        return self._all_cycles() - self._first_cycle

    def _all_cycles(self) -> int:
        return sum(simulation.cycle for simulation in self._simulations)


class SpecificationEngine:
    """The executable specification, in one process a processor."""

    chunk_bytes = 1 << 18

    def __init__(self, subject: SectorContract, keys: Sequence[bytes], decrypt: bool, threads: int | None = None):
        self._subject, self._keys, self._decrypt, self._threads = subject, keys, decrypt, threads
        self.sector_bytes, self.tweak_bytes = _sizes(subject)

    def __enter__(self) -> "SpecificationEngine":
        from wideblock.drive.sector.pool import SpecificationPool

        self._pool = SpecificationPool(self._subject.specification, self._threads)
        return self

    def __exit__(self, *details: object) -> None:
        self._pool.__exit__(*details)

    def crypt(self, chunks: Iterable[KeyedChunk]) -> Iterator[Bytes]:
        from wideblock.drive.sector.traffic import Request

        waiting: deque[Future[list[bytes]]] = deque()
        for sectors, tweaks, slot in chunks:
            requests = [
                Request(sector.tobytes(), tweak.tobytes(), self._decrypt)
                for sector, tweak in zip(sectors, tweaks, strict=True)
            ]
            waiting.extend(self._pool.submit(self._keys[slot], requests, chunk=16))
            while len(waiting) > 4 * self._pool.processes:
                yield _array(waiting.popleft().result())
        while waiting:
            yield _array(waiting.popleft().result())

    @property
    def cycles(self) -> None:
        return None


class Native:
    """The native library. A chunk is read and another written while one is worked on. Raises BuildError."""

    chunk_bytes = 1 << 22

    def __init__(self, subject: SectorContract, keys: Sequence[bytes], decrypt: bool, threads: int | None = None):
        self._scheme, self._keys, self._decrypt = subject.native, keys, decrypt
        self._threads = threads or processors()
        self.sector_bytes, self.tweak_bytes = _sizes(subject)

    def __enter__(self) -> "Native":
        with ExitStack() as made:
            self._twins = [made.enter_context(closing(Twin(self._scheme, key))) for key in self._keys]
            self._close = made.pop_all().close
        self._worker = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.shutdown(cancel_futures=True)
        self._close()

    def crypt(self, chunks: Iterable[KeyedChunk]) -> Iterator[Bytes]:
        waiting: deque[Future[Bytes]] = deque()
        for sectors, tweaks, slot in chunks:
            crypt = self._twins[slot].crypt
            waiting.append(self._worker.submit(crypt, sectors, tweaks, self._decrypt, self._threads))
            if len(waiting) > 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    @property
    def cycles(self) -> None:
        return None


ENGINES: dict[str, type[Engine]] = {"native": Native, "rtl": Rtl, "spec": SpecificationEngine}
"""Every engine by the name that users give."""


def usual(subject: SectorContract) -> str:
    """The engine for whole images: the native library, or the core for a scheme without native code."""
    return "rtl" if subject.preset.scheme.native is None else "native"


def make(
    name: str, subject: SectorContract, keys: Sequence[bytes], *, decrypt: bool, threads: int | None = None
) -> Engine:
    """The engine ``name`` of a subject under ``keys``, not yet started.

    Raises UserError for an unknown engine, a wrong key and a direction that the engine does not have.
    """
    if name not in ENGINES:
        raise UserError(f"engine must be one of {', '.join(map(repr, ENGINES))}, got {name!r}")
    for slot, key in enumerate(keys):
        try:
            subject.specification(key)  # raises UserError for a key that the scheme does not take
        except UserError as error:
            raise UserError(str(error) if len(keys) == 1 else f"range {slot}: {error}") from None
    if subject.parameters.icv_bytes:
        raise UserError(f"{subject.module} seals sectors; give --icv FILE or --layout inline, or leave out icv_bytes")
    return ENGINES[name](subject, keys, decrypt, threads)


def _sizes(subject: SectorContract) -> tuple[int, int]:
    """Bytes of a sector and of its tweak."""
    return subject.parameters.sector_bytes, subject.parameters.tweak_bytes


def _array(sectors: list[bytes]) -> Bytes:
    return np.frombuffer(b"".join(sectors), np.uint8).reshape(len(sectors), -1)
