# SPDX-License-Identifier: Apache-2.0
"""Images with a key for each range of sectors, through every engine."""

import random
import re

import numpy as np
import pytest

from wideblock.export.contract import contract
from wideblock.image.crypt import ImageJob, crypt_image
from wideblock.image.engines import ENGINES, Rtl
from wideblock.image.keyring import Keyring

from ..variants import few_of_many
from .subject import SUBJECT

pytestmark = pytest.mark.shows("images")

CORES = [
    (  # whose model tests/rtl/engine builds, too
        "xts-both-k",
        {"sector_bytes": 64, "slots": 5, "key_bits": 128, "registers": "axi4-lite"},
    ),
    ("xts-both-k", {"sector_bytes": 64, "slots": 4, "key_bits": 128, "tag_bits": 16, "header": True}),
    ("fast-brw-2s-k", {"sector_bytes": 128, "slots": 4}),
    ("fast-brw-2s-k", {"sector_bytes": 128, "slots": 4, "registers": "axi4-lite", "key_bits": 256}),
]
FILE = """
[[range]]
start = 12
sectors = 5
key = "{0}"

[[range]]
key = "{1}"  # of all others

[[range]]
start = 0x10_0
key = "{2}"

[[range]]
start = 17
sectors = 1
key = "{3}"
"""
SLOTS = {11: 1, 12: 0, 16: 0, 17: 3, 18: 1, 255: 1, 256: 2, 1 << 127: 2}


def keys_of(core):
    return [random.Random(number).randbytes(core.key_bytes) for number in range(4)]


def parsed(text):
    return Keyring.parse("keys", text.encode(), bytes.fromhex)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "changes"), few_of_many(CORES, CORES[:1]))
def test_each_sector_is_under_the_key_of_its_range(tmp_path, monkeypatch, name, changes, engine):
    """Chunks end within ranges, and ranges within chunks."""
    core = contract(name, changes)
    size, keys = core.parameters.sector_bytes, keys_of(core)
    monkeypatch.setattr(ENGINES[engine], "chunk_bytes", 4 * size)
    keyring = parsed(FILE.format(*(key.hex() for key in keys)))
    (tmp_path / "in").write_bytes(random.Random(1).randbytes(40 * size))
    data, first = (tmp_path / "in").read_bytes(), 7
    job = {"first_sector": first, "engine": engine, "threads": 2}
    assert crypt_image(core, keyring, tmp_path / "in", tmp_path / "out", ImageJob(**job)).sectors == 40
    slots = [0 if 12 <= n < 17 else 3 if n == 17 else 1 for n in range(first, first + 40)]
    right = [
        core.specification(keys[slot]).encrypt((first + i).to_bytes(16, "little"), data[size * i : size * i + size])
        for i, slot in enumerate(slots)
    ]
    assert (tmp_path / "out").read_bytes() == b"".join(right)
    crypt_image(core, keyring, tmp_path / "out", tmp_path / "back", ImageJob(decrypt=True, **job))
    assert (tmp_path / "back").read_bytes() == data


def test_a_byte_order_mark_is_no_part_of_a_file():
    assert parsed("\ufeff" + ALL) == parsed(ALL)


def test_runs_and_chunks_divide_at_every_border():
    keyring = parsed(FILE.format("00", "01", "02", "03"))
    assert {number: slot for number in SLOTS for slot, _ in keyring.runs(number, 1)} == SLOTS
    assert list(keyring.runs(10, 300)) == [(1, 2), (0, 5), (3, 1), (1, 238), (2, 54)]
    rows = np.arange(300, dtype=np.uint16).view(np.uint8).reshape(300, 2)
    chunks = [(rows[at : at + 7], rows[at : at + 7]) for at in range(0, 300, 7)]
    divided = list(keyring.keyed(chunks, 10))
    assert all((sectors == tweaks).all() for sectors, tweaks, _ in divided)
    assert (np.concatenate([sectors for sectors, *_ in divided]) == rows).all()
    assert [slot for sectors, _, slot in divided for _ in sectors] == 2 * [1] + 5 * [0] + [3] + 238 * [1] + 54 * [2]


RANGE = '[[range]]\nstart = {}\nsectors = {}\nkey = "ab"\n'
ALL = '[[range]]\nkey = "ab"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("range", "keys is not TOML: Expected '=' after a key .*"),
        ("", r"keys must have a table \[\[range\]\] for each key, and nothing else"),
        ("a = " + "[" * 5000, "keys is not TOML: .*recursion.*"),
        (RANGE.format(0, 1 << 127).replace("0", "9" * 5000, 1), "keys is not TOML: .*digits.*"),
        (RANGE.format(f"0x{'f' * 5000}", 1), "start of range 0 of keys must be .*, got a longer one"),
        (RANGE.format(0, f"0x{'f' * 5000}"), "sectors of range 0 of keys must be .*, got a longer one"),
        ("range = 5", r"keys must have a table \[\[range\]\] .*"),
        (ALL + "[other]\n", r"keys must have a table \[\[range\]\] .*"),
        ("[[range]]\nstart = 0\n", "range 0 of keys must have a key, such as .*"),
        ("[[range]]\nkey = 171\n", "range 0 of keys must have a key, such as .*"),
        (ALL + "size = 5\n", "range 0 of keys has a field 'size'; its fields are start, sectors and key"),
        (ALL + "sectors = 5\n", "range 0 of keys has sectors, but no start"),
        (RANGE.format(-1, 5), r"start of range 0 of keys must be a whole number from 0 to \d+, got -1"),
        (RANGE.format("true", 5), "start of range 0 of keys must be .*, got True"),
        (RANGE.format(5, 0), r"sectors of range 0 of keys must be a whole number from 1 to \d+, got 0"),
        (RANGE.format("'a'", 1), "start of range 0 of keys must be .*, got 'a'"),
        (RANGE.format(8, 4) + RANGE.format(4, 5), "ranges 1 and 0 of keys overlap at sector 8"),
        (ALL + RANGE.format(4, 5) + ALL, "ranges 0 and 2 of keys have no start; one may be without"),
    ],
)
def test_a_file_of_another_form_is_refused_and_no_key_is_shown(text, message):
    with pytest.raises(ValueError, match=f"^{message}$") as refused:
        parsed(text)
    assert not re.search(r"\bab\b|171", str(refused.value))


@pytest.mark.parametrize(
    ("subject", "text", "message"),
    [
        (SUBJECT, RANGE.format(0, 3), "sector 3 is in no range of keys; give a range with it, or one without start"),
        (SUBJECT, RANGE.format(2, 9), "sector 0 is in no range of keys; .*"),
        (
            SUBJECT,
            ALL + RANGE.format(2, 9),
            "xts_both_sector_bytes_64_sbox_composite holds one key, got 2; set slots,.*",
        ),
        (
            SUBJECT,
            ALL + RANGE.format(2, 9).replace("ab", "00"),
            "range 1: the halves of an XTS-AES key, .* must differ .*",
        ),
    ],
)
def test_errors_come_before_any_engine_is_made(tmp_path, monkeypatch, subject, text, message):
    monkeypatch.setattr(Rtl, "__enter__", lambda _: pytest.fail("an engine was made"))
    (tmp_path / "in").write_bytes(bytes(64 * 9))
    text = text.replace("ab", bytes(range(32)).hex()).replace('"00"', f'"{bytes(32).hex()}"')
    with pytest.raises(ValueError, match=f"^{message}$"):
        crypt_image(subject, parsed(text), tmp_path / "in", tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
