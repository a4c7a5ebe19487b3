# SPDX-License-Identifier: Apache-2.0
"""Offsets of E_K^{j,i}: small multiples of I, J and L, plus a power of two times one of them, made on the fly.

Source: Hoang, Krovetz, Rogaway, "AEZ v5" (2017), 1.5, E; AEZ v4.1, algorithm E, lines 403 to 408.
"""

from collections.abc import Mapping
from enum import Enum
from functools import reduce
from operator import xor
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.planes import named
from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.gf128.reading import WireReading

__all__ = ["Gates", "Offsets", "Power", "Tweak", "Version", "doubled", "doubles", "places"]


class Version(Enum):
    """Versions of AEZ; they differ in E alone."""

    V4 = "4.1"
    V5 = "5"

    @property
    def doublings(self) -> int:
        """Doublings of the first power: that of blocks or pairs 1 to 8."""
        return 3 if self is Version.V4 else 1


class Tweak(enum.Enum):
    """Pairs (j, i), by use.

    Numbers of blocks of associated data and of pairs are counted from ``done``, the number done.
    FIRST and SECOND: 1 and 2, or to decipher 2 and 1.
    """

    TAU = 0  # (3, 1)
    NONCE = 1  # (4, 0)
    AD_LOW = 2  # (5, 2 done + 1)
    AD_HIGH = 3  # (5, 2 done + 2)
    AD_SHORT = 4  # (5, 0)
    PAIR = 5  # (1, done + 1)
    NEXT = 6  # (1, done + 2)
    SECOND_LAYER = 7  # (2, done + 1)
    INNER = 8  # (0, 0)
    X_FIRST = 9  # (0, FIRST)
    X_SECOND = 10  # (0, SECOND)
    Y_FIRST = 11  # (-1, FIRST)
    Y_SECOND = 12  # (-1, SECOND)
    HASH_U = 13  # (0, 4)
    HASH_V = 14  # (0, 5)
    MASK_U = 15  # (-1, 4)
    MASK_V = 16  # (-1, 5)
    PRF = 17  # (-1, 3)
    TINY = 18  # (0, 6)
    TINIER = 19  # (0, 7), of strings below 16 bytes
    PARITY = 20  # (0, 3)


class Power(enum.Enum):
    """Next value of the power of two.

    FIRST_AD, FIRST:   I for messages, and J for the associated data of v4.1
    DOUBLE:            times two
    AFTER_4, AFTER_8:  times two after that number of pairs of blocks of associated data, or pairs of a message
    """

    KEEP = 0
    FIRST_AD = 1
    FIRST = 2
    DOUBLE = 3
    AFTER_4 = 4
    AFTER_8 = 5


def doubled(m: Module, name: str, x: Value) -> Value:
    """Two times a block."""
    element = named(m, f"{name}_element", WireReading.BE.element(x))
    return WireReading.BE.block(named(m, f"{name}_doubled", GF128.double(element)))


def places(done: Value, decrypt: Value, brief: bool) -> Mapping[Tweak, tuple[int, Any]]:
    """j and i of each tweak; i as an int, or its three low bits as a value. ``brief``: with tweaks of brief strings."""
    first, second = Cat(~decrypt, decrypt, Const(0, 1)), Cat(decrypt, ~decrypt, Const(0, 1))
    fixed = {
        Tweak.TAU: (3, 1),
        Tweak.NONCE: (4, 0),
        Tweak.AD_SHORT: (5, 0),
        Tweak.INNER: (0, 0),
        Tweak.HASH_U: (0, 4),
        Tweak.HASH_V: (0, 5),
        Tweak.MASK_U: (-1, 4),
        Tweak.MASK_V: (-1, 5),
        Tweak.PRF: (-1, 3),
        Tweak.TINY: (0, 6),
    }
    return {
        **fixed,
        **({Tweak.TINIER: (0, 7), Tweak.PARITY: (0, 3)} if brief else {}),
        Tweak.AD_LOW: (5, (2 * done + 1)[:3]),
        Tweak.AD_HIGH: (5, (2 * done + 2)[:3]),
        Tweak.PAIR: (1, (done + 1)[:3]),
        Tweak.NEXT: (1, (done + 2)[:3]),
        Tweak.SECOND_LAYER: (2, (done + 1)[:3]),
        Tweak.X_FIRST: (0, first),
        Tweak.X_SECOND: (0, second),
        Tweak.Y_FIRST: (-1, first),
        Tweak.Y_SECOND: (-1, second),
    }


_NUMBERED = {Tweak.TAU, Tweak.AD_LOW, Tweak.AD_HIGH, Tweak.PAIR, Tweak.NEXT, Tweak.SECOND_LAYER}
"""Tweaks with i of any size from 1 up, where j is from 1 up."""


def _multiples_v5(tweak: Tweak, j: int, i: Any) -> tuple[Any, Any, Any, bool]:
    """Multiples of I, J and L, and whether the power is added."""
    if j == -1:
        return 0, 0, i, False
    if tweak is Tweak.TAU:
        return 2, j, i, False
    if tweak in _NUMBERED:
        return 0, j, i, True
    return (2 if not isinstance(i, int) or i else 1), j, i, False


def _multiples_v4(tweak: Tweak, j: int, i: Any) -> tuple[Any, Any, Any, bool]:
    """Multiples of I, J and L, and whether the power is added."""
    if j == -1:
        return 0, i, 0, False
    if j == 0:
        return i, 0, 0, False
    low = (i - 1) % 8 if isinstance(i, int) else (i - 1)[:3]
    if j < 3:
        return low, 0, 0, True
    return 0, low if tweak in _NUMBERED else 0, 1 << j - 3, tweak in _NUMBERED


class Gates:
    """Terms of the next value of an offset: ``parts`` of I, J and L, and the ``power``; ``first``: no doubled value."""

    def __init__(self, m: Module, version: Version, tweak: Value, bit: Value, of: Mapping[Tweak, tuple[int, Any]]):
        n = [Signal(3, name=f"n_{part}") for part in "IJL"]  # multiples
        with_power = Signal()
        multiples = _multiples_v4 if version is Version.V4 else _multiples_v5
        with m.Switch(tweak):
            for name, (j, i) in of.items():
                with m.Case(name):
                    *values, power = multiples(name, j, i)
                    m.d.comb += [signal.eq(value) for signal, value in zip(n, values, strict=True)]
                    m.d.comb += with_power.eq(power)
        chosen = [Mux(bit == 3, x[2], Mux(bit == 2, x[1], x[0])) for x in n]
        self.parts = [named(m, f"gate_{part}", x) for part, x in zip("IJL", chosen, strict=True)]
        self.first = named(m, "first", bit == 3)
        self.power = named(m, "added", with_power & (bit == 1))


def doubles(power: Value, done: Value) -> Value:
    """Whether the power is doubled, ``done`` pairs of blocks done."""
    return (
        (power == Power.DOUBLE)
        | ((power == Power.AFTER_4) & (done[:2] == 3))
        | ((power == Power.AFTER_8) & (done == 7))
    )


class Offsets(wiring.Component):
    """``offset`` of ``tweak`` after three steps by Horner's rule: ``bit`` is 3, 2 and 1; 0 keeps it.

    The power, 2^k I or 2^k J, is a register changed by ``power`` in any cycle. ``done``: number of pairs of blocks
    done, low bits.

    brief: strings of AEZ-tiny may be below 16 bytes

    Timing: a step a cycle; ``offset`` is a register.
    Cost:   256 registers, a sum of six blocks.
    Security: no cycle depends on key or data.
    """

    def __init__(self, version: Version, *, brief: bool = False):
        self.version, self.brief = version, brief
        super().__init__(
            {
                "I": In(128),
                "J": In(128),
                "L": In(128),
                "tweak": In(Tweak),
                "bit": In(2),
                "power": In(Power),
                "done": In(3),
                "decrypt": In(1),
                "enable": In(1),
                "clear": In(1),
                "offset": Out(128),
            }
        )

    def elaborate(self, platform):
        m = Module()
        P = self._power(m)
        gates = Gates(m, self.version, self.tweak, self.bit, places(self.done, self.decrypt, self.brief))
        terms = [part & gate.replicate(128) for part, gate in zip((self.I, self.J, self.L), gates.parts, strict=True)]
        twice = doubled(m, "offset", self.offset) & ~gates.first.replicate(128)
        with m.If(self.enable & (self.bit != 0)):
            m.d.sync += self.offset.eq(reduce(xor, [twice, *terms, P & gates.power.replicate(128)]))
        with m.If(self.clear):
            m.d.sync += self.offset.eq(0)
        return m

    def _power(self, m: Module) -> Signal:
        """The power of two times I or J."""
        P = Signal(128, reset_less=True)
        of_ad = self.J if self.version is Version.V4 else self.I
        doubling = doubles(self.power, self.done)
        with m.If(self.enable):
            with m.If(self.power == Power.FIRST_AD):
                m.d.sync += P.eq(of_ad)
            with m.Elif(self.power == Power.FIRST):
                m.d.sync += P.eq(self.I)
            with m.Elif(doubling):
                m.d.sync += P.eq(doubled(m, "power", P))
        with m.If(self.clear):
            m.d.sync += P.eq(0)
        return P
