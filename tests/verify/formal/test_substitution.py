# SPDX-License-Identifier: Apache-2.0
"""Values under assumptions are right in every case that the assumptions leave open."""

import itertools
import random
from functools import cache

import pytest

from wideblock.synth import yosys
from wideblock.verify.formal.flat import Flat
from wideblock.verify.formal.substitution import CellNetlist, Values

from ...variants import over

pytestmark = pytest.mark.shows("formal-stream")

WIDTHS = {"a": 3, "b": 3, "s": 2}
RESULTS = {
    "conjunction": ("a & b", lambda a, b, s: a & b),
    "disjunction": ("a | b", lambda a, b, s: a | b),
    "sum2": ("a ^ b", lambda a, b, s: a ^ b),
    "difference": ("a ^ (a & b)", lambda a, b, s: a & ~b & 7),
    "negation": ("~a", lambda a, b, s: ~a & 7),
    "longer": ("a | {s, 1'b1}", lambda a, b, s: a | 2 * s + 1),
    "extended": ("a & s", lambda a, b, s: a & s),
    "choice": ("s[0] ? a : b", lambda a, b, s: a if s & 1 else b),
    "same": ("s[0] ? (a & b) : (b & a)", lambda a, b, s: a & b),
    "gated": ("s == 3 ? 3'd0 : a & {3{~s[1]}}", lambda a, b, s: 0 if s > 1 else a),
    "equal": ("a == b", lambda a, b, s: int(a == b)),
    "different": ("a != s", lambda a, b, s: int(a != s)),
    "every": ("&a", lambda a, b, s: int(a == 7)),
    "some": ("|a", lambda a, b, s: int(a != 0)),
    "none": ("!a", lambda a, b, s: int(a == 0)),
    "both": ("a && b", lambda a, b, s: int(a != 0 and b != 0)),
    "either": ("a || s", lambda a, b, s: int(a != 0 or s != 0)),
    "added": ("a + s", lambda a, b, s: a + s & 7),
    "parity": ("^a", lambda a, b, s: a.bit_count() & 1),
    "less": ("a < b", lambda a, b, s: int(a < b)),
    "cases": ("chosen", lambda a, b, s: (a, b, 0, a | b)[s]),
}
CASES = "case (s) 0: chosen = a; 1: chosen = b; 3: chosen = a | b; default: chosen = 0; endcase"


@cache
def netlist(folder):
    ports = ", ".join(f"input [{width - 1}:0] {name}" for name, width in WIDTHS.items())
    outputs = "".join(f", output [2:0] {name}" for name in RESULTS)
    body = "".join(f"assign {name} = {text};\n" for name, (text, _) in RESULTS.items())
    text = f"module t({ports}{outputs});\nreg [2:0] chosen;\nalways @* {CASES}\n{body}endmodule\n"
    folder.joinpath("t.v").write_text(text)
    yosys.run(["read_verilog t.v", "proc", "write_rtlil t.il"], folder, "t")
    return CellNetlist(Flat("t", folder.joinpath("t.il").read_text()))


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    return netlist(tmp_path_factory.mktemp("substitution"))


def given(net, values):
    return {bit: value for name in WIDTHS for bit, value in zip(net.bits(name), values[name], strict=True) if value}


def completions(values):
    """Each full choice of the bits that are left open."""
    free = [(name, k) for name in WIDTHS for k, value in enumerate(values[name]) if not value]
    for bits in itertools.product("01", repeat=len(free)):
        whole = {name: list(bits_of) for name, bits_of in values.items()}
        for (name, k), bit in zip(free, bits, strict=True):
            whole[name][k] = bit
        yield whole


def number(bits):
    return int("".join(reversed(bits)), 2)


@over("seed", range(60))
def test_a_value_holds_in_every_case(net, seed):
    """A constant is what the expression gives; a bit has the value of the one that it is said to equal."""
    rng = random.Random(seed)
    open = 0.3 if seed else 0.0
    values = {name: ["" if rng.random() < open else rng.choice("01") for _ in range(w)] for name, w in WIDTHS.items()}
    assumed = Values(net, given(net, values))
    for whole in completions(values):
        numbers = {name: number(bits) for name, bits in whole.items()}
        inputs = given(net, whole)
        for name, (_, function) in RESULTS.items():
            right = function(**numbers)
            for k, value in enumerate(assumed.all(net.bits(name))):
                bit = str(right >> k & 1)
                assert value == bit or (value not in ("0", "1") and inputs.get(value, bit) == bit), (name, k, values)


def test_what_is_told_is_enough(net):
    """The rules that the proofs depend on are not only right, they find the constant or the bit."""
    a, b, s = (net.bits(name) for name in WIDTHS)
    zero = Values(net, {bit: "0" for bit in a})
    for name in ("conjunction", "every", "some", "both", "difference"):
        assert zero.all(net.bits(name))[0] == "0", name
    assert zero.all(net.bits("none"))[0] == "1" and zero.all(net.bits("disjunction")) == b
    assert Values(net, {s[0]: "1"}).all(net.bits("choice")) == a
    assert Values(net, {s[1]: "1"}).all(net.bits("gated")) == ["0", "0", "0"]
    assert Values(net, {s[0]: "1", s[1]: "0"}).all(net.bits("cases")) == b
    assert Values(net, dict.fromkeys(s, "0")).all(net.bits("added")) == a


def test_sources_leave_out_what_a_value_excludes(net):
    a, b, s = (net.bits(name) for name in WIDTHS)
    choice = net.bits("choice")
    assert set(net.sources(choice)) == {*a, *b, s[0]}
    assert set(net.sources(choice, Values(net, {s[0]: "0"}))) == set(b)
