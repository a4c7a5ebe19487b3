# SPDX-License-Identifier: Apache-2.0
"""Pipelined Karatsuba multiplier of a binary field, one product a cycle."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from itertools import accumulate, combinations, pairwise
from math import ceil, log
from operator import xor

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import Out

from wideblock.rtl.gf128.field import GF128, BinaryField, parity
from wideblock.rtl.pipeline import OUTLINE, FixedLatency, Pipeline, Timing

__all__ = ["LEAVES", "STAGES", "Layer", "Multiplier", "layers", "place"]

LEAVES = (2, 3, 4, 8, 16)
STAGES = range(1, 9)


@dataclass(frozen=True)
class Layer:
    """One step of the product: ``apply`` makes the next coefficients from the coefficients of the step before.

    A coefficient is a vector with a bit for each of the products side by side: an operation on vectors is a gate in
    each product.

    name:   what the coefficients are, with their number of bits
    fan_in: bits of the layer before into the layer's widest gate
    bits:   registers of a cut after the layer
    splits: whether it stands before the first sums of products; a cut at this place costs tables: sums of the
            operands' halves and the AND gates behind no longer share a table
    """

    name: str
    fan_in: int
    bits: int
    splits: bool
    apply: Callable[[list], list]

    @property
    def depth(self) -> float:
        """Levels of 6-input tables; no whole number, since neighbouring layers share tables."""
        return log(self.fan_in, 6)


def _split(x):
    """The coefficients of A^L, A^H and A^L + A^H for all A = A^L + A^H x^half, side by side."""
    half = len(x) // 2
    return [Cat(low, high, low ^ high) for low, high in zip(x[:half], x[half:], strict=True)]


def _split_operands(ab):
    half = len(ab) // 2
    return _split(ab[:half]) + _split(ab[half:])


def _schoolbook(ab):
    """A * B, by all products of a bit of A and a bit of B."""
    w = len(ab) // 2
    return [parity([ab[i] & ab[w + k - i] for i in range(max(0, k - w + 1), min(k + 1, w))]) for k in range(2 * w - 1)]


def _join(c):
    """A^L B^L + (A^L B^L + A^H B^H + (A^L + A^H)(B^L + B^H)) x^w + A^H B^H x^2w, from the three products.

    Summed in turn, in the given order: a balanced tree maps to more tables.
    """
    n, w = len(c[0]) // 3, (len(c) + 1) // 2
    low, high, mid = ([v[j * n : (j + 1) * n] for v in c] for j in range(3))
    result = [*low, None, *high]
    for k in range(2 * w - 1):
        first = [] if result[w + k] is None else [result[w + k]]
        result[w + k] = reduce(xor, [*first, low[k], high[k], mid[k]])
    return result


def _sums(v, terms: int):
    """Each of the products side by side, added to the next ``terms`` - 1 products."""
    return [parity([c[t::terms] for t in range(terms)]) for c in v]


def layers(field: BinaryField, leaf: int, terms: int = 1) -> list[Layer]:
    """The steps of a product: halving the operands down to ``leaf`` bits, multiplying, joining, reducing.

    With ``terms``, of a sum of ``terms`` products, which are added before they are joined.

    Source: Karatsuba and Ofman 1962; the formula as in Chakraborty et al., IEEE TC 62(2), appendix A.
    """
    w, n, result = field.width, terms, []
    while w > leaf:
        w, n = w // 2, n * 3
        result.append(Layer(f"operands{w}", 2, 2 * w * n, True, _split_operands))
    result.append(Layer(f"product{w}", 2 * w, (2 * w - 1) * n, n > 1, _schoolbook))
    if terms > 1:
        n //= terms
        result.append(Layer(f"sum{w}", terms, (2 * w - 1) * n, False, partial(_sums, terms=terms)))
    while n > 1:
        w, n = w * 2, n // 3
        result.append(Layer(f"product{w}", 4, (2 * w - 1) * n, False, _join))
    fan_in = max(map(len, field.residue_terms(range(2 * w - 1))))
    result.append(Layer("reduced", fan_in, w, False, lambda c: [field.reduce(c)]))
    return result


def place(chain: list[Layer], stages: int, input_depth: float = 0) -> tuple[int, ...]:
    """Where the ``stages`` register levels stand: for each, the number of layers before it; 0 is at the input.

    The last one is behind the last layer. All further registers are placed for the least depth of the deepest stage;
    but as long as it is no deeper than twice the layers' share of a stage, few registers among the split operands count
    more, for they cost area. Then the second deepest stage decides, and so on; among equals the earliest place, which
    is smallest.
    """
    depth = [*accumulate((layer.depth for layer in chain), initial=input_depth)]
    enough = round(2 * (depth[-1] - input_depth) / stages)

    def cost(cuts):
        ends = [0, *(depth[k] for k in cuts), depth[-1]]
        deep = sorted((ceil(b - a - 1e-9) for a, b in pairwise(ends)), reverse=True)
        return max(deep[0], enough), sum(k > 0 and chain[k - 1].splits for k in cuts), deep, cuts

    return *min(combinations(range(len(chain)), min(stages, len(chain)) - 1), key=cost), len(chain)


class Multiplier(wiring.Component):
    """``o = i.a * i.b`` in ``field``, by Karatsuba's recursion down to products of ``leaf`` bits.

    ``a`` and ``b`` are ``terms`` elements side by side, and ``o`` is the sum of their products.

    ``input_depth`` is the depth, in levels of 6-input tables, of what stands before ``i`` in the same cycle: the
    first stage then gets less. ``cuts`` says where the registers stand (see :func:`place`).

    Timing: latency ``stages``, interval 1, never stalls. With ``ahead``, a port of that name has the product a cycle
            earlier, before the last register.
    Cost:   (width / leaf)^log2(3) products of leaf^2 AND gates a term; joins and reduction once; registers: the bits
            of the layers that are cut.
    Paths:  none combinational from input to output; the output comes from registers.
    Source: Chakraborty et al., IEEE TC 62(2), appendix A.
    Security: time does not depend on the operands; no masking.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(
        self,
        field: BinaryField = GF128,
        *,
        stages: int = 4,
        leaf: int = 4,
        input_depth: float = 0,
        ahead: bool = False,
        terms: int = 1,
    ):
        quotient = field.width // leaf if leaf in LEAVES else 0
        if leaf not in LEAVES:
            raise ValueError(f"leaf must be one of {', '.join(map(str, LEAVES))}, got {leaf!r}")
        if quotient * leaf != field.width or quotient & quotient - 1:
            raise ValueError(f"leaf must be the field's width {field.width} divided by a power of two, got {leaf!r}")
        if stages not in STAGES:
            raise ValueError(f"stages must be from {STAGES[0]} to {STAGES[-1]}, got {stages!r}")
        if input_depth < 0:
            raise ValueError(f"input_depth must not be negative, got {input_depth!r}")
        if terms < 1:
            raise ValueError(f"terms must be 1 or more, got {terms!r}")
        self.field = field
        self.stages = stages
        self.leaf = leaf
        self.input_depth = input_depth
        self.timing = Timing(latency=stages, interval=1)
        self.terms = terms
        self.layers = layers(field, leaf, terms)
        self.cuts = place(self.layers, stages, input_depth)
        operands = data.StructLayout({"a": terms * field.width, "b": terms * field.width})
        streams = FixedLatency(operands, field.width)
        super().__init__({**streams.members, **({"ahead": Out(field.width)} if ahead else {})})

    def elaborate(self, platform):
        m = Module()
        if platform == OUTLINE:
            return m
        pipeline = Pipeline(m, valid=self.i.valid)

        def named(name, values):
            signals = {f"{name}_{k}": Signal(len(v), name=f"{name}_{k}") for k, v in enumerate(values)}
            m.d.comb += [signal.eq(v) for signal, v in zip(signals.values(), values, strict=True)]
            return signals

        live = {f"input_{k}": bits for k, bits in enumerate(self._inputs())}
        for done, layer in enumerate([None, *self.layers]):
            if layer:
                live = named(layer.name, layer.apply([*live.values()]))
            if done in self.cuts:
                pipeline.cut(**live)
                live = pipeline.live
        while pipeline.depth < self.stages:  # a small field has fewer layers than stages
            pipeline.cut(**live)
            live = pipeline.live
        assert pipeline.depth == self.timing.latency
        m.d.comb += [self.o.valid.eq(pipeline.valid), self.o.payload.eq(Cat(live.values()))]
        if "ahead" in self.signature.members:
            m.d.comb += self.ahead.eq(Cat(pipeline.ahead.values()))
        return m

    def _inputs(self) -> list[Value]:
        """The bits of ``a``, then of ``b``, each beside the bits of all further terms."""
        if self.terms == 1:
            return list(Value.cast(self.i.payload))
        w = self.field.width
        return [operand[k::w] for operand in (self.i.payload.a, self.i.payload.b) for k in range(w)]
