# SPDX-License-Identifier: Apache-2.0
"""The units in the engine, in order: their jobs, and those that were refused or could not be read."""

from amaranth import Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .sizes import DmaSizes

__all__ = ["UnitsUnderWay"]


class UnitsUnderWay(wiring.Component):
    """Units from their first beat on, up to their last result.

    begin:    in, a unit of job ``job`` begins; only while ``room``
    absent:   in, with ``begin``: the engine does not get the unit, which could not be read
    spoil:    in, the unit that began last could not be read whole
    faults:   in, faults of the engine, about the unit that began last
    valid:    out, there is a unit; the oldest one is of job ``oldest_job``
    refused:  out, the engine has refused the oldest unit, for ``cause``, a bit of the faults
    unread:   out, the oldest unit was not read whole
    silent:   out, the oldest unit has no result
    retire:   in, the oldest unit leaves
    forget:   in, no unit is under way: the engine has cleared itself

    The engine shows a fault for a unit of a good length after the unit's first beat, at the latest in the cycle in
    which the next unit begins, and results in the order of the units.
    """

    def __init__(self, sizes: DmaSizes, *, faults: int):
        self.sizes = sizes
        super().__init__(
            {
                **dict.fromkeys(("begin", "absent", "spoil"), In(1)),
                "job": In(sizes.job_bits),
                "faults": In(faults),
                "room": Out(1),
                **dict.fromkeys(("valid", "refused", "unread", "silent"), Out(1)),
                "cause": Out(5),
                "oldest_job": Out(sizes.job_bits),
                **dict.fromkeys(("retire", "forget"), In(1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        units = self.sizes.units
        first = Signal(range(units))
        next_ = Signal(range(units), name="next")
        last = Signal(range(units))
        level = Signal(range(units + 1))
        refused = Signal(units, name="unit_refused")
        unread = Signal(units, name="unit_unread")
        absent = Signal(units, name="unit_absent")
        cause = Signal(5, name="lowest_cause")
        m.submodules.jobs = jobs = memory.Memory(shape=self.sizes.job_bits, depth=units, init=[])
        m.submodules.causes = causes = memory.Memory(shape=5, depth=units, init=[])
        put = jobs.write_port()
        get = jobs.read_port(domain="comb")
        note = causes.write_port()
        noted = causes.read_port(domain="comb")
        for bit in reversed(range(len(self.faults))):
            with m.If(self.faults[bit]):
                m.d.comb += cause.eq(bit)
        m.d.comb += [
            self.room.eq(level != units),
            self.valid.eq(level != 0),
            put.addr.eq(next_),
            put.data.eq(self.job),
            put.en.eq(self.begin),
            get.addr.eq(first),
            self.oldest_job.eq(get.data),
            note.addr.eq(last),
            note.data.eq(cause),
            note.en.eq(self.faults.any()),
            noted.addr.eq(first),
            self.cause.eq(noted.data),
            self.refused.eq(self.valid & refused.bit_select(first, 1)),
            self.unread.eq(self.valid & unread.bit_select(first, 1)),
            self.silent.eq(self.refused | (self.valid & absent.bit_select(first, 1))),
        ]
        with m.If(self.faults.any()):
            m.d.sync += refused.bit_select(last, 1).eq(1)
        with m.If(self.spoil):
            m.d.sync += unread.bit_select(last, 1).eq(1)
        with m.If(self.begin):
            m.d.sync += next_.eq(next_ + 1)
            m.d.sync += [refused.bit_select(next_, 1).eq(0), unread.bit_select(next_, 1).eq(self.absent)]
            m.d.sync += absent.bit_select(next_, 1).eq(self.absent)
        with m.If(self.begin & ~self.absent):  # one that is absent has no fault, and one before it may have
            m.d.sync += last.eq(next_)
        m.d.sync += [first.eq(first + self.retire), level.eq(level + self.begin - self.retire)]
        with m.If(self.forget):
            m.d.sync += [register.eq(0) for register in (first, next_, level, refused, unread, absent)]
        return m
