# SPDX-License-Identifier: Apache-2.0
"""Parameters of a sector core: the mixes that exist, and one clear line for each that does not."""

import pytest

from wideblock.export.contract import contract
from wideblock.rtl.sector.parameters import (
    HashedParameters,
    HornerParameters,
    PsiParameters,
    SinglePassParameters,
    SlottedHornerParameters,
)

pytestmark = pytest.mark.shows("stream-parts")


@pytest.mark.parametrize(
    ("preset", "sector_bytes", "round_stages", "stages"),
    [
        ("xts-both", 4096, 1, 1),
        ("xts-both", 4096, 2, 2),
        ("xts-both", 4096, 4, 2),
        ("xcb-2", 4096, 4, 2),
        ("xcb-2s", 512, 1, 1),  # 16 steps are fewer than the 20 cycles of two stages
        ("xcb-2s", 4096, 1, 2),
        ("xcb-2s", 4096, 4, 3),
    ],
)
def test_stages_of_a_sequential_aes_are_those_of_the_architecture_page(preset, sector_bytes, round_stages, stages):
    core = contract(preset, {"sector_bytes": sector_bytes, "round_stages": round_stages})
    assert core.parameters.sequential_stages == stages
    if preset == "xts-both":  # V of the page
        assert core.component.cycles.tweak == 1 + 10 * stages


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hash": "ghash"}, "hash must be one of brw, horner, got 'ghash'"),
        ({"width": 3}, "width must be one of 1, 2, 4, 8, got 3"),
        ({"width": 0}, "width must be one of 1, 2, 4, 8, got 0"),
        ({"lanes": 16}, "lanes must be one of 1, 2, 4, 8, got 16"),
        ({"overlap": "yes"}, "overlap must be one of False, True, got 'yes'"),
        ({"key_bits": 192}, "key_bits must be one of 128, 256, got 192"),
        ({"mult_stages": 0}, "mult_stages must be one of 1, 2, 3, 4, 5, 6, 7, 8, got 0"),
        ({"mult_stages": 9}, "mult_stages must be one of 1, 2, 3, 4, 5, 6, 7, 8, got 9"),
        ({"round_stages": 5}, "round_stages must be one of 1, 2, 3, 4, got 5"),
        ({"sbox": "rom"}, "sbox must be one of lut, composite, norm, bram, got 'rom'"),
        ({"leaf": 3}, "leaf must be one of 2, 4, 8, 16, got 3"),
        ({"width": 1, "lanes": 2}, "lanes must divide width: 2 lanes do not divide 1 blocks a beat"),
        ({"width": 4, "lanes": 8}, "lanes must divide width: 8 lanes do not divide 4 blocks a beat"),
        ({"sector_bytes": 0}, "sector_bytes must be a multiple of 32 (16 bytes times the width of 2), got 0"),
        ({"sector_bytes": -512}, "sector_bytes must be a multiple of 32 (16 bytes times the width of 2), got -512"),
        ({"sector_bytes": 4104}, "sector_bytes must be a multiple of 32 (16 bytes times the width of 2), got 4104"),
        ({"sector_bytes": 65552}, "sector_bytes must be at most 65536, got 65552"),
        (
            {"sector_bytes": 16},
            "sector_bytes must be a multiple of 32 (16 bytes times the width of 2), got 16; width 1 and one lane "
            "take it",
        ),
        (
            {"sector_bytes": 160, "width": 4},
            "sector_bytes must be a multiple of 64 (16 bytes times the width of 4), got 160; "
            "width 1 and one lane take it",
        ),
    ],
)
def test_impossible(changes, message):
    with pytest.raises(ValueError) as error:
        HashedParameters(**changes)
    assert str(error.value) == message


@pytest.mark.parametrize(("width", "lanes"), [(1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (4, 4), (8, 8)])
@pytest.mark.parametrize("sector_bytes", [512, 4096])
def test_blocks_and_beats(sector_bytes, width, lanes):
    p = HashedParameters(sector_bytes=sector_bytes, width=width, lanes=lanes)
    assert p.m == sector_bytes / 16
    assert p.beats == p.m / width


def test_parameters_are_values():
    assert HashedParameters() == HashedParameters(width=2)
    assert hash(HashedParameters()) == hash(HashedParameters(width=2))
    assert HashedParameters() != HashedParameters(overlap=True)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            lambda: HashedParameters(hash="horner", squares="on-the-fly"),
            "squares on the fly belong to brw; horner takes powers of tau that are not squares, so squares must be "
            "stored",
        ),
        (
            lambda: PsiParameters(hash="horner", order="paper"),
            "the paper's order is one of brw; order must be natural for horner, got 'paper'",
        ),
        *(
            (
                lambda size=size: SlottedHornerParameters(icv_bytes=16, sector_bytes=size),
                f"sector_bytes must be whole beats of 32 bytes, and at least 32, with icv_bytes of 16, got {size}",
            )
            for size in (31, 500, 528)
        ),
        *(
            (
                lambda size=size: SlottedHornerParameters(icv_bytes=16, stride=size),
                f"stride must be a multiple of 16 from 4112 to 4160, or 0, got {size}",
            )
            for size in (16, 4096, 4113, 4176)
        ),
        (
            lambda: SlottedHornerParameters(icv_bytes=16, stride=4112, slots=4, overlap=True),
            "stride must be 0 with slots, got 4112",
        ),
        (
            lambda: SlottedHornerParameters(stride=4112),
            "stride must be 0 without icv_bytes, got 4112; icv_bytes 16 goes with it",
        ),
        (
            lambda: SlottedHornerParameters(icv_bytes=16, sector_bytes=32, stride=48),
            "sector_bytes must be two beats or more with stride, 64, got 32",
        ),
        (lambda: SlottedHornerParameters(icv_bytes=8), "icv_bytes must be one of 0, 16, got 8"),
        (lambda: SinglePassParameters(sector_bytes=15), "sector_bytes must be at least 16, got 15"),
        (lambda: SinglePassParameters(slots=1), "slots must be 2 to 1024, or 0 for a core of one key, got 1"),
        (lambda: SinglePassParameters(slots=1025), "slots must be 2 to 1024, or 0 for a core of one key, got 1025"),
        (lambda: SinglePassParameters(slots=-2), "slots must be 2 to 1024, or 0 for a core of one key, got -2"),
        (
            lambda: SinglePassParameters(slots=4, round_stages=3),
            "round_stages must be 1 or 2 with slots, got 3",
        ),
        (
            lambda: SinglePassParameters(sector_bytes=(1 << 24) + 1),
            "sector_bytes must be at most 16777216, got 16777217",
        ),
        (
            lambda: SinglePassParameters(direction="back"),
            "direction must be one of both, encrypt, decrypt, got 'back'",
        ),
    ],
)
def test_impossible_in_a_family(parameters, message):
    with pytest.raises(ValueError) as error:
        parameters()
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("sector_bytes", "m", "tail", "beats"), [(16, 2, 0, 1), (17, 2, 1, 1), (80, 5, 16, 3), (95, 6, 15, 3)]
)
def test_sectors_of_any_length_in_two_passes(sector_bytes, m, tail, beats):
    p = HornerParameters(sector_bytes=sector_bytes)
    assert (p.m, p.tail, p.beats) == (m, tail, beats)


def test_sectors_of_any_length_in_a_single_pass():
    p = SinglePassParameters(sector_bytes=520, width=4, lanes=4)
    assert (p.m, p.beats) == (32, 9)
