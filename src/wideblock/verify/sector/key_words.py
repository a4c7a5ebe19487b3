# SPDX-License-Identifier: Apache-2.0
"""The check of keys in words: wrong numbers of words, pauses, keys in a row, and keys that zeroize or reset cut off."""

from collections.abc import Callable
from dataclasses import replace

from wideblock.drive.core import reset_at, zeroize_at
from wideblock.drive.sector.traffic import Key, SectorRecord
from wideblock.rtl.stream.behaviour import Cause
from wideblock.simulation.bench import State
from wideblock.simulation.script import NEVER, ScriptEvent
from wideblock.verify.core.report import Finding, failed, nothing, passed
from wideblock.verify.sector.check import SectorCheck
from wideblock.verify.sector.judge import level

__all__ = ["key_words"]


def key_words(check: SectorCheck) -> Finding:
    """Keys of too few and too many words, words with pauses between sectors, keys in a row, and keys that are cut off.

    A key of a wrong number of words is a single fault and changes nothing, with and without a key in place. A key whose
    last word is late holds no sector off. Zeroize and reset in each cycle of a key leave nothing of it.
    """
    words = check.shape.key_words
    if words == 1:
        return nothing("a key is one word")
    sizes = sorted({1, words - 1, words + 1, words + 2, 2 * words})
    for size in sizes:
        for loaded in (False, True):
            if difference := _refused(check, size, loaded):
                return failed(difference)
    if difference := _late(check) or _in_a_row(check):
        return failed(difference)
    # a reset before a key cuts nothing off
    for event, moments in ((zeroize_at, range(words)), (reset_at, range(1, words))):
        for moment in moments:
            if difference := _cut(check, event, moment):
                return failed(difference)
    return passed(
        f"keys of {', '.join(map(str, sizes))} words are refused, a late last word holds no sector off; zeroize and "
        f"reset in each word of a key of {words}"
    )


def _refused(check: SectorCheck, size: int, loaded: bool) -> str | None:
    """How a key of ``size`` words is not refused or leaves a trace, after a right one if ``loaded``, or None."""
    simulation, right = check.simulation, check.behaviour.fault(Cause.KEY_WORDS)
    word = check.shape.key_bytes // check.shape.key_words
    said = f"A key of {size} words, {'after a right one' if loaded else 'with no key in place'},"
    key = check.key()
    simulation.reset()
    if loaded:
        simulation.load_key(key)
    wrong = [Key(check.random(size * word), cycle=check.quiet)]
    record = check.record(simulation.script(keys=wrong, offer=0.7, noise=True, quiet=check.quiet))
    if [value for _, value in record.faults] != [right]:
        seen = ", ".join(str(value) for _, value in record.faults) or "none"
        return f"{said} is fault {right}, once; seen: {seen}."
    if level(record.ready, record.cycles) != (loaded or check.shape.slots > 0):
        return f"{said} leaves ready {'low' if loaded else 'high'}."
    if loaded and (difference := _wrong_sector(check, key)):
        return f"{said} changes the key in place. {difference}"
    key, slot = check.key(), int(check.shape.slots > 0)
    simulation.load_key(key, slot)
    if difference := _wrong_sector(check, key, slot):
        return f"{said} changes the key after it. {difference}"
    return None


def _wrong_sector(check: SectorCheck, key: bytes, slot: int = 0) -> str | None:
    """The first difference between core and specification under the present ``key``, or None."""
    requests = [replace(request, slot=slot) for request in check.requests(2)]
    return check.wrong(check.run(requests), requests, key, check.pool.answers(key, requests))


def _late(check: SectorCheck) -> str | None:
    """Error text if a key with a late last word waits with the first word, or holds sectors off before the last; else
    None.
    """
    t = check.subject.timing
    first = check.keyed + t.setup + 2 * t.busy
    last = first + t.key_words + 4 * t.interval
    requests = check.of(check.classes[0], last // t.interval + 4)
    key, late = Key(check.key(), before=0), Key(check.key(), cycle=first, last=last)

    def record(*keys: Key) -> SectorRecord:
        check.simulation.reset()
        return check.record(check.simulation.requests(requests, keys=keys, noise=True), played=len(requests))

    alone, beside = record(key), record(key, late)
    if beside.key_first[1] != first:
        return (
            f"The first word of a key waits while sectors are processed, from cycle {first} to {beside.key_first[1]}."
        )
    for n, (right, begun) in enumerate(zip(alone.first_in.tolist(), beside.first_in.tolist(), strict=True)):
        if right <= last and begun != right:
            return f"Sector {n} begins in cycle {right}, but while the last word of a key is late in cycle {begun}."
    return None


def _in_a_row(check: SectorCheck) -> str | None:
    """How sectors are wrong after two keys in a row, or None."""
    for offer in (1.0, 0.5):
        keys = [Key(check.key()), Key(check.key()), Key(check.key(), before=1)]
        if difference := check.play(check.requests(3), keys, offer=offer):
            return f"{difference} Two keys came in a row, their words with chance {offer}, and a third one."
    return None


def _cut(check: SectorCheck, event: Callable[[int], ScriptEvent], moment: int) -> str | None:
    """Error text if the next key is wrong, or a part of a key is left after ``event`` in cycle ``moment`` of the words;
    else None.

    Zeroize: the rest of the key comes, up to its last word. Reset: it does not.
    """
    said = f"{'zeroize' if event is zeroize_at else 'a reset'} in cycle {moment} of the words of a key"
    for last in (0, 2 * check.quiet):
        keys = [Key(check.key(), cycle=check.quiet, last=last), Key(check.key())]
        if difference := check.play(check.requests(2), keys, [event(check.quiet + moment)]):
            return f"{difference} There was {said}, and its last word came {'late' if last else 'at once'}."
    if not check.simulation.savable:
        return None
    one, other = _left(check, event, moment), _left(check, event, moment)
    if names := sorted(name for name, value in one.items() if value != other[name]):
        return f"The core holds different values of {', '.join(names[:6])} after {said}: they are not cleared."
    return None


def _left(check: SectorCheck, event: Callable[[int], ScriptEvent], moment: int) -> State:
    """The state of a new instance after ``event`` in cycle ``moment`` of the words of a random key."""
    with check.fresh() as core:
        core.play(core.script(quiet=check.quiet))
        limit = moment + check.subject.timing.zeroize
        keys, events = [Key(check.key())], [event(moment)]
        check.record(core.script(keys=keys, events=events, quiet=NEVER, limit=limit))
        return core.simulation.save()
