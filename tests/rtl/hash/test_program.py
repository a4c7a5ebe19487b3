# SPDX-License-Identifier: Apache-2.0
"""Schedules, held to what they promise by a machine that carries them out on names instead of numbers."""

import random
from collections import defaultdict
from dataclasses import replace

import pytest

from wideblock import catalog
from wideblock.rtl.hash.products import Product, Special
from wideblock.rtl.hash.program import Arrival, colour, schedule
from wideblock.rtl.sector.hash_counter_hash import FRONT

from ...variants import few_of_many, over
from .digest import OUT, digest

pytestmark = pytest.mark.shows("hash-schedules")


class Machine:
    """The storage of a hash unit: window, accumulators and multipliers hold names of the values they would hold.

    A head's step waits when ``pause`` says so or when a tail has its multiplier; tails run freely. Whatever an issue
    reads must be exactly what its product needs, of its own sector.
    """

    def __init__(self, program):
        self.program = program
        self.window = {}
        self.accumulator = defaultdict(frozenset)
        self.under_way = defaultdict(list)
        self.events = []
        self.at = defaultdict(list)
        for issue in program.issues:
            self.at[issue.step].append(issue)
        self.arrive = defaultdict(list)
        for arrival in program.arrivals:
            assert arrival.step < program.steps
            self.arrive[arrival.step].append(arrival)
        self.bank = {a.block: a.bank for a in program.arrivals}
        self.feeds = defaultdict(set)
        for issue in program.issues:
            self.feeds[issue.product.into].add(issue.product.name)

    def run(self, sectors, pause=lambda: False):
        """Cycles at which each sector's head begins; results are in ``events``."""
        p = self.program
        begins, ends = [], []
        sector = step = cycle = 0
        last = p.steps + p.tail + p.latency
        while sector < sectors or cycle <= ends[-1] + last:
            due = [(k, i) for k, end in enumerate(ends) for i in self.at[p.steps + cycle - end - 1] if cycle > end]
            busy = [i.multiplier for _, i in due]
            assert len(busy) == len(set(busy)), f"two tails want one multiplier in cycle {cycle}"
            head = self.at[step] if sector < sectors else []
            go = sector < sectors and not any(i.multiplier in busy for i in head)
            go = go and not (step % p.stride == 0 and step < p.beats * p.stride and pause())
            if p.period is None and step == 0 and ends and cycle <= ends[-1] + last:
                go = False  # without a period a sector starts after the tail of the one before it
            arrivals = self.arrive[step] if go else []
            self._cycle(cycle, due + [(sector, i) for i in head if go], [(sector, a) for a in arrivals])
            if go:
                if step == 0:
                    begins.append(cycle)
                step += 1
                if step == p.steps:
                    ends.append(cycle)
                    sector, step = sector + 1, 0
            cycle += 1
        return begins

    def _cycle(self, cycle, issues, arrivals):
        stores = self.under_way.pop(cycle, [])
        units = [i.multiplier for _, i in issues]
        assert len(units) == len(set(units)), f"two products on one multiplier in cycle {cycle}"
        passing = {(i.multiplier, i.into): self._sum(k, i) for k, i in stores if i.into is not None}
        arriving = {(k, a.block) for k, a in arrivals}
        for k, issue in issues:
            product = issue.product
            for block in product.blocks:
                if isinstance(block, Special) and block.held:
                    assert 1 <= issue.step < self.program.steps, f"{product} wants {block} at step {issue.step}"
                elif self.program.fresh(issue, block):
                    assert (k, block) in arriving, f"{product} does not meet {block} in cycle {cycle}"
                else:
                    place = self.bank[block], self.program.slot[block]
                    assert self.window.get(place) == (k, block), f"{product} does not find {block} in cycle {cycle}"
            taken = [passing.get((v, issue.row), self.accumulator[v, issue.row]) for v in issue.sources]
            found = frozenset().union(*taken)
            assert sum(map(len, taken)) == len(found)
            assert found == {(k, name) for name in self.feeds[product.name]}, f"{product} adds {found} in {cycle}"
            self.under_way[cycle + self.program.latency].append((k, issue))
        for k, issue in stores:
            if issue.raises:
                event = issue.product.into
                self.events.append((k, event, str(issue.product.name), cycle))
                found = {(k, issue.product.name)} if issue.into is None else self._sum(k, issue)
                assert found == {(k, name) for name in self.feeds[event]}, f"{event} is the sum of {found} in {cycle}"
            else:
                self.accumulator[issue.multiplier, issue.into] = self._sum(k, issue)
        for k, arrival in arrivals:
            if arrival.block not in self.program.slot:
                continue
            self.window[arrival.bank, self.program.slot[arrival.block]] = k, arrival.block

    def _sum(self, k, issue):
        held = frozenset() if issue.first else self.accumulator[issue.multiplier, issue.into]
        return held | {(k, issue.product.name)}


def carried_out(program, sectors=6):
    """Runs the program at full speed and with pauses; every event must come, once a product, and on time."""
    wanted = sorted((i.product.into.name, str(i.product.name)) for i in program.issues if i.raises)
    machine = Machine(program)
    begins = machine.run(sectors)
    if program.period is not None:
        assert begins == [k * program.period for k in range(sectors)]
    for k, begin in enumerate(begins):
        mine = [(event, name, cycle) for sector, event, name, cycle in machine.events if sector == k]
        assert sorted((event.name, name) for event, name, _ in mine) == wanted
        for event in {event for event, _, _ in mine}:
            assert max(cycle for e, _, cycle in mine if e == event) == begin + program.done(event)
    rng = random.Random(program.steps)
    for chance, few in ((0.05, sectors), (0.5, sectors), (0.95, 2)):  # a sector meets its neighbours alone
        machine = Machine(program)
        machine.run(few, lambda chance=chance: rng.random() < chance)
        names = sorted((k, event.name, name) for k, event, name, _ in machine.events)
        assert names == sorted((k, event, name) for k in range(few) for event, name in wanted)


def shortest(n, kind, **shape):
    """The schedule with the shortest period there is."""
    error = None
    for period in range(-(-n // shape["width"]), 4 * n + 64):
        try:
            return digest(n, kind, period=period, **shape)
        except ValueError as failed:
            error = failed
    raise AssertionError(error)


@over("latency", range(1, 9))
@pytest.mark.parametrize(("width", "multipliers"), [(1, 1), (2, 1), (4, 1), (4, 2), (8, 4)])
@over("n", [4, 5, 6, 7, 15, 29, 62])
def test_brw_without_a_period(n, width, multipliers, latency):
    carried_out(digest(n, "brw", width=width, latency=latency, multipliers=multipliers), sectors=2)


@over("latency", range(1, 9))
@pytest.mark.parametrize("width", [1, 2, 4])
@over("n", [5, 16, 35, 62])
def test_horner_without_a_period(n, width, latency):
    carried_out(digest(n, "horner", width=width, latency=latency, multipliers=width), sectors=2)


@pytest.mark.parametrize("kind", ["brw", "horner"])
@over("latency", [1, 2, 4, 6, 8])
@pytest.mark.parametrize("width", [1, 2, 4])
@over("n", [32, 62, 127])
def test_with_the_shortest_period(n, width, latency, kind):
    multipliers = width if kind == "horner" else max(1, width // 2)
    carried_out(shortest(n, kind, width=width, latency=latency, multipliers=multipliers))


def core(name, **changes):
    preset = catalog.preset(name)
    return preset.scheme.core(preset.changed(changes))


CORES = [
    *({"preset": name} for name, preset in catalog.PRESETS.items() if hasattr(preset.parameters, "hash")),
    *({"preset": "fast-brw-2s", "mult_stages": k} for k in (1, 3, 5, 6, 8)),
    *({"preset": "fast-brw-2", "mult_stages": k} for k in (1, 8)),
    *({"preset": "fast-brw-2s", "sector_bytes": 512, "mult_stages": k} for k in (1, 4, 8)),
    *({"preset": "fast-brw-4s", "sector_bytes": 512, "mult_stages": k} for k in (1, 4, 8)),
    *({"preset": "fast-brw-1s", "sector_bytes": 160, "mult_stages": k} for k in (1, 3, 4)),
    *({"preset": "fast-brw-2s", "sector_bytes": 64, "mult_stages": k} for k in (1, 4, 8)),
    *({"preset": "fast-horner-2s", "sector_bytes": 512, "mult_stages": k} for k in (1, 4, 8)),
    *({"preset": "heh-brw-2", "sector_bytes": 4096, "mult_stages": k} for k in (1, 4, 8)),
    *({"preset": "heh-brw-2s", "sector_bytes": 4096, "mult_stages": k} for k in (1, 4, 8)),
    *({"preset": "heh-brw-2s", "order": "paper", "mult_stages": k} for k in (2, 3)),
    *({"preset": "heh-brw-3s", "sector_bytes": 32, "mult_stages": k} for k in (1, 8)),
    *({"preset": "heh-polys", "sector_bytes": 48, "mult_stages": k} for k in (1, 8)),
    *({"preset": f"hctr2-{lanes}s", "sector_bytes": 255, "mult_stages": k} for lanes in (1, 2, 4) for k in (1, 3, 8)),
    *({"preset": "hctr2-2s", "sector_bytes": n, "tweak_bytes": 32} for n in (17, 80)),
    *({"preset": "hctr2-2", "sector_bytes": n, "mult_stages": 8} for n in (16, 48, 520)),
    *({"preset": f"xcb-{lanes}s", "sector_bytes": 255, "mult_stages": k} for lanes in (1, 2) for k in (1, 3, 8)),
    *({"preset": "xcb-2s", "sector_bytes": n, "tweak_bytes": 32} for n in (17, 80)),
    *({"preset": "xcb-2", "sector_bytes": n, "mult_stages": 8} for n in (16, 48, 520)),
]


@pytest.mark.parametrize("passes", ["front", "back"])
@pytest.mark.parametrize("changes", few_of_many(CORES, CORES[::2]), ids=lambda c: " ".join(map(str, c.values())))
def test_both_passes_of_a_core(changes, passes):
    changes = dict(changes)
    name = changes.pop("preset")
    made = core(name, **changes)
    program = made.programs[passes]
    assert (program.period is None) == (not made.parameters.overlap)
    carried_out(program)


@pytest.mark.parametrize(("latency", "pairs"), [(4, 4), (5, 5), (8, 8)])
def test_window_of_255_blocks_two_a_cycle(latency, pairs):
    assert digest(255, "brw", width=2, latency=latency, multipliers=1).window <= pairs


def test_window_of_4_pairs_is_needed():
    assert digest(255, "brw", width=2, latency=4, multipliers=1).window == 4


def test_cycles_of_255_blocks_two_a_cycle():
    program = digest(255, "brw", width=2, latency=4, multipliers=1)
    assert program.beats == 128 and len(program.issues) == 128
    assert program.done(OUT) <= 144  # the digest times tau, counted from the first beat


def test_tau_product_of_fast_is_ready_144_cycles_after_the_first_beat():
    assert core("fast-brw-2").programs["front"].done(FRONT.R) in (143, 144)


@pytest.mark.parametrize("passes", ["front", "back"])
@pytest.mark.parametrize(("name", "most"), [("fast-brw-2s", 130), ("fast-brw-1s", 130), ("fast-brw-4s", 66)])
def test_period_of_fast(name, most, passes):
    program = core(name).programs[passes]
    assert program.steps == program.period <= most


@pytest.mark.parametrize(("width", "multipliers", "period"), [(2, 1, 129), (4, 2, 66)])
def test_period_of_255_blocks(width, multipliers, period):
    carried_out(digest(255, "brw", width=width, latency=4, multipliers=multipliers, period=period))


@pytest.mark.parametrize("period", [None, 4])
def test_earliest_holds_a_product_back(period):
    arguments = dict(latency=1, multipliers=1, beats=2, steps=4, period=period)
    products, arrivals = [Product("D", None, 1, 0, None, OUT)], [Arrival(0, 0, 0)]
    assert schedule(products, arrivals, **arguments).issued("D") == 1
    assert schedule(products, arrivals, **arguments, earliest={"D": 3}).issued("D") == 3


def test_no_more_products_than_steps_in_a_period():
    with pytest.raises(ValueError, match="^128 products on multiplier 0 do not fit into 127 steps$"):
        digest(255, "brw", width=2, latency=4, multipliers=1, period=127)


def test_a_result_goes_to_a_product_or_an_event():
    with pytest.raises(ValueError, match="^product 1 goes into 2, neither a product nor an event$"):
        schedule([Product(1, None, 1, 0, None, 2)], [Arrival(0, 0, 0)], latency=1, multipliers=1, beats=1, steps=1)


@pytest.mark.parametrize(("n", "width", "multipliers"), [(7, 8, 4), (3, 4, 2), (5, 8, 4)])
def test_fewer_blocks_than_a_beat_has(n, width, multipliers):
    """The banks do not divide among the multipliers; none is asked for that does not exist."""
    program = digest(n, "brw", width=width, latency=2, multipliers=multipliers)
    assert {issue.multiplier for issue in program.issues} <= set(range(multipliers))
    carried_out(program)


def test_a_chain_that_is_too_long_for_a_period():
    products = [Product(k, None, 1, k, None, k + 1 if k < 3 else OUT) for k in range(4)]
    arrivals = [Arrival(0, 0, 0), *(Arrival(k, 0, 0) for k in range(1, 4))]
    with pytest.raises(ValueError, match="^a value held for 10 steps needs two places within a period of 8$"):
        schedule(products, arrivals, latency=8, multipliers=1, beats=1, steps=8, period=8)


# The machine must see what is wrong: one change to a right program each.


def broken(program, **of_issue):
    """The program with the last issue that has an accumulator changed."""
    issues = list(program.issues)
    k = max(k for k, issue in enumerate(issues) if issue.row is not None)
    issues[k] = replace(issues[k], **of_issue)
    return replace(program, issues=tuple(issues))


@pytest.fixture
def right():
    return digest(29, "brw", width=2, latency=4, multipliers=1)


def test_machine_sees_a_wrong_accumulator(right):
    carried_out(right)
    row = next(i.row for i in reversed(right.issues) if i.row is not None)
    with pytest.raises(AssertionError, match="adds"):
        carried_out(broken(right, row=row + 1))


def test_machine_sees_an_issue_before_its_inner_products(right):
    with pytest.raises(AssertionError, match="adds"):
        carried_out(broken(right, step=right.issues[-1].step - 1))


def test_a_place_is_taken_for_every_sector():
    """A place that is held in steps 1 to 3 of each sector, 12 steps apart, is not free in them, however late."""
    for later in range(20):
        taken = [[(0, 3)]]
        assert [colour(taken, 12 * later + start, 12 * later + start + 2, 12) for start in (2, 3)] == [1, 0]


def test_machine_sees_a_missing_first(right):
    k = next(k for k, i in enumerate(right.issues) if i.first and i.into is not None)
    issues = list(right.issues)
    issues[k] = replace(issues[k], first=False)
    with pytest.raises(AssertionError, match="adds"):
        carried_out(replace(right, issues=tuple(issues)))


def test_machine_sees_a_shared_place_in_the_window(right):
    with pytest.raises(AssertionError, match="does not find"):
        carried_out(replace(right, slot=dict.fromkeys(right.slot, 0)))


def test_machine_sees_two_products_on_one_multiplier(right):
    issues = list(right.issues)
    issues[3] = replace(issues[3], step=issues[2].step)
    with pytest.raises(AssertionError, match="two products on one multiplier|does not find"):
        carried_out(replace(right, issues=tuple(issues)))
