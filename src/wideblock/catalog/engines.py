# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The core of a scheme as it is exported: by itself, or within an engine or behind a header."""

from typing import Any

from wideblock.rtl.bus.key_map import KAT_KEY
from wideblock.rtl.engine.engine import SlotEngine
from wideblock.rtl.engine.selftest import TestAnswer
from wideblock.rtl.stream.header import HeaderCore

from .scheme import Scheme

__all__ = ["built", "engine"]

PART = 40
"""Bytes of a message of the self-test where messages may have any length: two blocks and part of one."""


def built(scheme: Scheme, parameters: Any) -> Any:
    """The core of ``scheme`` with these parameters, within its engine and behind a header if they ask for that."""
    core = scheme.core(parameters)
    if getattr(parameters, "registers", "none") != "none":
        core = engine(scheme, core)
    return HeaderCore(core) if getattr(parameters, "header", False) else core


def engine(scheme: Scheme, core: Any, *, power_up: bool = True) -> SlotEngine:
    """The engine around a core of ``scheme``, with answers of the self-test from its specification."""
    key = KAT_KEY[: scheme.kind.key_bits(type(core), core.parameters) // 8]
    fields = {field.name: field.width for field in core.interface.channel("i").fields}
    length = core.behaviour.length
    size = length.usual if length.least == length.most else min(PART, length.usual // 4 * 4)
    tweak, message = bytes(range(fields.get("tweak", 0) // 8)), bytes(range(size))
    specification = scheme.under(core.parameters, key)
    sealed = specification.encrypt(tweak, message)
    answers = [
        TestAnswer(tweak, *((sealed, True, message) if way else (message, False, sealed)))
        for way in core.behaviour.directions
    ]
    return SlotEngine(core, scheme=scheme.name, answers=answers, power_up=power_up)
