# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of an authenticated cipher, measured at the ports of its running model."""

from dataclasses import dataclass
from random import Random

from wideblock.drive.aead.exchange import Exchange, activation, decryption, encryption, exchange, failing
from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.drive.core import zeroize_at
from wideblock.errors import UserError
from wideblock.export.contract import AeadContract
from wideblock.simulation.bench import SimulationError

__all__ = ["MeasuredMessages", "MessageCycles", "clearing", "measure", "message"]


@dataclass(frozen=True)
class MeasuredMessages:
    """Cycles seen at the ports; the same meaning as the figures of :class:`AeadTiming`.

    interval: the last block of the longest message of whole blocks
    """

    activation: int
    encryption: int
    decryption: int
    interval: int
    zeroize: int


@dataclass(frozen=True)
class MessageCycles:
    """Cycles of a key's activation, of a message right behind, and of the message once more."""

    activation: int
    first: int
    again: int


def message(simulation: AeadSimulation, keyed: Exchange, sent: Exchange) -> MessageCycles:
    """Cycles of an activation and twice the same message, after a reset, without pauses and stalls.

    Raises :class:`SimulationError` if not all their words are accepted, or not as many leave as should.
    """
    simulation.reset()
    played = simulation.play([keyed, sent, sent])
    if played.out != [*sent.right, *sent.right]:
        raise SimulationError(
            f"{simulation.core.module}: {sent.about} gives {len(played.out)} words, not the right ones"
        )
    start, once = len(keyed.pdi), len(keyed.pdi) + len(sent.pdi)
    pdi, left = played.accepted["pdi"], played.left
    return MessageCycles(pdi[start] - pdi[0], left[len(sent.right) - 1] - pdi[start], left[-1] - pdi[once])


def clearing(simulation: AeadSimulation) -> int:
    """Cycles from ``zeroize``, in an idle core, to the first word that is accepted."""
    behaviour, api = simulation.core.behaviour, simulation.api
    fails = failing(api, exchange(api, "a message", api.encrypt(bytes(api.shape.npub), b"", b"")), "no key")
    simulation.reset()
    simulation.play([], limit=2 * behaviour.timing.zeroize)
    played = simulation.play([fails], events=[zeroize_at(0)], after=1)
    if played.out != [*fails.right]:
        raise SimulationError(f"{simulation.core.module}: a message without a key does not fail after zeroize")
    return played.accepted["pdi"][0]


def measure(
    core: AeadContract, *, seed: int = 0, simulation: AeadSimulation | None = None
) -> dict[str, MeasuredMessages]:
    """Cycles of ``core`` in simulation. Raises UserError for a core whose messages are too short for an interval."""
    owned = simulation is None
    simulation = simulation or AeadSimulation(core)
    try:
        return {"measured": _measure(core, simulation, Random(seed))}
    finally:
        if owned:
            simulation.close()


def _measure(core: AeadContract, simulation: AeadSimulation, rng: Random) -> MeasuredMessages:
    api, shape = simulation.api, core.behaviour.shape
    blocks = (core.timing.segment or core.behaviour.data_bytes) // shape.block
    if blocks < 2:
        raise UserError(f"the interval needs data_bytes of at least {2 * shape.block}, got {core.behaviour.data_bytes}")
    key, npub = rng.randbytes(shape.key), rng.randbytes(shape.npub)
    keyed, spec = activation(api, key), core.specification(key)

    def cycles(n: int, decrypt: bool = False) -> MessageCycles:
        P = rng.randbytes(n * shape.block)
        C = spec.encrypt(npub, b"", P)
        sent = decryption(api, npub, b"", C, P) if decrypt else encryption(api, npub, b"", P, C)
        return message(simulation, keyed, sent)

    one = cycles(1)
    interval = cycles(blocks).again - cycles(blocks - 1).again
    return MeasuredMessages(one.activation, one.again, cycles(1, True).again, interval, clearing(simulation))
