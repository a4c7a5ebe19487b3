# SPDX-License-Identifier: Apache-2.0
"""Constant time is proved for cores, and for none of them with a leak."""

import json
from dataclasses import replace
from functools import cache

import pytest

from wideblock.export.contract import contract
from wideblock.rtl.stream.influence import EqualHalves, FieldInfluence
from wideblock.synth.targets import fpga
from wideblock.synth.yosys import Source, netlist
from wideblock.verify.formal.cone import Cone, Graph
from wideblock.verify.formal.flat import flatten
from wideblock.verify.formal.proof import NotApplicable, NotProved
from wideblock.verify.formal.step import NextState, Unequal
from wideblock.verify.formal.timing import prove_timing, prove_timing_of_netlist, timing_of

from ...variants import few_of_many
from .faults import broken
from .leaks import ENGINE_LEAKS, LEAKS

pytestmark = pytest.mark.shows("constant-time-proof")

SEALED = ("aes-gcm", "scream", "minalpher")
FEW = ("xts-enc", "aes-gcm")


@cache
def small(preset):
    return contract(preset, {"data_bytes": 64, "ad_bytes": 48} if preset in SEALED else {"sector_bytes": 160})


@pytest.mark.parametrize("preset", few_of_many(LEAKS, FEW))
def test_cycles_depend_on_declared_inputs_alone(preset):
    """And each input that a core declares is in the cone."""
    core = small(preset)
    proof = prove_timing(core)
    assert proof.gates > 0 and proof.registers > 0
    assert all(str(influence) in proof.statement for influence in core.behaviour.influences)


@pytest.mark.parametrize(
    "preset, leak",
    few_of_many(
        ((preset, leak) for preset, leaks in LEAKS.items() for leak in leaks),
        [("xts-enc", leak) for leak in LEAKS["xts-enc"][1:3]],
    ),
    ids=str,
)
def test_a_leak_is_found(preset, leak):
    core = small(preset)
    with pytest.raises(NotProved, match="depends on|tells more than|not inductive"):
        prove_timing(core, broken(flatten(core, ()), leak))


def test_there_are_twenty_leaks():
    assert sum(map(len, LEAKS.values())) >= 20


def test_a_message_names_output_input_and_place():
    core = small("xts-enc")
    leak = next(leak for leak in LEAKS["xts-enc"] if "tweak" in leak.name)
    with pytest.raises(NotProved, match=r"fault\[0\] depends on s_axis_tuser\[9\]: .* -> core.entrance.fault\[0\] -> "):
        prove_timing(core, broken(flatten(core, ()), leak))


@pytest.mark.slow
def test_a_message_about_words_of_data():
    core = small("aes-gcm")
    leak = next(leak for leak in LEAKS["aes-gcm"] if "zero word" in leak.name)
    with pytest.raises(
        NotProved, match=r" depends on pdi_data\[0\], .* and 28 more of words that are no headers: core.pre"
    ):
        prove_timing(core, broken(flatten(core, ()), leak))


@pytest.mark.parametrize("influence", [EqualHalves, FieldInfluence])
def test_an_influence_that_is_not_declared_is_found(influence, monkeypatch):
    core = small("xts-enc")
    kept = tuple(each for each in core.behaviour.influences if not isinstance(each, influence))
    monkeypatch.setattr(core.component, "behaviour", replace(core.behaviour, influences=kept))
    with pytest.raises(NotProved, match="depends on s_axis_"):
        prove_timing(core)


@cache
def engine():
    return contract("xts-enc-k", {"sector_bytes": 32, "slots": 4, "key_bits": 128, "registers": "axi4-lite"})


def test_an_engine_depends_on_no_key_that_it_has_collected():
    """Nor on data and tweaks of the window; and all that it declares is in the cone."""
    proof = prove_timing(engine())
    assert all(str(influence) in proof.statement for influence in engine().behaviour.influences)
    with pytest.raises(NotApplicable, match="netlists of a core alone"):
        prove_timing_of_netlist(engine(), fpga("xc7"))


def test_requests_before_the_data_are_told_of_both_rules():
    core = contract("xts-enc-k", {"sector_bytes": 32, "slots": 4, "key_bits": 128, "header": True})
    with pytest.raises(NotApplicable, match="header=false"):
        prove_timing(core)
    with pytest.raises(NotApplicable, match="header=false"):
        prove_timing_of_netlist(core, fpga("xc7"))


@pytest.mark.parametrize("leak", few_of_many(ENGINE_LEAKS, ENGINE_LEAKS[1:2]), ids=str)
def test_a_leak_of_an_engine_is_found(leak):
    with pytest.raises(NotProved, match="depends on"):
        prove_timing(engine(), broken(flatten(engine(), ()), leak))


@pytest.mark.slow
@pytest.mark.parametrize("preset", SEALED)
def test_ports_with_packets(preset):
    assert prove_timing(contract(preset, {"data_bytes": 64, "ad_bytes": 48, "ports": "axi4-stream"})).gates > 0


@pytest.mark.slow
def test_a_key_in_words():
    assert "key_collector" in prove_timing(contract("xts-enc", {"sector_bytes": 160, "key_width": 32})).statement


@pytest.mark.slow
def test_a_mapped_netlist(tmp_path):
    """And one in which a bit of data is wired to a LUT of the input's ready."""
    core = contract("xts-enc", {"sector_bytes": 32, "sbox": "bram"})
    _, files = netlist(Source(core.verilog, core.module), fpga("xc7"), tmp_path)
    mapped = json.loads(files.json.read_text())
    assert "equality of the halves" in timing_of(core, mapped, models=files.models).statement
    ports, cells = (mapped["modules"][core.module][part] for part in ("ports", "cells"))
    (ready,) = ports["s_axis_tready"]["bits"]
    (lut,) = (cell for cell in cells.values() if cell["connections"].get("O") == [ready])
    lut["connections"]["I0"] = ports["s_axis_tdata"]["bits"][17:18]
    with pytest.raises(NotProved, match=r"s_axis_tready depends on s_axis_tdata\[17\]"):
        timing_of(core, mapped, models=files.models)


def module(cells, ports, **signals):
    """A module of Yosys' JSON: cells are (type, parameters, {pin: bits}), the outputs being Y, Q, O, RD_DATA."""
    outputs = ("Y", "Q", "O", "RD_DATA")
    return {
        "ports": {name: {"direction": way, "bits": bits} for name, (way, bits) in ports.items()},
        "cells": {
            f"c{k}": {
                "type": type,
                "parameters": parameters,
                "port_directions": {pin: "output" if pin in outputs else "input" for pin in pins},
                "connections": pins,
            }
            for k, (type, parameters, pins) in enumerate(cells)
        },
        "netnames": {name: {"bits": bits} for name, bits in signals.items()},
    }


A, B, Y = [2, 3, 4], [5, 6, 7], [8, 9, 10]


@pytest.mark.parametrize(
    "type, parameters, pins, of_middle",
    [
        ("$xor", {}, {"A": A, "B": B, "Y": Y}, {3, 6}),
        ("$xor", {"A_SIGNED": "1"}, {"A": [2], "B": B, "Y": Y}, {2, 6}),
        ("$add", {}, {"A": A, "B": B, "Y": Y}, {2, 3, 5, 6}),
        ("$mux", {}, {"A": A, "B": B, "S": [11], "Y": Y}, {3, 6, 11}),
        ("$mux", {}, {"A": A, "B": [5, 3, 7], "S": [11], "Y": Y}, {3}),
        ("$pmux", {"WIDTH": "11"}, {"A": A, "B": [*B, 12, 13, 14], "S": [15, 16], "Y": Y}, {3, 6, 13, 15, 16}),
        ("$dff", {}, {"CLK": [11], "D": A, "Q": Y}, {3, 11}),
        ("$dffe", {}, {"CLK": [11], "EN": [12], "D": A, "Q": Y}, {3, 11, 12}),
        ("$shr", {}, {"A": A, "B": B, "Y": Y}, {*A, *B}),
        ("unknown", {}, {"A": A, "B": B, "Y": Y}, {*A, *B}),
        ("LUT3", {"INIT": "11110000"}, {"I0": [2], "I1": [3], "I2": [4], "O": [9]}, {4}),
        ("LUT3", {"INIT": "1111000x"}, {"I0": [2], "I1": [3], "I2": [4], "O": [9]}, {2, 3, 4}),
        ("LUT3", {"INIT": "10010110"}, {"I0": [2], "I1": [3], "I2": [4], "O": [9]}, {2, 3, 4}),
    ],
)
def test_sources_of_a_bit(type, parameters, pins, of_middle):
    graph = Graph(module([(type, parameters, pins)], {}))
    assert {node for node in Cone(graph, [9]) if node > 0} == {9, *of_middle}


def test_a_bit_of_a_memory_depends_on_that_bit_of_every_write_and_on_all_addresses():
    one = {"RD_CLK": [20], "RD_EN": [21], "RD_ARST": ["0"], "RD_SRST": ["0"], "WR_CLK": [22, 22]}
    pins = {"RD_ADDR": [2, 3], "RD_DATA": Y, "WR_ADDR": [30, 31, 32, 33], "WR_DATA": [40, 41, 42, 43, 44, 45]}
    pins |= {"WR_EN": [50, 51, 52, 53, 54, 55], **one}
    graph = Graph(module([("$mem_v2", {"WIDTH": "11", "ABITS": "10"}, pins)], {}))
    found = {node for node in Cone(graph, [9]) if node > 0} - {9}
    assert found == {2, 3, 20, 21, 22, 30, 31, 32, 33, 41, 44, 51, 54}


def test_a_step_says_which_end_depends_on_what_is_given():
    """y = a and (b or s): b matters where a is high; nothing matters under the premise that s is."""
    cells = [
        (
            "$or",
            {"A_WIDTH": 1, "B_WIDTH": 1, "Y_WIDTH": 1, "A_SIGNED": 0, "B_SIGNED": 0},
            {"A": [3], "B": [4], "Y": [5]},
        ),
        (
            "$and",
            {"A_WIDTH": 1, "B_WIDTH": 1, "Y_WIDTH": 1, "A_SIGNED": 0, "B_SIGNED": 0},
            {"A": [2], "B": [5], "Y": [6]},
        ),
    ]
    graph = Graph(module(cells, {}))
    step = NextState(graph, [6, 2], [3])
    assert (step.ends, step.others) == ([6], [2, 4])
    step.prove("s", "free", {"s": [4]})
    with pytest.raises(Unequal) as unequal:
        step.prove("1", "free", {})
    assert unequal.value.end == 6 and step.given(6) == [3]
