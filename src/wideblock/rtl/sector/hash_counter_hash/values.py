# SPDX-License-Identifier: Apache-2.0
"""Values that several stages of hash-counter-hash share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Mux, Value

from wideblock.rtl.hash.unit import HashPass, HashUnit
from wideblock.rtl.stream.stages import StageFrame, Stages
from wideblock.rtl.stream.storage import Ring, Slots

from ..parameters import HashedParameters
from ..steps import Steps
from .equations import BACK, FRONT, Structure
from .placement import Piece, Placement

__all__ = ["Beat", "Entering", "HchCarried", "HchFrame", "HchStep", "Single", "Start", "Tags"]


@dataclass(frozen=True)
class Pieces:
    """A block of the input, kept by pieces of beats."""

    slots: list[tuple[Piece, Slots]]

    @classmethod
    def of(cls, stages: Stages, name: str, pieces: Sequence[Piece]) -> "Pieces":
        """A block of each sector under way."""
        names = [name] if len(pieces) == 1 else [f"{name}_{k}" for k in range(len(pieces))]
        return cls([(piece, stages.slots(n, 8 * piece.size)) for piece, n in zip(pieces, names, strict=True)])

    def read(self, sector: Value) -> Value:
        """The block of ``sector``."""
        parts = [slots.read(sector) for _, slots in self.slots]
        return parts[0] if len(parts) == 1 else Cat(parts)


@dataclass(frozen=True)
class HchCarried:
    """Values of a sector between stages.

    tweak, direction, X: of the input, X the blocks known last
    icv:                 ICV of the input; None in a core without ICVs
    R, G, Z, B, W, inner, outer: see :class:`HchEquations`; None if no stage takes the value
    Q:                   right operand of the product ``FRONT.Q``
    shared:              result of ``FRONT.shared``
    sector, result:      rings of the input and of the counter mode's results, a ring a bank of the :class:`Placement`
    """

    tweak: Slots
    direction: Slots
    icv: Slots | None
    X: list[Pieces]
    R: Slots
    Z: Slots
    inner: Slots
    G: Slots | None
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
    ) -> "HchCarried":
        """The values of a scheme with ``structure``, with passes in the units ``front`` and ``back``."""

        def ring(name: str) -> list[Ring]:
            names = [name] if place.banks == 1 else [f"{name}{bank}" for bank in range(place.banks)]
            return [stages.ring(n, 128 * p.width // place.banks) for n in names]

        return cls(
            tweak=stages.slots("tweak", 8 * p.tweak_bytes),
            direction=stages.slots("direction", 1),
            icv=stages.slots("given_icv") if p.icv_bytes else None,
            X=[Pieces.of(stages, f"X{k}", pieces) for k, pieces in enumerate(place.specials, 1)],
            R=stages.slots("R"),
            G=None if structure.end_calls else stages.slots("G"),
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

    def known_last(self, sector: Value, decrypt: Value) -> list[Value]:
        """The last known blocks of ``sector``, behind the ICV, or zeros to encrypt, in a core with ICVs."""
        X = [block.read(sector) for block in self.X]
        return X if self.icv is None else [Mux(decrypt, self.icv.read(sector), 0), *X]

    @property
    def before(self) -> Slots:
        """The value that the back hash is added to."""
        return self.W or self.G or self.Z


@dataclass(frozen=True)
class HchFrame(StageFrame):
    """Shared by all stages. ``E``: results of the lanes; ``called``: result of lane 0, for single calls; ``beat``:
    blocks for the front hash.
    """

    front: HashPass
    back: HashPass
    E: list[Value]
    called: Value
    beat: list[Value]
    carried: HchCarried


@dataclass(frozen=True)
class Single:
    """The single call of ``sector``: ``block``, valid with ``go``.

    ``enters`` is ``go`` for a call in lane 0, else never high.
    """

    block: Value
    go: Value
    sector: Value
    decrypt: Value
    enters: Value


@dataclass(frozen=True)
class Entering:
    """Flags of the lanes' input in a cycle, at most one high.

    single: the single call                      tweak: the tweak's call
    derive: a call of the key unit's derivations  lane:  a step of the counter mode
    """

    single: Single
    derive: Value
    tweak: Value
    lane: Value


@dataclass(frozen=True)
class Tags:
    """The flags of :class:`Entering` as results are ``arriving``, one cycle away, and as results ``arrived``.

    ``called``: flags for :attr:`HchFrame.called`.
    """

    arriving: Any
    arrived: Any
    called: Any


@dataclass(frozen=True)
class Start:
    """Result of the single call, for the counter mode: G, Z and sector; valid while ``back``."""

    G: Value
    Z: Value
    sector: Value
    back: Value


@dataclass(frozen=True)
class HchStep:
    """The next step of the counter mode: the present step of ``sector`` in ``steps``; Z, G are valid while ``waiting``.

    G is None if no stage takes G.
    """

    steps: Steps
    sector: Value
    Z: Value
    G: Value | None
    waiting: Value


@dataclass(frozen=True)
class Beat:
    """A beat of results for the back hash."""

    data: Value
    valid: Value
