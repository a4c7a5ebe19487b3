# SPDX-License-Identifier: Apache-2.0
"""One message through an authenticated cipher: its compiled core, or its specification."""

from wideblock.errors import UserError
from wideblock.export.caesar import CaesarFormat, words
from wideblock.export.contract import Contract
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.structures import Outcome
from wideblock.spec.aead import Rejected
from wideblock.verify.aead.driver import AeadSimulation

__all__ = ["ENGINES", "crypt"]

ENGINES = ("rtl", "spec")


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
    for name, size, most in (
        ("associated data", len(ad), behaviour.ad_bytes),
        ("message", len(given) - shape.tag * decrypt, behaviour.data_bytes),
    ):
        if size > most:
            raise UserError(f"{name} must be at most {most} bytes, got {size}")
    specification = core.specification(key)
    if engine == "rtl":
        return _by_core(core, key, npub, ad, given, decrypt)
    try:
        return (specification.decrypt if decrypt else specification.encrypt)(npub, ad, given)
    except Rejected as error:
        raise UserError(str(error)) from None


def _by_core(core: Contract, key: bytes, npub: bytes, ad: bytes, given: bytes, decrypt: bool) -> bytes:
    """The same by the compiled core."""
    api, tag = CaesarFormat(core.parameters.word_bits), core.behaviour.shape.tag
    at = len(given) - tag
    pdi = api.decrypt(npub, ad, given[:at], given[at:]) if decrypt else api.encrypt(npub, ad, given)
    size = at if decrypt else len(given)
    likely = api.decrypted(bytes(size)) if decrypt else api.encrypted(bytes(size), bytes(tag))
    wanted = 1 if decrypt else len(words(likely, api.word_bits))  # a message that is rejected has a status alone
    with AeadSimulation(core) as simulation:
        played = simulation.play(
            words([*api.activate_key(), *pdi], api.word_bits), words(api.load_key(key), api.word_bits), wanted=wanted
        )
    if decrypt and played.out == words(api.failed(), api.word_bits):
        raise UserError(str(Rejected()))
    data = b"".join(word.to_bytes(api.word_bits // 8, "big") for word in played.out)
    step = api.word_bits // 8
    padded = -(-size // step) * step
    if played.outcome is not Outcome.DONE or len(played.out) != len(words(likely, api.word_bits)):
        raise SimulationError(f"{core.module} gives {len(played.out)} words for a message of {size} bytes")
    text = data[step : step + size]
    return text if decrypt else text + data[step + padded + step :][:tag]
