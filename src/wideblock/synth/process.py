# SPDX-License-Identifier: Apache-2.0
"""Tools run as processes of their own: a log file, a clear line at a failure."""

import errno
import importlib.metadata
import importlib.util
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["FlowError", "limit_memory", "run", "version", "workspace"]

FULL_BYTES = 1 << 20
"""Free bytes below which a tool that fails has failed for want of space."""
POLL_SECONDS = 0.5
"""Between two looks at the memory of a tool that has a limit."""


class FlowError(RuntimeError):
    """A tool is missing or has failed; the text is one line. ``log`` is the end of the tool's output."""

    def __init__(self, reason: str, log: str = ""):
        super().__init__(reason, log)
        self.log = log

    def __str__(self) -> str:
        return self.args[0]


def version(package: str, *, wanted: str | None = None) -> str:
    """Installed version of a PyPI package; raises FlowError if it is missing. pip installs it as ``wanted``."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise FlowError(f"{package} is not installed; install it with: pip install {wanted or package}") from None


@contextmanager
def workspace(directory: Path | None) -> Iterator[Path]:
    """``directory``, made if need be and kept; or, if None, a temporary directory, removed afterwards."""
    if directory is None:
        with TemporaryDirectory(prefix="wideblock-") as made:
            yield Path(made)
    else:
        directory = Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        yield directory


def run(tool: str, argv: Sequence[str], *, cwd: Path, log: Path, timeout: float | None = None) -> None:
    """Runs ``argv`` in ``cwd`` with all its output in ``log``; a failure or ``timeout`` (seconds) is one FlowError.

    Raises OSError if the tool fails and the disk is full.
    """
    with open(log, "wb") as output:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=os.environ | {"TMPDIR": os.path.abspath(cwd)},  # what a killed tool leaves goes with the workspace
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = _wait(tool, process, timeout)
        except BaseException as error:
            # The whole session: Yosys has an ABC below it that would go on by itself.
            with suppress(ProcessLookupError):  # it ended in the meantime
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(error, FlowError):
                error.log = _end(log)
            if isinstance(error, subprocess.TimeoutExpired):
                raise FlowError(f"{tool} did not finish in {timeout:g} s", _end(log)) from None
            raise
    if code:
        if shutil.disk_usage(cwd).free < FULL_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(cwd))
        raise FlowError(f"{tool} failed: {_reason(log, code)}", _end(log))


def limit_memory(size: int) -> None:
    """Limits the calling process, by MemoryError, and each tool run by the process, by FlowError, to ``size`` bytes of
    memory.

    A tool is watched, not limited by the system: one that runs out of memory may hang.
    """
    global _limit
    _limit = size
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))


_limit: int | None = None


def _wait(tool: str, process: subprocess.Popen, timeout: float | None) -> int:
    """The exit code of ``process``. Raises TimeoutExpired, and FlowError if its session takes too much memory."""
    if _limit is None:
        return process.wait(timeout)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    with suppress(ProcessLookupError):  # it has ended
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (hard, hard))
    began = time.monotonic()
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(POLL_SECONDS)
        if _resident(process.pid) > _limit:
            raise FlowError(f"{tool} took more than {_limit / 2**30:.3g} GiB of memory")
        if timeout is not None and time.monotonic() - began > timeout:
            raise subprocess.TimeoutExpired(process.args, timeout)


def _resident(session: int) -> int:
    """Bytes of memory of the processes of ``session``, shared memory each time."""
    pages = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = file.read_text().rpartition(")")[2].split()  # from the third of proc(5) on
            pages += int(fields[21]) if int(fields[3]) == session else 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _end(log: Path, size: int = 4000) -> str:
    """The last ``size`` characters of ``log``."""
    return log.read_text(errors="replace")[-size:]


def _reason(log: Path, code: int) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    for line in lines:
        if "ERROR: " in line:
            return line[line.index("ERROR: ") + len("ERROR: ") :]
    how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return f"{how}, last line: {lines[-1]}" if lines else how
