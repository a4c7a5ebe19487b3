# SPDX-License-Identifier: Apache-2.0
"""Messages of the CAESAR Hardware API as words and as text files."""

import pytest

from wideblock.drive.aead.caesar import CaesarFormat, from_text, input_ends, output_ends, text, words
from wideblock.errors import UserError
from wideblock.rtl.aead.cipher import CipherShape

pytestmark = pytest.mark.shows("caesar")

NPUB = bytes(range(16))
SHAPE = CipherShape(16, 16, 16, 16)


def lines(items, bits=32):
    return [line for line in text(items, bits, "").splitlines() if not line.startswith("#")]


def test_an_empty_message_has_eoi_on_its_nonce():
    """Source: the API's own known-answer files, the first message of each direction."""
    api = CaesarFormat(SHAPE)
    npub = f"DAT = {NPUB.hex().upper()}"
    assert lines(api.encrypt(NPUB, b"", b"")) == [
        "INS = 20000000",
        "HDR = D6000010",
        npub,
        "HDR = 12000000",
        "HDR = 43000000",
    ]
    assert lines(api.decrypt(NPUB, b"", NPUB)) == [
        "INS = 30000000",
        "HDR = D6000010",
        npub,
        "HDR = 12000000",
        "HDR = 52000000",
        "HDR = 83000010",
        npub,
    ]
    assert lines(api.encrypted(0, NPUB)) == [
        "HDR = 52000000",
        "HDR = 83000010",
        npub,
        "STT = E0000000",
    ]
    assert lines(api.decrypted(b"")) == ["HDR = 43000000", "STT = E0000000"]
    assert lines([*api.activate_key(), *api.load_key(NPUB)]) == [
        "INS = 70000000",
        "INS = 40000000",
        "HDR = C7000010",
        npub,
    ]


def test_a_byte_of_each_has_eoi_on_the_message():
    """Source: the same files, the seventh message."""
    found = lines(CaesarFormat(SHAPE).encrypt(NPUB, b"\xa0", b"\xff"))
    assert found[3:] == ["HDR = 12000001", "DAT = A0000000", "HDR = 47000001", "DAT = FF000000"]


def test_long_inputs_are_segments_of_whole_blocks():
    found = lines(CaesarFormat(SHAPE, segment=16).encrypt(NPUB, b"", bytes(33)))
    assert [line for line in found if line.startswith("HDR = 4")] == [
        "HDR = 40000010",
        "HDR = 40000010",
        "HDR = 47000001",
    ]


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_files_give_the_words_back(bits):
    api = CaesarFormat(SHAPE, bits)
    items = [*api.activate_key(), *api.encrypt(NPUB, b"associated data", bytes(range(100)))]
    assert from_text("pdi.txt", text(items, bits, "a\nb"), bits) == words(items, bits)
    assert words(api.failed(), bits) == [0xF0000000 << bits - 32]


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_ends_of_messages_follow_from_headers(bits):
    """A tag of 0xE.. and data of 0x7.. are no status and no activation."""
    api = CaesarFormat(SHAPE, bits, segment=32)
    inputs = [
        api.activate_key(),
        api.encrypt(NPUB, b"", b"\x7f" * 70),
        api.decrypt(NPUB, b"a", NPUB),
        api.encrypt(NPUB, b"", b""),
    ]
    outputs = [api.encrypted(70, b"\xef" * 70 + b"\xe0" * 16), api.failed(), api.decrypted(b"")]
    for parts, ends in ((inputs, input_ends), (outputs, output_ends), ([api.load_key(NPUB)], input_ends)):
        sizes = [len(words(part, bits)) for part in parts]
        whole = words([item for part in parts for item in part], bits)
        assert ends(whole, bits) == [sum(sizes[: n + 1]) - 1 for n in range(len(sizes))]
        assert ends([], bits) == []


@pytest.mark.parametrize("line", ["INS = 2000", "INS 20000000", "XYZ = 20000000", "HDR = 2000000x", "DAT ="])
def test_a_wrong_line_is_named(line):
    with pytest.raises(UserError, match=f"^do.txt, line 2: must be one of INS, HDR, DAT, STT, .*got '{line}'$"):
        from_text("do.txt", f"# comment\n{line}\n", 32)
