# SPDX-License-Identifier: Apache-2.0
"""AES-GCM: counter mode, and a polynomial hash of associated data and ciphertext.

Source: NIST SP 800-38D (2007), by section below; AES by FIPS 197.
"""

from hmac import compare_digest

from wideblock.spec.aead import AEAD, Rejected
from wideblock.spec.aes import AES, BLOCK
from wideblock.spec.blocks import add, pad0, split
from wideblock.spec.gf128 import Reading, mul, powers
from wideblock.spec.polyhash import horner
from wideblock.spec.values import Values, numbered

__all__ = ["GCM", "MAX_MESSAGE", "TAG_SIZES", "bits", "check_message", "counter_mode", "ghash"]

MAX_MESSAGE = 2**36 - 32
"""Bytes of the longest message: 2^32 - 2 counter blocks. Source: SP 800-38D, 5.2.1.1."""

TAG_SIZES = (4, 8, 12, 13, 14, 15, 16)
"""Bytes that a tag may have. Source: SP 800-38D, 5.2.1.2."""


def check_message(size: int) -> None:
    """Raises ValueError unless a message may have ``size`` bytes."""
    if size > MAX_MESSAGE:
        raise ValueError(f"an AES-GCM message must be at most {MAX_MESSAGE} bytes, got {size}")


def ghash(H: bytes, A: bytes, C: bytes) -> bytes:
    """GHASH_H(A, C): Y_i = (Y_(i-1) + X_i) H over X = pad(A) || pad(C) || be64(|A|) || be64(|C|), lengths in bits.

    Horner's rule at H, times H. Source: SP 800-38D, 6.4 and 7.1.
    """
    key = Reading.GCM.element(H)
    X = Reading.GCM.elements(pad0(A) + pad0(C) + bits(A) + bits(C))
    return Reading.GCM.block(mul(key, horner(key, X)))


def counter_mode(aes: AES, W: bytes, size: int) -> bytes:
    """The first ``size`` bytes of AES(W) || AES(incr(W)) || AES(incr(incr(W))) || ..

    Bytes:  incr adds 1 to the last four, big-endian, modulo 2^32.
    Source: SP 800-38D, 6.2 and 6.5.
    """
    first = int.from_bytes(W[12:])
    counters = (W[:12] + (first + i & 0xFFFFFFFF).to_bytes(4) for i in range(-(-size // BLOCK)))
    return aes.encrypt(b"".join(counters))[:size]


def bits(data: bytes) -> bytes:
    """be64 of a length in bits."""
    return (8 * len(data)).to_bytes(8)


class GCM(AEAD):
    """AES-GCM under one key.

    Bytes:    a key of 16, 24 or 32 bytes; a nonce of 12, or any other length from 1; a tag of 4, 8 or 12 to 16.
    Source:   SP 800-38D, Algorithms 4 and 5.
    Security: see :attr:`security`.
    """

    name = "AES-GCM"
    security = (
        "AES-GCM conceals and authenticates as long as no nonce repeats under a key. One repeated nonce shows the sum "
        "of the two messages and the hash key H, after which any message can be forged (Joux, 2006). A key may serve "
        "2^32 messages at most if nonces are random or not of 96 bits (SP 800-38D, 8.3). A forgery succeeds with a "
        "probability of about n / 2^t for n blocks and a tag of t bits; tags under 96 bits need the limits of "
        "SP 800-38D, appendix C."
    )

    def __init__(self, key: bytes, *, tag_bytes: int = 16):
        if tag_bytes not in TAG_SIZES:
            raise ValueError(f"tag_bytes of AES-GCM must be one of {', '.join(map(str, TAG_SIZES))}, got {tag_bytes}")
        self.key, self.tag_bytes = key, tag_bytes
        self.aes = AES(key)
        self.H: bytes = self.aes.encrypt(bytes(BLOCK))

    def with_tag(self, tag_bytes: int) -> "GCM":
        return GCM(self.key, tag_bytes=tag_bytes)

    def encrypt(self, nonce: bytes, ad: bytes, message: bytes) -> bytes:
        """The message plus the key stream, then its tag."""
        check_message(len(message))
        J0 = self.J0(nonce)
        C = self.crypt(J0, message)
        return C + self.tag(J0, ad, C)

    def unverified(self, nonce: bytes, ad: bytes, ciphertext: bytes) -> tuple[bytes, bool]:
        """The message before the verdict, and whether the ciphertext is intact."""
        size = len(ciphertext) - self.tag_bytes
        check_message(size)
        J0 = self.J0(nonce)
        if size < 0:
            raise Rejected
        C = ciphertext[:size]
        return self.crypt(J0, C), compare_digest(self.tag(J0, ad, C), ciphertext[size:])

    def key_values(self, blocks: int) -> Values:
        """The powers of H up to that of ``blocks`` blocks, and the round keys."""
        each = powers(Reading.GCM.element(self.H), blocks)
        yield from numbered("H^{}", map(Reading.GCM.block, each), 1)
        yield from self.aes.values("K")

    def message_values(self, nonce: bytes, ad: bytes, blocks: int) -> Values:
        """The mask of the tag, and the key stream."""
        J0 = self.J0(nonce)
        yield "AES(J0)", self.aes.encrypt(J0)
        yield from numbered("block {} of the key stream", split(self.crypt(J0, bytes(BLOCK * blocks))), 1)

    def J0(self, nonce: bytes) -> bytes:
        """nonce || 00 00 00 01 for a nonce of 12 bytes, GHASH_H(nonce) for any other. Source: Algorithm 4, step 2."""
        if not nonce:
            raise ValueError("nonce of AES-GCM must be at least 1 byte, got 0")
        return nonce + b"\0\0\0\1" if len(nonce) == 12 else ghash(self.H, b"", nonce)

    def crypt(self, J0: bytes, data: bytes) -> bytes:
        """data + AES(incr(J0)) || AES(incr(incr(J0))) || ..; its own inverse."""
        return add(data, counter_mode(self.aes, J0, BLOCK + len(data))[BLOCK:])

    def tag(self, J0: bytes, ad: bytes, C: bytes) -> bytes:
        """The first bytes of GHASH_H(ad, C) + AES(J0)."""
        return add(ghash(self.H, ad, C), self.aes.encrypt(J0))[: self.tag_bytes]
