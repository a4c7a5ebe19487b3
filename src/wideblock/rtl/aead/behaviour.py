# SPDX-License-Identifier: Apache-2.0
"""The behaviour of an authenticated cipher at its ports as a value."""

from dataclasses import dataclass

from wideblock.rtl.stream.influence import Influence

from .cipher import CipherShape
from .timing import AeadTiming

__all__ = ["AeadBehaviour"]


@dataclass(frozen=True)
class AeadBehaviour:
    """Everything that a check or a datasheet must know of such a core beside its interface.

    shape:      sizes of key, nonce, tag and block, in bytes
    ad_bytes:   of the longest associated data
    data_bytes: of the longest message
    timing:     the cycle contract
    influences: inputs, beside handshakes and controls, on which handshakes may depend
    remains:    registers and memories of the cipher, as patterns of their names, that keep a value of the last message
                until the next one, ``zeroize`` or a reset
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
