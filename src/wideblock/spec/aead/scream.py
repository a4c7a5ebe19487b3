# SPDX-License-Identifier: Apache-2.0
"""SCREAM v3: the tweakable block cipher Scream in the mode TAE, with 10 or 12 steps.

Source: Grosso, Leurent, Standaert, Varici, Journault, Durvaux, Gaspar, Kerckhof, "SCREAM: Side-Channel Resistant
Authenticated Encryption with Masking", version 3 (CAESAR, second round, August 2015), and the designers' reference
code; TAE by Liskov, Rivest, Wagner, CRYPTO 2002.
"""

import struct
from functools import reduce
from hmac import compare_digest
from operator import xor

from wideblock.spec.aead import AEAD, Rejected
from wideblock.spec.blocks import add, check_size, pad, pad0, split
from wideblock.spec.values import Values, numbered

__all__ = [
    "BLOCK",
    "L_COLUMNS",
    "MAX_BLOCKS",
    "SCREAM",
    "Scream",
    "check_sizes",
    "inv_l_box",
    "inv_s_box",
    "l_box",
    "s_box",
]

BLOCK = 16
"""Bytes of a block: 8 rows of 16 bits, a row a little-endian half-word."""

MAX_BLOCKS = 2**32
"""Values of the counter in a tweak."""

L_COLUMNS = (
    *(0x385C, 0x52A9, 0x7BB3, 0x96C1, 0xD76D, 0x3AE0, 0xE524, 0xFEA5),
    *(0x464B, 0xF1AF, 0xA133, 0x7F74, 0x6712, 0x7A6F, 0x701B, 0x8AB1),
)
"""The L-box of 1 << 0, 1 << 1, .., 1 << 15. Source: reference code, lbox.h."""

_INV_L_COLUMNS = tuple(sum((column >> i & 1) << j for j, column in enumerate(L_COLUMNS)) for i in range(16))

Rows = list[int]


def s_box(x: Rows) -> Rows:
    """The S-box of all 16 columns: three rounds of a Feistel network on the upper and the lower four rows."""
    return _to_lower(_to_upper(_to_lower(x, 0)), 0xFFFF)


def inv_s_box(x: Rows) -> Rows:
    """The inverse of :func:`s_box`: its rounds, backwards."""
    return _to_lower(_to_upper(_to_lower(x, 0xFFFF)), 0)


def _to_lower(x: Rows, constant: int) -> Rows:
    """A function of rows 0 to 3 added to rows 4 to 7; its own inverse."""
    x0, x1, x2, x3, x4, x5, x6, x7 = x
    a = x1 & x2 ^ x0 ^ constant
    b = x1 ^ x3
    c = a ^ x2
    return [x0, x1, x2, x3, x4 ^ (c ^ x3) & (b ^ x2), x5 ^ c, x6 ^ a & x3, x7 ^ c & b]


def _to_upper(x: Rows) -> Rows:
    """A function of rows 4 to 7 added to rows 0 to 3; its own inverse."""
    x0, x1, x2, x3, x4, x5, x6, x7 = x
    a = x4 & x5 ^ x6
    c = (x5 | x6) ^ x7
    return [x0 ^ a, x1 ^ a & x7 ^ x4, x2 ^ c, x3 ^ c & x4 ^ x5, x4, x5, x6, x7]


def l_box(row: int) -> int:
    """The linear L-box of a row. Its matrix is orthogonal: the inverse is the transpose."""
    return _TIMES_L[0][row & 0xFF] ^ _TIMES_L[1][row >> 8]


def inv_l_box(row: int) -> int:
    """The inverse of :func:`l_box`."""
    return _TIMES_INV_L[0][row & 0xFF] ^ _TIMES_INV_L[1][row >> 8]


def _products(columns: tuple[int, ...]) -> list[list[int]]:
    """The matrix of these columns times each low and each high byte of a row."""
    return [
        [reduce(xor, (column for i, column in enumerate(half) if byte >> i & 1), 0) for byte in range(256)]
        for half in (columns[:8], columns[8:])
    ]


_TIMES_L, _TIMES_INV_L = _products(L_COLUMNS), _products(_INV_L_COLUMNS)


class Scream:
    """The tweakable block cipher of N_s steps under one key K.

    Encryption of x under the tweak T_0, for s = 0 to N_s - 1 after the first line::

        x = x + K + T_0
        x = S-box of columns; row 0 + 2199 (2 s) mod 2^16;     L-box of rows
        x = S-box of columns; row 0 + 2199 (2 s + 1) mod 2^16; L-box of rows
        x = x + K + T_(s+1),  T_(s+1) = phi(T_s),  phi(t0 || t1) = (t0 + t1) || t0

    Bytes: key, tweak and block of 16.
    """

    def __init__(self, key: bytes, *, steps: int = 10):
        check_size("SCREAM key", key, BLOCK)
        if steps not in (10, 12):
            raise ValueError(f"steps of SCREAM must be 10 or 12, got {steps}")
        self.key = key
        self.steps = steps

    def encrypt(self, T: bytes, x: bytes) -> bytes:
        """A block enciphered under the tweak T."""
        tweakeys = self.tweakeys(T)
        rows = _add(_rows(x), tweakeys[0])
        for s in range(self.steps):
            for rho in (0, 1):
                rows = s_box(rows)
                rows[0] ^= round_constant(2 * s + rho)
                rows = [l_box(row) for row in rows]
            rows = _add(rows, tweakeys[(s + 1) % 3])
        return _bytes(rows)

    def decrypt(self, T: bytes, y: bytes) -> bytes:
        """A block deciphered under the tweak T."""
        tweakeys = self.tweakeys(T)
        rows = _rows(y)
        for s in reversed(range(self.steps)):
            rows = _add(rows, tweakeys[(s + 1) % 3])
            for rho in (1, 0):
                rows = [inv_l_box(row) for row in rows]
                rows[0] ^= round_constant(2 * s + rho)
                rows = inv_s_box(rows)
        return _bytes(_add(rows, tweakeys[0]))

    def tweakeys(self, T: bytes) -> list[Rows]:
        """K + T_0, K + T_1 and K + T_2; T_3 is T_0 again."""
        check_size("tweak of Scream", T, BLOCK)
        t0, t1 = T[:8], T[8:]
        t = add(t0, t1)
        return [_rows(add(self.key, tweak)) for tweak in (t0 + t1, t + t0, t1 + t)]


def round_constant(i: int) -> int:
    """2199 i mod 2^16, added to row 0 in round i."""
    return 2199 * i & 0xFFFF


def _rows(block: bytes) -> Rows:
    return list(struct.unpack("<8H", block))


def _bytes(rows: Rows) -> bytes:
    return struct.pack("<8H", *rows)


def _add(x: Rows, y: Rows) -> Rows:
    return [a ^ b for a, b in zip(x, y, strict=True)]


def check_sizes(ad: int, message: int) -> None:
    """Raises ValueError unless the counter has values enough for ``ad`` and ``message`` bytes."""
    if ad > BLOCK * MAX_BLOCKS:
        raise ValueError(f"associated data of SCREAM must be at most {BLOCK * MAX_BLOCKS} bytes, got {ad}")
    if message >= BLOCK * MAX_BLOCKS:
        raise ValueError(f"a SCREAM message must be less than {BLOCK * MAX_BLOCKS} bytes, got {message}")


class SCREAM(AEAD):
    """SCREAM of 10 or 12 steps under one key: TAE with the tweak nonce || counter || control byte.

    Bytes:    a key of 16, a nonce of 11, a tag of 16; the counter in 4 bytes, big-endian.
    Source:   SCREAM v3; the designers' reference code, scream_cipher.c and tae.c.
    Security: see :attr:`security`.
    """

    name = "SCREAM"
    nonce_bytes = 11
    security = (
        "SCREAM is broken for 2^96 weak keys, in both sets of steps: a nonlinear invariant of the whole cipher gives "
        "bits of messages from ciphertexts alone (Todo, Leander, Sasaki, ASIACRYPT 2016, ePrint 2016/732). Under other "
        "keys its mode TAE conceals and authenticates as long as no nonce repeats (Liskov, Rivest, Wagner, CRYPTO "
        "2002). SCREAM was a second-round candidate of CAESAR and is not in its final portfolio."
    )

    def __init__(self, key: bytes, *, steps: int = 10):
        self.E = Scream(key, steps=steps)

    def encrypt(self, nonce: bytes, ad: bytes, message: bytes) -> bytes:
        """C_0 || C_1 || .. || tag: C_i = E(N || i || 00, M_i) for a whole block, M_i + mask for a short last one."""
        check_size("nonce of SCREAM", nonce, self.nonce_bytes)
        check_sizes(len(ad), len(message))
        C = [
            self.E.encrypt(tweak(nonce, i, 0), M_i) if len(M_i) == BLOCK else add(M_i, self.mask(nonce, i, len(M_i)))
            for i, M_i in enumerate(split(message, BLOCK))
        ]
        return b"".join(C) + self.tag(nonce, ad, message)

    def unverified(self, nonce: bytes, ad: bytes, ciphertext: bytes) -> tuple[bytes, bool]:
        """The message before the verdict, and whether the ciphertext is intact: the tag is made from the message."""
        check_size("nonce of SCREAM", nonce, self.nonce_bytes)
        size = len(ciphertext) - self.tag_bytes
        check_sizes(len(ad), size)
        if size < 0:
            raise Rejected
        M = [
            self.E.decrypt(tweak(nonce, i, 0), C_i) if len(C_i) == BLOCK else add(C_i, self.mask(nonce, i, len(C_i)))
            for i, C_i in enumerate(split(ciphertext[:size], BLOCK))
        ]
        message = b"".join(M)
        return message, compare_digest(self.tag(nonce, ad, message), ciphertext[size:])

    def key_values(self, blocks: int) -> Values:
        """K."""
        yield "K", self.E.key

    def message_values(self, nonce: bytes, ad: bytes, blocks: int) -> Values:
        """K + T_0, K + T_1 and K + T_2 of the tweaks of ``blocks`` blocks of message and of associated data."""
        for i in range(blocks + 1):
            for control in (0, 1, 2, 4, 6):
                tweakeys = map(_bytes, self.E.tweakeys(tweak(nonce, i, control)))
                yield from numbered(f"K + T_{{}} of block {i}, control byte {control}", tweakeys)

    def mask(self, nonce: bytes, i: int, r: int) -> bytes:
        """The first r bytes of E(N || i || 00, [8 r]_128), for a short last block of r bytes."""
        return self.E.encrypt(tweak(nonce, i, 0), (8 * r).to_bytes(BLOCK, "big"))[:r]

    def tag(self, nonce: bytes, ad: bytes, message: bytes) -> bytes:
        """E(N || m || 16 r + 1, Sigma) + auth: Sigma sums m whole blocks and a last one of r bytes || 00 .. 00."""
        m, r = divmod(len(message), BLOCK)
        Sigma = reduce(add, split(pad0(message)), bytes(BLOCK))
        return add(self.E.encrypt(tweak(nonce, m, 16 * r + 1), Sigma), self.auth(nonce, ad))

    def auth(self, nonce: bytes, ad: bytes) -> bytes:
        """E(N || 0 || 02, A_0) + E(N || 1 || 02, A_1) + ..; 0 for no associated data.

        The last block has the control byte 04; a short one 06, and is padded by 80 00 .. 00.
        """
        auth = bytes(BLOCK)
        blocks = split(ad, BLOCK)
        for i, A_i in enumerate(blocks):
            control = 2 if i < len(blocks) - 1 else 4 if len(A_i) == BLOCK else 6
            block = A_i if len(A_i) == BLOCK else pad(A_i, BLOCK)
            auth = add(auth, self.E.encrypt(tweak(nonce, i, control), block))
        return auth


def tweak(nonce: bytes, counter: int, control: int) -> bytes:
    """nonce || counter in 4 bytes || control byte."""
    return nonce + counter.to_bytes(4, "big") + bytes([control])
