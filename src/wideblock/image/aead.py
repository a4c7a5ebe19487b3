# SPDX-License-Identifier: Apache-2.0
"""One message through an authenticated cipher: its compiled core, or its specification."""

from wideblock.errors import UserError
from wideblock.export.caesar import CaesarFormat, segments, words
from wideblock.export.contract import Contract
from wideblock.rtl.aead.words import Type
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.structures import Outcome
from wideblock.spec.aead import Rejected
from wideblock.verify.aead.driver import AeadSimulation

__all__ = ["ENGINES", "crypt", "longest"]

ENGINES = ("rtl", "spec")


def longest(core: Contract) -> int:
    """Bytes of the longest ciphertext with its tag."""
    behaviour = core.behaviour
    return behaviour.shape.enciphered(behaviour.data_bytes) + behaviour.shape.tag


def crypt(
    core: Contract, key: bytes, npub: bytes, ad: bytes, given: bytes, *, decrypt: bool, engine: str = "rtl"
) -> bytes:
    """The ciphertext with its tag at the end, or the message of one.

    Raises UserError for a length that the core does not take, for an unknown engine, and for a ciphertext whose tag is
    wrong.
    """
    behaviour, shape = core.behaviour, core.behaviour.shape
    if engine not in ENGINES:
        raise UserError(f"unknown engine {engine!r}; there are {', '.join(ENGINES)}")
    if len(npub) != shape.npub:
        raise UserError(f"nonce must be {shape.npub} bytes, got {len(npub)}")
    if decrypt and len(given) < shape.tag:
        raise UserError(f"a ciphertext has at least its tag of {shape.tag} bytes, got {len(given)}")
    if len(ad) > behaviour.ad_bytes:
        raise UserError(_too_long("associated data", "ad_bytes", behaviour.ad_bytes))
    if len(given) > (longest(core) if decrypt else behaviour.data_bytes):
        raise UserError(_too_long("a message", "data_bytes", behaviour.data_bytes))
    specification = core.specification(key)
    if engine == "rtl":
        return _by_core(core, key, npub, ad, given, decrypt)
    try:
        return (specification.decrypt if decrypt else specification.encrypt)(npub, ad, given)
    except Rejected as error:
        raise UserError(str(error)) from None


def _too_long(what: str, parameter: str, most: int) -> str:
    return f"{what} must be at most {most} bytes; --set {parameter}=N makes a core for more"


def _by_core(core: Contract, key: bytes, npub: bytes, ad: bytes, given: bytes, decrypt: bool) -> bytes:
    """The same by the compiled core."""
    api, shape = CaesarFormat(core.parameters.word_bits), core.behaviour.shape
    wanted = 1  # a message that is rejected has a status alone
    if decrypt:
        pdi = api.decrypt(npub, ad, *shape.parts(given))
    else:
        pdi = api.encrypt(npub, ad, given)
        body = bytes(shape.enciphered(len(given)))
        wanted = len(words(api.encrypted(shape, len(given), body, bytes(shape.tag)), api.word_bits))
    with AeadSimulation(core) as simulation:
        played = simulation.play(
            words([*api.activate_key(), *pdi], api.word_bits), words(api.load_key(key), api.word_bits), wanted=wanted
        )
    if decrypt and played.out == words(api.failed(), api.word_bits):
        raise UserError(str(Rejected()))
    try:
        found = segments(played.out, api.word_bits)
        if played.outcome is Outcome.DONE:
            return found[Type.PLAINTEXT] if decrypt else found[Type.CIPHERTEXT] + found[Type.TAG]
    except (KeyError, ValueError):
        pass
    raise SimulationError(f"{core.module} gives {len(played.out)} words for a message of {len(given)} bytes")
