# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""A scheme and its presets: a core beside its specification."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from traceback import walk_tb
from typing import Any

from wideblock import vectors
from wideblock.errors import UserError
from wideblock.rtl.stream.parameters import Parameters
from wideblock.spec.sealed import Behind, Sealed

from .changes import changed
from .kinds import SECTOR, Kind

__all__ = ["Attack", "Preset", "Scheme", "Status", "aes_cores", "hooks_of", "slot_keys"]


Direction = Callable[[bytes, bytes], bytes]
"""One direction of a cipher: (tweak, sector) -> sector."""


class Status(Enum):
    """Advice on the use of a scheme; reason and source are in the security statement."""

    RECOMMENDED = "recommended"
    BENCHMARK = "benchmark only"
    BROKEN = "broken"


@dataclass(frozen=True)
class Attack:
    """A published attack, which needs no key.

    recover: from both directions of an implementation, functions (tweak, sector) -> sector, a tweak and a ciphertext
             not deciphered under the tweak so far: the recovered first bytes of the plaintext
    """

    title: str
    source: str
    recover: Callable[[Direction, Direction, bytes, bytes], bytes]


@dataclass(frozen=True)
class Scheme:
    """A scheme: the core, and the specification of the core under a key of the port's width.

    name:          the scheme's, as its modules are called
    hardware:      imports the component's class, whose parameters are an instance of ``parameters``; see :attr:`core`
    specification: from parameters and key, an object with ``encrypt`` and ``decrypt`` as the kind has them:
                   ``encrypt(tweak, sector)``, or ``encrypt(nonce, ad, message)``
    security:      what the scheme protects and what not, with its source
    summary:       from parameters, one line on a core
    answers:       name of the file of known answers; None without known answers
    sealed_answers: name of the file for cores with sealed sectors
    no_icv:        reason against sealed sectors; empty if it does
    holds:         from parameters and a known answer, whether the answer is for the core; the kind judges its lengths
    ciphers:       from parameters, names of the parts that are the core's AES cores; none if they are no parts
    attacks:       published attacks that recover plaintext
    kind:          what its ports and messages are
    purpose:       typical use, in a few words
    native:        from parameters, its name in the native library; None for a scheme without native code
    key_bits:      from parameters, the bits of a key
    limits:        raises UserError for parameters that the scheme does not have
    letters:       its name in registers, at most 8 letters; empty: ``name``

    The value and all functions but ``hardware`` load no hardware description.
    """

    name: str
    hardware: Callable[[], type]
    parameters: type[Parameters]
    specification: Callable[[Any, bytes], Any]
    security: str
    status: Status
    summary: Callable[[Any], str]
    answers: str | None = None
    holds: Callable[[Any, vectors.Vector], bool] = lambda parameters, answer: True
    ciphers: Callable[[Any], tuple[str, ...]] = lambda parameters: ()
    attacks: tuple[Attack, ...] = ()
    kind: Kind[Any, Any] = SECTOR
    purpose: str = ""
    native: Callable[[Any], str] | None = None
    limits: Callable[[Any], None] = lambda parameters: None
    sealed_answers: str | None = None
    no_icv: str = ""
    letters: str = ""
    key_bits: Callable[[Any], int] = field(kw_only=True)

    @property
    def core(self) -> Any:
        """The class of the component, imported at first use. Raises ValueError for a core of another kind."""
        core = self.hardware()
        if not hasattr(core, self.kind.keys):
            raise ValueError(f"{core.__name__} of scheme {self.name} is no core of kind {self.kind.name}")
        return core

    @property
    def title(self) -> str:
        return self.core.title

    @property
    def family(self) -> str:
        """Name of the skeleton of the core."""
        return self.core.family

    @property
    def broken(self) -> bool:
        """Whether the scheme must not protect data."""
        return self.status is Status.BROKEN

    def check_status(self, *, accept_broken: bool) -> None:
        """Raises UserError, with the reason, for a broken scheme that the user did not accept."""
        if self.broken and not accept_broken:
            raise UserError(f"{self.security} To use it nevertheless, give --accept-broken.")

    def make(self, parameters: Parameters) -> Any:
        """The exported component: the core, within the enclosing parts of the parameters."""
        return self.kind.enclosed(self, self.core(parameters))

    def under(self, parameters: Parameters, key: bytes) -> Any:
        """The specification of a core under ``key``. Raises UserError for a key that the scheme does not take."""
        bits = self.key_bits(parameters)
        if len(key) * 8 != bits:
            raise UserError(f"key must be {bits // 8} bytes, got {len(key)}")
        try:
            specification = self.specification(parameters, key)
        except ValueError as error:  # whatever else a scheme demands of its key
            raise UserError(str(error)) from None
        return _sealing(parameters, specification)

    def known_answers(self, parameters: Parameters) -> list[Any]:
        """Every known answer for a core of these parameters; maybe none."""
        file = self.sealed_answers if parameters.icv_bytes else self.answers
        if file is None:
            return []
        found = (
            self.kind.answer(self.core, parameters, group.source, a)
            for group in vectors.load(file)
            for a in group.vectors
            if self.holds(parameters, a)
        )
        bits = self.key_bits(parameters)
        return [answer for answer in found if answer and len(answer.key) * 8 == bits]


def _sealing(p: Any, specification: Any) -> Any:
    """The specification of sealed sectors for a core that seals, else the scheme's."""
    if p.stride:
        return Behind(specification, p.sector_bytes, p.stride)
    return Sealed(specification) if p.icv_bytes else specification


@dataclass(frozen=True)
class Preset:
    """A named core of a scheme.

    like: the preset of an equal architecture, with published rows that count here, too; or None
    """

    name: str
    scheme: Scheme
    parameters: Parameters
    like: str | None = None

    @property
    def width(self) -> int:
        """Bits of a beat of the data ports."""
        return self.scheme.kind.data_bits(self.parameters)

    @property
    def lanes(self) -> int | None:
        """AES pipelines; None for a core without such a parameter."""
        return getattr(self.parameters, "lanes", None)

    @property
    def summary(self) -> str:
        """One line on the core."""
        return self.scheme.summary(self.parameters)

    def changed(self, changes: Mapping[str, Any]) -> Parameters:
        """The parameters with ``changes``, given as values or as text.

        Raises UserError for an unknown parameter, for text that is not a value, and for an impossible mix.
        """
        if "icv_bytes" in changes and self.scheme.no_icv:
            raise UserError(f"icv_bytes is no parameter of {self.name}, which seals no sectors: {self.scheme.no_icv}")
        parameters = changed(self.name, self.parameters, changes)
        self.scheme.limits(parameters)
        return parameters


@contextmanager
def hooks_of(scheme: Scheme) -> Iterator[None]:
    """Turns a missing hook of the scheme's core into a UserError with the hook's name."""
    try:
        yield
    except NotImplementedError as error:
        last = list(walk_tb(error.__traceback__))[-1][0].f_code
        meaning = (inspect.getdoc(getattr(scheme.core, last.co_name, None)) or "").partition("\n")[0]
        raise UserError(
            f"scheme {scheme.name}: {scheme.core.__name__} must state the hook {last.co_qualname}: {meaning}"
        ) from error


def slot_keys(slots: int, unit: str) -> str:
    """ ", one of 256 keys for each sector"; nothing for a core of one key."""
    return f", one of {slots} keys for each {unit}" if slots else ""


def aes_cores(lanes: int) -> str:
    """ "one AES core", "two AES cores", .."""
    words = {1: "one AES core", 2: "two AES cores", 4: "four AES cores", 8: "eight AES cores"}
    return words[lanes]
