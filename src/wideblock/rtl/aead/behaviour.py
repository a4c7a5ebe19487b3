# SPDX-License-Identifier: Apache-2.0
"""The behaviour of an authenticated cipher at its ports as a value."""

from collections.abc import Iterable
from dataclasses import dataclass

from wideblock.rtl.stream.behaviour import LengthClass
from wideblock.rtl.stream.influence import Influence

from .cipher import CipherShape
from .parameters import MOST_BYTES
from .timing import AeadTiming

__all__ = ["AeadBehaviour"]


@dataclass(frozen=True)
class AeadBehaviour:
    """Facts of a core for checks and datasheets, beside the interface.

    shape:      sizes of key, nonce, tag and block, in bytes
    ad_bytes:   of the longest associated data; if the core releases at once, of their longest segment
    data_bytes: of the longest message, or segment of a message
    timing:     the cycle contract
    influences: inputs, beside handshakes and controls, on which handshakes may depend
    remains:    registers and memories of the cipher, as patterns of names, that keep a value of the last message until
                the next message, ``zeroize`` or a reset
    """

    shape: CipherShape
    ad_bytes: int
    data_bytes: int
    timing: AeadTiming
    influences: tuple[Influence, ...] = ()
    remains: tuple[str, ...] = ()

    @property
    def at_once(self) -> bool:
        """Whether plaintext leaves before its verdict."""
        return self.timing.at_once

    @property
    def longest_ad(self) -> int:
        """Bytes of the longest associated data."""
        return self.ad_bytes if self.timing.segment is None else MOST_BYTES

    def longest(self, *, decrypt: bool) -> int:
        """Bytes of the longest message in a direction. Held plaintext is bounded by the result buffer."""
        return MOST_BYTES if self.at_once or self.timing.segment and not decrypt else self.data_bytes

    @property
    def usual(self) -> int:
        """Bytes for which ``timing.interval`` is stated: a block."""
        return self.shape.block

    @property
    def classes(self) -> tuple[LengthClass, ...]:
        """The classes of lengths of a message, and of associated data as ``tweaks``.

        Each class has an end of message and of associated data: nothing, a partial block, or whole blocks.
        """
        block = self.shape.block
        some = {
            "part of a block": range(1, block),
            "a block": (block,),
            "blocks and part of one": [n for n in range(block + 1, 4 * block) if n % block],
            "whole blocks": range(2 * block, 4 * block + 1, block),
            "none": (0,),
        }
        ads = ("blocks and part of one", "none", "a block", "part of a block", "whole blocks")
        pairs, most = zip(some, ads, strict=True), self.longest(decrypt=True)
        return tuple(LengthClass(name, _upto(some[name], most), _upto(some[ad], self.longest_ad)) for name, ad in pairs)


def _upto(sizes: Iterable[int], most: int) -> tuple[int, ...]:
    """The sizes, or the most bytes in their place where they are more."""
    return tuple(sorted({min(size, most) for size in sizes}))
