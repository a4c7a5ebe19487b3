# SPDX-License-Identifier: Apache-2.0
"""The command line: one module a subcommand; what they do lives in the packages they call."""

import io
import os
import sys
import traceback
import warnings
from typing import TextIO

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts threads for matrices, and no command multiplies any

from wideblock import __version__
from wideblock.cli.app import app, one_line
from wideblock.cli.signals import Stopped, stopping

__all__ = ["main"]

FAULT = "this is a fault of the program, not of yours; please report it with the command and the lines above"
CLOSED = (("stdin", "rb", os.O_WRONLY), ("stdout", "wb", os.O_RDONLY), ("stderr", "wb", os.O_WRONLY))


def main() -> None:
    """Runs the command line of this process.

    An exception that no command expects is a fault of the code: a traceback, a line with advice, and exit status 70 of
    sysexits.h. Warnings of libraries are for who writes code: they are shown where Python is asked for them, by ``-W``
    or ``PYTHONWARNINGS``.
    """
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    _replace_closed_streams()
    with stopping():
        try:
            app(prog_name="wideblock")
        except Stopped as stop:
            print(f"wideblock: {one_line(stop)}", file=sys.stderr)
            raise
        except SystemExit as end:
            sys.exit(_written(end.code))
        except Exception:
            traceback.print_exc()
            print(f"wideblock {__version__}: {FAULT}", file=sys.stderr)
            sys.exit(os.EX_SOFTWARE)


def _written(status: str | int | None) -> str | int | None:
    """``status``; 1 with a line on standard error if standard output has no room for what is still in its buffer."""
    if error := _flushed(sys.stdout):
        if not (status or isinstance(error, BrokenPipeError)):
            print(f"wideblock: {one_line(error)}", file=sys.stderr)
        status = status or 1
    _flushed(sys.stderr)
    return status


def _flushed(stream: TextIO) -> OSError | None:
    """The error of a flush; the interpreter flushes once more, and finds the null device."""
    try:
        stream.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None


def _replace_closed_streams() -> None:
    """Puts a stream in the place of each standard stream that the caller has closed.

    stdin, stdout: every read or write fails with EBADF
    stderr:        takes all, and shows nothing
    No file that is opened later has the descriptor of a standard stream, where a library or a tool would write to it.
    """
    for number, (name, mode, flags) in enumerate(CLOSED):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, flags)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            raw = open(number, mode, buffering=0, closefd=False)  # in a buffer text would be left for the end
            setattr(sys, name, io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True))
