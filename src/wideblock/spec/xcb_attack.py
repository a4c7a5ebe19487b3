# SPDX-License-Identifier: Apache-2.0
"""Attacks on XCB: the plaintext of a sector, from a few queries with other sectors and no key.

Each takes the two directions of an implementation as functions (tweak, sector) -> sector, a model or a core, and a
ciphertext sector, never passed to ``decrypt`` under the sector's tweak.

Notation as in :mod:`wideblock.spec.xcb`; ks(D) is the key stream that D starts. The hash is linear: in version 2,
h1(Z, B + x) = h1(Z, B) + p(x) and h2(Z, E + x) = h2(Z, E) + p(x) with the same p in both, the difference that they
share. In every version, for Z' of the length of Z, h(Z', X) = h(Z, X) + a value that does not depend on X: the hash is
separable.
"""

from collections.abc import Callable

from wideblock.spec.aes import BLOCK
from wideblock.spec.blocks import add

__all__ = ["Cipher", "recover_all_but_last_block", "recover_sector"]

Cipher = Callable[[bytes, bytes], bytes]
"""One direction of a tweakable cipher: (tweak, sector) -> sector."""


def recover_all_but_last_block(encrypt: Cipher, decrypt: Cipher, tweak: bytes, ciphertext: bytes) -> bytes:
    """B of the plaintext B || A of a version 2 ciphertext E || G, with two queries.

    Deciphering (E + x) || G meets D' = D + p(x) and gives B' || A'. Enciphering (B' + x) || A' meets D' + p(x) = D
    again: the result E'' shows ks(D) = E'' + B' + x, and B = E + ks(D).

    x is a difference of the first byte; any but zero serves.

    Source: Bhati, Verbauwhede, Andreeva, ePrint 2024/1554, for the number of queries; the steps follow from the
            equations.
    """
    x = _difference(ciphertext)
    chosen = add(decrypt(tweak, add(ciphertext, x)), x)
    enciphered = encrypt(tweak, chosen)
    return add(add(chosen, enciphered), ciphertext)[:-BLOCK]


def recover_sector(encrypt: Cipher, decrypt: Cipher, tweak: bytes, ciphertext: bytes) -> bytes:
    """The plaintext of a version 2 ciphertext, with three queries.

    The queries of :func:`recover_all_but_last_block` give E'' || G'' with F'' = D + h2(Z, E''). Deciphering
    (E'' + x) || G'' meets D' once more and gives E'' + x + ks(D') = B + x, because E'' = E + ks(D') + ks(D); C is
    D' + h1(Z, B + x) = D + h1(Z, B), as of the plaintext: the last block is A.

    Source: Wang, Mao, Xu, Jing, Wang, ePrint 2024/1527, for the number of queries; the steps follow from the equations.
    """
    x = _difference(ciphertext)
    enciphered = encrypt(tweak, add(decrypt(tweak, add(ciphertext, x)), x))
    return add(decrypt(tweak, add(enciphered, x)), x)


def _difference(ciphertext: bytes) -> bytes:
    """x as a sector: one bit of the first byte; ValueError if there is nothing before the last block."""
    if len(ciphertext) <= BLOCK:
        raise ValueError(f"the attack needs a sector of more than {BLOCK} bytes, got {len(ciphertext)}")
    return b"\1" + bytes(len(ciphertext) - 1)
