# SPDX-License-Identifier: Apache-2.0
"""The contract of a core as a digest: all statements of a core that checks and rules read.

Ports and their fields, behaviour, cycles, influences, registers. Words for documents are left out.
"""

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum, Flag
from typing import Any

from amaranth.lib import wiring

from wideblock.cache import name_of
from wideblock.export.contract import Contract
from wideblock.rtl.aead.behaviour import AeadBehaviour
from wideblock.rtl.stream.behaviour import FixedLength, LengthClass

__all__ = ["plain", "stated"]

WORDS = {
    *("Channel.valid", "Channel.ready", "Control.meaning", "Fault.meaning", "Field.meaning"),
    *("OutcomeInfluence.meaning", "Register.text", "RegisterField.text", "RegisterMap.text", "RegisterValue.text"),
}
"""Fields of values, by the name of the class, that are words for readers; so is every ``reason``."""


def stated(core: Contract[Any, Any]) -> str:
    """Digest of the contract of a core, equal from run to run."""
    shell = core.shell
    values = {
        "ports": [shell.clock, shell.reset, shell.active_low, shell.swapped, shell.streams, shell.controls],
        "behaviour": core.behaviour,
        "figures": [(figure.name, figure.cycles, figure.exact) for figure in core.timing.figures()],
        "lengths": _lengths(core),
        "registers": core.registers,
    }
    return name_of([json.dumps(plain(values), sort_keys=True)])


def plain(value: Any) -> Any:
    """A value of a contract as JSON has it. Functions and circuits are None: their results are stated beside them.

    Raises TypeError for a value of an unknown kind.
    """
    kind = type(value).__name__
    if isinstance(value, Flag | Enum):
        return f"{kind}.{value.name}"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Set):
        return sorted(json.dumps(plain(each)) for each in value)
    if isinstance(value, Sequence):
        return [plain(each) for each in value]
    if callable(value) or isinstance(value, wiring.Component):
        return None
    if is_dataclass(value):
        kept = [f.name for f in fields(value) if f.name != "reason" and f"{kind}.{f.name}" not in WORDS]
        return [kind, {name: plain(getattr(value, name)) for name in kept}]
    raise TypeError(f"a contract has a {kind}, of which no digest is known: {value!r}")


def _lengths(core: Contract[Any, Any]) -> list[Any]:
    """Cycles of the shortest and the longest messages of every class of lengths; none if all have one length."""
    behaviour = core.behaviour
    if isinstance(behaviour, AeadBehaviour):
        message = behaviour.timing.message
        found = [(ad, size) for each in behaviour.classes for ad, size in _ends(each)]
        return [(ad, size, way, message(ad, size, decrypt=way)) for ad, size in found for way in (False, True)]
    length = behaviour.length
    if isinstance(length, FixedLength):
        return []
    (data,) = (each for each in core.streaming.channel("i").fields if each.name == "data")
    return [(*ends, length.timing(*ends)) for each in length.classes(data.width // 8) for ends in _ends(each)]


def _ends(lengths: LengthClass) -> list[tuple[int, int]]:
    """The shortest and the longest tweak and message of a class."""
    tweaks = lengths.tweaks or (0,)
    return [(most(tweaks), most(lengths.sizes)) for most in (min, max)]
