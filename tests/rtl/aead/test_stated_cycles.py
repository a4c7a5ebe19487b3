# SPDX-License-Identifier: Apache-2.0
"""Stated cycles of every authenticated cipher: the interval is that of each block, and long messages are as stated."""

from random import Random

import pytest

from wideblock import catalog
from wideblock.catalog.kinds import AEAD
from wideblock.drive.aead.exchange import activation, decryption, encryption
from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.export.contract import contract
from wideblock.verify.aead.measure import message

pytestmark = pytest.mark.shows("cycle-contract")

NAMES = [preset.name for preset in catalog.PRESETS.values() if preset.scheme.kind is AEAD]
LONG = [4096 + 8 * k for k in (-1, 0, 1, 2, 3, 4, 5, 8, 16, 32, 64, 128)]


@pytest.mark.parametrize("name", NAMES)
def test_each_block_takes_the_interval(name):
    """From the third one to the last one of the longest message that the core takes."""
    core = contract(name)
    block = core.behaviour.shape.block
    last = core.behaviour.data_bytes // block
    more = (1, 2, 3, 4, 5, 6, 13, 14, last - 4, last - 3)
    three, *others = (core.timing.message(0, (3 + n) * block) for n in (0, *more))
    assert [cycles - three for cycles in others] == [n * core.timing.interval for n in more]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aes-gcm-p", "aez5", "minalpher-shared", "poet", "scream"])
def test_long_messages_are_measured_as_stated(name):
    core = contract(name, {"data_bytes": 8192})
    rng = Random(1)
    with AeadSimulation(core) as simulation:
        api, shape = simulation.api, core.behaviour.shape
        key, npub = rng.randbytes(shape.key), rng.randbytes(shape.npub)
        keyed, specification = activation(api, key), core.specification(key)
        for size in LONG:
            P = rng.randbytes(size)
            C = specification.encrypt(npub, b"", P)
            for sent in (encryption(api, npub, b"", P, C), decryption(api, npub, b"", C, P)):
                decrypt = sent.about.startswith("decrypt")
                stated, seen = core.timing.message(0, size, decrypt=decrypt), message(simulation, keyed, sent).again
                print(name, size, sent.about, f"{stated}/{seen}")
                assert seen == stated
