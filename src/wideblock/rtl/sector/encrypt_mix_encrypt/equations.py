# SPDX-License-Identifier: Apache-2.0
"""The equations of a scheme of the family encrypt-mix-encrypt: two layers and the mix.

    PPP_j = E(enter(P_j, L_j))                             the first layer
    MP    = T* + PPP_0 + .. + PPP_(n-1)  [+ the rest]      the mix
    MC    = E(MP)  [or E(E(MP)), with a rest]
    CCC_j = inner(PPP_j, M_j),  j = 1..n-1                 the second layer
    CCC_0 = MC + T* + CCC_1 + .. + CCC_(n-1)  [+ the rest's result]
    C_j   = leave(E(CCC_j), L_j)

M_j is M_(j-1) once advanced, from M_0 = mask(MP, MC). Each ``period``-th mask is refreshed by a call instead: M_j =
mask(MP_j, E(MP_j)), MP_j = refresh(PPP_j, M_0). A rest, the bytes behind the whole blocks, is padded; the result of the
rest is the rest plus E(MP). Decryption uses the inverse cipher, except for the tweak's call.
"""

from amaranth import Value

from ..copies import Words

__all__ = ["EmeEquations", "Words"]


class EmeEquations:
    """The equations of a scheme; values are 128 bits, byte 0 of a block in bits 7..0.

    Beside these a scheme states ``title`` and ``key_material``, see :class:`StoreAndForward`.
    """

    period: int
    """Blocks from one refresh of the mask to the next; a power of two."""

    def tweak_call(self, T: Value, words: Words) -> Value:
        """The cipher's input for the tweak."""
        raise NotImplementedError

    def T_star(self, E: Value, words: Words) -> Value:
        """T*, of the cipher's output for the tweak."""
        raise NotImplementedError

    def first_offset(self, words: Words) -> Value:
        """L_0, the offset of block 0."""
        raise NotImplementedError

    def offset(self, L: Value, blocks: int) -> Value:
        """The offset ``blocks`` blocks after that of ``L``."""
        raise NotImplementedError

    def enter(self, P: Value, L: Value) -> Value:
        """The first layer's call for a block."""
        raise NotImplementedError

    def mask(self, MP: Value, MC: Value) -> Value:
        """A mask, from input and output of the mask's call."""
        raise NotImplementedError

    def advance(self, M: Value, blocks: int) -> Value:
        """The mask ``blocks`` blocks after that of ``M``."""
        raise NotImplementedError

    def refresh(self, PPP: Value, M: Value) -> Value:
        """The call that refreshes the mask at a block, of the first mask M_0."""
        raise NotImplementedError

    def inner(self, PPP: Value, M: Value) -> Value:
        """The second layer's call for a block."""
        raise NotImplementedError

    def leave(self, E: Value, L: Value) -> Value:
        """A block of the result."""
        raise NotImplementedError
