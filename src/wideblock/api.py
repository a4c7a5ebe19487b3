# SPDX-License-Identifier: Apache-2.0
"""The Python API: cores by their presets, and measured results. ``import wideblock`` offers these names.

Bytes in and bytes out; sizes are bytes, times are clock cycles. A wrong request raises :class:`UserError`.
"""

import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from wideblock import catalog
from wideblock.catalog.kinds import AEAD, SECTOR
from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.drive.sector.engine import simulated
from wideblock.drive.sector.shape import check_sector, check_tweak, shape
from wideblock.drive.sector.simulation import StatedForged
from wideblock.errors import UserError
from wideblock.evaluate import compare as comparison
from wideblock.evaluate.measured import measured
from wideblock.evaluate.store import COMMITTED, current, load, own, typical
from wideblock.evaluate.tables import of_core, section
from wideblock.export.contract import AeadContract, Contract, SectorContract, contract
from wideblock.export.directory import generate
from wideblock.image import aead
from wideblock.native.twin import Twin
from wideblock.records import Records
from wideblock.simulation.commands import BuildError
from wideblock.spec.aead import Rejected
from wideblock.spec.sealed import Forged
from wideblock.verify.core.report import Report
from wideblock.verify.suites import suite_of

__all__ = ["ConfiguredCore", "Records", "Report", "UserError", "compare", "preset", "presets", "results", "schemes"]
__all__ += ["BuildError", "Forged", "Rejected"]
__all__ += ["NativeCipher", "SimulatedCipher", "SimulatedMode", "SpecifiedCipher", "SpecifiedMode"]


@dataclass(frozen=True, repr=False)
class ConfiguredCore:
    """A preset with its parameters, and everything made from them. Made by :func:`preset`.

    A value: cores of the same preset, changes and name are equal, hash alike, and can be copied and pickled.

    contract: parameters, ports, behaviour and cycle contract, see :class:`~wideblock.export.contract.Contract`
    """

    contract: Contract[Any, Any]

    def __repr__(self) -> str:
        changes = ", ".join(f"{name}={value!r}" for name, value in self.contract.changed)
        name = f".named({self.contract.called!r})" if self.contract.called else ""
        return f"preset({self.contract.name!r}){f'.changed({changes})' if changes else ''}{name}"

    def _repr_html_(self) -> str:
        """Parameters and cycles, as a notebook shows a value."""
        rows = {**self.parameters, **{f"{name}, cycles": cycles for name, cycles in self.cycles.items()}}
        return Records(("core", self.name), tuple(rows.items()))._repr_html_()

    @property
    def name(self) -> str:
        """Name of the Verilog module: the preset and its changes."""
        return self.contract.module

    @property
    def parameters(self) -> dict[str, Any]:
        """The scheme and the parameters, by name."""
        return self.contract.settings

    @property
    def cycles(self) -> dict[str, int]:
        """The cycle contract, figure by figure."""
        return {figure.name: figure.cycles for figure in self.contract.timing.figures()}

    @property
    def security(self) -> str:
        """Limits of the scheme's protection, with their source."""
        return self.contract.security

    def changed(self, **parameters: Any) -> "ConfiguredCore":
        """The core with other parameters, such as ``sector_bytes=512`` or ``sector_bytes="4k"``.

        Raises UserError for an unknown parameter and for a mix that no core can have.
        """
        return ConfiguredCore(contract(self.contract.name, {**dict(self.contract.changed), **parameters}))

    def named(self, module: str) -> "ConfiguredCore":
        """The core with another name for its module. Raises UserError for a name that Verilog does not take."""
        return ConfiguredCore(replace(self.contract, called=module))

    def verilog(self) -> str:
        """The Verilog file, as ``wideblock generate`` writes it; seconds at the first call."""
        return self.contract.verilog

    def generate(self, directory: Path | str, *, force: bool = False, accept_broken: bool = False) -> list[Path]:
        """Writes Verilog, test bench, datasheet and tool files into ``directory``; returns their paths.

        Raises FileExistsError for a directory that is not empty, unless ``force``; UserError for a broken scheme,
        unless ``accept_broken``.
        """
        table = section(self.contract, load(COMMITTED))
        return generate(self.contract, Path(directory), force=force, measured=table, accept_broken=accept_broken)

    def specification(self, key: bytes) -> "SpecifiedCipher | SpecifiedMode":
        """The scheme under ``key``: ``encrypt(tweak, sector)`` and ``decrypt``, or ``encrypt(nonce, ad, message)``.

        Lengths are those that the core takes. Raises UserError for a key that the scheme does not take.
        """
        kind = SpecifiedMode if self.contract.kind is AEAD else SpecifiedCipher
        return kind(cast(Any, self.contract), _octets("key", key))

    def simulate(self, key: bytes) -> "SimulatedCipher | SimulatedMode":
        """The compiled Verilog under ``key``, with the methods of the specification; half a minute at the first call.

        A context manager: leaving it ends the model. Raises UserError for a wrong key, BuildError without a compiler.
        """
        kind = SimulatedMode if self.contract.kind is AEAD else SimulatedCipher
        return kind(cast(Any, self.contract), _octets("key", key))

    def native(self, key: bytes) -> "NativeCipher":
        """The scheme under ``key`` in the native library, for buffers of many sectors; seconds at the very first call.

        Raises UserError for a wrong key and for a scheme that the library does not have, BuildError without a compiler.
        """
        return NativeCipher(self.contract.expect(SECTOR), _octets("key", key))

    def verify(
        self,
        *,
        sectors: int = 256,
        seed: int = 0,
        checks: Iterable[str] | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Report:
        """The report of the simulation checks, or of those named, up to the first that fails.

        sectors:  random sectors or messages          seed: of all random stimulus
        progress: called with (check, done, total)
        """
        core, sectors, seed = self.contract, _whole("sectors", sectors, 1 << 32), _whole("seed", seed, 1 << 64)
        named = None if checks is None else list(checks)
        if named == []:
            raise UserError("checks must name at least one; leave it out for all")
        return suite_of(core).verify(
            core, amount=sectors, seed=seed, vectors=core.known_answers, checks=named, progress=progress
        )

    def results(self, store: Path | str | None = None) -> Records:
        """Measured points of this core, one a target; ``store`` as in :func:`results`."""
        return measured(of_core(self.contract, load(COMMITTED if store is None else store)))


def _octets(name: str, value: Any) -> bytes:
    """The bytes of ``value``, which may be an array of them. Raises UserError for another object."""
    try:
        view = memoryview(value)
    except TypeError:
        raise UserError(f"{name} must be bytes, got {type(value).__name__}") from None
    if view.itemsize != 1:
        raise UserError(f"{name} must be bytes, got items of {view.itemsize} bytes")
    return view.tobytes()


def _taken(core: SectorContract, tweak: bytes, sector: bytes, beside: int = 0) -> tuple[bytes, bytes]:
    """Tweak and sector, with ``beside`` bytes of an ICV behind it. Raises UserError for a length that is wrong."""
    tweak, sector = _octets("tweak", tweak), _octets("sector", sector)
    try:
        check_sector(core, len(sector) - beside)
        check_tweak(core, len(tweak))
    except ValueError as error:
        raise UserError(f"{error}{f', and {beside} of its ICV behind it' if beside else ''}") from None
    return tweak, sector


class SpecifiedCipher:
    """The specification of a sector core under one key, for the lengths that the core takes."""

    def __init__(self, core: SectorContract, key: bytes):
        self._core, self._scheme = core, core.specification(key)

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector enciphered, and its ICV behind it if the core seals sectors. Raises UserError for a length that
        the core does not take.
        """
        return self._scheme.encrypt(*_taken(self._core, tweak, sector))

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector deciphered, given with its ICV behind it if the core seals sectors; as :meth:`encrypt`.

        Raises Forged for a sector that was not sealed under this key and tweak.
        """
        return self._scheme.decrypt(*_taken(self._core, tweak, sector, beside=shape(self._core).icv_bytes))


class NativeCipher(SpecifiedCipher):
    """A sector scheme under a key in the native library, in both directions; any number of threads may use it.

    A context manager: leaving it wipes the key's values. Sectors are of the core's size; a single sector has any
    length that the core takes.
    """

    def __init__(self, core: SectorContract, key: bytes):
        core.specification(key)  # raises UserError for a wrong key
        if core.parameters.icv_bytes:
            raise UserError(f"{core.module} seals sectors; leave out icv_bytes, or give the image and --icv to encrypt")
        self._core, self._scheme = core, Twin(core.native, key)

    def encrypt_sectors(
        self, sectors: Any, *, first: int = 0, tweaks: Any = None, out: Any = None, threads: int = 1
    ) -> Any:
        """Enciphers sectors that stand back to back; returns ``out``, or a new bytearray where it is None.

        sectors: a buffer of bytes, such as bytes, a memoryview, an array of NumPy
        first:   number of the first sector; the tweaks are the sectors' numbers, little-endian, unless
        tweaks:  a buffer of tweaks, back to back
        out:     a buffer of as many bytes that can be written; ``sectors`` itself: in place
        threads: the most that work
        Raises UserError for a buffer of another size or form, and for a number that does not fit the tweak.
        """
        return self._all(sectors, first, tweaks, out, threads, False)

    def decrypt_sectors(
        self, sectors: Any, *, first: int = 0, tweaks: Any = None, out: Any = None, threads: int = 1
    ) -> Any:
        """Deciphers sectors; as :meth:`encrypt_sectors`."""
        return self._all(sectors, first, tweaks, out, threads, True)

    def _all(self, sectors: Any, first: int, tweaks: Any, out: Any, threads: int, decrypt: bool) -> Any:
        first, threads = _whole("first", first, 1 << 128), _whole("threads", threads, 1 << 32)
        size, tweak_bytes = self._core.behaviour.length.usual, shape(self._core).tweak_bytes
        given = _rows("sectors", sectors, size)
        result = bytearray(given.nbytes) if out is None else out
        written = _rows("out", result, size)
        if not written.flags.writeable:
            raise UserError(f"out must be a buffer that can be written, got {type(out).__name__}")
        try:
            if tweaks is None:
                self._scheme.crypt_numbered(given, first, decrypt, tweak_bytes, threads, written)
            else:
                self._scheme.crypt(given, _rows("tweaks", tweaks, tweak_bytes), decrypt, threads, written)
        except ValueError as error:
            raise UserError(str(error)) from None
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._scheme.close()


def _whole(name: str, value: Any, end: int) -> int:
    """The number. Raises UserError for another object, and for a number out of range."""
    with suppress(TypeError):
        if 0 <= (number := operator.index(value)) < end:
            return number
    raise UserError(f"{name} must be a number of 0 to 2^{end.bit_length() - 1} - 1, got {value!r}")


def _rows(name: str, value: Any, size: int) -> NDArray[np.uint8]:
    """The buffer itself as rows of ``size`` bytes. Raises UserError for another object and for bytes that are left."""
    try:
        view = memoryview(value)
        view = view.cast("B") if view.nbytes else memoryview(bytearray())  # a shape with a 0 has no cast
    except TypeError:
        kind = type(value).__name__
        raise UserError(f"{name} must be a buffer of bytes without gaps, got {kind}") from None
    if view.nbytes % size:
        raise UserError(f"{name} must be a multiple of {size} bytes, got {view.nbytes}")
    return np.frombuffer(view, np.uint8).reshape(-1, size)


class SpecifiedMode:
    """The specification of an authenticated cipher under one key, for the lengths that the core takes."""

    def __init__(self, core: AeadContract, key: bytes):
        self._core, self._scheme = core, core.specification(key)

    def encrypt(self, nonce: bytes, ad: bytes, message: bytes) -> bytes:
        """The ciphertext with its tag at the end. Raises UserError for a length that the core does not take."""
        return self._scheme.encrypt(*self._taken(nonce, ad, message, False))

    def decrypt(self, nonce: bytes, ad: bytes, sealed: bytes) -> bytes:
        """The message of ciphertext and tag. Raises Rejected for a wrong tag, UserError as :meth:`encrypt`."""
        return self._scheme.decrypt(*self._taken(nonce, ad, sealed, True))

    def _taken(self, nonce: bytes, ad: bytes, given: bytes, decrypt: bool) -> tuple[bytes, bytes, bytes]:
        nonce, ad, given = _octets("nonce", nonce), _octets("ad", ad), _octets("message", given)
        aead.check_lengths(self._core, nonce, ad, given, decrypt)
        return nonce, ad, given


class _Simulated:
    """A model in simulation, of one thread at a time, until it is closed."""

    def __init__(self, model: Any):
        self.model, self._turn, self._ended = model, Lock(), None

    @property
    def cycles(self) -> int:
        """Clock cycles so far, with the reset and a key's load."""
        return self.model.cycle if self._ended is None else self._ended

    @contextmanager
    def _running(self) -> Iterator[None]:
        with self._turn:
            if self._ended is not None:
                raise UserError("the simulation is closed; begin another")
            yield

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._turn:
            self._ended = self.cycles
            self.model.close()


class SimulatedCipher(_Simulated):
    """A sector core in simulation under one key: the methods of its specification, and the cycles that they took."""

    def __init__(self, core: SectorContract, key: bytes):
        core.specification(key)  # raises UserError for a wrong key
        super().__init__(simulated(core))
        self._core = core
        self.model.load_key(key)

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector enciphered by the core, and its ICV behind it if the core seals sectors. Raises UserError for a
        length or a direction that it does not take.
        """
        return self._through(tweak, sector, False)

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector deciphered by the core; as :meth:`encrypt`, and as :meth:`SpecifiedCipher.decrypt`."""
        return self._through(tweak, sector, True)

    def _through(self, tweak: bytes, sector: bytes, decrypt: bool) -> bytes:
        if decrypt not in self._core.behaviour.directions:
            raise UserError(f"{self._core.module} does not {'decrypt' if decrypt else 'encrypt'}")
        beside = self.model.shape.icv_bytes
        tweak, given = _taken(self._core, tweak, sector, beside if decrypt else 0)
        size = len(given) - beside * decrypt
        try:
            with self._running():
                record = self.model.run([given[:size]], [tweak], decrypt, [given[size:]])
        except StatedForged:
            raise Forged from None
        return record.out.tobytes()[:size] + (b"" if decrypt else record.out_icvs[-1].tobytes())


class SimulatedMode(_Simulated):
    """An authenticated cipher in simulation under one key: the methods of its specification."""

    def __init__(self, core: AeadContract, key: bytes):
        core.specification(key)  # raises UserError for a wrong key
        super().__init__(AeadSimulation(core))
        self._key = key

    def encrypt(self, nonce: bytes, ad: bytes, message: bytes) -> bytes:
        """The ciphertext with its tag at the end. Raises UserError for a length that the core does not take."""
        return self._through(nonce, ad, message, False)

    def decrypt(self, nonce: bytes, ad: bytes, sealed: bytes) -> bytes:
        """The message of ciphertext and tag. Raises Rejected for a wrong tag, as the specification does."""
        return self._through(nonce, ad, sealed, True)

    def _through(self, nonce: bytes, ad: bytes, given: bytes, decrypt: bool) -> bytes:
        nonce, ad, given = _octets("nonce", nonce), _octets("ad", ad), _octets("message", given)
        with self._running():
            return aead.by_core(self.model, self._key, nonce, ad, given, decrypt=decrypt)


def preset(name: str) -> ConfiguredCore:
    """The core of preset ``name``. Raises UserError, with similar names, if there is none."""
    return ConfiguredCore(contract(name))


def presets(*, scheme: str | None = None, width: int | None = None, status: str | None = None) -> Records:
    """Presets, one a row: all, or those of a scheme, a width of the data ports in bits, a status.

    Raises UserError for a scheme, width or status that no preset has.
    """
    return Records.of(catalog.described(each) for each in catalog.select(scheme=scheme, width=width, status=status))


def schemes() -> Records:
    """Schemes, one a row: family, status and security statement."""
    rows = catalog.SCHEMES.values()
    return Records.of(
        {"scheme": s.name, "title": s.title, "family": s.family, "status": s.status.value, "security": s.security}
        for s in rows
    )


def results(store: Path | str | None = None, *, every: bool = False) -> Records:
    """Measured points: one for each core and target.

    store: file of measured points, None for the package's
    every: all options of the tools and all placer seeds, too
    Columns: :func:`wideblock.evaluate.measured.measured`. Raises UserError for a file that is no store.
    """
    points = own(load(COMMITTED if store is None else store))
    return measured(current(points) if every else typical(points))


def compare(*names: str, store: Path | str | None = None) -> Records:
    """Published rows beside ours, for presets and parts, or for all; see :func:`wideblock.evaluate.compare.records`.

    store: as in :func:`results`
    """
    cores = [catalog.preset_or_part(name).name for name in names]
    return comparison.records(comparison.compare(cores, load(COMMITTED if store is None else store)))
