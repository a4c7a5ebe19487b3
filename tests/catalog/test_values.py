# SPDX-License-Identifier: Apache-2.0
"""The specifications name every secret of a core: what its key port takes, and what its key unit derives."""

import pytest

from wideblock import catalog
from wideblock.catalog.kinds import AEAD, SECTOR
from wideblock.export.contract import contract
from wideblock.spec.aead import Rejected
from wideblock.spec.aes import AES
from wideblock.spec.gf128 import mul, power, powers

pytestmark = pytest.mark.shows("secrets")

OF_SCHEME = {preset.scheme.name: preset for preset in catalog.PRESETS.values()}
SECTORS = [preset.name for preset in OF_SCHEME.values() if preset.scheme.kind is SECTOR]
AEADS = [preset.name for preset in OF_SCHEME.values() if preset.scheme.kind is AEAD]
LONG_KEYS = [
    name for name in SECTORS if catalog.preset(name).scheme.name in ("eme2", "fast", "heh", "hctr2", "xcb", "xts")
]


def blocks(data):
    return {data[at : at + 16] for at in range(0, len(data), 16)}


@pytest.mark.parametrize(
    ("name", "changes"), [(n, {}) for n in SECTORS] + [(n, {"key_bits": 256}) for n in LONG_KEYS], ids=str
)
def test_words_of_key_material_are_named(name, changes):
    core = contract(name, changes)
    material = core.component.key_material(core.parameters)
    key = bytes(range(1, 1 + material.bits // 8))
    specification = core.specification(key)
    named = list(specification.key_values(8))
    assert len(named) == len(dict(named))
    values = {value for _, value in named}
    of_port = {word: key[material.place(word).start // 8 : material.place(word).stop // 8] for word in material.port}
    assert set().union(*map(blocks, of_port.values())) <= values
    for each in material.derivations:
        derived = AES(of_port[each.key]).encrypt(each.block.to_bytes(16, "little"))
        assert derived in values or each.into.bits < 128, each.into.name
    tweak = bytes(range(max(16, core.parameters.tweak_bytes)))[: core.parameters.tweak_bytes]
    assert all(len(value) == 16 for _, value in specification.tweak_values(tweak, 8))


@pytest.mark.parametrize("name", AEADS)
def test_values_and_messages_of_authenticated_ciphers(name):
    core = contract(name)
    shape = core.behaviour.shape
    assert core.key_bytes == shape.key
    key, npub, P = bytes(range(1, 1 + shape.key)), bytes(range(shape.npub)), bytes(range(70, 120))
    specification = core.specification(key)
    named = [*specification.key_values(8), *specification.message_values(npub, b"ad", 8)]
    assert len(named) == len(dict(named))
    assert blocks(key) <= {value for _, value in named}
    C = specification.encrypt(npub, b"ad", P)
    assert specification.unverified(npub, b"ad", C) == (P, True)
    wrong = C[:-1] + bytes([C[-1] ^ 1])
    message, intact = specification.unverified(npub, b"ad", wrong)
    assert not intact and len(message) >= len(P)
    with pytest.raises(Rejected):
        specification.decrypt(npub, b"ad", wrong)


def test_masks_of_eme2_and_xts_are_those_of_their_equations():
    """Values that two equations of a paper link: a wrong name or a wrong number would break the link."""
    eme2 = dict(contract("eme2-1").specification(bytes(range(48))).key_values(3))
    assert eme2["L_0"] == eme2["K_ECB"] and eme2["L_1"] == (int.from_bytes(eme2["L_0"], "little") << 1).to_bytes(
        16, "little"
    )
    xts = contract("xts-enc").specification(bytes(range(32)))
    values = dict(xts.tweak_values(bytes(16), 2))
    assert values["T_0"] == AES(bytes(range(16, 32))).encrypt(bytes(16)) and set(values) == {"T_0", "T_1", "T_2"}


def test_powers():
    tau = 0x1234567890ABCDEF1234567890ABCDEF
    assert powers(tau, 4) == [power(tau, n) for n in range(1, 5)] and powers(tau, 2)[1] == mul(tau, tau)
