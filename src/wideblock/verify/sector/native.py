# SPDX-License-Identifier: Apache-2.0
"""The native library as the judge of a long run, and the specification as the judge of the library in that run."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from wideblock.drive.sector.pool import answered
from wideblock.drive.sector.traffic import Request
from wideblock.errors import UserError
from wideblock.export.contract import SectorContract
from wideblock.native.twin import Twin
from wideblock.rtl.sector.parameters import SectorParameters
from wideblock.simulation.bench import SimulationError
from wideblock.spec.sealed import ICV, Forged
from wideblock.spec.trace import trace
from wideblock.spec.values import Values
from wideblock.verify.sector.check import SectorCheck
from wideblock.verify.sector.suite import SECTORS

__all__ = ["JUDGED_NATIVELY", "NativePool"]

EVERY = 64
"""Answers for each answer also computed by the specification."""


class SealingTwin:
    """Sealed sectors of the library, as a specification has them: with the ICV behind, in units of any stride."""

    def __init__(self, twin: Twin, parameters: SectorParameters):
        self._twin, self._size, self._stride = twin, parameters.sector_bytes, parameters.stride

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        sealed, icv = self._twin.seal(_row(sector[: self._size]), _row(tweak))
        return (sealed.tobytes() + icv.tobytes()).ljust(self._stride, b"\0")

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        icv = sector[self._size : self._size + ICV]
        plain, right = self._twin.unseal(_row(sector[: self._size]), _row(icv), _row(tweak))
        if not right.all():
            raise Forged
        return plain.tobytes().ljust(self._stride, b"\0")


def _row(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8).reshape(1, -1)


class NativePool:
    """As :class:`SpecificationPool`, by the native library in this process.

    Raises :class:`SimulationError` if the specification has another answer. Raises UserError, BuildError.
    """

    def __init__(self, subject: SectorContract):
        self._subject, self._scheme, self._answered = subject, subject.native, 0

    def submit(self, key: bytes, requests: Sequence[Request], chunk: int = 32) -> list[Future[list[bytes]]]:
        """All answers as promises that are kept, in order, in lists of ``chunk``."""
        answers = self.answers(key, requests)
        promises: list[Future[list[bytes]]] = []
        for i in range(0, len(answers), chunk):
            promises.append(Future())
            promises[-1].set_result(answers[i : i + chunk])
        return promises

    def answers(self, key: bytes, requests: Sequence[Request]) -> list[bytes]:
        """All answers, in order."""
        try:
            twin = Twin(self._scheme, key)
        except ValueError as error:
            raise UserError(str(error)) from None
        with twin:
            parameters = self._subject.parameters
            keyed = SealingTwin(twin, parameters) if parameters.icv_bytes else twin
            answers = [answered(keyed, request) for request in requests]
        for i in range(-self._answered % EVERY, len(requests), EVERY):
            keyed, r = self._subject.specification(key), requests[i]
            if answered(keyed, r) != answers[i]:
                raise SimulationError(f"the native library differs from the specification under key {key.hex()}, {r}")
        self._answered += len(requests)
        return answers

    def values(self, key: bytes, request: Request) -> Values:
        """Intermediate values of a request, from the specification."""
        return trace(self._subject.specification(key), request.decrypt, request.tweak, request.given)


@contextmanager
def _opened(subject: SectorContract, processes: int | None) -> Iterator[Callable[..., SectorCheck]]:
    yield partial(SectorCheck, pool=NativePool(subject))


JUDGED_NATIVELY = replace(SECTORS, opened=_opened)
"""The suite of sector cores with the native library as its judge."""
