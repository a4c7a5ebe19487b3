# SPDX-License-Identifier: Apache-2.0
"""The programs of both passes of hash-counter-hash, and the flow of a sector."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wideblock.rtl.flow.stage import After, Flow, Stage
from wideblock.rtl.hash.products import DIGEST, Block, HashEvent, HashPlan, Label, Product, Special
from wideblock.rtl.hash.program import Arrival, Program, schedule

from ..parameters import HashedParameters
from ..two_pass import raised, shortest, tail_meets
from .calls import HchCalls
from .equations import BACK, FRONT, Structure
from .placement import Placement

__all__ = ["flow", "programs"]


def programs(
    p: HashedParameters,
    front: Sequence[Product],
    back: Sequence[Product],
    place: Placement,
    calls: HchCalls,
    *,
    least_interval: int,
) -> dict[str, Program]:
    """Both passes, with the shortest possible period.

    Where the lanes let no sector in before ``least_interval``, the period is theirs, or else no tail reaches into the
    next head. With the shortcut of ``calls``, a block is multiplied on arrival. With overlap a head has at least
    ``spacing`` steps: R and h of two sectors are at least ``spacing`` cycles apart, for any pauses of the input.
    """
    passes = _Passes(p, front, back, place, calls.shortcut)

    def both(period: int | None) -> dict[str, Program] | None:
        made = {"front": passes.front_pass(period), "back": passes.back_pass(period)}
        fits = (
            period is None
            or period >= least_interval
            or all(program.steps + program.tail <= least_interval for program in made.values())
        )
        # without a period, no tail is beside a head
        return made if fits and (period is None or not tail_meets(made["front"], p.behind)) else None

    return shortest(p, max(p.beats + len(FRONT.specials(front)), calls.spacing), both)


@dataclass(frozen=True)
class _Passes:
    """The products of both passes of a sector, to be scheduled for a period, or None."""

    p: HashedParameters
    front: Sequence[Product]
    back: Sequence[Product]
    place: Placement
    shortcut: bool

    def front_pass(self, period: int | None) -> Program:
        """The front pass. A shared hash and the held blocks are in the head; R comes after the head."""
        if not any(product.into == FRONT.shared for product in self.front):
            return self._ending(FRONT, self.front, FRONT.R, period)
        made = self._pass(FRONT, self.front, period)
        shared = made.done(FRONT.shared)
        steps = max(made.steps, shared + 1, made.held + 1)
        if period is not None and steps > period:
            raise ValueError(f"the shared hash is known at step {shared}, too late for a period of {period} steps")
        behind = {product.name: shared + 1 - made.latency for product in self.front if product.into == FRONT.R}
        earliest = behind | self._at_the_end(self.front, FRONT.R, period)
        made = self._pass(FRONT, self.front, period, steps=steps, earliest=earliest)
        if made.done(FRONT.shared) != shared:
            raise ValueError("the shared hash moved as R was put behind it")
        return made

    def back_pass(self, period: int | None) -> Program:
        """The back pass, which ends as the front pass does."""
        return self._ending(BACK, self.back, BACK.h, period)

    def _ending(self, plan: HashPlan, products: Sequence[Product], event: HashEvent, period: int | None) -> Program:
        """A pass with ``event`` at the end, and with the held blocks in the head.

        Without held blocks the period is short, and the event late anyway, but where sectors have beats behind them.
        """
        earliest = self._at_the_end(products, event, period) if self.holds or self.p.behind else {}
        made = self._pass(plan, products, period, earliest=earliest)
        if made.held < made.steps:
            return made
        if period is not None:
            raise ValueError(f"a held block is taken at step {made.held}, too late for a period of {period} steps")
        return self._pass(plan, products, period, earliest=earliest, steps=made.held + 1)

    @property
    def holds(self) -> bool:
        """Whether a pass takes blocks that the core holds."""
        return any(isinstance(block, Special) and block.held for product in self.front for block in product.blocks)

    def _at_the_end(self, products: Sequence[Product], event: HashEvent, period: int | None) -> dict[Label, int]:
        """Least steps of issue for the products of the sum of ``event``.

        With a period, the last product is in the last step of the head or later. The next sector begins in the last
        step; the proof of the sectors' order depends on the bound.
        """
        summed = [product.name for product in products if product.into == event]
        return {} if period is None else {name: period - len(summed) + k for k, name in enumerate(summed)}

    def _pass(self, plan: HashPlan, products: Sequence[Product], period: int | None, **more: Any) -> Program:
        """A pass; ``more``: options of :func:`schedule` instead of the usual options."""
        p, place = self.p, self.place
        first, beats = (place.first, place.rows) if plan is BACK else (0, p.beats)
        stride = place.parts if self.shortcut and plan is BACK else 1
        specials = plan.specials(products)
        used = {block for product in products for block in product.blocks}
        options: dict[str, Any] = {
            "steps": period or (beats - 1) * stride + 1 + len(specials),
            "urgent": [product.name for product in products if product.name in (DIGEST, FRONT.Q)],
            # known only at the end: with two blocks, the product of a sector cut short would be on its way
            "prompt": self.shortcut and p.m > 2,
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


def _arrivals(p: HashedParameters, first: int, beats: int, stride: int, specials: Sequence[Special]) -> list[Arrival]:
    """Blocks from the ``first`` on by place in the stream, then the specials, a block a step."""
    banks = p.width if p.hash == "horner" else max(2, p.width)
    blocks: list[Block] = list(range(first, p.m))
    return [
        *(Arrival(block, b // p.width * stride, b % banks) for b, block in enumerate(blocks)),
        *(Arrival(special, (beats - 1) * stride + 1 + k, 0) for k, special in enumerate(specials)),
    ]


def flow(
    p: HashedParameters, programs: dict[str, Program], place: Placement, calls: HchCalls, structure: Structure
) -> Flow:
    """The stages of a sector. In the lanes its single call goes first, then the tweak's, then the counter mode.

    The last beat enters when the beats behind the sector have come: the front pass waits for as many steps.
    """
    front, back = programs["front"], programs["back"]
    saved, queued = (1, 0) if calls.shortcut else (0, 1 if p.overlap else 0)
    # the back hash takes a beat as the last of its parts is there; with the shortcut, parts as they come
    per, late = (1, place.parts - 1) if calls.shortcut else (place.parts, 0)
    single = Stage(
        "single",
        (None if structure.end_calls else "lanes",),
        calls.latency,
        (raised("front", front, FRONT.R, behind=p.behind),),
    )
    tweak = Stage("tweak", ("lanes",), calls.cipher_latency, (After("enter", 0, delay=0),), at="front")
    return Flow(
        (
            Stage("enter", (None,) * (p.beats + p.behind), at="front"),
            Stage("front", (None,) * (front.steps + p.behind), 0, (After("enter", None, delay=0),)),
            single,
            *((tweak,) if structure.tweak_call else ()),
            Stage(
                "lane",
                ("lanes",) * place.steps,
                p.ahead + calls.cipher_latency,
                (After("single", delay=1 - 2 * saved),),
            ),
            Stage("back", (None,) * back.steps, 0, (After("lane", None, per=per, delay=late + queued),)),
            Stage("inner", (None,), calls.closing_latency, (raised("back", back, BACK.h, delay=p.ahead - saved),)),
            Stage("exit", ("exit",) * (p.beats + p.behind), 0, (After("inner"),)),
        ),
        enters="enter",
        computes="inner",
        leaves="exit",
    )
