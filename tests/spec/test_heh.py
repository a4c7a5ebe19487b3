# SPDX-License-Identifier: Apache-2.0
"""HEH by the lines of figure 9, one block at a time."""

import random

import pytest

from wideblock.spec.aes import AES
from wideblock.spec.gf128 import Reading, double
from wideblock.spec.heh import HEH

pytestmark = pytest.mark.shows("spec-known-answers")


@pytest.mark.parametrize("hash", ["brw", "horner"])
@pytest.mark.parametrize("m", [2, 3, 9])
def test_figure_9(hash, m):
    source = random.Random(f"{hash} {m}")
    key, tweak, sector = source.randbytes(32), source.randbytes(16), source.randbytes(16 * m)
    heh, aes = HEH(key, hash=hash, sector_bytes=16 * m), AES(key[:16])
    P, C = (Reading.LE.elements(data) for data in (sector, heh.encrypt(tweak, sector)))
    beta1 = Reading.LE.element(aes.encrypt(tweak))
    beta2 = double(beta1)
    U, V = P[-1] ^ heh.psi(P[:-1]), C[-1] ^ heh.psi(C[:-1])

    def E(block):
        return Reading.LE.element(aes.encrypt(Reading.LE.block(block)))

    assert V == E(U ^ beta1) ^ beta2
    x_beta1, x_beta2 = beta1, beta2
    for i in range(m - 1):
        x_beta1, x_beta2 = double(x_beta1), double(x_beta2)
        assert C[i] == E(P[i] ^ U ^ x_beta1) ^ x_beta2 ^ V
