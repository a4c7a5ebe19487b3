# SPDX-License-Identifier: Apache-2.0
"""Faults of the verdict, put by hand into cores that seal sectors: each is found by the check that is for it."""

import pytest

from wideblock.export.contract import contract
from wideblock.rtl.sector import store_and_forward
from wideblock.rtl.sector.encrypt_mix_encrypt import core as encrypt_mix_encrypt
from wideblock.rtl.sector.hash_counter_hash import core as hash_counter_hash
from wideblock.rtl.sector.hash_counter_hash import values
from wideblock.rtl.sector.hash_ecb_hash import core as hash_ecb_hash
from wideblock.rtl.stream import entrance
from wideblock.rtl.stream import exit as exit_
from wideblock.verify.sector.suite import SECTORS

from ..changed_source import changed, expect_found

pytestmark = pytest.mark.shows("mutation", "verdicts")

CORE = ("hctr2-1s", {"sector_bytes": 64, "icv_bytes": 16, "sbox": "composite"})
SECOND = ("fast-brw-1s", {"sector_bytes": 96, "icv_bytes": 16, "sbox": "composite"})
LAYERS = ("eme2-1s", {"sector_bytes": 64, "icv_bytes": 16, "sbox": "composite"})
CODE_BOOK = ("heh-brw-3s", {"sector_bytes": 64, "icv_bytes": 16, "sbox": "composite"})
BEHIND = ("hctr2-1s", {"sector_bytes": 64, "icv_bytes": 16, "stride": 112, "sbox": "composite"})
LEAVES, ENTERS, JUDGES = "_exit", "_front_hash", "_judged"
MADE = "wrong.eq(decrypt & block.any())"
REFUSED = "self.verdicts.read(leaving.sector)"
GIVEN = "self.enter(icv & judged.replicate(128), "
SHARED = store_and_forward.StoreAndForward
EME = encrypt_mix_encrypt.EncryptMixEncrypt
HEH = hash_ecb_hash.HashEcbHash
GIVEN_TO_DECRYPT = "f.carried.icv.read(sector) & f.carried.direction.read(sector).replicate(128)"
Y1 = "f.carried.Y1.read(whose)"

# core, (where it is used, its name there, where it is, source, changed source), (check, words)
FAULTS = {
    "127 bits are compared": (
        CORE,
        (SHARED, JUDGES, store_and_forward, MADE, MADE.replace("block", "block[:127]")),
        ("forged sectors", "forged is 0"),
    ),
    "a sector to encrypt is judged": (
        CORE,
        (SHARED, JUDGES, store_and_forward, MADE, "wrong.eq(block.any())"),
        ("random sectors", "forged|stuck"),
    ),
    "the verdict of the next sector": (
        CORE,
        (SHARED, "_leave_judged", store_and_forward, REFUSED, "self.verdicts.read((leaving.sector + 1)[:-1])"),
        ("forged sectors", "."),
    ),
    "a verdict that no right one replaces": (
        CORE,
        (
            SHARED,
            JUDGES,
            store_and_forward,
            "self.verdicts.write(sector, wrong, known)",
            "self.verdicts.write(sector, wrong, known & wrong)",
        ),
        ("forged sectors", "."),
    ),
    "the ICV of the first beat": (
        CORE,
        (
            hash_counter_hash.HashCounterHash,
            ENTERS,
            hash_counter_hash,
            'c.icv.write(whose, f.later("taken_icv", x.icv), take)',
            'c.icv.write(whose, f.later("taken_icv", x.icv), f.later("opened", opening))',
        ),
        ("random sectors", "forged|stuck"),
    ),
    "the ICV is left out": (
        CORE,
        (values.HchCarried, "known_last", values, "Mux(decrypt, self.icv.read(sector), 0)", "Mux(decrypt, 0, 0)"),
        ("random sectors", "forged|stuck"),
    ),
    "the ICV is hashed to encrypt": (
        CORE,
        (values.HchCarried, "known_last", values, "Mux(decrypt, self.icv.read(sector), 0)", "self.icv.read(sector)"),
        ("gaps and back-pressure", "differs from the specification|integrity check value"),
    ),
    "valid is low, but the registers are loaded": (
        CORE,
        (
            store_and_forward,
            "Exit",
            exit_,
            "self.fetch & ~self.refused if self.icv_bits else self.fetch",
            "self.fetch",
        ),
        ("secrets on ports", "forged"),
    ),
    "the value of the second beat behind a sector": (
        BEHIND,
        (entrance.Entrance, "_beats_behind", entrance, "with m.If(come == 0):", "with m.If(come == 1):"),
        ("random sectors", "forged|stuck"),
    ),
    "a sector that does not wait for all beats behind it": (
        BEHIND,
        (entrance.Entrance, "_beats_behind", entrance, "(come != self.behind)", "(come == 0)"),
        ("random sectors", "."),
    ),
    "a beat of the sector behind its value": (
        BEHIND,
        (store_and_forward, "Exit", exit_, "with m.If(shown > self.beats):", "with m.If(shown > self.beats + 9):"),
        ("random sectors", "differs from the specification"),
    ),
    "the ICV of another sector": (
        SECOND,
        (hash_counter_hash.HashCounterHash, LEAVES, hash_counter_hash, "icv, *blocks_known =", "*blocks_known, icv ="),
        ("random sectors", "."),
    ),
    "the ICV is left out of a layer": (
        LAYERS,
        (EME, "_first_layer", encrypt_mix_encrypt, GIVEN, "self.enter(Const(0, 128), "),
        ("random sectors", "forged|stuck"),
    ),
    "the ICV is a layer's to encrypt": (
        LAYERS,
        (EME, "_first_layer", encrypt_mix_encrypt, GIVEN, "self.enter(icv, "),
        ("gaps and back-pressure", "differs from the specification|integrity check value"),
    ),
    "the ICV is hashed, and has a call, to encrypt": (
        CODE_BOOK,
        (HEH, "_X1", hash_ecb_hash, GIVEN_TO_DECRYPT, "f.carried.icv.read(sector)"),
        ("gaps and back-pressure", "differs from the specification|integrity check value"),
    ),
    "the zeros of another sector are judged": (
        CODE_BOOK,
        (HEH, "_back_hash", hash_ecb_hash, Y1, Y1.replace("whose", "(whose + 1)[:-1]")),
        ("random sectors", "forged|stuck"),
    ),
    "the ICV is hashed as the sector's first beat has it": (
        CODE_BOOK,
        (HEH, "_front_hash", hash_ecb_hash, "x.icv), take)", 'x.icv), f.later("opened", opening))'),
        ("random sectors", "forged|stuck"),
    ),
    "the call of the first block is not waited for": (
        LAYERS,
        (EME, "_first_layer", encrypt_mix_encrypt, "free & ready & ~leads)", "free & ready)"),
        ("gaps and back-pressure", "."),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("core", "fault", "found"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_the_verdict_is_found(core, fault, found, monkeypatch):
    where, name, source, before, after = fault
    monkeypatch.setattr(where, name, changed(source, name, before, after))
    expect_found(SECTORS, contract(*core), *found, amount=512)


def test_every_fault_has_its_place_in_the_source():
    """The slow cases among them would tell so only where they run."""
    for _, (_, name, source, before, after), _ in FAULTS.values():
        assert changed(source, name, before, after)
