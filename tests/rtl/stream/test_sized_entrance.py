# SPDX-License-Identifier: Apache-2.0
"""The entrance for messages that state their sizes: what it offers, what it drops, and what it says of that."""

import random

import pytest

from wideblock.rtl.stream.sized_entrance import SizedEntrance

from ...variants import few_of_many
from ..simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

SHORT, LONG, TWEAK, KEEP = 1, 2, 4, 8
MOST, TWEAK_BYTES = 80, 20


def entrance():
    return SizedEntrance(width=1, least=16, most=MOST, tweak_bytes=TWEAK_BYTES)


def beats_of(rng, size, stated, tweak_size, keep=None):
    """A message's beats, with anything where the entrance must not look; ``keep``: of the last one, or of each."""
    keeps = keep
    if not isinstance(keep, tuple):
        tail = (1 << (size - 1) % 16 + 1) - 1 if keep is None else keep
        keeps = (0xFFFF,) * (-(-size // 16) - 1) + (tail,)
    data = rng.randbytes(16 * len(keeps))
    beats = []
    for at, kept in zip(range(0, len(data), 16), keeps, strict=True):
        first, last = at == 0, at + 16 == len(data)
        beats.append(
            {
                "data": int.from_bytes(data[at : at + 16], "little"),
                "tweak": rng.getrandbits(8 * TWEAK_BYTES),
                "tweak_size": tweak_size if first else rng.getrandbits(8),
                "size": stated if first else rng.getrandbits(16),
                "decrypt": rng.getrandbits(1),
                "last": last,
                "keep": kept,
            }
        )
    return beats


def run(dut, messages, *, p_valid=1.0, p_take=1.0, seed=0):
    """Offers messages, lists of beats. Returns the blocks taken, with number and header, and the faults."""
    rng = random.Random(seed)
    beats = [beat for message in messages for beat in message]
    taken, faults = [], []

    async def bench(ctx):
        ctx.set(dut.open, 1)
        sent, offered = 0, False
        for _ in range(20 + int(len(beats) / p_valid / p_take * 2)):
            offered = sent < len(beats) and (offered or rng.random() < p_valid)
            ctx.set(dut.i.valid, offered)
            if offered:
                ctx.set(dut.i.payload, beats[sent])
            ctx.set(dut.take, ctx.get(dut.valid) and rng.random() < p_take)
            if ctx.get(dut.take):
                header = ctx.get(dut.header)
                head = (header.tweak, header.tweak_size, header.end, header.decrypt)
                taken.append((ctx.get(dut.x.data), ctx.get(dut.number), head, ctx.get(dut.fault)))
            if fault := ctx.get(dut.fault):
                faults.append(fault)
            if offered and ctx.get(dut.i.ready):
                sent, offered = sent + 1, False
            await ctx.tick()
        assert sent == len(beats) and ctx.get(dut.between)

    sim = Simulator(dut)
    sim.add_clock(1e-8)
    sim.add_testbench(bench)
    sim.run()
    return taken, faults


def right(message):
    """The blocks of a message that is as it states, as :func:`run` returns them."""
    first = message[0]
    tweak = first["tweak"] & ((1 << 8 * first["tweak_size"]) - 1)
    head = (tweak, first["tweak_size"], first["size"] - 1, first["decrypt"])
    left = first["size"] - 16 * (len(message) - 1)
    blocks = [beat["data"] for beat in message]
    blocks[-1] &= (1 << 8 * left) - 1
    return [(block, number, head, 0) for number, block in enumerate(blocks)]


@pytest.mark.parametrize("p_valid, p_take", [(1.0, 1.0), (0.5, 0.7)])
def test_messages_of_every_size_pass(p_valid, p_take):
    rng = random.Random(1)
    messages = [
        beats_of(rng, size, size, size % (TWEAK_BYTES + 1)) for size in (*range(16, 50), 63, 64, 65, MOST - 1, MOST)
    ]
    taken, faults = run(entrance(), messages, p_valid=p_valid, p_take=p_take)
    assert not faults
    assert taken == [block for message in messages for block in right(message)]


WRONG = [
    # another size than stated: offered up to the block that shows it
    (47, 48, 3, None, SHORT, 3),
    (48, 47, 3, None, LONG, 3),
    (32, 48, 3, None, SHORT, 2),
    (16, 17, 0, None, SHORT, 1),
    (17, 16, 0, None, LONG, 1),
    (100, 32, 0, None, LONG, 2),
    (1, 80, 0, None, SHORT, 1),
    # a stated size that is none: not offered
    (15, 15, 3, None, SHORT, 0),
    (64, 0, 3, None, SHORT, 0),
    (81, 81, 3, None, LONG, 0),
    (16, 0xFFFF, 3, None, LONG, 0),
    (64, 64, TWEAK_BYTES + 1, None, TWEAK, 0),
    (16, 16, 255, None, TWEAK, 0),
    # bytes that are not a run, or not full before the last beat
    (48, 48, 3, 0xFFFE, KEEP, 3),
    (0, 48, 3, (0xFFFF, 0xFFFD, 0xFFFF), KEEP, 2),
    (0, 48, 3, (0x7FFE, 0xFFFF, 0xFFFF), KEEP, 1),
    (0, 20, 3, (0xFFFF, 0xF, 1), KEEP, 2),
    (0, 20, 3, (0xFFFF, 0xF, 0, 0), KEEP, 2),
    (0, 48, 3, (0xFFFF, 0x7FFF, 0xFFFF), SHORT, 2),
    (0, 48, 3, (0xFFFF, 0xFFFF, 0), SHORT, 3),
    (0, 48, 3, (0xFFFF, 0, 0xFFFF), SHORT, 2),
    (0, 32, 3, (0xFFFF, 0xFFFF, 0, 0), LONG, 2),
    (0, 20, 3, (0xFFFF, 0xFFFF, 0), LONG, 2),
    (0, 20, 3, (0xFFFF, 7, 0), SHORT, 2),
    (0, 16, 3, (0,), SHORT, 1),
    (40, 40, 3, 0x1FF, LONG, 3),
    (40, 40, 3, 0x7F, SHORT, 3),
]
"""Sizes of data as given and as stated, and of the tweak; bytes of beats, fault, blocks that are offered."""


@pytest.mark.parametrize("p_take", few_of_many([1.0, 0.4], [0.4]))
def test_a_message_that_is_not_as_it_states_is_dropped(p_take):
    """Twice each, between two right ones."""
    sent, faults_right = [], []
    for size, stated, tweak_size, keep, fault, _ in WRONG:
        rng = random.Random(size)
        good, other = beats_of(rng, 50, 50, 20), beats_of(rng, 16, 16, 0)
        bad = beats_of(rng, size, stated, tweak_size, keep)
        sent += [good, bad, bad, other]
        faults_right += [fault] * 2
    taken, faults = run(entrance(), sent, p_take=p_take)
    assert faults == faults_right
    for row, good, other in zip(WRONG, sent[::4], sent[3::4], strict=True):
        *_, fault, offered = row
        ends = len(good), len(good) + 2 * offered, len(good) + 2 * offered + len(other)
        before, shown, behind = (taken[a:b] for a, b in zip((0, *ends), ends, strict=False))
        assert (before, behind) == (right(good), right(other)), row
        assert [number for _, number, _, _ in shown] == [*range(offered)] * 2, row
        assert [shows for _, _, _, shows in shown] == [*[0] * (offered - 1), *[fault] * bool(offered)] * 2, row
        taken = taken[ends[-1] :]
    assert not taken


@pytest.mark.parametrize("p_take", [1.0, 0.4])
def test_one_empty_last_beat_may_follow(p_take):
    """It ends the message before it, and is not offered."""
    rng = random.Random(3)
    messages = [beats_of(rng, size, size, 4) for size in (16, 17, 32, 40, MOST)]
    ended = [
        beats_of(rng, 0, size, 4, (*(beat["keep"] for beat in m), 0))
        for m, size in zip(messages, (16, 17, 32, 40, MOST), strict=True)
    ]
    taken, faults = run(
        entrance(), [each for pair in zip(messages, ended, strict=True) for each in pair], p_take=p_take
    )
    assert not faults
    assert taken == [
        block for m, e in zip(messages, ended, strict=True) for sent in (m, e[:-1]) for block in right(sent)
    ]
