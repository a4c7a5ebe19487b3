# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of an engine: the contract of the core, and the cycles of commands, window and self-test."""

from dataclasses import dataclass, fields

from wideblock.rtl.stream.behaviour import Figure, SectorTiming

__all__ = ["EngineTiming"]


@dataclass(frozen=True)
class EngineTiming(SectorTiming):
    """Figures of the core and of the engine; ``setup`` and ``eviction`` of the core are parts of load and unload.

    load:     EXE to DONE, for a load into an empty slot; one cycle more for each message whose blocks are added as the
              state of the slot is written
    refused:  EXE to DONE, for a refused command
    unload:   EXE to DONE, for an unload, at most, while results are accepted
    window:   START of the window to its end, at most, while the user's stream is idle
    selftest: reset to the end of the self-test, at most, while the user's stream is idle

    A write takes effect a cycle after address and word are accepted; the response is valid a cycle later.
    """

    load: int = 0
    refused: int = 0
    unload: int = 0
    window: int = 0
    selftest: int = 0

    @classmethod
    def of(cls, core: SectorTiming, **more: int) -> "EngineTiming":
        """The contract of ``core``, with ``more`` figures, or figures in place of the core's."""
        own = {field.name: getattr(core, field.name) for field in fields(SectorTiming)}
        return cls(**(own | {"key_words": 1} | more))

    def figures(self) -> tuple[Figure, ...]:
        """The figures in order."""
        own = [figure for figure in super().figures() if figure.name not in ("setup", "eviction")]
        return (
            *own,
            Figure("load", self.load, "EXE written to DONE, of a load of a slot without a key", exact=False),
            Figure("refused", self.refused, "EXE written to DONE, of a command that is refused"),
            Figure("unload", self.unload, "EXE written to DONE, of an unload, while results are taken", exact=False),
            Figure("window", self.window, "START to the end of a sector through the window", exact=False),
            Figure("selftest", self.selftest, "reset to the end of the self-test", exact=False),
        )
