# SPDX-License-Identifier: Apache-2.0
"""Authenticated ciphers behind one interface: a ciphertext is one byte string with its tag at the end.

Symbols: A || B is A, then B; A + B their sum bit by bit; [n]_128 the 16-byte big-endian integer n. Numbers in the byte
strings of docstrings are hexadecimal: 80 00 .. 00.
"""

from abc import ABC, abstractmethod
from typing import Self

from wideblock.spec.values import Values

__all__ = ["AEAD", "Rejected"]


class Rejected(Exception):
    """A ciphertext that ``encrypt`` does not give under this key, nonce and associated data.

    The message is the same for a wrong tag, a wrong length and a wrong padding, and no plaintext is returned.
    """

    def __init__(self) -> None:
        super().__init__("ciphertext rejected: not made under this key, nonce and associated data")


class AEAD(ABC):
    """An authenticated cipher under one key.

    ``name`` and ``security`` are those of the scheme, ``tag_bytes`` the bytes of tag at the end of a ciphertext.
    """

    name: str
    security: str
    tag_bytes: int = 16

    @abstractmethod
    def encrypt(self, nonce: bytes, ad: bytes, message: bytes) -> bytes:
        """The enciphered message || its tag; ValueError for a length that the cipher does not have."""

    def decrypt(self, nonce: bytes, ad: bytes, ciphertext: bytes) -> bytes:
        """The message of an intact ciphertext; :class:`Rejected` for any other."""
        message, intact = self.unverified(nonce, ad, ciphertext)
        if not intact:
            raise Rejected
        return message

    def with_tag(self, tag_bytes: int) -> Self:
        """The cipher under the same key with tags of ``tag_bytes``; ValueError for a size that it does not have."""
        if tag_bytes != self.tag_bytes:
            raise ValueError(f"tag of {self.name} must be {self.tag_bytes} bytes, got {tag_bytes}")
        return self

    @abstractmethod
    def unverified(self, nonce: bytes, ad: bytes, ciphertext: bytes) -> tuple[bytes, bool]:
        """The message before the verdict, and the verdict: whether the ciphertext is intact.

        For checks that a message which is not intact stays inside a core. Raises :class:`Rejected` for a length that no
        ciphertext has.
        """

    @abstractmethod
    def key_values(self, blocks: int) -> Values:
        """Secret values that the key alone determines, for messages of ``blocks`` blocks.

        The key itself is among them, in blocks of 16 bytes.
        """

    @abstractmethod
    def message_values(self, nonce: bytes, ad: bytes, blocks: int) -> Values:
        """Secret values that key, nonce and associated data of a message of ``blocks`` blocks determine."""
