# SPDX-License-Identifier: Apache-2.0
"""Keys, sectors and answers for the firmware, as a C header: the answers are those of the specification."""

import random
from typing import Any

from wideblock.api import ConfiguredCore
from wideblock.rtl.bus.key_map import KAT_KEY
from wideblock.rtl.stream.behaviour import KeyRule

__all__ = ["known_answers"]

SEED = 20261126
SIZES = (16, 40, 512)
"""Bytes of sectors under every key: one block, two and a half, and a sector; the window's longest is under one. A core
of one length has sectors of that length alone."""


def known_answers(core: ConfiguredCore, window_bytes: int) -> str:
    """The header: ``KEYS`` with a key each for slots at both ends and between, and ``SECTORS`` under them in turn.

    The last slot is free: the self-test needs it. The last of ``SECTORS`` is the longest. ``KAT_SECTOR`` is under the
    constant key. ``OTHER_KEY`` and ``OTHER_SECTOR`` belong to the slot of ``KEYS[0]`` after its eviction.
    ``EQUAL_HALVES`` is a key that is to be refused, if ``HALVES_DIFFER`` is 1.
    """
    rng = random.Random(SEED)
    slots, behaviour = core.parameters["slots"], core.contract.behaviour
    key_bytes, length = behaviour.loaded, behaviour.length
    sizes = [size for size in SIZES if length.least <= size <= length.most] or [window_bytes]
    keys = [(slot, rng.randbytes(key_bytes)) for slot in sorted({0, 1, slots // 2, slots - 2})]
    lengths = [(size, number) for size in sizes for number in range(len(keys))] + [(window_bytes, 1)]
    sectors = [_sector(core, rng, number, keys[number][1], size) for size, number in lengths]
    other, half = rng.randbytes(key_bytes), rng.randbytes(key_bytes // 2)
    kat = _sector(core, rng, 0, KAT_KEY[:key_bytes], sizes[-1])
    return "\n".join(
        [
            "/* SPDX-License-Identifier: Apache-2.0 */",
            f"/* Answers of the specification of {core.name}; seed {SEED}. */",
            "#include <stdint.h>",
            "struct known_key { uint32_t slot, size; const uint8_t *bytes; };",
            "struct known_sector { uint32_t key, size; const uint8_t *tweak, *plain, *sealed; };",
            "#define BYTES (const uint8_t[])",
            f"#define HALVES_DIFFER {int(behaviour.keys is KeyRule.HALVES_DIFFER)}",
            f"#define LONGEST {max(size for size, _ in lengths)}u",
            "static const struct known_key KEYS[] = {",
            *(f"  {{{slot}u, {key_bytes}u, {_bytes(key)}}}," for slot, key in keys),
            "};",
            "static const struct known_sector SECTORS[] = {",
            *(f"  {sector}," for sector in sectors),
            "};",
            f"static const struct known_sector KAT_SECTOR = {kat};",
            f"static const struct known_key OTHER_KEY = {{{keys[0][0]}u, {key_bytes}u, {_bytes(other)}}};",
            f"static const struct known_sector OTHER_SECTOR = {_sector(core, rng, 0, other, sizes[-1])};",
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
