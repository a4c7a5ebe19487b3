# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of an authenticated cipher behind the CAESAR Hardware API."""

from dataclasses import dataclass

from wideblock.rtl.stream.behaviour import Figure

from .cipher import BlockKind, Cipher
from .post_processor import GAP
from .pre_processor import SEGMENT
from .result_buffer import LATENCY
from .verdict import COMPARISON

__all__ = ["AeadTiming"]


@dataclass(frozen=True)
class AeadTiming:
    """Cycles with a valid word in each cycle, and every word of the output accepted at once.

    cipher:  the cipher, with its own timetable
    loading: cycles of the key loader
    zeroize: ``zeroize`` (or reset) to the end of clearing, when an instruction can be accepted again
    """

    cipher: Cipher
    word_bits: int
    loading: int
    zeroize: int

    holds = "whatever the data and the key, with no pause of the input and an output that is never stalled"

    def figures(self) -> tuple[Figure, ...]:
        """The figures in order."""
        block = self.cipher.shape.block
        until = "instruction accepted to status accepted"
        return (
            Figure("activation", self.activation, "instruction to activate a key to the next instruction"),
            Figure("encryption", self.message(0, block), f"{until}, for {block} bytes, no associated data"),
            Figure("decryption", self.message(0, block, decrypt=True), f"{until}, the same"),
            Figure("interval", self.interval, f"for each block of {block} bytes more to encrypt"),
            Figure("zeroize", self.zeroize, "at most, to clear every key, message, derived value and buffer"),
        )

    @property
    def activation(self) -> int:
        """Instruction to activate a key accepted to the next instruction that can be accepted."""
        return 1 + self.loading + self.cipher.shape.taking  # load is raised; the key is accepted

    @property
    def interval(self) -> int:
        """Cycles a block of data more, of an encryption of more than a few blocks, however long."""
        return self.message(0, 32 * self.cipher.shape.block) - self.message(0, 31 * self.cipher.shape.block)

    def message(self, ad: int, size: int, *, decrypt: bool = False, activated: bool = False) -> int:
        """Instruction accepted to status accepted, for ``ad`` bytes of associated data and a message of ``size``.

        ``decrypt``: under the right tag. ``activated``: the instruction is the first after that which activates a key.
        Back to back the next instruction is accepted in the same cycle.
        """
        cipher, shape = self.cipher.timetable(decrypt=decrypt), self.cipher.shape
        ready = self.cipher.setup - 1 if activated else 0
        at = announced = 1  # cycle of the next step
        for kind, n in self._segments(ad, size, decrypt):
            at += SEGMENT
            announced = at - 1
            for part, last in self._parts(kind, n, decrypt):
                offered = max(at + self.words(part), ready)
                accepted = cipher.accept(kind, part, last=last, offered=offered)
                at = accepted if shape.pipelined and not last else accepted + 1
        if not decrypt and not shape.online:
            announced, at = at, at + 1
        if decrypt and not shape.judges:
            at += SEGMENT + self.words(shape.tag)
        length = size if decrypt else shape.enciphered(size)
        sizes = (self.words(min(shape.block, length - start)) for start in range(0, length, shape.block))
        results = list(zip(cipher.results(), sizes, strict=False))  # one of size 0 has no words
        if decrypt:
            return self._decrypted(max(at, cipher.tag()), results)
        return self._encrypted(at, announced, results, cipher.tag())

    def _segments(self, ad: int, size: int, decrypt: bool) -> list[tuple[BlockKind, int]]:
        """The segments that the cipher is given, each with its bytes."""
        shape = self.cipher.shape
        data = shape.enciphered(size) if decrypt else size
        tag = [(BlockKind.TAG, shape.tag)] if decrypt and shape.judges else []
        return [(BlockKind.NPUB, shape.npub), (BlockKind.AD, ad), (BlockKind.DATA, data), *tag]

    def _parts(self, kind: BlockKind, n: int, decrypt: bool) -> list[tuple[int, bool]]:
        """The bytes of the blocks of a segment of ``n`` bytes, and whether each is the last one."""
        shape = self.cipher.shape
        longer = shape.expands and kind is BlockKind.DATA and not decrypt
        starts = range(0, n + 1 if longer else max(1, n), shape.block)
        return [(min(shape.block, n - start), start == starts[-1]) for start in starts]

    def _encrypted(self, at: int, announced: int, results: list[tuple[int, int]], tag: int) -> int:
        """The status accepted, with the segment announced and the cipher's results in these cycles."""
        out = announced + 1  # the header leaves
        for result, words in results:
            for word in range(words):
                out = max(out + 1, result + LATENCY + word)
        return max(at, out + 1, tag) + 1 + self.words(self.cipher.shape.tag) + GAP

    def _decrypted(self, compared: int, results: list[tuple[int, int]]) -> int:
        """The status accepted, with the tags compared and the cipher's results in these cycles."""
        stored = max((result + words for result, words in results), default=0)
        released = max(compared, stored) + COMPARISON
        return released + 1 + sum(words for _, words in results) + GAP

    def words(self, size: int) -> int:
        """Words of ``size`` bytes."""
        return -(-8 * size // self.word_bits)
