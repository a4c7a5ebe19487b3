# SPDX-License-Identifier: Apache-2.0
"""The end of a sector by ``keep`` of the beats, and the fault, by the rules of the ports."""

from dataclasses import replace

from wideblock.drive.sector.shape import SectorCore
from wideblock.drive.sector.traffic import Request
from wideblock.rtl.stream.behaviour import Cause

__all__ = ["cause_of_keep", "kept"]


def kept(request: Request) -> Request:
    """The sector ends with the first partial beat, or before the beat if the bytes are no run from byte 0."""
    if not request.keep:
        return request
    size, beat = 0, len(request.data) // len(request.keep)
    for keep in request.keep:
        bytes_here = _run(keep) or 0
        size += bytes_here
        if bytes_here < beat:
            break
    return replace(request, data=request.data[:size], keep=())


def cause_of_keep(subject: SectorCore, request: Request) -> Cause | None:
    """The cause of the fault that ``keep`` of the beats shows first; None: the sector is right."""
    behaviour, keeps = subject.behaviour, request.keep
    beat = len(request.data) // len(keeps)
    stated = behaviour.length.due(request.stated)
    left = behaviour.length.most if stated is None else stated
    for number, keep in enumerate(keeps):
        run, rest = _run(keep), keeps[number + 1 :]
        due = min(beat, left)
        if run is None:
            return Cause.KEEP
        if number == 0 and run < min(due, behaviour.length.least):
            return Cause.SHORT
        if run > due:
            return Cause.LONG
        if stated is not None and (run < due or (not rest and left > run)):
            return Cause.SHORT
        left -= run
        if run < beat or not left or not rest:
            if not run:
                return Cause.KEEP if rest else None
            going_on = Cause.LONG if run == beat else Cause.KEEP
            return going_on if rest not in ((), (0,)) else None
    raise ValueError("a sector must have a beat")


def _run(keep: int) -> int | None:
    """The bytes that a run from byte 0 has; None if ``keep`` is none and not 0."""
    return keep.bit_length() if keep & (keep + 1) == 0 else None
