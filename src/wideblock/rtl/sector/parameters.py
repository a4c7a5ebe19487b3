# SPDX-License-Identifier: Apache-2.0
"""Parameters of sector cores: a frozen dataclass a family, each parameter with meaning and choices."""

from dataclasses import dataclass
from typing import Any, ClassVar

from wideblock.errors import UserError
from wideblock.rtl.aes.forms import KINDS, ROUND_STAGES, ROUNDS
from wideblock.rtl.stream.parameters import SIZE_BITS, TWEAK_SIZE_BITS, Parameters, parameter

__all__ = [
    "AnyLengthParameters",
    "EncryptMixEncryptParameters",
    "FeistelMixFeistelParameters",
    "HashedParameters",
    "HornerParameters",
    "PsiParameters",
    "SealingParameters",
    "SealingPsiParameters",
    "SectorParameters",
    "SinglePassParameters",
    "SlottedHashParameters",
    "SlottedHornerParameters",
    "SlottedParameters",
    "SlottedPsiParameters",
    "WholeKeyParameters",
]


BUSES = ("none", "axi4-lite")
"""Values of ``registers``."""

CLOCKS = ("core", "own")
"""Values of ``bus_clock``."""

MASTERS = ("none", "axi4")
"""Values of ``dma``."""

MOST_BEHIND = 64
"""Most bytes behind a sector in its streams: the metadata of an extended block of NVMe."""


@dataclass(frozen=True, kw_only=True)
class SlottedParameters(Parameters):
    """Further parameters of a sector core with key slots."""

    slots: int = parameter(0, "keys that the core holds, one of which each message names; 0: one for all", absent=0)
    tag_bits: int = parameter(0, "bits of a message's tag, which leaves with it", tuple(range(0, 65, 8)), absent=0)
    registers: str = parameter(
        "none",
        "bus through which keys come, in place of their stream, with all else of the engine",
        BUSES,
        absent="none",
    )
    bus_clock: str = parameter(
        "core", "clock of the buses of registers: that of the core, or a port of its own", CLOCKS, absent="core"
    )
    header: bool = parameter(
        False, "a message's request is its first beats, in the place of tuser", (False, True), absent=False
    )
    dma: str = parameter(
        "none", "bus of a master that reads units from memory and writes results, for streams", MASTERS, absent="none"
    )

    def __post_init__(self):
        super().__post_init__()
        _check_slots(self)
        _check_master(self)


def _check_copies(p: Any) -> None:
    """Raises UserError for a core without what the copies of a key for each sector need."""
    if p.slots and not p.overlap:
        raise UserError("overlap must be true with slots, got false")
    if p.slots and p.squares != "stored":
        raise UserError(f"squares must be stored with slots, got {p.squares!r}")
    if p.slots and p.key_bits == 192:
        raise UserError("key_bits must be 128 or 256 with slots, got 192")


def _check_slots(p: Any) -> None:
    """Raises UserError for parameters of slots in conflict with each other or with the core."""
    if p.slots and not 2 <= p.slots <= 1024:
        raise UserError(f"slots must be 2 to 1024, or 0 for a core of one key, got {p.slots}")
    if p.header and not p.slots:
        raise UserError("header must be false without slots, got true; slots 256 goes with it")
    if p.slots and p.round_stages > 2:
        raise UserError(f"round_stages must be 1 or 2 with slots, got {p.round_stages}")
    if p.registers != "none" and not p.slots:
        raise UserError(f"registers must be none without slots, got {p.registers!r}; slots 256 goes with it")
    if p.registers == "none" and p.bus_clock != "core":
        raise UserError(
            f"bus_clock must be core without registers, got {p.bus_clock!r}; registers axi4-lite goes with it"
        )
    if p.registers != "none" and p.key_width:
        raise UserError(f"key_width must be 0 with registers, through which keys come, got {p.key_width}")


def _check_master(p: Any) -> None:
    """Raises UserError for parameters with which no master goes."""
    if p.dma == "none":
        return
    if p.registers == "none":
        raise UserError(f"dma must be none without registers, got {p.dma!r}; registers axi4-lite goes with it")
    if p.width != 1:
        raise UserError(f"width must be 1 with dma, got {p.width}")
    if p.header:
        raise UserError("header must be false with dma, which has no stream, got true")
    if p.tag_bits:
        raise UserError(f"tag_bits must be 0 with dma, which has no stream, got {p.tag_bits}")


@dataclass(frozen=True, kw_only=True)
class SealingParameters(Parameters):
    """Parameters of a sector core with integrity check values."""

    icv_bytes: int = parameter(0, "bytes of a sector's integrity check value; 0: none", (0, 16), absent=0)
    stride: int = parameter(
        0, "bytes of a sector in the streams with its integrity check value behind it; 0: it is beside", absent=0
    )

    def __post_init__(self):
        super().__post_init__()
        _check_icv(self)


def _check_icv(p: Any) -> None:
    """Raises UserError for sectors without integrity check values: of such a size, or behind registers."""
    if p.icv_bytes and p.registers != "none":
        raise UserError(f"icv_bytes must be 0 with registers, whose window has no ICV, got {p.icv_bytes}")
    if p.icv_bytes and (p.sector_bytes < 32 or p.sector_bytes % p.beat_bytes):
        raise UserError(
            f"sector_bytes must be whole beats of {p.beat_bytes} bytes, and at least 32, with icv_bytes of "
            f"{p.icv_bytes}, got {p.sector_bytes}"
        )
    _check_stride(p)


def _check_stride(p: Any) -> None:
    """Raises UserError for sealed sectors that no stream can have with their values behind them."""
    if not p.stride:
        return
    if not p.icv_bytes:
        raise UserError(f"stride must be 0 without icv_bytes, got {p.stride}; icv_bytes 16 goes with it")
    if p.slots:  # the queue before copies of a key hides a part of the wait, which no schedule states
        raise UserError(f"stride must be 0 with slots, got {p.stride}")
    least, most = p.sector_bytes + p.icv_bytes, p.sector_bytes + MOST_BEHIND
    if p.stride % 16 or not least <= p.stride <= most:
        raise UserError(f"stride must be a multiple of 16 from {least} to {most}, or 0, got {p.stride}")
    if p.beats < 2:
        raise UserError(f"sector_bytes must be two beats or more with stride, {2 * p.beat_bytes}, got {p.sector_bytes}")


_OVERLAP_OF_LAYERS = "one sector's first layer beside another's second; else one sector at a time"


@dataclass(frozen=True, kw_only=True)
class SectorParameters(Parameters):
    """Parameters that every sector core has."""

    sector_bytes: int = parameter(4096, "bytes a sector")
    width: int = parameter(2, "blocks a beat of the streams", (1, 2, 4, 8))
    lanes: int = parameter(2, "AES pipelines; divides the width", (1, 2, 4, 8))
    key_bits: int = parameter(128, "bits of an AES key", (128, 256))
    round_stages: int = parameter(1, "registers of one AES round", (1, 2, 3, 4))
    sbox: str = parameter("lut", "form of the AES S-box", KINDS)
    key_width: int = parameter(0, "bits of a word of the key port; 0: a whole key is one word", (0, 32, 64), absent=0)
    tweak_bytes: ClassVar[int] = 16
    overlap: ClassVar[bool] = False
    slots: ClassVar[int] = 0
    registers: ClassVar[str] = "none"
    bus_clock: ClassVar[str] = "core"
    dma: ClassVar[str] = "none"
    error_beats: ClassVar[bool] = False
    squares: ClassVar[str] = "stored"
    header: ClassVar[bool] = False
    tag_bits: ClassVar[int] = 0
    most_bytes: ClassVar[int] = 1 << 16
    """Longest sector: schedules grow with it, and take seconds up to here."""
    alone: ClassVar[str] = "one sector at a time"
    """Phrase on a core without overlap."""

    @property
    def architecture(self) -> str:
        """A phrase on the distance of sectors."""
        return "sectors overlap: the lanes alone bound the throughput" if self.overlap else self.alone

    @property
    def ahead(self) -> int:
        """Cycles by which the control is ahead of the data: registers between control and data, for the clock.

        With overlap, too: overlap hides the cycles of latency. Feistel-mix-Feistel has none.
        """
        return int(self.overlap or self.round_stages > 1)

    @property
    def gate_beats(self) -> int:
        """Beats of the queue for copies of a key, more than the cycles until a copy begins; 0 without slots."""
        return 16 if self.slots else 0

    @property
    def sequential_stages(self) -> int:
        """Registers of one round of a sequential AES, to reach the clock of the pipelines, up to two."""
        return min(self.round_stages, 2)

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

    @property
    def unit_bytes(self) -> int:
        """Bytes of a sector in the streams, with an integrity check value that is behind it."""
        return self.stride or self.sector_bytes

    @property
    def behind(self) -> int:
        """Beats behind a sector, the first one with the sector's integrity check value."""
        return -(-self.unit_bytes // self.beat_bytes) - self.beats

    @property
    def icv_beside(self) -> int:
        """Bits of an integrity check value beside a sector."""
        return 0 if self.stride else 8 * self.icv_bytes

    def __post_init__(self):
        super().__post_init__()
        if self.sector_bytes > self.most_bytes:
            raise UserError(f"sector_bytes must be at most {self.most_bytes}, got {self.sector_bytes}")
        if self.width % self.lanes:
            raise UserError(f"lanes must divide width: {self.lanes} lanes do not divide {self.width} blocks a beat")


@dataclass(frozen=True, kw_only=True)
class HashedParameters(SectorParameters):
    """Parameters of a core with a front and a back hash."""

    alone: ClassVar[str] = "the paper's architecture: one hash unit, one sector at a time"
    hash: str = parameter("brw", "polynomial hash", ("brw", "horner"))
    overlap: bool = parameter(False, "a second hash unit lets a sector's passes overlap its neighbours'", (False, True))
    mult_stages: int = parameter(4, "register levels of the field multiplier", tuple(range(1, 9)))
    squares: str = parameter("stored", "source of the powers of tau that brw takes", ("stored", "on-the-fly"))
    leaf: int = parameter(4, "bits of the multiplier's smallest schoolbook products", (2, 4, 8, 16))

    @property
    def sequential_stages(self) -> int:
        """Stages a round of the sequential AES; with overlap more than in a pipeline, if the interval stays the same.

        The interval stays if a sector takes the lanes as long as the sequential AES takes a block. A round of inverse
        AES is longer than a round of the pipelines.
        """
        steps = -(-(self.m - 1) // self.width) * (self.width // self.lanes)
        more = min(self.round_stages + 1, ROUND_STAGES[-1])
        if self.overlap and steps > ROUNDS[self.key_bits] * more:
            return more
        return super().sequential_stages

    @property
    def multipliers(self) -> int:
        """Field multipliers of a hash unit."""
        return self.width if self.hash == "horner" else max(1, self.width // 2)

    @property
    def tail(self) -> int:
        """Bytes of a sector's last block."""
        return 16

    @property
    def decimation(self) -> int:
        """Chains of the horner hash, for a product a cycle in every multiplier."""
        return self.multipliers * self.mult_stages

    def __post_init__(self):
        super().__post_init__()
        if self.hash == "horner" and self.squares != "stored":
            raise UserError(
                "squares on the fly belong to brw; horner takes powers of tau that are not squares, so "
                "squares must be stored"
            )
        self._check_size()

    def _check_size(self) -> None:
        """Raises UserError for a number of bytes that no sector can have."""
        if self.sector_bytes <= 0 or self.sector_bytes % self.beat_bytes:
            other = "; width 1 and one lane take it" if self.m > 0 == self.sector_bytes % 16 else ""
            raise UserError(
                f"sector_bytes must be a multiple of {self.beat_bytes} (16 bytes times the width of "
                f"{self.width}), got {self.sector_bytes}{other}"
            )


@dataclass(frozen=True, kw_only=True)
class SlottedHashParameters(SealingParameters, SlottedParameters, HashedParameters):
    """:class:`HashedParameters` of a core with key slots and sealed sectors."""

    def __post_init__(self):
        super().__post_init__()
        _check_copies(self)


@dataclass(frozen=True, kw_only=True)
class PsiParameters(HashedParameters):
    """Parameters of a core with hash psi under a separate key."""

    order: str = parameter(
        "natural", "order of blocks in brw; that of the paper's schedule is another function", ("natural", "paper")
    )

    def __post_init__(self):
        super().__post_init__()
        if self.order == "paper" and self.hash != "brw":
            raise UserError(f"the paper's order is one of brw; order must be natural for {self.hash}, got 'paper'")


@dataclass(frozen=True, kw_only=True)
class SlottedPsiParameters(SlottedParameters, PsiParameters):
    """:class:`PsiParameters` of a core with key slots."""

    def __post_init__(self):
        super().__post_init__()
        _check_copies(self)


@dataclass(frozen=True, kw_only=True)
class SealingPsiParameters(SealingParameters, SlottedPsiParameters):
    """:class:`SlottedPsiParameters` of a core with sealed sectors."""


@dataclass(frozen=True, kw_only=True)
class HornerParameters(HashedParameters):
    """Parameters of a core with Horner's rule as its hash, for sectors of any number of bytes from 16 up."""

    alone: ClassVar[str] = "one hash unit, one sector at a time"
    key_bits: int = parameter(128, "bits of an AES key", (128, 192, 256))
    hash: ClassVar[str] = "horner"
    squares: ClassVar[str] = "stored"
    tweak_bytes: int = parameter(16, "bytes of the tweak", (16, 32))

    @property
    def m(self) -> int:
        """Blocks a sector, the last perhaps partial. A sector of one block has a second block without a byte."""
        return max(2, -(-self.sector_bytes // 16))

    @property
    def multipliers(self) -> int:
        """One, for the sum of a beat's products."""
        return 1

    @property
    def tail(self) -> int:
        return self.sector_bytes - 16 * (self.m - 1)

    def _check_size(self) -> None:
        least = 17 if self.width == 1 else 16
        if self.sector_bytes < least:
            raise UserError(
                f"sector_bytes must be at least {least} with a width of {self.width}, got {self.sector_bytes}"
            )


@dataclass(frozen=True, kw_only=True)
class SlottedHornerParameters(SealingParameters, SlottedParameters, HornerParameters):
    """:class:`HornerParameters` of a core with key slots and sealed sectors."""

    def __post_init__(self):
        super().__post_init__()
        _check_copies(self)


@dataclass(frozen=True, kw_only=True)
class WholeKeyParameters(HornerParameters):
    """:class:`HornerParameters` with AES keys of whole blocks, for schemes with derived AES keys."""

    key_bits: int = parameter(128, "bits of an AES key", (128, 256))


@dataclass(frozen=True, kw_only=True)
class EncryptMixEncryptParameters(SealingParameters, SlottedParameters, SectorParameters):
    """Parameters of a core that enciphers every block twice, with a mix between."""

    overlap: bool = parameter(False, _OVERLAP_OF_LAYERS, (False, True))

    def __post_init__(self):
        super().__post_init__()
        _check_copies(self)
        if self.sector_bytes < 16:
            raise UserError(f"sector_bytes must be at least 16, got {self.sector_bytes}")


@dataclass(frozen=True, kw_only=True)
class FeistelMixFeistelParameters(SlottedParameters, SectorParameters):
    """Parameters of a core with two Feistel rounds on each pair of blocks, a mix, and two rounds again."""

    key_bits: ClassVar[int] = 128
    tweak_bytes: int = parameter(16, "bytes of the tweak; 0 for none", (0, 16))
    masks: str = parameter(
        "on-the-fly", "source of the multiples in the masks: a table, or a circuit", ("stored", "on-the-fly")
    )
    overlap: bool = parameter(False, _OVERLAP_OF_LAYERS, (False, True))

    @property
    def pairs(self) -> int:
        """Pairs of blocks a sector."""
        return self.sector_bytes // 32

    def __post_init__(self):
        super().__post_init__()
        if self.lanes != self.width:
            raise UserError(f"lanes must be the width, a pair a lane for two beats: {self.width}, got {self.lanes}")
        if self.slots and self.masks == "stored":
            raise UserError("masks must be on-the-fly with slots, as a table has those of one key, got 'stored'")
        if self.registers != "none" and not self.tweak_bytes:
            raise UserError(
                f"registers must be none without a tweak, got {self.registers!r}; tweak_bytes 16 goes with it"
            )
        _check_copies(self)
        if self.sector_bytes < 32 or self.sector_bytes % 32:
            raise UserError(f"sector_bytes must be a multiple of 32 (a pair of blocks), got {self.sector_bytes}")


@dataclass(frozen=True, kw_only=True)
class SinglePassParameters(SlottedParameters, SectorParameters):
    """Parameters of a core for units of any length; ``sector_bytes``: length for the stated figures."""

    most_bytes: ClassVar[int] = 1 << 24
    direction: str = parameter("both", "directions that the core serves", ("both", "encrypt", "decrypt"))
    error_beats: bool = parameter(
        False, "a unit without a whole result leaves a beat with an error flag", (False, True), absent=False
    )

    def __post_init__(self):
        super().__post_init__()
        self._check_error_beats()
        if self.sector_bytes < 16:
            raise UserError(f"sector_bytes must be at least 16, got {self.sector_bytes}")

    def _check_error_beats(self) -> None:
        """Raises UserError for parameters with which no error beats go."""
        if not self.error_beats:
            return
        if self.registers == "none":
            raise UserError("error_beats must be false without registers, got true; registers axi4-lite goes with it")
        if self.dma != "none":
            raise UserError("error_beats must be false with dma, which has completions, got true")
        if self.header:
            raise UserError("header must be false with error_beats, as a clear drops requests, got true")
        if self.tag_bits:
            raise UserError(f"tag_bits must be 0 with error_beats, which have none, got {self.tag_bits}")


@dataclass(frozen=True, kw_only=True)
class AnyLengthParameters(SlottedParameters, SectorParameters):
    """Parameters of a core for messages with stated sizes; ``sector_bytes`` and ``tweak_bytes``: sizes for the stated
    figures. Without a master: an entry of its rings states no size of a tweak.
    """

    dma: ClassVar[str] = "none"
    width: int = parameter(1, "blocks a beat of the streams", (1, 2, 4))
    lanes: int = parameter(1, "AES pipelines, as many as blocks a beat", (1, 2, 4))
    most_tweak_bytes: int = parameter(64, "bytes of the longest tweak, up to 255")
    longest: int = parameter(4096, "bytes of the longest message")
    key_bits: int = parameter(128, "bits of an AES key", (128, 192, 256))
    tweak_bytes: int = parameter(16, "bytes of the tweak that figures are for, and of a disk image's tweaks")
    mult_stages: int = parameter(4, "register levels of the field multiplier", tuple(range(1, 9)))
    leaf: int = parameter(4, "bits of the multiplier's smallest schoolbook products", (2, 4, 8, 16))

    def __post_init__(self):
        super().__post_init__()
        if self.lanes != self.width:
            raise UserError(f"lanes must be the width: {self.width}, got {self.lanes}")
        if self.slots and self.key_bits == 192:
            raise UserError("key_bits must be 128 or 256 with slots, got 192")
        most = (1 << SIZE_BITS) - 1
        if not 32 <= self.longest <= most:
            raise UserError(f"longest must be 32 to {most}, got {self.longest}")
        if not 16 <= self.sector_bytes <= self.longest:
            raise UserError(f"sector_bytes must be 16 to {self.longest}, the longest, got {self.sector_bytes}")
        if not 1 <= self.most_tweak_bytes < 1 << TWEAK_SIZE_BITS:
            raise UserError(f"most_tweak_bytes must be 1 to 255, got {self.most_tweak_bytes}")
        if self.registers != "none" and self.most_tweak_bytes % 4:
            raise UserError(
                f"most_tweak_bytes must be a multiple of 4 with registers, as the window's tweak has whole words, got "
                f"{self.most_tweak_bytes}"
            )
        if not 0 <= self.tweak_bytes <= self.most_tweak_bytes:
            raise UserError(f"tweak_bytes must be 0 to {self.most_tweak_bytes}, got {self.tweak_bytes}")
