# SPDX-License-Identifier: Apache-2.0
"""The check that nothing of a key is in a core once the slot is evicted: every register and memory is searched."""

from dataclasses import replace

from wideblock.drive.sector.traffic import Key
from wideblock.simulation.bench import State
from wideblock.simulation.script import NEVER
from wideblock.verify.core.check import needs_state
from wideblock.verify.core.report import Finding, failed, nothing, passed
from wideblock.verify.sector.check import SectorCheck

__all__ = ["state_after_eviction"]


@needs_state
def state_after_eviction(check: SectorCheck) -> Finding:
    """After an eviction no register and no memory has the key, a round key or a derived value.

    The state is compared after the stated cycles and, for pipelines, the cycles of a sector.

    Sectors of the slot and of another slot, right and malformed, are under way as the command comes; the other
    slot's key must be found.
    """
    if not check.shape.slots:
        return nothing("the core has one key")
    if not check.behaviour.erases:
        return nothing("the core does not state that an eviction leaves nothing of a key")
    t, searched = check.subject.timing, 0
    for moment in (t.setup + t.latency + 8, *check.moments(check.few(6))):
        keys = [Key(check.key(), slot=slot) for slot in (0, check.shape.slots - 1)]
        with check.fresh() as core:
            check.record(core.script(keys=keys, quiet=0))
            requests = check.of(check.classes[0], 2 + (t.busy + moment) // t.interval)
            for size in check.wrong_sizes:
                requests.insert(check.number(1, len(requests)), check.request(size))
            requests = [replace(each, slot=int(check.rng.choice([key.slot for key in keys]))) for each in requests]
            evict = Key(keys[0].key, cycle=moment, slot=0, evict=True)
            script = core.requests(requests, keys=[evict], quiet=NEVER, limit=moment + 2 + t.eviction + t.latency)
            record = check.record(script, seed=check.play_seed(), played=len(requests))
            state = core.simulation.save()
            searched = sum(map(len, state.values()))
        if record.key_taken[0] < 0:
            return failed(f"The eviction of cycle {moment} was not taken.")
        if found := _found(check, state, keys[0].key):
            return failed(f"{found} after slot 0 was evicted from cycle {moment} on: it is not overwritten.")
        if not _found(check, state, keys[1].key):
            return failed(f"Nothing of the key of slot {keys[1].slot} is found, so the search is worth nothing.")
    return passed(f"{searched} bytes of state without a value of an evicted key")


def _found(check: SectorCheck, state: State, key: bytes) -> str | None:
    """The first place of ``state`` that has a value of the key."""
    blocks = -(-check.behaviour.usual // 16)
    for name, value in check.subject.specification(key).key_values(blocks):
        for place, data in state.items():
            if value in data or value[::-1] in data:
                return f"{place} has {name}"
    return None
