# SPDX-License-Identifier: Apache-2.0
"""Messages with their right output."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wideblock.drive.aead.caesar import CaesarFormat, Item

__all__ = ["Exchange", "activation", "decryption", "encryption", "exchange", "failing"]


@dataclass(frozen=True)
class Exchange:
    """One message, or the activation of a key, at the ports: words in, and the right words out.

    Where inputs have packets, ``pdi`` and ``sdi`` are one each.
    """

    about: str
    pdi: Sequence[int]
    sdi: Sequence[int]
    right: Sequence[int]


def exchange(
    api: CaesarFormat, about: str, pdi: Iterable[Item], right: Iterable[Item] = (), sdi: Iterable[Item] = ()
) -> Exchange:
    """An exchange of items."""
    return Exchange(about, *map(api.words, (pdi, sdi, right)))


def activation(api: CaesarFormat, key: bytes) -> Exchange:
    """A key and its activation; nothing leaves."""
    return exchange(api, "activation of a key", api.activate_key(), (), api.load_key(key))


def encryption(api: CaesarFormat, npub: bytes, ad: bytes, message: bytes, sealed: bytes) -> Exchange:
    """A message to encrypt; ``sealed`` is the right ciphertext with its tag at the end."""
    about = f"encryption of {len(message)} bytes, {len(ad)} of associated data"
    return exchange(api, about, api.encrypt(npub, ad, message), api.encrypted(len(message), sealed))


def decryption(
    api: CaesarFormat, npub: bytes, ad: bytes, sealed: bytes, message: bytes | None, unverified: bytes | None = None
) -> Exchange:
    """A message to decrypt, with the tag at the end; ``message`` is the right plaintext, or None for a message that
    must be rejected. ``unverified``: plaintext of a rejected message, for a core of ``release=at-once``.
    """
    wrong = ", to be rejected" if message is None else ""
    about = f"decryption of {max(0, len(sealed) - api.shape.tag)} bytes, {len(ad)} of associated data{wrong}"
    right = api.failed(unverified) if message is None else api.decrypted(message)
    return exchange(api, about, api.decrypt(npub, ad, sealed), right)


def failing(api: CaesarFormat, of: Exchange, why: str) -> Exchange:
    """A right message that must fail."""
    return Exchange(f"{of.about}, {why}", of.pdi, (), api.words(api.failed()))
