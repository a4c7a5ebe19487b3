# SPDX-License-Identifier: Apache-2.0
"""Faults put by hand into an authenticated cipher with AXI4-Stream ports: each is found by the check that is for it."""

import pytest

from wideblock.export.contract import contract
from wideblock.rtl.aead import aes_gcm, caesar, grammar, key_loader, post_processor, pre_processor
from wideblock.verify.aead.suite import MESSAGES

from ..changed_source import changed, expect_found

pytestmark = pytest.mark.shows("aead", "mutation")

SMALL = {"data_bytes": 64, "ad_bytes": 48, "ports": "axi4-stream"}
SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("user", "name", "module", "before", "after", "check", "words"),
    [
        pytest.param(
            *(caesar, "KeyLoader", key_loader, "is_key & header.eot & header.last &", "is_key & header.eot &"),
            *("keys", "no key"),
            id="a key without Last",
        ),
        pytest.param(
            *(pre_processor, "Grammar", grammar, "(total <= self.data_bytes)", "(total <= self.data_bytes + 16)"),
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
    ],
)
def test_a_planted_fault_is_found(monkeypatch, user, name, module, before, after, check, words):
    made = changed(module, "AesGcmCipher" if name == "make_cipher" else name, before, after)
    monkeypatch.setattr(user, name, made)
    expect_found(MESSAGES, contract("aes-gcm", SMALL), check, words)
