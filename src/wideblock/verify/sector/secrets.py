# SPDX-License-Identifier: Apache-2.0
"""The check that no port of a sector core shows a secret, in any cycle."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from wideblock.drive.core import zeroize_at
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.traffic import Key, Request
from wideblock.rtl.stream.behaviour import LengthClass
from wideblock.simulation.script import Record
from wideblock.spec.blocks import BLOCK
from wideblock.verify.core.report import Finding
from wideblock.verify.core.secrets import (
    PACES,
    TAIL,
    SecretsPlan,
    inputs,
    moments,
    random_event,
    secrets_on_ports,
    watched,
)
from wideblock.verify.core.twins import Play, Secret
from wideblock.verify.sector.check import SectorCheck

__all__ = ["secrets"]


@dataclass(frozen=True)
class _Plan(SecretsPlan):
    """A play but for its secrets: its keys, tweaks and sectors have the right lengths, and any bytes."""

    requests: Sequence[Request]
    keys: Sequence[Key]

    def __str__(self) -> str:
        return (
            f"{len(self.requests)} sectors were offered, beats with chance {self.offer:g} and taken with chance "
            f"{self.take:g}, keys from cycles {', '.join(str(key.cycle) for key in self.keys)} on"
        )


def secrets(check: SectorCheck) -> Finding:
    """No port shows a key, a value derived from it, a mask of a tweak, or an input, in any cycle, valid or not.

    Values are the named values of the specification: round keys of every AES key, hash keys and their powers up to the
    number of blocks, masks. Four of their bytes, in any of the four readings of a block, are enough. Ports that carry
    no data must not depend on secrets at all. Zeroize comes in the cycles of set-up, input, work and output; then
    random sectors, some malformed, with pauses, new keys, resets and zeroize.
    """
    sweep = list(_sweep(check))
    random = [_random(check, n) for n in range(check.few(12))]
    return secrets_on_ports(check, "data", sweep, random, partial(_draw, check), "of a sector")


def _sweep(check: SectorCheck) -> Iterator[_Plan]:
    """Zeroize in each cycle from a key on to the end of the second sector, or in some of them, evenly spread.

    The sectors are usual ones; then, from the end of set-up on, sectors of each further class of lengths.
    """
    usual, *others = check.classes
    yield from _swept(check, usual, 0, 0.5 if others else 1.0)
    for kind in others:
        yield from _swept(check, kind, check.timing(kind).setup, 0.5 / len(others))


def _swept(check: SectorCheck, kind: LengthClass, since: int, share: float) -> Iterator[_Plan]:
    """The comparison for sectors of a class, from cycle ``since`` after a key on, for a share of the budget."""
    t = check.timing(kind)
    cycles = t.setup + t.latency + t.interval - since
    for later in moments(check, cycles, 2 * (t.zeroize + since), share):
        moment = t.zeroize + since + later  # a key is taken when the core is cleared, after the reset as after zeroize
        event = zeroize_at(moment, check.number(1, 3))
        sectors = check.of(kind, 2 + max(0, since + later - t.setup) // t.interval)
        offer, take = check.rng.choice([(1.0, 1.0), (1.0, 1.0), (0.8, 1.0), (1.0, 0.3)]).tolist()
        keys = check.keys()
        limit = moment + t.zeroize + TAIL
        yield _Plan(sectors, keys, events=[event], limit=limit, offer=offer, take=take)


def _random(check: SectorCheck, number: int) -> _Plan:
    """Sectors, some malformed, under two keys: the second between two sectors, or after an event at any moment."""
    t, rng = check.subject.timing, check.rng
    requests = check.requests(6)
    for size in check.wrong_sizes:
        requests.insert(int(rng.integers(1, len(requests))), check.request(size))
    requests = check.spread(requests)
    offer, take = rng.choice(PACES).tolist()
    work = sum(check.shape.beats_of(len(request.data)) for request in requests) + len(requests) * t.interval
    limit = 2 * (t.zeroize + t.setup + t.latency) + int(2 * work / min(offer, take)) + check.quiet
    first = check.keys()
    event = random_event(check, number, t.zeroize + t.setup + t.latency + 2 * t.interval - 1)
    if event is None:
        keys = [*first, *check.change(before=int(rng.integers(1, len(requests))))]
        return _Plan(requests, keys, events=[], limit=limit, offer=offer, take=take)
    keys = [*first, *check.keys(None, event.cycle + event.length + check.number(0, 39))]
    return _Plan(requests, keys, events=[event], limit=limit + event.cycle, offer=offer, take=take)


def _draw(check: SectorCheck, plan: _Plan, seed: int) -> Callable[[SectorSimulation], Play]:
    """Keys, tweaks and sectors of the plan's lengths, and a play with them."""
    requests = [replace(r, data=check.random(len(r.data)), tweak=check.random(len(r.tweak))) for r in plan.requests]
    requests = [replace(r, icv=check.random(len(r.icv))) if r.icv else r for r in requests]
    keys = [replace(key, key=check.random(len(key.key))) for key in plan.keys]
    return partial(_play, check, replace(plan, requests=requests, keys=keys), seed)


def _play(check: SectorCheck, plan: _Plan, seed: int, core: SectorSimulation) -> Play:
    """The play of a plan, and its secrets."""
    requests, keys = plan.requests, plan.keys
    script = check.script(requests, keys, offer=plan.offer, take=plan.take)
    record = watched(check, core, plan, script, seed, len(requests))
    first_in = record.accepted["i"][script.places][script.starts].tolist()
    return Play(record, [Secret(*each) for each in _secrets(check, requests, keys, first_in, record)])


def _secrets(
    check: SectorCheck, requests: Sequence[Request], keys: Sequence[Key], first_in: Sequence[int], record: Record
) -> Iterator[tuple[str, bytes]]:
    """Values of the specification, keys and inputs."""
    taken = record.accepted["key"][check.shape.key_words - 1 :: check.shape.key_words].tolist()
    blocks = max(-(-len(request.data) // BLOCK) for request in requests)
    for n, (key, since) in enumerate(zip(keys, taken, strict=True)):
        specification = check.subject.specification(key.key)
        later = taken[n + 1 :] if not check.shape.slots else ()  # a key for another slot does not end this one
        until = next((cycle for cycle in later if cycle >= 0), record.cycles)
        yield from specification.key_values(blocks)
        for request, first in zip(requests, first_in, strict=True):
            mine = not check.shape.slots or request.slot == key.slot
            if mine and 0 <= since < first <= until and request.size in check.behaviour.length:
                yield from specification.tweak_values(request.tweak, -(-len(request.data) // BLOCK))
                if check.seals and request.decrypt:  # of random bytes: it is forged
                    plain = specification.scheme.decrypt(request.tweak, b"".join(check.parts(request)))
                    yield from inputs("a forged sector deciphered", plain, BLOCK)
        yield from inputs("the key", key.key, BLOCK)
    for n, request in enumerate(requests):
        yield from inputs(f"sector {n} as it entered", request.data, BLOCK)
        yield from inputs(f"the tweak of sector {n}", request.tweak, BLOCK)
