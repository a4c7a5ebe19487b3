# SPDX-License-Identifier: Apache-2.0
"""The CAESAR Hardware API around a toy cipher: messages, stalls, malformed input, zeroize, cycles."""

import random

import pytest

from wideblock.errors import UserError
from wideblock.rtl.aead.caesar import Caesar
from wideblock.rtl.aead.cipher import CipherShape
from wideblock.rtl.aead.key_loader import KeyLoader
from wideblock.rtl.aead.parameters import AeadParameters
from wideblock.rtl.aead.result_buffer import ResultBuffer

from ...variants import few_of_many
from .bench import play
from .toy_cipher import Toy, ToyCipher
from .words import ACTIVATE, FAILURE, PT, SUCCESS, key_words, message, results, segment, segments

pytestmark = pytest.mark.shows("caesar")

MOST = 44
KEY = bytes(range(8))
PACES = [(32, 1, (1, 1, 1)), (32, 9, (0.4, 0.3, 0.9)), (64, 2, (0.9, 1, 0.2))]


KINDS = {
    "usual": {},
    "judges": {"judges": True},
    "not online": {"online": False},
    "expands": {"judges": True, "expands": True},
    "all of it": {"judges": True, "online": False, "expands": True},
    "pipelined": {"pipelined": True},
}
"""Kinds of ciphers: properties of their shapes."""

FIRST = ("usual", "all of it")
kinds = pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, id=name, marks=[] if name in FIRST else pytest.mark.slow) for name, kind in KINDS.items()],
)


def core(kind=None, *, bits=32, pace=3):
    if kind and kind.get("pipelined"):
        pace = max(pace, 64 // bits)  # words of a block: results may not come faster
    made = type("ToyCore", (Caesar,), {"make_cipher": lambda p: ToyCipher(pace, **kind or {})})
    return made(AeadParameters(word_bits=bits, ad_bytes=MOST, data_bytes=MOST))


def toy_of(kind):
    return Toy(KEY, expands=kind.get("expands", False))


def exchange(rng, toy, *, bits=32, decrypt=None, ad=None, size=None, cut=1 << 14, wrong=False, online=True):
    """A random message with its right output."""
    npub = rng.randbytes(12)
    ad = rng.randbytes(rng.randrange(MOST + 1) if ad is None else ad)
    text = rng.randbytes(rng.randrange(MOST + 1) if size is None else size)
    other, tag = toy.crypt(npub, ad, text)
    decrypt = rng.random() < 0.5 if decrypt is None else decrypt
    if not decrypt:
        right = results(other, tag, bits=bits, cut=cut if online else 1 << 14, size=len(text))
        return message(npub, ad, text, bits=bits, cut=cut), right
    if wrong:
        flipped = rng.randrange(48)
        tag = (int.from_bytes(tag, "little") ^ 1 << flipped).to_bytes(6, "little")
    right = [FAILURE << bits - 32] if wrong else results(text, bits=bits)
    return message(npub, ad, other, tag, bits=bits, cut=cut), right


def check(dut, exchanges, *, bits=32, chance=(1.0, 1.0, 1.0), seed=0):
    """Plays exchanges after a key; returns the words that passed."""
    pdi = [ACTIVATE << bits - 32, *(word for words, _ in exchanges for word in words)]
    want = [word for _, words in exchanges for word in words]
    passed = play(dut, pdi, key_words(KEY, bits), want=len(want), chance=chance, seed=seed)
    assert [word for _, word in passed["do"]] == want
    return passed


@kinds
@pytest.mark.parametrize("bits, pace, chance", few_of_many(PACES, [PACES[1]]))
def test_random_messages(kind, bits, pace, chance):
    """Both directions, right and wrong tags, one segment or several, random pauses and back-pressure."""
    rng, online = random.Random(f"{bits} {pace}"), kind.get("online", True)
    exchanges = [
        exchange(
            rng, toy_of(kind), bits=bits, cut=rng.choice([8, 16, 1 << 14]), wrong=rng.random() < 0.3, online=online
        )
        for _ in range(16)
    ]
    check(core(kind, bits=bits, pace=pace), exchanges, bits=bits, chance=chance, seed=pace)


EVERY_PACE = [(name, *pace) for name in KINDS for pace in [(32, 1), (32, 5), (64, 1)]]
SOME_PACES = [*((name, *pace) for name in FIRST for pace in [(32, 1), (64, 1)]), ("pipelined", 32, 1)]


@pytest.mark.parametrize("name, bits, pace", few_of_many(EVERY_PACE, SOME_PACES))
def test_stated_cycles_are_measured(name, bits, pace):
    """Every message takes the cycles that are stated, and the next one is accepted with its status."""
    kind = KINDS[name]
    dut, rng, top = core(kind, bits=bits, pace=pace), random.Random(pace), bits - 32
    lengths = [(0, 0), (1, 0), (0, 1), (8, 8), (9, 17), (MOST, MOST), (3, 40), (40, 3)]
    messages = [(ad, size, decrypt) for ad, size in lengths for decrypt in (False, True)]
    exchanges = [exchange(rng, toy_of(kind), bits=bits, decrypt=d, ad=a, size=n) for a, n, d in messages]
    passed = check(dut, exchanges, bits=bits)
    begun = [cycle for cycle, word in passed["pdi"] if word in (0x20000000 << top, 0x30000000 << top)]
    ended = [cycle for cycle, word in passed["do"] if word == SUCCESS << top]
    assert begun[0] - passed["pdi"][0][0] == dut.timing.activation
    assert begun[1:] == ended[:-1]
    for n, (ad, size, decrypt) in enumerate(messages):
        stated = dut.timing.message(ad, size, decrypt=decrypt, activated=n == 0)
        assert ended[n] - begun[n] == stated, (ad, size, decrypt)


def long_exchange(rng, toy, ad, size, *, decrypt, cut=16, wrong=False):
    """A message in segments of ``cut`` bytes to a core that releases at once, with its right output."""
    npub, A, text = rng.randbytes(12), rng.randbytes(ad), rng.randbytes(size)
    other, tag = toy.crypt(npub, A, text)
    if not decrypt:
        return message(npub, A, text, cut=cut), results(other, tag, cut=cut, size=size)
    if wrong:
        tag = bytes([tag[0] ^ 1]) + tag[1:]
    left = results(text)[:-1] if toy.expands else segments(PT, text, 32, cut, last=1)
    status = [FAILURE] if wrong else [SUCCESS]
    return message(npub, A, other, tag, cut=cut), status if wrong and toy.expands else [*left, *status]


@pytest.mark.parametrize("chance", [(1, 1, 1), (0.5, 0.5, 0.4)])
@pytest.mark.parametrize("name", few_of_many(["usual", "judges", "expands", "pipelined"], ["usual", "expands"]))
def test_long_messages_leave_at_once(name, chance):
    """Messages longer than the result buffer, in the stated cycles; a forged one leaves and ends in FAILURE.

    One that expands is held to decrypt, and so no longer than its buffer.
    """
    kind, rng = KINDS[name], random.Random(3)
    made = type("ToyCore", (Caesar,), {"make_cipher": lambda p: ToyCipher(3, **kind)})
    dut, toy = made(AeadParameters(ad_bytes=MOST, data_bytes=16, release="at-once")), toy_of(kind)
    sizes = [(ad, size, d) for ad, size in ((0, 0), (5, 5), (133, 16), (48, 17), (16, 133)) for d in (False, True)]
    sizes = [(ad, min(size, 16) if d and toy.expands else size, d) for ad, size, d in sizes]
    exchanges = [long_exchange(rng, toy, ad, size, decrypt=d) for ad, size, d in sizes]
    forged = 15 if toy.expands else 100
    exchanges += [long_exchange(rng, toy, 100, forged, decrypt=True, wrong=wrong) for wrong in (True, False)]
    passed = check(dut, exchanges, chance=chance)
    assert dut.buffer.rows == (8 if toy.expands else 4)
    if chance == (1, 1, 1):
        begun = [cycle for cycle, word in passed["pdi"] if word in (0x20000000, 0x30000000)]
        ended = [cycle for cycle, word in passed["do"] if word == SUCCESS]
        for n, (ad, size, d) in enumerate(sizes):
            stated = dut.timing.message(ad, size, decrypt=d, activated=n == 0)
            assert ended[n] - begun[n] == stated, (ad, size, d)


def test_what_cannot_leave_at_once():
    late = type("ToyCore", (Caesar,), {"make_cipher": lambda p: ToyCipher(3, online=False)})
    with pytest.raises(UserError, match="release=at-once needs results during the message, this cipher has none"):
        late(AeadParameters(release="at-once"))
    made = type("ToyCore", (Caesar,), {"make_cipher": lambda p: ToyCipher(3)})
    with pytest.raises(UserError, match="release=at-once needs segments of at least a block of 8 bytes, got 7"):
        made(AeadParameters(ad_bytes=7, release="at-once"))


def malformed(npub=bytes(12), *, expands=False):
    """Messages that break one rule each, framed up to a segment with Last, by what is wrong."""
    sealed = bytes(8) if expands else b"text"
    n, ad, text, end = segment(0xD, npub), segment(1, b"ad"), segment(4, b"text", last=1), segment(4, b"", last=1)
    e, d = [0x20000000], [0x30000000]
    tag = segment(8, bytes(6), last=1)
    yield "unknown opcode", [0x50000000, *n, *ad, *text]
    yield "opcode of a key", [0x40000000, *n, *ad, *text]
    yield "no nonce", [*e, *ad, *text]
    yield "short nonce", [*e, *segment(0xD, npub[:8]), *ad, *text]
    yield "long nonce", [*e, *segment(0xD, bytes(16)), *ad, *text]
    yield "nonce without EOT", [*e, *segment(0xD, npub, eot=0), *ad, *text]
    yield "nonce with Last", [*e, *segment(0xD, npub, last=1)]
    yield "two nonces", [*e, *n, *n, *ad, *text]
    yield "no associated data", [*e, *n, *text]
    yield "associated data with Last", [*e, *n, *segment(1, b"ad", last=1)]
    yield "too long associated data", [*e, *n, *segment(1, bytes(MOST + 1)), *text]
    yield (
        "too long associated data in two segments",
        [*e, *n, *segment(1, bytes(40), eot=0), *segment(1, bytes(5)), *end],
    )
    yield "part of a block before another segment", [*e, *n, *segment(1, bytes(5), eot=0), *ad, *text]
    yield "empty segment before another", [*e, *n, *segment(1, b"", eot=0), *ad, *text]
    yield "empty segment after another", [*e, *n, *segment(1, bytes(8), eot=0), *segment(1, b""), *text]
    yield "unknown type", [*e, *n, *ad, *segment(9, bytes(20)), *text]
    yield "ciphertext to encrypt", [*e, *n, *ad, *segment(5, b"text", last=1)]
    yield "plaintext to decrypt", [*d, *n, *ad, *segment(4, b"text"), *tag]
    yield "too long message", [*e, *n, *ad, *segment(4, bytes(MOST + 1), last=1)]
    yield "too long ciphertext", [*d, *n, *ad, *segment(5, bytes(1 << 8)), *tag]
    yield "no Last", [*e, *n, *ad, *segment(4, b"text"), *segment(4, b"more", last=1)]
    yield "partial", [*e, *n, *ad, 0x4B000004, 0]
    yield "no tag", [*d, *n, *ad, *segment(5, sealed, last=1)]
    yield "short tag", [*d, *n, *ad, *segment(5, sealed), *segment(8, bytes(5), last=1)]
    yield "tag without Last", [*d, *n, *ad, *segment(5, sealed), *segment(8, bytes(6)), *tag]
    yield "tag of an encryption", [*e, *n, *ad, *segment(4, b"text"), *tag]
    yield "nothing but a status", [0xE0000000, *segment(0, b"", last=1)]
    if expands:
        yield "part of a block of ciphertext", [*d, *n, *ad, *segment(5, b"text"), *tag]
        yield "no ciphertext", [*d, *n, *ad, *segment(5, b""), *tag]
        yield "a block of ciphertext too many", [*d, *n, *ad, *segment(5, bytes(56)), *tag]


@kinds
@pytest.mark.parametrize("chance", [pytest.param((1, 1, 1), marks=pytest.mark.slow), (0.5, 0.5, 0.5)])
def test_malformed_messages_fail_once_and_the_next_one_is_right(kind, chance):
    rng, exchanges, toy = random.Random(5), [], toy_of(kind)
    for _, words in malformed(expands=toy.expands):
        exchanges += [(words, [FAILURE]), exchange(rng, toy, decrypt=True), exchange(rng, toy, decrypt=False)]
    check(core(kind), exchanges, chance=chance)


@kinds
@pytest.mark.parametrize("pace", [1, 6])
def test_a_fault_after_the_first_segment_of_a_message(kind, pace):
    """Its ciphertext has left, if the cipher is online; FAILURE follows in the place of a tag."""
    rng, npub, toy = random.Random(2), bytes(12), toy_of(kind)
    out, _ = toy.padded(npub, b"", bytes(16))
    words = [*segment(0xD, npub), *segment(1, b""), *segment(4, bytes(16), eot=0), *segment(1, bytes(9), last=1)]
    right = [*(segment(5, out, eot=0) if kind.get("online", True) else []), FAILURE]
    opened = [0x30000000, *segment(0xD, npub), *segment(1, b""), *segment(5, bytes(16), eot=0), *words[-4:]]
    exchanges = [([0x20000000, *words], right), exchange(rng, toy), (opened, [FAILURE]), exchange(rng, toy)]
    check(core(kind, pace=pace), exchanges)


def test_a_wrong_padding_fails_under_the_right_tag():
    """Only the owner of the key can make such a message; no byte of it leaves."""
    rng, npub, toy = random.Random(9), bytes(12), Toy(KEY, expands=True)
    exchanges = []
    for text in (bytes(8), bytes(15) + b"\1", b"\x80" + bytes(15), bytes(6) + b"\x80\x81"):
        out, tag = toy.padded(npub, b"ad", text)
        exchanges += [(message(npub, b"ad", out, tag), [FAILURE]), exchange(rng, toy)]
    for kind in ("expands", "all of it"):
        check(core(KINDS[kind]), exchanges)


@pytest.mark.parametrize("kind, most", [("usual", 65535), ("expands", 65527)])
def test_ciphertext_fits_the_length_of_a_segment(kind, most):
    made = type("ToyCore", (Caesar,), {"make_cipher": lambda p: ToyCipher(**KINDS[kind])})
    assert made(AeadParameters(data_bytes=most)).behaviour.data_bytes == most
    if most < 65535:
        with pytest.raises(UserError, match="data_bytes of 65528 give 65536 bytes of ciphertext; the most are 65535"):
            made(AeadParameters(data_bytes=most + 1))


def test_messages_without_a_key_fail():
    rng = random.Random(1)
    before, (after, right) = exchange(rng, Toy(KEY))[0], exchange(rng, Toy(KEY))
    passed = play(core(), [*before, ACTIVATE, *after], key_words(KEY), want=1 + len(right))
    assert [word for _, word in passed["do"]] == [FAILURE, *right]


@pytest.mark.parametrize(
    "words",
    [
        [0x50000000, *segment(0xC, KEY, last=1)],
        [0x40000000, *segment(0xD, KEY, last=1)],
        [0x40000000, *segment(0xC, KEY[:4], last=1)],
        [0x40000000, *segment(0xC, bytes(16), last=1)],
        [0x40000000, *segment(0xC, KEY, eot=0, last=1)],
        [0x40000000, *segment(0xC, KEY), *segment(0xC, KEY, last=1)],
    ],
)
def test_a_malformed_key_is_no_key(words):
    """Nor is the one before it; the next one counts."""
    rng = random.Random(3)
    (one, right), (two, _), (three, again) = (exchange(rng, Toy(KEY)) for _ in range(3))
    pdi = [ACTIVATE, *one, ACTIVATE, *two, ACTIVATE, *three]
    passed = play(core(), pdi, [*key_words(KEY), *words, *key_words(KEY)], want=len(right) + 1 + len(again))
    assert [word for _, word in passed["do"]] == [*right, FAILURE, *again]


def test_a_new_key_counts_from_its_activation():
    rng, other = random.Random(7), b"otherkey"
    (one, right), (two, again) = exchange(rng, Toy(KEY)), exchange(rng, Toy(other))
    passed = play(
        core(), [ACTIVATE, *one, ACTIVATE, *two], [*key_words(KEY), *key_words(other)], want=len(right + again)
    )
    assert [word for _, word in passed["do"]] == [*right, *again]


@kinds
@pytest.mark.parametrize("direction", few_of_many([False, True], [True]))
def test_zeroize_at_any_moment(kind, direction):
    """What left before is right. Afterwards there is no key; the rest of a message is dropped without a status."""
    dut, rng, toy = core(kind), random.Random(11), toy_of(kind)
    (one, first), (two, second) = (exchange(rng, toy, decrypt=direction, ad=9, size=20) for _ in range(2))
    pdi, sdi = [ACTIVATE, *one, ACTIVATE, *two], key_words(KEY) * 2
    length = play(dut, pdi, sdi, want=len(first + second))["do"][-1][0]
    for moment in range(len(kind), length - len(second), 13):  # other moments for other kinds
        last = exchange(rng, toy)
        passed = play(dut, [*pdi, ACTIVATE, *last[0]], sdi * 2, want=len(last[1]), zeroize=(moment,), seed=moment)
        words = [word for _, word in passed["do"]]
        before = [word for cycle, word in passed["do"] if cycle <= moment]
        assert before == (first + second)[: len(before)]
        assert words[len(words) - len(last[1]) :] == last[1]
        between = words[len(before) : len(words) - len(last[1])]
        assert between in ([], [FAILURE], second, [FAILURE, *second]) or before + between == first + second
        late = [cycle for cycle, _ in passed["do"] if cycle > moment]
        assert late[0] > moment + dut.timing.zeroize


@pytest.mark.parametrize("bits", [32, 64])
def test_impossible_sizes(bits):
    with pytest.raises(ValueError, match="got 6 bytes"):
        KeyLoader(key_bytes=6, word_bits=bits)
    with pytest.raises(ValueError, match=f"a block must be whole words of {bits} bits, got 6 bytes"):
        ResultBuffer(CipherShape(block=6, key=8, npub=8, tag=6), word_bits=bits, most_bytes=20)
    with pytest.raises(ValueError, match="got 9"):
        CipherShape(block=8, key=8, npub=8, tag=9)
    with pytest.raises(UserError, match="data_bytes must be from 1 to 65535, got 65536"):
        AeadParameters(word_bits=bits, data_bytes=65536)
