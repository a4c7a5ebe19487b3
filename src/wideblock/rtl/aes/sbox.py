# SPDX-License-Identifier: Apache-2.0
"""The S-box of AES and its inverse, three ways, on every byte of a state at once.

A state is ``planes``: eight values, plane ``b`` holding bit ``b`` of each byte, so that one operation on a plane is one
gate in every byte of the state. All three kinds are derived here from the definition; none is a copied table.

lut        a table read combinationally: 32 six-input LUTs and their wide multiplexers a byte on LUT6 devices
composite  inversion in GF(((2^2)^2)^2): the smallest in gates and in four-input LUTs
bram       a synchronous ROM, two bytes a block RAM: costs no LUT, and its read is a pipeline register
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

from amaranth import Cat, Module, Signal, Value
from amaranth.lib.memory import Memory

__all__ = [
    "KINDS",
    "Step",
    "affine",
    "inv_affine",
    "inversion_steps",
    "table",
    "to_planes",
    "from_planes",
    "named",
    "sub_bytes",
    "inv_sub_bytes",
    "lut_steps",
    "composite_steps",
    "rom",
]

KINDS = ("lut", "composite", "bram")

Planes = list[Value]


# ------------------------------------------------------------------------------------------------ definition


def _mul8(a: int, b: int) -> int:
    """``a * b`` in GF(2^8) mod x^8 + x^4 + x^3 + x + 1."""
    r = 0
    while b:
        r ^= a * (b & 1)
        a, b = (a << 1) ^ (0x11B if a & 0x80 else 0), b >> 1
    return r


def _affine(x: int) -> int:
    """The linear part of the S-box's affine map: bit i is the sum of bits i, i+4, i+5, i+6, i+7 (mod 8)."""
    return sum(
        ((x >> i ^ x >> (i + 4) % 8 ^ x >> (i + 5) % 8 ^ x >> (i + 6) % 8 ^ x >> (i + 7) % 8) & 1) << i
        for i in range(8)
    )


@cache
def table(inverse: bool = False) -> tuple[int, ...]:
    """The S-box as 256 bytes, from its definition.

    Source: FIPS 197, 5.1.1 and 5.3.2.
    """
    forward = [_affine(x) ^ 0x63 for x in _inverses()]
    if not inverse:
        return tuple(forward)
    return tuple(forward.index(y) for y in range(256))


@cache
def _inverses() -> tuple[int, ...]:
    """1 / a of every byte a; that of 0 is 0."""
    found = {0: 0} | {a: b for a in range(1, 256) for b in range(1, 256) if _mul8(a, b) == 1}
    return tuple(found[a] for a in range(256))


# ------------------------------------------------------------------------------------------------ planes


def to_planes(state) -> Planes:
    """Eight planes of a state of whole bytes."""
    state = Value.cast(state)
    if len(state) % 8:
        raise ValueError(f"state must be whole bytes, got {len(state)} bits")
    return [Cat(state[8 * k + b] for k in range(len(state) // 8)) for b in range(8)]


def from_planes(planes: Sequence[Value]) -> Value:
    """The state of eight planes."""
    return Cat(planes[b][k] for k in range(len(planes[0])) for b in range(8))


def named(m: Module, name: str, value) -> Signal:
    """``value`` as a signal, so that using it twice does not build it twice."""
    value = Value.cast(value)
    signal = Signal(len(value), name=name)
    m.d.comb += signal.eq(value)
    return signal


@dataclass(frozen=True)
class Step:
    """A piece of a layer that no register may split: named groups of planes in, named groups of planes out.

    levels: logic depth, in LUTs of four inputs
    """

    levels: int
    apply: Callable[[Module, dict[str, Planes], str], dict[str, Planes]]


# ------------------------------------------------------------------------------------------------ lut


def _read(m: Module, address: Planes, rows: Sequence[int], name: str) -> Planes:
    """``rows`` looked up by each byte of ``address``: one table with a combinational read port a byte."""
    memory = Memory(shape=8, depth=len(rows), init=rows, attrs={"rom_style": "logic"})
    m.submodules[f"{name}_table"] = memory
    size = len(address)
    flat = named(m, f"{name}_address", Cat(plane[k] for k in range(len(address[0])) for plane in address))
    out = []
    for at in range(0, len(flat), size):
        port = memory.read_port(domain="comb")
        m.d.comb += port.addr.eq(flat[at : at + size])
        out.append(port.data)
    return [named(m, f"{name}_y{b}", Cat(value[b] for value in out)) for b in range(8)]


def affine(planes: Sequence[Value]) -> Planes:
    """What makes SubBytes of the inverses of bytes. Source: FIPS 197, 5.1.1."""
    sums = [planes[i] ^ planes[i - 4] ^ planes[i - 3] ^ planes[i - 2] ^ planes[i - 1] for i in range(8)]
    return [~x if 0x63 >> i & 1 else x for i, x in enumerate(sums)]


def inv_affine(planes: Sequence[Value]) -> Planes:
    """Its inverse. Source: FIPS 197, 5.3.2."""
    sums = [planes[i - 6] ^ planes[i - 3] ^ planes[i - 1] for i in range(8)]
    return [~x if 0x05 >> i & 1 else x for i, x in enumerate(sums)]


def inversion_steps(kind: str) -> list[Step]:
    """What the S-box and its inverse have in common: 1 / a of every byte a, as a table or in gates."""
    if kind == "composite":
        return composite_steps(None)
    return [Step(4, lambda m, live, name: {"s": _read(m, live["s"], _inverses(), name)})]


def lut_steps(inverse: bool = False, *, halves: bool = False) -> list[Step]:
    """The table as one step, or as two: both ``halves`` that the top bit chooses between, and the choice."""
    rows = table(inverse)

    def whole(m, live, name):
        return {"s": _read(m, live["s"], rows, name)}

    def both(m, live, name):
        *address, top = live["s"]
        return {
            "low": _read(m, address, rows[:128], f"{name}_low"),
            "high": _read(m, address, rows[128:], f"{name}_high"),
            "top": [top],
        }

    def choose(m, live, name):
        top = live["top"][0]
        return {"s": [(top & high) | (~top & low) for low, high in zip(live["low"], live["high"], strict=True)]}

    return [Step(3, both), Step(1, choose)] if halves else [Step(4, whole)]


# ------------------------------------------------------------------------------------------------ composite


@dataclass(frozen=True)
class _Tower:
    """GF(((2^2)^2)^2), each step by X^2 + X + N in the normal basis (X, X^q), so that X + X^q = 1 and X X^q = N.

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
        """The eight roots of x^8 + x^4 + x^3 + x + 1: one and its squares."""

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
    """The linear map with these columns, applied to a vector whose entries are the sums ``rows``."""
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


def _shared_sums(rows: Sequence[int], inputs: int) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Sums shared greedily: pairs to add, in order, each a new term; and the terms left in each row (one or none).

    Source: Paar, "Optimized arithmetic for Reed-Solomon encoders", ISIT 1997.
    """
    terms = [{j for j in range(inputs) if row >> j & 1} for row in rows]
    pairs: list[tuple[int, int]] = []
    while any(len(t) > 1 for t in terms):
        count: dict[tuple[int, int], int] = {}
        for t in terms:
            for pair in combinations(sorted(t), 2):
                count[pair] = count.get(pair, 0) + 1
        best = max(count, key=lambda pair: (count[pair], -max(pair)))
        new = inputs + len(pairs)
        pairs.append(best)
        for t in terms:
            if t.issuperset(best):
                t.difference_update(best)
                t.add(new)
    return pairs, [sorted(t) for t in terms]


@dataclass(frozen=True)
class _Composite:
    """An S-box as: affine map in, inversion in ``tower``, affine map out (both as rows, and constants to add)."""

    tower: _Tower
    into: tuple[int, ...]
    into_constant: int
    out: tuple[int, ...]
    out_constant: int


@cache
def _composite(inverse: bool | None) -> _Composite:
    """The tower and the isomorphism with the fewest additions, over all of this shape; for None without affine map.

    An isomorphism is fixed by the image of x: any of the eight roots of the AES polynomial in the tower.
    """
    affine = _transpose([_affine(1 << i) for i in range(8)], 8)
    found = []
    for n1, n2 in product(range(4), range(16)):
        tower = _Tower((1, n1, n2))
        if any(tower.mul(1, r, r) ^ r == n1 for r in range(4)) or any(tower.mul(2, r, r) ^ r == n2 for r in range(16)):
            continue  # X^2 + X + N has a root: no field
        for g in tower.roots():
            powers = [tower.one(3)]
            for _ in range(7):
                powers.append(tower.mul(3, powers[-1], g))
            into = _transpose(powers, 8)
            out = _invert(into)
            if inverse:
                into = _compose(into, _invert(affine))
                constants = _times(into, 0x63), 0
            elif inverse is None:
                constants = 0, 0
            else:
                out = _compose(affine, out)
                constants = 0, 0x63
            adds = sum(len(_shared_sums(rows, 8)[0]) for rows in (into, out))
            adds += sum(row.bit_count() for row in tower.scaled_square(2))
            found.append((adds, tower.norms, g, _Composite(tower, tuple(into), constants[0], tuple(out), constants[1])))
    return min(found, key=lambda item: item[:3])[3]


def _times(rows: Sequence[int], x: int) -> int:
    return sum(((row & x).bit_count() & 1) << i for i, row in enumerate(rows))


def _linear(m: Module, x: Sequence[Value], rows: Sequence[int], name: str, constant: int = 0) -> Planes:
    """``rows`` times the vector of planes ``x``, plus ``constant``."""
    pairs, left = _shared_sums(rows, len(x))
    terms = list(x)
    for a, b in pairs:
        terms.append(named(m, f"{name}_x{len(terms)}", terms[a] ^ terms[b]))
    zero = Value.cast(0).replicate(len(x[0]))
    out = [terms[t[0]] if t else zero for t in left]
    return [~value if constant >> i & 1 else value for i, value in enumerate(out)]


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


def composite_steps(inverse: bool | None = False) -> list[Step]:
    """Five steps: into the tower, norm to GF(2^4), its inverse, product with the conjugate, out of the tower.

    For None they are the inversion alone, without the affine map.

    Cost: 36 AND and about 110 XOR a byte.
    Source: the inverse of a0 Y + a1 Y^q is (a1 Y + a0 Y^q) / (a0 a1 + N (a0 + a1)^2), at each floor of the tower.
    """
    box = _composite(inverse)
    tower = box.tower

    def norm(m, level, a0, a1, name):
        """a0 a1 + N (a0 + a1)^2, at the floor of a0 and a1."""
        products = _ands(m, a0, a1, name)
        both = [named(m, f"{name}_b{i}", x ^ y) for i, (x, y) in enumerate(zip(a0, a1, strict=True))]
        matrices = zip(tower.products(level), tower.scaled_square(level), strict=True)
        rows = [p | s << len(products) for p, s in matrices]
        return _linear(m, products + both, rows, name)

    def into(m, live, name):
        return {"t": _linear(m, live["s"], box.into, name, box.into_constant)}

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
            "e": _linear(m, _ands(m, e_inverse, d[2:], f"{name}_p"), rows, f"{name}_p")
            + _linear(m, _ands(m, e_inverse, d[:2], f"{name}_q"), rows, f"{name}_q"),
        }

    def multiply(m, live, name):
        t = live["t"]
        e = [named(m, f"{name}_e{i}", e) for i, e in enumerate(live["e"])]
        rows = tower.products(2)
        return {
            "u": _linear(m, _ands(m, e, t[4:], f"{name}_p"), rows, f"{name}_p")
            + _linear(m, _ands(m, e, t[:4], f"{name}_q"), rows, f"{name}_q")
        }

    def out(m, live, name):
        return {"s": _linear(m, live["u"], box.out, name, box.out_constant)}

    return [Step(2, into), Step(3, to_norm), Step(1, invert), Step(2, multiply), Step(2, out)]


# ------------------------------------------------------------------------------------------------ bram


def rom(m: Module, state: Value, name: str, *, inverse: bool = False) -> Signal:
    """The S-box of each byte of ``state``, one cycle later.

    Cost: a dual-port block RAM for two bytes.
    """
    out = Signal(len(state), name=f"{name}_rom")
    for k in range(0, len(state) // 8, 2):
        memory = Memory(shape=8, depth=256, init=table(inverse), attrs={"ram_style": "block", "rom_style": "block"})
        m.submodules[f"{name}_rom{k}"] = memory
        for j in range(k, min(k + 2, len(state) // 8)):
            port = memory.read_port(domain="sync")
            m.d.comb += [port.addr.eq(state[8 * j : 8 * j + 8]), out[8 * j : 8 * j + 8].eq(port.data)]
    return out


# ------------------------------------------------------------------------------------------------ layers


def _layer(m, state, kind, name, inverse):
    state = Value.cast(state)
    if kind == "bram":
        return rom(m, state, name, inverse=inverse)
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    live = {"s": [named(m, f"{name}_i{b}", x) for b, x in enumerate(to_planes(state))]}
    for i, step in enumerate((lut_steps if kind == "lut" else composite_steps)(inverse)):
        out = step.apply(m, live, f"{name}_{i}")
        live = {key: [named(m, f"{name}_{i}_{key}{b}", x) for b, x in enumerate(planes)] for key, planes in out.items()}
    return named(m, f"{name}_o", from_planes(live["s"]))


def sub_bytes(m: Module, state, kind: str, name: str) -> Signal:
    """SubBytes of a state of any number of bytes.

    Timing: none, combinational; ``bram`` one cycle.
    Source: FIPS 197, 5.1.1.
    """
    return _layer(m, state, kind, name, False)


def inv_sub_bytes(m: Module, state, kind: str, name: str) -> Signal:
    """InvSubBytes of a state of any number of bytes.

    Timing: none, combinational; ``bram`` one cycle.
    Source: FIPS 197, 5.3.2.
    """
    return _layer(m, state, kind, name, True)
