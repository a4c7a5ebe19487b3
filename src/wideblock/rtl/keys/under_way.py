# SPDX-License-Identifier: Apache-2.0
"""Key units with slots: the slots that have a key, and the messages under way."""

from collections.abc import Mapping
from typing import Any

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.clearing import Clearing
from wideblock.rtl.stream.sector import SLOT_BITS
from wideblock.rtl.stream.stages import power_of_two
from wideblock.rtl.stream.storage import store

from .material import KeyMaterial

__all__ = ["KeysInSlots", "SlotCommand"]


class SlotCommand:
    """The load or eviction that a key unit works on, in registers and pulses.

    slot:     slot of the command
    evicting: the command is an eviction
    beyond:   the slot does not exist
    has_key:  the slot has a key
    mistaken: the slot does not exist, has a key as a load comes, or has none as an eviction comes
    start:    pulses as the command begins
    resting:  no command is in hand, and none begins
    closes:   pulses: the slot has no key any more
    draining: the command waits for the messages of the slot
    opens:    pulses: the slot has a key
    inside:   messages under way; while ``draining`` up to the last one of the slot
    reported: a refused command pulses: no clear begins or lasts
    """

    def __init__(self, slot: Signal, most: int):
        self.slot, self.inside, self.reported = slot, Signal(range(most + 1), name="inside"), Signal(name="reported")
        names = ("evicting", "beyond", "has_key", "mistaken", "start", "resting", "closes", "draining", "opens")
        self.evicting, self.beyond, self.has_key, self.mistaken, *pulses = (Signal(name=name) for name in names)
        self.start, self.resting, self.closes, self.draining, self.opens = pulses


class KeysInSlots(wiring.Component):
    """Part of every key unit with slots: commands, slots that have a key, messages under way, clearing.

    key:      in, a key for ``slot``, or with ``evict`` the end of the slot's key
    asked:    in, a slot; ``known``: out, without delay: the slot has a key
    begins:   in, pulses with a message; ``computed``: in, pulses as the oldest message is computed; at most ``most``
              are under way
    clear:    out, after reset, ``zeroize`` and ``damaged``, pulses or levels: high while ``clear_row`` goes over
              ``rows`` rows, a power of two, twice after the last such cycle

    others: further members of a unit; one of them is ``damaged``
    """

    damaged: Signal

    def __init__(self, material: KeyMaterial, others: Mapping[str, Any], *, slots: int, rows: int, most: int):
        self.material, self.slots, self.rows, self.most = material, slots, rows, most
        self.bits = (slots - 1).bit_length()
        super().__init__(
            {
                "key": In(stream.Signature(material.bits)),
                "slot": In(SLOT_BITS),
                "evict": In(1),
                "zeroize": In(1),
                "asked": In(SLOT_BITS),
                "known": Out(1),
                "begins": In(1),
                "computed": In(1),
                "clear": Out(1),
                "clear_row": Out(range(rows)),
                "misplaced": Out(1),
                **others,
            }
        )

    @property
    def clearing(self) -> int:
        """Cycles from ``zeroize`` to the first cycle for a command."""
        return 2 * self.rows + 1

    def _clear(self, m: Module) -> Signal:
        """Drives ``clear`` and ``clear_row``. Returns whether a clear begins or lasts."""
        m.submodules.clearing = clearing = Clearing(rows=self.rows, cycles=2 * self.rows)
        forget = Signal(name="forget")
        m.d.comb += [
            forget.eq(self.zeroize | self.damaged),
            clearing.zeroize.eq(forget),
            self.clear.eq(clearing.clear),
            self.clear_row.eq(clearing.row),
        ]
        return forget

    def _begin(self, m: Module, run: SlotCommand) -> None:
        """Takes the command that is offered."""
        m.d.sync += [run.slot.eq(self.slot), run.evicting.eq(self.evict), run.beyond.eq(self.slot >= self.slots)]

    def _loaded(self, m: Module, run: SlotCommand, *, rows: int) -> None:
        """The memory, of ``rows`` bits, of the slots that have a key."""
        m.submodules.loaded = memory_ = memory.Memory(shape=1, depth=rows, init=[])
        clear_row = self.clear_row[: (rows - 1).bit_length()]
        store(m, memory_, run.slot, run.opens, run.opens | run.closes, clear=self.clear, clear_row=clear_row)
        asked, own = (memory_.read_port(domain="comb") for _ in range(2))
        m.d.comb += [
            asked.addr.eq(self.asked[: self.bits]),
            self.known.eq(asked.data & (self.asked[self.bits :] == 0)),
            own.addr.eq(run.slot),
            run.has_key.eq(own.data),
            run.mistaken.eq(run.beyond | (run.has_key != run.evicting)),
        ]

    def _messages_of(self, m: Module, run: SlotCommand, *, begun: Value) -> None:
        """Counts messages under way; while ``draining``, those up to the newest message of the slot.

        ``begins`` counts messages of slot ``begun`` in. A ring has the slot of each. A drain looks at one entry a
        cycle, from the newest on, until an entry has the slot. The slot is closed: no message of the slot begins
        meanwhile.
        """
        depth, draining = power_of_two(self.most), run.draining
        m.submodules.messages = ring = memory.Memory(shape=self.bits, depth=depth, init=[])
        units, left = Signal(range(self.most + 1), name="units"), Signal(range(self.most + 1), name="left")
        following = Signal.like(units, name="units_following")
        oldest, next_ = Signal(range(depth), name="oldest"), Signal(range(depth), name="next_message")
        found = Signal(name="found_message")
        skipped = Signal(name="skipped_message")
        ended = skipped + (self.computed & (left != 0) & (left != skipped))
        newest = ring.read_port(domain="comb")
        clearing = {"clear": self.clear, "clear_row": self.clear_row[: len(next_)]}
        store(m, ring, next_, begun, self.begins, **clearing)
        m.d.comb += [
            following.eq(units + self.begins - self.computed),
            newest.addr.eq(oldest + left - 1),
            run.inside.eq(left),
            skipped.eq(draining & ~found & (newest.data != run.slot) & (left != 0)),
        ]
        m.d.sync += [
            units.eq(following),
            left.eq(Mux(draining, left - ended, following)),
            found.eq(draining & (found | ~skipped)),
            next_.eq(next_ + self.begins),
            oldest.eq(oldest + self.computed),
        ]
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in (units, left, found, next_, oldest)]
