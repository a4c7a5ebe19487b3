# SPDX-License-Identifier: Apache-2.0
"""Rules for the structure of a family of cores: a module a family.

The functions of a module take a core's contract:

order:   sectors stay in order from stage to stage
output:  sources of the data of the output port
held:    invariants for a stable valid beat; default: a pending result is held in registers
queues:  no queue is written when full or read when empty; only in a family with queues
rekey:   a key is taken only with nothing under way; for a core of one key
release: nothing leaves before verification; only in a family of messages with tags
slots:   each message is processed under the keys of its slot; only in a family with slots
places:  headers are read at the right places; only in a family with headers

A function raises :class:`~wideblock.verify.formal.proof.NotApplicable` for a core without need for the rule.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import Rule
from wideblock.verify.formal.proof import NotApplicable
from wideblock.verify.formal.rules import (
    caesar,
    encrypt_mix_encrypt,
    feistel_mix_feistel,
    hash_counter_hash,
    hash_ecb_hash,
    running_hash,
    single_pass,
)
from wideblock.verify.formal.rules.outputs import OutputPlaces, Queue
from wideblock.verify.formal.rules.parts import ALONE, NO_SLOTS, held_in_registers

__all__ = ["Family", "family"]


def _in_registers(core: Contract) -> Rule:
    """For families whose pending result is held in registers."""
    return held_in_registers()


def _no_queue(core: Contract) -> Rule:
    """For families whose values wait in slots and rings."""
    raise NotApplicable(f"the core has no queue: what waits has a place of its {core.kind.noun}'s own")


def _no_tags(core: Contract) -> Rule:
    """For families of messages without tags."""
    raise NotApplicable(f"nothing to verify before it leaves: a {core.kind.noun} has no tag")


def _no_slots(core: Contract) -> Rule:
    """For families without a rule for slots."""
    slots = getattr(core.component.timing, "slots", 0)
    raise NotApplicable("the family has no rule for slots; simulation shows them" if slots else NO_SLOTS)


def _no_headers(core: Contract) -> Rule:
    """For families of messages without headers."""
    raise NotApplicable(f"no headers to read: a {core.kind.noun} has none")


@dataclass(frozen=True)
class Family:
    """The rules of a family, each from a core's contract."""

    held: Callable[[Contract], Rule]
    queues: Callable[[Contract], Rule]
    order: Callable[[Contract], Rule]
    output: Callable[[Contract], OutputPlaces | Queue]
    rekey: Callable[[Contract], Rule]
    release: Callable[[Contract], Rule]
    slots: Callable[[Contract], Rule]
    places: Callable[[Contract], Rule]


_MODULES: dict[str, ModuleType] = {
    "aead": caesar,
    "encrypt mix encrypt": encrypt_mix_encrypt,
    "feistel mix feistel": feistel_mix_feistel,
    "hash counter hash": hash_counter_hash,
    "running hash": running_hash,
    "hash ecb hash": hash_ecb_hash,
    "single pass": single_pass,
}
_FAMILIES = {
    name: Family(
        getattr(each, "held", _in_registers),
        getattr(each, "queues", _no_queue),
        each.order,
        each.output,
        each.rekey,
        getattr(each, "release", _no_tags),
        getattr(each, "slots", _no_slots),
        getattr(each, "places", _no_headers),
    )
    for name, each in _MODULES.items()
}


def family(core: Contract) -> Family:
    """The rules of the core's family.

    Raises NotApplicable where another part is around the core, and for a family without rules.
    """
    if core.enclosed:
        raise NotApplicable(ALONE)
    if found := _FAMILIES.get(getattr(core.component, "family", "")):
        return found
    raise NotApplicable(f"no rules for this family of cores; there are rules of {', '.join(_FAMILIES)}")
