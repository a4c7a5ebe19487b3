# SPDX-License-Identifier: Apache-2.0
"""The hash unit, simulated, against the hash polynomials of the specification."""

import random
from collections import deque

import pytest

from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.hash.products import HashEvent, Product, Special, brw_products, horner_sums, psi_products
from wideblock.rtl.hash.program import Arrival, schedule
from wideblock.rtl.hash.unit import HashUnit
from wideblock.spec import gf128, polyhash

from ...variants import few_of_many
from ..simulated import Simulator
from .digest import OUT, H, digest

pytestmark = pytest.mark.shows("hash-schedules")


def expected(tau, X, kind, power):
    """tau^power times the hash of elements X."""
    digest = polyhash.brw(tau, X) if kind == "brw" else gf128.mul(tau, polyhash.horner(tau, X))
    return gf128.mul(gf128.power(tau, power), digest)


class Bench:
    """Drives one unit; ``seen`` are its events with the cycles of their results.

    ``beat`` are the blocks of this cycle; the unit gets them when the data of this cycle's steps are due.
    """

    def __init__(self, unit, seed=0):
        self.unit, self.seen, self.rng = unit, [], random.Random(seed)
        self.cycle = 0
        self.tau = self.rng.getrandbits(128)
        self.beat = self.blocks(unit.width)
        self.beats, self.raised = (deque([idle] * unit.lag) for idle in (self.beat, []))

    def blocks(self, n):
        return [self.rng.getrandbits(128) for _ in range(n)]

    async def tick(self, ctx):
        self.beats.append(list(self.beat))
        for block, value in zip(self.unit.blocks, self.beats.popleft(), strict=True):
            ctx.set(block, value)
        self.raised.append([event for event in self.unit.events if ctx.get(self.unit.event(event))])
        for event in self.raised.popleft():
            self.seen.append((event, self.cycle, ctx.get(self.unit.result(event))))
        await ctx.tick()
        self.cycle += 1

    async def load(self, ctx, tau):
        """Loads tau; cycles from ``load`` to ``loaded``."""
        ctx.set(self.unit.tau, tau)
        ctx.set(self.unit.load, 1)
        begin = self.cycle
        await self.tick(ctx)
        ctx.set(self.unit.load, 0)
        ctx.set(self.unit.tau, self.rng.getrandbits(128))
        while not ctx.get(self.unit.loaded):
            await self.tick(ctx)
        return self.cycle - begin

    async def sector(self, ctx, name, X, decrypt, *, pause=0.0, beats=None):
        """Offers the beats of a sector, or the first so many; the cycle in which the first one is taken."""
        unit, program, ports = self.unit, self.unit.programs[name], self.unit.hash_pass(name)
        first = None
        for beat in range(program.beats if beats is None else beats):
            while self.rng.random() < pause:
                await self.noise(ctx)
            ctx.set(ports.beat, 1)
            ctx.set(ports.decrypt, decrypt)
            present = X[beat * unit.width :][: unit.width]
            self.beat = [*present, *self.blocks(unit.width - len(present))]
            while not ctx.get(ports.ready):
                await self.tick(ctx)
            first = self.cycle if beat == 0 else first
            await self.tick(ctx)
            ctx.set(ports.beat, 0)
        return first

    async def noise(self, ctx):
        self.beat = self.blocks(self.unit.width)
        await self.tick(ctx)

    async def rest(self, ctx, program):
        for _ in range(program.tail + program.latency + self.unit.lag + 2):
            await self.noise(ctx)

    def run(self, play):
        simulator = Simulator(self.unit)
        simulator.add_clock(1e-8)
        simulator.add_testbench(play)
        simulator.run()
        return self.seen


BRW = [  # blocks, width, multipliers, stages
    (4, 1, 1, 4),
    (5, 2, 1, 1),
    (6, 4, 1, 3),
    (7, 4, 2, 8),
    (8, 1, 1, 6),
    (17, 2, 1, 2),
    (22, 4, 1, 4),
    (27, 4, 2, 5),
    (29, 1, 1, 7),
    (30, 2, 1, 8),
    (31, 4, 1, 4),
    (32, 4, 2, 4),
]
HORNER = [(5, 1, 1, 4), (12, 1, 1, 1), (19, 1, 1, 3), (16, 2, 2, 4), (23, 2, 2, 3), (26, 4, 4, 2)]
SHAPES = [*(("brw", *shape) for shape in BRW), *(("horner", *shape) for shape in HORNER)]


@pytest.mark.parametrize(
    ("kind", "n", "width", "multipliers", "stages"),
    few_of_many(SHAPES, SHAPES[::5]),
)
def test_digest_and_its_cycle(kind, n, width, multipliers, stages):
    """Both directions, without and with pauses; unused lanes and idle cycles carry noise."""
    f = digest(n, kind, width=width, latency=stages, multipliers=multipliers)
    bench = Bench(HashUnit({"f": f}, width=width), seed=n)
    right = []

    async def play(ctx):
        assert await bench.load(ctx, bench.tau) == bench.unit.setup
        for pause, decrypt in ((0.0, 0), (0.0, 1), (0.4, 1), (0.7, 0)):
            X = bench.blocks(n)
            first = await bench.sector(ctx, "f", X, decrypt, pause=pause)
            await bench.rest(ctx, f)
            right.append((expected(bench.tau, X, kind, 1 + decrypt), first if pause == 0 else None))

    seen = bench.run(play)
    assert [value for _, _, value in seen] == [value for value, _ in right]
    cycles = [(got, first) for (_, got, _), (_, first) in zip(seen, right, strict=True) if first is not None]
    assert [got for got, _ in cycles] == [first + f.done(OUT) for _, first in cycles]


def test_two_programs_share_a_unit():
    """Of different length and direction rule, in turn; neither disturbs the other's next run."""
    one, two = HashEvent("one", ""), HashEvent("two", "")
    programs = {
        "front": digest(13, "brw", width=2, latency=3, event=one),
        "back": digest(10, "brw", width=2, latency=3, event=two, power=(2, 1)),
    }
    bench = Bench(HashUnit(programs, width=2), seed=7)
    right = []

    async def play(ctx):
        assert await bench.load(ctx, bench.tau) == bench.unit.setup
        for name, decrypt in (("front", 0), ("back", 0), ("front", 1), ("front", 0), ("back", 1), ("back", 1)):
            X = bench.blocks(13 if name == "front" else 10)
            first = await bench.sector(ctx, name, X, decrypt, pause=0.0)
            await bench.rest(ctx, programs[name])
            assert first is not None
            event, power = (one, 1 + decrypt) if name == "front" else (two, 2 - decrypt)
            right.append((event, first + programs[name].done(event), expected(bench.tau, X, "brw", power)))

    assert bench.run(play) == right


@pytest.mark.parametrize("lag", few_of_many([0, 2], [2]))
@pytest.mark.parametrize("kind", ["brw", "horner"])
def test_restart_leaves_no_trace(kind, lag):
    """A sector given up after any number of beats: no event of its own, and the next one is right and on time."""
    f = digest(14, kind, width=2, latency=4, multipliers=1 if kind == "brw" else 2)
    bench = Bench(HashUnit({"f": f}, width=2, lag=lag), seed=3)
    right = []

    async def play(ctx):
        await bench.load(ctx, bench.tau)
        for beats in range(1, f.beats):
            await bench.sector(ctx, "f", bench.blocks(14), 0, beats=beats)
            ctx.set(bench.unit.f_restart, 1)
            await bench.noise(ctx)
            ctx.set(bench.unit.f_restart, 0)
            X = bench.blocks(14)
            first = await bench.sector(ctx, "f", X, 1)
            await bench.rest(ctx, f)
            right.append((OUT, first + lag + f.done(OUT), expected(bench.tau, X, kind, 2)))

    assert bench.run(play) == right


def test_another_tau():
    f = digest(9, "brw", width=2, latency=2)
    bench = Bench(HashUnit({"f": f}, width=2), seed=5)
    right = []

    async def play(ctx):
        for tau in bench.blocks(3):
            await bench.load(ctx, tau)
            X = bench.blocks(9)
            await bench.sector(ctx, "f", X, 0)
            await bench.rest(ctx, f)
            right.append(expected(tau, X, "brw", 1))

    assert [value for _, _, value in bench.run(play)] == right


def test_clear_forgets_tau_and_results():
    """After ``clear`` on every row, in the middle of a sector, the next digest is that of tau = 0."""
    f = digest(9, "brw", width=2, latency=2)
    bench = Bench(HashUnit({"f": f}, width=2), seed=6)
    X, digests = bench.blocks(9), []

    async def play(ctx):
        await bench.load(ctx, bench.tau)
        await bench.sector(ctx, "f", bench.blocks(9), 0, beats=3)
        ctx.set(bench.unit.clear, 1)
        for row in range(2 * bench.unit.depth):
            ctx.set(bench.unit.clear_row, row % bench.unit.depth)
            bench.beat = [0, 0]
            await bench.tick(ctx)
        ctx.set(bench.unit.clear, 0)
        await bench.sector(ctx, "f", X, 0)
        for _ in range(20):
            if ctx.get(bench.unit.issue(H)):
                digests.append(ctx.get(bench.unit.operand(H)))
            await bench.noise(ctx)

    assert [value for _, _, value in bench.run(play)] == [0]
    assert digests == [polyhash.brw(0, X)] and digests != [0]


@pytest.mark.parametrize("kind, multipliers", [("brw", 1), ("horner", 2)])
def test_tap_shows_the_right_operand(kind, multipliers):
    """``issue_h`` pulses one cycle after the digest meets the multiplier, ``operand_h`` is the digest itself.

    It is the sum of products of both multipliers where there are two.
    """
    f = digest(12, kind, width=2, latency=4, multipliers=multipliers)
    bench = Bench(HashUnit({"f": f}, width=2), seed=8)
    X, seen = bench.blocks(12), []

    async def play(ctx):
        await bench.load(ctx, bench.tau)
        first = await bench.sector(ctx, "f", X, 0)
        for _ in range(40):
            if ctx.get(bench.unit.issue(H)):
                seen.append((bench.cycle - first, ctx.get(bench.unit.operand(H))))
            await bench.noise(ctx)

    bench.run(play)
    right = polyhash.brw(bench.tau, X) if kind == "brw" else gf128.mul(bench.tau, polyhash.horner(bench.tau, X))
    assert seen == [(f.issued(H) + 1, right)]


def test_results_of_one_event_come_from_one_multiplier():
    """An event of two multipliers has no place to be shown."""
    arrivals = [Arrival(0, 0, 0), Arrival(2, 0, 2), Arrival(3, 0, 3)]
    products = [Product("a", None, 1, 0, None, OUT), Product("b", 3, 1, 2, None, OUT)]
    f = schedule(products, arrivals, latency=2, multipliers=2, beats=1, steps=1)
    unit = HashUnit({"f": f}, width=4)
    with pytest.raises(ValueError, match=r"^results of event out come from multipliers \[0, 1\], must be from one$"):
        Simulator(unit)


@pytest.mark.parametrize("stages", few_of_many([1, 3], [3]))
@pytest.mark.parametrize("squares", ["stored", "on-the-fly"])
def test_blocks_on_their_way_beats_every_other_step_and_results_ahead(stages, squares):
    """What a core without overlap does to save cycles, in one program; pauses do not disturb it."""
    n, beats = 13, 7
    products, loose = brw_products(range(n), "h", two_block_rule="second-by-tau")
    f = schedule(
        [*products, Product("h", None, 1, loose, None, OUT)],
        [Arrival(b, b // 2 * 2, b % 2) for b in range(n)],
        latency=stages,
        multipliers=1,
        beats=beats,
        steps=2 * beats - 1,
        prompt=True,
        stride=2,
    )
    bench = Bench(HashUnit({"f": f}, width=2, squares=squares, ahead=[OUT]), seed=stages)
    right = []

    async def play(ctx):
        assert await bench.load(ctx, bench.tau) == bench.unit.setup
        for pause in (0.0, 0.5):
            X = bench.blocks(n)
            first = await bench.sector(ctx, "f", X, 0, pause=pause)
            await bench.rest(ctx, f)
            digest = polyhash.brw(bench.tau, X, two_block_rule=polyhash.TwoBlockRule.SECOND_BY_TAU)
            right.append((first, gf128.mul(bench.tau, digest)))

    seen = bench.run(play)
    assert [value for _, _, value in seen] == [value for _, value in right]
    assert seen[0][1] == right[0][0] + f.done(OUT) - 1
    assert f.fresh(f.issues[0], 1) and f.window < 3


@pytest.mark.parametrize("reading", few_of_many([WireReading.BE, WireReading.GCM], [WireReading.GCM]))
def test_another_reading_of_the_field(reading):
    """Blocks, hash key, result and tapped operand are all of one reading; the polynomial is the specification's."""
    f = digest(7, "brw", width=2, latency=2)
    bench = Bench(HashUnit({"f": f}, width=2, reading=reading), seed=9)
    field, right, operands = gf128.Reading[reading.name], [], []

    def element(block):
        return field.element(block.to_bytes(16, "little"))

    def block(element):
        return int.from_bytes(field.block(element), "little")

    async def play(ctx):
        await bench.load(ctx, bench.tau)
        X = bench.blocks(7)
        await bench.sector(ctx, "f", X, 0)
        digest = polyhash.brw(element(bench.tau), [element(x) for x in X])
        right.extend([block(digest), block(gf128.mul(element(bench.tau), digest))])
        for _ in range(20):
            if ctx.get(bench.unit.issue(H)):
                operands.append(ctx.get(bench.unit.operand(H)))
            await bench.noise(ctx)

    seen = bench.run(play)
    assert [*operands, *(value for _, _, value in seen)] == right


@pytest.mark.parametrize("reading", [WireReading.LE, WireReading.POLYVAL])
@pytest.mark.parametrize(("width", "stages"), few_of_many([(1, 3), (2, 4)], [(2, 4)]))
def test_held_blocks(reading, width, stages):
    """Two blocks that the core holds through the head are hashed beside those that arrive."""
    shared, n = HashEvent("shared", "the hash of the blocks that are held"), 6 * width
    A, B = Special("A", "the first block", held=True), Special("B", "the second block", held=True)
    products = [
        Product("A", None, 1, A, None, "B"),
        Product("B", None, n, B, None, shared),
        *psi_products(range(n), OUT, hash="horner", order="natural", decimation=width * stages),
    ]
    program = schedule(
        products,
        [Arrival(b, b // width, b % width) for b in range(n)],
        latency=stages,
        multipliers=width,
        beats=n // width,
        steps=2 + 2 * stages,
    )
    assert 1 <= program.issued("A") < program.issued("B") == program.held < program.steps
    bench = Bench(HashUnit({"f": program}, width=width, reading=reading))
    right = []

    async def play(ctx):
        await bench.load(ctx, bench.tau)
        key = to_element(reading, bench.tau)
        tau = gf128.double(key) if reading is WireReading.POLYVAL else key
        for _ in range(3):
            a, b, *X = bench.blocks(2 + n)
            ctx.set(bench.unit.special(A), a)
            ctx.set(bench.unit.special(B), b)
            held, arrived = ([to_element(reading, x) for x in part] for part in ([a, b], X))
            right.append(gf128.mul(gf128.power(tau, n), polyhash.horner(tau, held)))
            right.append(gf128.mul(tau, polyhash.horner(tau, arrived)))
            await bench.sector(ctx, "f", X, 0, pause=0.2)
            await bench.rest(ctx, program)
            for _ in range(program.steps):
                await bench.noise(ctx)

    seen = bench.run(play)
    assert [event.name for event, _, _ in seen] == ["shared", "out"] * 3
    assert [to_element(reading, result) for _, _, result in seen] == right


@pytest.mark.parametrize("period", few_of_many([None, 9], [9]))
@pytest.mark.parametrize(
    ("n", "width", "stages"), few_of_many([(8, 1, 3), (15, 2, 4), (27, 4, 2), (3, 4, 1)], [(15, 2, 4), (3, 4, 1)])
)
def test_sums_of_a_beat(n, width, stages, period):
    """All products of a beat are one sum, and the sums of the chains are added as the event is raised."""
    beats = [range(n)[k : k + width] for k in range(0, n, width)]
    program = schedule(
        horner_sums(beats, OUT, decimation=stages),
        [Arrival(b, b // width, b % width) for b in range(n)],
        latency=stages,
        multipliers=1,
        beats=len(beats),
        steps=period or len(beats),
        period=period,
    )
    unit = HashUnit({"f": program}, width=width)
    assert unit.multipliers == 1 and (OUT in unit.control.summed) == (min(stages, len(beats)) > 1)
    bench = Bench(unit, seed=n)
    right = []

    async def play(ctx):
        await bench.load(ctx, bench.tau)
        for pause in (0.0, 0.0, 0.5, 0.0):
            X = bench.blocks(n)
            right.append(gf128.mul(bench.tau, polyhash.horner(bench.tau, X)))
            await bench.sector(ctx, "f", X, 0, pause=pause)
            if period is None:
                await bench.rest(ctx, program)
        for _ in range(3 * program.steps + program.tail + stages):
            await bench.noise(ctx)

    assert [result for _, _, result in bench.run(play)] == right


def test_a_sum_is_not_known_ahead():
    program = schedule(
        horner_sums([[0], [1]], OUT, decimation=2),
        [Arrival(0, 0, 0), Arrival(1, 1, 0)],
        latency=2,
        multipliers=1,
        beats=2,
        steps=2,
    )
    with pytest.raises(ValueError, match="^the sum of event out is not known before its last product$"):
        HashUnit({"f": program}, width=1, ahead=[OUT])


def to_element(reading, block):
    return int(f"{block:0128b}"[::-1], 2) if reading is WireReading.POLYVAL else block
