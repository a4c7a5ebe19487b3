# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The engine around the core of a scheme."""

from typing import Any

from wideblock.rtl.bus.key_map import KAT_KEY
from wideblock.rtl.dma.engine import DmaEngine
from wideblock.rtl.engine.engine import SlotEngine
from wideblock.rtl.engine.error_beats import ErrorBeats
from wideblock.rtl.engine.selftest import TestAnswer

from ..scheme import Scheme

__all__ = ["around", "engine"]

PART = 40
"""Bytes of a message of the self-test where messages may have any length: two blocks and part of one."""


def engine(scheme: Scheme, core: Any, *, power_up: bool = True) -> SlotEngine:
    """The engine around a core of ``scheme``, with answers of the self-test from its specification."""
    key = KAT_KEY[: scheme.key_bits(core.parameters) // 8]
    fields = {field.name: field.width for field in core.interface.channel("i").fields}
    length = core.behaviour.length
    size = length.usual if length.least == length.most else min(PART, length.usual // 4 * 4)
    tweak = bytes(range(length.usual_tweak_of(fields.get("tweak", 0) // 8)))
    message = bytes(number % 256 for number in range(size))
    specification = scheme.under(core.parameters, key)
    sealed = specification.encrypt(tweak, message)
    answers = [
        TestAnswer(tweak, *((sealed, True, message) if way else (message, False, sealed)))
        for way in core.behaviour.directions
    ]
    return SlotEngine(core, scheme=scheme.letters or scheme.name, answers=answers, power_up=power_up)


def around(scheme: Scheme, core: Any) -> Any:
    """The engine around a core of ``scheme``, with a master or error beats if the core's parameters say so."""
    parameters, made = core.parameters, engine(scheme, core)
    if parameters.dma != "none":
        return DmaEngine(made)
    return ErrorBeats(made) if parameters.error_beats else made
