# SPDX-License-Identifier: Apache-2.0
"""HMCH by the lines of figure 10, one block at a time."""

import random

import pytest

from wideblock.spec.aes import AES
from wideblock.spec.gf128 import Reading, double
from wideblock.spec.hmch import HMCH

pytestmark = pytest.mark.shows("spec-known-answers")


@pytest.mark.parametrize("hash", ["brw", "horner"])
@pytest.mark.parametrize("m", [2, 3, 9])
def test_figure_10(hash, m):
    source = random.Random(f"{hash} {m}")
    key, tweak, sector = source.randbytes(48), source.randbytes(16), source.randbytes(16 * m)
    hmch, aes = HMCH(key, hash=hash, sector_bytes=16 * m), AES(key[:32])
    P, C = (Reading.LE.elements(data) for data in (sector, hmch.encrypt(tweak, sector)))
    beta1 = Reading.LE.element(aes.encrypt(tweak))
    M1, U1 = P[0] ^ hmch.psi(P[1:]), C[0] ^ hmch.psi(C[1:])

    def E(block):
        return Reading.LE.element(aes.encrypt(Reading.LE.block(block)))

    assert U1 == E(M1)
    S = M1 ^ U1 ^ beta1 ^ double(beta1)
    for i in range(1, m):
        assert C[i] == P[i] ^ E(beta1 ^ S)
        beta1 = double(beta1)
