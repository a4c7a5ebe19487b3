# SPDX-License-Identifier: Apache-2.0
"""The check of malformed sectors: lengths and directions that a core must refuse."""

from dataclasses import replace

from wideblock.drive.sector.traffic import Request
from wideblock.rtl.stream.parameters import TWEAK_SIZE_BITS
from wideblock.verify.core.report import Finding, failed, nothing, passed
from wideblock.verify.sector.check import LONGEST, SectorCheck

__all__ = ["wrong_lengths"]


def wrong_lengths(check: SectorCheck) -> Finding:
    """Sectors of every kind of wrong length, or in a direction that the core lacks, between right sectors.

    Where a sector states sizes of sector and tweak, the stated sizes are wrong, too.
    """
    short, long = _wrong_sizes(check)
    foreign = [decrypt for decrypt in (False, True) if decrypt not in check.behaviour.directions]
    if not short and not long and not foreign:
        return nothing("the core takes every length and direction that can be tried")
    for offer, take in ((1.0, 1.0), (0.6, 0.4)):
        wrong = [check.request(size) for size in (*short, *long)]
        wrong += [check.request(decrypt=decrypt) for decrypt in foreign for _ in range(8)]
        wrong += [check.request(size, decrypt=decrypt) for decrypt in foreign for size in (*short[:1], check.size())]
        wrong += _wrongly_stated(check)
        requests: list[Request] = [check.request()]
        for request in wrong:
            requests += [request, check.request()]
        requests += [wrong[i] for i in check.rng.permutation(len(wrong)).tolist()] + check.requests(2)
        if difference := check.play(requests, check.keys(), offer=offer, take=take):
            return failed(difference)
    unit, step = ("bytes", 1) if check.shape.partial else ("beats", check.shape.beat_bytes)
    sizes = ", ".join(str(size // step) for size in (*short, *long))
    others = "".join(f", and sectors to {'decrypt' if decrypt else 'encrypt'}," for decrypt in foreign)
    if check.shape.most_stated:
        others += ", and sectors that are shorter or longer than they state, or state too long a tweak,"
    return passed(f"sectors of {sizes} {unit}{others} between right ones")


def _wrongly_stated(check: SectorCheck) -> list[Request]:
    """Sectors with another number of bytes than stated, or with an invalid stated size."""
    length, beat = check.behaviour.length, check.shape.beat_bytes
    if not (tweaks := length.tweaks):
        return []
    few, size = length.least, min(length.most, length.least + 3 * beat)
    wrong = [(size, size - 1), (size - 1, size), (size, few), (few, size), (few + 1, few), (few, few + 1)]
    wrong += [(size, other) for other in (0, few - 1, length.most + 1, check.shape.most_stated)]
    wrong += [(1, size), (few, length.most), (length.most, few), (3 * length.most, length.most)]
    # as long as such a size is in a field that has just room for the most
    wrong += [((other - 1) % (1 << (length.most - 1).bit_length()) + 1, other) for other in (0, length.most + 1)]
    most = (1 << TWEAK_SIZE_BITS) - 1
    long = [check.random(n) for n in (tweaks.most + 1, tweaks.most + 2, most) if tweaks.most < n <= most]
    return [
        *(replace(check.request(size), stated=other) for size, other in wrong if size != other),
        *(replace(check.request(size), tweak=tweak) for size in (few, size) for tweak in long),
    ]


def _wrong_sizes(check: SectorCheck) -> tuple[list[int], list[int]]:
    """Lengths in bytes below the least and above the most, as far as the ports can carry."""
    length = check.behaviour.length
    step = 1 if check.shape.partial else check.shape.beat_bytes
    least, most = -(-length.least // step), length.most // step
    short = range(1, least) if least <= 16 else sorted({1, 2, least // 2, least - 1})
    long = (most + 1, most + 2, 2 * most, 2 * most + 1, 3 * most) if length.most <= LONGEST else ()
    carried = check.shape.most_stated or 3 * length.most
    return [step * n for n in short], [step * n for n in sorted({n for n in long if most < n and step * n <= carried})]
