# SPDX-License-Identifier: Apache-2.0
"""Messages of the CAESAR Hardware API: as words of the ports, and as the text files that test benches read.

Source: Homsirikamol et al., ePrint 2016/626; the text files as the API's own test benches have them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, Self

from wideblock.drive.core import Core
from wideblock.errors import UserError
from wideblock.rtl.aead.behaviour import AeadBehaviour
from wideblock.rtl.aead.cipher import CipherShape
from wideblock.rtl.aead.words import Opcode, StatusWord, Type

__all__ = ["FILES", "AeadCore", "CaesarFormat", "Item", "Mark", "from_text", "input_ends", "output_ends", "segments"]
__all__ += ["text", "words"]

WORDS_A_LINE = 8
FILES = {"pdi": "pdi.txt", "sdi": "sdi.txt", "do": "do.txt"}
"""Names of the text files by port."""


class Mark(StrEnum):
    """Mark of a line in the text files: instruction, segment header, data, status."""

    INSTRUCTION = "INS"
    HEADER = "HDR"
    DATA = "DAT"
    STATUS = "STT"


@dataclass(frozen=True)
class Item:
    """Whole words of a mark; the first byte is in the high bits of the first word."""

    mark: Mark
    data: bytes


class AeadCore(Core, Protocol):
    """An authenticated cipher, as far as traffic needs it."""

    @property
    def behaviour(self) -> AeadBehaviour: ...


@dataclass(frozen=True)
class CaesarFormat:
    """Messages of a cipher of these sizes, in words of ``word_bits``.

    segment: most bytes of a segment, a whole number of blocks
    at_once: plaintext leaves in as many segments as the ciphertext has, under a wrong tag, too
    """

    shape: CipherShape
    word_bits: int = 32
    segment: int = 1 << 15
    at_once: bool = False

    @classmethod
    def of(cls, core: AeadCore) -> Self:
        """The format of a core's ports."""
        (word, *_) = core.interface.channel("pdi").fields
        behaviour = core.behaviour
        return cls(behaviour.shape, word.width, behaviour.timing.segment or cls.segment, behaviour.at_once)

    def words(self, items: Iterable[Item]) -> list[int]:
        """The words of items."""
        return words(items, self.word_bits)

    def load_key(self, key: bytes) -> list[Item]:
        """A key, for the secret data input."""
        return [
            self._first(Mark.INSTRUCTION, Opcode.LOAD_KEY << 28),
            *self._segment(Type.KEY, key, eoi=True, last=True),
        ]

    def activate_key(self) -> list[Item]:
        """The instruction to take a key from the secret data input."""
        return [self._first(Mark.INSTRUCTION, Opcode.ACTIVATE_KEY << 28)]

    def encrypt(self, npub: bytes, ad: bytes, message: bytes) -> list[Item]:
        """A message to encrypt, for the public data input."""
        eoi = Type.PLAINTEXT if message else Type.AD if ad else Type.NPUB
        return [
            self._first(Mark.INSTRUCTION, Opcode.ENCRYPT << 28),
            *self._segment(Type.NPUB, npub, eoi=eoi is Type.NPUB),
            *self._segments(Type.AD, ad, eoi=eoi is Type.AD),
            *self._segments(Type.PLAINTEXT, message, eoi=eoi is Type.PLAINTEXT, last=True),
        ]

    def decrypt(self, npub: bytes, ad: bytes, sealed: bytes) -> list[Item]:
        """A message to decrypt, with the tag at the end, for the public data input."""
        ciphertext, tag = self.shape.parts(sealed)
        eoi = Type.CIPHERTEXT if ciphertext else Type.AD if ad else Type.NPUB
        return [
            self._first(Mark.INSTRUCTION, Opcode.DECRYPT << 28),
            *self._segment(Type.NPUB, npub, eoi=eoi is Type.NPUB),
            *self._segments(Type.AD, ad, eoi=eoi is Type.AD),
            *self._segments(Type.CIPHERTEXT, ciphertext, eoi=eoi is Type.CIPHERTEXT),
            *self._segment(Type.TAG, tag, last=True),
        ]

    def encrypted(self, size: int, sealed: bytes) -> list[Item]:
        """The data output of a message of ``size`` bytes that was encrypted to ``sealed``: segments, tag and status.

        The output has the segments of the message; the last segment has all that the cipher adds; a single segment if
        the cipher is not online.
        """
        ciphertext, tag = self.shape.parts(sealed)
        segments = max(1, -(-size // self.segment)) if self.shape.online else 1
        parts = self._segments(Type.CIPHERTEXT, ciphertext, segments=segments)
        return [*parts, *self._segment(Type.TAG, tag, last=True), self._first(Mark.STATUS, StatusWord.SUCCESS << 28)]

    def decrypted(self, message: bytes) -> list[Item]:
        """The data output of a message that was decrypted: one segment, or at once segments; and the status."""
        return [*self._plaintext(message), self._first(Mark.STATUS, StatusWord.SUCCESS << 28)]

    def failed(self, unverified: bytes | None = None) -> list[Item]:
        """The data output of a message that failed; ``unverified``: plaintext that leaves if ``at_once``."""
        left = [] if unverified is None or not self.at_once else self._plaintext(unverified)
        return [*left, self._first(Mark.STATUS, StatusWord.FAILURE << 28)]

    def _plaintext(self, message: bytes) -> list[Item]:
        one_or_more = self._segments if self.at_once else self._segment
        return one_or_more(Type.PLAINTEXT, message, last=True)

    def header(
        self, type: int, length: int, *, eot: bool = True, eoi: bool = False, last: bool = False, partial: bool = False
    ) -> Item:
        """A segment header."""
        flags = partial << 3 | eoi << 2 | eot << 1 | last
        return self._first(Mark.HEADER, type << 28 | flags << 24 | length)

    def instruction(self, opcode: int) -> Item:
        """An instruction, perhaps an unknown one."""
        return self._first(Mark.INSTRUCTION, opcode << 28)

    def data(self, data: bytes) -> list[Item]:
        """Data in whole words; no item for none."""
        return [Item(Mark.DATA, data + bytes(-len(data) % (self.word_bits // 8)))] if data else []

    def _first(self, mark: Mark, value: int) -> Item:
        return Item(mark, value.to_bytes(4, "big").ljust(self.word_bits // 8, b"\0"))

    def _segment(
        self, type: Type, data: bytes, *, eot: bool = True, eoi: bool = False, last: bool = False
    ) -> list[Item]:
        return [self.header(type, len(data), eot=eot, eoi=eoi, last=last), *self.data(data)]

    def _segments(
        self, type: Type, data: bytes, *, eoi: bool = False, last: bool = False, segments: int = 0
    ) -> list[Item]:
        """Segments, ``segments`` if given: the last one has the rest. EOI, EOT and Last are of the last segment."""
        n = segments or max(1, -(-len(data) // self.segment))
        found = []
        for at in range(n):
            end = at == n - 1
            part = data[at * self.segment :] if end else data[at * self.segment : (at + 1) * self.segment]
            found += self._segment(type, part, eot=end, eoi=end and eoi, last=end and last)
        return found


def words(items: Iterable[Item], word_bits: int) -> list[int]:
    """The words of items."""
    size, data = word_bits // 8, b"".join(item.data for item in items)
    return [int.from_bytes(data[at : at + size], "big") for at in range(0, len(data), size)]


def input_ends(values: Sequence[int], word_bits: int) -> list[int]:
    """Places of the last words of whole messages, activations and keys among the words of an input."""
    ends, at = [], 0
    while at < len(values):
        last = values[at] >> word_bits - 4 == Opcode.ACTIVATE_KEY
        while not last and at + 1 < len(values):
            at += 1
            last = bool(values[at] >> word_bits - 8 & 1)
            at += _words_of(values[at], word_bits)
        ends.append(at)
        at += 1
    return ends


def output_ends(values: Sequence[int], word_bits: int) -> list[int]:
    """Places of the statuses among the words of an output."""
    ends, at = [], 0
    while at < len(values):
        if values[at] >> word_bits - 4 in [*StatusWord]:
            ends.append(at)
        at += 1 + _words_of(values[at], word_bits)
    return ends


def _words_of(header: int, word_bits: int) -> int:
    """Words of the segment that a header announces; none behind a status."""
    return -(-8 * (header >> word_bits - 32 & 0xFFFF) // word_bits)


def segments(values: Sequence[int], word_bits: int) -> dict[Type, bytes]:
    """The data of the segments of an output with a status at the end, by type.

    Raises ValueError for words of another form.
    """
    size, found = word_bits // 8, {}
    data = b"".join(value.to_bytes(size, "big") for value in values[:-1])
    while data:
        head = int.from_bytes(data[:4], "big")
        type, length = Type(head >> 28), head & 0xFFFF
        end = size + -(-length // size) * size
        if end > len(data):
            raise ValueError(f"a segment of {length} bytes has {len(data) - size}")
        found[type] = found.get(type, b"") + data[size : size + length]
        data = data[end:]
    return found


def text(items: Iterable[Item], word_bits: int, comment: str) -> str:
    """Items as lines of a text file, under a comment."""
    line = WORDS_A_LINE * word_bits // 8
    lines = [f"# {each}" for each in comment.splitlines()]
    for item in items:
        lines += [f"{item.mark} = {item.data[at : at + line].hex().upper()}" for at in range(0, len(item.data), line)]
    return "\n".join(lines) + "\n"


def from_text(name: str, content: str, word_bits: int) -> list[int]:
    """The words of a text file. Raises UserError, with ``name`` and the line, for a file of another form."""
    found: list[int] = []
    for number, line in enumerate(content.splitlines(), 1):
        mark, equals, value = line.partition("#")[0].partition("=")
        if not mark.strip():
            continue
        digits = value.strip()
        try:
            data = bytes.fromhex(digits)
        except ValueError:
            data = b""
        if not equals or mark.strip() not in [*Mark] or not data or len(data) % (word_bits // 8):
            marks = ", ".join(Mark)
            raise UserError(
                f"{name}, line {number}: must be one of {marks}, =, and words of {word_bits} bits in hexadecimal, got "
                f"{line.strip()!r}"
            )
        found += words([Item(Mark(mark.strip()), data)], word_bits)
    return found
