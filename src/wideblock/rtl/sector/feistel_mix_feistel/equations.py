# SPDX-License-Identifier: Apache-2.0
"""Everything that a scheme of the family Feistel-mix-Feistel states: the masks of its calls.

A sector is m pairs of blocks M_i, M'_i and a last pair M_x, M_y. A call is the cipher of a block plus a mask::

    W_i = M_i + outer_i(M'_i)           X_i = M'_i + inner(W_i)              the first layer, two Feistel rounds
    S_x = M_x + X + Delta + last_outer(M_y)    S_y = M_y + last_inner(S_x)   the mix, X the sum of all X_i
    s_i = between_i(S_x + S_y)          Y_i = W_i + s_i    Z_i = X_i + s_i
    C'_i = Y_i + inner(Z_i)             C_i = Z_i + outer_i(C'_i)            the second layer, two rounds again
    C_y = S_x + last_inner(S_y)         C_x = S_y + Y + Delta + last_outer(C_y)         Y the sum of all Y_i

Delta is ``delta`` of the tweak, or 0 without one. Decryption is the same computation, but for the two masks of the last
pair: that of the first layer and that of the second change places.
"""

from collections.abc import Mapping

from amaranth import Value

from wideblock.rtl.keys.material import KeyWord

__all__ = ["Equations", "Words"]

Words = Mapping[KeyWord, Value]
"""The words that the key unit derives."""


class Equations:
    """The masks of a scheme; values are blocks of 128 bits, byte 0 in bits 7..0.

    ``jJ`` is the multiple of a pair's number: j = 1 for the first. ``second`` is low in the first layer of encryption
    and the second of decryption, else high. Beside these a scheme states ``title``, ``check`` and ``key_material``,
    see :class:`StoreAndForward`.
    """

    numbered: KeyWord
    """The derived word whose multiples number the pairs. AEZ-core: J."""

    def scaled(self, word: Value, k: int) -> Value:
        """The word times 2^k; j J is the sum of those for the bits of j."""
        raise NotImplementedError

    def outer(self, jJ: Value, words: Words) -> Value:
        """The mask of M'_i and of C'_i. AEZ-core: that of E(1, j; ..)."""
        raise NotImplementedError

    def inner(self, words: Words) -> Value:
        """The mask of W_i and of Z_i. AEZ-core: that of E(0, 0; ..)."""
        raise NotImplementedError

    def between(self, jJ: Value, words: Words) -> Value:
        """The mask of S_x + S_y in the call for a pair. AEZ-core: that of E(2, j; ..)."""
        raise NotImplementedError

    def last_outer(self, second: Value, words: Words) -> Value:
        """The mask of M_y and of C_y. AEZ-core: that of E(0, 1; ..), if ``second`` of E(0, 2; ..)."""
        raise NotImplementedError

    def last_inner(self, second: Value, words: Words) -> Value:
        """The mask of S_x and of S_y. AEZ-core: that of E(-1, 1; ..), if ``second`` of E(-1, 2; ..)."""
        raise NotImplementedError

    def delta(self, words: Words) -> Value:
        """The mask of the tweak, in the call that gives Delta. AEZ-core: that of E(3, 1; ..)."""
        raise NotImplementedError
