# SPDX-License-Identifier: Apache-2.0
"""A published attack on a scheme, run against its core in simulation."""

from dataclasses import dataclass

import numpy as np

from wideblock.catalog import Attack
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.errors import UserError
from wideblock.simulation.bench import SimulationError

__all__ = ["AttackOutcome", "Query", "run"]


@dataclass(frozen=True)
class Query:
    """A sector chosen by an attack, and the core's result."""

    decrypt: bool
    tweak: bytes
    sector: bytes
    result: bytes


@dataclass(frozen=True)
class AttackOutcome:
    """The ``queries`` of an attack on ``ciphertext`` under ``tweak``, and the part of ``plaintext`` ``recovered``."""

    tweak: bytes
    ciphertext: bytes
    plaintext: bytes
    queries: tuple[Query, ...]
    recovered: bytes

    @property
    def right(self) -> bool:
        """Whether something is recovered and equals the beginning of the plaintext."""
        return bool(self.recovered) and self.plaintext.startswith(self.recovered)


def run(simulation: SectorSimulation, attack: Attack, *, seed: int = 0) -> AttackOutcome:
    """Runs ``attack`` on a sector of the core, under key, tweak and plaintext chosen by ``seed``.

    The attack sees the tweak and the ciphertext, and has sectors enciphered and deciphered by the core, but not the
    sector itself deciphered under its tweak. Raises UserError for a core of a single direction, and for a sector too
    short for the attack; SimulationError if the attack asks for the attacked sector, or the core does not answer.
    """
    core, rng = simulation.core, np.random.default_rng(seed)
    if len(core.behaviour.directions) != 2:
        raise UserError(f"{core.module} has one direction; an attack needs both")
    simulation.load_key(rng.bytes(simulation.shape.key_bytes))
    tweak, plaintext = rng.bytes(simulation.shape.tweak_bytes), rng.bytes(core.behaviour.usual)
    ciphertext = _answer(simulation, tweak, plaintext, decrypt=False)
    queries: list[Query] = []

    def ask(tweak_asked: bytes, sector: bytes, *, decrypt: bool) -> bytes:
        if decrypt and (tweak_asked, sector) == (tweak, ciphertext):
            raise SimulationError("the attack asked for the sector that it is to recover")
        result = _answer(simulation, tweak_asked, sector, decrypt=decrypt)
        queries.append(Query(decrypt, tweak_asked, sector, result))
        return result

    try:
        recovered = attack.recover(
            lambda tweak, sector: ask(tweak, sector, decrypt=False),
            lambda tweak, sector: ask(tweak, sector, decrypt=True),
            tweak,
            ciphertext,
        )
    except ValueError as error:  # the attack's own demand on the sector
        raise UserError(str(error)) from None
    return AttackOutcome(tweak, ciphertext, plaintext, tuple(queries), recovered)


def _answer(simulation: SectorSimulation, tweak: bytes, sector: bytes, *, decrypt: bool) -> bytes:
    return simulation.run([sector], [tweak], decrypt).sectors[0].tobytes()
