# SPDX-License-Identifier: Apache-2.0
"""An attack on a core: its queries are recorded, it is held to the rules, and its result to the plaintext.

The core is a double that answers by a specification.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from wideblock.catalog import Attack
from wideblock.export.contract import contract
from wideblock.simulation.bench import SimulationError
from wideblock.verify.sector.attack import run

pytestmark = pytest.mark.shows("broken-schemes")


class Double:
    """A core in simulation, so far as an attack uses it."""

    def __init__(self, name, size):
        self.core = contract(name, {"sector_bytes": size})
        self.shape = SimpleNamespace(
            key_bytes=self.core.parameters.key_bits // 8, tweak_bytes=self.core.parameters.tweak_bytes
        )

    def load_key(self, key):
        self.specification = self.core.specification(key)

    def run(self, sectors, tweaks, decrypt):
        crypt = self.specification.decrypt if decrypt else self.specification.encrypt
        return SimpleNamespace(
            sectors=[np.frombuffer(crypt(*each), np.uint8) for each in zip(tweaks, sectors, strict=True)]
        )


@pytest.mark.parametrize("size", [17, 48, 50])
def test_broken_scheme(size):
    part, whole = (run(Double("xcb-1", size), attack, seed=3) for attack in contract("xcb-1").preset.scheme.attacks)
    assert part.plaintext == whole.plaintext and len(part.plaintext) == size
    assert [query.decrypt for query in part.queries] == [True, False]
    assert [query.decrypt for query in whole.queries] == [True, False, True]
    assert part.recovered == part.plaintext[:-16] and whole.recovered == whole.plaintext
    assert part.right and whole.right


def test_sound_scheme():
    for attack in contract("xcb-1").preset.scheme.attacks:
        outcome = run(Double("hctr2-1", 48), attack)
        assert outcome.recovered and not outcome.right


def test_seed_chooses_key_tweak_and_plaintext():
    nothing = Attack("nothing", "", lambda encrypt, decrypt, tweak, ciphertext: b"")
    seeds = [run(Double("xcb-1", 32), nothing, seed=seed) for seed in (1, 1, 2)]
    assert seeds[0] == seeds[1] and seeds[0].plaintext != seeds[2].plaintext and seeds[0].tweak != seeds[2].tweak
    assert not seeds[0].right  # nothing is recovered


def test_an_attack_that_asks_for_the_sector_itself_is_refused():
    cheat = Attack("cheat", "", lambda encrypt, decrypt, tweak, ciphertext: decrypt(tweak, ciphertext))
    with pytest.raises(SimulationError, match="^the attack asked for the sector that it is to recover$"):
        run(Double("xcb-1", 32), cheat)


def test_a_sector_without_a_block_before_the_last_is_one_line():
    with pytest.raises(ValueError, match="^the attack needs a sector of more than 16 bytes, got 16$"):
        run(Double("xcb-1", 16), contract("xcb-1").preset.scheme.attacks[0])


def test_a_core_of_one_direction_is_one_line():
    attack = contract("xcb-1").preset.scheme.attacks[0]
    with pytest.raises(ValueError, match="^xts_enc_sector_bytes_32 has one direction; an attack needs both$"):
        run(Double("xts-enc", 32), attack)
