# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Kinds of cores: their exported modules, keys and known answers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from wideblock.vectors import Vector

if TYPE_CHECKING:
    from wideblock.rtl.aead.behaviour import AeadBehaviour
    from wideblock.rtl.aead.timing import AeadTiming
    from wideblock.rtl.shell.shell import Shell
    from wideblock.rtl.stream.behaviour import Behaviour, SectorTiming
    from wideblock.rtl.stream.core import CoreBehaviour, CycleContract

    from .scheme import Scheme

__all__ = ["AEAD", "SECTOR", "AeadAnswer", "Kind", "KnownAnswer"]


@dataclass(frozen=True)
class KnownAnswer:
    """One published or independently computed answer; ``source`` says whose."""

    source: str
    key: bytes
    tweak: bytes
    plaintext: bytes
    ciphertext: bytes
    icv: bytes = b""


@dataclass(frozen=True)
class AeadAnswer:
    """One answer; the tag is the end of ``ciphertext``. ``plaintext`` is None if that must be rejected."""

    source: str
    key: bytes
    npub: bytes
    ad: bytes
    plaintext: bytes | None
    ciphertext: bytes


B = TypeVar("B", bound="CoreBehaviour[CycleContract]")
T = TypeVar("T", bound="CycleContract")


class Kind(ABC, Generic[B, T]):
    """A kind of core, whose cores have behaviours ``B`` and cycle contracts ``T``.

    name: as in messages      noun: a message of such a core, as in reports
    keys: method of a core's class with the sizes of the key
    """

    name: ClassVar[str]
    noun: ClassVar[str]
    keys: ClassVar[str]

    @abstractmethod
    def enclosed(self, scheme: "Scheme", core: Any) -> Any:
        """The core of a scheme within the enclosing parts of the parameters; the core itself for none."""

    @abstractmethod
    def shell(self, core: Any) -> "Shell":
        """The exported module around a core."""

    @abstractmethod
    def data_bits(self, p: Any) -> int:
        """From parameters, the bits of a beat of the data ports."""

    @abstractmethod
    def takes(self, behaviour: B, answer: Any) -> bool:
        """Whether a core of a behaviour takes messages of a known answer's length."""

    @abstractmethod
    def answer(self, core: Any, p: Any, source: str, a: Vector) -> KnownAnswer | AeadAnswer | None:
        """The known answer of a core's class, from parameters, a source and a vector of the source.

        None if the core takes no answer of the vector's lengths.
        """


class SectorKind(Kind[Any, Any]):
    """Length-preserving ciphers of sectors, on AXI4-Stream."""

    name = noun = "sector"
    keys = "key_material"

    def enclosed(self, scheme: "Scheme", core: Any) -> Any:
        parameters = core.parameters
        if parameters.registers != "none":
            from .hardware.engines import around

            core = around(scheme, core)
        if parameters.header:
            from wideblock.rtl.stream.header import HeaderCore

            core = HeaderCore(core)
        if parameters.bus_clock == "own":
            from wideblock.rtl.bus.own_clock import OwnBusClock

            core = OwnBusClock(core)
        return core

    def shell(self, core: Any) -> "Shell":
        from wideblock.rtl.shell.axi_stream import AxiStreamShell

        return AxiStreamShell(core)

    def data_bits(self, p: Any) -> int:
        return 8 * p.beat_bytes

    def takes(self, behaviour: "Behaviour", answer: KnownAnswer) -> bool:
        return len(answer.plaintext) in behaviour.length

    def answer(self, core: Any, p: Any, source: str, a: Vector) -> KnownAnswer:
        key = b"".join(a[part] for part in core.key_material(p).fields)
        plain, sealed, icv = a["pt"], a["ct"], a.data.get("icv", b"")
        if p.stride:
            plain, sealed, icv = plain.ljust(p.stride, b"\0"), (sealed + icv).ljust(p.stride, b"\0"), b""
        return KnownAnswer(source, key, a["tweak"], plain, sealed, icv)


class AeadKind(Kind[Any, Any]):
    """Authenticated ciphers, behind the CAESAR Hardware API."""

    name, noun, keys = "aead", "message", "shape"

    def enclosed(self, scheme: "Scheme", core: Any) -> Any:
        return core

    def shell(self, core: Any) -> "Shell":
        from wideblock.rtl.shell.caesar import CaesarShell, CaesarStreamShell

        return (CaesarStreamShell if core.parameters.packets else CaesarShell)(core)

    def data_bits(self, p: Any) -> int:
        return p.word_bits

    def takes(self, behaviour: "AeadBehaviour", answer: AeadAnswer) -> bool:
        return True  # of those that :meth:`answer` gives

    def answer(self, core: Any, p: Any, source: str, a: Vector) -> AeadAnswer | None:
        shape, message = core.shape(p), a.data.get("pt")
        if "nonce" not in a or "ct" not in a or a.parameters.get("tag_bytes") != shape.tag:
            return None
        sizes = len(a["ad"]) <= p.ad_bytes and len(a["ct"]) - shape.tag <= shape.enciphered(p.data_bytes)
        if not sizes or len(a["nonce"]) != shape.npub or len(message or b"") > p.data_bytes:
            return None
        return AeadAnswer(source, a["key"], a["nonce"], a["ad"], message, a["ct"])


SECTOR: "Kind[Behaviour, SectorTiming]" = SectorKind()
AEAD: "Kind[AeadBehaviour, AeadTiming]" = AeadKind()
