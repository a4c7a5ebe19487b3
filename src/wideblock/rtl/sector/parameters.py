# SPDX-License-Identifier: Apache-2.0
"""Parameters of sector cores, one frozen dataclass a family, each with its meaning and its choices."""

from dataclasses import dataclass, field, fields
from typing import Any

from wideblock.rtl.aes.rounds import ROUNDS
from wideblock.rtl.aes.sbox import KINDS

__all__ = [
    "EncryptMixEncryptParameters",
    "HashedParameters",
    "PsiParameters",
    "SectorParameters",
    "SinglePassParameters",
]


def _parameter(default: Any, meaning: str, choices: tuple[Any, ...] | None = None) -> Any:
    return field(default=default, metadata={"meaning": meaning, "choices": choices})


@dataclass(frozen=True, kw_only=True)
class SectorParameters:
    """Parameters that every sector core has.

    The metadata of a field has its ``meaning``, and its ``choices`` or None. Raises ValueError for a value or a mix of
    values that no core can have.
    """

    sector_bytes: int = _parameter(4096, "bytes a sector")
    width: int = _parameter(2, "blocks a beat of the streams", (1, 2, 4, 8))
    lanes: int = _parameter(2, "AES pipelines; divides the width", (1, 2, 4, 8))
    key_bits: int = _parameter(128, "bits of an AES key", tuple(ROUNDS))
    round_stages: int = _parameter(1, "registers of one AES round", (1, 2, 3, 4))
    sbox: str = _parameter("lut", "form of the AES S-box", KINDS)

    @property
    def m(self) -> int:
        """Whole blocks a sector."""
        return self.sector_bytes // 16

    @property
    def beat_bytes(self) -> int:
        """Bytes a beat."""
        return 16 * self.width

    @property
    def beats(self) -> int:
        """Beats a sector; the last one may have room left."""
        return -(-self.sector_bytes // self.beat_bytes)

    def __post_init__(self):
        for parameter in fields(self):
            choices, value = parameter.metadata["choices"], getattr(self, parameter.name)
            if choices and value not in choices:
                raise ValueError(f"{parameter.name} must be one of {', '.join(map(str, choices))}, got {value!r}")
        if self.width % self.lanes:
            raise ValueError(f"lanes must divide width: {self.lanes} lanes do not divide {self.width} blocks a beat")


@dataclass(frozen=True, kw_only=True)
class HashedParameters(SectorParameters):
    """Parameters of a core with a front and a back hash."""

    hash: str = _parameter("brw", "polynomial hash", ("brw", "horner"))
    overlap: bool = _parameter(
        False, "a second hash unit lets a sector's passes overlap its neighbours'", (False, True)
    )
    mult_stages: int = _parameter(4, "register levels of the field multiplier", tuple(range(1, 9)))
    squares: str = _parameter("stored", "source of the powers of tau that brw takes", ("stored", "on-the-fly"))
    leaf: int = _parameter(4, "bits of the multiplier's smallest schoolbook products", (2, 4, 8, 16))

    @property
    def multipliers(self) -> int:
        """Field multipliers of a hash unit."""
        return self.width if self.hash == "horner" else max(1, self.width // 2)

    @property
    def decimation(self) -> int:
        """Chains of the horner hash, so that every multiplier can take a product a cycle."""
        return self.multipliers * self.mult_stages

    @property
    def architecture(self) -> str:
        """One phrase on how sectors follow each other."""
        if self.overlap:
            return "sectors overlap: the lanes alone bound the throughput"
        return "the paper's architecture: one hash unit, one sector at a time"

    def __post_init__(self):
        super().__post_init__()
        if self.hash == "horner" and self.squares != "stored":
            raise ValueError(
                "squares on the fly belong to brw; horner takes powers of tau that are not squares, so "
                "squares must be stored"
            )
        if self.sector_bytes < 16 or self.sector_bytes % self.beat_bytes:
            raise ValueError(
                f"sector_bytes must be a multiple of {self.beat_bytes} (16 bytes times the width of "
                f"{self.width}), got {self.sector_bytes}"
            )


@dataclass(frozen=True, kw_only=True)
class PsiParameters(HashedParameters):
    """Parameters of a core whose hash is psi, under a key of its own."""

    order: str = _parameter(
        "natural", "order of blocks in brw; that of the paper's schedule is another function", ("natural", "paper")
    )

    def __post_init__(self):
        super().__post_init__()
        if self.order == "paper" and self.hash != "brw":
            raise ValueError(f"the paper's order is one of brw; order must be natural for {self.hash}, got 'paper'")


@dataclass(frozen=True, kw_only=True)
class EncryptMixEncryptParameters(SectorParameters):
    """Parameters of a core that enciphers every block twice, with a mix between."""

    overlap: bool = _parameter(
        False, "one sector's first layer beside another's second; else one sector at a time", (False, True)
    )

    @property
    def architecture(self) -> str:
        """One phrase on how sectors follow each other."""
        return "sectors overlap: the lanes alone bound the throughput" if self.overlap else "one sector at a time"

    def __post_init__(self):
        super().__post_init__()
        if self.sector_bytes < 16:
            raise ValueError(f"sector_bytes must be at least 16, got {self.sector_bytes}")


@dataclass(frozen=True, kw_only=True)
class SinglePassParameters(SectorParameters):
    """Parameters of a core that takes units of any length; ``sector_bytes`` is the length its figures are for."""

    direction: str = _parameter("both", "directions that the core serves", ("both", "encrypt", "decrypt"))

    def __post_init__(self):
        super().__post_init__()
        if self.sector_bytes < 16:
            raise ValueError(f"sector_bytes must be at least 16, got {self.sector_bytes}")
