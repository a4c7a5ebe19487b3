# SPDX-License-Identifier: Apache-2.0
"""The check of malformed sectors: lengths and directions that a core must refuse."""

from wideblock.verify.report import Finding, failed, nothing, passed
from wideblock.verify.sector.check import Check
from wideblock.verify.sector.stimulus import Key, Request

__all__ = ["wrong_lengths"]

LONGEST = 1 << 16
"""Bytes above which a core's longest sector is too long to be exceeded here."""


def wrong_lengths(check: Check) -> Finding:
    """Sectors of every kind of wrong length, or in a direction that the core does not have, between right ones."""
    short, long = _wrong_sizes(check)
    foreign = [decrypt for decrypt in (False, True) if decrypt not in check.subject.behaviour.directions]
    if not short and not long and not foreign:
        return nothing("the core takes every length and direction that can be tried")
    for offer, take in ((1.0, 1.0), (0.6, 0.4)):
        wrong = [check.request(size) for size in (*short, *long)]
        wrong += [check.request(decrypt=decrypt) for decrypt in foreign for _ in range(8)]
        wrong += [check.request(size, decrypt=decrypt) for decrypt in foreign for size in (*short[:1], check.size())]
        requests: list[Request] = [check.request()]
        for request in wrong:
            requests += [request, check.request()]
        requests += [wrong[i] for i in check.rng.permutation(len(wrong)).tolist()] + check.requests(2)
        if difference := check.play(requests, [Key(check.key(), before=0)], offer=offer, take=take):
            return failed(difference)
    unit, step = ("bytes", 1) if check.shape.partial else ("beats", check.shape.beat_bytes)
    sizes = ", ".join(str(size // step) for size in (*short, *long))
    directions = "".join(f", and sectors to {'decrypt' if decrypt else 'encrypt'}," for decrypt in foreign)
    return passed(f"sectors of {sizes} {unit}{directions} between right ones")


def _wrong_sizes(check: Check) -> tuple[list[int], list[int]]:
    """Lengths in bytes below the least and above the most, of those that the ports can carry."""
    length = check.subject.behaviour.length
    step = 1 if check.shape.partial else check.shape.beat_bytes
    least, most = -(-length.least // step), length.most // step
    short = range(1, least) if least <= 16 else sorted({1, 2, least // 2, least - 1})
    long = (most + 1, most + 2, 2 * most, 2 * most + 1, 3 * most) if length.most <= LONGEST else ()
    return [step * n for n in short], [step * n for n in sorted({n for n in long if n > most})]
