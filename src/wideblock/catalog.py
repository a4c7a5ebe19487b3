# SPDX-License-Identifier: Apache-2.0
"""Every named preset: the papers' rows and ours, as hardware and as specification."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from amaranth.lib import wiring

from wideblock import vectors
from wideblock.rtl.aes.iterative import IterativeDecryption
from wideblock.rtl.aes.keyed import Keyed
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEncryption
from wideblock.rtl.gf128.karatsuba import Multiplier
from wideblock.rtl.hash.alone import Psi
from wideblock.rtl.sector.hash_counter_hash import HashCounterHash
from wideblock.rtl.sector.hash_ecb_hash import HashEcbHash
from wideblock.rtl.sector.parameters import Parameters
from wideblock.rtl.sector.single_pass import SinglePass
from wideblock.rtl.tes.fast import Fast
from wideblock.rtl.tes.heh import Heh
from wideblock.rtl.tes.hmch import Hmch
from wideblock.rtl.tes.xts import Xts
from wideblock.spec.fast import FAST
from wideblock.spec.heh import HEH
from wideblock.spec.hmch import HMCH
from wideblock.spec.xts import XTS

__all__ = [
    "PARTS",
    "PRESETS",
    "Part",
    "Preset",
    "core",
    "known_answers",
    "parameters",
    "preset",
    "settings",
    "specification",
]


@dataclass(frozen=True)
class Scheme:
    """What a scheme is: its core, and what the core must agree with under a key of the port's width.

    security: what the scheme protects and what not, with its source
    file:  name of the file of its known answers; ``holds`` tells which of them are for a core
    key:   fields of a known answer that make up the key, in the order of the port
    lacks: parameters of other schemes, which have no meaning here
    """

    core: type[HashCounterHash] | type[HashEcbHash] | type[SinglePass]
    specification: Callable[[Parameters, bytes], Any]
    security: str
    file: str
    holds: Callable[[Parameters, vectors.Vector], bool]
    key: tuple[str, ...] = ("key",)
    lacks: tuple[str, ...] = ("direction",)


def _holds(answer: vectors.Vector, sector_bytes: int, **parameters: Any) -> bool:
    """Whether an answer is for such a core; LE is the designers' reading, and the cores'."""
    wanted = {**parameters, "field": "LE"}
    return wanted.items() <= answer.parameters.items() and len(answer["pt"]) == sector_bytes


def _psi_scheme(
    mode: str, core: type[HashCounterHash] | type[HashEcbHash], specification: type[HEH] | type[HMCH]
) -> Scheme:
    """HEH or HMCH: the hash psi, under a key of its own."""

    def holds(p: Parameters, answer: vectors.Vector) -> bool:
        hash = {"brw": "BRW", "horner": "Poly"}[p.hash]
        return _holds(answer, p.sector_bytes, mode=mode, hash=hash, permuted=p.order == "paper")

    return Scheme(
        core,
        lambda p, key: specification(key, hash=p.hash, sector_bytes=p.sector_bytes, order=p.order),
        specification.security,
        "heh_hmch",
        holds,
        ("key", "hash_key"),
    )


SCHEMES = {
    "fast": Scheme(
        Fast,
        lambda p, key: FAST(key, hash=p.hash, sector_bytes=p.sector_bytes),
        FAST.security,
        "fast",
        lambda p, answer: _holds(answer, p.sector_bytes, hash={"brw": "BRW", "horner": "Horner"}[p.hash]),
        lacks=("order", "direction"),
    ),
    "heh": _psi_scheme("HEH", Heh, HEH),
    "hmch": _psi_scheme("HMCH", Hmch, HMCH),
    # units of any length; a key of equal halves is refused
    "xts": Scheme(
        Xts,
        lambda p, key: XTS(key),
        XTS.security,
        "xts",
        lambda p, answer: answer["key"][: p.key_bits // 8] != answer["key"][p.key_bits // 8 :],
        lacks=("hash", "overlap", "mult_stages", "squares", "leaf", "order"),
    ),
}


@dataclass(frozen=True)
class Preset:
    """A named core. ``paper`` is the design of the paper whose cycles it must meet, or None."""

    name: str
    summary: str
    parameters: Parameters
    paper: str | None = None

    @property
    def title(self) -> str:
        return SCHEMES[self.parameters.scheme].core.title

    @property
    def security(self) -> str:
        """What the scheme protects and what not, with its source."""
        return SCHEMES[self.parameters.scheme].security


def _fast(hash: str, lanes: int, *, overlap: bool) -> Preset:
    cores = {1: "one AES core", 2: "two AES cores", 4: "four AES cores"}[lanes]
    kind = {"brw": "BRW", "horner": "Horner"}[hash]
    width = lanes if hash == "horner" else max(2, lanes)
    p = Parameters("fast", hash, width=width, lanes=lanes, overlap=overlap)
    if overlap:
        return Preset(
            f"fast-{hash}-{lanes}s",
            f"FAST[{kind}] for 4096-byte sectors, {cores}, sectors overlap: the lanes alone bound the throughput",
            p,
        )
    return Preset(
        f"fast-{hash}-{lanes}",
        f"FAST[{kind}] for 4096-byte sectors, {cores}, the paper's architecture: one hash unit, one sector at a time",
        p,
        f"FAST[AES,{kind}]-{lanes}",
    )


def _table3(scheme: str, variant: str, *, overlap: bool) -> Preset:
    """A row of the BRW paper's Table 3, or the same with overlap."""
    hash, lanes, squares = {
        "brw-1": ("brw", 2, "on-the-fly"),
        "brw-2": ("brw", 2, "stored"),
        "brw-3": ("brw", 1, "on-the-fly"),
        "poly": ("horner", 1, "stored"),
    }[variant]
    cores = {1: "one AES core", 2: "two AES cores"}[lanes] + {"heh": " each way", "hmch": ""}[scheme]
    powers = f", squares {squares.replace('-', ' ')}" if hash == "brw" else ""
    kind = f"{scheme.upper()}[{'BRW' if hash == 'brw' else 'Poly'}]"
    what = f"{kind} for 512-byte sectors, {cores}{powers}"
    width = 1 if hash == "horner" else 2
    p = Parameters(scheme, hash, 512, width=width, lanes=lanes, overlap=overlap, mult_stages=3, squares=squares)
    if overlap:
        return Preset(f"{scheme}-{variant}s", f"{what}, sectors overlap: the lanes alone bound the throughput", p)
    return Preset(
        f"{scheme}-{variant}",
        f"{what}, the paper's architecture: one hash unit, one sector at a time",
        p,
        kind if hash == "horner" else f"{kind}-{variant[-1]}",
    )


def _xts(name: str, direction: str, width: int, what: str, paper: str | None = None) -> Preset:
    return Preset(
        name,
        f"AES-XTS for units of any length from 16 bytes, figures for 4096, {what}",
        Parameters("xts", width=width, lanes=width, direction=direction),
        paper,
    )


PRESETS: dict[str, Preset] = {
    p.name: p
    for p in (
        _fast("brw", 1, overlap=False),
        _fast("brw", 2, overlap=False),
        _fast("horner", 1, overlap=False),
        _fast("horner", 2, overlap=False),
        _fast("brw", 1, overlap=True),
        _fast("brw", 2, overlap=True),
        _fast("brw", 4, overlap=True),
        _fast("horner", 2, overlap=True),
        *(
            _table3(scheme, variant, overlap=overlap)
            for scheme in ("heh", "hmch")
            for overlap in (False, True)
            for variant in ("brw-1", "brw-2", "brw-3", "poly")
        ),
        _xts("xts-enc", "encrypt", 1, "encryption: one pipelined AES core for blocks and tweaks", "AES-XTS encryption"),
        _xts(
            "xts-dec",
            "decrypt",
            1,
            "decryption: one pipelined AES core for blocks, a sequential one for tweaks",
            "AES-XTS decryption",
        ),
        _xts("xts-2", "encrypt", 2, "encryption: two pipelined AES cores, one of which enciphers the tweaks, too"),
        _xts("xts-4", "encrypt", 4, "encryption: four pipelined AES cores, one of which enciphers the tweaks, too"),
        _xts("xts-both", "both", 1, "both directions: one pipelined AES core for them, a sequential one for tweaks"),
    )
}


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


def preset(name: str) -> Preset:
    """Returns the preset of that name; ValueError names the nearest ones, or all."""
    if name not in PRESETS:
        near = difflib.get_close_matches(name, PRESETS) or list(PRESETS)
        raise ValueError(f"unknown preset {name!r}; it would be one of {', '.join(near)}")
    return PRESETS[name]


def parameters(name: str, **changes: Any) -> Parameters:
    """Returns the parameters of preset ``name`` with ``changes``, given as values or as text.

    Raises ValueError for an unknown parameter, for text that is not a value, and for a mix that no core can have.
    """
    of = preset(name).parameters
    known = {field.name: field.type for field in fields(Parameters) if field.name in settings(of)}
    del known["scheme"]
    values = {}
    for field, value in changes.items():
        if field not in known:
            raise ValueError(f"unknown parameter {field!r} of {name}; it would be one of {', '.join(known)}")
        values[field] = _value(field, known[field], value)
    changed = replace(of, **values)
    SCHEMES[changed.scheme].core.check(changed)
    return changed


def settings(parameters: Parameters) -> dict[str, Any]:
    """Returns the parameters that mean something to the scheme, and the scheme, by name."""
    lacks = SCHEMES[parameters.scheme].lacks
    return {name: value for name, value in asdict(parameters).items() if name not in lacks}


def _value(field: str, kind: Any, value: Any) -> Any:
    if not isinstance(value, str) or kind is str:
        return value
    if kind is bool:
        words: Mapping[str, bool] = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if value.lower() not in words:
            raise ValueError(f"{field} must be true or false, got {value!r}")
        return words[value.lower()]
    try:
        return int(value)
    except ValueError:
        raise ValueError(f"{field} must be a whole number, got {value!r}") from None


def core(parameters: Parameters) -> HashCounterHash | HashEcbHash | SinglePass:
    """Returns the sector core: ``parameters`` and ``timing`` are its attributes."""
    return SCHEMES[parameters.scheme].core(parameters)


def known_answers(parameters: Parameters) -> list[tuple[str, bytes, bytes, bytes, bytes]]:
    """Returns source, key, tweak, plain and enciphered sector of every known answer for such a core; maybe none."""
    scheme = SCHEMES[parameters.scheme]
    found = [
        (found.source, b"".join(answer[field] for field in scheme.key), answer["tweak"], answer["pt"], answer["ct"])
        for found in vectors.load(scheme.file)
        for answer in found.vectors
        if scheme.holds(parameters, answer)
    ]
    return [answer for answer in found if len(answer[1]) * 8 == scheme.core.key_port_bits(parameters)]


def specification(parameters: Parameters, key: bytes) -> Any:
    """Returns what the core must agree with: ``encrypt(tweak, sector)`` and ``decrypt(tweak, sector)``."""
    scheme = SCHEMES[parameters.scheme]
    bits = scheme.core.key_port_bits(parameters)
    if len(key) * 8 != bits:
        raise ValueError(f"the key must be {bits // 8} bytes, got {len(key)}")
    return scheme.specification(parameters, key)
