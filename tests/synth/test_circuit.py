# SPDX-License-Identifier: Apache-2.0
"""A digest of a circuit ignores names and order, and tells every single change apart."""

import copy
import random
import re
from itertools import pairwise

import pytest

from wideblock import catalog
from wideblock.export.contract import contract
from wideblock.synth import circuit as module
from wideblock.synth.circuit import COMBINATIONAL, METHOD, Circuit, circuit, netlist
from wideblock.synth.yosys import Source, uncommented

from ..variants import few_of_many

pytestmark = pytest.mark.shows("evaluation")

CORE = "scream"
KEYWORDS = {
    *("always", "assign", "begin", "case", "casez", "default", "else", "end", "endcase", "endfunction", "endmodule"),
    *("for", "function", "if", "initial", "input", "integer", "module", "negedge", "or", "output", "posedge", "reg"),
    *("signed", "wire"),
}


@pytest.fixture(scope="module")
def core():
    return contract(CORE)


@pytest.fixture(scope="module")
def flat(core):
    return netlist(Source(core.verilog, core.module))


def renamed(core):
    """The Verilog with other private names, without comments, its modules in reverse order."""
    kept = {port.name for port in core.ports} | {core.module}
    text = re.sub(r"\(\* X_.*?\*\)", "", uncommented(core.verilog))
    names = {}

    def other(found):
        word = found[0].strip()
        if word in KEYWORDS | kept:
            return f"{word} "
        return f"{names.setdefault(word, f'other{len(names)}')} "

    parts = re.split(r"(\(\*.*?\*\))", text)
    parts[::2] = (re.sub(r"\\\S+\s|(?<![\w$'])[A-Za-z_]\w*", other, part) for part in parts[::2])
    return "\n".join(re.findall(r"^\s*module\b.*?\bendmodule\b", "".join(parts), re.M | re.S)[::-1]), names


def test_private_names_comments_and_order_do_not_matter(core, flat):
    text, names = renamed(core)
    assert len(names) > 1000 and text != core.verilog
    assert Circuit(netlist(Source(text, core.module))).digest == Circuit(flat).digest
    rng = random.Random(1)
    shuffled = copy.copy(flat)
    for part in ("cells", "ports", "memories", "netnames"):
        shuffled[part] = dict(rng.sample([*flat[part].items()], len(flat[part])))
    assert Circuit(shuffled).digest == Circuit(flat).digest


def mutants(flat, count):
    """Netlists with one gate of another type, one input bit inverted in value or place, or one output bit moved."""
    rng = random.Random(2)
    others = {"$and": "$or", "$or": "$xor", "$xor": "$and", "$not": "$pos", "$add": "$sub", "$eq": "$ne"}
    gates = [name for name, cell in flat["cells"].items() if cell["type"] in COMBINATIONAL]
    chosen = iter(rng.sample(gates, len(gates)))
    for number in range(count):
        new = copy.copy(flat)
        new["cells"] = dict(flat["cells"])
        while True:
            name = next(chosen)
            cell = copy.deepcopy(flat["cells"][name])
            bits, at = cell["connections"]["A"], rng.randrange(len(cell["connections"]["A"]))
            if number % 3 == 0 and cell["type"] in others:
                cell["type"] = others[cell["type"]]
            elif number % 3 == 1:
                bits[at] = "0" if bits[at] == "1" else "1"
            elif number % 3 == 2 and len(set(bits)) > 1:
                bits[:] = bits[1:] + bits[:1]
            else:
                continue
            break
        new["cells"][name] = cell
        yield new


def test_twenty_changes_of_one_gate_give_twenty_digests(flat):
    digests = {Circuit(each).digest for each in (flat, *mutants(flat, 20))}
    assert len(digests) == 21


SMALL = """
module small(input clk, input rst, input [3:0] a, input [3:0] b, input [2:0] at, output reg [3:0] y, output z,
             output reg [3:0] word);
  reg [3:0] first;
  (* ram_style = "block" *)
  reg [3:0] rows [7:0];
  wire [3:0] sum = a - b;
  always @(posedge clk) begin
    first <= rst ? 4'd6 : sum;
    y <= first ^ (b + 1);
    word <= rows[at];
    if (z) rows[at] <= a;
  end
  assign z = first == 4'd3;
endmodule
"""
SAME = [
    ("first == 4'd3", "4'd3 == first"),
    ("wire [3:0] sum = a - b;", "wire [3:0] sum = a - b; wire [3:0] twice = a - b; wire unused = ^twice;"),
    ("first ^ (b + 1)", "(b + 1) ^ first /* comment */"),
    ("rows", "memory"),
]
OTHER = [
    ("4'd6", "4'd2"),  # reset value
    ("4'd3", "4'd5"),  # constant
    ("a - b", "b - a"),
    ("a - b", "a + b"),
    ("[7:0]", "[3:0]"),  # rows of the memory
    ('"block"', '"distributed"'),
    ("posedge clk", "negedge clk"),
    ("input [3:0] b", "input [4:0] b"),  # width of a port
    ("output z", "output not_z"),
    ("reg [3:0] first", "reg [3:0] first = 4'd1"),  # value at power-up
    ("rows[at] <= a", "rows[at] <= sum"),
    ("if (z)", ""),
]


def of(text, top="small"):
    return circuit(Source(text, top))


@pytest.mark.parametrize(("old", "new"), SAME)
def test_equal_circuits_have_equal_digests(old, new):
    assert old in SMALL and of(SMALL.replace(old, new)) == of(SMALL)


def test_each_change_has_a_digest_of_its_own(monkeypatch):
    assert all(old in SMALL for old, _ in OTHER)
    texts = [
        SMALL,
        *(
            SMALL.replace(old, new).replace("assign z", "assign not_z" if "not_z" in new else "assign z")
            for old, new in OTHER
        ),
    ]
    assert len({of(text) for text in texts}) == len(texts)
    assert of(SMALL).startswith(f"{METHOD}:")
    monkeypatch.setattr(module, "METHOD", "next")  # no digest of an older method is taken from the cache
    assert of(SMALL).startswith("next:")


def line(name, source, length):
    """A line of single registers."""
    names = [source, *(f"{name}{k}" for k in range(length))]
    return "".join(f"reg {new}; always @(posedge clk) {new} <= {old};\n" for old, new in pairwise(names))


def lines(p, q):
    """Two lines of 100 registers, from x and from y, with their ends at outputs ``p`` and ``q``."""
    text = line("s", "x", 100) + line("t", "y", 100)
    head = "module lines(input clk, input x, input y, output p, output q);\n"
    return f"{head}{text}assign p = {p}99; assign q = {q}99;\nendmodule\n"


def rings(*lengths):
    """Rings of registers, which no port reads."""
    text = "".join(line(f"r{n}_", f"r{n}_{length - 1}", length) for n, length in enumerate(lengths))
    return "module rings(input clk);\n" + text.replace("reg", "(* keep *) reg") + "endmodule\n"


def twins(third):
    """Two equal registers with a reader each, and a third reader of the one that ``third`` names."""
    return f"""
module twins(input clk, input x, input y, output reg [2:0] z);
  reg one, two;
  always @(posedge clk) begin one <= x; two <= x; z <= {{{third} ^ y, two & y, one | y}}; end
endmodule
"""


@pytest.mark.parametrize(
    ("top", "one", "other"),
    [
        ("lines", lines("s", "t"), lines("t", "s")),
        ("rings", rings(8), rings(4, 4)),
        ("twins", twins("one"), twins("two")),
    ],
)
def test_a_difference_that_no_port_is_near_is_seen(top, one, other):
    """No number of rounds is enough for the lines, and no colour tells the registers of the rings apart."""
    assert of(one, top) != of(other, top)
    assert of(re.sub(r"\b([rst]\w*\d|one|two)\b", r"a_\1", one), top) == of(one, top)


@pytest.mark.parametrize("name", few_of_many(catalog.PRESETS, [CORE]))
def test_no_symmetry_is_left_in_a_core(name):
    """Each node has a colour of its own, so that equal digests are of equal circuits."""
    core = contract(name)
    found = Circuit(netlist(Source(core.verilog, core.module)))
    assert found.colours == found.nodes > 500
