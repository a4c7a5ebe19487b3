# SPDX-License-Identifier: Apache-2.0
"""The slots that have a key, and the messages under way: a part of every key unit with slots."""

from typing import Any

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import memory

from wideblock.rtl.stream.stages import power_of_two
from wideblock.rtl.stream.storage import store

__all__ = ["loaded", "messages_of"]


def loaded(m: Module, unit: Any, slot: Value, has_key: Value, closes: Value, opens: Value, *, rows: int) -> None:
    """The memory, of ``rows`` bits, of the slots that have a key; ``has_key`` tells it of ``slot``.

    ``unit``: a key unit with slots, of which ``asked`` and ``known`` are connected.
    """
    m.submodules.loaded = memory_ = memory.Memory(shape=1, depth=rows, init=[])
    clear_row = unit.clear_row[: (rows - 1).bit_length()]
    store(m, memory_, slot, opens, opens | closes, clear=unit.clear, clear_row=clear_row)
    asked, own = (memory_.read_port(domain="comb") for _ in range(2))
    m.d.comb += [
        asked.addr.eq(unit.asked[: unit.bits]),
        unit.known.eq(asked.data & (unit.asked[unit.bits :] == 0)),
        own.addr.eq(slot),
        has_key.eq(own.data),
    ]


def messages_of(m: Module, unit: Any, slot: Value, draining: Value, *, begun: Value) -> Signal:
    """Messages that are not computed; while ``draining`` the oldest of them up to the newest of ``slot``.

    ``unit``: a key unit with slots, whose ``begins`` counts messages of slot ``begun`` in, and ``computed`` out, at
    most ``most`` under way. Their slots are in a ring. A drain looks at one of them a cycle, from the newest on, until
    it has found one of its slot; the slot is closed, so that no other one begins.
    """
    depth = power_of_two(unit.most)
    m.submodules.messages = ring = memory.Memory(shape=unit.bits, depth=depth, init=[])
    units, left = Signal(range(unit.most + 1), name="units"), Signal(range(unit.most + 1), name="left")
    following = Signal.like(units, name="units_following")
    oldest, next_ = Signal(range(depth), name="oldest"), Signal(range(depth), name="next_message")
    found = Signal(name="found_message")
    skipped = Signal(name="skipped_message")
    newest = ring.read_port(domain="comb")
    clearing = {"clear": unit.clear, "clear_row": unit.clear_row[: len(next_)]}
    store(m, ring, next_, begun, unit.begins, **clearing)
    m.d.comb += [
        following.eq(units + unit.begins - unit.computed),
        newest.addr.eq(oldest + left - 1),
        skipped.eq(draining & ~found & (newest.data != slot) & (left != 0)),
    ]
    m.d.sync += [
        units.eq(following),
        left.eq(Mux(draining, left - skipped - (unit.computed & (left != 0) & (left != skipped)), following)),
        found.eq(draining & (found | ~skipped)),
        next_.eq(next_ + unit.begins),
        oldest.eq(oldest + unit.computed),
    ]
    with m.If(unit.clear):
        m.d.sync += [register.eq(0) for register in (units, left, found, next_, oldest)]
    return left
