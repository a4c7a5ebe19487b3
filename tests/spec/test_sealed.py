# SPDX-License-Identifier: Apache-2.0
"""Sealed sectors: known answers, every kind of forgery, and schemes that seal none."""

import random

import pytest

from wideblock import catalog, vectors
from wideblock.catalog.kinds import SECTOR
from wideblock.spec.eme2 import EME2
from wideblock.spec.fast import FAST
from wideblock.spec.hctr2 import HCTR2
from wideblock.spec.heh import HEH
from wideblock.spec.hmch import HMCH
from wideblock.spec.sealed import Behind, Forged, Sealed

from ..variants import over

SECTOR_BYTES = 48
SCHEMES = {
    "hctr2": (16, HCTR2),
    "fast": (16, lambda key: FAST(key, hash="brw", sector_bytes=SECTOR_BYTES + 16)),
    "hmch": (32, lambda key: HMCH(key, hash="brw", sector_bytes=SECTOR_BYTES + 16)),
    "heh": (32, lambda key: HEH(key, hash="brw", sector_bytes=SECTOR_BYTES + 16)),
    "eme2": (48, EME2),
}
"""Bytes of a key, and the scheme under one."""


@pytest.mark.shows("spec-known-answers")
def test_known_answers():
    (group,) = vectors.load("hctr2_icv")
    assert [(len(v["key"]), len(v["tweak"]), len(v["pt"])) for v in group.vectors] == [
        (16, 16, 512),
        (32, 16, 4096),
        (32, 32, 4096),
    ]
    for vector in group.vectors:
        sealed = Sealed(HCTR2(vector["key"]))
        assert sealed.seal(vector["tweak"], vector["pt"]) == (vector["icv"], vector["ct"])
        assert sealed.unseal(vector["tweak"], vector["icv"], vector["ct"]) == vector["pt"]


def flips(draw, *strings):
    """The strings with a bit of one of them flipped, in bytes that are the first, the last and some between."""
    for which, string in enumerate(strings):
        for at in {0, len(string) - 1, *draw.sample(range(len(string)), 4)}:
            changed = bytearray(string)
            changed[at] ^= 1 << draw.randrange(8)
            yield (*strings[:which], bytes(changed), *strings[which + 1 :])


def forged(sealed, tweak, icv, sector):
    with pytest.raises(Forged, match="^sector forged: not sealed under this key and tweak$") as caught:
        sealed.unseal(tweak, icv, sector)
    return caught.value.args == ("sector forged: not sealed under this key and tweak",)


@over("scheme", SCHEMES)
def test_a_changed_sector_is_forged_and_an_old_one_is_not(scheme):
    """Bits of tweak, ICV and sector; ICVs and sectors of others, other keys; an old pair in its place is right."""
    size, under = SCHEMES[scheme]
    draw = random.Random(scheme)
    key, tweak, other = draw.randbytes(size), draw.randbytes(16), draw.randbytes(16)
    old, new = draw.randbytes(SECTOR_BYTES), draw.randbytes(SECTOR_BYTES)
    sealed = Sealed(under(key))
    (icv, sector), (new_icv, new_sector), elsewhere = (
        sealed.seal(tweak, old),
        sealed.seal(tweak, new),
        sealed.seal(other, old),
    )
    assert icv + sector == under(key).encrypt(tweak, bytes(16) + old)
    for changed in flips(draw, tweak, icv, sector):
        assert forged(sealed, *changed)
    assert forged(sealed, tweak, new_icv, sector) and forged(sealed, tweak, icv, new_sector)
    assert forged(sealed, tweak, *elsewhere) and forged(sealed, tweak, bytes(16), bytes(SECTOR_BYTES))
    assert forged(Sealed(under(draw.randbytes(size))), tweak, icv, sector)
    assert sealed.unseal(tweak, new_icv, new_sector) == new
    assert sealed.unseal(tweak, icv, sector) == old  # replay is accepted


def test_a_unit_has_the_icv_behind_the_sector():
    """Bytes behind the sector are not read to encipher, nor bytes behind the ICV to decipher."""
    draw = random.Random(7)
    sector, tweak, noise = draw.randbytes(SECTOR_BYTES), draw.randbytes(16), draw.randbytes(48)
    sealed, units = Sealed(HCTR2(bytes(16))), Behind(HCTR2(bytes(16)), SECTOR_BYTES, SECTOR_BYTES + 48)
    icv, right = sealed.seal(tweak, sector)
    assert units.encrypt(tweak, sector + noise) == right + icv + bytes(32)
    assert units.decrypt(tweak, right + icv + noise[:32]) == sector + bytes(48)
    with pytest.raises(Forged):
        units.decrypt(tweak, right + noise)
    with pytest.raises(ValueError, match="^unit must be 96 bytes, got 64$"):
        units.decrypt(tweak, right + icv)


def test_an_icv_has_one_size():
    with pytest.raises(ValueError, match="^ICV must be 16 bytes, got 15$"):
        Sealed(HCTR2(bytes(16))).unseal(bytes(16), bytes(15), bytes(33))


def test_other_schemes_seal_nothing():
    """Every sector scheme states whether it seals; the reason of one that does not is said."""
    reasons = {
        "aez_core": "AEZCore seals no sectors: it takes whole pairs of blocks",
        "xcb": "XCB seals no sectors: it is broken",
        "xts": "XTS seals no sectors: each block is enciphered by itself",
    }
    schemes = {preset.scheme.name: preset for preset in catalog.PRESETS.values() if preset.scheme.kind is SECTOR}
    for name, preset in schemes.items():
        key = random.Random(name).randbytes(preset.scheme.key_bits(preset.parameters) // 8)
        specification = preset.scheme.under(preset.parameters, key)
        if name in reasons:
            with pytest.raises(ValueError, match=f"^{reasons.pop(name)}"):
                Sealed(specification)
        else:
            assert Sealed(specification)
    assert not reasons
    with pytest.raises(ValueError, match="^object seals no sectors: it does not state that every bit"):
        Sealed(object())
