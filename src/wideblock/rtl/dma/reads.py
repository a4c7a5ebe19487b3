# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Bursts that read: addresses from two clients, and beats back to each in order."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, Signature

from wideblock.rtl.bus.axi4 import INCR, axi4_channels

from .queue import ClearedQueue
from .sizes import BLOCK_ADDRESS_BITS, BLOCK_BITS, DmaSizes

__all__ = ["ATTRIBUTES", "DESCRIPTOR_BEATS", "ReadMaster", "address_payload", "read_request"]

DESCRIPTOR_BEATS = 4
"""Beats of a descriptor."""

ATTRIBUTES = data.StructLayout({"cache": 4, "prot": 3})
"""Attributes of bursts, constant while any is under way."""


def read_request(sizes: DmaSizes) -> Signature:
    """Bursts of one client.

    request: out, a burst of ``beats`` from block ``at`` for job ``job``, which is in a window and does not leave a page
    accept:  in, the burst begins
    beat:    in, pulses with a beat of the oldest burst: ``block``, or ``error``, which has read block ``read_at``
             for job ``read_job``
    """
    return Signature(
        {
            "request": Out(1),
            "at": Out(BLOCK_ADDRESS_BITS),
            "beats": Out(range(sizes.burst + 1)),
            "job": Out(sizes.job_bits),
            "accept": In(1),
            **dict.fromkeys(("beat", "error"), In(1)),
            "block": In(BLOCK_BITS),
            "read_at": In(BLOCK_ADDRESS_BITS),
            "read_job": In(sizes.job_bits),
        }
    )


class ReadMaster(wiring.Component):
    """Begins bursts, descriptors first, then lists of segments.

    ar, r:       out, channels of the bus; each beat of ``r`` is accepted at once, as it has a place
    descriptors: in, client for descriptors
    source_list, target_list: in, clients for lists of segments
    units:       in, client for blocks of units
    attributes:  in, attributes of the bursts
    run:         in, bursts may begin
    idle:        out, no burst is under way
    clear:       in, row ``clear_row`` of the queue becomes 0; only while ``idle``

    Paths: from ``r`` to the clients, from requests to ``accept``; none between ``ar`` and ``r``.
    """

    def __init__(self, sizes: DmaSizes, *, clear_row_bits: int):
        self.sizes = sizes
        channels = {channel.name.rpartition("_")[2]: channel for channel in axi4_channels("m", BLOCK_BITS)}
        row = {"descriptor": 1, "list": 2, "job": sizes.job_bits, "at": BLOCK_ADDRESS_BITS}
        self.order = ClearedQueue(data.StructLayout(row), depth=4 * sizes.reads, clear_row_bits=clear_row_bits)
        super().__init__(
            {
                "ar": Out(stream.Signature(channels["ar"].shape)),
                "r": In(stream.Signature(channels["r"].shape)),
                "descriptors": In(read_request(sizes)),
                **dict.fromkeys(("source_list", "target_list", "units"), In(read_request(sizes))),
                "attributes": In(ATTRIBUTES),
                "run": In(1),
                "idle": Out(1),
                "clear": In(1),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.order = order = self.order
        free = Signal()
        count = Signal(range(self.sizes.reads + 1), name="unit_bursts")
        first, second = (self.descriptors, self.source_list, self.target_list), self.units
        chosen = Signal(name="descriptor_chosen")  # or a list
        at = Signal(BLOCK_ADDRESS_BITS, name="chosen_at")
        beats = Signal.like(second.beats, name="chosen_beats")
        ends = Signal()
        m.d.comb += [
            free.eq(self.run & (~self.ar.valid | self.ar.ready) & ~order.full),
            chosen.eq(Cat(each.request for each in first).any()),
            second.accept.eq(free & second.request & ~chosen & (count != self.sizes.reads)),
            order.put.eq((free & chosen) | second.accept),
            order.new.descriptor.eq(chosen),
            order.new.job.eq(second.job),
            order.new.at.eq(at),
            at.eq(second.at),
            beats.eq(second.beats),
            ends.eq(self.r.valid & self.r.payload.last & order.valid),
            order.take.eq(ends),
            order.clear.eq(self.clear),
            order.clear_row.eq(self.clear_row),
            self.r.ready.eq(1),
            self.idle.eq(~self.ar.valid & ~order.valid),
        ]
        for number, client in reversed(list(enumerate(first))):
            ahead = Cat(each.request for each in first[:number]).any()
            m.d.comb += client.accept.eq(free & client.request & ~ahead)
            with m.If(client.request & ~ahead):
                m.d.comb += [at.eq(client.at), beats.eq(client.beats), order.new.list.eq(number)]
        m.d.sync += count.eq(count + second.accept - (ends & ~order.head.descriptor))
        with m.If(self.ar.ready):
            m.d.sync += self.ar.valid.eq(0)
        with m.If(order.put):
            m.d.sync += self.ar.valid.eq(1)
            m.d.sync += address_payload(self.ar.payload, order.new.at, beats, self.attributes)
        self._beats(m, ends)
        return m

    def _beats(self, m: Module, ends: Signal) -> None:
        """Beats to the client of the oldest burst."""
        order, beat = self.order, self.r.payload
        number = Signal(8, name="beat_number")
        with m.If(self.r.valid & order.valid):
            m.d.sync += number.eq(Mux(ends, 0, number + 1))
        for client, mine in (
            (self.descriptors, order.head.descriptor & (order.head.list == 0)),
            (self.source_list, order.head.descriptor & (order.head.list == 1)),
            (self.target_list, order.head.descriptor & (order.head.list == 2)),
            (self.units, ~order.head.descriptor),
        ):
            m.d.comb += [
                client.beat.eq(self.r.valid & order.valid & mine),
                client.block.eq(beat.data),
                client.error.eq(beat.resp[1]),
                client.read_at.eq(order.head.at + number),
                client.read_job.eq(order.head.job),
            ]


def address_payload(payload, block, beats, attributes) -> list:
    """Assignments of the address of a burst of ``beats`` from a ``block``."""
    return [
        payload.addr.eq(block << 4),
        payload.len.eq(beats - 1),
        payload.size.eq((BLOCK_BITS // 8).bit_length() - 1),
        payload.burst.eq(INCR),
        payload.cache.eq(attributes.cache),
        payload.prot.eq(attributes.prot),
    ]
