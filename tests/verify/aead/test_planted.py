# SPDX-License-Identifier: Apache-2.0
"""Faults put by hand into an authenticated cipher with AXI4-Stream ports: each is found by the check that is for it."""

import pytest

from wideblock.export.contract import contract
from wideblock.rtl.aead import aes_gcm, caesar, grammar, key_loader, post_processor, pre_processor, verdict
from wideblock.verify.aead.suite import MESSAGES

from ..changed_source import changed, expect_found

pytestmark = pytest.mark.shows("aead", "mutation")

SMALL = {"data_bytes": 64, "ad_bytes": 48, "ports": "axi4-stream"}
SLOW = pytest.mark.slow


FAULTS = [
    pytest.param(
        *(caesar, "KeyLoader", key_loader, "is_key & header.eot & header.last &", "is_key & header.eot &"),
        *("keys", "no key"),
        id="a key without Last",
    ),
    pytest.param(
        *(pre_processor, "Grammar", grammar, "counted, self.data_bytes)", "counted, self.data_bytes + 16)"),
        *("malformed input", "which are too many"),
        id="a block over the longest message",
        marks=SLOW,
    ),
    pytest.param(
        *(caesar, "PostProcessor", post_processor, "[self.do.valid.eq(1), out.eq(0)]", "self.do.valid.eq(1)"),
        *("malformed input", "right is 00000000"),
        id="the fill is the held word",
        marks=SLOW,
    ),
    pytest.param(
        *(aes_gcm.AesGcm, "make_cipher", aes_gcm, "m.If(self.clear | forget)", "m.If(self.clear)"),
        *("state after a message", "values of it in core.cipher.E_0|values of it in core.cipher._E_0"),
        id="E_0 is kept",
        marks=SLOW,
    ),
]
OF_LONG_MESSAGES = [
    pytest.param(
        *(aes_gcm.AesGcm, "make_cipher", aes_gcm, "Signal(range(max(p.longest_ad, p.longest_data) + 1)"),
        *("Signal(range(1 << 16)", "encryption of 65589 bytes, .*: right is"),
        id="lengths of 16 bits",
        marks=SLOW,
    ),
    pytest.param(
        *(caesar, "Verdict", verdict, "self._equal.eq(right)", "self._equal.eq(1)"),
        "decryption of 65589 bytes, .* to be rejected.*: right is f0000000, the core gives e0000000",
        id="any tag is right",
        marks=SLOW,
    ),
    pytest.param(
        *(caesar, "PreProcessor", pre_processor, "Signal(32 if at_once else 16)", "Signal(16)"),
        "encryption of 65589 bytes, .*: right is .*, the core gives f0000000",
        id="bytes before are counted in 16 bits",
        marks=SLOW,
    ),
]


def faulty(module, name, before, after):
    return changed(module, "AesGcmCipher" if name == "make_cipher" else name, before, after)


@pytest.mark.parametrize(("user", "name", "module", "before", "after", "check", "words"), FAULTS)
def test_a_planted_fault_is_found(monkeypatch, user, name, module, before, after, check, words):
    monkeypatch.setattr(user, name, faulty(module, name, before, after))
    expect_found(MESSAGES, contract("aes-gcm", SMALL), check, words)


@pytest.mark.parametrize(("user", "name", "module", "before", "after", "words"), OF_LONG_MESSAGES)
def test_a_fault_of_long_messages_is_found(monkeypatch, user, name, module, before, after, words):
    """Beyond 65,535 bytes, in a core that releases at once."""
    monkeypatch.setattr(user, name, faulty(module, name, before, after))
    core = contract("aes-gcm", {"data_bytes": 64, "ad_bytes": 48, "release": "at-once"})
    expect_found(MESSAGES, core, "long messages", words)


def test_every_fault_has_its_place_in_the_source():
    """The slow cases among them would tell so only where they run."""
    for _, name, module, before, after, *_ in (case.values for case in FAULTS + OF_LONG_MESSAGES):
        assert faulty(module, name, before, after)
