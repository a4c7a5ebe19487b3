# SPDX-License-Identifier: Apache-2.0
"""Checks of an authenticated cipher against its specification, each named, each explaining the first difference."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import accumulate
from typing import Any

from wideblock.catalog import AeadAnswer
from wideblock.drive.aead.exchange import Exchange, activation, decryption, encryption, exchange, failing
from wideblock.drive.aead.simulation import PlayedMessages
from wideblock.drive.core import zeroize_at
from wideblock.rtl.aead.words import Opcode, Type
from wideblock.verify.aead.check import AeadCheck, difference
from wideblock.verify.aead.malformed import cut, malformed, misplaced_ends, wrong_lengths
from wideblock.verify.aead.measure import clearing, message
from wideblock.verify.aead.secrets import secrets
from wideblock.verify.aead.state import no_plaintext_after_a_wrong_tag, state_after_a_message, state_after_zeroize
from wideblock.verify.core.check import gaps_and_back_pressure, known_answers
from wideblock.verify.core.report import Finding, failed, passed

__all__ = ["CHECKS"]

LENGTHS = 1 << 16
"""Lengths that a segment header can say."""


def published(check: AeadCheck) -> Finding:
    """Published vectors, in both directions; answers that must be rejected are decrypted."""

    def wrong(vector: AeadAnswer) -> str | None:
        exchanges = [activation(check.api, vector.key)]
        if vector.plaintext is not None:
            exchanges.append(encryption(check.api, vector.npub, vector.ad, vector.plaintext, vector.ciphertext))
            exchanges.append(decryption(check.api, vector.npub, vector.ad, vector.ciphertext, vector.plaintext))
        else:
            spec = check.subject.specification(vector.key)
            exchanges.append(check.forged(check.api, spec, vector.npub, vector.ad, vector.ciphertext))
        return check.play(exchanges)

    rejected = sum(vector.plaintext is None for vector in check.vectors)
    return known_answers(check, wrong, f"both ways, {rejected} of them to be rejected")


def cycle_contract(check: AeadCheck) -> Finding:
    """Whole messages of several lengths, activation and zeroize, each equal to the contract."""
    t, most = check.subject.timing, check.behaviour
    block = check.shape.block
    pairs = [(0, 0), (1, 0), (0, 1), (block, block), (2 * block + 1, 3 * block - 1), (most.ad_bytes, 0)]
    pairs += [(0, most.data_bytes), (check.size(most.ad_bytes), check.size(most.data_bytes))]
    pairs += [(2 * t.segment + 1, 3 * t.segment + block + 3)] if t.segment else []
    for ad, size in pairs:
        for decrypt in (False, True):
            keyed, spec = check.key()
            ad, size = min(ad, most.longest_ad), min(size, most.longest(decrypt=decrypt))
            sent = check.plain(spec, ad, size, decrypt)
            begin = check.simulation.cycle
            with check.timed():
                cycles = message(check.simulation, keyed, sent)
            check.count(check.simulation.cycle - begin, 3)
            seen = {
                "activation": (cycles.activation, t.activation),
                "the first message under a key": (cycles.first, t.message(ad, size, decrypt=decrypt, activated=True)),
                "a message": (cycles.again, t.message(ad, size, decrypt=decrypt)),
            }
            for what, (measured, stated) in seen.items():
                if measured != stated:
                    return failed(f"{what} takes {measured} cycles in simulation ({sent.about}); stated are {stated}.")
    begin = check.simulation.cycle
    with check.timed():
        cleared = clearing(check.simulation)
    check.count(check.simulation.cycle - begin, 0)
    if cleared != t.zeroize:
        return failed(f"zeroize takes {cleared} cycles in simulation; stated are {t.zeroize}.")
    stated = ", ".join(f"{figure.name} {figure.cycles}" for figure in t.figures())
    return passed(f"{stated} cycles; messages of {len(pairs)} pairs of lengths, both ways, back to back")


def random_messages(check: AeadCheck) -> Finding:
    """Back to back, directions mixed, some with a wrong bit, under several keys."""
    done = 0
    while done < check.amount:
        n = min(32, check.amount - done)
        keyed, spec = check.key()
        exchanges = [check.message(spec, flip=check.rng.random() < 0.2) for _ in range(n)]
        if found := check.play([keyed, *exchanges], reset=done == 0):
            return failed(found)
        done += n
        check.progress(done, check.amount)
    return passed(f"{done} messages of random lengths, encrypted and decrypted in mixed order, under several keys")


def gaps(check: AeadCheck) -> Finding:
    """Pauses between words of the inputs, and outputs that are not accepted, from rare to nearly always."""

    def wrong(offer: float, take: float) -> str | None:
        keyed, spec = check.key()
        exchanges = [check.message(spec, flip=check.rng.random() < 0.2) for _ in range(check.few(6))]
        return check.play([keyed, *exchanges], offer=offer, take=take)

    return gaps_and_back_pressure("words", wrong)


def wrong_tags(check: AeadCheck) -> Finding:
    """One bit of tag, ciphertext, associated data or nonce is wrong: FAILURE alone leaves; the next one is right.

    With ``release=at-once`` the plaintext leaves before FAILURE.
    """
    keyed, spec = check.key()
    n = max(check.few(64), 16)
    wrong = [check.message(spec, decrypt=True, flip=True) for _ in range(n)]
    right = [check.message(spec) for _ in range(n)]
    mixed = [each for pair in zip(wrong, right, strict=True) for each in pair]
    for take in (1.0, 0.3):
        if found := check.play([keyed, *mixed], take=take):
            return failed(found)
    return passed(f"{n} messages with one wrong bit, each followed by a right one")


def long_messages(check: AeadCheck) -> Finding:
    """The longest messages, or some longer than a length field can say: right, forged, right again.

    The status is the last word of each, and leaves after the last word of the input was accepted.
    """
    b, most = check.behaviour, LENGTHS + 3 * check.shape.block + 5
    keyed, spec = check.key()
    npub, A = check.random(check.shape.npub), check.random(min(b.longest_ad, most))
    texts = {size: check.random(size) for size in {min(b.longest(decrypt=way), most) for way in (False, True)}}
    sealed = {size: spec.encrypt(npub, A, text) for size, text in texts.items()}
    P, C = texts[max(texts)], sealed[max(texts)]
    opened, right = texts[min(texts)], sealed[min(texts)]
    wrong = right[:-1] + bytes([right[-1] ^ 0x80])
    exchanges = [
        keyed,
        encryption(check.api, npub, A, P, C),
        decryption(check.api, npub, A, wrong, None, opened),
        decryption(check.api, npub, A, right, opened),
        check.message(spec),
    ]
    check.simulation.reset()
    played = check.words(exchanges)
    if found := difference(exchanges, played, check.api.word_bits):
        return failed(found)
    words = accumulate(len(each.pdi) for each in exchanges)
    results = accumulate(len(each.right) for each in exchanges)
    for each, last, status in [*zip(exchanges, words, results, strict=True)][1:]:
        if played.left[status - 1] <= played.accepted["pdi"][last - 1]:
            return failed(f"The status leaves before the last word is accepted ({each.about}).")
    lengths = f"{len(P)} bytes to encrypt, {len(opened)} to decrypt, once forged"
    return passed(f"{len(A)} bytes of associated data; {lengths}")


def malformed_input(check: AeadCheck) -> Finding:
    """Messages that break a rule of the API fail once; the next message is right."""
    packets, behaviour = check.subject.parameters.packets, check.behaviour
    for chance in (1.0, 0.5):
        keyed, spec = check.key()
        broken = [*malformed(check.api, behaviour, spec), *_too_long(check, spec)]
        if packets:
            broken += [*misplaced_ends(check.api, behaviour, spec), *_cuts(check, spec)]
        exchanges = [keyed, *(each for case in broken for each in (case, check.message(spec)))]
        if found := check.play(exchanges, offer=chance, take=chance):
            return failed(found)
    return passed(f"{len(broken)} malformed messages, each followed by a right one")


def _too_long(check: AeadCheck, spec: Any) -> Iterator[Exchange]:
    """Messages a byte and a block longer than the longest, right in all else: both ways, each type in one segment."""
    block, most, api = check.shape.block, check.behaviour.data_bytes, replace(check.api, segment=1 << 16)
    for over in (1, block):
        for decrypt in (False, True):
            if check.shape.enciphered(most + over) < 1 << 16 and check.shape.enciphered(most) < most + over:
                yield failing(check.api, check.plain(spec, 0, most + over, decrypt, api=api), "which are too many")


def _cuts(check: AeadCheck, spec: Any) -> Iterator[Exchange]:
    """Encryptions in a segment, with a packet that ends in each word of data before the last; decryptions at once."""
    block, api = check.shape.block, replace(check.api, segment=1 << 15)
    for size in sorted({min(size, check.behaviour.data_bytes) for size in (block, 2 * block, 3 * block - 1)}):
        npub, A, P = (
            check.random(check.shape.npub),
            check.random(check.size(check.behaviour.ad_bytes)),
            check.random(size),
        )
        sealed = spec.encrypt(npub, A, P)
        whole, opened = encryption(api, npub, A, P, sealed), decryption(api, npub, A, sealed, P)
        for missing in range(1, -(-8 * size // api.word_bits)):
            yield cut(api, whole, P, sealed, missing)
            if api.at_once:
                yield cut(api, opened, P, sealed, missing, decrypt=True)


def keys(check: AeadCheck) -> Finding:
    """New keys between messages, keys that are refused, and messages without a key."""
    api, size = check.api, check.shape.key
    load, key = [api.instruction(Opcode.LOAD_KEY)], check.random(size)
    refused = {
        "another instruction": [api.instruction(5), api.header(Type.KEY, size, last=True), *api.data(key)],
        "another type": [*load, api.header(Type.NPUB, size, last=True), *api.data(key)],
        "half the length": [*load, api.header(Type.KEY, size // 2, last=True), *api.data(key[: size // 2])],
        "twice the length": [*load, api.header(Type.KEY, 2 * size, last=True), *api.data(key + key)],
        "no EOT": [*load, api.header(Type.KEY, size, eot=False, last=True), *api.data(key)],
        "no Last": [*load, *2 * [api.header(Type.KEY, size), *api.data(key)], api.header(Type.KEY, 0, last=True)],
    }
    for wrong in wrong_lengths(size):
        refused[f"{wrong} bytes"] = [*load, api.header(Type.KEY, wrong, last=True), *api.data(bytes(wrong))]
    if check.subject.parameters.packets:
        step = api.word_bits // 8
        refused |= {
            "a word less than its header says": [*load, api.header(Type.KEY, size, last=True), *api.data(key[:-step])],
            "a word behind it": [*load, api.header(Type.KEY, size, last=True), *api.data(key + bytes(step))],
        }
    keyed, spec = check.key()
    exchanges = [keyed]
    for about, items in refused.items():
        exchanges += [
            check.message(spec),
            exchange(api, f"activation of a key with {about}", api.activate_key(), (), items),
            failing(api, check.message(spec, decrypt=False), "no key"),
        ]
        keyed, spec = check.key()
        exchanges += [keyed, check.message(spec), check.message(spec)]
    for chance in (1.0, 0.5):
        if found := check.play(exchanges, offer=chance):
            return failed(found)
    return passed(f"new keys between messages, {len(refused)} keys of a wrong form, messages without a key")


def resets(check: AeadCheck) -> Finding:
    """A reset in any cycle forgets the key and the message; everything afterwards is right."""
    return _struck(check, zeroize=False)


def zeroize(check: AeadCheck) -> Finding:
    """``zeroize`` in any cycle: the rest of the message is dropped without a status; everything afterwards is right."""
    return _struck(check, zeroize=True)


def _struck(check: AeadCheck, *, zeroize: bool) -> Finding:
    kinds, t = check.behaviour.classes, check.subject.timing
    moments = max(12, check.few(24))
    for number in range(moments):
        keyed, spec = check.key()
        sizes = [check.of(kinds[number % len(kinds)]) for _ in range(3)]
        before = [keyed, *(check.message(spec, size=size, ad=ad) for ad, size in sizes)]
        moment = t.zeroize + check.number(0, t.activation + sum(t.message(*each, decrypt=True) for each in sizes))
        check.simulation.reset()
        played = check.words(before, limit=moment + 1, events=[zeroize_at(moment)] if zeroize else [])
        if found := difference(before, played, check.api.word_bits, whole=False):
            return failed(f"{found} Before {'zeroize' if zeroize else 'a reset'} in cycle {moment}.")
        rest: list[Exchange] = []
        if zeroize:
            rest = [Exchange("the rest of a message", _rest(before, "pdi", played), _rest(before, "sdi", played), ())]
        else:
            check.simulation.reset()
        without = failing(check.api, check.message(spec, decrypt=False), "no key")
        keyed, spec = check.key()
        after = [*rest, without, keyed, check.message(spec), check.message(spec)]
        if found := check.play(after, reset=False):
            return failed(f"{found} After {'zeroize' if zeroize else 'a reset'} in cycle {moment}.")
    return passed(f"{moments} random cycles in activations and messages, then a message without a key, a key, messages")


def _rest(exchanges: list[Exchange], port: str, played: PlayedMessages) -> list[int]:
    """The unaccepted words of a message with accepted words."""
    taken = played.taken(port)
    for each in exchanges:
        words = getattr(each, port)
        if 0 < taken < len(words):
            return [*words[taken:]]
        taken -= len(words)
    return []


CHECKS: dict[str, Callable[[AeadCheck], Finding]] = {
    "known answers": published,
    "cycle contract": cycle_contract,
    "random messages": random_messages,
    "gaps and back-pressure": gaps,
    "wrong tags": wrong_tags,
    "long messages": long_messages,
    "malformed input": malformed_input,
    "keys": keys,
    "resets": resets,
    "zeroize": zeroize,
    "state after zeroize": state_after_zeroize,
    "state after a message": state_after_a_message,
    "no plaintext after a wrong tag": no_plaintext_after_a_wrong_tag,
    "secrets on ports": secrets,
}
"""Every check by its name, in order."""
