# SPDX-License-Identifier: Apache-2.0
"""The check of a core's whole state after zeroize: every register and memory, as the model holds them."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import translate

from wideblock.simulation.bench import State
from wideblock.verify.aead.check import AeadCheck
from wideblock.verify.core.check import Clear, clears, differing, needs_state
from wideblock.verify.core.report import Finding, failed, passed

__all__ = ["no_plaintext_after_a_wrong_tag", "state_after_a_message", "state_after_zeroize"]

RESULTS = (r"core\.buffer\.words",)
"""Name of the memory of results that may leave, with the output register. With ``release=at-once`` results of a
rejected message have left, too, and remain.
"""

Messages = Sequence[tuple[int, int, bool]]
"""Lengths and directions of messages: all that the state after zeroize may depend on."""

WINDOW = 4
"""Bytes of plaintext that are searched for."""


def life(check: AeadCheck, messages: Messages, moment: int, clear: Clear) -> State:
    """The state of a new instance after a random key, messages of these lengths, and a clear in cycle ``moment``."""
    with check.fresh() as core:
        keyed, spec = check.key()
        exchanges = [keyed, *(check.plain(spec, ad, size, decrypt) for ad, size, decrypt in messages)]
        check.words(exchanges, events=list(clear.events), limit=moment + clear.cycles + 1)
        return core.simulation.save()


@needs_state
def state_after_zeroize(check: AeadCheck) -> Finding:
    """The state after zeroize, a pulse or a level, is equal for any two keys, nonces and texts of equal lengths.

    The place of the inputs inside a message may show, which follows from the lengths.
    """
    t, kinds = check.subject.timing, check.behaviour.classes
    start, moments, size = t.zeroize + t.activation, list[tuple[int, Messages]](), 0
    for kind in kinds:
        for way in (False, True):
            ad, data = check.of(kind)
            messages = [(ad, data, way), (*check.of(kind), not way)]
            cycles = t.message(ad, data, decrypt=way, activated=True)
            moments += [(start + check.number(0, cycles), messages) for _ in range(max(2, check.few(24) // 6))]
    moments += [(moment, moments[0][1]) for moment in range(t.zeroize, start)]  # a key is in its loader for a few alone
    for number, (moment, messages) in enumerate(moments):
        for clear in clears(moment, t.zeroize)[: 3 if number % 8 == 0 else 1]:
            one, other = (life(check, messages, moment, clear) for _ in range(2))
            size = sum(map(len, one.values()))
            if one != other:
                return failed(
                    f"After {clear.name} in cycle {moment}, and under another key, the core holds other values of "
                    f"{differing(one, other)}."
                )
    names = ", ".join(kind.name for kind in kinds)
    return passed(f"{size} bytes of state, the same after zeroize at {len(moments)} moments, of messages of {names}")


@needs_state
def state_after_a_message(check: AeadCheck) -> Finding:
    """After a message, right or rejected, nothing is left except accepted results and values declared to remain.

    Two lives under a common key have messages of equal lengths, with different nonces and texts.
    """
    most = check.behaviour
    declared = [translate(f"core.cipher.{pattern}") for pattern in most.remains]
    held = check.simulation.simulation.save()
    for pattern, given in zip(most.remains, declared, strict=True):
        if not any(_is(name, [given]) for name in held):
            return failed(f"{pattern} is declared to keep values, but is no register or memory of the cipher.")
    keyed, spec = check.key()
    sizes = [check.of(kind) for kind in most.classes]
    ways = {"an encryption": (False, False), "a decryption": (True, False), "a rejected message": (True, True)}
    for ad, size in sizes:
        for way, (decrypt, wrong) in ways.items():
            left = []
            for _ in range(2):
                with check.fresh(1) as core:
                    found = check.play([keyed, check.plain(spec, ad, size, decrypt, wrong=wrong)])
                    left.append(core.simulation.save())
                if found:
                    return failed(found)
            gone = wrong and not most.at_once
            one, other = (_without(state, declared if gone else [*declared, *RESULTS]) for state in left)
            if one != other:
                names = differing(one, other)
                return failed(f"After {way} of {size} bytes the core holds values of it in {names}.")
    remain = ", ".join(most.remains) or "nothing"
    return passed(f"both ways and rejected, {len(sizes)} pairs of lengths; may remain: {remain}")


def _without(state: State, patterns: Iterable[str]) -> State:
    """The state without the registers and memories of these names."""
    return {name: value for name, value in state.items() if not _is(name, patterns)}


def _is(name: str, patterns: Iterable[str]) -> bool:
    """True for a register or memory with a given name, in a core alone or inside another module.

    A memory is an instance: the name stands for rows and output register.
    """
    owner = name.rpartition(".")[0]
    return any(re.fullmatch(rf"(?:\w+\.)?(?:{each})", known) for each in patterns for known in (name, owner))


@needs_state
def no_plaintext_after_a_wrong_tag(check: AeadCheck) -> Finding:
    """After FAILURE no register and no memory holds four bytes of the message that was decrypted.

    With ``release=at-once``: none but accepted results. The message is random: four of its bytes are in an
    unrelated state with a probability of about 2^-20.
    """
    api, shape, sizes = check.api, check.shape, [1, 2, 3, check.behaviour.data_bytes // check.shape.block]
    for blocks in sizes:
        keyed, spec = check.key()
        npub, P = check.random(shape.npub), check.random(min(blocks * shape.block, check.behaviour.data_bytes))
        sealed = spec.encrypt(npub, b"", P)
        wrong = sealed[:-1] + bytes([sealed[-1] ^ 1])
        if found := check.play([keyed, check.forged(api, spec, npub, b"", wrong)]):
            return failed(found)
        parts = [P[at : at + WINDOW] for at in range(0, len(P) - WINDOW + 1, WINDOW)]
        state = _without(check.simulation.simulation.save(), RESULTS if check.behaviour.at_once else ())
        for name, value in state.items():
            if any(part in value or part[::-1] in value for part in parts):
                return failed(
                    f"After a message of {len(P)} bytes whose tag is wrong, {name} holds some of its plaintext."
                )
    return passed(f"no four bytes of a message in the state after FAILURE, for messages of up to {len(P)} bytes")
