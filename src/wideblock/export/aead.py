# SPDX-License-Identifier: Apache-2.0
"""Datasheet and test vectors of an authenticated cipher behind the CAESAR Hardware API."""

import random
from collections.abc import Iterable

from wideblock.catalog import AeadAnswer
from wideblock.drive.aead.caesar import FILES, CaesarFormat, Item, from_text, input_ends, output_ends, text
from wideblock.export.contract import AeadContract
from wideblock.export.datasheet import sheet
from wideblock.export.markdown import table
from wideblock.export.testbench import KNOWN, SPECIFIED, BenchPlay, Word, testbench

__all__ = ["datasheet", "long_answer", "others", "random_answers", "vectors"]

FILED = 8
"""Known answers in the files beside the Verilog."""

RANDOM = 300
"""Bytes of the longest random message."""

LONG = (1 << 16) + 5
"""Bytes of a message that no field of a length can say, for cores that release at once."""


def others(core: AeadContract) -> dict[str, str]:
    """Returns the first known answers, as files for the API's test benches, and as a test bench.

    A core without known answers gets random messages, equal in every run, with answers of the specification.
    """
    answers = core.known_answers[:FILED] or random_answers(core, FILED, 0)
    if segment := core.timing.segment:
        answers += [long_answer(core, min(2 * segment + 5, core.behaviour.longest(decrypt=True)))]
    files = vectors(core, answers)
    return files | {f"{core.module}_tb.v": testbench(core, _play(core, files, len(answers)))}


def _play(core: AeadContract, files: dict[str, str], answers: int) -> BenchPlay:
    """The words of the text files, with the flag of a packet's end."""
    bits, words = core.parameters.word_bits, dict[str, list[Word]]()
    for port, name in FILES.items():
        values = from_text(name, files[name], bits)
        ends = {*(output_ends if port == "do" else input_ends)(values, bits)}
        words[port] = [{"word": value, "last": at in ends} for at, value in enumerate(values)]
    steps = [{port: len(words[port]) for port in ("pdi", "sdi")}]
    limit = 8 * (len(words["pdi"]) + len(words["do"])) * core.timing.interval + 4 * core.timing.zeroize + 4000
    return BenchPlay(words, steps, answers, limit, source=KNOWN if core.known_answers else SPECIFIED)


def vectors(core: AeadContract, answers: Iterable[AeadAnswer]) -> dict[str, str]:
    """Returns the three text files of messages and of their right output, each answer in both directions.

    A key is activated where it differs from the key before. An answer without a plaintext must be rejected.
    """
    api = CaesarFormat.of(core)
    items: dict[str, list[Item]] = {port: [] for port in FILES}
    key = None
    for answer in answers:
        if answer.key != key:
            key = answer.key
            items["pdi"] += api.activate_key()
            items["sdi"] += api.load_key(key)
        if answer.plaintext is not None:
            items["pdi"] += api.encrypt(answer.npub, answer.ad, answer.plaintext)
            items["do"] += api.encrypted(len(answer.plaintext), answer.ciphertext)
        items["pdi"] += api.decrypt(answer.npub, answer.ad, answer.ciphertext)
        if answer.plaintext is not None:
            items["do"] += api.decrypted(answer.plaintext)
        else:
            spec = core.specification(answer.key)
            items["do"] += api.failed(spec.unverified(answer.npub, answer.ad, answer.ciphertext)[0])
    if not items["pdi"]:
        return {}
    comment = f"{core.module}: messages of the CAESAR Hardware API and their right output"
    return {name: text(items[port], api.word_bits, comment) for port, name in FILES.items()}


def random_answers(core: AeadContract, n: int, seed: int) -> list[AeadAnswer]:
    """Returns random messages of up to ``RANDOM`` bytes, four under each key; one in four is to be rejected."""
    rng, shape, behaviour = random.Random(seed), core.behaviour.shape, core.behaviour
    found, key = [], b""
    for number in range(n):
        if number % 4 == 0:
            key = rng.randbytes(shape.key)
        npub = rng.randbytes(shape.npub)
        longest = (behaviour.longest_ad, behaviour.longest(decrypt=True))
        ad, message = (rng.randbytes(rng.randint(0, min(RANDOM, most))) for most in longest)
        sealed = core.specification(key).encrypt(npub, ad, message)
        wrong = number % 4 == 3
        if wrong:
            sealed = sealed[:-1] + bytes([sealed[-1] ^ 1 << rng.randrange(8)])
        found.append(AeadAnswer(f"random, seed {seed}", key, npub, ad, None if wrong else message, sealed))
    return found


def long_answer(core: AeadContract, size: int = LONG) -> AeadAnswer:
    """Returns a message of ``size`` bytes, the same at each call, with the specification's answer."""
    rng, shape = random.Random(size), core.behaviour.shape
    key, npub, message = (rng.randbytes(n) for n in (shape.key, shape.npub, size))
    return AeadAnswer("specification", key, npub, b"", message, core.specification(key).encrypt(npub, b"", message))


def datasheet(core: AeadContract, measured: str = "") -> str:
    """Returns the datasheet; ``measured`` is a Markdown table of area and clock, or empty."""
    return sheet(core, "aead.md.jinja", measured, messages=_messages(core))


def _messages(core: AeadContract) -> str:
    """Cycles of whole messages."""
    behaviour, t = core.behaviour, core.timing
    sizes = [n for n in (0, 16, 64, 256, 1024) if n < behaviour.data_bytes] + [behaviour.data_bytes]
    sizes += [LONG] if behaviour.at_once else []
    ads = (0, min(16, behaviour.ad_bytes))
    rows = [(str(ad), str(n), str(t.message(ad, n)), str(t.message(ad, n, decrypt=True))) for ad in ads for n in sizes]
    head = ("associated data, bytes", "message, bytes", "encryption, cycles", "decryption, cycles")
    return table(head, rows)
