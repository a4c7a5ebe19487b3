# SPDX-License-Identifier: Apache-2.0
"""Arrival-order scheduling: the step at which a pipelined multiplier computes each product of a hash.

The blocks of a sector arrive in natural order, a few a step. A block waits in a small window for its product; the
oldest product with all blocks and inner products goes first. The order does not depend on data: the schedule is
computed in Python, and the hardware walks through control words.

Control words have two clocks. The *head* of a program counts steps, and a core may hold a step back (no block arrives,
a resource is taken). The *tail* starts after the last step and runs freely, a word a cycle. With a ``period`` the head
of the next sector starts ``period`` steps after the head of the present sector, beside the present tail: the program is
scheduled modulo the period, and at full speed head and tail never use the same multiplier in a cycle.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from .products import Block, HashEvent, Label, Product, Special

__all__ = ["Arrival", "Issue", "Program", "colour", "schedule"]


@dataclass(frozen=True)
class Arrival:
    """A block is written into the window of a bank at the end of ``step``, and can be read from the next step on.

    In a ``prompt`` program, a product can take the arriving block in ``step``, too.
    """

    block: Block
    step: int
    bank: int


@dataclass(frozen=True)
class Issue:
    """A product at a multiplier's inputs at ``step``; the result follows ``latency`` cycles later.

    row:     accumulator added to the right operand
    sources: multipliers that added to the accumulator ``row``
    into:    accumulator of the result, or None for a result of an event alone
    first:   the result opens the accumulator
    raises:  the result raises the event
    """

    product: Product
    step: int
    multiplier: int
    row: int | None
    sources: frozenset[int]
    into: int | None
    first: bool
    raises: bool = False


@dataclass(frozen=True)
class Program:
    """A schedule with storage, from which the hardware of a hash is built.

    arrivals, issues: in the order of steps
    slot:    place in the bank's window of each block that waits
    steps:   length of the head; issues at later steps belong to the tail
    beats:   number of first steps with a beat of input; with a ``stride``, every stride-th step up to the last
    latency: of the multipliers, in cycles
    period:  steps from head to head, or None if a sector's tail ends before the next head
    """

    arrivals: tuple[Arrival, ...]
    issues: tuple[Issue, ...]
    slot: Mapping[Block, int]
    beats: int
    steps: int
    latency: int
    multipliers: int
    period: int | None
    stride: int = 1

    @property
    def window(self) -> int:
        """Capacity of a bank of the window, in blocks."""
        return 1 + max(self.slot.values(), default=-1)

    def fresh(self, issue: Issue, block: Block) -> bool:
        """Whether the product takes the block on the way into the window."""
        return self._steps.get(block) == issue.step

    @cached_property
    def _steps(self) -> Mapping[Block, int]:
        """The step at which each block arrives."""
        return {arrival.block: arrival.step for arrival in self.arrivals}

    @property
    def registers(self) -> int:
        """Accumulators of a multiplier."""
        return 1 + max((issue.into for issue in self.issues if issue.into is not None), default=-1)

    @property
    def tail(self) -> int:
        """Cycles from the last step to the last issue."""
        return max(0, self.issues[-1].step + 1 - self.steps)

    def issued(self, name: Label) -> int:
        """Step at which the product called ``name`` is issued."""
        return next(issue.step for issue in self.issues if issue.product.name == name)

    def raises(self, event: HashEvent) -> bool:
        """Whether a product raises ``event``."""
        return any(issue.product.into == event for issue in self.issues)

    def done(self, event: HashEvent) -> int:
        """Step at which the result of ``event`` leaves the multiplier."""
        return max(issue.step for issue in self.issues if issue.product.into == event) + self.latency

    @property
    def held(self) -> int:
        """The last step with a held block in an operand, or -1."""
        taken = [i.step for i in self.issues for b in i.product.blocks if isinstance(b, Special) and b.held]
        return max(taken, default=-1)

    @property
    def powers(self) -> frozenset[int]:
        """Exponents of tau in the left operands."""
        return frozenset[int]().union(*(issue.product.powers for issue in self.issues))

    @property
    def constants(self) -> frozenset[int]:
        """Exponents of tau in the right operands."""
        return frozenset(i.product.constant for i in self.issues if i.product.constant is not None)


def schedule(
    products: Sequence[Product],
    arrivals: Sequence[Arrival],
    *,
    latency: int,
    multipliers: int,
    beats: int,
    steps: int,
    period: int | None = None,
    urgent: Sequence[Label] = (),
    earliest: Mapping[Label, int] | None = None,
    prompt: bool = False,
    stride: int = 1,
) -> Program:
    """Issues every product as early as blocks, inner products and multiplier allow, the oldest first.

    products:    by age; a product belongs to the multiplier ``bank of its right block // banks per
                 multiplier``
    arrivals:    step and bank of each block
    latency:     cycles from a product's issue to its result, 1 or more
    steps:       steps of the head, of which the first ``beats`` take a beat, or with ``stride`` every stride-th
    period:      steps between heads, or None
    urgent:      names of the products on the critical path, with reserved places modulo the period
    earliest:    least step of a product
    prompt:      whether a product may take a block in the step of arrival

    Raises ValueError if a result goes nowhere, or if the products do not fit into the period.
    """
    _check_products(products)
    arrivals = sorted(arrivals, key=lambda a: a.step)
    # a held block is there as if it had arrived in the first step, and could not be taken on its way
    held = {b: Arrival(b, int(prompt), 0) for p in products for b in p.blocks if isinstance(b, Special) and b.held}
    at = {a.block: a for a in arrivals} | held
    banks = 1 + max(a.bank for a in arrivals)
    per_multiplier = -(-banks // multipliers)
    unit = {p.name: at[p.right].bank // per_multiplier if p.right is not None else 0 for p in products}
    _check_load(unit, multipliers, period)
    most = steps + 4 * (period or 0)
    placed = _settled(products, at, unit, latency, period, urgent, prompt, earliest or {}, most)
    return _allocate(
        products,
        arrivals,
        placed,
        unit,
        latency=latency,
        multipliers=multipliers,
        beats=beats,
        steps=steps,
        period=period,
        stride=stride,
    )


def _check_products(products: Sequence[Product]) -> None:
    """Raises ValueError if a result goes nowhere."""
    labels = {product.name for product in products}
    for product in products:
        if not isinstance(product.into, HashEvent) and product.into not in labels:
            raise ValueError(f"product {product.name} goes into {product.into}, neither a product nor an event")


def _check_load(unit: Mapping[Label, int], multipliers: int, period: int | None) -> None:
    """Raises ValueError if the products of a multiplier do not fit into the period."""
    for m in range(multipliers):
        load = sum(number == m for number in unit.values())
        if period is not None and load > period:
            raise ValueError(f"{load} products on multiplier {m} do not fit into {period} steps")


def _settled(products, at, unit, latency, period, urgent, prompt, earliest, most):
    """:func:`_place`, repeated until every urgent product has its reserved place; no reserved step is beyond ``most``.

    Raises ValueError without such a schedule.
    """
    reserved: dict[Label, int] = {}
    while True:
        placed = _place(products, at, unit, latency, period, reserved, frozenset(urgent), prompt, earliest)
        moved = [name for name in urgent if reserved.get(name) != placed[name]]
        if period is None or not moved:
            return placed
        if placed[moved[0]] > most:
            raise ValueError(f"no schedule of {len(products)} products within a period of {period} steps")
        # all that depends on the product moves, too: later reservations are made anew
        reserved = {name: step for name, step in reserved.items() if step < placed[moved[0]]}
        reserved[moved[0]] = placed[moved[0]]


def _place(products, at, unit, latency, period, reserved, urgent, prompt, earliest):
    """Step of each product: list scheduling in time order. Urgent products go when ready; other products avoid reserved
    places.
    """
    inner = {p.name: [] for p in products}
    for product in products:
        inner.setdefault(product.into, []).append(product.name)
    least = {  # first steps at which the blocks are there
        p.name: max([reserved.get(p.name, 0), earliest.get(p.name, 0), *(at[b].step + 1 - prompt for b in p.blocks)])
        for p in products
    }
    placed: dict[Label, int] = {}
    taken = set()
    waiting = list(products)
    begin = max(max(a.step for a in at.values()), *earliest.values(), 0)
    limit = begin + (latency + 2) * (len(products) + 2)

    def place_of(step):
        return step if period is None else step % period

    kept = {(unit[name], place_of(step)): name for name, step in reserved.items()}
    step = 0
    while waiting:
        if step > limit:
            raise ValueError(f"{len(products)} products do not fit into a period of {period} steps")
        busy = set()
        for product in [p for p in waiting if least[p.name] <= step]:
            m = unit[product.name]
            place = (m, place_of(step))
            blocked = place in taken and product.name not in urgent
            if m in busy or blocked or kept.get(place, product.name) != product.name:
                continue
            if any(name not in placed or placed[name] + latency > step for name in inner[product.name]):
                continue
            placed[product.name] = step
            taken.add(place)
            busy.add(m)
            waiting.remove(product)
        step += 1
    return placed


def _allocate(products, arrivals, placed, unit, *, latency, multipliers, beats, steps, period, stride):
    """Window slots and accumulators, by colouring of the steps in use."""
    read = {}
    for product in products:
        for block in product.blocks:
            read[block] = max(read.get(block, 0), placed[product.name])

    slot, held = {}, {}
    for arrival in arrivals:
        places = held.setdefault(arrival.bank, [])
        if read[arrival.block] > arrival.step:
            slot[arrival.block] = colour(places, arrival.step, read[arrival.block], period)

    order = sorted(products, key=lambda p: (placed[p.name], unit[p.name]))
    last = {product.into: product for product in order if isinstance(product.into, HashEvent)}
    row, rows = {}, []
    for product in order:
        if product.into in row or last.get(product.into) == product:
            continue
        event = isinstance(product.into, HashEvent)
        end = placed[last[product.into].name] + latency if event else placed[product.into]
        row[product.into] = colour(rows, placed[product.name], end, period)

    issues, opened, sources = [], set(), {}
    for product in order:
        m = unit[product.name]
        into = row.get(product.into)
        sources.setdefault(product.into, set()).add(m)
        issues.append(
            Issue(
                product,
                placed[product.name],
                m,
                row.get(product.name),
                frozenset(sources.get(product.name, ())),
                into,
                (product.into, m) not in opened,
                last.get(product.into) == product,
            )
        )
        opened.add((product.into, m))
    return Program(tuple(arrivals), tuple(issues), slot, beats, steps, latency, multipliers, period, stride)


def colour(places, start, end, period):
    """Takes the first place free from just after step ``start`` to ``end``, in every sector.

    ``places``: the spans (start, end) in which each place is taken; the new span is added. Raises ValueError for a span
    longer than ``period``.
    """

    def free(taken):
        return not any(_meet(start, end, s, e, period) for s, e in taken)

    place = next((k for k, taken in enumerate(places) if free(taken)), len(places))
    if period and end - start > period:
        raise ValueError(f"a value held for {end - start} steps needs two places within a period of {period}")
    if place == len(places):
        places.append([])
    places[place].append((start, end))
    return place


def _meet(start, end, other_start, other_end, period):
    """Whether two spans meet, in the same sector or in any sector before or behind."""
    # the first of the other's repetitions that ends behind ``start``
    moved = ((start - other_end) // period + 1) * period if period else 0
    return start < other_end + moved and other_start + moved < end
