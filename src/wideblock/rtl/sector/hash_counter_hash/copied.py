# SPDX-License-Identifier: Apache-2.0
"""Keys and powers of the sectors under way, where a core has key slots."""

from typing import Any

from amaranth import Mux, Value

from .values import Entering, HchFrame, HchStep

__all__ = ["keys_of_sectors"]


def keys_of_sectors(
    f: HchFrame, core: Any, entering: Entering, step: HchStep, *, front_sector: Value, back_sector: Value
) -> None:
    """Blocks go into the lanes of ``core`` with the keys of their sectors, and the passes read the powers of theirs."""
    single, (key,) = entering.single, core.key_unit.material.ciphers
    whose = Mux(single.enters, single.sector, Mux(entering.tweak, front_sector, step.sector))
    f.m.d.comb += core.lanes.key.eq(core.copies.read(key, f.later("key_sector", whose)))
    for hash_pass, sector in ((f.front, front_sector), (f.back, back_sector)):
        assert hash_pass.bank is not None, "the powers of a sector are in a bank"
        f.m.d.comb += hash_pass.bank.eq(sector)
        core.copies.powers(hash_pass.unit)
