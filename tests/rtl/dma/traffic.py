# SPDX-License-Identifier: Apache-2.0
"""Random jobs, each with memory of its own, and the verdict on what became of them."""

import random
from dataclasses import dataclass, field

from wideblock.rtl.bus.dma_map import JobStatus

from .bench import Job

__all__ = ["CLOSED", "EMPTY", "LOADED", "Planned", "Traffic"]

LOADED, EMPTY = range(6), 6
"""Slots with keys, and one without."""

CLOSED = 0x9_0000_0000
"""Address from which on no window permits anything."""

_PAGE = 4096


class Places:
    """Bytes of a job in memory, in pieces of whole blocks, each an address and a number of bytes."""

    def __init__(self, pieces):
        self.pieces = list(pieces)

    def blocks(self):
        return [at + 16 * n for at, size in self.pieces for n in range(size // 16)]

    def put(self, machine, data):
        for at, size in self.pieces:
            if data:
                machine.put(at, data[:size])
            data = data[size:]

    def get(self, machine):
        return b"".join(machine.get(at, size) for at, size in self.pieces)

    def permit(self, machine, kind):
        for at, size in self.pieces:
            machine.permit(kind, at, size)


@dataclass
class Planned:
    """A job with the data of its source, its expected end, and the unit with the fault; before it all are done."""

    job: Job
    given: bytes = field(repr=False)
    before: bytes = field(repr=False)
    status: JobStatus
    unit: int = 0
    at: int = 0
    source: Places = field(default_factory=lambda: Places([]))
    target: Places = field(default_factory=lambda: Places([]))


class Traffic:
    """Makes jobs for a machine, ``lists`` of them with lists of segments; ``rng`` decides all."""

    def __init__(self, machine, seed, *, faults=True, most_units=6, lists=0.3):
        self.machine, self.rng, self.faults, self.most_units = machine, random.Random(seed), faults, most_units
        self.lists, self.length = lists, machine.contract.behaviour.length
        self.free = 0x10_0000
        self.number = 0

    def place(self, size):
        """A place of ``size`` bytes, often over the end of a page."""
        offset = 16 * self.rng.randrange(256)
        if self.rng.random() < 0.5:
            offset = (_PAGE - 16 * self.rng.randint(1, 8)) % _PAGE
        at = self.free + offset
        self.free = (at + size + 2 * _PAGE - 1) & -_PAGE
        return at

    def plan(self):
        """A job with random parameters, written into memory."""
        rng = self.rng
        units = rng.choice((1, 1, rng.randint(1, self.most_units)))
        size = rng.choice((16, 64, 512, rng.randint(16, 600), 4096 if units < 3 else 48))
        if self.length.least == self.length.most:
            size, units = self.length.most, units if self.length.most % 16 == 0 else 1
        elif units > 1:
            size &= -16
        job = Job(0, 0, size, units, rng.choice(LOADED), rng.random() < 0.5, rng.getrandbits(128), rng.getrandbits(32))
        job.cookie, self.number = self.number, self.number + 1
        if rng.random() < 0.05:
            job.tweak = (1 << 128) - 1
        job.source = self.place(job.size)
        job.target = job.source if rng.random() < 0.3 else self.place(job.size)
        plan = Planned(job, rng.randbytes(job.size), b"", JobStatus.OK, units)
        rounded = -(-job.size // 16) * 16
        if self.machine.tweak_bytes > 16 and rng.random() < 0.5:
            job.long_tweak, job.tweak = True, job.tweak | rng.getrandbits(128) << 128
        elif rng.random() < self.lists:
            return self._listed(plan, rounded)
        fault = self._break(plan) if self.faults and rng.random() < 0.3 else None
        if fault == "refused":
            return plan
        plan.source, plan.target = Places([(job.source, rounded)]), Places([(job.target, rounded)])
        return self._written(plan)

    def _written(self, plan):
        """The job with source and target in memory."""
        machine = self.machine
        if plan.target.pieces != plan.source.pieces:
            plan.target.put(machine, self.rng.randbytes(plan.job.size))
        plan.source.put(machine, plan.given)
        plan.source.permit(machine, "read")
        plan.target.permit(machine, "write")
        plan.before = plan.target.get(machine)
        return plan

    def _listed(self, plan, size):
        """The job with a list for its source, its target or both, perhaps with a fault in one of them."""
        rng, job = self.rng, plan.job
        ends = rng.choice((("source",), ("target",), ("source", "target")))
        plan.source, plan.target = Places([(job.source, size)]), Places([(job.target, size)])
        for end in ends:
            cuts = sorted(rng.sample(range(16, size, 16), min(rng.randint(0, 9), size // 16 - 1)))
            sizes = [b - a for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
            setattr(plan, end, Places([(self.place(each), each) for each in sizes]))
        if ends == ("source", "target") and job.target == job.source:
            plan.target = plan.source
        elif plan.target.pieces == plan.source.pieces or len(ends) == 1 and job.target == job.source:
            other = "target" if ends == ("source",) else "source"
            setattr(job, other, self.place(size))
            setattr(plan, other, Places([(getattr(job, other), size)]))
        self._written(plan)
        bad = rng.choice(ends) if self.faults and rng.random() < 0.3 else None
        for end in ends:
            entries = [list(each) + [0] for each in getattr(plan, end).pieces]
            entries += [[rng.getrandbits(64), rng.getrandbits(32), 1] for _ in range(rng.randint(0, 5))]
            table = self.place(16 * len(entries))
            if end == bad:
                self._break_list(plan, end, table, entries)
            setattr(job, end, table)
            setattr(job, f"{end}_segments", len(entries))
            text = b"".join(n.to_bytes(w, "little") for row in entries for n, w in zip(row, (8, 4, 4), strict=True))
            self.machine.put(table, text)
            self.machine.permit("read", table, len(text))
        return plan

    def _break_list(self, plan, end, table, entries):
        """Breaks an entry of a list in use, or a segment of it."""
        rng, places = self.rng, getattr(plan, end)
        number = rng.randrange(len(places.pieces))
        at, size = places.pieces[number]
        how = rng.choice(("short", "empty", "odd", "address", "reserved", "fetch", "window", "data"))
        if how == "short" and number == 0:
            how = "empty"  # a list has an entry
        plan.status, plan.at = JobStatus.LIST, table + 16 * number
        before = sum(each for _, each in places.pieces[:number])
        if how == "short":
            del entries[number:]
        elif how == "empty":
            entries[number][1] = 0
        elif how == "odd":
            entries[number][1] += rng.randint(1, 15)
        elif how == "address":
            entries[number][0] += rng.randint(1, 15)
        elif how == "reserved":
            entries[number][2] = 1 << rng.randrange(32)
        elif how == "fetch":
            self.machine.permit("refuse", plan.at, 16)
        elif how == "window":
            plan.status, plan.at, entries[number][0] = JobStatus.WINDOW, CLOSED + 4096, CLOSED + 4096
        else:
            block = rng.randrange(size // 16)
            read = end == "source" or plan.source is plan.target
            plan.status, plan.at = JobStatus.READ if read else JobStatus.WRITE, at + 16 * block
            self.machine.permit("refuse", plan.at, 16)
            before += 16 * block
        plan.unit = before // plan.job.bytes

    def _break(self, plan):
        """Breaks something of a job; "refused" if nothing may be read or written then."""
        rng, job = self.rng, plan.job
        how = rng.choice(("align", "length", "zero", "overlap", "window", "reserved", "slot", "read", "write"))
        plan.unit = 0
        if how in ("read", "write"):
            if job.source == job.target:
                job.target = self.place(job.size)
            at = (job.source if how == "read" else job.target) + 16 * rng.randrange(-(-job.size // 16))
            self.machine.permit("refuse", at, 16)
            plan.status, plan.at = JobStatus[how.upper()], at
            plan.unit = (at - (job.source if how == "read" else job.target)) // job.bytes
            return how
        if how == "slot":
            job.slot, plan.status = EMPTY, JobStatus.ENGINE
            return how
        plan.status = JobStatus[{"zero": "LENGTH", "reserved": "DESCRIPTOR"}.get(how, how.upper())]
        if how == "align":
            end = rng.choice(("source", "target"))
            setattr(job, end, getattr(job, end) + rng.randint(1, 15))
        elif how == "length":
            wrong = [(15, 1), (0, 1), ((1 << 24) + 1, 1), (24, 2), ((1 << 32) - 16, 3)]
            if self.length.least == self.length.most:
                wrong += [(job.bytes + 16, 1), (job.bytes - 16, job.units), (job.bytes + 1, 1)]
            job.bytes, job.units = rng.choice(wrong)
        elif how == "zero":
            job.units = 0
        elif how == "overlap":
            job.bytes = max(job.bytes, 32)  # of a core of one length, they are more
            job.target = job.source + 16 * rng.choice((1, -1, (job.size - 1) // 16))
        elif how == "window":
            job.bytes, job.units = max(48, self.length.least), 1
            plan.at = rng.choice((CLOSED, CLOSED - 16, (1 << 64) - 16, (1 << 64) - 48))
            setattr(job, *rng.choice((("source", plan.at), ("target", plan.at))))
            if job.source == plan.at:
                job.target = rng.choice((plan.at, self.place(48)))
        elif how == "reserved":
            job.flags, job.reserved = rng.choice(((2, 0), (1 << 31, 0), (0, 1), (0, 1 << 63)))
            if self.machine.tweak_bytes > 16:
                job.flags, job.reserved = (job.flags or 4) & ~2 or 8, 0
        return "refused"

    def judge(self, plan, found):
        """Checks a completion and the target of its job."""
        job, _machine, said = plan.job, self.machine, (plan, found)
        assert found.cookie == job.cookie and found.status == plan.status, said
        if plan.status in (JobStatus.READ, JobStatus.WINDOW, JobStatus.LIST):
            assert found.address == plan.at, said
        if plan.before:
            self._units(plan, found)
        if plan.status == JobStatus.OK:
            assert found.units == job.units, said

    def _units(self, plan, found):
        """Units that are done are right; the next one is in part; units behind are as they were."""
        job, machine = plan.job, self.machine
        done = found.units
        assert done <= plan.unit and (plan.status == JobStatus.WRITE or done == plan.unit), (plan, found)
        if plan.status == JobStatus.WRITE:
            blocks = plan.target.blocks()  # the address is that of the burst
            assert found.address // _PAGE == plan.at // _PAGE, (plan, found)
            assert blocks.index(found.address) <= blocks.index(plan.at), (plan, found)
        right = machine.result(job, plan.given) if job.slot in machine.keys else bytes(job.size)
        got = plan.target.get(machine)
        here = done * job.bytes
        assert got[:here] == right[:here], (plan, found)
        end = job.size if plan.status == JobStatus.WRITE else min((done + 1) * job.bytes, job.size)
        if plan.status == JobStatus.ENGINE:
            end = here
        for at in range(here, end, 16):
            last = min(at + 16, job.size)
            assert got[at:last] in (right[at:last], plan.before[at:last]), (plan, found, at)
        assert got[end:] == plan.before[end:], (plan, found)

    def in_part(self, plan):
        """Each block of the target of a job that did not end is as it was, or right."""
        job = plan.job
        if not plan.before:
            return
        right = self.machine.result(job, plan.given) if job.slot in self.machine.keys else plan.before
        got = plan.target.get(self.machine)
        for at in range(0, job.size, 16):
            last = min(at + 16, job.size)
            assert got[at:last] in (right[at:last], plan.before[at:last]), (plan, at)
        assert got[job.size :] == plan.before[job.size :], plan

    def run(self, jobs, most=30):
        """Jobs in batches of up to ``most``, with rings that go round."""
        left = jobs
        while left:
            batch = [self.plan() for _ in range(min(left, self.rng.randint(1, most)))]
            left -= len(batch)
            self.machine.submit(*(plan.job for plan in batch))
            for plan, found in zip(batch, self.machine.completions(len(batch)), strict=True):
                self.judge(plan, found)
