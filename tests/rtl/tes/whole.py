# SPDX-License-Identifier: Apache-2.0
"""The whole suite of checks on cores, as the Verilog that users get, and whether the cores chosen are enough."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from itertools import product
from typing import Any

import pytest

from wideblock.drive.core import zeroize_at
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.traffic import Key
from wideblock.rtl.sector.parameters import SlottedParameters
from wideblock.rtl.stream.behaviour import KeyRule
from wideblock.verify.core.report import Outcome
from wideblock.verify.sector.checks import CHECKS
from wideblock.verify.sector.suite import SECTORS

__all__ = ["assert_every_pair", "assert_every_value", "assert_verified", "cases"]

Rows = Sequence[Mapping[str, Any]]
"""The settings of cores."""

Cores = Sequence[tuple[str, Mapping[str, Any]]]
"""Presets, and what is changed in them."""


def cases(few: Cores, more: Cores = ()) -> list[Any]:
    """A case each, named by its preset and the values that are changed in it; those of ``more`` are marked slow."""
    return [
        pytest.param(name, changes, id=" ".join([name, *map(str, changes.values())]), marks=marks)
        for cores, marks in ((few, ()), (more, pytest.mark.slow))
        for name, changes in cores
    ]


def assert_verified(core, *, sectors=8):
    """Every check passes or has nothing to check where it should, and the first key after zeroize comes on time."""
    with SectorSimulation(core) as simulation:
        report = SECTORS.verify(core, amount=sectors, seed=1, vectors=core.known_answers, simulation=simulation)
        assert report.failure is None, f"{report.failure.name}: {report.failure.difference}"
        assert [check.name for check in report.checks] == list(CHECKS)
        none = {check.name for check in report.checks if check.outcome is Outcome.NONE}
        every_key = set() if core.behaviour.keys is KeyRule.HALVES_DIFFER else {"equal key halves"}
        whole_keys = {"key words"} if core.timing.key_words == 1 else set()
        whole_beats = set() if simulation.shape.partial else {"byte qualifiers"}
        one_key = {"keys behind sectors"} if core.timing.slots else {"slots"}
        one_key |= set() if core.behaviour.erases else {"state after eviction"}
        unsealed = set() if core.parameters.icv_bytes else {"forged sectors"}
        known = set() if core.known_answers else {"known answers"}
        assert none == every_key | whole_keys | whole_beats | one_key | unsealed | known

        key = bytes(range(simulation.shape.key_bytes))
        simulation.reset()
        simulation.load_key(key)
        script = simulation.script(keys=[Key(key, cycle=1)], events=[zeroize_at(0)], quiet=0)
        waits = core.timing.setup - 1 if core.timing.slots and core.timing.key_words == 1 else 0
        assert simulation.play(script).key_first.tolist() == [core.timing.zeroize + waits]


def assert_every_value(parameters: type, rows: Rows):
    """Each choice of each parameter is in a row; but 8 lanes and blocks a beat are only more of 4.

    Choices of cores with slots have suites of their own.
    """
    slotted = {field.name for field in fields(SlottedParameters)}
    for field in (field for field in fields(parameters) if field.name not in slotted):
        for value in set(field.metadata["choices"] or ()) - {8}:
            assert any(row.get(field.name) == value for row in rows), (field.name, value)


def assert_every_pair(names: Collection[str], rows: Rows, *, never: Collection[tuple[str, Any]] = ()):
    """Each pair of values that ``names`` have in the rows is in one row, but for pairs with a value of ``never``."""
    for one, other in product(names, names):
        for a, b in product({row[one] for row in rows}, {row[other] for row in rows}):
            if one < other and not {(one, a), (other, b)} & set(never):
                assert any(row[one] == a and row[other] == b for row in rows), (one, a, other, b)
