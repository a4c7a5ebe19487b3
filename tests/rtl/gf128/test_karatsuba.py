# SPDX-License-Identifier: Apache-2.0
"""The multiplier: values, timing, placement of its registers, and its proofs."""

import json
import random
import time
from functools import reduce
from itertools import pairwise, product
from operator import xor

import pytest
from amaranth.back import rtlil

from wideblock.rtl.gf128.field import GF128, BinaryField
from wideblock.rtl.gf128.karatsuba import LEAVES, STAGES, Multiplier, layers, place
from wideblock.spec import gf128 as spec
from wideblock.verify.formal.proof import NotProved

from ...variants import few_of_many, over
from ..simulated import Simulator
from .multiplier import check_netlist, netlist, prove_bilinear, prove_by_sat

pytestmark = pytest.mark.shows("multiplier")

AES = BinaryField(8, 0x1B)
GF16 = BinaryField(4, 0x3)
GF64 = BinaryField(6, 0x1B)


def multiply(a, b, field):
    """a * b by shift and add."""
    r = 0
    for k in reversed(range(field.width)):
        r <<= 1
        if r >> field.width:
            r ^= 1 << field.width | field.modulus
        if b >> k & 1:
            r ^= a
    return r


def run(dut, pairs, rate=1.0, seed=0):
    """Results in order, as (cycle of the input, cycle of the output, product)."""
    rng = random.Random(seed)
    sent, received = [], []
    pending = list(reversed(pairs))
    width = dut.terms * dut.field.width
    cycles, ahead = 0, None

    async def bench(ctx):
        nonlocal cycles, ahead
        while len(received) < len(pairs) and cycles < 20 * len(pairs) + 100:
            valid = bool(pending) and rng.random() < rate
            ctx.set(dut.i.valid, valid)
            a, b = pending.pop() if valid else (rng.getrandbits(width), rng.getrandbits(width))
            ctx.set(dut.i.payload, {"a": a, "b": b})
            if valid:
                sent.append(cycles)
            if ctx.get(dut.o.valid):
                received.append((cycles, ctx.get(dut.o.payload)))
                assert ahead in (None, ctx.get(dut.o.payload))
            if "ahead" in dut.signature.members:
                ahead = ctx.get(dut.ahead)
            await ctx.tick()
            cycles += 1

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert len(received) == len(sent) == len(pairs)
    return [(start, end, value) for start, (end, value) in zip(sent, received, strict=True)]


def check(dut, pairs, model, **kwargs):
    out = run(dut, pairs, **kwargs)
    assert [value for *_, value in out] == [model(a, b) for a, b in pairs]
    assert {end - start for start, end, _ in out} == {dut.timing.latency}
    return out


@pytest.mark.parametrize("leaf, stages", [*product([2, 4], STAGES)])
def test_gf16_exhaustively(leaf, stages):
    pairs = list(product(range(16), repeat=2))
    out = check(Multiplier(GF16, leaf=leaf, stages=stages), pairs, lambda a, b: multiply(a, b, GF16))
    assert {b[1] - a[1] for a, b in pairwise(out)} == {1}


@pytest.mark.parametrize("leaf, stages", [(2, 3), (4, 4), (8, 2)])
def test_aes_field(leaf, stages):
    pairs = list(product(range(256), repeat=2))[::17]
    check(Multiplier(AES, leaf=leaf, stages=stages), pairs, lambda a, b: multiply(a, b, AES))


@pytest.mark.parametrize("stages", [1, 5])
def test_leaf_of_three_exhaustively(stages):
    pairs = list(product(range(64), repeat=2))
    check(Multiplier(GF64, leaf=3, stages=stages), pairs, lambda a, b: multiply(a, b, GF64))


@pytest.mark.parametrize("rate, seed", [*product([0.2, 0.6], range(2))])
def test_gaps(rate, seed):
    rng = random.Random(seed)
    pairs = [(rng.getrandbits(8), rng.getrandbits(8)) for _ in range(300)]
    check(Multiplier(AES, stages=5), pairs, lambda a, b: multiply(a, b, AES), rate=rate, seed=seed)


@pytest.mark.parametrize(
    "stages, leaf", few_of_many([(1, 4), (4, 4), (8, 4), (3, 2), (4, 16)], [(1, 4), (4, 4), (8, 4)])
)
def test_gf128(stages, leaf):
    rng = random.Random(stages)
    pairs = [(rng.getrandbits(128), rng.getrandbits(128)) for _ in range(20)]
    pairs += [(1 << rng.randrange(128), 1 << rng.randrange(128)) for _ in range(20)] + [(1 << 127, 2)]
    check(Multiplier(stages=stages, leaf=leaf), pairs, spec.mul, rate=0.8)


def parts(x, width):
    while x:
        yield x % (1 << width)
        x >>= width


@pytest.mark.parametrize("terms, stages, leaf", [(2, 1, 4), (2, 4, 2), (3, 5, 4), (4, 8, 2)])
def test_sum_of_products(terms, stages, leaf):
    """Random operands, and each bit of one term's with each bit of another's, whose product must not be there."""

    def model(a, b):
        return reduce(xor, (multiply(x, y, AES) for x, y in zip(parts(a, 8), parts(b, 8), strict=False)), 0)

    rng, bits = random.Random(terms), 8 * terms
    pairs = [(rng.getrandbits(bits), rng.getrandbits(bits)) for _ in range(100)]
    pairs += [(1 << i, 1 << j) for i, j in product(range(bits), repeat=2)]
    check(Multiplier(AES, leaf=leaf, stages=stages, terms=terms), pairs, model, rate=0.9)


@pytest.mark.parametrize("terms, stages", [(2, 4), (4, 3)])
def test_sum_of_products_of_gf128(terms, stages):
    def model(a, b):
        return reduce(xor, (spec.mul(x, y) for x, y in zip(parts(a, 128), parts(b, 128), strict=False)), 0)

    rng, bits = random.Random(terms), 128 * terms
    pairs = [(rng.getrandbits(bits), rng.getrandbits(bits)) for _ in range(10)]
    pairs += [(1 << rng.randrange(bits), 1 << rng.randrange(bits)) for _ in range(20)]
    check(Multiplier(stages=stages, terms=terms), pairs, model)


def test_no_terms():
    with pytest.raises(ValueError, match="^terms must be 1 or more, got 0$"):
        Multiplier(terms=0)


@pytest.mark.parametrize(
    "stages, leaf",
    few_of_many([*((stages, 4) for stages in STAGES), (4, 2), (4, 8), (4, 16)], [(4, 4), (4, 16)]),
)
def test_gf128_is_proved(stages, leaf):
    proof = prove_bilinear(Multiplier(stages=stages, leaf=leaf))
    assert proof.registers >= 128 + stages and proof.gates > 10000


def test_aes_field_is_proved_by_sat():
    proof = prove_by_sat(Multiplier(AES, leaf=4, stages=4))
    assert proof.gates > 100


@pytest.mark.parametrize("stages", [1, 3, 6])
def test_product_a_cycle_ahead(stages):
    field = BinaryField(8, 0x1B)
    pairs = [(a, b) for a in range(0, 256, 17) for b in range(0, 256, 23)]
    check(Multiplier(field, stages=stages, leaf=2, ahead=True), pairs, lambda a, b: multiply(a, b, field), rate=0.7)
    assert "ahead" not in Multiplier(field, leaf=2).signature.members


def test_wrong_field_is_not_proved():
    top = netlist(Multiplier(BinaryField(128, 0x85)))
    with pytest.raises(NotProved, match=r"output 1 is wrong for x\^\d+ \* x\^\d+"):
        check_netlist(top, GF128, 4)
    with pytest.raises(NotProved, match="of age 4, not in ab of age 3"):
        check_netlist(top, BinaryField(128, 0x85), 3)


@pytest.fixture(scope="module")
def original():
    """The text of the netlist, from which each test reads one of its own."""
    return json.dumps(netlist(Multiplier()))


def cells(top, kind):
    payload = top["ports"]["o__payload"]["bits"]
    return [c for c in top["cells"].values() if c["type"] == kind and c["connections"]["Y"][0] not in payload]


@pytest.mark.parametrize("which", [0, 100, -1])
@pytest.mark.parametrize("old, new", [("$_XOR_", "$_OR_"), ("$_XOR_", "$_AND_"), ("$_AND_", "$_XOR_")])
def test_wrong_gate_is_not_proved(original, which, old, new):
    top = json.loads(original)
    cells(top, old)[which]["type"] = new
    with pytest.raises(NotProved, match=r"^cell "):
        check_netlist(top, GF128, 4)


@pytest.mark.parametrize("which", [0, 100, -1])
def test_wrong_wire_is_not_proved(original, which):
    """A sum that takes one operand twice is bilinear still, but wrong."""
    top = json.loads(original)
    pins = cells(top, "$_XOR_")[which]["connections"]
    pins["A"] = pins["B"]
    with pytest.raises(NotProved, match="is wrong for"):
        check_netlist(top, GF128, 4)


def test_missing_register_is_not_proved(original):
    top = json.loads(original)
    payload = set(top["ports"]["o__payload"]["bits"])
    name, cell = next(
        (n, c) for n, c in top["cells"].items() if c["type"] == "$_DFF_P_" and c["connections"]["Q"][0] in payload
    )
    del top["cells"][name]
    top["ports"]["o__payload"]["bits"] = [
        cell["connections"]["D"][0] if [bit] == cell["connections"]["Q"] else bit
        for bit in top["ports"]["o__payload"]["bits"]
    ]
    with pytest.raises(NotProved, match="of age 3, not in ab of age 4"):
        check_netlist(top, GF128, 4)


def test_sat_finds_a_wrong_field():
    class Liar(Multiplier):
        def __init__(self):
            super().__init__(GF16, stages=2)
            self.field = BinaryField(4, 0x9)

    with pytest.raises(NotProved, match="differs from shift-and-add"):
        prove_by_sat(Liar())


@over("leaf, stages, input_depth", [*product([2, 4, 8, 16], STAGES, range(4))])
def test_placement_is_balanced(leaf, stages, input_depth):
    chain = layers(GF128, leaf)
    cuts = place(chain, stages, input_depth)
    assert len(cuts) == stages and cuts[-1] == len(chain) and list(cuts) == sorted(set(cuts))
    depths, total = [], input_depth
    for k, layer in enumerate(chain):
        if k in cuts:
            depths.append(total)
            total = 0
        total += layer.depth
    depths.append(total)
    whole = input_depth + sum(layer.depth for layer in chain)
    assert sum(depths) == pytest.approx(whole)
    assert max(depths) <= max(2 * whole / stages + 1, max(layer.depth for layer in chain), input_depth)


def test_more_stages_are_shallower():
    chain = layers(GF128, 4)

    def deepest(stages):
        cuts = (0, *place(chain, stages))
        return max(sum(x.depth for x in chain[a:b]) for a, b in pairwise(cuts))

    depths = [deepest(stages) for stages in STAGES]
    assert depths == sorted(depths, reverse=True)
    assert depths[0] > 7.5 and depths[3] < 4 and depths[7] <= 2


def test_emission_is_fast():
    start = time.process_time()
    dut = Multiplier()
    ports = [dut.i.payload.as_value(), dut.i.valid, dut.o.payload, dut.o.valid]
    text = rtlil.convert(dut, name="multiplier", ports=ports, emit_src=False)
    assert time.process_time() - start < 3
    assert text.count("cell $and") < 200  # one gate a vector, not one a product


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: Multiplier(leaf=5), "leaf must be one of 2, 3, 4, 8, 16, got 5"),
        (lambda: Multiplier(leaf=3), "width 128 divided by a power of two, got 3"),
        (lambda: Multiplier(AES, leaf=16), "width 8 divided by a power of two, got 16"),
        (lambda: Multiplier(stages=0), "stages must be from 1 to 8, got 0"),
        (lambda: Multiplier(stages=9), "stages must be from 1 to 8, got 9"),
        (lambda: Multiplier(input_depth=-1), "input_depth must not be negative, got -1"),
    ],
)
def test_errors(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_leaves():
    for leaf in set(LEAVES) - {3}:
        assert layers(GF128, leaf)[-1].bits == 128
