# SPDX-License-Identifier: Apache-2.0
"""The check of byte qualifiers: beats with holes, partial beats before the last, empty last beats."""

from dataclasses import replace

from wideblock.drive.sector.traffic import Request
from wideblock.verify.core.report import Finding, failed, nothing, passed
from wideblock.verify.sector.check import SectorCheck
from wideblock.verify.sector.ending import cause_of_keep

__all__ = ["byte_qualifiers"]

SHUFFLED = 24
"""Sectors of beats whose qualifiers are chosen at random."""


def byte_qualifiers(check: SectorCheck) -> Finding:
    """``keep`` of every kind in every place of a sector, between right ones.

    An empty last beat ends the sector before; the sector is right. A hole, and a partial beat before the last, are a
    fault; the next sector is right. If output had begun, the output of the beats before leaves, ended.
    """
    if not check.shape.partial:
        return nothing("every beat is whole: the core has no byte qualifiers")
    ended = wrong = 0
    for offer, take in ((1.0, 1.0), (0.6, 0.4)):
        cases = [_sent(check, size, keeps) for size in _sizes(check) for keeps in _cases(check, size)]
        cases += [_shuffled(check) for _ in range(SHUFFLED)]
        requests = [check.request()]
        for case in cases:
            requests += [case, check.request()]
        requests += [cases[i] for i in check.rng.permutation(len(cases)).tolist()] + check.requests(2)
        if difference := check.play(requests, check.keys(), offer=offer, take=take):
            return failed(difference)
        faults = [cause_of_keep(check.subject, case) for case in cases]
        ended, wrong = ended + faults.count(None), wrong + len(faults) - faults.count(None)
    return passed(f"{wrong} sectors with a hole or a partial beat before the last, {ended} with an empty last beat")


def _sizes(check: SectorCheck) -> list[int]:
    """Right sizes: a size of each class of lengths, and sizes of one, two and three beats, whole and not."""
    length, beat = check.behaviour.length, check.shape.beat_bytes
    sizes = {int(check.rng.choice(kind.sizes)) for kind in check.classes}
    sizes |= {length.least, beat, beat + 1, 2 * beat, 3 * beat - 3, 3 * beat, min(length.most, 5 * beat)}
    return sorted(size for size in sizes if size in length)


def _cases(check: SectorCheck, size: int) -> list[tuple[int, ...]]:
    """``keep`` of the beats of a sector of ``size`` bytes: with an empty last beat, and with one wrong beat each."""
    beat = check.shape.beat_bytes
    full = (1 << beat) - 1
    tail = (1 << ((size - 1) % beat + 1)) - 1
    right = (*[full] * (check.shape.beats_of(size) - 1), tail)
    holes = (full ^ 1, full >> 1 ^ 1, full ^ 1 << int(check.rng.integers(1, beat - 1)), tail ^ 1, 1 << (beat - 1))
    places = sorted({0, len(right) // 2, len(right) - 1})
    cases = [(*right, 0), (*right, 0, 0), (*right, 1), (*right, full), (*right, 0, full), (0,), (0, *right)]
    cases += [(*right[:at], hole, *right[at + 1 :]) for at in places for hole in holes if hole]
    cases += [(*right[:at], keep, *right[at + 1 :], 0) for at in places for keep in (holes[0], full >> 1, 1, 0)]
    cases += [(*right[:at], keep, *right[at + 1 :]) for at in places[:-1] for keep in (full >> 1, 1, 0)]
    return [*dict.fromkeys(case for case in cases if case != right)]


def _shuffled(check: SectorCheck) -> Request:
    """A sector of any qualifiers: in most beats all bytes, in others a run, none, or any."""
    beat, size = check.shape.beat_bytes, check.size()
    full = (1 << beat) - 1
    keeps = [full] * (check.number(1, check.shape.beats_of(size) + 1) - 1)
    keeps.append((1 << check.number(0, beat)) - 1)
    for _ in range(check.number(0, 2)):
        kinds = ((1 << check.number(0, beat)) - 1, 0, int.from_bytes(check.random(beat // 8), "little"))
        keeps[check.number(0, len(keeps) - 1)] = kinds[check.number(0, 2)]
    return _sent(check, size, (*keeps, *[0] * check.number(0, 1)))


def _sent(check: SectorCheck, size: int, keeps: tuple[int, ...]) -> Request:
    """A random sector of ``beats``, with ``size`` stated bytes where sectors state a size."""
    request = check.request(check.shape.beat_bytes * len(keeps))
    return replace(request, stated=check.behaviour.length.statement(size), keep=keeps)
