# SPDX-License-Identifier: Apache-2.0
"""The equations and keys of a scheme of the family single pass."""

from amaranth import Value

from wideblock.rtl.keys.material import KeyMaterial

from ..parameters import SinglePassParameters

__all__ = ["SinglePassEquations"]


class SinglePassEquations:
    """The equations of a scheme; values are 128 bits, byte 0 of a block in bits 7..0, ``T`` is the mask of a block."""

    title: str
    """Scheme and family in a phrase."""

    max_blocks: int
    """Blocks of the longest unit."""

    @staticmethod
    def key_material(p: SinglePassParameters) -> KeyMaterial:
        """Two AES keys: for data, and for the tweak."""
        raise NotImplementedError

    def following(self, T: Value) -> Value:
        """The mask of the block after that of ``T``."""
        raise NotImplementedError

    def enter(self, block: Value, T: Value) -> Value:
        """The cipher's input for a block."""
        raise NotImplementedError

    def leave(self, E: Value, T: Value) -> Value:
        """The block's result, of the cipher's output."""
        raise NotImplementedError

    def stealing_masks(self, T: Value, following: Value, decrypt: Value) -> tuple[Value, Value]:
        """Masks of the last whole block and of the completed one, of the last two masks of a unit."""
        raise NotImplementedError
