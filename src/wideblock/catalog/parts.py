# SPDX-License-Identifier: Apache-2.0
"""Components that are measured alone: those of the papers' tables, and the key schedules of AES-256."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wideblock.catalog.aez import AezParameters
from wideblock.catalog.changes import changed
from wideblock.rtl.aes.forms import GATES, KINDS, ROUND_STAGES, beside
from wideblock.rtl.stream.parameters import Parameters, parameter

__all__ = ["PARTS", "PSI_BLOCKS", "Part"]

PSI_BLOCKS = 31
"""Blocks of the hashes that are measured alone."""


@dataclass(frozen=True)
class Part:
    """A named component that is measured alone: it takes ``bytes`` every ``timing.interval`` cycles.

    parameters: those of the component unless changed
    within:     from the parameters of a core around the part, the parameters of the part
    """

    name: str
    summary: str
    parameters: Parameters
    bytes: int = 16
    within: Callable[[Any], Mapping[str, Any]] = lambda core: {}

    def make(self, chosen: Any) -> Any:
        """The component with the parameters ``chosen``, which has a ``timing``; see :mod:`.hardware.components`."""
        from .hardware.components import COMPONENTS

        return COMPONENTS[self.name](chosen)

    def changed(self, changes: Mapping[str, Any]) -> Parameters:
        """The parameters with ``changes``, given as values or as text.

        Raises UserError for an unknown parameter, and for a value outside of the parameter's choices.
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
    """Parameters of a field multiplier, or of a hash with a field multiplier."""

    mult_stages: int = parameter(4, "register levels of the field multiplier", tuple(range(1, 9)))
    leaf: int = parameter(4, "bits of the multiplier's smallest schoolbook products", (2, 4, 8, 16))


@dataclass(frozen=True, kw_only=True)
class Tweakable(Parameters):
    """Parameters of a tweakable block cipher with one AES round."""

    sbox: str = parameter("lut", "form of the AES S-box", GATES)


def _aes(name: str, summary: str, parameters: Parameters) -> Part:
    def within(core: Any) -> dict[str, Any]:
        known = beside(core) if isinstance(parameters, Iterative) else vars(core)
        return {parameter: known[parameter] for parameter in vars(parameters)}

    return Part(name, f"{summary}, with key expansion", parameters, within=within)


def _keys(name: str, summary: str) -> Part:
    return Part(name, f"AES-256 key schedule, {summary}", KeyScheduling(), 32)


def _psi(name: str, summary: str) -> Part:
    return Part(name, f"{summary} of {PSI_BLOCKS} blocks", Multiplication(mult_stages=3), 16 * PSI_BLOCKS)


PARTS: dict[str, Part] = {
    p.name: p
    for p in (
        _aes("aes128-pec", "pipelined AES-128 encryption", Pipelined()),
        _aes("aes128-pdc", "pipelined AES-128 decryption", Pipelined()),
        _aes("aes128-both", "pipelined AES-128 either way", EitherWay()),
        _aes("aes128-sec", "iterative AES-128 encryption", Iterative()),
        _aes("aes128-sdc", "iterative AES-128 decryption", Iterative()),
        _keys("aes256-expansion", "round keys of one key in registers"),
        _keys("aes256-travelling", "a key a cycle beside a pipeline"),
        Part("karatsuba", "GF(2^128) multiplier", Multiplication()),
        _psi("hbrw-31", "h BRW_h in the paper's order, squares on the fly"),
        _psi("hpoly-31", "h Poly_h, decimated Horner"),
        Part("aez-tbc", "tweakable block cipher of AEZ v4.1", Tweakable()),
        Part("aez-cipher", "cipher of AEZ v4.1 without the CAESAR API", AezParameters(), 32),
    )
}
