# SPDX-License-Identifier: Apache-2.0
"""Values that several stages of hash-counter-hash share."""

from dataclasses import dataclass
from typing import Any

from amaranth import Module, Signal, Value

from wideblock.rtl.hash.unit import HashPass, HashUnit
from wideblock.rtl.stream.stages import Stages
from wideblock.rtl.stream.storage import Ring, Slots

from ..parameters import HashedParameters
from .equations import BACK, FRONT, Structure
from .placement import Placement

__all__ = ["Beat", "Carried", "Entering", "Frame", "Single", "Start", "Step", "Tags"]


@dataclass(frozen=True)
class Carried:
    """Values that a sector carries from the stage that makes them to those that use them.

    tweak, direction, X: of the input, X the first ``specials`` blocks
    R, G, Z, B, W, inner, outer: see :class:`Equations`; None where the scheme has no such value
    Q:                   right operand of the product ``FRONT.Q``
    shared:              result of ``FRONT.shared``
    sector, result:      rings of the input and of the counter mode's results, one a bank of the :class:`Placement`
    """

    tweak: Slots
    direction: Slots
    X: list[Slots]
    R: Slots
    G: Slots
    Z: Slots
    inner: Slots
    Q: Slots | None
    shared: Slots | None
    W: Slots | None
    B: Slots | None
    outer: Slots | None
    sector: list[Ring]
    result: list[Ring]

    @classmethod
    def of(
        cls,
        stages: Stages,
        p: HashedParameters,
        structure: Structure,
        place: Placement,
        front: HashUnit,
        back: HashUnit,
    ) -> "Carried":
        """The values of a scheme of that ``structure``, whose passes are in the units ``front`` and ``back``."""

        def ring(name: str) -> list[Ring]:
            names = [name] if place.banks == 1 else [f"{name}{bank}" for bank in range(place.banks)]
            return [stages.ring(n, 128 * p.width // place.banks) for n in names]

        return cls(
            tweak=stages.slots("tweak", 8 * p.tweak_bytes),
            direction=stages.slots("direction", 1),
            X=[stages.slots(f"X{k + 1}") for k in range(structure.specials)],
            R=stages.slots("R"),
            G=stages.slots("G"),
            Z=stages.slots("Z"),
            inner=stages.slots("inner"),
            Q=stages.slots("Q") if FRONT.Q in front.taps else None,
            shared=stages.slots("shared") if FRONT.shared in front.events else None,
            W=stages.slots("W") if structure.second_call else None,
            B=stages.slots("B") if structure.tweak_call else None,
            outer=stages.slots("outer") if BACK.tauW in back.events else None,
            sector=ring("sector_ring"),
            result=ring("result_ring"),
        )


@dataclass(frozen=True)
class Frame:
    """Shared by all stages. ``E``: results of the lanes; ``called``: that of lane 0, as single calls take it."""

    m: Module
    stages: Stages
    clear: Value
    front: HashPass
    back: HashPass
    E: list[Value]
    called: Value
    carried: Carried


@dataclass(frozen=True)
class Single:
    """The single call: its ``block`` enters lane 0 in the cycle of ``go``. ``sector`` is whose it is."""

    block: Value
    go: Value
    sector: Value
    decrypt: Value


@dataclass(frozen=True)
class Entering:
    """Flags that say what enters the lanes in a cycle, one of them at a time or none.

    single: the single call                      tweak: the tweak's call
    derive: a call of the key unit's derivations  step:  a step of the counter mode
    """

    single: Single
    derive: Value
    tweak: Value
    step: Value


@dataclass(frozen=True)
class Tags:
    """The flags of :class:`Entering` as their results are ``arriving``, one cycle away, and as they ``arrived``.

    ``called`` is the one of these that belongs to :attr:`Frame.called`.
    """

    arriving: Any
    arrived: Any
    called: Any


@dataclass(frozen=True)
class Start:
    """Values for the counter mode in the cycle in which the single call is back, and whose they are."""

    G: Value
    Z: Value
    sector: Value


@dataclass(frozen=True)
class Step:
    """The next step of the counter mode: its ``number`` in its ``sector``, whose Z and G are there if ``waiting``."""

    number: Signal
    sector: Value
    Z: Value
    G: Value
    waiting: Value


@dataclass(frozen=True)
class Beat:
    """A beat of results for the back hash."""

    data: Value
    valid: Value
