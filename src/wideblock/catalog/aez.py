# SPDX-License-Identifier: Apache-2.0
"""Parts that the catalogue's files of both versions of AEZ share."""

from dataclasses import dataclass

from wideblock.errors import UserError
from wideblock.rtl.aead.parameters import AeadParameters
from wideblock.rtl.aes.forms import GATES
from wideblock.rtl.stream.parameters import parameter

__all__ = ["AezParameters", "pace"]


@dataclass(frozen=True, kw_only=True)
class AezParameters(AeadParameters):
    """Parameters of a core of AEZ."""

    tag_bytes: int = parameter(16, "bytes of the tag", tuple(range(2, 17)), absent=16)
    sbox: str = parameter("lut", "form of the AES S-box", GATES)
    rounds: int = parameter(1, "AES rounds: one, or four as a pipeline in which pairs of blocks overlap", (1, 4))
    columns: int = parameter(4, "columns of the AES a cycle: all four, or one of the smallest core", (1, 4), absent=4)

    def __post_init__(self):
        super().__post_init__()
        if self.columns == 1 and self.rounds > 1:
            raise UserError(f"rounds must be 1 with a column a cycle, got {self.rounds}")


def pace(p: AezParameters) -> str:
    """The rounds, as a phrase."""
    if p.columns == 1:
        return "a column of an AES round a cycle"
    return "an AES round a cycle" if p.rounds == 1 else "a pipeline of four AES rounds"
