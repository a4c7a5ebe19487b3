# SPDX-License-Identifier: Apache-2.0
"""Tools run as processes of their own: one log file, one clear line when they fail."""

import importlib.metadata
import importlib.util
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["FlowError", "run", "version", "workspace"]


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
    """``directory``, made if need be and kept; or, if None, a temporary one that is removed afterwards."""
    if directory is None:
        with TemporaryDirectory(prefix="wideblock-") as made:
            yield Path(made)
    else:
        directory = Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        yield directory


def run(tool: str, argv: Sequence[str], *, cwd: Path, log: Path, timeout: float | None = None) -> None:
    """Runs ``argv`` in ``cwd`` with all its output in ``log``; a failure or ``timeout`` (seconds) is one FlowError."""
    with open(log, "wb") as output:
        process = subprocess.Popen(
            argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = process.wait(timeout)
        except BaseException as error:
            # The whole session: Yosys has an ABC below it that would go on by itself.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise FlowError(f"{tool} did not finish in {timeout:g} s", _end(log)) from None
            raise
    if code:
        raise FlowError(f"{tool} failed: {_reason(log, code)}", _end(log))


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
