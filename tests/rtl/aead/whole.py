# SPDX-License-Identifier: Apache-2.0
"""What every authenticated cipher must show: known answers, stated cycles, no byte under a wrong tag."""

import random

from .bench import play
from .words import ACTIVATE, FAILURE, SUCCESS, key_words, message, results

__all__ = ["assert_answers", "assert_no_byte_leaves", "assert_stated_cycles"]


def assert_answers(dut, answers, *, seed=0):
    """A key for each message, both ways, or to be rejected where it has no plaintext; random pauses on every port."""
    pdi, sdi, want = [], [], []
    for a in answers:
        text, (body, tag) = a.data.get("pt"), dut.cipher.shape.parts(a["ct"])
        pdi.append(ACTIVATE)
        sdi += key_words(a["key"])
        if text is not None:
            pdi += message(a["nonce"], a["ad"], text)
            want += results(body, tag, size=len(text))
        pdi += message(a["nonce"], a["ad"], body, tag)
        want += [FAILURE] if text is None else results(text)
    passed = play(dut, pdi, sdi, want=len(want), chance=(0.7, 0.8, 0.6), seed=seed)
    assert [word for _, word in passed["do"]] == want


def assert_stated_cycles(dut, specification, lengths):
    """Messages of these (bytes of associated data, bytes), both ways and back to back, take the cycles stated.

    ``specification`` is made from a key.
    """
    rng, shape, bits = random.Random(8), dut.cipher.shape, dut.parameters.word_bits
    top, key = bits - 32, rng.randbytes(shape.key)
    spec = specification(key)
    kinds = [(ad, size, decrypt) for ad, size in lengths for decrypt in (False, True)]
    pdi, want = [ACTIVATE << top], []
    for ad, size, decrypt in kinds:
        npub, a, text = rng.randbytes(shape.npub), rng.randbytes(ad), rng.randbytes(size)
        sealed = spec.encrypt(npub, a, text)
        body, tag = sealed[:-16], sealed[-16:]
        pdi += message(npub, a, body, tag, bits=bits) if decrypt else message(npub, a, text, bits=bits)
        want += results(text, bits=bits) if decrypt else results(body, tag, bits=bits, size=size)
    passed = play(dut, pdi, key_words(key, bits), want=len(want))
    assert [word for _, word in passed["do"]] == want
    begun = [cycle for cycle, word in passed["pdi"] if word in (0x20000000 << top, 0x30000000 << top)]
    ended = [cycle for cycle, word in passed["do"] if word == SUCCESS << top]
    assert begun[1:] == ended[:-1]
    for n, (ad, size, decrypt) in enumerate(kinds):
        stated = dut.timing.message(ad, size, decrypt=decrypt, activated=n == 0)
        assert ended[n] - begun[n] == stated, (ad, size, decrypt)


def assert_no_byte_leaves(dut, specification):
    """Any bit of the tag, of the ciphertext or of the associated data is wrong; the next message is right."""
    rng, shape = random.Random(6), dut.cipher.shape
    key = bytes(range(shape.key))
    npub, ad, text = rng.randbytes(shape.npub), rng.randbytes(20), rng.randbytes(37)
    sealed = specification(key).encrypt(npub, ad, text)
    pdi, want = [ACTIVATE], []
    for _ in range(4):
        at = rng.randrange(8 * (len(ad) + len(sealed)))
        wrong = (int.from_bytes(ad + sealed, "big") ^ 1 << at).to_bytes(len(ad) + len(sealed), "big")
        pdi += message(npub, wrong[: len(ad)], wrong[len(ad) : -16], wrong[-16:])
        want += [FAILURE]
    pdi += message(npub, ad, sealed[:-16], sealed[-16:])
    want += results(text)
    passed = play(dut, pdi, key_words(key), want=len(want))
    assert [word for _, word in passed["do"]] == want
