# SPDX-License-Identifier: Apache-2.0
"""Cases of published test vectors through an engine: the compiled core, the specification, or any other of images."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

from wideblock import catalog
from wideblock.catalog.kinds import AEAD
from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.drive.sector.engine import simulated
from wideblock.drive.sector.shape import shape
from wideblock.errors import UserError
from wideblock.export.contract import Contract, contract
from wideblock.image import engines
from wideblock.image.aead import by_core
from wideblock.simulation.bench import SimulationError
from wideblock.spec.aead import Rejected
from wideblock.vectors.formats import Case, MessageCase, UnitCase

__all__ = ["CaseResult", "CaseVerdict", "check"]

Answering = Callable[[Any, bool], bytes]
"""From a case and its direction, the result. Raises Rejected, SimulationError, UserError for a case not to be had."""


class CaseVerdict(Enum):
    """Result of a check of one case."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class CaseResult:
    """One case, checked.

    reason: of a case that failed or was skipped
    made:   by direction (``decrypt``), what the engine made; None for a rejected ciphertext
    """

    case: Case
    verdict: CaseVerdict
    reason: str
    made: Mapping[bool, bytes | None]


def check(cases: Sequence[Case], engine: str) -> Iterator[CaseResult]:
    """The results of all cases, in any order.

    A case whose plaintext and ciphertext are known is tried in both directions, and passes if both are right.
    engine: a name in :data:`wideblock.image.engines.ENGINES`
    Raises UserError for an unknown engine, BuildError.
    """
    if engine not in engines.ENGINES:
        raise UserError(f"engine must be one of {', '.join(map(repr, engines.ENGINES))}, got {engine!r}")
    if engine == "spec":
        for case in cases:
            yield _checked(case, _by_specification)
        return
    groups: dict[tuple[str, int], list[Case]] = {}
    for case in cases:
        try:
            if case.unusable:
                raise UserError(case.unusable)
            if engine != "rtl" and isinstance(case, MessageCase):
                raise UserError(f"the engine {engine!r} is for sectors, not for messages")
            groups.setdefault((case.preset, _fitting(case)), []).append(case)
        except UserError as error:
            yield CaseResult(case, CaseVerdict.SKIPPED, str(error), {})
    for (preset, key_bits), group in groups.items():
        core = _core(preset, key_bits, group)
        for case in group:
            if reason := _unfit(core, case):
                yield CaseResult(case, CaseVerdict.SKIPPED, reason, {})
        fit = [case for case in group if not _unfit(core, case)]
        if fit:
            with _engine(engine, core) as answering:
                yield from (_checked(case, answering) for case in fit)


# One case


def _checked(case: Case, answering: Answering) -> CaseResult:
    """A case, tried in each direction whose input is known."""
    made: dict[bool, bytes | None] = {}
    tried = [(False, case.plaintext, case.ciphertext), (True, case.ciphertext, case.plaintext)]
    rejected = isinstance(case, MessageCase) and case.rejected
    try:
        if case.unusable:
            raise UserError(case.unusable)
        for decrypt, given, right in tried:
            if given is None:
                continue
            made[decrypt] = _made(case, decrypt, answering)
            judged = right is not None or (decrypt and rejected)
            if judged and made[decrypt] != right:
                return CaseResult(case, CaseVerdict.FAILED, _difference(decrypt, made[decrypt], right), made)
    except UserError as error:
        return CaseResult(case, CaseVerdict.SKIPPED, str(error), made)
    except SimulationError as error:
        return CaseResult(case, CaseVerdict.FAILED, str(error), made)
    if case.plaintext is not None and case.ciphertext is not None or rejected:
        return CaseResult(case, CaseVerdict.PASSED, "", made)
    return CaseResult(case, CaseVerdict.SKIPPED, "the files do not say the right result", made)


def _made(case: Case, decrypt: bool, answering: Answering) -> bytes | None:
    """The result, or None if it was rejected."""
    try:
        return answering(case, decrypt)
    except Rejected:
        return None


def _difference(decrypt: bool, got: bytes | None, right: bytes | None) -> str:
    verb = "decrypts" if decrypt else "encrypts"
    if got is None or right is None:
        return f"is {'rejected, but is right' if got is None else 'accepted, but must be rejected'}"
    at = next((k for k, (a, b) in enumerate(zip(got, right, strict=False)) if a != b), min(len(got), len(right)))
    return f"{verb} to {got[at : at + 16].hex()} from byte {at} on, right is {right[at : at + 16].hex()}"


def _given(case: Case, decrypt: bool) -> bytes:
    return (case.ciphertext if decrypt else case.plaintext) or b""


# Cores


@cache
def _key_sizes(preset: str) -> dict[int, int]:
    """``key_bits`` of the cores of a preset by the bytes of their keys."""
    p, scheme = catalog.preset(preset).parameters, catalog.preset(preset).scheme
    (field,) = (field for field in p.__dataclass_fields__.values() if field.name == "key_bits")
    cores = {bits: catalog.preset(preset).changed({"key_bits": bits}) for bits in field.metadata["choices"]}
    return {scheme.key_bits(core) // 8: bits for bits, core in cores.items()}


def _fitting(case: Case) -> int:
    """``key_bits`` of the cores that take a case. Raises UserError."""
    sizes = _key_sizes(case.preset)
    if len(case.key) not in sizes:
        raise UserError(f"key of {len(case.key)} bytes; {case.preset} takes {', '.join(map(str, sizes))}")
    return sizes[len(case.key)]


def _core(preset: str, key_bits: int, cases: Iterable[Case]) -> Contract[Any, Any]:
    """The core of a preset for the longest data and tweaks of the cases, as far as possible."""
    changes, usual = {"key_bits": key_bits}, asdict(catalog.preset(preset).parameters)
    for case in cases:
        for name, size in _sizes(case).items():
            if usual.get(name, size) < size:
                wanted = changes | {name: max(size, changes.get(name, 0))}
                try:
                    catalog.preset(preset).changed(wanted)
                except UserError:  # the case is then found not to fit
                    continue
                changes = wanted
    return contract(preset, changes)


def _sizes(case: Case) -> dict[str, int]:
    """Sizes in bytes of a case, by the names of the bounding parameters."""
    data = max(len(case.plaintext or b""), len(case.ciphertext or b""))
    if isinstance(case, UnitCase):
        return {"longest": min(case.unit, data), "most_tweak_bytes": len(case.tweak)}
    assert isinstance(case, MessageCase)
    sealed = len(case.ciphertext or b"") - case.tag_bytes
    return {"data_bytes": max(len(case.plaintext or b""), sealed), "ad_bytes": len(case.ad)}


def _unfit(core: Contract[Any, Any], case: Case) -> str:
    """The reason for which a core does not take a case, or nothing."""
    if isinstance(case, MessageCase):
        most, cipher = core.behaviour, core.behaviour.shape
        for what, size, right in (("nonce", len(case.nonce), cipher.npub), ("tag", case.tag_bytes, cipher.tag)):
            if size != right:
                return f"{what} of {size} bytes; {core.name} takes {right}"
        for name, size in _sizes(case).items():
            if size > getattr(most, name):
                return f"{name} of {size} bytes; {core.module} takes {getattr(most, name)}"
        return ""
    assert isinstance(case, UnitCase)
    length, room = core.behaviour.length, shape(core).tweak_room
    if len(case.tweak) not in (length.tweaks or (room,)):
        return f"tweak of {len(case.tweak)} bytes; {core.module} takes {length.tweaks or room}"
    wrong = [len(unit) for _, unit in case.units(case.plaintext or case.ciphertext or b"") if len(unit) not in length]
    return f"data of {wrong[0]} bytes; {core.module} takes {length}" if wrong else ""


# Engines


def _by_specification(case: Case, decrypt: bool) -> bytes:
    preset = catalog.preset(case.preset)
    try:
        cipher = preset.scheme.specification(preset.parameters, case.key)
        if isinstance(case, MessageCase):
            cipher = cipher.with_tag(case.tag_bytes)
            return (cipher.decrypt if decrypt else cipher.encrypt)(case.nonce, case.ad, _given(case, decrypt))
        assert isinstance(case, UnitCase)
        crypt = cipher.decrypt if decrypt else cipher.encrypt
        return b"".join(crypt(tweak, unit) for tweak, unit in case.units(_given(case, decrypt)))
    except ValueError as error:  # of a key, a nonce or a length
        if isinstance(case, MessageCase) and case.rejected:
            raise Rejected from None
        raise UserError(str(error)) from None


def _engine(name: str, core: Contract[Any, Any]) -> AbstractContextManager[Answering]:
    """The answers of an engine for cases that a core takes."""
    if name == "rtl":
        return _messages(core) if core.kind is AEAD else _units(core)
    return _by_engine(name, core)


@contextmanager
def _messages(core: Contract[Any, Any]) -> Iterator[Answering]:
    """Answers of the compiled core of an authenticated cipher."""
    with AeadSimulation(core) as simulation:

        def answer(case: MessageCase, decrypt: bool) -> bytes:
            try:
                return by_core(simulation, case.key, case.nonce, case.ad, _given(case, decrypt), decrypt=decrypt)
            except SimulationError:
                simulation.reset()
                raise

        yield answer


@contextmanager
def _units(core: Contract[Any, Any]) -> Iterator[Answering]:
    """Answers of the compiled core of a sector cipher."""
    with simulated(core) as simulation:

        def answer(case: UnitCase, decrypt: bool) -> bytes:
            core.specification(case.key)  # raises UserError for a key that the scheme refuses
            tweaks, units = zip(*case.units(_given(case, decrypt)), strict=True)
            try:
                simulation.load_key(case.key)
                return b"".join(sector.tobytes() for sector in simulation.run(units, tweaks, decrypt).sectors)
            except SimulationError:
                simulation.reset()
                raise

        yield answer


@contextmanager
def _by_engine(name: str, core: Contract[Any, Any]) -> Iterator[Answering]:
    """Answers of an engine for images, unit by unit, as an image of one sector each."""

    def answer(case: Case, decrypt: bool) -> bytes:
        assert isinstance(case, UnitCase)
        parts = [_sector(name, core, case, decrypt, *each) for each in case.units(_given(case, decrypt))]
        return b"".join(parts)

    yield answer


def _sector(name: str, core: Contract[Any, Any], case: Case, decrypt: bool, tweak: bytes, unit: bytes) -> bytes:
    sizes = {"sector_bytes": len(unit)}
    if core.behaviour.length.tweaks:
        sizes["tweak_bytes"] = len(tweak)
    subject = _resized(core.name, tuple((dict(core.changed) | sizes).items()))
    chunk = np.frombuffer(unit, np.uint8)[None], np.frombuffer(tweak, np.uint8)[None], 0
    with engines.make(name, subject, [case.key], decrypt=decrypt) as engine:
        return b"".join(sectors.tobytes() for sectors in engine.crypt([chunk]))


@cache
def _resized(preset: str, changes: tuple[tuple[str, Any], ...]) -> Contract[Any, Any]:
    return contract(preset, dict(changes))
