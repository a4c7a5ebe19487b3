# SPDX-License-Identifier: Apache-2.0
"""The programs of both passes of hash-counter-hash, and the cycles of a sector that follow from them."""

from collections.abc import Sequence
from typing import Any

from wideblock.rtl.hash.products import DIGEST, Block, Plan, Product, Special
from wideblock.rtl.hash.program import Arrival, Program, schedule

from ..parameters import HashedParameters
from ..two_pass import shortest
from .equations import BACK, FRONT
from .placement import Placement

__all__ = ["compute", "programs"]


def programs(
    p: HashedParameters,
    front: Sequence[Product],
    back: Sequence[Product],
    place: Placement,
    *,
    shortcut: bool,
    least_interval: int,
    spacing: int,
) -> dict[str, Program]:
    """Both passes, with the shortest period at which they can be scheduled.

    Where the lanes let no sector in before ``least_interval``, the period is theirs, or else no tail reaches into the
    next head. With ``shortcut``, a block is multiplied as it arrives. With overlap a head has at least ``spacing``
    steps, so that R follows that of the sector before by as many cycles, however the input pauses.
    """
    stride = place.parts if shortcut else 1

    def build(
        plan: Plan, products: Sequence[Product], first: int, stride: int, period: int | None, **more: Any
    ) -> Program:
        specials = plan.specials(products)
        used = {block for product in products for block in product.blocks}
        beats = place.rows if plan is BACK else p.beats
        options: dict[str, Any] = {
            "steps": period or (beats - 1) * stride + 1 + len(specials),
            "urgent": [product.name for product in products if product.name in (DIGEST, FRONT.Q)],
            # known only at the end: with two blocks, the product of a sector cut short would be on its way
            "prompt": shortcut and p.m > 2,
        }
        return schedule(
            products,
            [a for a in _arrivals(p, first, beats, stride, specials) if a.block in used],
            latency=p.mult_stages,
            multipliers=p.multipliers,
            beats=beats,
            period=period,
            stride=stride,
            **(options | more),
        )

    def front_pass(period: int | None) -> Program:
        """The front pass, whose head is long enough for the blocks that are held and for the shared hash."""
        made = build(FRONT, front, 0, 1, period)
        if not made.raises(FRONT.shared):
            return made
        shared = made.done(FRONT.shared)
        steps = max(made.steps, shared + 1, made.held + 1)
        if period is not None and steps > period:
            raise ValueError(f"the shared hash is known at step {shared}, too late for a period of {period} steps")
        earliest = {product.name: shared + 1 - made.latency for product in front if product.into == FRONT.R}
        made = build(FRONT, front, 0, 1, period, steps=steps, earliest=earliest)
        if made.done(FRONT.shared) != shared:
            raise ValueError("the shared hash moved as R was put behind it")
        return made

    def both(period: int | None) -> dict[str, Program] | None:
        made = {"front": front_pass(period), "back": build(BACK, back, place.first, stride, period)}
        fits = (
            period is None
            or period >= least_interval
            or all(program.steps + program.tail <= least_interval for program in made.values())
        )
        return made if fits else None

    return shortest(p, max(p.beats + len(FRONT.specials(front)), spacing), both)


def _arrivals(p: HashedParameters, first: int, beats: int, stride: int, specials: Sequence[Special]) -> list[Arrival]:
    """Blocks from the ``first`` on by their place in the stream, and after its beats the specials, one a step."""
    banks = p.width if p.hash == "horner" else max(2, p.width)
    blocks: list[Block] = list(range(first, p.m))
    return [
        *(Arrival(block, b // p.width * stride, b % banks) for b, block in enumerate(blocks)),
        *(Arrival(special, (beats - 1) * stride + 1 + k, 0) for k, special in enumerate(specials)),
    ]


def compute(
    p: HashedParameters, programs: dict[str, Program], place: Placement, *, cipher_latency: int, shortcut: bool
) -> int:
    """Cycles from the first beat accepted to h known: both hashes, the single call, and one pass of the lanes."""
    registered = 1  # the input beat
    queued = 1 if p.overlap else 0
    saved = 1 if shortcut else 0
    first_counter = registered + programs["front"].done(FRONT.R) + cipher_latency + 1 - 2 * saved
    first_result = first_counter + cipher_latency + queued
    waits = place.parts - 1 if shortcut else place.rows * (place.parts - 1)
    return first_result + waits + programs["back"].done(BACK.h) - saved
