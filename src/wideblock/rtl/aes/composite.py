# SPDX-License-Identifier: Apache-2.0
"""The S-box in the fewest gates: inversion in GF(((2^2)^2)^2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from amaranth import Module, Value

from wideblock.rtl.aes import gf256
from wideblock.rtl.aes.planes import LayerPart, Planes, by_way, named
from wideblock.rtl.linear import products, shared_sums

__all__ = ["composite_steps"]


@dataclass(frozen=True)
class _Tower:
    """GF(((2^2)^2)^2), each step by X^2 + X + N in the normal basis (X, X^q): X + X^q = 1 and X X^q = N.

    An element of 2k bits is a0 X + a1 X^q, with a0 in the low k bits. ``norms`` are the three N, from the bottom.
    """

    norms: tuple[int, int, int]

    def mul(self, level: int, a: int, b: int) -> int:
        if level == 0:
            return a & b
        k = 1 << (level - 1)
        a0, a1, b0, b1 = a & ((1 << k) - 1), a >> k, b & ((1 << k) - 1), b >> k
        cross = self.mul(level - 1, self.norms[level - 1], self.mul(level - 1, a0 ^ a1, b0 ^ b1))
        return self.mul(level - 1, a0, b0) ^ cross | (self.mul(level - 1, a1, b1) ^ cross) << k

    def one(self, level: int) -> int:
        return (1 << (1 << level)) - 1

    def roots(self) -> list[int]:
        """The eight roots of x^8 + x^4 + x^3 + x + 1: an element and the squares."""

        def image(g):
            g2 = self.mul(3, g, g)
            g4 = self.mul(3, g2, g2)
            return self.mul(3, g4, g4) ^ g4 ^ self.mul(3, g2, g) ^ g ^ self.one(3)

        found = [next(g for g in range(256) if image(g) == 0)]
        for _ in range(7):
            found.append(self.mul(3, found[-1], found[-1]))
        return found

    def products(self, level: int) -> list[int]:
        """Row ``i`` names the Karatsuba products (as bits, in the order of :func:`_sums`) whose sum is bit ``i``."""
        if level == 0:
            return [1]
        low, n = self.products(level - 1), 3 ** (level - 1)
        cross = _apply_rows(
            [self.mul(level - 1, self.norms[level - 1], 1 << i) for i in range(1 << (level - 1))],
            [row << 2 * n for row in low],
        )
        both = list(zip(low, cross, strict=True))
        return [r ^ c for r, c in both] + [r << n ^ c for r, c in both]

    def scaled_square(self, level: int) -> list[int]:
        """Rows of a -> N a^2 at ``level``, with the N of the step above it."""
        columns = [self.mul(level, self.norms[level], self.mul(level, 1 << i, 1 << i)) for i in range(1 << level)]
        return _transpose(columns, 1 << level)


def _transpose(columns: Sequence[int], height: int) -> list[int]:
    return [sum((c >> i & 1) << j for j, c in enumerate(columns)) for i in range(height)]


def _apply_rows(columns: Sequence[int], rows: Sequence[int]) -> list[int]:
    """The linear map of ``columns``, applied to a vector with entries ``rows``, sums."""
    out = [0] * len(rows)
    for column, row in zip(columns, rows, strict=True):
        for i in range(len(rows)):
            if column >> i & 1:
                out[i] ^= row
    return out


def _compose(outer: Sequence[int], inner: Sequence[int]) -> list[int]:
    """Rows of the product of two matrices given by rows."""
    out = []
    for row in outer:
        total = 0
        for j, inner_row in enumerate(inner):
            total ^= inner_row if row >> j & 1 else 0
        out.append(total)
    return out


def _invert(rows: Sequence[int]) -> list[int]:
    n = len(rows)
    work = [row | 1 << (n + i) for i, row in enumerate(rows)]
    for i in range(n):
        pivot = next(j for j in range(i, n) if work[j] >> i & 1)
        work[i], work[pivot] = work[pivot], work[i]
        for j in range(n):
            if j != i and work[j] >> i & 1:
                work[j] ^= work[i]
    return [row >> n for row in work]


@dataclass(frozen=True)
class _Affine:
    """An affine map: the rows of its matrix, and a constant to add."""

    rows: tuple[int, ...]
    constant: int


@dataclass(frozen=True)
class _Composite:
    """An S-box as: affine map in, inversion in ``tower``, affine map out. Of an S-box for either way both of each."""

    tower: _Tower
    into: tuple[_Affine, ...]
    out: tuple[_Affine, ...]


@cache
def _composite(inverse: bool | None) -> _Composite:
    """The tower and the isomorphism with the fewest additions, over all of this shape; for None those for either way.

    An isomorphism is fixed by the image of x: any of the eight roots of the AES polynomial in the tower.
    """
    affine = _transpose([gf256.affine(1 << i) for i in range(8)], 8)
    ways = (False, True) if inverse is None else (inverse,)
    found = []
    for n1, n2 in product(range(4), range(16)):
        tower = _Tower((1, n1, n2))
        if any(tower.mul(1, r, r) ^ r == n1 for r in range(4)) or any(tower.mul(2, r, r) ^ r == n2 for r in range(16)):
            continue  # X^2 + X + N has a root: no field
        for g in tower.roots():
            powers = [tower.one(3)]
            for _ in range(7):
                powers.append(tower.mul(3, powers[-1], g))
            to_tower = _transpose(powers, 8)
            from_tower = _invert(to_tower)
            before, behind = _compose(to_tower, _invert(affine)), _compose(affine, from_tower)
            into = {False: _Affine(tuple(to_tower), 0), True: _Affine(tuple(before), _times(before, 0x63))}
            out = {False: _Affine(tuple(behind), 0x63), True: _Affine(tuple(from_tower), 0)}
            made = _Composite(tower, tuple(into[way] for way in ways), tuple(out[way] for way in ways))
            adds = sum(len(shared_sums(_rows(maps), 8)[0]) for maps in (made.into, made.out))
            adds += sum(row.bit_count() for row in tower.scaled_square(2))
            found.append((adds, tower.norms, g, made))
    return min(found, key=lambda item: item[:3])[3]


def _rows(maps: Sequence[_Affine]) -> list[int]:
    return [row for each in maps for row in each.rows]


def _times(rows: Sequence[int], x: int) -> int:
    return sum(((row & x).bit_count() & 1) << i for i, row in enumerate(rows))


def _affine(m: Module, live: Mapping[str, Planes], group: str, maps: Sequence[_Affine], name: str) -> Planes:
    """The map of the planes of ``group``; of two maps the second one where plane ``way`` is high."""
    sums = products(m, live[group], _rows(maps), name)
    images = [
        [~value if each.constant >> i & 1 else value for i, value in enumerate(sums[8 * k : 8 * k + 8])]
        for k, each in enumerate(maps)
    ]
    return by_way(live, images)


def _sums(m: Module, a: Sequence[Value], name: str) -> Planes:
    """The operands of a Karatsuba product: those of the low half, of the high half, and of their sum."""
    if len(a) == 1:
        return list(a)
    half = len(a) // 2
    both = [named(m, f"{name}_{half}{i}", a[i] ^ a[i + half]) for i in range(half)]
    return _sums(m, a[:half], f"{name}l") + _sums(m, a[half:], f"{name}h") + _sums(m, both, f"{name}m")


def _ands(m: Module, a: Sequence[Value], b: Sequence[Value], name: str) -> Planes:
    pairs = zip(_sums(m, a, f"{name}_l"), _sums(m, b, f"{name}_r"), strict=True)
    return [named(m, f"{name}_a{i}", x & y) for i, (x, y) in enumerate(pairs)]


def composite_steps(inverse: bool | None = False) -> list[LayerPart]:
    """Five steps: into the tower, norm to GF(2^4), its inverse, product with the conjugate, out of the tower.

    For None they are the S-box, or the inverse where plane ``way`` is high.

    Cost: 36 AND and about 110 XOR a byte.
    Source: the inverse of a0 Y + a1 Y^q is (a1 Y + a0 Y^q) / (a0 a1 + N (a0 + a1)^2), at each floor of the tower.
    """
    box = _composite(inverse)
    tower = box.tower

    def norm(m, level, a0, a1, name):
        """a0 a1 + N (a0 + a1)^2, at the floor of a0 and a1."""
        terms = _ands(m, a0, a1, name)
        both = [named(m, f"{name}_b{i}", x ^ y) for i, (x, y) in enumerate(zip(a0, a1, strict=True))]
        matrices = zip(tower.products(level), tower.scaled_square(level), strict=True)
        rows = [p | s << len(terms) for p, s in matrices]
        return products(m, terms + both, rows, name)

    def into(m, live, name):
        return {"t": _affine(m, live, "s", box.into, name)}

    def to_norm(m, live, name):
        t = live["t"]
        return {"t": t, "d": norm(m, 2, t[:4], t[4:], name)}

    def invert(m, live, name):
        d = [named(m, f"{name}_d{i}", d) for i, d in enumerate(live["d"])]
        e = norm(m, 1, d[:2], d[2:], f"{name}_n")
        e_inverse = [named(m, f"{name}_e{i}", e[1 - i]) for i in range(2)]  # in GF(4), a square: a swap
        rows = tower.products(1)
        return {
            "t": live["t"],
            "e": products(m, _ands(m, e_inverse, d[2:], f"{name}_p"), rows, f"{name}_p")
            + products(m, _ands(m, e_inverse, d[:2], f"{name}_q"), rows, f"{name}_q"),
        }

    def multiply(m, live, name):
        t = live["t"]
        e = [named(m, f"{name}_e{i}", e) for i, e in enumerate(live["e"])]
        rows = tower.products(2)
        return {
            "u": products(m, _ands(m, e, t[4:], f"{name}_p"), rows, f"{name}_p")
            + products(m, _ands(m, e, t[:4], f"{name}_q"), rows, f"{name}_q")
        }

    def out(m, live, name):
        return {"s": _affine(m, live, "u", box.out, name)}

    affine = 1 + len(box.into)  # levels, with that of the choice
    return [
        LayerPart(affine, into),
        LayerPart(3, to_norm),
        LayerPart(1, invert),
        LayerPart(2, multiply),
        LayerPart(affine, out),
    ]
