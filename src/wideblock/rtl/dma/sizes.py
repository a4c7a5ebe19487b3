# SPDX-License-Identifier: Apache-2.0
"""Sizes of the master's queues, and the layouts of its queues' rows."""

from dataclasses import dataclass

from amaranth.lib import data

from wideblock.rtl.bus.axi4 import ADDRESS_BITS
from wideblock.rtl.stream.sector import SLOT_BITS, TWEAK_BITS

__all__ = ["BLOCK_ADDRESS_BITS", "BLOCK_BITS", "BLOCK_BYTES", "SEGMENT_BITS", "DmaSizes"]

BLOCK_BYTES = 16
"""Bytes of a block, of which addresses are multiples."""

BLOCK_BITS = 8 * BLOCK_BYTES

BLOCK_ADDRESS_BITS = ADDRESS_BITS - 4
"""Bits of the number of a block in memory."""

SEGMENT_BITS = 28
"""Bits of the blocks of a segment."""

_BYTE_BITS = 25  # of the longest unit of any core
_UNITS_BITS = 16


@dataclass(frozen=True)
class DmaSizes:
    """Sizes of the parts of a master; powers of two.

    reads:  bursts of data that are read at a time
    writes: bursts without a response
    burst:  beats of a burst, at most
    jobs:   jobs under way
    units:  units in the engine
    tweak_bits: of a unit's tweak
    """

    reads: int = 4
    writes: int = 16
    burst: int = 64
    jobs: int = 16
    units: int = 32
    tweak_bits: int = TWEAK_BITS

    @property
    def rows(self) -> int:
        """Rows of the buffer of what was read: all bursts under way have a place."""
        return self.reads * self.burst

    @property
    def job_bits(self) -> int:
        """Bits of the number of a job.

        There are more numbers than jobs: blocks of a job that has failed may be in the buffer when the job is complete.
        They are dropped, one a cycle, long before a job has the same number.
        """
        return self.place_bits + 4

    @property
    def place_bits(self) -> int:
        """Bits of the place of a job among those under way, the low bits of the number."""
        return (self.jobs - 1).bit_length()

    @property
    def total_bits(self) -> int:
        """Bits of the blocks of a job."""
        return _BYTE_BITS + _UNITS_BITS - 4

    @property
    def read(self) -> data.StructLayout:
        """A job for the reader: ``blocks`` from block ``source`` of memory, or from the list of ``segments`` there."""
        place = {"source": BLOCK_ADDRESS_BITS, "blocks": self.total_bits, "segments": 16}
        return data.StructLayout({"job": self.job_bits, **place})

    @property
    def feed(self) -> data.StructLayout:
        """A job for the feeder: ``units`` of ``blocks``, of whose last block ``tail`` bytes count, 0 for all."""
        sizes = {"job": self.job_bits, "blocks": _BYTE_BITS - 4, "tail": 4, "units": _UNITS_BITS}
        return data.StructLayout(
            sizes | {"tweak": max(self.tweak_bits, TWEAK_BITS), "step": 32, "slot": SLOT_BITS, "decrypt": 1}
        )

    @property
    def write(self) -> data.StructLayout:
        """A job for the writer, to byte ``address``, or to the list of ``segments`` there.

        With a ``status`` the job was refused, for the byte ``address``.
        """
        sizes = {"job": self.job_bits, "blocks": _BYTE_BITS - 4, "units": _UNITS_BITS, "cookie": 32, "status": 4}
        return data.StructLayout(sizes | {"address": ADDRESS_BITS, "segments": 16})

    @property
    def finished(self) -> data.StructLayout:
        """A job all of whose bursts have begun: ``issued`` counts them, ``good`` the units before the first fault."""
        sizes = {"job": self.job_bits, "cookie": 32, "status": 4, "cause": 5, "address": ADDRESS_BITS}
        return data.StructLayout(sizes | {"good": _UNITS_BITS, "issued": self.count_bits})

    @property
    def count_bits(self) -> int:
        """Bits of a counter of bursts: more than twice those that can be under way, with a margin."""
        return 16
