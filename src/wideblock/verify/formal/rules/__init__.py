# SPDX-License-Identifier: Apache-2.0
"""Rules that depend on how a family of cores is built: one module a family, found by the name that its cores declare.

A component's attribute ``rules`` is the name of a module here. Each module has three functions of a core's contract:

held:   what makes it inductive that a valid beat stays as it is
queues: that no queue is written when full or read when empty
order:  that sectors stay in order from stage to stage

A function raises :class:`~wideblock.verify.formal.proof.NotApplicable` for a core that its rule is not about.
"""

from typing import Protocol

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import Rule
from wideblock.verify.formal.rules import (
    encrypt_mix_encrypt,
    feistel_mix_feistel,
    hash_counter_hash,
    hash_counter_hash_any,
    hash_ecb_hash,
    single_pass,
)

__all__ = ["Family", "family"]


class Family(Protocol):
    """The rules of a family."""

    @staticmethod
    def held(core: Contract, /) -> Rule: ...
    @staticmethod
    def queues(core: Contract, /) -> Rule: ...
    @staticmethod
    def order(core: Contract, /) -> Rule: ...


_FAMILIES: dict[str, Family] = {
    "encrypt_mix_encrypt": encrypt_mix_encrypt,
    "feistel_mix_feistel": feistel_mix_feistel,
    "hash_counter_hash": hash_counter_hash,
    "hash_counter_hash_any": hash_counter_hash_any,
    "hash_ecb_hash": hash_ecb_hash,
    "single_pass": single_pass,
}


def family(core: Contract) -> Family:
    """The rules of the core's family. Raises ValueError for a family without rules."""
    name = core.component.rules
    if name not in _FAMILIES:
        raise ValueError(f"{core.module}: no rules named {name!r}, there are {', '.join(_FAMILIES)}")
    return _FAMILIES[name]
