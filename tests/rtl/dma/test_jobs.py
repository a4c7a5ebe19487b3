# SPDX-License-Identifier: Apache-2.0
"""Jobs of the master: results, errors, order, halts, and rules of the bus, judged by the native twin."""

import random

import pytest

from wideblock.rtl.bus.axi_lite import SLVERR
from wideblock.rtl.bus.dma_map import HaltCause, JobStatus

from .bench import COMPLETIONS, DESCRIPTORS, Job, Machine, core
from .traffic import CLOSED, EMPTY, LOADED, Traffic

pytestmark = pytest.mark.shows("dma")


def key(slot, size=32):
    return random.Random(f"key {slot}").randbytes(size)


def loaded(**settings):
    """A machine with keys and running rings."""
    machine = Machine(**settings)
    for slot in LOADED:
        machine.load(slot, key(slot, machine.contract.key_bytes))
    machine.start(windows=windows(machine.seed))
    return machine


def windows(seed):
    """One window is open, which depends on the seed; those before it are closed, and stay so after it."""
    return [(0, CLOSED - 1, 0)] * (seed % 4) + [(0, CLOSED - 1, 3)]


START, STOP = 1, 2
DONE, ERROR, HALTED = 1, 2, 4


@pytest.mark.parametrize("seed, pause, latency", [(1, 0.0, 1), (2, 0.4, 30), (3, 0.1, 200)])
def test_random_jobs(seed, pause, latency):
    with loaded(seed=seed, pause=pause, latency=latency) as machine:
        Traffic(machine, seed).run(120)


OTHERS = {
    "tweaks of 32 bytes": ("hctr2-1s-k", {"tweak_bytes": 32}),
    "a part of a block": ("hctr2-1s-k", {"sector_bytes": 76}),
    "three passes": ("eme2-1", {"width": 1, "overlap": True, "sector_bytes": 128}),
}
"""Cores of units of one size."""


@pytest.mark.slow
@pytest.mark.parametrize("seed, which", list(enumerate(OTHERS)))
def test_units_of_one_size(seed, which):
    name, changes = OTHERS[which]
    with loaded(
        contract=core(name, **changes), seed=seed, pause=(0.0, 0.4, 0.1)[seed], latency=1 + 60 * seed
    ) as machine:
        Traffic(machine, seed).run(120)
        machine.forget("refuse")
        halts(machine, seed, 4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_many_random_jobs(seed):
    rng = random.Random(seed)
    with loaded(seed=seed, pause=rng.choice((0.0, 0.2, 0.7)), latency=rng.choice((1, 10, 100, 300))) as machine:
        Traffic(machine, seed).run(250)


def halted(machine, how, rng):
    """Halts a machine in some way; the cause that its status should have."""
    if how == "stop":
        machine.set("CONTROL", STOP)
        return HaltCause.STOP
    if how == "register":
        machine.set("ZEROIZE", 1, bus="ENGINE")
    else:
        machine._call("zeroize", 1 if how == "pulse" else rng.randrange(2, 3000))
    return HaltCause.CLEARED


def halting(seed, rounds):
    rng = random.Random(seed)
    with loaded(seed=seed, pause=rng.choice((0.0, 0.3)), latency=rng.choice((1, 40, 200))) as machine:
        halts(machine, seed, rounds)


def halts(machine, seed, rounds):
    """Halts in the midst of jobs: completed ones are right, others are in part, and nothing happens afterwards."""
    rng, traffic = random.Random(seed), Traffic(machine, seed)
    for _ in range(rounds):
        plans = [traffic.plan() for _ in range(rng.randint(1, 25))]
        machine.submit(*(plan.job for plan in plans))
        machine.run(rng.randrange(rng.choice((60, 1500))))
        how = rng.choice(("stop", "pulse", "level", "register"))
        cause = halted(machine, how, rng)
        machine.idle(cause)
        over = machine.value("written"), machine.value("cycle")
        machine.run(600)
        assert machine.value("written") == over[0] and machine.value("active") < over[1]
        assert machine.word("IRQ_STATUS") & HALTED
        machine.set("IRQ_STATUS", HALTED)
        ended = [found for found in (machine.poll() for _ in plans) if found]
        for plan, found in zip(plans, ended, strict=False):
            traffic.judge(plan, found)
        for plan in plans[len(ended) :]:
            traffic.in_part(plan)
        if how != "stop":
            machine.until_ready()
            for slot in LOADED:
                machine.load(slot, key(slot, machine.contract.key_bytes))
        machine.start(windows=windows(machine.seed))
        traffic.run(3)


@pytest.mark.parametrize("seed", range(3))
def test_halts_at_any_cycle(seed):
    halting(seed, 8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 30))
def test_more_halts_at_any_cycle(seed):
    halting(seed, 40)


def test_resets_at_any_cycle():
    rng = random.Random(1)
    with loaded(seed=1, latency=20) as machine:
        for _ in range(6):
            traffic = Traffic(machine, rng.random())
            machine.submit(*(traffic.plan().job for _ in range(6)))
            machine.run(rng.randrange(400))
            machine._call("reset")
            machine.until_ready()
            assert machine.field("STATUS", "IDLE") and not machine.word("WINDOW_BASE_LO")
            assert machine.word("IRQ_STATUS") == 0
            for slot in LOADED:
                machine.load(slot, key(slot))
            machine.start(windows=windows(machine.seed))
            traffic.run(4)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["stop", "error", "register", "pulse"])
def test_a_halt_wipes_what_was_read(how):
    """No part of the master has units or results after a halt; after a zeroize the engine has none, either."""
    rng = random.Random(how)
    with loaded(seed=1, latency=20, savable=True) as machine:
        if how == "error":
            machine.set("CONTROL", STOP)
            machine.idle(HaltCause.STOP)
            machine.start(windows=windows(machine.seed), POLICY=1)
        traffic = Traffic(machine, how, faults=False)
        plans = [traffic.plan() for _ in range(20)]
        plans[9].job.slot, plans[9].status = EMPTY, JobStatus.ENGINE
        machine.submit(*(plan.job for plan in plans))
        secrets = [plan.given for plan in plans]
        secrets += [machine.result(plan.job, plan.given) for plan in plans if plan.job.slot != EMPTY]
        secret = b"".join(each[: len(each) & -16] for each in secrets)
        machine.run(rng.randrange(100, 300))
        assert any(".buffer." in name for name in machine.keeps(secret))
        if how == "error":
            machine.idle(HaltCause.JOB, most=100_000)
        else:
            machine.idle(halted(machine, how, rng))
        machine.until_ready()
        kept = [name for name in machine.keeps(secret) if how in ("register", "pulse") or ".engine." not in name]
        assert kept == []


def test_windows_are_closed_after_reset():
    with Machine() as machine:
        machine.start(windows=())
        machine.submit(Job(0x1000, 0x1000, 64))
        machine.idle(HaltCause.COMPLETION)
        assert machine.value("reads") == machine.value("writes") == 0


def test_a_window_permits_reads_or_writes_or_both():
    with Machine() as machine:
        machine.load(0, key(0))
        rings = (DESCRIPTORS, COMPLETIONS + 4095, 3)
        machine.start(windows=((0x1000, 0x1FFF, 1), (0x3000, 0x4FFF, 2), (0x6000, 0x7FFF, 1), rings))
        machine.permit("read", 0x1000, 4096)
        machine.permit("write", 0x3000, 8192)
        good, wrong = JobStatus.OK, JobStatus.WINDOW
        cases = (
            (Job(0x1000, 0x3000, 4096), good, 0),
            (Job(0x1F00, 0x3F00, 512), wrong, 0x1F00),
            (Job(0x1000, 0x3F00, 512), good, 0),
            (Job(0x1000, 0x4F00, 512), wrong, 0x4F00),
            (Job(0x1000, 0x1000, 16), wrong, 0x1000),
            (Job(0x3000, 0x3000, 16), wrong, 0x3000),
            (Job(0x1000, 0x6000, 16), wrong, 0x6000),
        )
        machine.submit(*(job for job, _, _ in cases))
        found = machine.completions(len(cases))
        assert [(each.status, each.address) for each in found] == [case[1:] for case in cases]


def test_a_descriptor_that_cannot_be_read_ends_its_job_alone():
    with loaded() as machine:
        traffic = Traffic(machine, 1, faults=False)
        plans = [traffic.plan() for _ in range(5)]
        machine.permit("refuse", DESCRIPTORS + 64 * 2 + 32, 16)
        machine.submit(*(plan.job for plan in plans))
        found = machine.completions(5)
        assert (found[2].status, found[2].cookie, found[2].address) == (JobStatus.FETCH, 0, DESCRIPTORS + 64 * 2 + 32)
        for number in (0, 1, 3, 4):
            traffic.judge(plans[number], found[number])


def test_a_completion_that_cannot_be_written_halts():
    with loaded() as machine:
        traffic = Traffic(machine, 1, faults=False)
        machine.permit("refuse", COMPLETIONS + 16 * 2, 16)
        machine.submit(*(traffic.plan().job for _ in range(9)))
        machine.idle(HaltCause.COMPLETION)
        assert machine.poll() and machine.poll() and not machine.poll()


def test_an_error_halts_where_the_policy_says_so():
    with loaded(latency=30) as machine:
        machine.set("POLICY", 1, response=SLVERR)
        machine.set("CONTROL", STOP)
        machine.idle(HaltCause.STOP)
        machine.start(windows=windows(machine.seed), POLICY=1)
        traffic = Traffic(machine, 1, faults=False)
        plans = [traffic.plan() for _ in range(10)]
        plans[4].job.slot, plans[4].status, plans[4].unit = 6, JobStatus.ENGINE, 0
        machine.submit(*(plan.job for plan in plans))
        machine.idle(HaltCause.JOB)
        for plan in plans[:5]:
            traffic.judge(plan, machine.poll())
        assert machine.poll() is None and machine.word("IRQ_STATUS") == DONE | ERROR | HALTED


def test_interrupts_are_coalesced_by_number_and_by_time():
    with loaded() as machine:
        traffic = Traffic(machine, 1, faults=False, most_units=1)
        machine.set("IRQ_ENABLE", DONE)
        for registers, jobs, wait, pending in (
            ({"COALESCE": 4}, 3, 3000, False),
            ({"COALESCE": 4}, 1, 3000, True),
            ({"COALESCE": 0}, 1, 3000, True),
            ({"COALESCE": 200 | 5 << 16, "CLOCK": 400}, 2, 1000, False),
            ({"COALESCE": 200 | 5 << 16, "CLOCK": 400}, 0, 2000, True),
        ):
            for name, value in registers.items():
                machine.set(name, value)
            plans = [traffic.plan() for _ in range(jobs)]
            for plan in plans:
                plan.job.bytes = min(plan.job.bytes, 512) & -16
                plan.given, plan.unit = plan.given[: plan.job.size], plan.job.units
            machine.submit(*(plan.job for plan in plans))
            machine.run(wait)
            assert bool(machine.value("irq")) == bool(machine.word("IRQ_STATUS") & DONE) == pending, registers
            if pending:
                machine.set("IRQ_STATUS", DONE)
                assert not machine.value("irq")


def test_registers_are_still_while_jobs_run():
    with loaded() as machine:
        still = ("POLICY", "RING", "SUBMISSION_LO", "COMPLETION_HI", "ATTRIBUTES", "WINDOW_BASE_LO", "WINDOW_LAST_HI")
        for name in still:
            machine.set(name, 1, response=SLVERR)
        machine.set("CONTROL", START, response=SLVERR)
        machine.set("ID", 1, response=SLVERR)
        machine.set("CONTROL", STOP)
        machine.idle(HaltCause.STOP)
        machine.set("LOCK", 3)
        for name in ("WINDOW_BASE_LO", "WINDOW_BASE_HI", "WINDOW_LAST_LO", "WINDOW_LAST_HI", "ATTRIBUTES"):
            machine.set(name, 0, response=SLVERR)
        machine._call("zeroize", 1)
        machine.set("CONTROL", START, response=SLVERR)
        machine.until_ready()
        machine.set("CONTROL", START)
        assert machine.field("STATUS", "RUNNING")
