# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of an authenticated cipher behind the CAESAR Hardware API."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

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
    segment: bytes of each segment of associated data and of data before the last, in a core that releases at once;
             None: a message has one segment of each
    """

    cipher: Cipher
    word_bits: int
    loading: int
    zeroize: int
    segment: int | None = None

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
        """Cycles a block of data more, of an encryption of more than a few blocks, however long, in a segment."""
        whole = replace(self, segment=None)
        return whole.message(0, 32 * self.cipher.shape.block) - whole.message(0, 31 * self.cipher.shape.block)

    def message(self, ad: int, size: int, *, decrypt: bool = False, activated: bool = False) -> int:
        """Instruction accepted to status accepted, for ``ad`` bytes of associated data and a message of ``size``.

        ``decrypt``: under the right tag. ``activated``: the instruction is the first after that which activates a key.
        Back to back the next instruction is accepted in the same cycle.
        """
        cipher, shape = self.cipher.timetable(decrypt=decrypt), self.cipher.shape
        ready = self.cipher.setup - 1 if activated else 0
        at = 1  # cycle of the next step
        left, given, announced = 0, 0, None  # last word that left, results up to it; the present segment: cycle, bytes
        for kind, n, ends in self._segments(ad, size, decrypt):
            at += SEGMENT
            if kind is BlockKind.DATA and not (decrypt and not self.at_once):
                if announced:  # all of the segment leaves before the next header
                    left = self._left(left, *announced, cipher.results()[given:])
                    given += len(self._sizes(announced[1]))
                    at = max(at, left + 2)
                announced = at - 1, shape.enciphered(n) if ends and not decrypt else n
            parts = self._parts(n, longer=ends and kind is BlockKind.DATA and not decrypt)
            for number, part in enumerate(parts, 1):
                offered = max(at + self.words(part), ready)
                accepted = cipher.accept(kind, part, last=ends and number == len(parts), offered=offered)
                at = accepted if shape.pipelined and number < len(parts) else accepted + 1
        if not decrypt and not shape.online:
            announced, at = (at, shape.enciphered(size)), at + 1
        if decrypt and not shape.judges:
            at += SEGMENT + self.words(shape.tag)
        if announced is None:
            return self._decrypted(max(at, cipher.tag()), size, cipher.results())
        left = self._left(left, *announced, cipher.results()[given:])
        if decrypt:
            return max(max(at, cipher.tag()) + COMPARISON, left + 1) + 1
        return max(at, left + 1, cipher.tag()) + 1 + self.words(shape.tag) + GAP

    @property
    def at_once(self) -> bool:
        """Whether a decryption leaves segment by segment, before its tag is compared."""
        return self.segment is not None and self.cipher.shape.opens

    def _left(self, left: int, at: int, size: int, results: list[int]) -> int:
        """The cycle in which the last word of a segment is accepted, after the segment before was in cycle ``left``.

        The segment of ``size`` bytes is announced in cycle ``at``.
        """
        left = max(left, at + 1)  # the header leaves
        for words, result in zip(self._sizes(size), results, strict=False):  # a result of size 0 has no words
            for word in range(words):
                left = max(left + 1, result + LATENCY + word)
        return left

    def _sizes(self, size: int) -> list[int]:
        """Words of each result of ``size`` bytes in all."""
        return [self.words(min(self.cipher.shape.block, size - at)) for at in range(0, size, self.cipher.shape.block)]

    def _segments(self, ad: int, size: int, decrypt: bool) -> Iterator[tuple[BlockKind, int, bool]]:
        """Segments for the cipher: kind, bytes, and whether the segment is the last of a kind."""
        shape = self.cipher.shape
        yield BlockKind.NPUB, shape.npub, True
        data = shape.enciphered(size) if decrypt else size
        for kind, n in ((BlockKind.AD, ad), (BlockKind.DATA, data)):
            starts = range(0, max(1, n), self.segment or max(1, n))
            for start in starts:
                yield kind, min(n - start, self.segment or n), start == starts[-1]
        if decrypt and shape.judges:
            yield BlockKind.TAG, shape.tag, True

    def _parts(self, n: int, *, longer: bool) -> list[int]:
        """The bytes of the blocks of a segment of ``n`` bytes; ``longer``: if the cipher expands, with padding."""
        shape = self.cipher.shape
        starts = range(0, n + 1 if shape.expands and longer else max(1, n), shape.block)
        return [min(shape.block, n - start) for start in starts]

    def _decrypted(self, compared: int, size: int, results: list[int]) -> int:
        """The status accepted, with the tags compared and the cipher's results in these cycles."""
        sizes = self._sizes(size)
        stored = max((result + words for result, words in zip(results, sizes, strict=False)), default=0)
        released = max(compared, stored) + COMPARISON
        return released + 1 + sum(sizes) + GAP

    def words(self, size: int) -> int:
        """Words of ``size`` bytes."""
        return -(-8 * size // self.word_bits)
