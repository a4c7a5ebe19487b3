# SPDX-License-Identifier: Apache-2.0
"""Commands run side by side in threads; an exception in the calling thread, for example by Ctrl-C, ends all
commands.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from threading import Lock

__all__ = ["BuildError", "Commands", "compiler", "processors"]

_AWAKE = 0.5  # seconds; a signal that arrives while a thread falls asleep on a lock does not wake it


class BuildError(RuntimeError):
    """A model could not be built; the message is a line with the reason."""


def processors() -> int:
    """Processors available to the process."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def compiler() -> str:
    """The C++ compiler's command: ``$CXX`` or g++. Raises :class:`BuildError` if there is none."""
    command = os.environ.get("CXX") or "g++"
    if shutil.which(command) is None:
        raise BuildError(f"no C++ compiler: {command!r} is not on PATH; install g++ or set CXX to a C++17 compiler")
    return command


class Commands:
    """Runs commands, as many at a time as there are processors. Leaving the context ends those still running."""

    def __init__(self):
        self._lock = Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False
        self._threads = ThreadPoolExecutor(processors())

    def __enter__(self) -> "Commands":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._ended = True
            for process in self._running:
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
        self._threads.shutdown(cancel_futures=True)

    def start(
        self, command: Sequence[object], directory: Path, failure: str, environment: Mapping[str, str] | None = None
    ) -> Future[None]:
        """Queues one command; its result raises :class:`BuildError`, ``failure`` and the command's first error."""
        return self._threads.submit(self._run, [str(word) for word in command], directory, failure, environment or {})

    def run(
        self, command: Sequence[object], directory: Path, failure: str, environment: Mapping[str, str] | None = None
    ) -> None:
        """Runs a command to the end. Raises :class:`BuildError`."""
        self.finish(self.start(command, directory, failure, environment))

    def finish(self, started: Future[None]) -> None:
        """Waits for the end of a command. Raises :class:`BuildError`."""
        while not wait([started], timeout=_AWAKE).done:
            pass
        started.result()

    def _run(self, command: list[str], directory: Path, failure: str, environment: Mapping[str, str]) -> None:
        with self._lock:
            if self._ended:
                raise BuildError(f"{failure}: the build was interrupted")
            process = subprocess.Popen(
                command,
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env={**os.environ, **environment},
                start_new_session=True,  # a compiler has processes of its own: the whole group is ended
            )
            self._running.add(process)
        said, complained = process.communicate()
        with self._lock:
            self._running.discard(process)
        if process.returncode:
            lines = [line.strip() for line in (complained + said).splitlines() if line.strip()]
            telling = [line for line in lines if "error" in line.lower() or "no space" in line.lower()] or lines
            raise BuildError(f"{failure}: {telling[0] if telling else f'exit status {process.returncode}'}")
