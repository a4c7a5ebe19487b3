# SPDX-License-Identifier: Apache-2.0
"""The equations of a scheme of the family hash-counter-hash, with plans of both passes and structure.

    T -> [E] -> B                                            the tweak's call, with ``tweak_call``
    T -> front hash -> shared                                the part of both hashes with the tweak alone
    X -> front hash -> R -> [E] -> G;  Z of R and G          the single call
    Y_i = X_i + E(counter(Z, index_i))                       the counter mode
    Y -> back hash -> h, tauW -> inner, outer -> the last known blocks;  with ``end_calls`` inner -> [D]

Encryption and decryption are a common computation on X_1..X_m -> Y_1..Y_m. The direction chooses between blocks,
between powers of tau, with ``inverse_call`` between AES and inverse AES, and with ``end_calls`` between two keys. With
``end_calls`` the single call [E] is a call of a special block, not of R.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth import Value

from wideblock.rtl.hash.products import Block, HashEvent, HashPlan, Product, Special, Tap
from wideblock.rtl.keys.material import KeyWord

from ..copies import Words

__all__ = ["BACK", "FRONT", "HchEquations", "Structure"]


TWEAK = Special("T", "the tweak, hashed after the sector")


@dataclass(frozen=True)
class HchFrontPlan(HashPlan):
    """Names for the products of the front hash."""

    R: HashEvent = HashEvent("R", "the hash of the sector, from which the single call's input is made")
    Q: Tap = Tap("Q", "the product that gives R, if its right operand is part of G")
    T: Special = TWEAK
    Xa: Special = Special("Xa", "the block that HchEquations.Xa makes of the sector's first blocks")
    shared: HashEvent = HashEvent(
        "shared", "a part of the hash that is added to the results of both passes", optional=True
    )
    header: Special = Special("header", "the constant block HchEquations.header", held=True)
    T1: Special = Special("T1", "the first block of the tweak, hashed while the sector arrives", held=True)
    T2: Special = Special("T2", "its second block", held=True)
    lengths: Special = Special("lengths", "the block HchEquations.lengths", held=True)


@dataclass(frozen=True)
class HchBackPlan(HashPlan):
    """Names for the products of the back hash."""

    h: HashEvent = HashEvent("h", "the hash of the result, from which the inner block is made")
    tauW: HashEvent = HashEvent("tauW", "tau W, from which the outer block is made", optional=True)
    T: Special = TWEAK
    header: Special = Special("back_header", "the constant block HchEquations.header", held=True)
    T1: Special = Special("back_T1", "the first block of the tweak", held=True)
    T2: Special = Special("back_T2", "its second block", held=True)
    lengths: Special = Special("back_lengths", "the block HchEquations.lengths", held=True)


FRONT, BACK = HchFrontPlan(), HchBackPlan()


@dataclass(frozen=True)
class Structure:
    """Differences between the schemes of the family, beside their equations.

    specials:     blocks outside of the counter mode, known last: X_1 ..
    last:         the specials are the sector's last 16 bytes each, not the first
    counts_from:  index of the first block of the counter mode
    second_call:  a second single call, of G, enters the lanes as block 0 of the counter mode: W = R + E(G) takes the
                  place of block 0 in the back hash
    tweak_call:   a separate call enciphers the tweak while the front hash runs, and the counter mode uses
                  :meth:`HchEquations.advance`
    inverse_call: when decrypting, the single call is a call of inverse AES, by an iterative core
    end_calls:    the single call is made of a special block when the front hash is known, and the inner block passes
                  inverse AES: two iterative cores under :meth:`HchEquations.end_keys`
    shortcuts:    without overlap, values skip the registers between two stages: a block is multiplied on arrival, and
                  results of the single call and of the back hash are used while entering the last register
    """

    specials: int
    last: bool = False
    counts_from: int = 1
    second_call: bool = False
    tweak_call: bool = False
    inverse_call: bool = False
    end_calls: bool = False
    shortcuts: bool = False

    @property
    def leading(self) -> int:
        """Number, from 0, of the first block that the counter mode enciphers."""
        return 0 if self.last else self.specials

    @property
    def first(self) -> int:
        """Number, from 0, of the block in lane 0's first step."""
        return 0 if self.second_call else self.leading

    @property
    def lane_calls(self) -> int:
        """Calls of a sector that enter the lanes beside the steps of the counter mode."""
        return self.tweak_call + (not self.end_calls)


class HchEquations:
    """The equations of a scheme; values are 128 bits, byte 0 of a block in bits 7..0.

    A scheme states ``title``, ``key_material`` and ``reading``, too, see :class:`StoreAndForward` and :class:`TwoPass`.
    ``words``: words of the key material, without AES keys and without a derived hash key.
    """

    structure: Structure

    def front(self, X: Sequence[Block]) -> list[Product]:
        """Products of the first pass over the blocks X, by :data:`FRONT`. FAST: Q = X_a + tau^a D, R = X_b + tau Q."""
        raise NotImplementedError

    def back(self, Y: Sequence[Block]) -> list[Product]:
        """Products of the second pass, by :data:`BACK`. With a second call Y[0] is W. FAST: tau W and tau^b D'."""
        raise NotImplementedError

    def header(self) -> int:
        """The special block ``header``, if a pass takes it, as a little-endian integer."""
        raise NotImplementedError

    def lengths(self, ciphertext: Value) -> Value:
        """The special block ``lengths``, if a pass takes it; ``ciphertext``: the pass is over ciphertext."""
        raise NotImplementedError

    def end_keys(self) -> tuple[KeyWord, KeyWord]:
        """With ``end_calls``: when encrypting, the single call's AES key and the inverse call's, expanded words of the
        key material; when decrypting they change places.
        """
        raise NotImplementedError

    def padded(self, block: Value, size: int) -> Value:
        """The last block of the counter mode, with ``size`` bytes of data, as hashed by both passes."""
        raise NotImplementedError

    def Xa(self, X: Sequence[Value], decrypt: Value) -> Value:
        """The special block ``FRONT.Xa``, if the front hash takes it, of the blocks known last. FAST: X_a."""
        raise NotImplementedError

    def R(self, X: Sequence[Value], decrypt: Value, hashed: Value) -> Value:
        """Kept for :meth:`Z`, of the blocks known last and the front hash. FAST: X_b + tau Q; HMCH: X_1 + psi."""
        raise NotImplementedError

    def called(self, X: Sequence[Value], R: Value) -> Value:
        """The single call's input, if not R, of the blocks known last and R."""
        return R

    def G(self, Q: Value | None, called: Value) -> Value:
        """From the right operand of product ``FRONT.Q``, if any, and the single call. FAST: Q + E(R)."""
        return called

    def Z(self, R: Value, G: Value, B: Value | None, words: Words) -> Value:
        """Start of the counter mode; ``B`` = E(T) with ``tweak_call``. FAST: R + G; HMCH: S = R + G + b1 + b2."""
        raise NotImplementedError

    def counter(self, Z: Value, index: Value) -> Value:
        """The cipher's input for a block of the counter mode, the k-th from 0 on. ``index`` is ``counts_from`` + k, or
        with ``tweak_call`` x^k B as :meth:`advance` has it. FAST: Z + bin(i - 2) for X_i; HMCH: S + x^(i - 2) b1.
        """
        raise NotImplementedError

    def advance(self, power: Value, blocks: int) -> Value:
        """With ``tweak_call``: the index ``blocks`` blocks after that of ``power``. HMCH: x^blocks power."""
        raise NotImplementedError

    def inner(self, before: Value, h: Value) -> Value:
        """The inner block, of the back hash, and of W with a second call, Z with end calls, else G. FAST: W + tau^b D';
        HMCH: G + psi.
        """
        raise NotImplementedError

    def outer(self, G: Value, tauW: Value) -> Value:
        """The outer block, if the back hash raises ``BACK.tauW``. FAST: G + tau W."""
        raise NotImplementedError

    def order(self, decrypt: Value, inner: Value, outer: Value | None) -> list[Value]:
        """The ``specials`` blocks of the result. FAST: Y_a = outer, Y_b = inner; HMCH: Y_1 = inner."""
        raise NotImplementedError
