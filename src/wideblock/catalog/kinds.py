# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Kinds of cores: what their ports and their messages make of everything above the hardware."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wideblock.rtl.shell.axi_stream import AxiStreamShell
from wideblock.rtl.shell.caesar import CaesarShell, CaesarStreamShell
from wideblock.rtl.shell.shell import Shell
from wideblock.vectors import Vector

__all__ = ["AEAD", "SECTOR", "AeadAnswer", "Kind", "KnownAnswer"]


@dataclass(frozen=True)
class KnownAnswer:
    """One published or independently computed answer; ``source`` says whose."""

    source: str
    key: bytes
    tweak: bytes
    plaintext: bytes
    ciphertext: bytes


@dataclass(frozen=True)
class AeadAnswer:
    """One answer; the tag is the end of ``ciphertext``. ``plaintext`` is None if that must be rejected."""

    source: str
    key: bytes
    npub: bytes
    ad: bytes
    plaintext: bytes | None
    ciphertext: bytes


@dataclass(frozen=True)
class Kind:
    """A kind of core.

    name:     of the modules for such cores: ``wideblock.verify.NAME.suite``, ``wideblock.export.NAME``
    noun:     a message of such a core, as in reports
    shell:    the exported module around a core
    key_bits: from a core's class and its parameters, the width of its key
    takes:    from a core's class, its parameters and a vector, whether such a core takes an answer of these lengths
    answer:   from a core's class, its parameters, a source and a vector of it, the known answer
    """

    name: str
    noun: str
    shell: Callable[[Any], Shell]
    key_bits: Callable[[Any, Any], int]
    takes: Callable[[Any, Any, Vector], bool]
    answer: Callable[[Any, Any, str, Vector], Any]


def _sector_answer(core: Any, p: Any, source: str, a: Vector) -> KnownAnswer:
    key = b"".join(a[part] for part in core.key_material(p).fields)
    return KnownAnswer(source, key, a["tweak"], a["pt"], a["ct"])


def _aead_takes(core: Any, p: Any, a: Vector) -> bool:
    if "nonce" not in a or "ct" not in a or a.parameters.get("tag_bytes") != core.shape(p).tag:
        return False
    shape, message = core.shape(p), a.data.get("pt", b"")
    sizes = len(a["ad"]) <= p.ad_bytes and len(a["ct"]) - shape.tag <= shape.enciphered(p.data_bytes)
    return sizes and len(a["nonce"]) == shape.npub and len(message) <= p.data_bytes


def _aead_shell(core: Any) -> Shell:
    return (CaesarStreamShell if core.parameters.packets else CaesarShell)(core)


def _aead_answer(core: Any, p: Any, source: str, a: Vector) -> AeadAnswer:
    return AeadAnswer(source, a["key"], a["nonce"], a["ad"], a.data.get("pt"), a["ct"])


SECTOR = Kind(
    "sector",
    "sector",
    AxiStreamShell,
    lambda core, p: core.key_material(p).bits,
    lambda core, p, a: True,
    _sector_answer,
)
"""Length-preserving ciphers of sectors, on AXI4-Stream."""

AEAD = Kind("aead", "message", _aead_shell, lambda core, p: 8 * core.shape(p).key, _aead_takes, _aead_answer)
"""Authenticated ciphers, behind the CAESAR Hardware API."""
