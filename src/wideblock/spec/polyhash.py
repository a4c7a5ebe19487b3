# SPDX-License-Identifier: Apache-2.0
"""The two polynomial hashes of the papers, Horner and BRW, over GF(2^128).

Blocks and tau are field elements (ints, see :mod:`wideblock.spec.gf128`), numbered from 1 as in the papers.
"""

from collections.abc import Sequence
from enum import Enum

from wideblock.spec.gf128 import mul, square

__all__ = ["TwoBlockRule", "brw", "brw_order", "horner"]


class TwoBlockRule(Enum):
    """BRW of two blocks: the papers differ. It matters for 2, 6, 10, .. blocks only.

    ``FIRST_BY_TAU``:  Y1 tau + Y2. Source: the FAST papers (AMC 2020; "Fast Low Level Disk Encryption", 2.1).
    ``SECOND_BY_TAU``: Y2 tau + Y1. Source: the HEH and HMCH paper (IEEE TC 62(2), 2013, section 2).
    """

    FIRST_BY_TAU = "first"
    SECOND_BY_TAU = "second"


def horner(tau: int, blocks: Sequence[int]) -> int:
    """Y1 tau^(m-1) + Y2 tau^(m-2) + .. + Ym; 0 for no blocks.

    Cost:   m - 1 multiplications.
    Source: "Fast Low Level Disk Encryption Using FPGAs", 2.1.
    """
    if not blocks:
        return 0
    first, *rest = blocks
    result = first
    for Y in rest:
        result = mul(result, tau) ^ Y
    return result


def brw(tau: int, blocks: Sequence[int], *, two_block_rule: TwoBlockRule = TwoBlockRule.FIRST_BY_TAU) -> int:
    """The Bernstein-Rabin-Winograd polynomial of any number of blocks, at tau; 0 for no blocks.

    Cost:   floor(m/2) multiplications, and floor(lg m) squarings for m of at least 3.
    Source: "Fast Low Level Disk Encryption Using FPGAs", 2.1; IEEE TC 62(2), 2013, section 2.
    """
    tau_to = {1: tau}  # tau^t for t = 1, 2, 4, .. up to the number of blocks
    t = 2
    while t <= len(blocks) > 2:
        tau_to[t] = square(tau_to[t // 2])
        t *= 2

    def BRW(*Y: int) -> int:
        match Y:
            case ():
                return 0
            case (Y1,):
                return Y1
            case (Y1, Y2):
                return mul(Y1, tau) ^ Y2 if two_block_rule is TwoBlockRule.FIRST_BY_TAU else mul(Y2, tau) ^ Y1
            case (Y1, Y2, Y3):
                return mul(tau ^ Y1, tau_to[2] ^ Y2) ^ Y3
            case _:
                t = 1 << len(Y).bit_length() - 1  # the power of two with t <= m < 2t
                return mul(BRW(*Y[: t - 1]), tau_to[t] ^ Y[t - 1]) ^ BRW(*Y[t:])

    return BRW(*blocks)


def brw_order(n: int) -> list[int]:
    """pi(1), .., pi(n): which block is X_1, .., X_n of the BRW polynomial in the HEH and HMCH paper.

    The paper's circuit takes two blocks a clock in the order of arrival; the multiplier, of three stages,
    needs the order of the products. Multiplication x = 2, 4, .. has the factors of X_(x-1) and X_x and is part of
    product x + l, where l is the largest power of two in x; the product starts three clocks or more after
    the last of its parts. Multiplications with parts go first, in the order of their earliest clocks, then all without
    parts.

    Source: IEEE TC 62(2), 2013, figure 4 and section 4.2; printed there are ``clock - ST > NS`` and a loop while both
            lists are not empty, but only ``>=`` and a loop while one is not empty give the paper's own permutation.
    """
    stages = 3
    parts = {x: (x & -x).bit_length() - 2 for x in range(2, n + 1, 2)}
    whole = [x for x in parts if parts[x] == 0]
    waiting: list[tuple[int, int]] = []  # (x, clock at which it can start)
    pi = list(range(1, n + 1))
    clock = place = 0
    while whole or waiting:
        clock += 1
        if waiting and waiting[0][1] <= clock:
            x, _ = waiting.pop(0)
        elif whole:
            x = whole.pop(0)
        else:
            continue
        pi[x - 2], pi[x - 1] = 2 * place + 1, 2 * place + 2
        place += 1
        above = x + (x & -x)
        if above in parts:
            parts[above] -= 1
            if parts[above] == 0:
                waiting.append((above, clock + stages))
    return pi
