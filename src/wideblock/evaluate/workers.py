# SPDX-License-Identifier: Apache-2.0
"""Executors of long runs: processes of this machine, or the workers of a Dask scheduler."""

import logging
import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from threading import Thread
from typing import Any

from wideblock.errors import UserError
from wideblock.synth.process import FlowError, limit_memory

__all__ = ["local", "scheduled", "workers_by_memory"]

GIBIBYTES_A_WORKER = 3
"""Memory for place and route of a big core, with the emission of the Verilog."""

CONNECTION_SECONDS = 10


@contextmanager
def local(workers: int, gibibytes: float | None = None) -> Iterator[Executor]:
    """``workers`` processes of this machine; they and their tools end with the block, whatever ends it.

    gibibytes: most memory of a worker, and of each tool run by a worker; by default its share of the machine's
    """
    context = multiprocessing.get_context("spawn")
    memory = int(gibibytes * 2**30 if gibibytes else _memory() / workers)
    executor = _Local(workers, mp_context=context, initializer=_prepare, initargs=(memory,))
    try:
        yield executor
    finally:
        for process in multiprocessing.active_children():
            process.terminate()
        executor.shutdown(cancel_futures=True)  # waits: its thread, left alone, can fail while Python ends


@contextmanager
def scheduled(address: str) -> Iterator[Executor]:
    """The workers of the Dask scheduler at ``address``, such as "tcp://10.0.0.1:8786".

    Raises UserError if Dask is not installed or nobody answers, FlowError if the scheduler or its workers are lost.
    """
    if not re.fullmatch(r"(tcp|tls)://\S+:\d+", address):
        raise UserError(f"the address of a Dask scheduler is such as tcp://10.0.0.1:8786, got {address!r}")
    try:
        from distributed import Client, KilledWorker  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UserError("--scheduler needs Dask; install it with: pip install 'wideblock[sweep]'") from None
    for name in ("distributed", "distributed.client"):  # what it says of lost connections is said here in one line
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=CONNECTION_SECONDS, set_as_default=False)
    except OSError as error:
        reason = " ".join(str(error).split())
        start = f"start it with: dask scheduler, and workers with: dask worker {address}"
        raise UserError(f"no Dask scheduler answers at {address}: {reason}; {start}") from None
    with client:
        try:
            yield client.get_executor(pure=False)
        except KilledWorker:
            raise FlowError(
                "a point killed several workers, perhaps for want of memory; the same command goes on from here"
            ) from None
        except CancelledError:
            raise FlowError(
                f"the Dask scheduler at {address} was lost; start it again, and the same command goes on from here"
            ) from None


def workers_by_memory() -> int:
    """As many workers as this machine has cores for, and memory."""
    return max(1, min(len(os.sched_getaffinity(0)), (_memory() >> 30) // GIBIBYTES_A_WORKER))


def _memory() -> int:
    """Bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class _Local(ProcessPoolExecutor):
    """Processes that end their tools and remove their files when they are terminated."""

    def submit(self, fn, /, *arguments):
        return super().submit(_unwinding, fn, *arguments)


def _unwinding(fn: Callable[..., Any], *arguments: Any) -> Any:
    """``fn(*arguments)``; on SIGTERM it is left by an exception, and then the process ends.

    The executor would go on with the next call. Outside of ``fn`` the process holds nothing but, at times, the lock of
    the queue of results, which an exception would leave locked: there SIGTERM ends the process at once.
    """
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        return fn(*arguments)
    except SystemExit as left:
        os._exit(left.code if isinstance(left.code, int) else 1)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _prepare(memory: int) -> None:
    """Limits the memory of a worker, which ends with its parent; an interrupt from the keyboard is the parent's."""
    limit_memory(memory)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Waits for the end of the parent, which a SIGKILL leaves no time to end its workers."""
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
