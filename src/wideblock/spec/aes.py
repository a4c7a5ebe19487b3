# SPDX-License-Identifier: Apache-2.0
"""AES as FIPS 197 defines it, on any whole number of blocks at once.

A state is a row of 16 bytes, byte 4c + r is row r of column c (FIPS 197, 3.4); the layers work on an array of
states, shape (n, 16).

Source: FIPS 197 (updated 2023), by section below.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np  # imported when blocks are enciphered: the catalogue loads this module, too
    from numpy.typing import NDArray

from wideblock.spec.values import Values, numbered

__all__ = [
    "AES",
    "BLOCK",
    "INV_SBOX",
    "SBOX",
    "add_round_key",
    "expand_key",
    "full_rounds",
    "inv_mix_columns",
    "inv_shift_rows",
    "inv_sub_bytes",
    "mix_columns",
    "multiply_bytes",
    "shift_rows",
    "sub_bytes",
]

BLOCK = 16
"""Bytes of a block."""

States: TypeAlias = "NDArray[np.uint8]"


def multiply_bytes(a: int, b: int) -> int:
    """a * b in GF(2^8) mod x^8 + x^4 + x^3 + x + 1. Source: FIPS 197, 4.2."""
    product = 0
    for i in reversed(range(8)):
        product = product << 1 ^ (0x11B if product & 0x80 else 0) ^ (a if b >> i & 1 else 0)
    return product


_POWERS = [*accumulate(range(1, 255), lambda power, _: multiply_bytes(3, power), initial=1)]
"""Powers of 3, which are every value but 0: 3^i at place i."""


def _substitute(a: int) -> int:
    """The affine map of the inverse of a. Source: FIPS 197, 5.1.1."""
    b = _POWERS[-_POWERS.index(a)] if a else 0  # 0 has no inverse and maps to itself
    for rotation in (b << 1, b << 2, b << 3, b << 4):
        b ^= rotation & 0xFF ^ rotation >> 8
    return b ^ 0x63


SBOX = bytes(_substitute(a) for a in range(256))
"""SubBytes of every byte value."""

INV_SBOX = bytes(SBOX.index(b) for b in range(256))
"""InvSubBytes of every byte value."""

_TIMES = {k: bytes(multiply_bytes(k, a) for a in range(256)) for k in (2, 3, 9, 11, 13, 14)}
_SHIFT = [r + 4 * ((c + r) % 4) for c in range(4) for r in range(4)]
_INV_SHIFT = [r + 4 * ((c - r) % 4) for c in range(4) for r in range(4)]
_ROTATE = [[(r + k) % 4 + 4 * c for c in range(4) for r in range(4)] for k in range(4)]
_CHUNK = 4096  # blocks worked on together: the states of one chunk stay in the processor's cache


def _states(data: bytes) -> States:
    from numpy import frombuffer, uint8

    return frombuffer(data, uint8).reshape(-1, BLOCK)


def _look_up(states: States, table: bytes) -> States:
    return _states(states.tobytes().translate(table))


def sub_bytes(states: States) -> States:
    """SBOX of every byte. Source: FIPS 197, 5.1.1."""
    return _look_up(states, SBOX)


def inv_sub_bytes(states: States) -> States:
    """INV_SBOX of every byte. Source: FIPS 197, 5.3.2."""
    return _look_up(states, INV_SBOX)


def shift_rows(states: States) -> States:
    """Row r turned left by r columns. Source: FIPS 197, 5.1.2."""
    return states[:, _SHIFT]


def inv_shift_rows(states: States) -> States:
    """Row r turned right by r columns. Source: FIPS 197, 5.3.1."""
    return states[:, _INV_SHIFT]


def mix_columns(states: States) -> States:
    """Every column times circulant(2, 3, 1, 1). Source: FIPS 197, 5.1.3."""
    b, c, d = (states[:, _ROTATE[k]] for k in (1, 2, 3))
    return _look_up(states, _TIMES[2]) ^ _look_up(b, _TIMES[3]) ^ c ^ d


def inv_mix_columns(states: States) -> States:
    """Every column times circulant(14, 11, 13, 9). Source: FIPS 197, 5.3.3."""
    b, c, d = (states[:, _ROTATE[k]] for k in (1, 2, 3))
    return _look_up(states, _TIMES[14]) ^ _look_up(b, _TIMES[11]) ^ _look_up(c, _TIMES[13]) ^ _look_up(d, _TIMES[9])


def add_round_key(states: States, round_key: bytes) -> States:
    """Every state plus the round key. Source: FIPS 197, 5.1.4."""
    return states ^ _states(round_key)


def expand_key(key: bytes) -> list[bytes]:
    """The round keys of a 16-, 24- or 32-byte key: 11, 13 or 15 blocks of 16 bytes. Source: FIPS 197, 5.2."""
    if len(key) not in (16, 24, 32):
        raise ValueError(f"AES key must be 16, 24 or 32 bytes, got {len(key)}")
    Nk = len(key) // 4
    Nr = Nk + 6
    w = [key[4 * i : 4 * i + 4] for i in range(Nk)]
    Rcon = 1
    for i in range(Nk, 4 * (Nr + 1)):
        temp = w[i - 1]
        if i % Nk == 0:
            temp = (temp[1:] + temp[:1]).translate(SBOX)
            temp = bytes([temp[0] ^ Rcon]) + temp[1:]
            Rcon = multiply_bytes(Rcon, 2)
        elif Nk > 6 and i % Nk == 4:
            temp = temp.translate(SBOX)
        w.append(bytes(a ^ b for a, b in zip(w[i - Nk], temp, strict=True)))
    return [b"".join(w[4 * i : 4 * i + 4]) for i in range(Nr + 1)]


def full_rounds(data: bytes, round_keys: Sequence[bytes]) -> bytes:
    """Every block of data plus the first key, then a round for each further key, with MixColumns in the last one, too.

    AES4 and AES10 of AEZ and POET are this with 5 and 11 keys; AES itself has no MixColumns in its last round.

    Source: AEZ v5, 1.5; POET v2.01.
    """
    return AES._each_block(data, list(round_keys), _full_rounds)


class AES:
    """AES under one key; every block on its own (ECB).

    Bytes:    a key of 16, 24 or 32 bytes; data of any whole number of 16-byte blocks, none included.
    Source:   FIPS 197, Algorithms 1 to 3.
    Security: a model to compare with: tables are indexed by secrets, and the running time may depend on secrets.
    """

    def __init__(self, key: bytes):
        self.round_keys: list[bytes] = expand_key(key)

    def encrypt(self, data: bytes) -> bytes:
        """Every block of data enciphered."""
        return self._each_block(data, self.round_keys, _cipher)

    def decrypt(self, data: bytes) -> bytes:
        """Every block of data deciphered."""
        return self._each_block(data, self.round_keys, _inv_cipher)

    def values(self, key: str) -> Values:
        """The round keys, whose names end in that of the ``key``."""
        return numbered(f"round key {{}} of {key}", self.round_keys)

    @staticmethod
    def _each_block(
        data: bytes, round_keys: list[bytes], function: Callable[[States, Sequence[bytes]], States]
    ) -> bytes:
        if len(data) % BLOCK:
            raise ValueError(f"AES data must be a multiple of {BLOCK} bytes, got {len(data)}")
        states = _states(data)
        chunks = (states[i : i + _CHUNK] for i in range(0, len(states), _CHUNK))
        return b"".join(function(chunk, round_keys).tobytes() for chunk in chunks)


def _cipher(states: States, round_keys: Sequence[bytes]) -> States:
    first, *middle, last = round_keys
    states = add_round_key(states, first)
    for round_key in middle:
        states = add_round_key(mix_columns(shift_rows(sub_bytes(states))), round_key)
    return add_round_key(shift_rows(sub_bytes(states)), last)


def _full_rounds(states: States, round_keys: Sequence[bytes]) -> States:
    first, *others = round_keys
    states = add_round_key(states, first)
    for round_key in others:
        states = add_round_key(mix_columns(shift_rows(sub_bytes(states))), round_key)
    return states


def _inv_cipher(states: States, round_keys: Sequence[bytes]) -> States:
    first, *middle, last = round_keys
    states = add_round_key(states, last)
    for round_key in reversed(middle):
        states = inv_mix_columns(add_round_key(inv_sub_bytes(inv_shift_rows(states)), round_key))
    return add_round_key(inv_sub_bytes(inv_shift_rows(states)), first)
