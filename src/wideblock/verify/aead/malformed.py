# SPDX-License-Identifier: Apache-2.0
"""Messages that break a rule of the CAESAR Hardware API, with their right output."""

from collections.abc import Iterator
from typing import Any

from wideblock.drive.aead.caesar import CaesarFormat, Item
from wideblock.drive.aead.exchange import Exchange, exchange
from wideblock.rtl.aead.behaviour import AeadBehaviour
from wideblock.rtl.aead.words import Opcode, Type

__all__ = ["cut", "malformed", "misplaced_ends", "wrong_lengths"]


def malformed(api: CaesarFormat, b: AeadBehaviour, spec: Any) -> Iterator[Exchange]:
    """Messages, each with a broken rule, up to a segment with Last; each fails, and nothing else of it leaves.

    With ``release=at-once`` the plaintext before a wrong tag leaves; ``spec`` has the key.
    """
    npub, tag = bytes(api.shape.npub), bytes(api.shape.tag)
    body = bytes(api.shape.enciphered(4))

    def part(type: int, data: bytes, **flags: bool) -> list[Item]:
        return [api.header(type, len(data), **flags), *api.data(data)]

    def long(type: int, size: int, **flags: bool) -> list[Item]:
        """More than ``size`` bytes: a segment, or a longest one and the rest if the sum is bounded."""
        whole = 0 if b.timing.segment else size // api.shape.block * api.shape.block
        return [*(part(type, bytes(whole), eot=False) if whole else []), *part(type, bytes(size + 1 - whole), **flags)]

    encrypt, decrypt = [api.instruction(Opcode.ENCRYPT)], [api.instruction(Opcode.DECRYPT)]
    nonce, ad, seal = part(Type.NPUB, npub), part(Type.AD, b"ad"), part(Type.TAG, tag, last=True)
    text, sealed = part(Type.PLAINTEXT, b"text", last=True), part(Type.CIPHERTEXT, body)
    cases: dict[str, list[Item]] = {
        "an unknown opcode": [api.instruction(5), *nonce, *ad, *text],
        "an opcode of the secret data input": [api.instruction(Opcode.LOAD_KEY), *nonce, *ad, *text],
        "no nonce": [*encrypt, *ad, *text],
        "a short nonce": [*encrypt, *part(Type.NPUB, npub[1:]), *ad, *text],
        "a long nonce": [*encrypt, *part(Type.NPUB, npub + b"\0"), *ad, *text],
        "a nonce without EOT": [*encrypt, *part(Type.NPUB, npub, eot=False), *ad, *text],
        "a nonce with Last": [*encrypt, *part(Type.NPUB, npub, last=True)],
        "two nonces": [*encrypt, *nonce, *nonce, *ad, *text],
        "no associated data": [*encrypt, *nonce, *text],
        "associated data with Last": [*encrypt, *nonce, *part(Type.AD, b"ad", last=True)],
        "too long associated data": [*encrypt, *nonce, *long(Type.AD, b.ad_bytes), *text],
        "part of a block before another segment": [*encrypt, *nonce, *part(Type.AD, b"ad", eot=False), *ad, *text],
        "an empty segment before another": [*encrypt, *nonce, *part(Type.AD, b"", eot=False), *ad, *text],
        **{
            f"a segment of type {type}": [*encrypt, *nonce, *ad, *part(type, bytes(20)), *text]
            for type in sorted({*range(16)} - {each.value for each in Type})
        },
        "ciphertext to encrypt": [*encrypt, *nonce, *ad, *part(Type.CIPHERTEXT, b"text", last=True)],
        "plaintext to decrypt": [*decrypt, *nonce, *ad, *part(Type.PLAINTEXT, b"text"), *seal],
        "a partial segment": [*encrypt, *nonce, *ad, *part(Type.PLAINTEXT, b"text", last=True, partial=True)],
        "plaintext without Last": [*encrypt, *nonce, *ad, *part(Type.PLAINTEXT, b"text"), *text],
        "too long ciphertext": [*decrypt, *nonce, *ad, *long(Type.CIPHERTEXT, b.data_bytes), *seal],
        "no tag": [*decrypt, *nonce, *ad, *part(Type.CIPHERTEXT, body, last=True)],
    }
    leaving = {
        "a short tag": [*decrypt, *nonce, *ad, *sealed, *part(Type.TAG, tag[1:], last=True)],
        "a tag without Last": [*decrypt, *nonce, *ad, *sealed, *part(Type.TAG, tag), *seal],
    }
    if api.shape.expands:
        longest = api.shape.enciphered(b.data_bytes)
        cases |= {
            "part of a block of ciphertext": [*decrypt, *nonce, *ad, *part(Type.CIPHERTEXT, body[1:]), *seal],
            "no ciphertext": [*decrypt, *nonce, *ad, *part(Type.CIPHERTEXT, b""), *seal],
            "too many blocks": [*decrypt, *nonce, *ad, *long(Type.CIPHERTEXT, longest + api.shape.block - 1), *seal],
        }
    for size in wrong_lengths(api.shape.npub):
        cases[f"a nonce of {size} bytes"] = [*encrypt, *part(Type.NPUB, bytes(size)), *ad, *text]
    opened = _opened(api, spec, npub, b"ad", body)
    for about, items in (cases | leaving).items():
        yield exchange(api, f"message with {about}", items, api.failed(opened if about in leaving else None))


def _opened(api: CaesarFormat, spec: Any, npub: bytes, ad: bytes, body: bytes) -> bytes | None:
    """Plaintext of ``body`` under a tag of zeros, if plaintext leaves at once; else None."""
    return spec.unverified(npub, ad, body + bytes(api.shape.tag))[0] if api.at_once else None


def wrong_lengths(right: int) -> list[int]:
    """Bytes of a segment of ``right`` bytes, after a change of a bit of the length in the header."""
    return [right ^ 1 << bit for bit in range(16)]


def misplaced_ends(api: CaesarFormat, b: AeadBehaviour, spec: Any) -> Iterator[Exchange]:
    """Packets that do not end where their messages do; each fails, and the next one is right.

    An announced segment is filled up with zeros. For ``spec`` see :func:`malformed`.
    """
    size = min(8, b.data_bytes)
    start = (bytes(api.shape.npub), b"associated data"[: b.ad_bytes])
    encrypt = api.words(api.encrypt(*start, bytes(size)))
    body, tag = bytes(api.shape.enciphered(size)), bytes(api.shape.tag)
    decrypt = api.words(api.decrypt(*start, body + tag))
    announced = [api.header(Type.CIPHERTEXT, len(body)), *api.data(body)] if api.shape.online else []
    failed, filled = ([*before, *api.failed()] for before in ([], announced))
    opened, zeros = (api.failed(text) for text in (_opened(api, spec, *start, body), bytes(size)))
    data = len(api.data(bytes(size))[0].data) * 8 // api.word_bits
    seal = len(api.data(tag)[0].data) * 8 // api.word_bits
    empty = api.words(api.encrypt(*start, b""))
    cases = {
        "an instruction alone": (encrypt[:1], failed),
        "the header of a nonce at its end": (encrypt[:2], failed),
        "the first word of a nonce at its end": (encrypt[:3], failed),
        "associated data at its end": (encrypt[: -data - 1], failed),
        "the header of the data at its end": (encrypt[:-data], failed),
        "a word behind the data": ([*encrypt, 0], filled),
        "a message behind the data": ([*encrypt, *encrypt], filled),
        "a word behind a message without data": ([*empty, 0], failed),
        "the header of a tag at its end": (decrypt[:-seal], opened),
        "ciphertext at its end": (decrypt[: -seal - 1], zeros),
        "a word behind the tag": ([*decrypt, 0], opened),
        "a word behind an instruction to activate a key": ([*api.words(api.activate_key()), 0], failed),
    }
    if data > 1:
        cases["the first word of the data at its end"] = (encrypt[: 1 - data], filled)
    if seal > 1:
        cases["part of a tag at its end"] = (decrypt[:-1], opened)
    for about, (pdi, right) in cases.items():
        yield Exchange(f"packet with {about}", pdi, (), api.words(right))


def cut(
    api: CaesarFormat, of: Exchange, message: bytes, sealed: bytes, missing: int, *, decrypt: bool = False
) -> Exchange:
    """A message in a segment, with a packet that ends ``missing`` words before the last word of data.

    The results of whole blocks before it have left if the cipher is online, or plaintext leaves at once; zeros follow.
    """
    body = message if decrypt else api.shape.parts(sealed)[0]
    behind = len(api.words(api.data(bytes(api.shape.tag)))) + 1 if decrypt else 0
    # the last word that comes is not taken
    words_before = len(api.words(api.data(message))) - missing - 1
    before = words_before * api.word_bits // 8 // api.shape.block * api.shape.block
    known = body[:before] + bytes(len(body) - before)
    announced = api.header(Type.PLAINTEXT if decrypt else Type.CIPHERTEXT, len(body), last=decrypt)
    left = [announced, *api.data(known)] if decrypt or api.shape.online else []
    about = f"{of.about}, cut {missing} words before its end"
    return Exchange(about, of.pdi[: -missing - behind], (), api.words([*left, *api.failed()]))
