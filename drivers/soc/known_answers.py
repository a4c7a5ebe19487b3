# SPDX-License-Identifier: Apache-2.0
"""Keys, sectors and answers for the firmware, as a C header: the answers are those of the specification."""

import random
from typing import Any

from wideblock.api import ConfiguredCore
from wideblock.rtl.bus.key_map import KAT_KEY

__all__ = ["known_answers"]

SEED = 20261126
SIZES = (16, 40, 512)
"""Bytes of sectors under every key: one block, two and a half, and a sector; the window's longest is under one."""


def known_answers(core: ConfiguredCore, window_bytes: int) -> str:
    """The header: ``KEYS`` with a key each for slots at both ends and between, and ``SECTORS`` under them in turn.

    The last slot is free: the self-test needs it. The last of ``SECTORS`` is the longest. ``KAT_SECTOR`` is under the
    constant key. ``OTHER_KEY`` and ``OTHER_SECTOR`` belong to the slot of ``KEYS[0]`` after its eviction.
    ``EQUAL_HALVES`` is a key that is to be refused.
    """
    rng = random.Random(SEED)
    slots, bits = (core.parameters[name] for name in ("slots", "key_bits"))
    key_bytes = 2 * bits // 8
    keys = [(slot, rng.randbytes(key_bytes)) for slot in sorted({0, 1, slots // 2, slots - 2})]
    lengths = [(size, number) for size in SIZES for number in range(len(keys))] + [(window_bytes, 1)]
    sectors = [_sector(core, rng, number, keys[number][1], size) for size, number in lengths]
    other, half = rng.randbytes(key_bytes), rng.randbytes(key_bytes // 2)
    kat = _sector(core, rng, 0, KAT_KEY[:key_bytes], SIZES[-1])
    return "\n".join(
        [
            "/* SPDX-License-Identifier: Apache-2.0 */",
            f"/* Answers of the specification of {core.name}; seed {SEED}. */",
            "#include <stdint.h>",
            "struct known_key { uint32_t slot, size; const uint8_t *bytes; };",
            "struct known_sector { uint32_t key, size; const uint8_t *tweak, *plain, *sealed; };",
            "#define BYTES (const uint8_t[])",
            f"#define LONGEST {max(size for size, _ in lengths)}u",
            "static const struct known_key KEYS[] = {",
            *(f"  {{{slot}u, {key_bytes}u, {_bytes(key)}}}," for slot, key in keys),
            "};",
            "static const struct known_sector SECTORS[] = {",
            *(f"  {sector}," for sector in sectors),
            "};",
            f"static const struct known_sector KAT_SECTOR = {kat};",
            f"static const struct known_key OTHER_KEY = {{{keys[0][0]}u, {key_bytes}u, {_bytes(other)}}};",
            f"static const struct known_sector OTHER_SECTOR = {_sector(core, rng, 0, other, SIZES[-1])};",
            f"static const uint8_t EQUAL_HALVES[] = {_list(2 * half)};",
            "",
        ]
    )


def _sector(core: ConfiguredCore, rng: random.Random, number: int, key: bytes, size: int) -> str:
    """A sector under key ``number`` as an initialiser."""
    tweak, plain = rng.randbytes(16), rng.randbytes(size)
    specification: Any = core.specification(key)
    parts = ", ".join(map(_bytes, (tweak, plain, specification.encrypt(tweak, plain))))
    return f"{{{number}u, {size}u, {parts}}}"


def _bytes(data: bytes) -> str:
    return f"BYTES {_list(data)}"


def _list(data: bytes) -> str:
    return f"{{{','.join(map(str, data))}}}"
