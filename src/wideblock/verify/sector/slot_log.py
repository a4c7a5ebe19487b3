# SPDX-License-Identifier: Apache-2.0
"""The keys of a core with slots over time, from accepted commands."""

from collections.abc import Sequence

from wideblock.drive.sector.traffic import Key
from wideblock.rtl.stream.behaviour import Cause, KeyRule

__all__ = ["SlotLog"]


class SlotLog:
    """Keys of ``slots`` slots, each of ``size`` bytes; ``rule`` says which are refused.

    taken:   (cycle, command) of each command that was accepted, in order
    cleared: (from, to) of each zeroize and reset: the first cycle, and that after the last
    refused: (cycle, cause) of each command without effect, except commands lost by a clear
    """

    def __init__(
        self,
        slots: int,
        taken: Sequence[tuple[int, Key]],
        cleared: Sequence[tuple[int, int]],
        size: int,
        rule: KeyRule,
    ):
        self._states: list[tuple[int, dict[int, bytes]]] = [(-1, {})]
        self.refused: list[tuple[int, Cause]] = []
        clears = sorted(cleared)
        for at, key in taken:
            while clears and clears[0][0] <= at:
                self._states.append((clears.pop(0)[1] - 1, {}))
            if any(first <= at < end for first, end in cleared):
                continue
            now = dict(self._states[-1][1])
            if key.slot >= slots or (key.slot in now) != key.evict:
                self.refused.append((at, Cause.KEY_SLOT))
            elif key.evict:
                del now[key.slot]
            elif rule is KeyRule.HALVES_DIFFER and key.key[: size // 2] == key.key[size // 2 :]:
                self.refused.append((at, Cause.KEY))
            else:
                now[key.slot] = key.key
            self._states.append((at, now))
        self._states += [(end - 1, {}) for _, end in clears]

    def key(self, slot: int, cycle: int) -> bytes | None:
        """The key of a slot for a sector with the first beat accepted in ``cycle``, or None for an empty slot."""
        return next((now for at, now in reversed(self._states) if at < cycle), {}).get(slot)
