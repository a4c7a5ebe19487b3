# SPDX-License-Identifier: Apache-2.0
"""Test bench and datasheet of a sector core."""

import json
import random
from collections.abc import Sequence
from typing import Any

from wideblock.catalog import KnownAnswer
from wideblock.drive.sector.shape import shape
from wideblock.export.contract import Contract
from wideblock.export.datasheet import sheet
from wideblock.export.figures import figures
from wideblock.export.loading import BusLoader, StreamLoader
from wideblock.export.markdown import table
from wideblock.export.testbench import KNOWN, SPECIFIED, BenchPlay, Word, testbench
from wideblock.export.wave import sector_diagram, text, transfers
from wideblock.rtl.stream.behaviour import LengthRule

__all__ = ["Case", "cases", "datasheet", "others", "play"]

Case = tuple[bytes, bytes, bool, bytes, bytes]
"""Key, tweak, decrypt, data in, data out; with sealed sectors, the ICV or zeros behind."""


FEW = 2
"""Sectors of a test bench whose answers are the specification's."""


def others(core: Contract) -> dict[str, str]:
    """Returns the test bench, with known answers; where there are none, with answers of the specification.

    A core that is not benched has none.
    """
    if not core.benched:
        return {}
    return {f"{core.module}_tb.v": testbench(core, play(core, cases(core)))}


def cases(core: Contract, most: int = 4) -> list[Case]:
    """Returns ``most`` known answers of the core, each in every direction of the core.

    Taken are the first answers, if all are of a common size; else they are of different sizes as far as possible. A
    core without known answers gets a few of the specification.
    """
    return [
        (
            known.key,
            known.tweak,
            way,
            *((sealed, plain) if way else (plain, sealed)),
        )
        for known in _various(core.known_answers, most) or _specified(core)
        for sealed, plain in [(known.ciphertext + known.icv, known.plaintext + bytes(len(known.icv)))]
        for way in core.behaviour.directions
    ]


def _specified(core: Contract) -> list[KnownAnswer]:
    """Random sectors of the usual length under a key each, and the specification's answers: equal in every run."""
    rng, sizes, found = random.Random(core.module), shape(core), []
    for _ in range(FEW):
        key, tweak, sector = map(rng.randbytes, (sizes.key_bytes, sizes.tweak_bytes, core.parameters.sector_bytes))
        sector = sector.ljust(core.behaviour.usual, b"\0")  # zeros behind, as a sector that is deciphered has
        answer = core.specification(key).encrypt(tweak, sector)
        found.append(KnownAnswer(SPECIFIED, key, tweak, sector, answer[: len(sector)], answer[len(sector) :]))
    return found


def _various(answers: Sequence[KnownAnswer], most: int) -> list[KnownAnswer]:
    """The first ``most`` answers; answers with a new size of tweak or message come first."""
    waiting, taken = list(answers), []
    while waiting and len(taken) < most:
        chosen = min(waiting, key=lambda known: sum(_alike(known, other) for other in taken))
        waiting.remove(chosen)
        taken.append(chosen)
    return taken


def _alike(one: KnownAnswer, other: KnownAnswer) -> int:
    """Number of equal sizes."""
    return (len(one.tweak) == len(other.tweak)) + (len(one.plaintext) == len(other.plaintext))


def play(core: Contract, cases: Sequence[Case]) -> BenchPlay:
    """Returns the words of ``cases``; requests in a row under a common key are a step."""
    t, p = core.timing, core.parameters
    loader = BusLoader(core) if core.registers else StreamLoader(core)
    words: dict[str, list[Word]] = {"i": [], "o": []}
    steps, rests = loader.steps, loader.rests
    loaded, slot = None, 0
    keys = 0
    for key, tweak, decrypt, given, right in cases:
        if key != loaded:
            loaded, slot, keys = key, keys % (t.slots or 1), keys + 1
            if 0 < t.slots < keys:  # a slot that has a key is freed before
                loader.evict(slot)
            loader.load(key, slot)
            steps.append({})
        size = len(given) - p.icv_beside // 8
        request = {"tweak": int.from_bytes(tweak, "little"), "tweak_size": len(tweak), "size": size, "slot": slot}
        request |= {"tag": len(words["o"]) & 255, "decrypt": decrypt}
        words["i"] += _message(core, given[:size], request)
        words["i"][-1] = {**words["i"][-1], "icv": int.from_bytes(given[size:], "little")}
        beside = {"tag": request["tag"], "icv": int.from_bytes(right[size:], "little"), "error": 0}
        words["o"] += [{**beat, **beside} for beat in _beats(right[:size], p.beat_bytes, {})]
        steps[-1] = {"i": len(words["i"])}
    limit = 4 * len(cases) * (t.latency + t.setup) + 2 * t.zeroize + 1000
    limit += sum(rests.values()) + 16 * sum(map(len, loader.words.values()))
    source = KNOWN if core.known_answers else SPECIFIED
    return BenchPlay(words | loader.words, steps, len(cases), limit, rests, source)


def _message(core: Contract, data: bytes, request: Word) -> list[Word]:
    """The beats of a sector, with ``request`` beside the first beat, or before in separate beats."""
    channel, size = core.interface.channel("i"), core.parameters.beat_bytes
    if not (head := channel.header_words):
        return _beats(data, size, request)
    room = bytearray(head * size)
    for name, (at, width) in channel.places.items():
        room[at : at + width] = request[name].to_bytes(width, "little")
    return [{"data": part, "last": 0, "keep": 0} for part in _parts(bytes(room), size)] + _beats(data, size, {})


def _parts(data: bytes, size: int) -> list[int]:
    return [int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)]


def _beats(data: bytes, size: int, start: Word) -> list[Word]:
    """The beats of a sector of ``data``; the first one has the fields ``start``, too."""
    parts = _parts(data, size)
    last = len(parts) - 1
    return [
        {
            "data": part,
            "last": at == last,
            "keep": (1 << (len(data) - at * size if at == last else size)) - 1,
            **({} if at else start),
        }
        for at, part in enumerate(parts)
    ]


def datasheet(core: Contract, measured: str = "") -> str:
    """Returns the datasheet; ``measured`` is a Markdown table of area and clock, or empty."""
    if core.mastered:
        return sheet(core, "master.md.jinja", measured)
    diagram = sector_diagram(core.shell, *transfers(core))
    channel = core.interface.channel("i")
    return sheet(
        core,
        "sector.md.jinja",
        measured,
        diagram=text(diagram),
        head=channel.header_words,
        places=channel.header_text,
        wavedrom=_wavedrom(diagram),
        others=_of_other_sizes(core.behaviour.length),
    )


def _of_other_sizes(length: LengthRule) -> str:
    """Returns a table of the figures that depend on sizes, from the least sizes to the greatest; empty if none do."""
    if not (rows := figures(length)):
        return ""
    _, _, *names = rows[0]
    return table(("tweak, bytes", "sector, bytes", *names), [tuple(map(str, row.values())) for row in rows])


def _wavedrom(diagram: dict[str, Any]) -> str:
    rows = ",\n".join("    " + json.dumps(row) for row in diagram["signal"])
    rest = "".join(f",\n  {json.dumps(key)}: {json.dumps(diagram[key])}" for key in ("head", "config"))
    return f'{{\n  "signal": [\n{rows}\n  ]{rest}\n}}'
