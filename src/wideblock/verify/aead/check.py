# SPDX-License-Identifier: Apache-2.0
"""The part that all checks of an authenticated cipher share: random messages, plays, and the first difference."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wideblock.drive.aead.caesar import CaesarFormat, output_ends
from wideblock.drive.aead.exchange import Exchange, activation, decryption, encryption
from wideblock.drive.aead.simulation import AeadSimulation, PlayedMessages
from wideblock.export.contract import AeadContract
from wideblock.rtl.stream.behaviour import LengthClass
from wideblock.simulation.structures import PlayOutcome
from wideblock.spec.aead import Rejected
from wideblock.verify.core.check import Check

__all__ = ["AeadCheck", "difference"]

USUAL = 300
"""Bytes of the longest random message, and of its associated data."""


class AeadCheck(Check[AeadSimulation]):
    """A check of an authenticated cipher under way."""

    def __init__(self, subject: AeadContract, simulation: AeadSimulation, *rest: Any):
        super().__init__(subject, simulation, *rest)
        self.api, self.shape = simulation.api, subject.behaviour.shape

    def key(self) -> tuple[Exchange, Any]:
        """The activation of a random key, and the specification under it."""
        key = self.random(self.shape.key)
        return activation(self.api, key), self.subject.specification(key)

    def size(self, most: int) -> int:
        """A length: few bytes or about a block as often as any other."""
        kind = self.rng.integers(3)
        return min(most, self.number(0, (4, 2 * self.shape.block + 1, USUAL)[kind]))

    def message(self, spec: Any, *, size: int | None = None, ad: int | None = None, **how: Any) -> Exchange:
        """A random message. ``decrypt``: direction; ``flip``: one bit of tag, text, data or nonce is wrong."""
        npub = self.random(self.shape.npub)
        A = self.random(self.size(self.behaviour.longest_ad) if ad is None else ad)
        P = self.random(self.size(self.behaviour.longest(decrypt=True)) if size is None else size)
        few = min(self.shape.block * self.number(1, 8), self.api.segment) if self.rng.integers(2) else self.api.segment
        api = replace(self.api, segment=few)
        if not how.get("decrypt", how.get("flip") or bool(self.rng.integers(2))):
            return self._encryption(api, spec, npub, A, P)
        C = spec.encrypt(npub, A, P)
        if how.get("flip"):
            npub, A, C = self._flipped(npub, A, C)
        return self._decryption(api, spec, npub, A, C)

    def of(self, kind: LengthClass) -> tuple[int, int]:
        """Bytes of associated data and of a message of a class, chosen at random."""
        return int(self.rng.choice(kind.tweaks)), int(self.rng.choice(kind.sizes))

    def plain(
        self, spec: Any, ad: int, size: int, decrypt: bool, *, wrong: bool = False, api: CaesarFormat | None = None
    ) -> Exchange:
        """A random message of given lengths, in as few segments as may be; ``wrong``: to be rejected.

        ``api``: another format of the message.
        """
        npub, A, P = self.random(self.shape.npub), self.random(ad), self.random(size)
        if decrypt:
            C = spec.encrypt(npub, A, P)
            return self._decryption(api or self.api, spec, npub, A, C[:-1] + bytes([C[-1] ^ wrong]))
        return self._encryption(api or self.api, spec, npub, A, P)

    def _encryption(self, api: CaesarFormat, spec: Any, npub: bytes, A: bytes, P: bytes) -> Exchange:
        return encryption(api, npub, A, P, spec.encrypt(npub, A, P))

    def _decryption(self, api: CaesarFormat, spec: Any, npub: bytes, A: bytes, C: bytes) -> Exchange:
        try:
            return decryption(api, npub, A, C, spec.decrypt(npub, A, C))
        except Rejected:
            return self.forged(api, spec, npub, A, C)

    def forged(self, api: CaesarFormat, spec: Any, npub: bytes, A: bytes, C: bytes) -> Exchange:
        """A message to be rejected, after the plaintext if the core releases at once."""
        unverified = spec.unverified(npub, A, C)[0] if api.at_once else None
        return decryption(api, npub, A, C, None, unverified)

    def _flipped(self, *parts: bytes) -> tuple[bytes, ...]:
        """The parts with a changed bit, in any part that is not empty."""
        chosen = self.rng.choice([n for n, part in enumerate(parts) if part])
        at = self.number(0, 8 * len(parts[chosen]) - 1)
        changed = int.from_bytes(parts[chosen], "little") ^ 1 << at
        return *parts[:chosen], changed.to_bytes(len(parts[chosen]), "little"), *parts[chosen + 1 :]

    def play(self, exchanges: Sequence[Exchange], *, reset: bool = True, **more: Any) -> str | None:
        """The first difference of exchanges played in a row, or None."""
        if reset:
            self.simulation.reset()
        played = self.words(exchanges, **more)
        return difference(exchanges, played, self.api.word_bits)

    def words(self, exchanges: Sequence[Exchange], **more: Any) -> PlayedMessages:
        """The record of the words of exchanges, as :meth:`AeadSimulation.play` plays them."""
        with self.timed():
            played = self.simulation.play(exchanges, seed=self.play_seed(), **more)
        self.count(played.cycles, len(exchanges))
        return played


def difference(
    exchanges: Sequence[Exchange], played: PlayedMessages, word_bits: int, *, whole: bool = True
) -> str | None:
    """The first difference between the output and the right words, explained; None if there is none.

    ``whole``: all of them must have left; otherwise the words so far are judged.
    """
    if played.violation is not None:
        return f"{played.violation}, cycle {played.cycles}."
    at = 0
    for number, each in enumerate(exchanges):
        ends = output_ends(each.right, word_bits)
        for word, right in enumerate(each.right):
            where = f"Exchange {number} ({each.about}), word {word} of its output"
            if at == len(played.out):
                if not whole:
                    return None
                ended = "the core is stuck" if played.outcome is PlayOutcome.STUCK else "no more words leave"
                return f"{where}: right is {right:0{word_bits // 4}x}, but {ended} after {played.cycles} cycles."
            if played.out[at] != right:
                got = f"{played.out[at]:0{word_bits // 4}x}"
                return f"{where}: right is {right:0{word_bits // 4}x}, the core gives {got} in cycle {played.left[at]}."
            if played.last is not None and (at in played.last) != (word in ends):
                level = "high" if at in played.last else "low"
                return f"{where}: the flag of a packet's last word is {level} in cycle {played.left[at]}."
            at += 1
    if at < len(played.out):
        return f"{len(played.out) - at} words too many leave, the first in cycle {played.left[at]}."
    if whole and played.outcome is not PlayOutcome.DONE:
        taken = ", ".join(
            f"{played.taken(port)} of {len(cycles)} words of {port}" for port, cycles in played.accepted.items()
        )
        return f"The core is stuck after {played.cycles} cycles: it accepted {taken}."
    return None
