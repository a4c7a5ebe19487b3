# SPDX-License-Identifier: Apache-2.0
"""What a sector core is built from, and what it promises in cycles."""

from dataclasses import dataclass

from wideblock.rtl.aes.sbox import KINDS

__all__ = ["Parameters", "SectorTiming"]


@dataclass(frozen=True)
class Parameters:
    """Parameters of a sector core.

    scheme:       name of the enciphering scheme
    hash:         "brw" or "horner"
    sector_bytes: bytes a sector, a multiple of 16 * width
    width:        blocks a beat of the streams
    lanes:        AES pipelines; divides width
    overlap:      a second hash unit lets a sector's passes overlap its neighbours'
    key_bits:     128 or 256
    mult_stages:  register levels of the field multiplier, 1 to 8
    round_stages: registers of one AES round, 1 to 4
    sbox:         "lut", "composite", "norm" or "bram"
    squares:      "stored" or "on-the-fly": where the powers of tau that BRW takes come from
    leaf:         bits of the multiplier's smallest schoolbook products
    order:        "natural", or "paper": BRW takes the blocks of HEH and HMCH in the order of the paper's schedule,
                  which is another function
    direction:    "both", or of a single-pass scheme "encrypt" or "decrypt" alone
    """

    scheme: str = "fast"
    hash: str = "brw"
    sector_bytes: int = 4096
    width: int = 2
    lanes: int = 2
    overlap: bool = False
    key_bits: int = 128
    mult_stages: int = 4
    round_stages: int = 1
    sbox: str = "lut"
    squares: str = "stored"
    leaf: int = 4
    order: str = "natural"
    direction: str = "both"

    @property
    def m(self) -> int:
        """Blocks a sector."""
        return self.sector_bytes // 16

    @property
    def beats(self) -> int:
        """Beats a sector."""
        return self.m // self.width

    def __post_init__(self):
        def one_of(name, allowed):
            value = getattr(self, name)
            if value not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(map(str, allowed))}, got {value!r}")

        one_of("hash", ("brw", "horner"))
        one_of("width", (1, 2, 4, 8))
        one_of("lanes", (1, 2, 4, 8))
        one_of("overlap", (False, True))
        one_of("key_bits", (128, 256))
        one_of("mult_stages", tuple(range(1, 9)))
        one_of("round_stages", (1, 2, 3, 4))
        one_of("sbox", KINDS)
        one_of("squares", ("stored", "on-the-fly"))
        one_of("leaf", (2, 4, 8, 16))
        one_of("order", ("natural", "paper"))
        if self.order == "paper" and (self.scheme not in ("heh", "hmch") or self.hash != "brw"):
            raise ValueError(
                f"the paper's order is one of heh and hmch with brw; order must be natural for {self.scheme} with "
                f"{self.hash}, got {self.order!r}"
            )
        one_of("direction", ("both", "encrypt", "decrypt"))
        if self.hash == "horner" and self.squares != "stored":
            raise ValueError(
                "squares on the fly belong to brw; horner takes powers of tau that are not squares, so "
                "squares must be stored"
            )
        if self.width % self.lanes:
            raise ValueError(f"lanes must divide width: {self.lanes} lanes do not divide {self.width} blocks a beat")
        if self.sector_bytes < 16 or self.sector_bytes % (16 * self.width):
            raise ValueError(
                f"sector_bytes must be a multiple of {16 * self.width} (16 bytes times the width of "
                f"{self.width}), got {self.sector_bytes}"
            )


@dataclass(frozen=True)
class SectorTiming:
    """Cycle contract of a sector core, the same for encryption and decryption, whatever the data, key and tweak.

    compute:  first input beat taken to the last result block known inside the core
    latency:  first input beat taken to the last output beat offered
    interval: sector to sector, back to back
    setup:    key taken to ``ready``, when the first beat of a sector can be taken
    zeroize:  ``zeroize`` (or reset) to the end of clearing, when a key can be taken again
    """

    compute: int
    latency: int
    interval: int
    setup: int
    zeroize: int
