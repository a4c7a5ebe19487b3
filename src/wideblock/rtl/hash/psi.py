# SPDX-License-Identifier: Apache-2.0
"""psi, the hash of HEH and HMCH: h BRW_h or h Poly_h."""

from collections.abc import Sequence

from .forest import permutation
from .products import Block, Product, brw_products, horner_products

__all__ = ["psi_products"]

PAPER_STAGES = 3  # of the multiplier whose schedule is the paper's order of blocks


def psi_products(X: Sequence[Block], into: str, *, hash: str, order: str, decimation: int) -> list[Product]:
    """Products of psi_h(X_1, .., X_n). The last one, ``"D"``, multiplies by h the sum of the others and a loose block.

    ``order="paper"`` is the paper's permutation of the blocks before BRW.

    Source: Chakraborty et al., IEEE TC 62(2), sections 4.1 and 4.2.
    """
    if hash == "horner":
        *others, loose = X
        products = horner_products(others, "D", decimation=decimation, monic=False)
    else:
        permuted = [X[j - 1] for j in permutation(len(X), PAPER_STAGES)] if order == "paper" else X
        products, loose = brw_products(permuted, "D", two_block_rule="heh")
    return [*products, Product("D", None, 1, loose, None, into)]
