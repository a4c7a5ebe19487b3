# SPDX-License-Identifier: Apache-2.0
"""The keys of a scheme as a value: the words of the key port, and the program of derivations."""

from dataclasses import dataclass

from wideblock.rtl.stream.behaviour import KeyRule

__all__ = ["Derivation", "KeyMaterial", "KeyWord"]


@dataclass(frozen=True)
class KeyWord:
    """A word of key material.

    name:    the paper's symbol
    bits:    its width
    meaning: a noun phrase for the documentation of the port
    field:   field of a published answer with the word, alone or side by side with the words next to it
    rounds:  of a derived AES key: rounds of the cipher; None: all of AES
    """

    name: str
    bits: int
    meaning: str
    field: str = "key"
    rounds: int | None = None


@dataclass(frozen=True)
class Derivation:
    """``into`` becomes the cipher's output for ``block`` under ``key``, an AES key; byte 0 is bits 7..0.

    A word of more than 128 bits takes several derivations, each for 128 bits from bit ``at`` on.
    """

    block: int
    key: KeyWord
    into: KeyWord
    at: int = 0


@dataclass(frozen=True)
class KeyMaterial:
    """All key material of a scheme.

    port:        words of the key port, the first in the low bits
    ciphers:     AES keys among the words, in the order of round keys
    hash_key:    the word for the hash units, of the port or derived; None without a hash
    derivations: run one after another after every new key
    expanded:    derived AES keys, expanded after the derivations; the last key's round keys replace the round keys of
                 the port's key
    rule:        refused keys

    Raises ValueError for words that are neither of the port nor derived, and for an AES key of fewer rounds as the
    last expanded key.
    """

    port: tuple[KeyWord, ...]
    ciphers: tuple[KeyWord, ...]
    hash_key: KeyWord | None = None
    derivations: tuple[Derivation, ...] = ()
    rule: KeyRule = KeyRule.ANY
    expanded: tuple[KeyWord, ...] = ()

    def __post_init__(self):
        derived = [derivation.into for derivation in self.derivations]
        for word in self.ciphers:
            if word not in self.port:
                raise ValueError(f"AES key {word.name} is not a word of the key port")
        for derivation in self.derivations:
            if derivation.key not in self.ciphers:
                raise ValueError(f"{derivation.into.name} is derived under {derivation.key.name}, which is no AES key")
        for word in self.expanded:
            if word not in derived or word.bits != self.ciphers[0].bits:
                raise ValueError(
                    f"AES key {word.name} of {word.bits} bits is not derived, or not as long as the port's"
                )
        if self.expanded and self.expanded[-1].rounds is not None:
            raise ValueError(
                f"AES key {self.expanded[-1].name} is expanded last and serves AES: all rounds are its own"
            )
        if self.hash_key is not None and self.hash_key not in (*self.port, *derived):
            raise ValueError(f"hash key {self.hash_key.name} is neither a word of the key port nor derived")

    @property
    def bits(self) -> int:
        """Width of the key port."""
        return sum(word.bits for word in self.port)

    @property
    def text(self) -> str:
        """The words in order, for the documentation of the port."""
        return ", then ".join(word.meaning for word in self.port)

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of a published answer that make up the key, in the order of the port."""
        return tuple(dict.fromkeys(word.field for word in self.port))

    @property
    def raw(self) -> tuple[KeyWord, ...]:
        """Words of the port, AES keys left out."""
        return tuple(word for word in self.port if word not in self.ciphers)

    @property
    def stored(self) -> tuple[KeyWord, ...]:
        """Derived words kept by the key unit: no AES key, and no hash key of the hash units."""
        derived = dict.fromkeys(derivation.into for derivation in self.derivations)
        return tuple(word for word in derived if word not in (self.hash_key, *self.expanded))

    def place(self, word: KeyWord) -> slice:
        """Bits of a word on the key port."""
        start = sum(before.bits for before in self.port[: self.port.index(word)])
        return slice(start, start + word.bits)
