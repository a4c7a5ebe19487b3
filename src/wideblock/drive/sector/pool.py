# SPDX-License-Identifier: Apache-2.0
"""The specification's answers, computed by other processes."""

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import Protocol

from wideblock.drive.sector.traffic import KeyedCipher, Request, Specification
from wideblock.spec.sealed import Forged
from wideblock.spec.trace import trace
from wideblock.spec.values import Values

__all__ = ["AnswerPool", "SpecificationPool", "answered"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class AnswerPool(Protocol):
    """A source of right answers, as :class:`SpecificationPool` is one."""

    def submit(self, key: bytes, requests: Sequence[Request], chunk: int = 32) -> list[Future[list[bytes]]]: ...
    def answers(self, key: bytes, requests: Sequence[Request]) -> list[bytes]: ...
    def values(self, key: bytes, request: Request) -> Values: ...


class SpecificationPool:
    """Answers of a specification under a key, from separate processes, while the calling process goes on.

    A thread here serves each process: sends a task, and waits for the answer. The processes
    hold nothing of value: they are killed when the pool closes, whatever they are doing, so closing never waits. They
    also end by themselves when this process is gone.

    processes: their number; None: one a processor
    """

    processes: int

    def __init__(self, specification: Callable[[bytes], Specification], processes: int | None = None):
        self.processes = processes or os.cpu_count() or 1
        self._specification = specification
        self._workers: list[BaseProcess] = []
        self._connections: list[Connection] = []
        self._free: SimpleQueue[Connection] = SimpleQueue()
        try:
            for _ in range(self.processes):
                self._start()
        except BaseException:
            self._kill()
            raise
        self._threads = ThreadPoolExecutor(self.processes)

    def __enter__(self) -> "SpecificationPool":
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()  # first: it ends the threads' waiting
        self._threads.shutdown(cancel_futures=True)
        for connection in self._connections:
            connection.close()

    def values(self, key: bytes, request: Request) -> Values:
        """Intermediate values of a request, named as in the paper, computed by the calling process."""
        return trace(self._specification(key), request.decrypt, request.tweak, request.given)

    def submit(self, key: bytes, requests: Sequence[Request], chunk: int = 32) -> list[Future[list[bytes]]]:
        """Promises of all answers, in order, in lists of ``chunk``.

        A promise raises what the specification raised, or ChildProcessError if its process was ended from outside.
        """
        return [self._threads.submit(self._ask, key, requests[i : i + chunk]) for i in range(0, len(requests), chunk)]

    def answers(self, key: bytes, requests: Sequence[Request]) -> list[bytes]:
        """All answers, in order."""
        return [answer for part in self.submit(key, requests) for answer in part.result()]

    def _start(self) -> None:
        """Starts one process. It is forked with signals blocked: no signal comes before the handlers are set."""
        context = get_context("fork")
        here, there = context.Pipe()
        process = context.Process(target=_work, args=(there, here, self._specification), daemon=True)
        self._workers.append(process)
        self._connections.append(here)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        there.close()
        self._free.put(here)

    def _ask(self, key: bytes, requests: Sequence[Request]) -> list[bytes]:
        connection = self._free.get()  # never waits: there are as many threads as connections
        try:
            connection.send((key, requests))
            answer = connection.recv()
        except (EOFError, OSError):
            raise ChildProcessError(
                "a process that computes the specification was ended from outside; is there enough memory?"
            ) from None
        finally:
            self._free.put(connection)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _kill(self) -> None:
        started = [process for process in self._workers if process.pid]
        for process in started:
            process.kill()
        for process in started:
            process.join()


def _work(there: Connection, here: Connection, specification: Callable[[bytes], Specification]) -> None:
    """The life of a process: answers tasks until the other end of the connection is gone."""
    here.close()  # else this process would hold its own connection open
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent then kills this process
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    try:
        while True:
            key, requests = there.recv()
            try:
                answer = _answers(specification(key), requests)
            except Exception as error:
                answer = error
            there.send(answer)
    except (EOFError, OSError):
        os._exit(0)  # the parent's buffers and exit handlers are not this process's to run


def _answers(keyed: Specification, requests: Sequence[Request]) -> list[bytes]:
    return [answered(keyed, request) for request in requests]


def answered(keyed: KeyedCipher, request: Request) -> bytes:
    """The result, with an ICV where the core seals, zeros for a plain sector; nothing for a forged sector."""
    if not request.decrypt:
        return keyed.encrypt(request.tweak, request.given)
    try:
        return keyed.decrypt(request.tweak, request.given) + bytes(len(request.icv))
    except Forged:
        return b""
