# SPDX-License-Identifier: Apache-2.0
"""Short sequences on the buses of an engine: each once ended falsely, or never, or left a key, or might."""

import numpy as np
import pytest

from wideblock.drive.core import zeroize_at
from wideblock.drive.sector.traffic import Request
from wideblock.rtl.bus.axi_lite import OKAY, SLVERR
from wideblock.rtl.bus.engine_facts import GONE
from wideblock.rtl.bus.key_map import DONE, KeyCommand, started
from wideblock.simulation.script import Script

from .small_engine import SLOTS, core

pytestmark = pytest.mark.shows("engine")

KEY, OTHER, TWEAK = bytes(range(32)), bytes(range(32, 64)), bytes(range(16))
NO_DECRYPT, LOCKED = 2, 4


def encrypted(key, data):
    return core().specification(key).encrypt(TWEAK, data)


def loaded(engine):
    """Slots that have a key."""
    found = set()
    for slot in range(SLOTS):
        engine.set("SLOT_SELECT", slot)
        found |= {slot} if engine.field("SLOT_STATE", "LOADED") else set()
    return found


def after_test(engine):
    engine.until("SELFTEST", "DONE", 1, core().timing.selftest + 64)


def ready(engine):
    engine.until("STATUS", "READY", 1, 2 * core().timing.zeroize)


def zeroize(engine, cycles=1):
    engine.bus(Script(events=[zeroize_at(0, cycles)], quiet=cycles + 1))


def stuck(engine, slot):
    """A source that stops amid a unit of a slot."""
    script = engine.requests([Request(bytes(48), TWEAK, False, slot=slot)])
    script.words["i"]["earliest"][1:] = 1 << 20
    engine.simulation.play(Script(words=script.words, limit=60))


def together(engine, key, register):
    """Writes of both buses in the same cycles, each (name, value): responses."""
    words = {}
    for space, (name, value) in (("KEY", key), ("ENGINE", register)):
        words |= engine.writes(space, engine.place(name)[1], value)
    record = engine.bus(Script(words=words, wanted={"key_b": 1, "b": 1}, quiet=0, capacity=4))
    (one,), (other,) = (record.words[channel] for channel in ("key_b", "b"))
    assert one["cycle"] == other["cycle"]
    return int(one["resp"]), int(other["resp"])


def test_no_slot_has_a_key_while_a_level_is_held(fresh):
    for slot in range(SLOTS - 1):
        fresh.load_key(KEY, slot)
    fresh.set("SLOT_SELECT", 3)
    words = fresh.reads("ENGINE", fresh.place("SLOT_STATE")[1])
    words["ar"]["earliest"] = core().timing.zeroize
    level = [zeroize_at(0, 4 * core().timing.zeroize)]
    record = fresh.bus(Script(words=words, events=level, wanted={"r": 1}, quiet=0, capacity=4))
    assert not record.words["r"]["data"].any()


def test_a_load_beside_a_self_test_is_of_its_slot_and_limits(fresh):
    fresh.set("SELFTEST", 1)
    assert fresh.command("LOAD", 3, KEY, aux=NO_DECRYPT | LOCKED) == "OK"
    assert loaded(fresh) == {3} and fresh.window(3, KEY, TWEAK, decrypt=True)[1] is not None
    assert fresh.window(3, KEY, TWEAK) == (encrypted(KEY, KEY), None)


def test_a_key_whose_words_come_around_a_self_test_is_whole(fresh):
    start = fresh.prepare("LOAD", 1, KEY[:16])
    fresh.set("SELFTEST", 1)
    for index in range(4, 8):
        fresh.set("MEK", int.from_bytes(KEY[4 * index :][:4], "little"), index)
    after_test(fresh)
    fresh.set("CTRL", start)
    assert fresh.finish() == "OK" and fresh.window(1, OTHER, TWEAK) == (encrypted(KEY, OTHER), None)


def test_a_zeroize_between_words_and_exe_leaves_nothing_to_load(fresh):
    start = fresh.prepare("LOAD", 3, KEY)
    zeroize(fresh)
    ready(fresh)
    fresh.set("CTRL", start)
    assert fresh.finish() == "INCOMPLETE" and loaded(fresh) == set()


def test_done_is_cleared_while_the_engine_clears_itself(fresh):
    fresh.load_key(KEY, 2)
    fresh.set("CTRL", fresh.prepare("UNLOAD", 2))
    fresh.until("CTRL", "DONE", 1, core().timing.unload)
    fresh.set("ZEROIZE", 1)
    fresh.set("CTRL", DONE)
    assert fresh.field("STATUS", "CLEARING") == 1 and fresh.field("CTRL", "DONE") == 0
    ready(fresh)
    assert fresh.command("LOAD", 2, KEY) == "OK" and loaded(fresh) == {2}


def test_exe_ends_in_done_in_a_self_test_and_in_a_clear(fresh):
    start = fresh.prepare("LOAD", 1, KEY)
    fresh.set("SELFTEST", 1)
    fresh.set("CTRL", start)
    assert fresh.finish(core().timing.selftest + core().timing.load) == "OK"
    fresh.set("ZEROIZE", 1)
    fresh.set("CTRL", start)
    assert fresh.finish(8) == "BUSY"


def test_a_stopped_source_holds_its_own_slot_alone_and_zeroize_ends_the_wait(fresh):
    for slot in (1, 2):
        fresh.load_key(KEY, slot)
    stuck(fresh, 1)
    assert fresh.command("UNLOAD", 2, most=core().timing.unload) == "OK"
    fresh.set("CTRL", fresh.prepare("UNLOAD", 1))
    fresh.wait(2000)
    assert fresh.field("CTRL", "EXE") == 1
    fresh.set("CTRL", started(KeyCommand.ZEROIZE))
    assert fresh.finish(2 * core().timing.zeroize) == "OK" and loaded(fresh) == set()


def test_a_self_test_between_data_and_start_changes_neither(fresh):
    fresh.load_key(KEY, 1)
    asked = fresh.fill_window(1, OTHER, TWEAK)
    fresh.set("SELFTEST", 1)
    after_test(fresh)
    fresh.set("WINDOW_REQUEST", asked)
    fresh.until("WINDOW_STATUS", "DONE", 1, core().timing.window)
    assert fresh.take("WINDOW_DATA_OUT", 32) == encrypted(KEY, OTHER)


def test_a_result_ends_with_its_key_and_a_shorter_one_hides_it(fresh):
    for slot, key in ((1, KEY), (2, OTHER)):
        fresh.load_key(key, slot)
    fresh.window(1, bytes(64), TWEAK)
    assert fresh.window(2, bytes(16), TWEAK) == (encrypted(OTHER, bytes(16)), None)
    assert fresh.take("WINDOW_DATA_OUT", 64)[16:] == bytes(48)
    assert fresh.command("UNLOAD", 2) == "OK" and fresh.take("WINDOW_DATA_OUT", 16) == bytes(16)
    assert fresh.field("WINDOW_STATUS", "FAULT") == 1 and fresh.field("WINDOW_STATUS", "CAUSE") == GONE


def test_a_start_in_a_clear_ends_with_its_cause(fresh):
    fresh.set("ZEROIZE", 1)
    fresh.set("WINDOW_REQUEST", 1 << 31)
    assert fresh.field("STATUS", "CLEARING") == fresh.field("WINDOW_STATUS", "FAULT") == 1
    assert fresh.field("WINDOW_STATUS", "CAUSE") == GONE


def test_a_write_around_the_end_of_a_clear_counts_if_it_is_answered_okay(fresh):
    answers, metd = [], fresh.place("METD")[1]
    for moment in range(core().timing.zeroize - 6, core().timing.zeroize + 6):
        words = fresh.writes("KEY", metd, moment)
        for each in words.values():
            each["earliest"] = moment
        script = Script(words=words, wanted={"key_b": 1}, events=[zeroize_at(0)], quiet=0, capacity=4)
        answers.append(int(fresh.bus(script).words["key_b"]["resp"][0]))
        assert fresh.get("METD") == (moment if answers[-1] == OKAY else 0)
    assert answers == sorted(answers, reverse=True) and set(answers) == {OKAY, SLVERR}


def test_a_key_comes_byte_by_byte_at_the_addresses_of_bytes(fresh):
    start, mek = fresh.prepare("LOAD", 1, b""), fresh.place("MEK")[1]
    for at, byte in enumerate(KEY):
        assert (
            fresh.write("KEY", mek + at, 0xA5A5A5A5 & ~(0xFF << 8 * (at % 4)) | byte << 8 * (at % 4), 1 << at % 4)
            == OKAY
        )
    fresh.set("CTRL", start)
    assert fresh.finish() == "OK" and fresh.window(1, OTHER, TWEAK) == (encrypted(KEY, OTHER), None)


def test_both_buses_in_one_cycle(fresh):
    """Each takes effect: a self-test and a load, two zeroizes, a zeroize and an unload."""
    assert together(fresh, ("CTRL", fresh.prepare("LOAD", 1, KEY)), ("SELFTEST", 1)) == (OKAY, OKAY)
    assert fresh.finish() == "OK"
    after_test(fresh)
    assert fresh.field("SELFTEST", "PASSED") == 1 and loaded(fresh) == {1}
    for command in (KeyCommand.UNLOAD, KeyCommand.ZEROIZE):
        if command is KeyCommand.ZEROIZE:
            fresh.load_key(KEY, 1)
        fresh.prepare("UNLOAD", 1)
        assert together(fresh, ("CTRL", started(command)), ("ZEROIZE", 1)) == (OKAY, OKAY)
        assert fresh.finish() == ("CLEARED" if command is KeyCommand.UNLOAD else "OK")
        ready(fresh)
        assert loaded(fresh) == set()


def test_a_zeroize_in_the_last_cycle_of_a_command_is_refused_as_after_it(fresh):
    seen = []
    for later in range(2, core().timing.load + 4):
        writes = [
            fresh.writes("KEY", fresh.place("CTRL")[1], word)
            for word in (fresh.prepare("LOAD", 1, KEY), started(KeyCommand.ZEROIZE))
        ]
        words = {name: np.repeat(first, 2) for name, first in writes[0].items()}
        for name in words:
            words[name][1] = writes[1][name][0]
            words[name]["earliest"][1] = later
        record = fresh.bus(Script(words=words, wanted={"key_b": 2}, quiet=0, capacity=4))
        response = int(record.words["key_b"]["resp"][1])
        executing = fresh.field("CTRL", "EXE")
        assert fresh.finish(2 * core().timing.zeroize) == "OK" and executing == (response == OKAY)
        ready(fresh)
        assert loaded(fresh) == ({1} if response == SLVERR else set())
        if response == SLVERR:
            assert fresh.command("UNLOAD", 1) == "OK"
        seen.append(response)
    ended = seen.index(SLVERR)
    assert set(seen[:ended]) == {OKAY} and set(seen[ended:]) == {SLVERR}
