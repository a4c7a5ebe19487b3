# SPDX-License-Identifier: Apache-2.0
"""That the register bus does not reach the key bus is proved of an engine, and not of faulty ones; data likewise."""

from functools import cache

import pytest

from wideblock.export.contract import contract
from wideblock.export.verilog import OBSERVED, generate
from wideblock.rtl.engine import commands, engine, window
from wideblock.verify.formal.flat import _flatten, flatten
from wideblock.verify.formal.isolation import prove_isolation
from wideblock.verify.formal.proof import NotApplicable, NotProved
from wideblock.verify.formal.rules.engine import INSIDE
from wideblock.verify.formal.secrecy import prove_secrecy

from ...variants import few_of_many
from ..changed_source import changed
from .faults import NO_FAULT, Fault, broken

pytestmark = pytest.mark.shows("formal-stream", "engine")

CHANGES = {"sector_bytes": 32, "slots": 4, "key_bits": 128, "registers": "axi4-lite"}
WHOLE_SECTORS = [("fast-brw-2s-k", 128), ("hctr2-2s-k", 400)]
WRITES = {"write": "core.bus.access__write", "data": "core.bus.access__write_data"}
REACHED = (
    Fault(
        "a write of the key bus is dropped while the self-test runs",
        "core.commands.memory.write",
        "was && !running",
        {"running": "core.commands.running"},
    ),
    Fault(
        "the self-test wipes the key",
        "core.commands.memory.wipe",
        "scanning",
        {"scanning": "core.commands.scanning"},
    ),
    Fault(
        "DONE shows that the self-test has ended",
        "core.commands.command_done",
        "was | test",
        {"test": "core.commands.test__done"},
    ),
    Fault("a write of the register bus clears DONE", "core.commands.done_cleared", "was | write", WRITES),
    Fault("a word of the register bus is a word of the key", "core.commands.memory.data", "write ? data : was", WRITES),
    Fault(
        "the key bus shows what the self-test does",
        "core.commands.bus__read_data",
        "was ^ {31'b0, busy}",
        {"busy": "core.selftest.busy"},
    ),
)
SHOWN = (
    Fault(
        "a result of the window is on the output port",
        "core.gate.o__payload",
        "granted ? result : was",
        {"granted": "core.gate.access__granted", "result": "core.gate.from_core__payload"},
    ),
    Fault(
        "an earlier result is on the output port",
        "core.gate.o__payload",
        "granted ? was : result",
        {"granted": "core.gate.access__granted", "result": "core.gate.from_core__payload"},
    ),
    Fault("a block of the input is read", "core.bus.access__read_data", "was ^ s[31:0]", {"s": "s_axis_tdata"}),
    Fault("a tweak is read", "core.bus.access__read_data", "was ^ s[31:0]", {"s": "s_axis_tuser"}),
    Fault(
        "the key bus shows a result",
        "core.key_bus.access__read_data",
        "was ^ s[31:0]",
        {"s": "core.gate.from_core__payload"},
    ),
)


@cache
def core():
    return contract("xts-enc-k", CHANGES)


@pytest.mark.slow
def test_isolation_is_proved():
    """And where a fault changes nothing."""
    assert "no register of the key bus" in prove_isolation(core()).statement
    assert prove_isolation(core(), broken(flatten(core(), INSIDE), NO_FAULT)).gates > 0
    with pytest.raises(NotApplicable, match="no registers"):
        prove_isolation(contract("xts-enc-k"))


@pytest.mark.parametrize(("preset", "size"), few_of_many(WHOLE_SECTORS, []))
def test_isolation_and_secrecy_are_proved_of_whole_sectors(preset, size):
    of = contract(preset, CHANGES | {"sector_bytes": size, "sbox": "composite"})
    assert prove_isolation(of).gates > 0 and prove_secrecy(of).gates > 0


@pytest.mark.slow
def test_isolation_is_proved_whatever_the_numbers_of_states(monkeypatch):
    change = "in states.items():", "in (*list(states.items())[:1], *list(states.items())[:0:-1]):"
    monkeypatch.setattr(engine, "KeyCommands", changed(commands, "KeyCommands", *change))
    of = contract("xts-enc-k", CHANGES)
    flat = _flatten(of.module, generate(of.module, of.shell, of.header)[OBSERVED], INSIDE)
    assert prove_isolation(of, flat).gates > 0


@pytest.mark.parametrize("fault", few_of_many(REACHED, []), ids=str)
def test_a_way_from_bus_to_bus_is_found(fault):
    with pytest.raises(NotProved, match="the register bus reaches the registers of the key bus"):
        prove_isolation(core(), broken(flatten(core(), INSIDE), fault))


def test_secrecy_is_proved():
    assert "WINDOW_DATA_OUT" in prove_secrecy(core()).statement


@pytest.mark.parametrize("fault", few_of_many(SHOWN, []), ids=str)
def test_data_that_are_seen_are_found(fault):
    with pytest.raises(NotProved, match="data, tweaks or results reach more than their ports and the window"):
        prove_secrecy(core(), broken(flatten(core(), INSIDE), fault))


@pytest.mark.slow
@pytest.mark.parametrize("readable", ["there", "self.done & there", "~self.error & there"])
def test_a_window_that_is_read_too_early_is_found(monkeypatch, readable):
    """While it is busy, or after a fault."""
    change = ("self.done & ~self.error & there", readable)
    monkeypatch.setattr(engine, "Window", changed(window, "Window", *change))
    of = contract("xts-enc-k", CHANGES)
    flat = _flatten(of.module, generate(of.module, of.shell, of.header)[OBSERVED], INSIDE)
    with pytest.raises(NotProved, match="data, tweaks or results"):
        prove_secrecy(of, flat)
