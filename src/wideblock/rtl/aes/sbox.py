# SPDX-License-Identifier: Apache-2.0
"""The S-box of AES and its inverse, four ways, on every byte of a state at once; none is a copied table.

lut        a table read combinationally: 32 six-input LUTs and their wide multiplexers a byte on LUT6 devices
composite  inversion in GF(((2^2)^2)^2): the smallest in gates and in four-input LUTs
norm       inversion by the norm to GF(2^4): an eighth larger than composite in a core, at three quarters of its depth
bram       a synchronous ROM, two bytes a block RAM: costs no LUT, and its read is a pipeline register
"""

from collections.abc import Collection, Sequence

from amaranth import Cat, Module, Signal, Value
from amaranth.lib.memory import Memory

from wideblock.rtl.aes.composite import composite_steps
from wideblock.rtl.aes.forms import GATES, KINDS
from wideblock.rtl.aes.gf256 import inverses, table
from wideblock.rtl.aes.norm import norm_steps
from wideblock.rtl.aes.planes import LayerPart, Planes, applied, by_way, from_planes, named, to_planes

__all__ = [
    "affine",
    "inv_affine",
    "inv_sub_bytes",
    "rom",
    "sbox_steps",
    "sub_bytes",
]


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
    """The affine map of SubBytes, after the inversion. Source: FIPS 197, 5.1.1."""
    sums = [planes[i] ^ planes[i - 4] ^ planes[i - 3] ^ planes[i - 2] ^ planes[i - 1] for i in range(8)]
    return [~x if 0x63 >> i & 1 else x for i, x in enumerate(sums)]


def inv_affine(planes: Sequence[Value]) -> Planes:
    """Its inverse. Source: FIPS 197, 5.3.2."""
    sums = [planes[i - 6] ^ planes[i - 3] ^ planes[i - 1] for i in range(8)]
    return [~x if 0x05 >> i & 1 else x for i, x in enumerate(sums)]


def _lut_steps(rows: Sequence[int], halves: bool) -> list[LayerPart]:
    """The table as one step, or as two: both ``halves`` that the top bit chooses between, and the choice."""

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

    return [LayerPart(3, both), LayerPart(1, choose)] if halves else [LayerPart(4, whole)]


def _either_lut_steps() -> list[LayerPart]:
    """S-box or inverse by a table of 1 / a, with an affine map behind or before the table."""

    def before(m, live, name):
        return {"s": by_way(live, [live["s"], inv_affine(live["s"])])}

    def after(m, live, name):
        y = [named(m, f"{name}_y{b}", plane) for b, plane in enumerate(live["s"])]
        return {"s": by_way(live, [affine(y), y])}

    return [LayerPart(2, before), *_lut_steps(inverses(), halves=False), LayerPart(2, after)]


def sbox_steps(kind: str, inverse: bool | None = False, *, halves: bool = False) -> list[LayerPart]:
    """The S-box or its inverse, of a kind without a clock.

    For None the S-box, or the inverse where plane ``way`` is high, which the steps keep: the inversion in GF(2^8)
    serves both. With ``halves`` a table is two steps.
    """
    if kind not in GATES:
        raise ValueError(f"kind must be one of {', '.join(GATES)}, got {kind!r}")
    if kind != "lut":
        steps = (composite_steps if kind == "composite" else norm_steps)(inverse)
    elif inverse is None:
        steps = _either_lut_steps()
    else:
        steps = _lut_steps(table(inverse), halves)
    return [step.keeping("way") for step in steps] if inverse is None else steps


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


def _layer(m, state, kind, name, inverse, cuts=()):
    state = Value.cast(state)
    if kind == "bram":
        return rom(m, state, name, inverse=inverse)
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    live = {"s": [named(m, f"{name}_i{b}", x) for b, x in enumerate(to_planes(state))]}
    live = applied(m, live, sbox_steps(kind, inverse), f"{name}_", cuts=cuts)
    return named(m, f"{name}_o", from_planes(live["s"]))


def sub_bytes(m: Module, state, kind: str, name: str, *, cuts: Collection[int] = ()) -> Signal:
    """SubBytes of a state of any number of bytes. Behind the steps with the numbers ``cuts`` stand registers.

    Timing: a cycle for each of these, else combinational; ``bram`` one cycle.
    Source: FIPS 197, 5.1.1.
    """
    return _layer(m, state, kind, name, False, cuts)


def inv_sub_bytes(m: Module, state, kind: str, name: str, *, cuts: Collection[int] = ()) -> Signal:
    """InvSubBytes of a state of any number of bytes, likewise.

    Timing: that of :func:`sub_bytes`.
    Source: FIPS 197, 5.3.2.
    """
    return _layer(m, state, kind, name, True, cuts)
