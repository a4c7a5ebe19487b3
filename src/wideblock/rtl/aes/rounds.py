# SPDX-License-Identifier: Apache-2.0
"""A round of AES on planes, as steps, and the best places of registers between steps."""

from collections.abc import Sequence
from functools import partial
from itertools import combinations, pairwise

from amaranth import Cat, Module, Value

from wideblock.rtl.aes.forms import GATES, KINDS, ROUNDS
from wideblock.rtl.aes.planes import LayerPart, Planes, chosen, named, to_planes
from wideblock.rtl.aes.sbox import sbox_steps

__all__ = [
    "add_round_key",
    "check_parameters",
    "check_whole_keys",
    "cut_places",
    "either_sbox_steps",
    "either_steps",
    "inv_shift_rows",
    "mirror_columns",
    "mix_columns_steps",
    "mix_steps",
    "round_key",
    "shift_rows",
    "unmirror",
    "unmix_steps",
    "whiten_either",
]

WRAPPED = (1, 3, 4)
"""Bits, besides bit 0, to which doubling adds bit 7: x^8 = x^4 + x^3 + x + 1."""


def check_parameters(key_bits: int, sbox: str, kinds: Sequence[str] = KINDS) -> None:
    if key_bits not in ROUNDS:
        raise ValueError(f"key_bits must be one of {', '.join(map(str, ROUNDS))}, got {key_bits!r}")
    if sbox not in kinds:
        raise ValueError(f"sbox must be one of {', '.join(kinds)}, got {sbox!r}")


def check_whole_keys(key_bits: int, sbox: str) -> None:
    """As :func:`check_parameters`, for a part whose S-boxes are gates and whose key is whole round keys."""
    check_parameters(key_bits, sbox, kinds=GATES)
    if key_bits % 128:
        raise ValueError(f"key_bits must be 128 or 256, whole round keys, got {key_bits!r}")


def round_key(round_keys: Value, index: int, lanes: int = 1) -> Planes:
    """Planes of round key ``index`` of all round keys side by side, for as many blocks as there are ``lanes``."""
    return [plane.replicate(lanes) for plane in to_planes(round_keys, 128 * index, 128 * index + 128)]


def _permute(planes: Sequence[Value], source) -> Planes:
    """Byte ``k`` of each block of the result is its byte ``source(k)``: wires."""
    return [Cat(plane[block + source(k)] for block in range(0, len(plane), 16) for k in range(16)) for plane in planes]


def _rows(planes: Sequence[Value], by: int) -> Planes:
    """Each byte replaced by the byte ``by`` rows below in the column; of whole columns."""
    return [Cat(plane[k // 4 * 4 + (k + by) % 4] for k in range(len(plane))) for plane in planes]


def shift_rows(planes: Sequence[Value]) -> Planes:
    """Row r turned left by r columns. Source: FIPS 197, 5.1.2."""
    return _permute(planes, lambda k: (k + 4 * (k % 4)) % 16)


def inv_shift_rows(planes: Sequence[Value]) -> Planes:
    """Row r turned right by r columns. Source: FIPS 197, 5.3.1."""
    return _permute(planes, lambda k: (k - 4 * (k % 4)) % 16)


def mirror_columns(planes: Sequence[Value]) -> Planes:
    """Column c in the place of column -c mod 4; so ShiftRows does to rows what InvShiftRows did."""
    return _permute(planes, lambda k: (k % 4 - 4 * (k // 4)) % 16)


def _name(m: Module, planes: Sequence[Value], name: str) -> Planes:
    return [named(m, f"{name}{b}", plane) for b, plane in enumerate(planes)]


def _pair_sums(m: Module, s: Planes, name: str) -> Planes:
    """Each byte plus the byte below."""
    return _name(m, [a ^ b for a, b in zip(s, _rows(s, 1), strict=True)], f"{name}_x")


def _wrap(m, live, name):
    """2 (a + b) in the bits where doubling wraps, for each byte a and the byte b below it.

    A bit of 2 a + 3 b + c + d and of the round key has six terms, one LUT6, or eight where doubling wraps. Four of
    those eight summed apart leave five.
    """
    s = _name(m, live["s"], f"{name}_s")
    x = _pair_sums(m, s, name)
    return {"s": s, "w": [named(m, f"{name}_w{b}", x[b - 1] ^ x[7]) for b in WRAPPED]}


def _mix(m, live, name, *, key):
    """MixColumns from the bytes and their wrapped sums, plus ``key``."""
    s = _name(m, live["s"], f"{name}_s")
    x = _pair_sums(m, s, name)
    doubled = x[7:] + x[:7]
    for b, w in zip(WRAPPED, live["w"], strict=True):
        doubled[b] = w
    below = _rows(s, 1)
    if key is not None:
        below = _name(m, [b ^ k for b, k in zip(below, key, strict=True)], f"{name}_k")
    return {"s": [d ^ cd ^ b for d, cd, b in zip(doubled, _rows(x, 2), below, strict=True)]}


def add_round_key(m, live, name, *, key):
    """State plus ``key``, in planes."""
    return {"s": [s ^ k for s, k in zip(live["s"], key, strict=True)]}


def _unmix(m, live, name, *, key):
    """AddRoundKey, then times {04} x^2 + {05}, which MixColumns completes to InvMixColumns.

    Source: FIPS 197, 5.3.3; {0b} x^3 + {0d} x^2 + {09} x + {0e} is the product of the two mod x^4 + 1.
    """
    s = _name(m, [s ^ k for s, k in zip(live["s"], key, strict=True)], f"{name}_k")
    return {"s": [a ^ b for a, b in zip(s, _four(m, s, name), strict=True)]}


def _four(m: Module, s: Planes, name: str) -> Planes:
    """Times {04} x^2 + {04}."""
    x = _name(m, [a ^ b for a, b in zip(s, _rows(s, 2), strict=True)], f"{name}_y")
    x67 = named(m, f"{name}_y67", x[6] ^ x[7])
    return [x[6], x67, x[0] ^ x[7], x[1] ^ x[6], x[2] ^ x67, x[3] ^ x[7], x[4], x[5]]


def mix_columns_steps() -> list[LayerPart]:
    """Steps of MixColumns alone."""
    return [LayerPart(1, _wrap), LayerPart(2, partial(_mix, key=None))]


def mix_steps(key: Planes, *, last: bool) -> list[LayerPart]:
    """Steps of MixColumns and AddRoundKey; the last round has no MixColumns, but as many steps."""
    if last:
        return [LayerPart(1, lambda m, live, name: live), LayerPart(2, partial(add_round_key, key=key))]
    return [LayerPart(1, _wrap), LayerPart(2, partial(_mix, key=key))]


def unmix_steps(key: Planes, *, last: bool) -> list[LayerPart]:
    """Steps of AddRoundKey and InvMixColumns, likewise."""
    if last:
        return [LayerPart(2, partial(add_round_key, key=key)), *[LayerPart(1, lambda m, live, name: live)] * 2]
    return [LayerPart(2, partial(_unmix, key=key)), *mix_columns_steps()]


def either_steps(key: Planes, inverse_key: Planes, *, last: bool) -> list[LayerPart]:
    """Steps of a round after the S-boxes for blocks of either direction: plane ``way`` is high for decryption.

    To encrypt, MixColumns and AddRoundKey of ``key``; to decrypt, AddRoundKey of ``inverse_key`` and InvMixColumns.
    """

    def either_key(m, live, name):
        (d,) = live["way"]
        return {**add_round_key(m, live, name, key=chosen(d, inverse_key, key)), "way": [d]}

    def unmix(m, live, name):
        (d,) = live["way"]
        s = _name(m, [s ^ (d & k) for s, k in zip(live["s"], inverse_key, strict=True)], f"{name}_k")
        return {"s": [a ^ (d & b) for a, b in zip(s, _four(m, s, name), strict=True)], "way": [d]}

    def mix(m, live, name):
        (d,) = live["way"]
        return {**_mix(m, live, name, key=_name(m, [~d & k for k in key], f"{name}_k")), "way": [d]}

    if last:
        return [LayerPart(2, either_key), *[LayerPart(1, lambda m, live, name: live)] * 2]
    return [
        LayerPart(3, unmix),
        LayerPart(1, lambda m, live, name: {**_wrap(m, live, name), "way": live["way"]}),
        LayerPart(2, mix),
    ]


def either_sbox_steps(kind: str) -> list[LayerPart]:
    """Steps of SubBytes and ShiftRows for blocks of either direction, those to decrypt with their columns mirrored.

    So ShiftRows serves both.
    """
    *steps, last = sbox_steps(kind, None)

    def shifted(m, live, name):
        out = last.apply(m, live, name)
        return {**out, "s": shift_rows([named(m, f"{name}_u{b}", plane) for b, plane in enumerate(out["s"])])}

    return [*steps, LayerPart(last.levels, shifted)]


def whiten_either(way: Value, block: Planes, first: Planes, mirrored_last: Planes) -> Planes:
    """The block plus the first round key, or where ``way`` is high mirrored, plus the last one, mirrored, too."""
    mirrored = [s ^ k for s, k in zip(mirror_columns(block), mirrored_last, strict=True)]
    return chosen(way, mirrored, [s ^ k for s, k in zip(block, first, strict=True)])


def unmirror(way: Value, s: Planes) -> Planes:
    """The state with its columns in order again, where ``way`` is high."""
    return chosen(way, mirror_columns(s), s)


def cut_places(levels: Sequence[int], stages: int, *, first: int | None = None) -> set[int]:
    """Steps before a register, for the least depth of the deepest of ``stages`` stages.

    The last step always ends a stage; of equal choices the later registers are taken, where fewer bits are live. The
    register behind the first stage is after step ``first``, if given, or after an earlier step.
    """
    if not 1 <= stages <= len(levels):
        raise ValueError(f"stages must be from 1 to {len(levels)}, got {stages!r}")

    def depths(places):
        edges = [0, *(p + 1 for p in places), len(levels)]
        return sorted((sum(levels[a:b]) for a, b in pairwise(edges)), reverse=True)

    choices = combinations(range(len(levels) - 1), stages - 1)
    if first is not None:
        choices = (places for places in choices if not places or places[0] <= first)
    return {*min(choices, key=lambda places: (depths(places), [-p for p in places])), len(levels) - 1}
