# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Components that the papers' tables measure alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from amaranth.lib import wiring

from wideblock.rtl.aes.iterative import IterativeDecryption
from wideblock.rtl.aes.keyed import Keyed
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEncryption
from wideblock.rtl.gf128.karatsuba import Multiplier
from wideblock.rtl.hash.alone import Psi

__all__ = ["PARTS", "Part"]


@dataclass(frozen=True)
class Part:
    """A named component that the papers' tables measure alone: ``bytes`` every ``interval`` cycles."""

    name: str
    summary: str
    interval: int
    make: Callable[[], wiring.Component]
    bytes: int = 16


def _aes(name: str, summary: str, cipher: Callable[..., Any], interval: int = 1, **parameters: Any) -> Part:
    return Part(name, f"{summary}, with key expansion", interval, lambda: Keyed(cipher(**parameters)))


def _psi_part(name: str, summary: str, **parameters: Any) -> Part:
    interval = Psi(31, **parameters).timing.interval
    return Part(
        name, f"{summary} of 31 blocks, multiplier of three stages", interval, lambda: Psi(31, **parameters), 496
    )


PARTS: dict[str, Part] = {
    p.name: p
    for p in (
        _aes("aes128-pec", "pipelined AES-128 encryption, S-boxes as tables", PipelinedEncryption),
        _aes(
            "aes128-pec-r2",
            "pipelined AES-128 encryption, S-boxes as tables, two stages a round",
            PipelinedEncryption,
            round_stages=2,
        ),
        _aes(
            "aes128-pec-composite",
            "pipelined AES-128 encryption, S-boxes in gates",
            PipelinedEncryption,
            sbox="composite",
        ),
        _aes(
            "aes128-pec-composite-r2",
            "pipelined AES-128 encryption, S-boxes in gates, two stages a round",
            PipelinedEncryption,
            sbox="composite",
            round_stages=2,
        ),
        _aes(
            "aes128-pec-norm",
            "pipelined AES-128 encryption, S-boxes by the norm",
            PipelinedEncryption,
            sbox="norm",
        ),
        _aes(
            "aes128-pec-norm-r2",
            "pipelined AES-128 encryption, S-boxes by the norm, two stages a round",
            PipelinedEncryption,
            sbox="norm",
            round_stages=2,
        ),
        _aes("aes128-pdc", "pipelined AES-128 decryption, S-boxes as tables", PipelinedDecryption),
        _aes("aes128-sdc", "iterative AES-128 decryption, S-boxes as tables", IterativeDecryption, 11),
        Part("karatsuba-4", "GF(2^128) multiplier, four stages", 1, Multiplier),
        _psi_part(
            "hbrw-31", "h BRW_h in the paper's order of blocks, squares on the fly", order="paper", squares="on-the-fly"
        ),
        _psi_part("hpoly-31", "h Poly_h, three-way Horner", hash="horner"),
    )
}
