# SPDX-License-Identifier: Apache-2.0
"""Interface between the CAESAR Hardware API and a cipher: sizes, ports and their rules, as types."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BlockKind", "Cipher", "CipherShape", "Padding", "Timetable", "cipher_signature"]


class BlockKind(enum.Enum, shape=2):
    """Parts of a message in their order; the tag is given only to a cipher that judges it."""

    NPUB = 0
    AD = 1
    DATA = 2
    TAG = 3


class Padding(Enum):
    """Bytes of a block behind the message. ``ONE``: 80 00 .. 00, if the block has room; ``ZERO``: 00 .. 00.

    A cipher with another padding takes ``ZERO`` and adds a byte, see :func:`wideblock.rtl.bytes.marked`. A block of
    padding alone, behind a whole last block, is always made by the cipher.
    """

    ZERO = "zero"
    ONE = "one"


@dataclass(frozen=True)
class CipherShape:
    """Sizes of a cipher in bytes, the padding of its blocks of associated data and of message, and further properties.

    judges:  the cipher judges the tag of a decryption, the last block, of ``BlockKind.TAG``, padded with 00 .. 00;
             ``tag`` is 0 if and only if the message is right. Low: ``tag`` is compared with the received tag
    online:  results come during the message. Low: results come after the last block, and an encryption leaves as one
             segment
    expands: an encryption of n bytes gives n // block + 1 whole blocks; the last block of data is shorter than a block,
             maybe empty. A decryption has whole blocks, at least one, and the results' sizes add up to the message
    pipelined: the cipher can accept a block a cycle: a word of the next block is accepted together with a block
    taking:  cycles from a key offered to the key accepted, both counted

    A tag is no longer than a block.
    """

    block: int
    key: int
    npub: int
    tag: int
    padding: Padding = Padding.ZERO
    judges: bool = False
    online: bool = True
    expands: bool = False
    pipelined: bool = False
    taking: int = 1

    def __post_init__(self):
        if not 1 <= self.tag <= self.block:
            raise ValueError(f"a tag must be from 1 byte to a block of {self.block}, got {self.tag}")
        if self.expands and self.block & self.block - 1:
            raise ValueError(f"a cipher that expands must have blocks of a power of two, got {self.block}")

    def enciphered(self, size: Any) -> Any:
        """Bytes of ciphertext, without the tag, for ``size`` bytes of message: of an int, or in hardware of a value."""
        return (size | self.block - 1) + 1 if self.expands else size

    def parts(self, sealed: bytes) -> tuple[bytes, bytes]:
        """The ciphertext, and the tag at its end; what is shorter than a tag is all tag."""
        at = max(0, len(sealed) - self.tag)
        return sealed[:at], sealed[at:]

    @property
    def opens(self) -> bool:
        """Whether plaintext can leave segment by segment, each as long as its ciphertext."""
        return self.online and not self.expands

    @property
    def blocks(self) -> data.StructLayout:
        """A block in. ``size`` bytes are of the message, from byte 0 in bits 7..0; all others are padding.

        ``last``: the last block of a kind; earlier blocks of the kind are whole. The last block has size 0 if the kind
        has no byte, if the message is abandoned, or if a message of whole blocks is expanded. ``decrypt`` is equal in
        all blocks of a message, unless abandoned.
        """
        sizes = range(self.block + 1)
        return data.StructLayout({"data": 8 * self.block, "size": sizes, "kind": BlockKind, "last": 1, "decrypt": 1})

    @property
    def results(self) -> data.StructLayout:
        """A block out: ``size`` bytes from byte 0, in bits 7..0; the others are 0."""
        return data.StructLayout({"data": 8 * self.block, "size": range(self.block + 1)})


def cipher_signature(shape: CipherShape) -> wiring.Signature:
    """Ports of a cipher.

    key:   a key, byte 0 in bits 7..0; accepted between two messages
    i:     the blocks of a message: nonce, associated data, data, at least one block of each kind. If the cipher judges
           the tag, a decryption has a block of the tag, too. ready is low until a key is in place; ready does not
           depend on valid
    o:     the result of each block of data that is not empty, or is to be expanded; in order, always accepted. A result
           comes in the cycle of the accepted block or later; a combinational path from ``i`` is allowed. A result of
           size 0 may be left out. Two results are at least as many cycles apart as a block has words. The last result
           does not come after ``tag`` is valid. When the tag was accepted, nothing is left of a result
    tag:   the tag of the message that ended, byte 0 in bits 7..0, stable until accepted; the next message may begin
           then
    clear: forgets keys and messages, while high; see :class:`Cipher`

    A payload does not matter while its ``valid`` is low.

    An empty last block of each remaining kind abandons a message. If the cipher judges the tag of a decryption, the tag
    is such a kind. The tag of an abandoned message has no meaning. If the cipher expands, the empty blocks are blocks
    of a decryption and give no result.
    """
    return wiring.Signature(
        {
            "key": In(stream.Signature(8 * shape.key)),
            "i": In(stream.Signature(shape.blocks)),
            "o": Out(stream.Signature(shape.results, always_ready=True)),
            "tag": Out(stream.Signature(8 * shape.tag)),
            "clear": In(1),
        }
    )


class Timetable(Protocol):
    """The cycles of one message in an idle cipher: blocks are told in order, then results and tag are asked for."""

    def accept(self, kind: BlockKind, size: int, *, last: bool, offered: int) -> int:
        """The cycle in which a block is accepted that is valid from cycle ``offered`` on."""
        ...

    def results(self) -> list[int]:
        """The cycles in which results are valid, in order; one of size 0 may be left out. Asked after all blocks."""
        ...

    def tag(self) -> int:
        """The cycle from which on the tag is valid. Asked after all blocks."""
        ...


class Cipher(Protocol):
    """A component with the ports of :func:`cipher_signature`.

    setup:   cycles from a key accepted to the first block that can be accepted
    flush:   cycles of ``clear`` after which nothing is left of any key or message
    remains: registers and memories, as patterns of their names, that keep a value of the last message until the next
    """

    shape: CipherShape
    setup: int
    flush: int

    @property
    def remains(self) -> tuple[str, ...]: ...

    def timetable(self, *, decrypt: bool) -> Timetable:
        """The cycles of one message."""
        ...
