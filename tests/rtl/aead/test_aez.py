# SPDX-License-Identifier: Apache-2.0
"""AEZ behind the CAESAR Hardware API in Amaranth's simulator: offsets, every way through the program, stated cycles."""

import itertools
import random

import pytest

from wideblock import vectors
from wideblock.catalog.aez import AezParameters
from wideblock.drive.aead.caesar import CaesarFormat
from wideblock.drive.aead.exchange import activation, decryption, encryption
from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.rtl.aead.aez.alone import TweakableCall
from wideblock.rtl.aead.aez.cipher import AezCipher, AezV4, AezV5
from wideblock.rtl.aead.aez.offsets import Offsets, Power, Tweak, Version
from wideblock.rtl.aead.aez.overlap import overlapped
from wideblock.rtl.aead.aez.program import program
from wideblock.rtl.aead.aez.step import Base, Count, OperandSource, Out, Row, Wait
from wideblock.rtl.aead.cipher import BlockKind
from wideblock.spec.aead.aez import AEZv4, AEZv5
from wideblock.spec.gf128 import Reading

from ...variants import few_of_many
from ..simulated import Simulator
from .bench import play
from .whole import assert_answers, assert_stated_cycles
from .words import ACTIVATE, FAILURE, key_words, message, results

pytestmark = pytest.mark.shows("caesar")

CORES = {Version.V4: AezV4, Version.V5: AezV5}
SPECIFICATIONS = {Version.V4: AEZv4, Version.V5: AEZv5}


@pytest.mark.parametrize("version", Version)
def test_offsets(version):
    """Those of every tweak, and of pairs and blocks around the ninth and the seventeenth."""
    key = random.Random(2).randbytes(48)
    spec, dut, found, right = SPECIFICATIONS[version](key), Offsets(version), [], []
    fixed = {Tweak.NONCE: (4, 0), Tweak.AD_SHORT: (5, 0), Tweak.INNER: (0, 0), Tweak.TINY: (0, 6), Tweak.PRF: (-1, 3)}
    fixed |= {Tweak.HASH_U: (0, 4), Tweak.HASH_V: (0, 5), Tweak.MASK_U: (-1, 4), Tweak.MASK_V: (-1, 5)}
    ways = {Tweak.X_FIRST: (0, 1), Tweak.X_SECOND: (0, 2), Tweak.Y_FIRST: (-1, 1), Tweak.Y_SECOND: (-1, 2)}

    async def bench(ctx):
        async def power(change):
            ctx.set(dut.power, change)
            await ctx.tick()
            ctx.set(dut.power, Power.KEEP)

        async def offset(tweak, place):
            ctx.set(dut.tweak, tweak)
            for bit in (3, 2, 1):
                ctx.set(dut.bit, bit)
                await ctx.tick()
            ctx.set(dut.bit, 0)
            found.append(ctx.get(dut.offset))
            right.append(int.from_bytes(Reading.BE.block(spec.offset(*place)), "little"))

        async def first(change):
            await power(change)
            for _ in range(version.doublings):
                await power(Power.DOUBLE)

        for port, at in ((dut.I, 0), (dut.J, 16), (dut.L, 32)):
            ctx.set(port, int.from_bytes(key[at : at + 16], "little"))
        ctx.set(dut.enable, 1)
        for tweak, place in fixed.items():
            await offset(tweak, place)
        for decrypt in (0, 1):
            ctx.set(dut.decrypt, decrypt)
            for tweak, (j, i) in ways.items():
                await offset(tweak, (j, 3 - i if decrypt else i))
        await first(Power.FIRST_AD)
        await offset(Tweak.TAU, (3, 1))
        for done in range(10):
            ctx.set(dut.done, done % 8)
            await offset(Tweak.AD_HIGH, (5, 2 * done + 2))
            await offset(Tweak.AD_LOW, (5, 2 * done + 1))
            await power(Power.AFTER_4)
        await first(Power.FIRST)
        for done in range(18):
            ctx.set(dut.done, done % 8)
            await offset(Tweak.SECOND_LAYER, (2, done + 1))
            await offset(Tweak.PAIR, (1, done + 1))
            await power(Power.AFTER_8)
            await offset(Tweak.NEXT, (1, done + 2))

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert found == right


@pytest.mark.parametrize("version", Version)
def test_the_tweakable_cipher_alone(version):
    """Calls of four rounds, of j = 2 and of ten, back to back: each is the specification's, after the stated cycles."""
    rng = random.Random(4)
    key = rng.randbytes(48)
    spec, dut = SPECIFICATIONS[version](key), TweakableCall(version)
    places = {Tweak.INNER: (0, 0), Tweak.NONCE: (4, 0), Tweak.PRF: (-1, 3), Tweak.PAIR: (1, 3), Tweak.HASH_V: (0, 5)}
    places |= {Tweak.SECOND_LAYER: (2, 3), Tweak.AD_SHORT: (5, 0), Tweak.MASK_V: (-1, 5), Tweak.TINY: (0, 6)}
    calls = [(tweak, place, rng.randbytes(16)) for tweak, place in places.items()]
    found = []

    async def feed(ctx):
        ctx.set(dut.key, int.from_bytes(key, "little"))
        ctx.set(dut.load, 1)
        await ctx.tick()
        ctx.set(dut.load, 0)
        for change in (Power.FIRST, *[Power.DOUBLE] * version.doublings, Power.KEEP):
            ctx.set(dut.power, change)
            if change is not Power.KEEP:
                await ctx.tick()
        for tweak, _, X in calls:
            ctx.set(dut.i.payload.X, int.from_bytes(X, "little"))
            ctx.set(dut.i.payload.tweak, tweak)
            ctx.set(dut.i.payload.done, 2)
            ctx.set(dut.i.valid, 1)
            await ctx.tick().until(dut.i.ready)
        ctx.set(dut.i.valid, 0)

    async def collect(ctx):
        cycle, started = 0, None
        while len(found) < len(calls):
            _, _, valid, given, out = await ctx.tick().sample(dut.o.valid, dut.i.valid, dut.o.payload)
            cycle += 1
            started = cycle if given and started is None else started
            if valid:
                found.append((cycle - started, int(out).to_bytes(16, "little")))

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(feed)
    simulator.add_testbench(collect)
    simulator.run()
    rounds = [10 if j == -1 else 4 for _, (j, _), _ in calls]
    assert [cycle for cycle, _ in found] == [
        dut.timing.latency - 4 + sum(rounds[: n + 1]) + n for n in range(len(calls))
    ]
    element, block = Reading.BE.element, Reading.BE.block
    right = [spec.E(*place, element(X)) for _, place, X in calls]
    assert [out for _, out in found] == [block(each) for each in right]


def blocks(npub, ad, text, tag):
    """The blocks of a message as the API gives them: kind, bytes and whether it is the last one of its kind."""
    found = [(BlockKind.NPUB, npub, True)]
    for kind, data in ((BlockKind.AD, ad), (BlockKind.DATA, text)):
        parts = [data[at : at + 32] for at in range(0, len(data), 32)] or [b""]
        found += [(kind, part, n == len(parts) - 1) for n, part in enumerate(parts)]
    return found if tag is None else [*found, (BlockKind.TAG, tag, True)]


async def give(ctx, dut, message, pause):
    """One message, a block every ``pause`` cycles at most, with the stated cycles. Returns the text and the tag.

    Of the rows of pairs none has a value then.
    """
    decrypt = message[3] is not None
    todo, stated = blocks(*message), dut.timetable(decrypt=decrypt)
    cycle, offered, accepted, shown, out, used = 0, 0, 0, [], b"", {}
    while ctx.get(dut.sequencer.step.wait) != Wait.EITHER.value:
        await ctx.tick()
    while not ctx.get(dut.tag.valid):
        valid = accepted < len(todo) and cycle >= offered
        ctx.set(dut.i.valid, valid)
        if valid:
            kind, part, last = todo[accepted]
            padded = part + b"\x80" if kind in (BlockKind.AD, BlockKind.DATA) and len(part) < 32 else part
            values = {"data": int.from_bytes(padded, "little"), "size": len(part), "kind": kind, "last": last}
            ctx.set(dut.i.payload, {**values, "decrypt": decrypt})
        if ctx.get(dut.o.valid):
            size, data = ctx.get(dut.o.payload.size), ctx.get(dut.o.payload.data).to_bytes(32, "little")
            assert not any(data[size:])
            out += data[:size]
            shown.append(cycle)
        if valid and ctx.get(dut.i.ready):
            assert cycle == stated.accept(kind, len(part), last=last, offered=offered)
            accepted, offered = accepted + 1, cycle + pause
        sequencer, effect = dut.sequencer, ctx.get(dut.datapath.effect) if dut.pipelined else 1
        if (
            effect
            and ctx.get(sequencer.go)
            and (source := OperandSource(ctx.get(sequencer.step.source))) is not OperandSource.NONE
        ):
            used[ctx.get(sequencer.write) // dut.words] = source is not OperandSource.CLEAR
        await ctx.tick()
        cycle += 1
    assert (shown, cycle) == (stated.results(), stated.tag())
    pairs = (len(message[2]) + dut.shape.tag - 32) // 32  # of text and tag, but the last two blocks
    assert not any(used[row] for row in range(2 * pairs))
    tag = ctx.get(dut.tag.payload).to_bytes(dut.shape.tag, "little")
    ctx.set(dut.tag.ready, 1)
    await ctx.tick()
    ctx.set(dut.tag.ready, 0)
    return out, tag


def exchange(version, cases, pause=9, **parameters):
    """Messages of (bytes of associated data, bytes of message), both ways, through the cipher alone."""
    rng = random.Random(5)
    key = rng.randbytes(48)
    dut = AezCipher(AezParameters(data_bytes=330, **parameters), version)
    spec = SPECIFICATIONS[version](key, tag_bytes=dut.shape.tag)
    found, right = [], []

    async def bench(ctx):
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        ctx.set(dut.key.payload, int.from_bytes(key, "little"))
        ctx.set(dut.key.valid, 1)
        await ctx.tick().until(dut.key.ready)
        ctx.set(dut.key.valid, 0)
        for ad, size in cases:
            npub, a, text = rng.randbytes(12), rng.randbytes(ad), rng.randbytes(size)
            sealed = spec.encrypt(npub, a, text)
            body, tag = dut.shape.parts(sealed)
            right.extend([(body, tag), (text, bytes(dut.shape.tag))])
            found.append(await give(ctx, dut, (npub, a, text, None), pause))
            found.append(await give(ctx, dut, (npub, a, body, tag), pause))

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert found == right


FORMS = [(0, 0), (5, 1), (16, 15), (17, 16), (31, 17), (32, 31), (33, 32), (48, 33), (64, 47), (0, 48), (96, 150)]
"""Each way through the program: AEZ-prf, AEZ-tiny, and fragments with and without pairs before them."""


PACES = [(version, pause) for version in Version for pause in (9, 3)]


@pytest.mark.slow
@pytest.mark.parametrize(("version", "pause"), PACES)
def test_every_form_of_message(version, pause):
    """Text and tag are those of the specification; blocks, results and tags come in the stated cycles."""
    exchange(version, FORMS, pause)


OVERLAPPED = [(33, 79), (3, 138)]
"""With pairs in a pipeline: one, behind which one belongs to the fragment, and three."""


@pytest.mark.parametrize(("version", "pause"), few_of_many(PACES, []))
def test_pairs_that_overlap(version, pause):
    exchange(version, OVERLAPPED, pause, rounds=4, word_bits=128)


def short_tag_forms(tag):
    """Each way of a tag shorter than a block, whose room in M_y is ``room`` bytes.

    AEZ-prf; strings below 16 bytes, of 16 and more; a last block that begins before M_y, with it, and in it, behind
    pairs, one block and none; and a fragment that M_y cuts.
    """
    room = 16 - tag
    return [(0, 0), (5, 1), (3, room), (0, room + 1), (1, room + 16), (31, 32), (2, 33), (0, 32 + room), (7, 70 + room)]


@pytest.mark.parametrize(
    ("version", "tag", "parameters"),
    few_of_many(
        [
            *((Version.V5, tag, {}) for tag in range(2, 16)),
            (Version.V4, 8, {}),
            (Version.V4, 15, {"rounds": 4, "word_bits": 128}),
            (Version.V5, 9, {"rounds": 4, "word_bits": 128}),
        ],
        [(Version.V5, 9, {})],
    ),
)
def test_short_tags(version, tag, parameters):
    """Text and tag are those of the specification; blocks, results and tags come in the stated cycles."""
    exchange(version, short_tag_forms(tag), tag_bytes=tag, **parameters)


COLUMNS = [(Version.V5, ((5, 1), (33, 79)), {}), *((version, tuple(FORMS), {}) for version in Version)]
COLUMNS.append((Version.V5, tuple(short_tag_forms(9)), {"tag_bytes": 9}))


@pytest.mark.parametrize(("version", "forms", "parameters"), few_of_many(COLUMNS, COLUMNS[:1]))
def test_a_column_a_cycle(version, forms, parameters):
    """Text and tag are those of the specification; blocks, results and tags come in the stated cycles."""
    exchange(version, forms, columns=1, **parameters)


def test_no_step_reads_the_row_that_it_writes():
    """The memory may return anything then, and the datapath of a column reads the next step's row later."""
    for version, short in itertools.product(Version, (False, True)):
        for step in program(version, short=short):
            assert step.source is OperandSource.NONE or step.read is not step.write, step


CORES_OF_ALL_LENGTHS = [("aez41", {}), ("aez5", {}), ("aez5-p", {}), ("aez41", {"rounds": 4, "word_bits": 64})]
CORES_OF_ALL_LENGTHS += [
    ("aez5", {"tag_bytes": 8}),
    ("aez41", {"tag_bytes": 15}),
    ("aez5-p", {"tag_bytes": 12}),
    ("aez5-32", {}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "changes"), [*CORES_OF_ALL_LENGTHS, ("aez5-p", {"word_bits": 32})], ids=str)
def test_every_length(name, changes):
    """Of messages up to five pairs, of associated data up to the change of the power, and one beyond both changes.

    Both ways, back to back, in the stated cycles.
    """
    lengths = [(n * 7 % 140, n) for n in range(161)] + [(n, 17) for n in range(141)] + [(290, 330)]
    core = contract(name, {**changes, "ad_bytes": 290, "data_bytes": 330})
    rng, api, shape = random.Random(5), CaesarFormat.of(core), core.behaviour.shape
    key = rng.randbytes(shape.key)
    spec, sent, stated = core.specification(key), [activation(api, key)], []
    for ad, size in lengths:
        npub, a, text = rng.randbytes(shape.npub), rng.randbytes(ad), rng.randbytes(size)
        sealed = spec.encrypt(npub, a, text)
        sent += [encryption(api, npub, a, text, sealed), decryption(api, npub, a, sealed, text)]
        for decrypt in (False, True):
            stated.append(core.timing.message(ad, size, decrypt=decrypt, activated=not stated))
    with AeadSimulation(core) as simulation:
        played = simulation.play(sent)
    assert played.out == [word for one in sent for word in one.right]
    begins, ends = itertools.accumulate(len(e.pdi) for e in sent), itertools.accumulate(len(e.right) for e in sent[1:])
    took = [
        played.left[end - 1] - played.accepted["pdi"][begin] for begin, end in zip(list(begins)[:-1], ends, strict=True)
    ]
    assert took == stated


def test_a_block_is_stored_when_it_is_accepted():
    """The step that accepts a block, and no other, reads the input."""
    for version in Version:
        taking = [step for step in program(version) if step.wait in (Wait.BLOCK, Wait.EITHER)]
        assert taking and all(step.source is OperandSource.INPUT for step in taking)
        assert all(
            step.wait in (Wait.BLOCK, Wait.EITHER) for step in program(version) if step.source is OperandSource.INPUT
        )


def core(version, **parameters):
    return CORES[version](AezParameters(**{"ad_bytes": 100, "data_bytes": 100, **parameters}))


@pytest.mark.parametrize(
    ("version", "tag"), few_of_many([*itertools.product(Version, (8, 12, 16))], [(Version.V5, 8), (Version.V5, 16)])
)
def test_known_answers(version, tag):
    """A key for each message, both ways, and those to be rejected; random pauses on every port."""
    known = [
        a
        for group in vectors.load("aez")
        for a in group.vectors
        if a.parameters.get("tag_bytes") == tag and a.parameters["version"] == version.value and len(a["ct"]) <= 112
    ]
    rejected = [a for a in known if "pt" not in a and len(a["ad"]) <= 100][:3]
    short = [a for a in known if "pt" in a and len(a["ad"]) <= 100]
    few = random.Random(4).sample(short, 4) if tag == 16 else short
    assert few
    assert_answers(core(version, tag_bytes=tag), [*few, *rejected])


@pytest.mark.parametrize("bits", few_of_many([32, 64, 128], []))
def test_stated_cycles_are_measured(bits):
    assert_stated_cycles(core(Version.V5, word_bits=bits), AEZv5, FORMS[:-1:2])


@pytest.mark.parametrize(("least", "steps"), [(1, 3), (2, 3), (4, 4), (5, 6), (8, 8)])
def test_steps_of_a_loop(least, steps):
    """The fewest in which two results never meet: five steps apart, they do in a loop of five."""
    result = {"base": Base.ROW, "write": Row.W}
    track = [{}, *[part for _ in range(3) for part in ({}, {}, {}, {}, result)]]
    loop, after = overlapped(track, [{}, {"count": Count.NEXT}, {}], {"out": Out.PAIR}, least=least)
    assert len(loop) == steps and len(after) == len(track) - steps and loop[-1]["out"] is Out.PAIR
    assert sum("base" in step for step in loop) == 3
    pairs = {(at + steps * (step["write_back"] - (at > 1))) for at, step in enumerate(loop) if "base" in step}
    assert pairs == {5, 10, 15}
    with pytest.raises(ValueError, match="no loop of 1 to 16 steps"):
        overlapped(track, [{"base": Base.ROW, "count": Count.NEXT}, *[{"base": Base.ROW}] * 15], {}, least=1)


@pytest.mark.parametrize(("bits", "interval"), [(32, 17), (64, 9), (128, 6)])
@pytest.mark.parametrize("version", Version)
def test_cycles_of_pairs_that_overlap(version, bits, interval):
    """They arrive in a cycle a word and one more, and leave in one a word; three at least."""
    assert core(version, rounds=4, word_bits=bits, data_bytes=2047).timing.interval == interval


@pytest.mark.parametrize("version", Version)
def test_cycles_of_the_published_core(version):
    """25 cycles a pair of blocks, and five a block of associated data."""
    timing = core(version, data_bytes=2047, ad_bytes=1023).timing
    assert timing.interval == 25
    assert timing.message(960, 64) - timing.message(320, 64) == 5 * 40


@pytest.mark.slow
def test_no_byte_leaves_under_a_wrong_tag():
    """Any bit of tag, ciphertext or associated data, of AEZ-tiny and AEZ-core."""
    rng, key = random.Random(6), bytes(range(48))
    spec, pdi, want = AEZv5(key), [ACTIVATE], []
    for size in (5, 40):
        npub, ad, text = rng.randbytes(12), rng.randbytes(9), rng.randbytes(size)
        sealed = spec.encrypt(npub, ad, text)
        for at in (0, 8 * len(ad), 8 * (len(ad) + len(sealed)) - 1):
            wrong = (int.from_bytes(ad + sealed, "little") ^ 1 << at).to_bytes(len(ad) + len(sealed), "little")
            pdi += message(npub, wrong[:9], wrong[9:-16], wrong[-16:])
            want.append(FAILURE)
        pdi += message(npub, ad, sealed[:-16], sealed[-16:])
        want += results(text)
    passed = play(core(Version.V5), pdi, key_words(key), want=len(want))
    assert [word for _, word in passed["do"]] == want


def test_lengths_at_which_offsets_of_v4_repeat_are_refused():
    """Block 1001 of associated data has the offset of block 40, pair 1001 that of pair 40; before that none repeats."""
    spec = AEZv4(bytes(range(48)))
    for j in (1, 5):
        offsets = [spec.offset(j, i) for i in range(1, 1002)]
        assert len(set(offsets[:-1])) == 1000 and offsets[-1] == offsets[39]
    for changes in ({"ad_bytes": 16_016}, {"data_bytes": 32_048}):
        with pytest.raises(UserError, match="of AEZ v4.1 must be at most"):
            contract("aez41", changes)
    assert contract("aez41", {"ad_bytes": 16_015}) and contract("aez5", {"ad_bytes": 0xFFFF})


def test_cycles_of_a_tag_length_for_each_message_are_those_of_the_page():
    """E(3, 1; tau), made once for a key, is all that a message would have more."""
    for name, tau, cycles in (("aez5", 12, 102), ("aez5-32", 48, 356)):
        made = contract(name)
        assert (made.component.cipher.setup - 1, made.timing.message(0, 16)) == (tau, cycles)
