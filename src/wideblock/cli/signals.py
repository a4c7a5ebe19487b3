# SPDX-License-Identifier: Apache-2.0
"""SIGINT, SIGTERM and SIGHUP end a command as an exception does: everything under way is undone."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Stopped", "stopping"]

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CLEANING = 2.0
"""Seconds after a signal in which further signals are ignored, and cannot interrupt the cleaning up."""


class Stopped(SystemExit):
    """The process was asked to end by ``signal``; its exit status is 128 + the signal's number, as in a shell."""

    def __init__(self, number: int):
        super().__init__(128 + number)
        self.signal = signal.Signals(number)

    def __str__(self) -> str:
        return f"stopped by {self.signal.name}"


@contextmanager
def stopping() -> Iterator[None]:
    """Raises :class:`Stopped` in the main thread at SIGINT, SIGTERM and SIGHUP; ignores them once the block has ended.

    To be used around the whole work of a process. A signal that is ignored when the block begins stays ignored: that is
    how ``nohup`` and shells protect a background process.
    """
    quiet_until = 0.0
    lost: Stopped | None = None

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal quiet_until
        now = time.monotonic()
        if now >= quiet_until:
            quiet_until = now + CLEANING
            raise Stopped(lost.signal if lost and number == signal.SIGALRM else number)

    def again(unraisable: "sys.UnraisableHookArgs") -> None:
        """Repeats the signal a little later where Python ignores the exception: in ``__del__`` and callbacks."""
        nonlocal quiet_until, lost
        if isinstance(unraisable.exc_value, Stopped):
            quiet_until, lost = 0.0, unraisable.exc_value
            signal.setitimer(signal.ITIMER_REAL, 0.01)
        else:
            sys.__unraisablehook__(unraisable)

    handled = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    sys.unraisablehook = again
    for number in (*handled, signal.SIGALRM):
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in (*handled, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)  # only the interpreter's own end is left
        sys.unraisablehook = sys.__unraisablehook__
