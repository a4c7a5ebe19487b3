# SPDX-License-Identifier: Apache-2.0
"""Messages of the CAESAR Hardware API as words, written for the tests from the API's text."""

__all__ = ["ACTIVATE", "FAILURE", "PT", "SUCCESS", "data_words", "key_words", "message", "results", "segment"]
__all__ += ["segments"]

ACTIVATE, SUCCESS, FAILURE = 0x70000000, 0xE0000000, 0xF0000000
NPUB, AD, PT, CT, TAG, KEY = 0xD, 1, 4, 5, 8, 0xC


def data_words(data, bits=32):
    """Data in whole words, first byte in the high bits, filled with zero bytes."""
    size = bits // 8
    return [int.from_bytes(data[at : at + size].ljust(size, b"\0"), "big") for at in range(0, len(data), size)]


def segment(kind, data, bits=32, *, eot=1, last=0, length=None):
    """A header and its data."""
    head = kind << 28 | eot << 25 | last << 24 | (len(data) if length is None else length)
    return [head << bits - 32, *data_words(data, bits)]


def segments(kind, data, bits, cut, last=0, size=None):
    """Segments of ``cut`` bytes, as many as ``size`` bytes need (usually those of the data); the last has the rest."""
    starts = [*range(0, max(1, len(data) if size is None else size), cut)]
    parts = [data[at:end] for at, end in zip(starts, [*starts[1:], len(data)], strict=True)]
    ends = [n == len(parts) - 1 for n in range(len(parts))]
    return [
        word
        for part, end in zip(parts, ends, strict=True)
        for word in segment(kind, part, bits, eot=end, last=end and last)
    ]


def key_words(key, bits=32):
    """A key on the secret data input."""
    return [0x40000000 << bits - 32, *segment(KEY, key, bits, last=1)]


def message(npub, ad, text, tag=None, bits=32, cut=1 << 14):
    """A message to encrypt, or with a tag one to decrypt."""
    start = [(0x20000000 if tag is None else 0x30000000) << bits - 32]
    head = [*start, *segment(NPUB, npub, bits), *segments(AD, ad, bits, cut)]
    if tag is None:
        return [*head, *segments(PT, text, bits, cut, last=1)]
    return [*head, *segments(CT, text, bits, cut), *segment(TAG, tag, bits, last=1)]


def results(text, tag=None, bits=32, cut=1 << 14, size=None):
    """The output of a message that was encrypted to ``text`` with ``tag``, from ``size`` bytes, or decrypted to it."""
    status = SUCCESS << bits - 32
    if tag is None:
        return [*segment(PT, text, bits, last=1), status]
    return [*segments(CT, text, bits, cut, size=size), *segment(TAG, tag, bits, last=1), status]
