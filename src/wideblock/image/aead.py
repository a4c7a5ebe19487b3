# SPDX-License-Identifier: Apache-2.0
"""One message through an authenticated cipher: the compiled core, or the specification."""

from wideblock.drive.aead.caesar import AeadCore, segments
from wideblock.drive.aead.exchange import activation, encryption, exchange
from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.errors import UserError
from wideblock.export.contract import AeadContract
from wideblock.rtl.aead.words import Type
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.structures import PlayOutcome
from wideblock.spec.aead import Rejected

__all__ = ["ENGINES", "by_core", "check_lengths", "crypt", "longest"]

ENGINES = ("rtl", "spec")


def longest(core: AeadCore) -> int:
    """Bytes of the longest ciphertext with its tag."""
    behaviour = core.behaviour
    return behaviour.shape.enciphered(behaviour.longest(decrypt=True)) + behaviour.shape.tag


def crypt(
    core: AeadContract, key: bytes, npub: bytes, ad: bytes, given: bytes, *, decrypt: bool, engine: str = "rtl"
) -> bytes:
    """The ciphertext with a tag at the end, or the message of a ciphertext.

    Raises UserError for an invalid length, for an unknown engine, and for a ciphertext with a wrong tag.
    """
    if engine not in ENGINES:
        raise UserError(f"unknown engine {engine!r}; there are {', '.join(ENGINES)}")
    check_lengths(core, npub, ad, given, decrypt)
    specification = core.specification(key)
    try:
        if engine == "rtl":
            with AeadSimulation(core) as simulation:
                return by_core(simulation, key, npub, ad, given, decrypt=decrypt)
        return (specification.decrypt if decrypt else specification.encrypt)(npub, ad, given)
    except Rejected as error:
        raise UserError(str(error)) from None


def check_lengths(core: AeadCore, npub: bytes, ad: bytes, given: bytes, decrypt: bool) -> None:
    """Raises UserError for a length that the core does not take."""
    behaviour, shape = core.behaviour, core.behaviour.shape
    if len(npub) != shape.npub:
        raise UserError(f"nonce must be {shape.npub} bytes, got {len(npub)}")
    if decrypt and len(given) < shape.tag:
        raise UserError(f"a ciphertext has at least its tag of {shape.tag} bytes, got {len(given)}")
    if len(ad) > behaviour.longest_ad:
        raise UserError(_too_long("associated data", "ad_bytes", behaviour.longest_ad))
    if len(given) > (longest(core) if decrypt else behaviour.longest(decrypt=False)):
        raise UserError(_too_long("a message", "data_bytes", behaviour.longest(decrypt=decrypt)))


def _too_long(what: str, parameter: str, most: int) -> str:
    return f"{what} must be at most {most} bytes; --set {parameter}=N makes a core for more"


def by_core(simulation: AeadSimulation, key: bytes, npub: bytes, ad: bytes, given: bytes, *, decrypt: bool) -> bytes:
    """As :func:`crypt`, by a core in ``simulation``. Raises Rejected for a wrong tag."""
    core = simulation.core
    check_lengths(core, npub, ad, given, decrypt)
    api, shape = simulation.api, core.behaviour.shape
    wanted = 1  # a message that is rejected has a status alone, or a plaintext before it
    if decrypt:
        sent = exchange(api, "", api.decrypt(npub, ad, given))
        rejected = api.words(api.failed(bytes(len(given) - shape.tag)))
        wanted = len(rejected)
    else:
        sealed = bytes(shape.enciphered(len(given)) + shape.tag)
        sent = encryption(api, npub, ad, given, sealed)
        wanted = len(sent.right)
    played = simulation.play([activation(api, key), sent], wanted=wanted)
    if decrypt and len(played.out) == wanted and played.out[-1] == rejected[-1]:
        raise Rejected
    try:
        found = segments(played.out, api.word_bits)
        if played.outcome is PlayOutcome.DONE:
            return found[Type.PLAINTEXT] if decrypt else found[Type.CIPHERTEXT] + found[Type.TAG]
    except (KeyError, ValueError):
        pass
    raise SimulationError(f"{core.module} gives {len(played.out)} words for a message of {len(given)} bytes")
