# SPDX-License-Identifier: Apache-2.0
"""Facts of an engine for the registers of all firmware, and codes of the registers."""

from dataclasses import dataclass

from wideblock.rtl.stream.behaviour import Fault

from .registers import REGISTER_BYTES

__all__ = ["GONE", "MOST_TWEAK_BYTES", "MOST_WINDOW_BYTES", "NOT_RUN", "EngineFacts"]

MOST_WINDOW_BYTES = 4096
"""Bytes of the longest sector for the window."""

MOST_TWEAK_BYTES = 252
"""Bytes of the longest tweak: whole words of which a number of 8 bits states the bytes."""

NOT_RUN = 255
"""Value of SELFTEST.FAILED if the test could not run because the slot holds a key."""

GONE = 31
"""Cause of a request of the window without a result, if no bit of ``fault`` tells the cause."""


@dataclass(frozen=True)
class EngineFacts:
    """Facts of a core with slots and of its engine on which the registers depend.

    scheme:       name of the scheme, at most 8 ASCII characters
    slots:        number of key slots
    key_bits:     bits of one AES key
    lanes:        blocks a step
    sector_bytes: bytes of the sectors of the cycle contract
    directions:   directions of the core; False: encryption, True: decryption
    tweak_bytes:  bytes of a tweak, the most if each request states them; a multiple of 4 up to 252
    window_bytes: bytes of the longest sector for the window, a multiple of 4; 0: no window
    faults:       causes, by their bit of ``fault``; at most 31
    tweak_offset: AUX may have an offset of tweaks
    shortest:     bytes of the shortest sector for the window
    tag_bits:     bits of a request's tag; 0: no tag
    header:       a request precedes the data, in separate beats
    usual_tweak:  bytes of a tweak that figures are for, if each request states them; None: all are of ``tweak_bytes``

    Raises ValueError for facts too large for the registers.
    """

    scheme: str
    slots: int
    key_bits: int
    lanes: int
    sector_bytes: int
    directions: tuple[bool, ...]
    tweak_bytes: int
    window_bytes: int
    faults: tuple[Fault, ...]
    tweak_offset: bool = False
    shortest: int = 16
    tag_bits: int = 0
    header: bool = False
    usual_tweak: int | None = None

    def __post_init__(self):
        name = self.scheme.encode()
        if not 1 <= len(name) <= 8 or not name.isascii():
            raise ValueError(f"the name of a scheme must be 1 to 8 ASCII characters, got {self.scheme!r}")
        if self.window_bytes % REGISTER_BYTES or not 0 <= self.window_bytes <= MOST_WINDOW_BYTES:
            raise ValueError(
                f"a window must be of a multiple of 4 bytes up to {MOST_WINDOW_BYTES}, got {self.window_bytes}"
            )
        if self.tweak_bytes % REGISTER_BYTES or not 0 <= self.tweak_bytes <= MOST_TWEAK_BYTES:
            raise ValueError(
                f"a tweak must be of a multiple of 4 bytes up to {MOST_TWEAK_BYTES}, got {self.tweak_bytes}"
            )
        if not 1 <= len(self.faults) <= 31:
            raise ValueError(f"there must be 1 to 31 causes of faults, got {len(self.faults)}")
        if not 2 <= self.slots < 1 << 16:
            raise ValueError(f"slots must be 2 to {(1 << 16) - 1}, got {self.slots}")
