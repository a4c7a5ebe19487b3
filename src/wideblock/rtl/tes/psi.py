# SPDX-License-Identifier: Apache-2.0
"""Keys and hash that HEH and HMCH share: psi = h BRW_h or h Poly_h under a key h of its own."""

from collections.abc import Sequence

from wideblock.rtl.hash.products import Block, HashEvent, Product, Special, psi_products
from wideblock.rtl.keys.material import KeyMaterial, KeyWord
from wideblock.rtl.sector.parameters import PsiParameters

__all__ = ["psi", "two_keys"]


def two_keys(p: PsiParameters) -> KeyMaterial:
    """K, then h."""
    K, h = KeyWord("K", p.key_bits, "the AES key"), KeyWord("h", 128, "the hash key", field="hash_key")
    return KeyMaterial(port=(K, h), ciphers=(K,), hash_key=h)


def psi(p: PsiParameters, X: Sequence[Block], into: HashEvent) -> list[Product]:
    """Products of psi(X_1, .., X_n). Copies of a key have one power in right operands, which BRW takes itself."""
    late = isinstance(X[0], Special) and (p.hash == "horner" or not p.slots)
    return psi_products(X, into, hash=p.hash, order=p.order, decimation=p.decimation, late=late)
