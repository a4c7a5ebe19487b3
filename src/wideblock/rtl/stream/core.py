# SPDX-License-Identifier: Apache-2.0
"""A core of any kind as a value: the base of the behaviours and cycle contracts of all kinds."""

from typing import Protocol, TypeVar

from .behaviour import Figure
from .influence import Influence

__all__ = ["CoreBehaviour", "CycleContract"]


class CycleContract(Protocol):
    """Cycles of a core.

    holds:    inputs for which the cycles hold, in words
    interval: of ``usual`` bytes more in a stream
    zeroize:  ``zeroize`` (or reset) to the end of clearing
    """

    @property
    def holds(self) -> str: ...
    @property
    def interval(self) -> int: ...
    @property
    def zeroize(self) -> int: ...
    def figures(self) -> tuple[Figure, ...]:
        """The figures in order."""
        ...


T_co = TypeVar("T_co", bound=CycleContract, covariant=True)


class CoreBehaviour(Protocol[T_co]):
    """Behaviour of a core at its ports.

    usual:      bytes for which ``timing.interval`` is stated
    influences: inputs, beside handshakes and controls, on which handshakes and status may depend
    """

    @property
    def usual(self) -> int: ...
    @property
    def timing(self) -> T_co: ...
    @property
    def influences(self) -> tuple[Influence, ...]: ...
