# SPDX-License-Identifier: Apache-2.0
"""Parts that HEH and HMCH share: their keys, their sectors, and the hash psi.

Source: Sarkar, "Efficient Tweakable Enciphering Schemes from (Block-Wise) Universal Hash Functions", IEEE TIT 55(10),
2009; Chakraborty, Mancillas-Lopez, Rodriguez-Henriquez, Sarkar, IEEE TC 62(2), 2013, section 4.
"""

from collections.abc import Sequence

from wideblock.spec.aes import AES, BLOCK
from wideblock.spec.gf128 import Reading, double, doubled, mul, powers
from wideblock.spec.polyhash import TwoBlockRule, brw, brw_order, horner
from wideblock.spec.values import Values, numbered

__all__ = ["PsiScheme"]


class PsiScheme:
    """A scheme that hashes by psi = h * BRW_h or h * Poly_h under a key K || h, for sectors of ``sector_bytes``.

    ``order``, of the blocks in BRW: ``"natural"`` is X_1, X_2, ..; ``"paper"`` is the paper's permutation, for a
    circuit without a window of blocks. The two orders are not compatible.

    Bytes:  K of 16 or 32 bytes, then h of 16; a tweak of 16; sectors of m >= 2 whole blocks.
    Source: IEEE TC 62(2), 2013, sections 4.1 and 4.2.
    """

    name: str

    def __init__(
        self,
        key: bytes,
        *,
        hash: str,
        sector_bytes: int,
        order: str = "natural",
        reading: Reading = Reading.LE,
    ):
        if len(key) not in (32, 48):
            raise ValueError(
                f"{self.name} key must be 32 or 48 bytes (an AES key of 16 or 32, a hash key of 16), got {len(key)}"
            )
        if hash not in ("brw", "horner"):
            raise ValueError(f"hash must be one of brw, horner, got {hash!r}")
        if order not in ("natural", "paper"):
            raise ValueError(f"order must be one of natural, paper, got {order!r}")
        if order == "paper" and hash != "brw":
            raise ValueError(f"the paper's order is one of brw, so order must be natural for {hash}, got {order!r}")
        if sector_bytes % BLOCK or sector_bytes < 2 * BLOCK:
            raise ValueError(
                f"sector_bytes of {self.name} must be a multiple of {BLOCK} and at least {2 * BLOCK}, "
                f"got {sector_bytes}"
            )
        self.hash = hash
        self.order = order
        self.sector_bytes = sector_bytes
        self.reading = reading
        self.aes = AES(key[:-BLOCK])
        self.h: int = reading.element(key[-BLOCK:])
        hashed = sector_bytes // BLOCK - 1
        self._pi = brw_order(hashed) if order == "paper" else list(range(1, hashed + 1))

    def psi(self, X: Sequence[int]) -> int:
        """h * BRW_h(X_pi(1), X_pi(2), ..) or h * Poly_h(X_1, X_2, ..). Source: section 4.1."""
        if self.hash == "horner":
            return mul(self.h, horner(self.h, X))
        permuted = [X[j - 1] for j in self._pi]
        return mul(self.h, brw(self.h, permuted, two_block_rule=TwoBlockRule.SECOND_BY_TAU))

    def betas(self, T: int) -> tuple[int, int]:
        """beta1 = E_K(T) and beta2 = x beta1. Source: figures 9 and 10, line 1."""
        (beta1,) = self.E([T])
        return beta1, double(beta1)

    def key_values(self, blocks: int) -> Values:
        """The powers of h up to that of ``blocks`` blocks, and the round keys."""
        yield from numbered("h^{}", map(self.reading.block, powers(self.h, blocks)), 1)
        yield from self.aes.values("K")

    def tweak_values(self, tweak: bytes, blocks: int) -> Values:
        """beta1 and its multiples x^i beta1, i from 1 to the number of blocks; beta2 is x beta1."""
        beta1, _ = self.betas(self.reading.element(tweak))
        yield "beta1", self.reading.block(beta1)
        yield from numbered("x^{} beta1", map(self.reading.block, doubled(beta1, blocks + 1)))

    def E(self, blocks: Sequence[int]) -> list[int]:
        """AES under K of each block."""
        return self.reading.elements(self.aes.encrypt(self.reading.blocks(blocks)))

    def D(self, blocks: Sequence[int]) -> list[int]:
        """Inverse AES under K of each block."""
        return self.reading.elements(self.aes.decrypt(self.reading.blocks(blocks)))

    def elements(self, tweak: bytes, sector: bytes) -> tuple[int, list[int]]:
        """T and the blocks of a sector as elements; ValueError for wrong lengths."""
        if len(tweak) != BLOCK:
            raise ValueError(f"tweak must be {BLOCK} bytes, got {len(tweak)}")
        if len(sector) != self.sector_bytes:
            raise ValueError(f"sector must be {self.sector_bytes} bytes, got {len(sector)}")
        return self.reading.element(tweak), self.reading.elements(sector)
