# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The key port of every sector core, from the stream of keys or of their words to the key unit."""

from amaranth import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.rtl.keys.contexts import ContextUnit
from wideblock.rtl.keys.material import KeyMaterial
from wideblock.rtl.keys.slots import DAMAGED, MISPLACED, SlotUnit
from wideblock.rtl.keys.unit import REFUSED, KeyUnit
from wideblock.rtl.keys.words import WRONG_WORDS, KeyWords
from wideblock.rtl.stream.behaviour import Fault, KeyRule

from .parameters import SectorParameters

__all__ = ["check_underived", "connect_keys", "connect_slots", "key_collector", "key_faults", "with_key_faults"]


def check_underived(core: wiring.Component, material: KeyMaterial) -> None:
    """Raises ValueError for derived words in a ``core`` of a family that has no cipher call for the key unit."""
    if material.derivations:
        words = ", ".join(dict.fromkeys(derivation.into.name for derivation in material.derivations))
        raise ValueError(
            f"{type(core).__name__} derives {words}, but its family makes no cipher call for a key: every word must be "
            f"one of the key port"
        )


def key_collector(p: SectorParameters, material: KeyMaterial) -> KeyWords | None:
    """The part to collect the words of a key, or None if a key is a single word."""
    return KeyWords(bits=material.bits, width=p.key_width) if p.key_width else None


def key_faults(p: SectorParameters, material: KeyMaterial) -> tuple[Fault, ...]:
    """Bits of ``fault`` that are about keys, in the order of :func:`with_key_faults`."""
    refused = () if material.rule is KeyRule.ANY else (REFUSED,)
    slots = (MISPLACED, DAMAGED) if p.slots else ()
    return (*refused, *((WRONG_WORDS,) if p.key_width else ()), *slots)


def with_key_faults(core: wiring.Component, faults: Value) -> Value:
    """``fault`` of ``core``: ``faults`` of sectors from bit 0 on, then faults of keys."""
    keys: KeyUnit | SlotUnit | ContextUnit = core.key_unit
    pulses = [] if keys.material.rule is KeyRule.ANY else [keys.refused]
    pulses += [core.key_collector.fault] if core.key_collector else []
    pulses += [keys.misplaced, keys.damaged] if core.parameters.slots else []
    fault = faults
    for bit, pulse in enumerate(pulses, len(faults)):
        fault = fault | (pulse << bit)
    return fault


def connect_keys(m: Module, core: wiring.Component, *, idle: Value, derived: Value) -> None:
    """Connects the key port, ``zeroize`` and ``ready`` of ``core`` with its key unit.

    See :class:`KeyUnit` for ``idle`` and ``derived``.
    """
    keys: KeyUnit = core.key_unit
    if core.key_collector:
        m.submodules.key_collector = collector = core.key_collector
        connect(m, flipped(core.key), collector.i)
        connect(m, collector.o, keys.key)
        m.d.comb += collector.clear.eq(keys.clear)
    else:
        connect(m, flipped(core.key), keys.key)
    m.d.comb += [
        keys.zeroize.eq(core.zeroize),
        keys.idle.eq(idle),
        keys.derived.eq(derived),
        core.ready.eq(keys.running),
    ]


def connect_slots(m: Module, core: wiring.Component) -> None:
    """Connects the key port, ``zeroize`` and ``ready`` of ``core`` with a key unit with slots."""
    keys: SlotUnit | ContextUnit = core.key_unit
    given = core.key.payload
    if core.key_collector:
        m.submodules.key_collector = collector = core.key_collector
        connect(m, collector.o, keys.key)
        m.d.comb += [
            collector.i.valid.eq(core.key.valid),
            collector.i.payload.key.eq(given.key),
            collector.i.payload.last.eq(given.last),
            core.key.ready.eq(collector.i.ready),
            collector.clear.eq(keys.clear),
        ]
    else:
        m.d.comb += [
            keys.key.valid.eq(core.key.valid),
            keys.key.payload.eq(given.key),
            core.key.ready.eq(keys.key.ready),
        ]
    m.d.comb += [
        keys.slot.eq(given.slot),
        keys.evict.eq(given.evict),
        keys.zeroize.eq(core.zeroize),
        core.ready.eq(~keys.clear),
    ]
