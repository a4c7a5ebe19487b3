# SPDX-License-Identifier: Apache-2.0
"""Parameters of authenticated ciphers behind the CAESAR Hardware API."""

from dataclasses import dataclass

from wideblock.errors import UserError
from wideblock.rtl.aes.forms import GATES
from wideblock.rtl.stream.parameters import Parameters, parameter

WORD_BITS = (32, 64, 128)
"""Widths of a word of the three ports."""

PORTS = ("caesar", "axi4-stream")
"""Forms of the ports: those of the CAESAR Hardware API, and AXI4-Stream with a packet for each message."""

RELEASES = ("verified", "at-once")
"""Moments at which the plaintext of a decryption leaves: after the verdict, or block by block before."""

MOST_BYTES = (1 << 32) - 1
"""Bytes of the longest message, and of the longest associated data, with ``release=at-once``."""

CAUTION = (
    "PLAINTEXT LEAVES BEFORE ITS VERDICT (release=at-once): until the status E it is UNVERIFIED, and a forger may "
    "choose it; if the status is F, all that left must be discarded. SP 800-38D, 7.2, gives no plaintext of a forgery."
)

__all__ = ["MOST_BYTES", "WORD_BITS", "AeadParameters", "AesHashParameters"]


@dataclass(frozen=True, kw_only=True)
class AeadParameters(Parameters):
    """Parameters that every such core has."""

    word_bits: int = parameter(32, "bits of a word of the three ports", WORD_BITS)
    ad_bytes: int = parameter(2047, "bytes of the longest associated data, up to 65535")
    data_bytes: int = parameter(2047, "bytes of the longest message, up to 65535")
    ports: str = parameter(
        "caesar", "form of the ports; axi4-stream has tlast at the ends of messages", PORTS, absent="caesar"
    )

    release: str = parameter(
        "verified",
        "moment at which plaintext leaves; at-once: UNVERIFIED, before the comparison of tags. ad_bytes and data_bytes "
        "are then of the longest segment, a message has up to 2^32 - 1 bytes",
        RELEASES,
        absent="verified",
    )

    @property
    def at_once(self) -> bool:
        """Whether results leave segment by segment, and a message may be longer than the result buffer."""
        return self.release == "at-once"

    @property
    def longest_ad(self) -> int:
        """Bytes of the longest associated data."""
        return MOST_BYTES if self.at_once else self.ad_bytes

    @property
    def longest_data(self) -> int:
        """Bytes of the longest message."""
        return MOST_BYTES if self.at_once else self.data_bytes

    @property
    def lengths(self) -> str:
        """Lengths of messages in words, for a summary."""
        unverified = ", plaintext UNVERIFIED" if self.at_once else ""
        return f"messages of up to {self.longest_data} bytes{unverified}"

    @property
    def caution(self) -> str:
        """The statement on plaintext before the verdict."""
        return CAUTION if self.at_once else ""

    @property
    def packets(self) -> bool:
        """Whether a flag marks the last word of each message."""
        return self.ports != "caesar"

    def __post_init__(self):
        super().__post_init__()
        for name, most in (("ad_bytes", self.ad_bytes), ("data_bytes", self.data_bytes)):
            if not 1 <= most <= 0xFFFF:
                raise UserError(f"{name} must be from 1 to 65535, got {most}")


@dataclass(frozen=True, kw_only=True)
class AesHashParameters(AeadParameters):
    """Parameters of a cipher of one AES, a round a cycle, and a hash with one serial field multiplier."""

    key_bits: int = parameter(128, "bits of the key", (128, 256))
    sbox: str = parameter("lut", "form of the AES S-box", GATES)
    mult_cycles: int = parameter(11, "cycles of a product of the field multiplier", (1, 2, 4, 6, 8, 10, 11))
