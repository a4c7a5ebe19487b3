# SPDX-License-Identifier: Apache-2.0
"""Checks of a sector core against the specification, each named, each with an explained first difference."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

import numpy as np

from wideblock.catalog import KnownAnswer
from wideblock.drive.core import reset_at, zeroize_at
from wideblock.drive.sector.traffic import Key, Request, SectorRecord
from wideblock.export.wave import transfers
from wideblock.rtl.stream.behaviour import Cause, KeyRule, LengthClass, SectorTiming
from wideblock.verify.core.check import gaps_and_back_pressure, known_answers
from wideblock.verify.core.report import Finding, failed, nothing, passed
from wideblock.verify.sector.byte_qualifiers import byte_qualifiers
from wideblock.verify.sector.check import SectorCheck
from wideblock.verify.sector.eviction import state_after_eviction
from wideblock.verify.sector.forgeries import forgeries
from wideblock.verify.sector.judge import level
from wideblock.verify.sector.key_behind import key_behind
from wideblock.verify.sector.key_words import key_words
from wideblock.verify.sector.lengths import wrong_lengths
from wideblock.verify.sector.measure import Measured, measure, timing_of
from wideblock.verify.sector.secrets import secrets
from wideblock.verify.sector.slots import random_slots, slots
from wideblock.verify.sector.state import state_after_zeroize

__all__ = ["CHECKS"]

BATCH = 256
"""Sectors under a key."""

KEY_WAIT = 4
"""Most cycles for which a key waits, beside the cycles of begun sectors."""


def published(check: SectorCheck) -> Finding:
    """Published vectors, in every direction that the core has."""

    def wrong(vector: KnownAnswer) -> str | None:
        for decrypt in check.behaviour.directions:
            given, right = (vector.ciphertext, vector.plaintext) if decrypt else (vector.plaintext, vector.ciphertext)
            right += bytes(len(vector.icv)) if decrypt else vector.icv
            check.simulation.reset()
            request = Request(given, vector.tweak, decrypt, icv=vector.icv)
            if difference := check.wrong(check.run([request], vector.key), [request], vector.key, [right]):
                return difference
        return None

    return known_answers(check, wrong, check.ways)


def cycle_contract(check: SectorCheck) -> Finding:
    """Every figure as in the contract and every transfer as in the datasheet, in every direction."""
    promised, drawn = check.subject.timing, transfers(check.subject)
    with check.timed():
        measured = measure(check.subject, seed=check.seed, simulation=check.simulation)
    if difference := _broken(promised, measured):
        return failed(f"{difference}.")
    for way, cycles in measured.items():
        for what, seen, right in zip(("taken", "offered"), (cycles.taken, cycles.left), drawn, strict=True):
            if list(seen) != right:
                n = next(n for n, pair in enumerate(zip(seen, right, strict=True)) if pair[0] != pair[1])
                return failed(f"To {way}, beat {n} is {what} in cycle {seen[n]}; the datasheet draws {right[n]}.")
    stated = ", ".join(f"{figure.name} {figure.cycles}" for figure in promised.figures())
    others = _sizes_to_measure(check)
    for sizes in others:
        with check.timed():
            seen = measure(check.subject, seed=check.seed, simulation=check.simulation, sizes=sizes)
        if difference := _broken(timing_of(check.subject, sizes), seen):
            return failed(f"{difference} for sectors of {sizes[1]} bytes under tweaks of {sizes[0]}.")
    more = f"; so are those of {len(others)} other sizes" if others else ""
    return passed(f"{stated} cycles, {check.ways}; busy was at most {max(c.busy for c in measured.values())}{more}")


def _broken(promised: SectorTiming, measured: Mapping[str, Measured]) -> str | None:
    """The first figure that is not as promised, or None."""
    for way, cycles in measured.items():
        for figure in promised.figures():
            if not figure.keeps(seen := getattr(cycles, figure.name)):
                most = "" if figure.exact else "at most "
                return (
                    f"To {way}, {figure.name} is {seen} cycles in simulation; the contract says {most}{figure.cycles}"
                )
    return None


def _sizes_to_measure(check: SectorCheck) -> list[tuple[int, int]]:
    """Bytes of a tweak and of a sector: the ends of their ranges, the steps around them, and some between."""
    length, block = check.behaviour.length, 16
    if not (tweak := length.tweaks):
        return []
    sizes = [length.least, length.least + 1, length.least + block, length.least + block + 1]
    tweaks = [tweak.least, tweak.least + 1, tweak.most // 2, tweak.most // 2 + 1, tweak.most]
    corners = [(t, size) for t in tweaks for size in sizes if size <= length.most]
    return [*corners, (tweak.most, length.most), *((check.tweak_size(), check.size()) for _ in range(check.few(8)))]


def random_sectors(check: SectorCheck) -> Finding:
    """Back to back, directions mixed, under several keys."""
    if check.shape.slots:
        return random_slots(check)
    total, sent, settled = check.amount, 0, 0
    waiting: deque[tuple[Sequence[Request], bytes, SectorRecord, list[Future[list[bytes]]]]] = deque()
    while settled < total:
        if sent < total:
            key = check.key()
            requests = check.sealed(check.requests(min(BATCH, total - sent)), key)
            promises = check.pool.submit(key, requests)
            waiting.append((requests, key, check.run(requests, key), promises))
            sent += len(requests)
        if sent == total or len(waiting) > 4:  # the specification lags behind
            requests, key, record, promises = waiting.popleft()
            right = (answer for promise in promises for answer in promise.result())
            if difference := check.wrong(record, requests, key, right, first=settled):
                return failed(difference)
            settled += len(requests)
        check.progress(settled, total)
    length = check.behaviour.length
    kind = "random sectors" if length.least == length.most else "sectors of random lengths"
    how = "encrypted and decrypted in mixed order" if len(check.behaviour.directions) == 2 else check.ways
    return passed(f"{total} {kind} back to back, {how}, {-(-total // BATCH)} keys")


def gaps(check: SectorCheck) -> Finding:
    """Pauses between beats of the input, and outputs that are not accepted, from rare to nearly always."""
    t = check.subject.timing
    n = max(check.few(12), 2 * (1 + t.latency // t.interval) + 2)  # more sectors than the core can hold

    def wrong(offer: float, take: float) -> str | None:
        return check.play(check.spread(check.requests(n)), check.keys(), offer=offer, take=take)

    return gaps_and_back_pressure("beats", wrong)


def key_changes(check: SectorCheck) -> Finding:
    """New keys between sectors, and offered at any moment."""
    t, n = check.subject.timing, check.few(12)
    for offer, take in ((1.0, 1.0), (0.5, 0.5), (1.0, 0.2), (0.3, 1.0)):
        requests = check.spread(check.requests(n))
        places = sorted({*check.rng.choice(np.arange(1, n), size=min(4, n - 1), replace=False).tolist()})
        keys = [*check.keys(), *(key for place in places for key in check.change(before=place))]
        if difference := check.play(requests, keys, offer=offer, take=take):
            return failed(f"{difference} Keys came before sectors {', '.join(map(str, places))}.")
    for _ in range(4):
        stream = check.keyed + t.setup
        moments = sorted(check.rng.integers(stream, stream + n * t.interval + t.latency, 4).tolist())
        keys = [*check.keys(), *(key for moment in moments for key in check.change(cycle=moment))]
        difference = check.play(check.spread(check.requests(n)), keys, offer=0.9, take=0.9)
        if difference:
            return failed(f"{difference} Keys were offered from cycles {', '.join(map(str, moments))} on.")
    if not check.shape.slots and (difference := _key_in_a_stream(check)):
        return failed(difference)
    return passed("new keys before chosen sectors and offered at any cycle, while sectors wait behind them")


def _key_in_a_stream(check: SectorCheck) -> str | None:
    """Error text if a key offered in a stream of sectors waits for sectors begun later; else None.

    The sectors are of a class of lengths; none takes longer than the slowest size of the class.
    """
    setup, words = check.subject.timing.setup, check.subject.timing.key_words
    for kind in check.classes:
        busy, interval = max(t.busy for t in check.timings(kind)), min(t.interval for t in check.timings(kind))
        for moment in (setup + busy + check.rng.integers(0, check.timing(kind).interval, 4)).tolist():
            check.simulation.reset()
            check.simulation.load_key(check.key())
            requests = check.of(kind, 2 * (2 + busy // interval))
            script = check.simulation.requests(requests, keys=[Key(check.key(), cycle=moment)])
            record = check.record(script, played=len(requests))
            wait = int(record.key_taken[0]) - (moment + words - 1)  # from its last word on
            if not 0 <= wait <= busy + KEY_WAIT:
                return (
                    f"A key offered in cycle {moment} of a stream of sectors ({kind.name}) waited {wait} cycles; it is "
                    f"at most busy + {KEY_WAIT}, {busy + KEY_WAIT}."
                )
    return None


def data_before_key(check: SectorCheck) -> Finding:
    """Sectors are offered long before any key."""
    t = check.subject.timing
    late = 3 * t.latency + t.setup + 50
    difference = check.play(check.requests(3), [Key(check.key(), cycle=late)])
    if difference:
        return failed(f"{difference} Sectors were offered from the start, the first key from cycle {late} on.")
    return passed(f"sectors offered {late} cycles before the first key")


def zeroize(check: SectorCheck) -> Finding:
    """Zeroize at any moment, then a new key, while the source goes on."""
    moments = check.strikes(11 + check.few(30))
    for moment, kind in moments:
        gap = int(check.rng.integers(0, 2)) * int(check.rng.integers(0, 3 * check.quiet))
        events = [zeroize_at(moment, check.number(1, 3))]
        keys = [*check.keys(), *check.keys(None, moment + events[0].length + gap)]
        offer, take = check.rng.choice([(1.0, 1.0), (0.6, 0.6), (1.0, 0.1)])
        difference = check.play(_struck(check, kind, moment), keys, events, offer=offer, take=take)
        if difference:
            return failed(
                f"{difference} zeroize was high for {events[0].length} cycles from cycle {moment} on, the next "
                f"key was offered from cycle {keys[-1].cycle} on."
            )
    return passed(
        f"zeroize at {len(moments)} moments, among them the edges of set-up, input, work and output{_of_classes(check)}"
    )


def _struck(check: SectorCheck, kind: LengthClass, moment: int) -> list[Request]:
    """Sectors of a class up to cycle ``moment`` of a play after a reset, and others behind."""
    t = check.timing(kind)
    number = 3 + max(0, moment - check.keyed - t.setup) // t.interval
    return [*check.of(kind, number), *check.spread(check.requests(3))]


def _of_classes(check: SectorCheck) -> str:
    """The classes of lengths that sectors of a check have, in words."""
    names = [kind.name for kind in check.classes]
    return f", of sectors of each class of lengths: {', '.join(names)}" if len(names) > 1 else ""


def zeroize_without_key(check: SectorCheck) -> Finding:
    """After zeroize and without a new key, nothing is accepted and nothing leaves for a long time."""
    moments = check.strikes(11, 3)
    for moment, kind in moments:
        late = moment + 1 + 2 * check.quiet
        keys = [*check.keys(), *check.keys(None, late)]
        difference = check.play(_struck(check, kind, moment), keys, [zeroize_at(moment)])
        if difference:
            return failed(
                f"{difference} zeroize pulsed in cycle {moment}, the next key was offered from cycle {late} on."
            )
    zeroize = check.subject.timing.zeroize
    return passed(f"zeroize at {len(moments)} moments, ready low within {zeroize} cycles, then long no key")


def equal_halves(check: SectorCheck) -> Finding:
    """A key of two equal halves is refused, with no key in place and with one; one of nearly equal halves is not."""
    if check.behaviour.keys is not KeyRule.HALVES_DIFFER:
        return nothing("the core takes every key")
    simulation, right = check.simulation, check.behaviour.fault(Cause.KEY)
    half = check.key()[: check.shape.key_bytes // 2]
    if check.shape.slots:
        return _equal_halves_of_slots(check, half)
    for before in (False, True):
        simulation.reset()
        if before:
            simulation.load_key(check.key())
        record = check.record(simulation.script(keys=[Key(half * 2)], quiet=check.quiet))
        if [value for _, value in record.faults] != [right]:
            seen = ", ".join(str(value) for _, value in record.faults) or "none"
            return failed(f"A key of equal halves is fault {right}, once; seen: {seen}.")
        if level(record.ready, record.cycles):
            return failed("ready is high after a key of equal halves, which is no key.")
        keys = [Key(check.key(), cycle=2 * check.quiet)]
        if difference := check.play(check.requests(3), keys, reset=False):
            return failed(f"{difference} A key of equal halves was offered before.")
    nearly = _nearly_equal(check)
    if difference := check.play(check.requests(len(nearly)), [Key(key, before=n) for n, key in enumerate(nearly)]):
        return failed(f"{difference} The halves of each key differed in one bit.")
    return passed(
        "keys of equal halves are refused, before any key and after one; sectors wait for the next key; "
        f"{len(nearly)} keys of halves that differ in one bit are taken"
    )


def _equal_halves_of_slots(check: SectorCheck, half: bytes) -> Finding:
    """The same where keys have slots: the judge expects the fault, and that the slots keep what they have."""
    keys = [*check.keys(), *(Key(half * 2, before=1, slot=slot) for slot in (*check.slots, 1))]
    if difference := check.play(check.spread(check.requests(3)), [Key(half * 2, before=0), *keys]):
        return failed(f"{difference} Keys of equal halves were offered for slots with keys and without.")
    nearly = _nearly_equal(check)
    keys = [Key(key, before=n, evict=evict) for n, key in enumerate(nearly) for evict in (True, False)]
    if difference := check.play(check.requests(len(nearly)), keys):
        return failed(f"{difference} The halves of each key differed in one bit.")
    return passed(f"keys of equal halves are refused; {len(nearly)} keys of halves that differ in one bit are taken")


def _nearly_equal(check: SectorCheck) -> list[bytes]:
    """Keys with halves that differ in a bit: the first, the last, and one in each byte."""
    size, keys = check.shape.key_bytes // 2, []
    for at in (0, 8 * size - 1, *(8 * byte + check.number(0, 7) for byte in range(size))):
        half = check.random(size)
        keys.append(half + (int.from_bytes(half, "little") ^ 1 << at).to_bytes(size, "little"))
    return keys


def resets(check: SectorCheck) -> Finding:
    """Reset at any moment, then a new key."""
    moments = check.strikes(11 + check.few(20), 8)
    for moment, kind in moments:
        length = int(check.rng.integers(1, 5))
        keys = [*check.keys(), *check.keys(None, moment + length + int(check.rng.integers(0, 40)))]
        offer, take = check.rng.choice([(1.0, 1.0), (0.6, 0.6), (1.0, 0.1)])
        difference = check.play(_struck(check, kind, moment), keys, [reset_at(moment, length)], offer=offer, take=take)
        if difference:
            return failed(f"{difference} The reset lasted {length} cycles from cycle {moment} on.")
    return passed(f"reset at {len(moments)} moments, for 1 to 4 cycles{_of_classes(check)}")


CHECKS: dict[str, Callable[[SectorCheck], Finding]] = {
    "known answers": published,
    "cycle contract": cycle_contract,
    "random sectors": random_sectors,
    "gaps and back-pressure": gaps,
    "key changes": key_changes,
    "keys behind sectors": key_behind,
    "slots": slots,
    "data before a key": data_before_key,
    "zeroize": zeroize,
    "zeroize without a key": zeroize_without_key,
    "state after zeroize": state_after_zeroize,
    "state after eviction": state_after_eviction,
    "secrets on ports": secrets,
    "forged sectors": forgeries,
    "wrong lengths": wrong_lengths,
    "byte qualifiers": byte_qualifiers,
    "equal key halves": equal_halves,
    "key words": key_words,
    "resets": resets,
}
"""Every check by its name; the first paragraph of the docstring says the stimulus."""
