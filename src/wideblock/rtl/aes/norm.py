# SPDX-License-Identifier: Apache-2.0
"""The S-box in few levels: inversion by the norm to GF(2^4).

1 / a = a^16 / a^17, where the norm a^17 is in GF(2^4), whose inverses are a table of four bits. a^16 is linear in a,
and so is a product with a constant. With e_j the coordinates of 1 / a^17 in a basis c_j of GF(2^4), and A the linear
map behind the inversion,

    A(1 / a) = sum over j of e_j L_j(a)        L_j(a) = A(c_j a^16)

The L_j wait for nothing but a: what is left behind the inverse in GF(2^4) is a sum of four products a bit.

Source: Itoh, Tsujii, "A fast algorithm for computing multiplicative inverses in GF(2^m) using normal bases", 1988, for
the norm.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations
from operator import xor

from amaranth import Value

from wideblock.rtl.aes import gf256
from wideblock.rtl.aes.planes import LayerPart, Planes, by_way, named

__all__ = ["norm_steps"]


@dataclass(frozen=True)
class _Norm:
    """An S-box as tables and linear forms; a form's bit k is the coefficient of bit k of the byte.

    Of an S-box for either way, all fields except ``inverse`` are of the S-box first, then of the inverse.
    norms:     coordinates of a^17, by the byte
    inverse:   coordinates e of 1 / d, by those of d
    forms:     bits of all L_j, one after another: form, and constant to add
    constants: what is added to the whole
    """

    norms: tuple[tuple[int, ...], ...]
    inverse: tuple[int, ...]
    forms: tuple[tuple[tuple[int, int], ...], ...]
    constants: tuple[int, ...]


def _power(a: int, n: int) -> int:
    return reduce(gf256.mul, [a] * n, 1)


def _span(basis: Sequence[int]) -> list[int]:
    """The elements by their coordinates."""
    return [reduce(xor, (b for j, b in enumerate(basis) if c >> j & 1), 0) for c in range(1 << len(basis))]


def _mixed(values: Sequence[int], i: int, k: int) -> int:
    """The form of the high half of the byte that bit k of the low half multiplies in bit ``i`` of a quadratic map."""
    low, none = values[1 << k], values[0]
    return sum(((values[1 << k | 1 << h] ^ low ^ values[1 << h] ^ none) >> i & 1) << h for h in range(4, 8))


def _halves(form: int) -> list[int]:
    """The parts of a form in the low and the high half of the byte."""
    return [part for part in (form & 0x0F, form & 0xF0) if part]


@cache
def _norm(inverse: bool | None) -> _Norm:
    """The two bases of GF(2^4) with the fewest sums; for None those of both ways."""
    forward = [gf256.affine(x) ^ 0x63 for x in range(256)]
    ways = (False, True) if inverse is None else (inverse,)
    before = {False: list(range(256)), True: [forward.index(x) for x in range(256)]}
    subfield = [a for a in range(1, 256) if _power(a, 15) == 1]
    bases = [basis for basis in combinations(subfield, 4) if len(set(_span(basis))) == 16]
    norms = {way: [_power(a, 17) for a in before[way]] for way in ways}
    conjugates = {way: [_power(a, 16) for a in before[way]] for way in ways}

    def sums(forms):
        """XORs of four inputs for the forms, those of a half shared."""
        parts = {part for form in forms for part in _halves(form)}
        return sum(part.bit_count() > 1 for part in parts) + sum(len(_halves(form)) > 1 for form in forms)

    def coordinates(basis):
        number = {element: c for c, element in enumerate(_span(basis))}
        return tuple(tuple(number[a] for a in norms[way]) for way in ways)

    def mixed(basis):
        return {_mixed(values, i, k) for values in coordinates(basis) for i in range(4) for k in range(4)}

    def forms(c, way):
        images = [gf256.mul(c, a) for a in conjugates[way]]
        images = images if way else [gf256.affine(a) for a in images]
        return tuple(
            (sum(((images[1 << k] ^ images[0]) >> i & 1) << k for k in range(8)), images[0] >> i & 1) for i in range(8)
        )

    of = {way: {c: forms(c, way) for c in subfield} for way in ways}
    norm_basis = min(bases, key=lambda b: sums(mixed(b)))
    basis = min(bases, key=lambda b: sums({form for way in ways for c in b for form, _ in of[way][c]}))
    inverses, elements = gf256.inverses(), _span(basis)
    return _Norm(
        norms=coordinates(norm_basis),
        inverse=tuple(elements.index(inverses[d]) for d in _span(norm_basis)),
        forms=tuple(tuple(form for c in basis for form in of[way][c]) for way in ways),
        constants=tuple(0 if way else 0x63 for way in ways),
    )


def _add(terms: Sequence[Value], constant: int = 0) -> Value:
    total = reduce(xor, terms)
    return ~total if constant else total


def _function(x: Planes, values: Sequence[int]) -> Value:
    """The Boolean function of the planes with these ``values``, by the last plane first."""
    low, high = values[: len(values) // 2], values[len(values) // 2 :]
    if len(set(values)) == 1:
        return Value.cast(values[0]).replicate(len(x[0]))
    if low == high:
        return _function(x[:-1], low)
    if len(values) == 2:
        return x[0] if high[0] else ~x[0]
    if all(a != b for a, b in zip(low, high, strict=True)):
        return x[-1] ^ _function(x[:-1], low)
    return (x[-1] & _function(x[:-1], high)) | (~x[-1] & _function(x[:-1], low))


def norm_steps(inverse: bool | None = False) -> list[LayerPart]:
    """Three steps: the norm and the linear forms, the inverse in GF(2^4), the sum of the products.

    For None they are the S-box, or the inverse where plane ``way`` is high: both norms and the forms of both are made,
    and chosen from.

    Cost: in a core an eighth more four-input LUTs than ``composite``, at three quarters of its depth; 36 registers a
          byte where one stands between the steps.
    """
    box = _norm(inverse)

    def to_norm(m, live, name):
        s = [named(m, f"{name}_s{b}", plane) for b, plane in enumerate(live["s"])]
        known: dict[int, Value] = {}

        def form(mask):
            if mask not in known:
                known[mask] = named(m, f"{name}_f{mask:02x}", _add([s[k] for k in range(8) if mask >> k & 1]))
            return known[mask]

        def coordinate(way, i):
            values = [norm >> i & 1 for norm in box.norms[way]]
            high = [value ^ values[0] for value in values[::16]]
            alone = [_function(s[:4], values[:16]), _function(s[4:], high)]
            mixed = [(s[k], mask) for k in range(4) if (mask := _mixed(box.norms[way], i, k))]
            products = [_add([bit & form(mask) for bit, mask in mixed[at : at + 2]]) for at in (0, 2) if mixed[at:]]
            return _add([named(m, f"{name}_{'di'[way]}{i}{n}", part) for n, part in enumerate(alone + products)])

        d = [[coordinate(way, i) for i in range(4)] for way in range(len(box.norms))]
        forms = [[_add([form(part) for part in _halves(mask)], flip) for mask, flip in row] for row in box.forms]
        return {"d": by_way(live, d), "l": by_way(live, forms)}

    def invert(m, live, name):
        d = [named(m, f"{name}_d{i}", plane) for i, plane in enumerate(live["d"])]
        return {"e": [_function(d, [e >> i & 1 for e in box.inverse]) for i in range(4)], "l": live["l"]}

    def multiply(m, live, name):
        e = [named(m, f"{name}_e{j}", plane) for j, plane in enumerate(live["e"])]
        out = []
        for i in range(8):
            terms = [e[j] & live["l"][8 * j + i] for j in range(4)]
            pairs = [named(m, f"{name}_p{i}{n}", terms[n] ^ terms[n + 1]) for n in (0, 2)]
            out.append(_add(pairs))
        return {"s": by_way(live, [[~s if c >> i & 1 else s for i, s in enumerate(out)] for c in box.constants])}

    return [LayerPart(2 + len(box.norms), to_norm), LayerPart(1, invert), LayerPart(2, multiply)]
