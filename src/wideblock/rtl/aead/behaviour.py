# SPDX-License-Identifier: Apache-2.0
"""The behaviour of an authenticated cipher at its ports as a value."""

from collections.abc import Iterable
from dataclasses import dataclass

from wideblock.rtl.stream.behaviour import LengthClass
from wideblock.rtl.stream.influence import Influence

from .cipher import CipherShape
from .timing import AeadTiming

__all__ = ["AeadBehaviour"]


@dataclass(frozen=True)
class AeadBehaviour:
    """Facts of a core for checks and datasheets, beside the interface.

    shape:      sizes of key, nonce, tag and block, in bytes
    ad_bytes:   of the longest associated data
    data_bytes: of the longest message
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
        pairs = zip(some, ads, strict=True)
        return tuple(
            LengthClass(name, _upto(some[name], self.data_bytes), _upto(some[ad], self.ad_bytes)) for name, ad in pairs
        )


def _upto(sizes: Iterable[int], most: int) -> tuple[int, ...]:
    """The sizes, or the most bytes in their place where they are more."""
    return tuple(sorted({min(size, most) for size in sizes}))
