# SPDX-License-Identifier: Apache-2.0
"""Key material as a value: the port, its documentation, and the order of published parts follow from it."""

import pytest

from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.sector.parameters import (
    HashedParameters,
    HornerParameters,
    PsiParameters,
    SinglePassParameters,
    WholeKeyParameters,
)
from wideblock.rtl.tes.fast import Fast
from wideblock.rtl.tes.hctr2 import Hctr2
from wideblock.rtl.tes.heh import Heh
from wideblock.rtl.tes.hmch import Hmch
from wideblock.rtl.tes.xcb import Xcb
from wideblock.rtl.tes.xts import Xts

pytestmark = pytest.mark.shows("stream-parts")

AD, ECB, K = (KeyWord(name, bits, f"the {name} key", name) for name, bits in (("AD", 128), ("ECB", 128), ("K", 256)))
SHORT = KeyWord("S", 128, "a key of four rounds", rounds=4)


def test_words_lie_side_by_side():
    material = KeyMaterial(port=(AD, ECB, K), ciphers=(K,))
    assert material.bits == 512
    assert [material.place(word) for word in material.port] == [slice(0, 128), slice(128, 256), slice(256, 512)]
    assert material.raw == (AD, ECB)
    assert material.text == "the AD key, then the ECB key, then the K key"
    assert material.fields == ("AD", "ECB", "K")


@pytest.mark.parametrize(
    ("core", "parameters", "bits", "fields", "text"),
    [
        (Fast, HashedParameters(key_bits=256), 256, ("key",), "the AES key"),
        (Heh, PsiParameters(), 256, ("key", "hash_key"), "the AES key, then the hash key"),
        (Hmch, PsiParameters(key_bits=256), 384, ("key", "hash_key"), "the AES key, then the hash key"),
        (Hctr2, HornerParameters(key_bits=192), 192, ("key",), "the AES key"),
        (Xcb, WholeKeyParameters(key_bits=256), 256, ("key",), "the AES key"),
        (Xts, SinglePassParameters(), 256, ("key",), "Key1 for the data, then Key2 for the tweak"),
    ],
)
def test_material_of_a_scheme(core, parameters, bits, fields, text):
    material = core.key_material(parameters)
    assert (material.bits, material.fields, material.text) == (bits, fields, text)


@pytest.mark.parametrize(
    ("material", "message"),
    [
        (lambda: KeyMaterial((AD,), (K,)), "AES key K is not a word of the key port"),
        (lambda: KeyMaterial((K,), (K,), AD), "hash key AD is neither a word of the key port nor derived"),
        (
            lambda: KeyMaterial((AD, K), (K,), derivations=(Derivation(0, AD, ECB),)),
            "ECB is derived under AD, which is no AES key",
        ),
        (
            lambda: KeyMaterial((K,), (K,), derivations=(Derivation(0, K, AD),), expanded=(AD,)),
            "AES key AD of 128 bits is not derived, or not as long as the port's",
        ),
        (
            lambda: KeyMaterial((K,), (K,), expanded=(KeyWord("A", 256, ""),)),
            "AES key A of 256 bits is not derived, or not as long as the port's",
        ),
        (
            lambda: KeyMaterial((ECB,), (ECB,), derivations=(Derivation(0, ECB, SHORT),), expanded=(SHORT,)),
            "AES key S is expanded last and serves AES: all rounds are its own",
        ),
    ],
)
def test_impossible(material, message):
    with pytest.raises(ValueError) as error:
        material()
    assert str(error.value) == message
