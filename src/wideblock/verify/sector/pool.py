# SPDX-License-Identifier: Apache-2.0
"""The specification's answers, from other processes."""

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context

from wideblock.export.contract import Contract
from wideblock.verify.sector.stimulus import Request, Specification

__all__ = ["SpecificationPool"]


class SpecificationPool:
    """Answers of the specification, computed by other processes while the simulation runs."""

    def __init__(self, subject: Contract, processes: int | None = None):
        self._specification = subject.specification
        methods = "fork" if hasattr(os, "fork") else None
        self._processes = processes or max(1, os.cpu_count() or 1)
        self._pool = ProcessPoolExecutor(self._processes, get_context(methods), _leave_interrupts)

    def __enter__(self) -> "SpecificationPool":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def submit(self, key: bytes, requests: Sequence[Request], chunk: int = 32) -> list[Future[list[bytes]]]:
        """Promises of all answers, in order, in lists of ``chunk``."""
        return [
            self._pool.submit(_answers, self._specification, key, requests[i : i + chunk])
            for i in range(0, len(requests), chunk)
        ]

    def answers(self, key: bytes, requests: Sequence[Request]) -> list[bytes]:
        """All answers, in order."""
        return [answer for part in self.submit(key, requests) for answer in part.result()]


def _leave_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle


def _answers(specification: Callable[[bytes], Specification], key: bytes, requests: Sequence[Request]) -> list[bytes]:
    keyed = specification(key)
    return [(keyed.decrypt if r.decrypt else keyed.encrypt)(r.tweak, r.data) for r in requests]
