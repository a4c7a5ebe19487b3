# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Components that are measured alone: those of the papers' tables, and the key schedules of AES-256."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wideblock.catalog.changes import changed
from wideblock.rtl.aes.iterative import ROUND_STAGES, IterativeDecryption, IterativeEncryption, beside
from wideblock.rtl.aes.key_expansion import KeyExpansion
from wideblock.rtl.aes.keyed import Keyed
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEitherWay, PipelinedEncryption
from wideblock.rtl.aes.sbox import GATES, KINDS
from wideblock.rtl.aes.travelling import TravellingKeys
from wideblock.rtl.gf128.karatsuba import STAGES, Multiplier
from wideblock.rtl.hash.alone import Psi
from wideblock.rtl.stream.parameters import Parameters, parameter

__all__ = ["PARTS", "Part"]


@dataclass(frozen=True)
class Part:
    """A named component that is measured alone: it takes ``bytes`` every ``timing.interval`` cycles.

    parameters: those of the component unless changed
    make:       from parameters, the component, which has a ``timing``
    within:     from the parameters of a core that has the part inside, those of the part there
    """

    name: str
    summary: str
    parameters: Parameters
    make: Callable[[Any], Any]
    bytes: int = 16
    within: Callable[[Any], Mapping[str, Any]] = lambda core: {}

    def changed(self, changes: Mapping[str, Any]) -> Parameters:
        """The parameters with ``changes``, given as values or as text.

        Raises UserError for an unknown parameter and for a value that it cannot have.
        """
        return changed(self.name, self.parameters, changes)


@dataclass(frozen=True, kw_only=True)
class Iterative(Parameters):
    """Parameters of an AES core of one round."""

    round_stages: int = parameter(1, "registers of one AES round", ROUND_STAGES)
    sbox: str = parameter("lut", "form of the AES S-box", GATES)


@dataclass(frozen=True, kw_only=True)
class Pipelined(Parameters):
    """Parameters of an AES pipeline."""

    round_stages: int = parameter(1, "registers of one AES round", (1, 2, 3, 4))
    sbox: str = parameter("lut", "form of the AES S-box", KINDS)


@dataclass(frozen=True, kw_only=True)
class EitherWay(Parameters):
    """Parameters of an AES pipeline for both directions."""

    round_stages: int = parameter(1, "registers of one AES round", (1, 2, 3, 4))
    sbox: str = parameter("lut", "form of the AES S-box", GATES)


@dataclass(frozen=True, kw_only=True)
class KeyScheduling(Parameters):
    """Parameters of an AES key schedule."""

    round_stages: int = parameter(1, "registers of one round of the cipher that it serves", (1, 2))
    sbox: str = parameter("lut", "form of the AES S-box", GATES)


@dataclass(frozen=True, kw_only=True)
class Multiplication(Parameters):
    """Parameters of a field multiplier, or of a hash that has one."""

    mult_stages: int = parameter(4, "register levels of the field multiplier", tuple(STAGES))
    leaf: int = parameter(4, "bits of the multiplier's smallest schoolbook products", (2, 4, 8, 16))


def _aes(name: str, summary: str, cipher: Callable[..., Any], parameters: Parameters) -> Part:
    def within(core: Any) -> dict[str, Any]:
        known = beside(core) if isinstance(parameters, Iterative) else vars(core)
        return {parameter: known[parameter] for parameter in vars(parameters)}

    def make(chosen: Any) -> Keyed:
        return Keyed(cipher(**vars(chosen)))

    return Part(name, f"{summary}, with key expansion", parameters, make, within=within)


def _keys(name: str, summary: str, component: Callable[..., Any]) -> Part:
    def make(chosen: Any) -> Any:
        return component(key_bits=256, **vars(chosen))

    return Part(name, f"AES-256 key schedule, {summary}", KeyScheduling(), make, 32)


def _psi(name: str, summary: str, **fixed: Any) -> Part:
    def make(chosen: Multiplication) -> Psi:
        return Psi(31, stages=chosen.mult_stages, leaf=chosen.leaf, **fixed)

    return Part(name, f"{summary} of 31 blocks", Multiplication(mult_stages=3), make, 496)


PARTS: dict[str, Part] = {
    p.name: p
    for p in (
        _aes("aes128-pec", "pipelined AES-128 encryption", PipelinedEncryption, Pipelined()),
        _aes("aes128-pdc", "pipelined AES-128 decryption", PipelinedDecryption, Pipelined()),
        _aes("aes128-both", "pipelined AES-128 either way", PipelinedEitherWay, EitherWay()),
        _aes("aes128-sec", "iterative AES-128 encryption", IterativeEncryption, Iterative()),
        _aes("aes128-sdc", "iterative AES-128 decryption", IterativeDecryption, Iterative()),
        _keys("aes256-expansion", "round keys of one key in registers", KeyExpansion),
        _keys("aes256-travelling", "a key a cycle beside a pipeline", TravellingKeys),
        Part(
            "karatsuba",
            "GF(2^128) multiplier",
            Multiplication(),
            lambda chosen: Multiplier(stages=chosen.mult_stages, leaf=chosen.leaf),
        ),
        _psi("hbrw-31", "h BRW_h in the paper's order, squares on the fly", order="paper", squares="on-the-fly"),
        _psi("hpoly-31", "h Poly_h, decimated Horner", hash="horner"),
    )
}
