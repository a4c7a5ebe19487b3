# SPDX-License-Identifier: Apache-2.0
"""An engine as exported: commands, limits of slots, faults, interrupts, window and self-test, by its registers."""

import random
from dataclasses import replace

import numpy as np
import pytest

from wideblock.catalog.hardware import engines
from wideblock.drive.core import zeroize_at
from wideblock.drive.sector.engine import EngineSimulation
from wideblock.drive.sector.traffic import Request
from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.image.engines import make
from wideblock.rtl.bus.axi_lite import SLVERR
from wideblock.rtl.bus.engine_facts import GONE
from wideblock.rtl.bus.key_map import KAT_KEY
from wideblock.rtl.stream.behaviour import Cause
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.script import Script, ScriptEvent

from .small_engine import SLOTS, core

pytestmark = pytest.mark.shows("engine")

NO_ENCRYPT, NO_DECRYPT, LOCKED = 1, 2, 4
REPLACE, FREEZE_LOADS, FREEZE_UNLOADS, FREEZE_LIMITS, CLOSE_WINDOW = (1 << bit for bit in range(5))


def data(seed, size):
    return random.Random(seed).randbytes(size)


KEY, OTHER = data("key", 32), data("other", 32)
TWEAK = data("tweak", 16)


def encrypted(key, tweak, sector):
    return core().specification(key).encrypt(tweak, sector)


def bit(name):
    return core().behaviour.fault(name).bit_length() - 1


def test_identification_and_self_test(model):
    with model.fresh() as engine:
        assert engine.get("ID").to_bytes(4, "little") == b"wdbk"
        assert engine.field("CAPS0", "SLOTS") == SLOTS and engine.field("CAPS0", "KEY_BITS") == 128
        assert engine.get("SCHEME0").to_bytes(4, "little") == b"xts\0"
        assert engine.field("STATUS", "SELFTEST") == 1 and engine.field("CTRL", "RDY") == 0
        engine.until("SELFTEST", "DONE", 1, core().timing.selftest)
        assert engine.field("SELFTEST", "PASSED") == engine.field("STATUS", "APPROVED") == 1
        assert engine.field("STATUS", "READY") == engine.field("CTRL", "RDY") == 1
        engine.set("SELFTEST", 1)
        assert engine.field("SELFTEST", "BUSY") == 1
        engine.until("SELFTEST", "DONE", 1, core().timing.selftest)
        assert engine.field("SELFTEST", "PASSED") == 1


def test_units_of_the_stream_and_of_the_window_under_their_slots(fresh):
    keys = [data(f"key {slot}", 32) for slot in range(SLOTS)]
    for slot, key in enumerate(keys):
        fresh.load_key(key, slot)
    rng = random.Random(3)
    requests = [
        Request(rng.randbytes(rng.choice([16, 33, 64, 200])), rng.randbytes(16), bool(rng.getrandbits(1)), slot=slot)
        for slot in rng.choices(range(SLOTS), k=60)
    ]
    script = fresh.requests(requests, quiet=200)
    got = fresh.play(script)
    right = [
        (core().specification(keys[r.slot]).decrypt if r.decrypt else core().specification(keys[r.slot]).encrypt)(
            r.tweak, r.data
        )
        for r in requests
    ]
    assert [bytes(each) for each in got.sectors] == right and not got.faults
    for size in (16, 17, 40, 64):
        text = data(size, size)
        sealed, refused = fresh.window(2, text, TWEAK)
        assert (sealed, refused) == (encrypted(keys[2], TWEAK, text), None)
        assert fresh.window(2, sealed, TWEAK, decrypt=True) == (text, None)
    used = sum(-(-len(r.data) // 16) for r in requests if r.slot == 2) + 2 * (1 + 2 + 3 + 4)
    fresh.set("SLOT_SELECT", 2)
    fresh.wait(4)
    assert fresh.get("SLOT_BLOCKS_LO") == used and fresh.get("SLOT_BLOCKS_HI") == 0


@pytest.mark.parametrize(
    ("error", "command", "slot", "key", "aux"),
    [
        ("COMMAND", "NONE", 0, KEY, 0),
        ("NO_SLOT", "LOAD", SLOTS, KEY, 0),
        ("NO_SLOT", "UNLOAD", SLOTS, b"", 0),
        ("NOT_LOADED", "UNLOAD", 3, b"", 0),
        ("LOADED", "LOAD", 1, KEY, 0),
        ("LOADED", "LOAD_KAT", 1, b"", 0),
        ("METD", "LOAD", 1 << 16, KEY, 0),
        ("EQUAL_HALVES", "LOAD", 0, KEY[:16] * 2, 0),
        ("EQUAL_HALVES", "LOAD", 0, bytes(32), 0),
        ("INCOMPLETE", "LOAD", 0, b"", 0),
        ("AUX", "LOAD", 0, KEY, 8),
        ("LOCKED", "UNLOAD", 2, b"", 0),
    ],
)
def test_a_refused_command_names_its_error_and_changes_nothing(fresh, error, command, slot, key, aux):
    fresh.load_key(KEY, 1)
    assert fresh.command("LOAD", 2, OTHER, aux=LOCKED) == "OK"
    before = slots(fresh)
    start = fresh.prepare(command, slot, key, aux=aux)
    record = fresh.bus(Script(words=fresh.writes("KEY", 0x80, start), wanted={"key_b": 1}, quiet=0, capacity=4))
    answered = int(record.words["key_b"]["cycle"][0])
    fresh.wait(core().timing.refused - (record.cycles - answered) - 4)
    assert fresh.finish() == error
    assert slots(fresh) == before
    assert fresh.window(1, KEY, TWEAK)[0] == encrypted(KEY, TWEAK, KEY)


def status(engine):
    """BUSY, DONE, FAULT and CAUSE of the window."""
    return tuple(engine.field("WINDOW_STATUS", name) for name in ("BUSY", "DONE", "FAULT", "CAUSE"))


def refused(engine, name, value, index=0, strobe=15):
    """Whether a write is answered with SLVERR."""
    where, offset = engine.place(name, index)
    return engine.write(where, offset, value, strobe) == SLVERR


def slots(engine):
    """The state of all slots."""
    found = []
    for slot in range(SLOTS + 1):
        engine.set("SLOT_SELECT", slot)
        found.append(engine.get("SLOT_STATE"))
    return found


def test_words_of_a_key_are_never_read_and_are_wiped(fresh):
    start = fresh.prepare("LOAD", 1, KEY)
    assert [fresh.get("MEK", n) for n in range(16)] == [0] * 16
    fresh.set("CTRL", start)
    assert fresh.finish() == "OK"
    assert fresh.get("METD") == 0
    assert fresh.command("LOAD", 2, b"") == "INCOMPLETE"


def test_policy(fresh):
    fresh.load_key(KEY, 1)
    fresh.set("POLICY", REPLACE)
    assert fresh.command("LOAD", 1, OTHER) == "OK"
    assert fresh.window(1, KEY, TWEAK)[0] == encrypted(OTHER, TWEAK, KEY)
    fresh.set("POLICY", FREEZE_UNLOADS)
    assert fresh.get("POLICY") == REPLACE | FREEZE_UNLOADS  # bits are set until reset
    assert fresh.command("UNLOAD", 1) == fresh.command("LOAD", 1, KEY) == "LOCKED"
    fresh.set("POLICY", FREEZE_LOADS)
    assert fresh.command("LOAD", 2, KEY) == "LOCKED"
    fresh.set("POLICY", CLOSE_WINDOW)
    fresh.set("WINDOW_REQUEST", 1 << 31 | 1)
    assert status(fresh) == (0, 1, 1, GONE)
    fresh.set("LIMIT_LO", 7)
    fresh.set("POLICY", FREEZE_LIMITS)
    assert refused(fresh, "LIMIT_LO", 8)
    assert fresh.get("LIMIT_LO") == 7
    assert fresh.command("ZEROIZE") == "OK"
    assert fresh.get("POLICY") == 31
    fresh.reset()
    assert fresh.get("POLICY") == 0


def test_directions_and_the_constant_key_of_a_slot(fresh):
    text = data("text", 32)
    assert fresh.command("LOAD", 1, KEY, aux=NO_DECRYPT) == fresh.command("LOAD", 2, KEY, aux=NO_ENCRYPT) == "OK"
    sealed, refused = fresh.window(1, text, TWEAK)
    assert (sealed, refused) == (encrypted(KEY, TWEAK, text), None)
    assert fresh.window(1, sealed, TWEAK, decrypt=True) == (bytes(32), bit(Cause.FORBIDDEN))
    assert fresh.window(2, sealed, TWEAK, decrypt=True) == (text, None)
    assert fresh.window(2, text, TWEAK) == (bytes(32), bit(Cause.FORBIDDEN))
    assert fresh.command("LOAD_KAT", 3) == "OK"
    assert fresh.field("STATUS", "APPROVED") == 0
    assert fresh.window(3, text, TWEAK)[0] == encrypted(KAT_KEY[:32], TWEAK, text)
    got = fresh.play(fresh.requests([Request(text, TWEAK, False, slot=3)], quiet=200))
    assert not len(got.out) and [fault for _, fault in got.faults] == [1 << bit(Cause.FORBIDDEN)]
    assert fresh.command("UNLOAD", 3) == "OK" and fresh.field("STATUS", "APPROVED") == 1


def test_a_limit_of_blocks(fresh):
    text = data("text", 48)
    fresh.set("LIMIT_LO", 9)
    fresh.set("LIMIT_HI", 0)
    fresh.set("WARN_LO", 4)
    fresh.set("WARN_HI", 0)
    fresh.load_key(KEY, 4)
    fresh.load_key(OTHER, 0)
    fresh.set("SLOT_SELECT", 4)
    fresh.set("IRQ_STATUS", 255)
    marks = []
    for _ in range(3):
        assert fresh.window(4, text, TWEAK) == (encrypted(KEY, TWEAK, text), None)
        marks.append((fresh.field("SLOT_STATE", "WARNED"), fresh.field("SLOT_STATE", "EXHAUSTED")))
    assert marks == [(0, 0), (1, 0), (1, 1)]
    assert fresh.field("IRQ_STATUS", "WARN") == fresh.field("IRQ_STATUS", "LIMIT") == 1
    assert fresh.window(4, text, TWEAK) == (bytes(48), bit(Cause.LIMIT))
    got = fresh.play(fresh.requests([Request(text, TWEAK, False, slot=slot) for slot in (4, 0)], quiet=200))
    assert bytes(got.out.reshape(-1)) == encrypted(OTHER, TWEAK, text)
    assert [fault for _, fault in got.faults] == [1 << bit(Cause.LIMIT)]
    assert fresh.command("UNLOAD", 4) == "OK"
    fresh.load_key(KEY, 4)
    assert fresh.window(4, text, TWEAK)[0] == encrypted(KEY, TWEAK, text)
    assert fresh.get("SLOT_BLOCKS_LO") == 3


def test_faults_and_interrupts(fresh):
    assert fresh.get("FIRST_FAULT") == 0
    fresh.set("IRQ_STATUS", 255)
    fresh.set("IRQ_ENABLE", 2)
    bad = [Request(data("a", 16), TWEAK, False, slot=slot) for slot in (3, 70, 3)]
    record = fresh.play(fresh.requests(bad, quiet=100))
    assert len(record.faults) == 3 and record.words.levels["irq"][-1][1] == 1
    assert fresh.field("FIRST_FAULT", "SLOT") == 3 and fresh.field("FIRST_FAULT", "CAUSE") == bit(Cause.SLOT)
    assert fresh.get("FAULT_COUNT", bit(Cause.SLOT)) == 3
    fresh.set("IRQ_STATUS", 2)
    assert fresh.wait(3).levels["irq"][-1][1] == 0
    fresh.set("FAULT_CLEAR", 1)
    assert fresh.get("FIRST_FAULT") == fresh.get("FAULT_COUNT", bit(Cause.SLOT)) == 0


def test_the_window_holds_the_stream_and_neither_sees_the_other(fresh):
    """Sectors stream while the window is used: each comes out once and right, on its own side."""
    fresh.load_key(KEY, 0)
    fresh.load_key(OTHER, 1)
    text = data("text", 64)
    asked = fresh.fill_window(1, text, TWEAK)
    requests = [Request(data(n, 64), data(-n, 16), False, slot=0) for n in range(80)]
    script = fresh.requests(requests, quiet=400)
    start = fresh.writes("ENGINE", fresh.place("WINDOW_REQUEST")[1], asked)
    start["aw"]["earliest"] = start["w"]["earliest"] = 200
    script.words = {**script.words, **start}
    script.wanted = {**script.wanted, "b": 1}
    got = fresh.play(script)
    assert [bytes(each) for each in got.sectors] == [encrypted(KEY, r.tweak, r.data) for r in requests]
    assert len(got.computed) == 80 and fresh.field("WINDOW_STATUS", "DONE") == 1
    assert fresh.take("WINDOW_DATA_OUT", 64) == encrypted(OTHER, TWEAK, text)
    begun = [b - a for a, b in zip(got.first_in, got.first_in[1:], strict=False)]
    assert max(begun) > core().timing.interval  # the window stood between two of them


def test_commands_disturb_no_other_slot(model):
    """With the same stream, each beat in and out is in the same cycle with and without commands for another slot."""
    records = []
    for command in (None, "LOAD", "UNLOAD"):
        with model.fresh() as engine:
            engine.until("SELFTEST", "DONE", 1, core().timing.selftest)
            engine.load_key(KEY, 0)
            if command == "UNLOAD":
                engine.load_key(OTHER, 1)
            start = engine.prepare(command or "LOAD", 1, OTHER if command != "UNLOAD" else b"")
            script = engine.requests([Request(data(n, 64), TWEAK, False, slot=0) for n in range(60)], quiet=100)
            if command:
                words = engine.writes("KEY", engine.place("CTRL")[1], start)
                words["key_aw"]["earliest"] = words["key_w"]["earliest"] = 50
                script.words = {**script.words, **words}
            records.append(engine.play(script))
            if command:
                assert engine.finish() == "OK"
    for record in records[1:]:
        assert (record.beats_in == records[0].beats_in).all() and (record.out_cycle == records[0].out_cycle).all()
        assert (record.out == records[0].out).all()


def test_an_image_goes_through_an_engine():
    sectors = np.frombuffer(data("image", 64 * 9), np.uint8).reshape(9, 64)
    tweaks = np.frombuffer(data("tweaks", 16 * 9), np.uint8).reshape(9, 16)
    with make("rtl", core(), [KEY], decrypt=False, threads=1) as through:
        (got,) = through.crypt([(sectors, tweaks, 0)])
    right = [encrypted(KEY, tweak.tobytes(), sector.tobytes()) for tweak, sector in zip(tweaks, sectors, strict=True)]
    assert [each.tobytes() for each in got] == right
    with pytest.raises(UserError, match="^key must be 32 bytes, got 16$"):
        make("rtl", core(), [KEY[:16]], decrypt=False)


@pytest.mark.parametrize("how", ["pin", "register", "command"])
def test_zeroize_forgets_all(fresh, how):
    fresh.load_key(KEY, 1)
    fresh.window(1, KEY, TWEAK)
    if how == "pin":
        fresh.bus(Script(events=[zeroize_at(0)], quiet=2))
    elif how == "register":
        fresh.set("ZEROIZE", 1)
    else:
        assert fresh.command("ZEROIZE") == "OK"
    fresh.until("STATUS", "READY", 1, core().timing.zeroize)
    assert slots(fresh) == [0] * (SLOTS + 1)
    assert (
        {fresh.get("WINDOW_DATA_OUT", n) for n in range(16)} == {fresh.get("WINDOW_TWEAK", n) for n in range(4)} == {0}
    )
    assert status(fresh) == (0, 1, 1, GONE)
    assert fresh.window(1, KEY, TWEAK) == (bytes(32), bit(Cause.SLOT))
    fresh.load_key(KEY, 1)
    assert fresh.window(1, KEY, TWEAK)[0] == encrypted(KEY, TWEAK, KEY)


def test_cycles_of_commands_are_as_stated(fresh):
    """From a write of EXE that takes effect to DONE, and the bounds of an unload and of clearing."""
    t = core().timing
    measured = {}
    for name, command, slot, key in (
        ("load", "LOAD", 1, KEY),
        ("refused", "LOAD", 1, OTHER),
        ("unload", "UNLOAD", 1, b""),
    ):
        start = fresh.prepare(command, slot, key)
        fresh.set("IRQ_STATUS", 255)
        fresh.set("IRQ_ENABLE", 1)
        record = fresh.bus(Script(words=fresh.writes("KEY", 0x80, start), wanted={"key_b": 1}, quiet=200, capacity=4))
        effect = int(record.words["key_b"]["cycle"][0]) - 1
        raised = next(cycle for cycle, value in record.levels["irq"] if value)
        measured[name] = raised - effect
        fresh.finish()
    assert measured["refused"] == t.refused and measured["load"] == t.load
    assert 0 < measured["unload"] <= t.unload


@pytest.mark.slow
def test_a_wrong_answer_of_the_self_test_stops_the_engine(monkeypatch):
    def wrong(number):
        real = engines.TestAnswer
        made = []

        def answer(tweak, given, decrypt, right):
            made.append(None)
            flipped = bytes([right[0] ^ (len(made) == number), *right[1:]])
            return real(tweak, given, decrypt, flipped)

        return answer

    monkeypatch.setattr(engines, "TestAnswer", wrong(2))
    changes = {"sector_bytes": 48, "slots": 2, "key_bits": 128, "registers": "axi4-lite"}
    bad = replace(contract("xts-both-k", changes), called="wrong_answer")
    with EngineSimulation(bad) as engine:
        engine.until("SELFTEST", "DONE", 1, bad.timing.selftest)
        assert engine.field("SELFTEST", "PASSED") == 0 and engine.field("SELFTEST", "FAILED") == 1
        assert engine.field("STATUS", "FATAL") == 1 and engine.field("CTRL", "RDY") == 0
        with pytest.raises(SimulationError, match="STATUS.READY is not 1"):
            engine.load_key(KEY, 0)
        assert refused(engine, "SELFTEST", 1) and engine.field("SELFTEST", "BUSY") == 0
        record = engine.simulation.play(Script(words=engine.requests([Request(KEY, TWEAK, False)]).words, limit=300))
        assert (record.accepted["i"] < 0).all() and not len(record.words["o"])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"slots": 0, "registers": "axi4-lite"}, "registers must be none without slots"),
        ({"registers": "apb"}, "registers must be one of none, axi4-lite"),
        ({"registers": "axi4-lite", "key_width": 32}, "key_width must be 0 with registers"),
    ],
)
def test_bad_parameters(changes, says):
    with pytest.raises(UserError, match=says):
        contract("xts-enc-k", changes)


def test_a_write_in_the_cycle_of_a_clear_is_lost(fresh):
    """A word of a key that comes while the engine clears itself is not kept."""
    words = fresh.writes("KEY", 0, 0x12345678)
    fresh.bus(
        Script(
            words=words, wanted={"key_b": 1}, events=[ScriptEvent("zeroize", 1, 1, clears=True)], quiet=0, capacity=4
        )
    )
    assert refused(fresh, "MEK", 0x12345678) and fresh.field("STATUS", "CLEARING") == 1
    fresh.until("STATUS", "READY", 1, 2 * core().timing.zeroize)
    assert fresh.command("LOAD", 1, KEY[4:]) == "INCOMPLETE"


def test_a_command_that_clearing_meets_ends_once(fresh):
    """In whichever of its cycles: it ends as refused before clearing, or as lost after it, and keeps its error."""
    ended = set()
    for cycle in range(4, core().timing.refused + 6):
        words = fresh.writes("KEY", 0x80, fresh.prepare("LOAD", SLOTS, KEY))
        events = [zeroize_at(cycle)]
        fresh.bus(Script(words=words, wanted={"key_b": 1}, events=events, quiet=4, capacity=4))
        done, error = fresh.field("CTRL", "DONE"), fresh.field("CTRL", "ERR")
        assert fresh.field("STATUS", "CLEARING") == 1
        fresh.until("STATUS", "READY", 1, 2 * core().timing.zeroize)
        if done:
            assert fresh.field("CTRL", "ERR") == error
        ended.add((done, fresh.finish()))
    assert ended == {(1, "NO_SLOT"), (0, "CLEARED")}


def test_a_model_begins_in_any_state(model):
    """Power-up values of registers and memories change nothing."""
    with model.fresh(7) as engine:
        engine.until("SELFTEST", "DONE", 1, core().timing.selftest)
        assert engine.field("SELFTEST", "PASSED") == 1 and slots(engine) == [0] * (SLOTS + 1)
