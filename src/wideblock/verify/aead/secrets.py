# SPDX-License-Identifier: Apache-2.0
"""The check that no port of an authenticated cipher shows a secret, in any cycle."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

from wideblock.drive.aead.exchange import Exchange, activation, decryption, encryption
from wideblock.drive.aead.simulation import AeadSimulation, PlayedMessages
from wideblock.drive.core import zeroize_at
from wideblock.simulation.script import NEVER, Record
from wideblock.verify.aead.check import AeadCheck
from wideblock.verify.core.report import Finding
from wideblock.verify.core.secrets import (
    PACES,
    TAIL,
    SecretsPlan,
    inputs,
    moments,
    random_event,
    secrets_on_ports,
    watched,
)
from wideblock.verify.core.twins import Play, Secret

__all__ = ["secrets"]


class Way(Enum):
    """The message of a plan: encrypted, decrypted, or decrypted with a wrong bit."""

    ENCRYPTED = "encrypted"
    DECRYPTED = "decrypted"
    REJECTED = "rejected"


@dataclass(frozen=True)
class _Message:
    """Lengths in bytes, and for a message to be rejected the place of its wrong bit, from 0 to 1."""

    ad: int
    size: int
    way: Way
    wrong: float = 0.0


@dataclass(frozen=True)
class _Plan(SecretsPlan):
    """A play but for its secrets: messages under a key each."""

    keys: Sequence[Sequence[_Message]]

    def __str__(self) -> str:
        messages = ", then ".join(
            f"{m.size} bytes {m.way.value}, {m.ad} of associated data" for key in self.keys for m in key
        )
        return f"{messages}; words were offered with chance {self.offer:g} and taken with chance {self.take:g}"


def secrets(check: AeadCheck) -> Finding:
    """No port shows a key, a derived value, an input, or a message before the verdict, in any cycle.

    Whether a word is valid makes no difference. Values are the named values of the specification: round keys, hash keys
    and their powers, masks, the key stream. Four of their bytes, in any of the four readings of a block, are enough. A
    message that is rejected must never be shown; with ``release=at-once`` plaintext is no secret. Ports that
    carry no data must not depend on secrets at all. Zeroize comes in the cycles of an activation and of a message; then
    random messages with pauses, new keys, resets and zeroize.
    """
    sweep = list(_sweep(check))
    random = [_random(check, n) for n in range(check.few(12))]
    return secrets_on_ports(check, "word", sweep, random, partial(_draw, check), "of messages")


def _message(check: AeadCheck, way: Way) -> _Message:
    """A message of random lengths, of a few blocks at most."""
    most, few = check.behaviour, 3 * check.shape.block
    lengths = check.size(min(few, most.longest_ad)), check.size(min(few, most.longest(decrypt=True)))
    return _Message(*lengths, way, float(check.rng.random()))


def _sweep(check: AeadCheck) -> Iterator[_Plan]:
    """Zeroize in each cycle of an activation and of a message behind, or in some cycles, evenly spread.

    The messages are of each class of lengths, in every way.
    """
    t, kinds = check.subject.timing, check.behaviour.classes
    for way, kind in ((way, kind) for way in Way for kind in kinds):
        message = _Message(*check.of(kind), way, 0.999)
        decrypt = way is not Way.ENCRYPTED
        cycles = t.activation + t.message(message.ad, message.size, decrypt=decrypt, activated=True) + TAIL
        for later in moments(check, cycles, 2 * t.zeroize, 1 / len(kinds)):
            moment = t.zeroize + later
            take = float(check.rng.choice([1.0, 1.0, 0.4]))
            yield _Plan([[message]], events=[zeroize_at(moment)], limit=moment + t.zeroize + TAIL, take=take)


def _random(check: AeadCheck, number: int) -> _Plan:
    """Messages in every way under two keys, and in two of three plays an event at any moment."""
    t, rng = check.subject.timing, check.rng
    keys = [[_message(check, list(Way)[n]) for n in rng.permutation(len(Way)).tolist()] for _ in range(2)]
    offer, take = rng.choice(PACES).tolist()
    cycles = sum(t.activation + t.message(m.ad, m.size, decrypt=True, activated=True) for key in keys for m in key)
    limit = t.zeroize + int(1.2 * cycles / min(offer, take))
    event = random_event(check, number, t.zeroize + cycles)
    if event is None:
        return _Plan(keys, events=[], limit=limit, offer=offer, take=take)
    return _Plan(keys, events=[event], limit=limit + event.cycle + t.zeroize, offer=offer, take=take)


def _draw(check: AeadCheck, plan: _Plan, seed: int) -> Callable[[AeadSimulation], Play]:
    """Keys, nonces and messages of the plan's lengths, and a play with them."""
    exchanges: list[Exchange] = []
    secrets: list[tuple[int, str, bytes]] = []  # with the number of the exchange that may show it in the end, or -1
    for messages in plan.keys:
        key = check.random(check.shape.key)
        specification = check.subject.specification(key)
        exchanges.append(activation(check.api, key))
        longest = max(max(m.ad, m.size) for m in messages) + check.shape.npub
        secrets += [(-1, *each) for each in specification.key_values(-(-longest // check.shape.block) + 2)]
        secrets += [(-1, *each) for each in inputs("the key", key, check.shape.block)]
        for message in messages:
            exchange, values = _exchange(check, specification, message)
            secrets += [(len(exchanges) if result else -1, name, value) for result, name, value in values]
            exchanges.append(exchange)
    return partial(_play, check, plan, exchanges, secrets, seed)


def _play(
    check: AeadCheck,
    plan: _Plan,
    exchanges: Sequence[Exchange],
    secrets: Sequence[tuple[int, str, bytes]],
    seed: int,
    core: AeadSimulation,
) -> Play:
    """The play of a plan with these exchanges. A secret comes with the number of the exchange that may show the
    secret.
    """
    script = core.script(exchanges, limit=plan.limit, offer=plan.offer, take=plan.take)
    for name in ("pdi", "sdi"):
        script.words[name]["start"][1:] = 0  # after a reset inside a message there is no more
    script.capacity = plan.limit + 1
    record = watched(check, core, plan, script, seed, len(exchanges))
    begins = _begins(exchanges, record, core.played(record))
    return Play(record, [Secret(name, value, begins[n] if n >= 0 else NEVER) for n, name, value in secrets])


def _exchange(
    check: AeadCheck, specification: Any, message: _Message
) -> tuple[Exchange, list[tuple[bool, str, bytes]]]:
    """A random message of given lengths, and the message's secrets: for each whether a result, the name, and the
    bytes.
    """
    api, shape = check.api, check.shape
    npub, A, P = check.random(shape.npub), check.random(message.ad), check.random(message.size)
    C = specification.encrypt(npub, A, P)
    blocks = -(-max(message.ad + shape.npub, len(C)) // shape.block) + 1
    # a value that is in the result by the specification, such as a mask added to zero, may be shown as the result is
    values = specification.message_values(npub, A, blocks)
    leaves = C if message.way is Way.ENCRYPTED else P if api.at_once else b""
    secrets = [(value in leaves, name, value) for name, value in values]
    secrets += [(False, *each) for each in inputs("the associated data", A, shape.block)]
    secrets += [(False, "the nonce", npub)]
    if message.way is Way.ENCRYPTED:
        secrets += [(False, *each) for each in inputs("the message as it entered", P, shape.block)]
        return encryption(api, npub, A, P, C), secrets
    rejected = message.way is Way.REJECTED
    if rejected:
        bit = int(message.wrong * 8 * len(C))
        C = (int.from_bytes(C, "little") ^ 1 << bit).to_bytes(len(C), "little")
    inside, _ = specification.unverified(npub, A, C)
    secrets += [(False, *each) for each in inputs("the ciphertext as it entered", C, shape.block)]
    if api.at_once:
        return decryption(api, npub, A, C, None if rejected else P, inside), secrets
    inside = inside.ljust(shape.enciphered(message.size), b"\0")[: shape.enciphered(message.size)]
    name = "the rejected message" if rejected else "the message before its verdict"
    secrets += [(not rejected, *each) for each in inputs(name, inside, shape.block)]
    return decryption(api, npub, A, C, None if rejected else P), secrets


def _begins(exchanges: Sequence[Exchange], record: Record, played: PlayedMessages) -> list[int]:
    """For each exchange the cycle in which the first word of output was accepted, after all input was accepted."""
    begins, at = [], 0
    for each in exchanges:
        at += len(each.pdi)
        last = int(record.accepted["pdi"][at - 1])
        mine = [
            cycle
            for cycle, word in zip(played.left, played.out, strict=True)
            if 0 <= last < cycle and each.right and word == each.right[0]
        ]
        begins.append(mine[0] if mine else NEVER)
    return begins
