# SPDX-License-Identifier: Apache-2.0
"""Mutants of a real core: one model has all of them, most die, and those that change nothing are told apart."""

import os
import time
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pytest

from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.verify.mutation.equivalence import same_module, without_effect
from wideblock.verify.mutation.mutants import FILE, KINDS, instrument
from wideblock.verify.mutation.rules import broken_rule
from wideblock.verify.mutation.score import score
from wideblock.verify.mutation.trial import trials

pytestmark = pytest.mark.shows("mutation")


@cache
def small():
    return contract("xts-enc", {"sector_bytes": "96", "sbox": "composite"})


SMALL_MODULES = ("", "core.arrivals", "core.control", "core.results", "core.tweaks")
"""Modules about which a proof takes less than a second; about the core, its key unit or its stealing it takes eight."""


@pytest.mark.slow
def test_a_score():
    found = score(small(), mutants=14, sectors=8)
    modules = {mutant.module for mutant, _ in found.trials}
    assert {"core.lanes", "core.control", "core.stealing", "core.key_unit", "core.arrivals"} <= modules
    assert len(found.trials) == 14 == len(found.killed) + len(found.survivors) + len(found.equivalent)
    assert found.share >= 0.85, [str(mutant) for mutant in found.survivors]
    made = instrument(small(), 14)  # the same mutants: what a check sees is never proved to be no fault
    seen = [mutant for mutant in found.killed if mutant.module in SMALL_MODULES]
    assert len(seen) >= 5
    assert not any(same_module(made, mutant, small().module) for mutant in seen)


@pytest.mark.slow
def test_a_score_of_few_mutants():
    found = score(small(), mutants=2, sectors=2)
    assert len(found.trials) == 2 == len(found.killed) + len(found.survivors) + len(found.equivalent)
    assert found.killed, [str(mutant) for mutant, _ in found.trials]


@pytest.mark.slow
def test_a_score_of_an_authenticated_cipher():
    found = score(contract("scream", {"data_bytes": 32, "ad_bytes": 16}), mutants=12)
    assert found.share >= 0.8, [str(mutant) for mutant in found.survivors]


def test_mutants_of_chosen_modules():
    made = instrument(small(), 12, within=("core.control", "core.res*"))
    assert {mutant.module for mutant in made.mutants} == {"core.control", "core.results"}


def test_patterns_of_no_module_are_one_line():
    with pytest.raises(
        UserError, match=r"no module of xts_enc\S* is core\.hash or exit; there are core, core\.arrivals, "
    ):
        instrument(small(), 12, within=("core.hash", "exit"))


@cache
def made_with(seed):
    return instrument(small(), 80, seed=seed)


def test_mutants_are_changes_of_the_exported_text():
    made = made_with(3)
    lines = small().verilog.splitlines()
    assert [mutant.number for mutant in made.mutants] == list(range(1, 81))
    assert all(mutant.text.startswith(lines[mutant.line - 1].strip()) for mutant in made.mutants)
    assert {mutant.kind for mutant in made.mutants} == set(KINDS)
    assert FILE in made.verilog[1] and "mutant" in made.verilog[0]


def test_the_seed_and_the_kind_choose():
    assert instrument(small(), 80, seed=3).mutants == made_with(3).mutants
    other = instrument(small(), 80, seed=4, kinds=("invert",)).mutants
    assert {mutant.kind for mutant in other} == {"invert"}
    assert [m.place for m in other] != [m.place for m in made_with(3).mutants]


@pytest.mark.slow
def test_a_mutant_of_a_bit_that_nothing_reads_has_no_effect():
    made = instrument(small(), 400, kinds=("invert",))
    idle = without_effect(made, small().module)
    assert 0 < len(idle) < 40
    assert not [m for m in made.mutants if m.number in idle and m.module == ""]  # clock, reset and ports are all read


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"count": 3, "kinds": ("rust",)}, "no kind of mutation 'rust'; there are invert, stuck-at-0"),
        ({"count": 0}, "mutants must be from 1 to 65535, got 0"),
    ],
)
def test_bad_arguments(arguments, says):
    with pytest.raises(ValueError, match=says):
        instrument(small(), **arguments)


def one_of(outcomes):
    """A suite that ends as ``outcomes`` say for the number that it finds in its directory."""

    def run():
        with open(FILE) as file:
            outcome = outcomes[int(file.read(), 16)]
        return outcome() if callable(outcome) else outcome

    return run


def wrong():
    raise IndexError("no sector 7")


def test_however_a_mutant_ends_its_trial_has_a_result():
    outcomes = [None, ("zeroize", "late"), lambda: os._exit(1), lambda: time.sleep(60), wrong]
    start = time.monotonic()
    found = {trial.number: trial for trial in trials(one_of(outcomes), range(5), limit=2, processes=2)}
    assert time.monotonic() - start < 30
    assert [found[k].check for k in range(5)] == [None, "zeroize", "model", "time", "error"]
    assert found[1].difference == "late" and found[4].difference == "IndexError: no sector 7"


def test_trials_leave_no_process():
    each = trials(lambda: (str(os.getpid()), ""), range(1, 9), limit=60, processes=2)
    pid = int(next(each).check or 0)
    each.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.slow
def test_a_core_that_fails_itself_has_no_score():
    with pytest.raises(ValueError, match="xts_enc_.* itself fails 'gaps': late"):
        score(small(), mutants=2, checks=lambda core, verilog: lambda: ("gaps", "late"))


def test_states_that_are_never_reached_make_no_fault():
    """A counter to 4: its highest bit is never set where it is added to."""
    verilog = """
module counter(clk, last);
  input clk;
  wire clk;
  output last;
  wire last;
  reg [2:0] step = 3'h0;
  wire [2:0] next;
  assign last = step == 3'h4;
  assign next = step + 3'h1;
  always @(posedge clk) step <= last ? 3'h0 : next;
endmodule
"""
    ports = [
        SimpleNamespace(name=name, direction=direction, width=1)
        for name, direction in (("clk", "input"), ("last", "output"))
    ]
    made = instrument(
        SimpleNamespace(module="counter", verilog=verilog, observed=verilog, ports=ports), 60, kinds=("stuck-at-0",)
    )
    added = {mutant.place.split()[0]: mutant for mutant in made.mutants if mutant.place.startswith("add.A")}
    assert same_module(made, added["add.A[2]"], "counter")
    assert not any(same_module(made, added[f"add.A[{bit}]"], "counter") for bit in range(2))


@pytest.mark.slow
def test_a_credit_that_simulation_has_no_occasion_for_is_found_by_a_rule():
    made = instrument(small(), 1500, kinds=("stuck-at-1",))
    rooms = [mutant for mutant in made.mutants if mutant.text.startswith("assign room =") and "room[0]" in mutant.place]
    assert rooms and all(broken_rule(small(), made, mutant) for mutant in rooms)
    assert broken_rule(small(), made, replace(rooms[0], number=0)) is None
