# SPDX-License-Identifier: Apache-2.0
"""The equations of a scheme of the family Feistel-mix-Feistel: the masks of calls.

A sector is m pairs of blocks M_i, M'_i and a last pair M_x, M_y. A call is the cipher of a block plus a mask::

    W_i = M_i + outer(M'_i)                    X_i = M'_i + inner(W_i)         the first layer, two Feistel rounds
    S_x = M_x + X + Delta + last_outer(M_y)    S_y = M_y + last_inner(S_x)     the mix; X is the sum of all X_i
    S'_i = between(S_x + S_y)                  Y_i = W_i + S'_i                Z_i = X_i + S'_i
    C'_i = Y_i + inner(Z_i)                    C_i = Z_i + outer(C'_i)         the second layer, two rounds again
    C_y = S_x + last_inner(S_y)                C_x = S_y + Y + Delta + last_outer(C_y)     Y is the sum of all Y_i

Delta is delta(T) for a tweak T, or 0 without a tweak. A call of the last pair has two masks: in encryption the first
layer has the first mask, and the second layer the second; in decryption the masks change places.
"""

from typing import NamedTuple

from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.keys.material import KeyWord

__all__ = ["FmfEquations", "Mask"]


class Mask(NamedTuple):
    """``a`` I + ``b`` J; ``b`` is None for the number of the pair, 1 for the first."""

    a: int
    b: int | None


class FmfEquations:
    """The masks of a scheme, which also states ``title`` and ``key_material``, see
    :class:`StoreAndForward`."""

    I: KeyWord  # noqa: E741
    """A derived word, whose multiples tell calls of different kinds apart."""
    J: KeyWord
    """A derived word, whose multiples tell pairs apart."""
    reading: WireReading
    """How the scheme reads a block as an element of the field, to multiply it."""

    outer: Mask
    """Of M'_i and of C'_i."""
    inner: Mask
    """Of W_i and of Z_i."""
    between: Mask
    """Of S_x + S_y."""
    last_outer: tuple[Mask, Mask]
    """Of M_y and of C_y."""
    last_inner: tuple[Mask, Mask]
    """Of S_x and of S_y."""
    delta: Mask
    """Of the tweak."""
