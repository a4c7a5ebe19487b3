# SPDX-License-Identifier: Apache-2.0
"""Parts that the catalogue's files of both versions of AEZ share."""

from dataclasses import dataclass

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


def pace(p: AezParameters) -> str:
    """The rounds, as a phrase."""
    return "an AES round a cycle" if p.rounds == 1 else "a pipeline of four AES rounds"
