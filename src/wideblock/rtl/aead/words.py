# SPDX-License-Identifier: Apache-2.0
"""The words of the CAESAR Hardware API: instructions, segment headers and status.

An instruction, a header and a status are the high 32 bits of a word, whose other bits are zero. The first byte of data
is in the high bits of its word.

Source: Homsirikamol et al., "CAESAR Hardware API", version 1.0, ePrint 2016/626.
"""

from enum import IntEnum
from typing import Any

from amaranth import Cat, Const, Value, unsigned
from amaranth.hdl import ShapeLike, ValueLike
from amaranth.lib import data

__all__ = ["HEADER", "Opcode", "StatusWord", "Type", "byte_swapped", "header", "status"]
__all__ += ["word_of", "word_shape"]


class Opcode(IntEnum):
    """Bits 31..28 of an instruction."""

    ENCRYPT = 2
    DECRYPT = 3
    LOAD_KEY = 4
    ACTIVATE_KEY = 7


class StatusWord(IntEnum):
    """Bits 31..28 of a status."""

    SUCCESS = 0xE
    FAILURE = 0xF


class Type(IntEnum):
    """Bits 31..28 of a segment header."""

    AD = 1
    PLAINTEXT = 4
    CIPHERTEXT = 5
    TAG = 8
    KEY = 0xC
    NPUB = 0xD


HEADER = data.StructLayout(
    {"length": 16, "reserved": 8, "last": 1, "eot": 1, "eoi": 1, "partial": 1, "type": 4},
)
"""A segment header from the low bits up.

length:  bytes of the segment; its data follow in whole words
last:    last segment of the message
eot:     last segment of its type
eoi:     last segment of the input that is not empty
partial: a segment that is not the last of its type and yet no whole number of blocks
type:    a :class:`Type`; also the opcode of an instruction
"""


def header(type: Type, length: ValueLike, *, eot: ValueLike, last: ValueLike = 0) -> Value:
    """The 32 bits of a segment header. EOI is a matter of the input and is 0."""
    parts = {"length": length, "reserved": 0, "last": last, "eot": eot, "eoi": 0, "partial": 0, "type": int(type)}
    return Cat((Value.cast(part) | Const(0, HEADER[name].width))[: HEADER[name].width] for name, part in parts.items())


def word_shape(word_bits: int, packets: bool) -> ShapeLike:
    """Payload of a port: a word, and in ``packets`` a flag ``last``, high in the last word of each."""
    return data.StructLayout({"word": word_bits, "last": 1}) if packets else unsigned(word_bits)


def word_of(payload: Any, packets: bool) -> Value:
    """The word of a payload of :func:`word_shape`."""
    return payload.word if packets else payload


def status(of: StatusWord) -> int:
    """The 32 bits of a status."""
    return of << 28


def byte_swapped(word: Value) -> Value:
    """The bytes of a value in the opposite order: from a word to data with byte 0 in bits 7..0, and back."""
    return Cat(word[at : at + 8] for at in reversed(range(0, len(word), 8)))
