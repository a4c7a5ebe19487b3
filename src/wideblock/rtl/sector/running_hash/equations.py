# SPDX-License-Identifier: Apache-2.0
"""The equations of a scheme of the family running hash.

    header, T, X_2..X_m -> hash -> R -> [E] -> G;  Z of R and G          [D] when decrypting
    Y_i = X_i + E(counter(Z, i - 1)), i = 2..m
    header, T, Y_2..Y_m -> hash -> Y_1 = inner

The hash is Horner's rule, and h its key.
"""

from collections.abc import Sequence

from amaranth import Value

from wideblock.rtl.gf128.reading import WireReading

from ..copies import Words

__all__ = ["RunningHashEquations"]


class RunningHashEquations:
    """The equations of a scheme; values are 128 bits, byte 0 of a block in bits 7..0.

    A scheme states ``title`` and ``key_material``, too, see :class:`StoreAndForward`. ``words``: derived words of the
    key material, without the hash key.
    """

    reading: WireReading
    """Reading of a block as an element of the hash's field."""

    def header(self, tweak_size: Value, whole: Value) -> Value:
        """The first block of the hash, of the tweak's bytes, and of whether the message is ``whole`` blocks."""
        raise NotImplementedError

    def padded(self, block: Value, end: Value) -> Value:
        """The last block for the hash; bytes of ``block`` behind number ``end`` are zero."""
        raise NotImplementedError

    def R(self, X: Sequence[Value], decrypt: Value, hashed: Value) -> Value:
        """The single call's input, of [X_1] and the hash of the input."""
        raise NotImplementedError

    def Z(self, R: Value, G: Value, B: Value | None, words: Words) -> Value:
        """Start of the counter mode, of the single call's input and result. ``B`` is None."""
        raise NotImplementedError

    def counter(self, Z: Value, index: Value) -> Value:
        """The cipher's input for block ``index`` of the counter mode, from 1 on."""
        raise NotImplementedError

    def inner(self, before: Value, h: Value) -> Value:
        """Y_1, of G and the hash of the result."""
        raise NotImplementedError
