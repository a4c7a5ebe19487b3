# SPDX-License-Identifier: Apache-2.0
"""That no word of a key can be read is proved of an engine, and not of one with a leak."""

import pytest

from wideblock.export.contract import contract
from wideblock.export.verilog import OBSERVED, generate
from wideblock.rtl.engine import commands, engine, key_memory
from wideblock.verify.formal.flat import Flat, _flatten
from wideblock.verify.formal.key_registers import prove_keys
from wideblock.verify.formal.proof import NotApplicable, NotProved

from ...variants import few_of_many
from ..changed_source import changed

pytestmark = pytest.mark.shows("formal-stream", "engine")

CHANGES = {"sector_bytes": 32, "slots": 4, "key_bits": 128, "sbox": "composite", "registers": "axi4-lite"}
WHOLE_SECTORS = CHANGES | {"sector_bytes": 128}
LEAKS = {
    "reads reach the key": (
        *(commands, "KeyMemory", key_memory),
        *("Cat(self.read_address[:-1], Const(1, 1))", "Cat(self.read_address[:-1], Const(0, 1))"),
    ),
    "a slot is named by a word of the key": (
        *(engine, "KeyCommands", commands),
        *("(row == METD_ROW) & ~run.of_test", "(row == 3) & ~run.of_test"),
    ),
    "an error tells a bit of the key": (
        *(engine, "KeyCommands", commands),
        *("CommandError.METD: run.wrong_metd", "CommandError.METD: run.wrong_metd | self.memory.word[5]"),
    ),
}


def made(core) -> Flat:
    """The flat engine of its sources as they are now, not as they are kept."""
    return _flatten(core.module, generate(core.module, core.shell, core.header)[OBSERVED], ("core",))


@pytest.mark.parametrize(
    ("name", "changes", "end"),
    few_of_many(
        [
            ("xts-enc-k", CHANGES, "but by the comparison of its halves"),
            ("fast-brw-2s-k", WHOLE_SECTORS, "depends on such a word"),
        ],
        [],
    ),
)
def test_it_is_proved(name, changes, end):
    assert prove_keys(contract(name, changes)).statement.endswith(end)


def test_a_core_without_registers_has_none_to_prove():
    with pytest.raises(NotApplicable, match="no registers"):
        prove_keys(contract("xts-enc-k"))


@pytest.mark.slow
@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_not_proved(monkeypatch, name):
    user, part, *change = LEAKS[name]
    monkeypatch.setattr(user, part, changed(change[0], part, *change[1:]))
    core = contract("xts-enc-k", CHANGES)
    with pytest.raises(NotProved, match="a word of a key reaches more than its own registers"):
        prove_keys(core, made(core))


def test_every_leak_has_its_place_in_the_source():
    """The slow cases among them would tell so only where they run."""
    for _, part, *change in LEAKS.values():
        assert changed(change[0], part, *change[1:])
