# SPDX-License-Identifier: Apache-2.0
"""The check of verdicts: sealed sectors and forged ones of every kind, in turn."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from wideblock.drive.sector.traffic import Key, Request
from wideblock.spec.sealed import ICV
from wideblock.verify.core.report import Finding, failed, nothing, passed
from wideblock.verify.sector.check import SectorCheck

__all__ = ["forgeries"]

BATCH = 512
"""Sectors under a key."""

PACES = ((1.0, 1.0), (0.7, 0.6), (1.0, 0.3))
"""Chances that a beat is offered and taken, batch by batch."""


def forgeries(check: SectorCheck) -> Finding:
    """A verdict and its beats of each sector to decrypt: sealed sectors, with forged sectors between.

    Forged are: a bit of the sector, ICV or tweak; the sector cut; sector or ICV of another one; a tweak of another
    one; the whole sealed under another key; each bit, but one a sector, in the place of the zeros. A sealed sector that
    comes again is right. Verdicts change no cycle in which a beat is taken or a sector computed.
    """
    if not check.seals:
        return nothing("a sector has no integrity check value")
    tried: Counter[str] = Counter()
    done = 0
    while done < check.amount:
        key, batch = check.key(), max(2, min(BATCH, check.amount - done) // 2)
        right = check.sealed([check.request(decrypt=True) for _ in range(batch)], key)
        wrong, kinds = _forged(check, right, key, done // 2)
        tried.update(kinds)
        requests = [request for pair in zip(right, wrong, strict=True) for request in pair]
        offer, take = PACES[done // BATCH % len(PACES)]
        again = [right[0], right[-1]]
        if difference := check.compared([*requests, *again], [Key(key, before=0)], offer=offer, take=take):
            return failed(difference)
        done += len(requests)
        check.progress(done, check.amount)
    if difference := _cycles(check):
        return failed(difference)
    forged = ", ".join(f"{number} {kind}" for kind, number in tried.items())
    return passed(
        f"{done} sectors to decrypt, half of them forged ({forged}): no wrong verdict, no beat of a forged one; sealed "
        "ones that came again were right; cycles without forged ones are the same"
    )


def _forged(check: SectorCheck, right: Sequence[Request], key: bytes, first: int) -> tuple[list[Request], list[str]]:
    """A forged sector for each right sector, and the kind of the forgery; ``first``: number of the first in the
    check.
    """
    stranger = check.sealed([check.request(decrypt=True) for _ in right], check.key())
    made, kinds = [], []
    for n, (request, foreign) in enumerate(zip(right, stranger, strict=True)):
        other = right[n - 1]
        (icv, sector), (other_icv, other_sector) = check.parts(request), check.parts(other)
        cases = {
            "bits of a sector": check.joined(request, icv, check.flipped(sector)),
            "bits of an ICV": check.joined(request, check.flipped(icv), sector),
            "bits of a tweak": replace(request, tweak=check.flipped(request.tweak)),
            "sectors cut": replace(request, data=request.data[: -check.shape.beat_bytes]),
            "ICVs of another": check.joined(request, other_icv, sector),
            "sectors of another": check.joined(request, icv, other_sector),
            "tweaks of another": replace(request, tweak=other.tweak),
            "of another key": foreign,
        }
        number, other_kind = divmod(first + n, 2)
        if other_kind or number >= 8 * ICV:
            kind = list(cases)[number % len(cases)]
        else:
            kind = "bits in the zeros"
            cases[kind] = _nearly(check, request, key, 8 * ICV - 1 - number)
        made.append(cases[kind])
        kinds.append(kind)
    return made, kinds


def _nearly(check: SectorCheck, request: Request, key: bytes, bit: int) -> Request:
    """A right sector with a changed bit in the block that must be zeros."""
    block, (_, sector) = (1 << bit).to_bytes(ICV, "little"), check.parts(request)
    scheme = check.subject.specification(key).scheme
    result = scheme.encrypt(request.tweak, block + check.random(len(sector)))
    return check.joined(request, result[:ICV], result[ICV:])


def _cycles(check: SectorCheck) -> str | None:
    """How beats are taken or sectors computed in other cycles because sectors are forged, or None."""
    key = check.key()
    t = check.subject.timing
    right = check.sealed(check.requests(2 * (2 + t.latency // t.interval)), key)
    forged = [check.forged(request, bytes(ICV)) if check.rng.integers(2) else request for request in right]
    seed = check.play_seed()
    seen = []
    for requests in (right, forged):
        check.simulation.reset()
        record = check.record(check.script(requests, [Key(key, before=0)]), seed=seed, played=len(requests))
        seen.append((record.beats_in.tolist(), record.computed.tolist()))
    (beats, computed), others = seen[0], seen[1]
    for what, one, other in (("A beat is taken", beats, others[0]), ("computed pulses", computed, others[1])):
        for before, after in zip(one, other, strict=True):
            if before != after:
                return f"{what} in cycle {before}, but in cycle {after} if sectors are forged."
    return None
