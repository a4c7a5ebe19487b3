# SPDX-License-Identifier: Apache-2.0
"""The native library as the judge of a long run, and the specification as the judge of the library in that run."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from wideblock.drive.sector.traffic import Request
from wideblock.errors import UserError
from wideblock.export.contract import SectorContract
from wideblock.native.twin import Twin
from wideblock.simulation.bench import SimulationError
from wideblock.spec.trace import trace
from wideblock.spec.values import Values
from wideblock.verify.sector.check import SectorCheck
from wideblock.verify.sector.suite import SECTORS

__all__ = ["JUDGED_NATIVELY", "NativePool"]

EVERY = 64
"""Answers for each one that the specification computes, too."""


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
            answers = [(twin.decrypt if r.decrypt else twin.encrypt)(r.tweak, r.data) for r in requests]
        for i in range(-self._answered % EVERY, len(requests), EVERY):
            keyed, r = self._subject.specification(key), requests[i]
            if (keyed.decrypt if r.decrypt else keyed.encrypt)(r.tweak, r.data) != answers[i]:
                raise SimulationError(f"the native library differs from the specification under key {key.hex()}, {r}")
        self._answered += len(requests)
        return answers

    def values(self, key: bytes, request: Request) -> Values:
        """Intermediate values of one request, those of the specification."""
        return trace(self._subject.specification(key), request.decrypt, request.tweak, request.data)


@contextmanager
def _opened(subject: SectorContract, processes: int | None) -> Iterator[Callable[..., SectorCheck]]:
    yield partial(SectorCheck, pool=NativePool(subject))


JUDGED_NATIVELY = replace(SECTORS, opened=_opened)
"""The suite of sector cores with the native library as its judge."""
