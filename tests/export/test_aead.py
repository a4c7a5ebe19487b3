# SPDX-License-Identifier: Apache-2.0
"""Files beside an authenticated cipher: text files of messages, and the datasheet."""

import pytest

from wideblock.drive.aead.caesar import FILES
from wideblock.export.aead import datasheet, random_answers, vectors
from wideblock.export.contract import contract

pytestmark = pytest.mark.shows("caesar")


def test_vectors_have_a_key_for_each_change_of_it_and_a_status_for_each_message():
    core = contract("aes-gcm")
    files = vectors(core, random_answers(core, 8, seed=3))
    assert list(files) == list(FILES.values())
    assert files["pdi.txt"].count("INS = 7") == files["sdi.txt"].count("INS = 4") == 2
    assert files["do.txt"].count("STT = F0000000") == 2 and files["do.txt"].count("STT = E0000000") == 12
    assert vectors(core, []) == {}


def test_the_datasheet_has_cycles_of_whole_messages():
    core = contract("aes-gcm")
    sheet = datasheet(core)
    t = core.timing
    assert f"| 16 | 2047 | {t.message(16, 2047)} | {t.message(16, 2047, decrypt=True)} |" in sheet
    assert "`do_data`" in sheet and core.security in sheet and "packet" not in sheet
    packets = datasheet(contract("aes-gcm", {"ports": "axi4-stream"}))
    assert "`m_axis_do_tlast` marks the\n  status" in packets
    assert "`aresetn` is sampled by `aclk`: after power-up it must be low" in packets
    assert "first byte of data is in the low bits" in packets


def test_plaintext_that_leaves_before_its_verdict_is_said_in_every_document():
    core, usual = contract("scream", {"release": "at-once"}), contract("scream")
    told = [
        " ".join(text.replace("//", "").split()) for text in (datasheet(core), core.header, core.json()["security"])
    ]
    assert all("PLAINTEXT LEAVES BEFORE ITS VERDICT (release=at-once)" in text for text in told)
    assert "plaintext UNVERIFIED" in core.summary and "BEFORE the tag was compared" in told[0]
    assert "before its tag was found right" in datasheet(usual) and "before its tag" not in told[0]
    assert "VERDICT" not in datasheet(usual) + usual.header and "release" not in usual.header
    assert "| 0 | 65541 | " in told[0]
    held = contract("minalpher", {"release": "at-once"})
    assert "4294967295 bytes to encrypt, 2047 to decrypt" in held.summary and "VERDICT" not in held.header
