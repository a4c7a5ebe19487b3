# SPDX-License-Identifier: Apache-2.0
"""The checks of cores with slots: a random slot each sector, and commands while sectors stream."""

from collections.abc import Sequence
from dataclasses import replace

from wideblock.drive.core import zeroize_at
from wideblock.drive.sector.traffic import Key, Request
from wideblock.verify.core.report import Finding, failed, nothing, passed
from wideblock.verify.sector.check import SectorCheck

__all__ = ["random_slots", "slots"]

BATCH = 256
"""Sectors of a play."""

MOST = 16
"""Slots with keys in a play of random sectors."""


COMMAND = 64
"""Cycles of a command in which zeroize comes."""


def random_slots(check: SectorCheck) -> Finding:
    """Back to back, each under the key of a slot of its own choice, directions mixed."""
    number = min(MOST, check.shape.slots)
    for done in range(0, check.amount, BATCH):
        these = check.rng.permutation(check.shape.slots)[:number].tolist()
        requests = _under(check, check.requests(min(BATCH, check.amount - done)), these)
        if difference := check.play(requests, [Key(check.key(), before=0, slot=slot) for slot in these]):
            return failed(difference)
        check.progress(done + len(requests), check.amount)
    return passed(f"{check.amount} sectors back to back, each under one of {number} keys, {check.ways}")


def slots(check: SectorCheck) -> Finding:
    """Loads and evictions at any time while right and malformed sectors stream, of slots in use, empty, full and
    absent; zeroize in each cycle of a command, or in many of a long one; commands that hold no sector of another slot
    off by a cycle.
    """
    if not check.shape.slots:
        return nothing("the core has one key")
    plays = 0
    for offer, take in ((1.0, 1.0), (0.6, 0.6), (1.0, 0.1), (0.2, 1.0)):
        for _ in range(max(1, check.few(12) // 4, check.amount // (4 * BATCH))):
            if difference := _storm(check, offer, take):
                return failed(f"{difference} Sectors were offered with chance {offer} and taken with chance {take}.")
            plays += 1
    if difference := _malformed(check) or _strangers(check) or _undisturbed(check):
        return failed(difference)
    cycles = check.subject.timing.setup + 4
    moments = check.within(0, cycles, COMMAND)
    for evict in (False, True):
        for moment in moments:
            if difference := _zeroized(check, evict, moment):
                return failed(difference)
    return passed(
        f"{plays} plays with commands at any time, malformed sectors among the right ones and before evictions, slots "
        "that do not exist, sectors of other slots undisturbed to the cycle, zeroize in "
        f"{len(moments)} of {cycles} cycles of a load and of an eviction"
    )


def _under(check: SectorCheck, requests: Sequence[Request], these: Sequence[int]) -> list[Request]:
    return [replace(request, slot=int(check.rng.choice(these))) for request in requests]


def _storm(check: SectorCheck, offer: float, take: float) -> str | None:
    """The first difference with commands for a few slots, right and wrong, in a row in a stream."""
    t, last = check.subject.timing, check.shape.slots - 1
    these = sorted({0, 1, last // 2, last})
    n = max(24, 2 * (2 + t.busy // t.interval), min(BATCH, check.amount // BATCH))
    these += check.rng.permutation(check.shape.slots)[: n // 32].tolist()
    keys, cycle = [], check.keyed
    for _ in range(n // 2):
        cycle += check.number(0, t.busy)
        slot, evict = int(check.rng.choice(these)), bool(check.rng.integers(2))
        keys.append(Key(check.key(), cycle=cycle, slot=slot, evict=evict))
    loads = [Key(check.key(), before=0, slot=slot) for slot in these[:-1]]
    requests = check.requests(n)
    for size in check.wrong_sizes * (n // 6):
        requests[check.number(1, n - 1)] = check.request(size)
    return check.play(_under(check, requests, these), [*loads, *keys], offer=offer, take=take)


def _malformed(check: SectorCheck) -> str | None:
    """The first difference with malformed sectors of each of two slots before right sectors of the second slot, and
    evictions.

    A dropped sector is never computed: nothing may wait for the sector; the sector's copies of a key serve another
    sector next.
    """
    last, wrong = check.shape.slots - 1, check.wrong_sizes
    requests = []
    for slot in (0, last):
        for size in wrong:
            requests += [replace(check.request(size), slot=slot), replace(check.request(), slot=last - slot)]
        requests += [replace(check.request(size), slot=slot) for size in wrong]
    requests += [replace(check.request(), slot=slot) for slot in (0, last, 0)]
    half = len(requests) // 2
    loads = [Key(check.key(), before=0, slot=slot) for slot in (0, last)]
    ends = [
        Key(check.key(), before=before, slot=0, evict=evict)
        for before in (half, len(requests) - 1)
        for evict in (True, False)
    ]
    return check.play(requests, [*loads, *ends])


def _strangers(check: SectorCheck) -> str | None:
    """The first difference with slots that do not exist, in sectors and in commands."""
    last = check.shape.slots - 1
    beyond = sorted({check.shape.slots, last | 1 << 15, 0xFFFF, check.shape.slots + 1})
    beyond = [slot for slot in beyond if slot > last]
    requests = [*check.spread(check.requests(3)), *_under(check, check.requests(8), [0, *beyond])]
    keys = [Key(check.key(), before=2, slot=slot, evict=evict) for slot in beyond for evict in (False, True)]
    return check.play(requests, [*check.keys(), *keys])


def _undisturbed(check: SectorCheck) -> str | None:
    """How a sector of a slot comes or leaves in another cycle because of commands for other slots, or None."""
    t, last = check.subject.timing, check.shape.slots - 1
    requests = [replace(request, slot=last) for request in check.requests(24)]
    first = Key(check.key(), before=0, slot=last)
    cycle, others = check.keyed + t.setup, []
    for _ in range(8):
        cycle += check.number(0, t.interval)
        others.append(Key(check.key(), cycle=cycle, evict=len(others) % 2 == 1))
    cycles = []
    for keys in ([first], [first, *others]):
        check.simulation.reset()
        record = check.record(check.script(requests, keys), seed=check.seed, played=len(requests))
        cycles.append((record.beats_in.tolist(), record.out_cycle.tolist()))
    if cycles[0] != cycles[1]:
        return f"Commands for slot 0 change the cycles in which sectors of slot {last} are taken or leave."
    return None


def _zeroized(check: SectorCheck, evict: bool, moment: int) -> str | None:
    """The first difference after zeroize in cycle ``moment`` of a command; sectors name the slot and another slot."""
    at = check.keyed + 4 * check.subject.timing.setup
    command = Key(check.key(), cycle=at, slot=0 if evict else 1, evict=evict)
    after = [Key(check.key(), slot=slot) for slot in (0, 1)]
    requests = _under(check, check.requests(6), [0, 1])
    difference = check.play(
        requests, [Key(check.key(), before=0), command, *after], [zeroize_at(at + moment)], offer=0.9
    )
    what = "an eviction" if evict else "a load"
    return f"{difference} zeroize came in cycle {moment} of {what}." if difference else None
