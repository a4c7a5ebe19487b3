# SPDX-License-Identifier: Apache-2.0
"""Key material that a family cannot have is refused when a core is made, not by a core that is never ready."""

from dataclasses import replace

import pytest

from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.sector.parameters import PsiParameters, SinglePassParameters
from wideblock.rtl.tes.heh import Heh
from wideblock.rtl.tes.xts import Xts

pytestmark = pytest.mark.shows("stream-parts")

K, h = KeyWord("K", 128, "the AES key"), KeyWord("h", 128, "a word")


class DerivedHeh(Heh):
    @staticmethod
    def key_material(p):
        return KeyMaterial((K,), (K,), hash_key=h, derivations=(Derivation(0, K, h),))


class DerivedXts(Xts):
    @staticmethod
    def key_material(p):
        material = Xts.key_material(p)
        return replace(material, derivations=(Derivation(0, material.ciphers[0], h),))


@pytest.mark.parametrize(
    "core", [lambda: DerivedHeh(PsiParameters(sector_bytes=64)), lambda: DerivedXts(SinglePassParameters())]
)
def test_derived_words_in_a_family_that_derives_none(core):
    message = r"^Derived\w+ derives h, but its family makes no cipher call for a key: every word must "
    with pytest.raises(ValueError, match=message):
        core()
