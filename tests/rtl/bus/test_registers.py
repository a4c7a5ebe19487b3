# SPDX-License-Identifier: Apache-2.0
"""Registers as values: the checks of a description, and the two maps of an engine."""

from dataclasses import replace

import pytest

from wideblock.rtl.bus.engine_facts import MOST_WINDOW_BYTES, EngineFacts
from wideblock.rtl.bus.engine_map import engine_map
from wideblock.rtl.bus.key_map import KAT_KEY, KEY_MAP, CommandError, KeyCommand
from wideblock.rtl.bus.registers import Access, Register, RegisterField, RegisterMap, RegisterValue
from wideblock.rtl.stream.behaviour import Cause, Fault

pytestmark = pytest.mark.shows("registers")

BIT = RegisterField("A", 0, 1, Access.RW, "a bit")
FAULTS = (Fault(Cause.SHORT, "too short"), Fault(Cause.KEEP, "a hole"), Fault(Cause.KEEP, "not full"))
FACTS = EngineFacts("toy", 256, 256, 2, 4096, (False, True), 16, 512, FAULTS)


def register(offset=0, fields=(BIT,), **rest):
    return Register(rest.pop("name", "R"), offset, "text", fields, **rest)


def field(low, bits, **rest):
    return replace(BIT, low=low, bits=bits, **rest)


MISTAKES = [
    (lambda: field(0, 0), "within bits 31 to 0, got low 0, bits 0"),
    (lambda: field(31, 2), "within bits 31 to 0, got low 31, bits 2"),
    (lambda: field(-1, 2), "got low -1"),
    (lambda: field(0, 2, reset=4), "has 2 bits; reset 4 does not fit"),
    (lambda: field(0, 2, reset=-1), "reset -1 does not fit"),
    (lambda: field(0, 2, reset=1, access=Access.WO), "reads 0, so its reset must be 0"),
    (lambda: field(0, 2, reset=1, access=Access.W1P), "reads 0, so its reset must be 0"),
    (lambda: field(0, 1, values=(RegisterValue("X", 2, ""),)), "X 2 does not fit"),
    (lambda: field(0, 1, values=(RegisterValue("x", 1, ""),)), "capitals"),
    (lambda: field(0, 2, values=(RegisterValue("X", 1, ""), RegisterValue("X", 2, ""))), "'?X'? twice"),
    (lambda: field(0, 2, values=(RegisterValue("X", 1, ""), RegisterValue("Y", 1, ""))), "1 twice"),
    (lambda: replace(BIT, name="A__B"), "single underscores"),
    (lambda: register(2), "a multiple of 4 bytes, got 0x2"),
    (lambda: register(-4), "a multiple of 4 bytes"),
    (lambda: register(0, count=0), "once or more often, got 0"),
    (lambda: register(0, ()), "must have a field"),
    (lambda: register(0, (field(0, 2), field(1, 1, name="B"))), "B of register R overlaps"),
    (lambda: register(0, (field(4, 2), field(1, 1, name="B"))), "B of register R overlaps another or is out of order"),
    (lambda: register(0, (field(0, 1), field(1, 1))), "fields of register R must differ"),
    (lambda: register(0, name="r"), "capitals"),
    (lambda: RegisterMap("M", "", ()), "must have a register"),
    (lambda: RegisterMap("M", "", (register(0, count=2), register(4, name="S"))), "S at 0x4 overlaps .* offset is 0x8"),
    (lambda: RegisterMap("M", "", (register(4), register(0, name="S"))), "out of order"),
    (lambda: RegisterMap("M", "", (register(0), register(4))), "registers of register map M must differ"),
    (lambda: replace(FACTS, scheme="much-too-long"), "1 to 8 ASCII characters"),
    (lambda: replace(FACTS, window_bytes=MOST_WINDOW_BYTES + 16), "4 bytes up to 4096, got 4112"),
    (lambda: replace(FACTS, window_bytes=22), "multiple of 4 bytes"),
    (lambda: replace(FACTS, tweak_bytes=256), "multiple of 4 bytes up to 252, got 256"),
    (lambda: replace(FACTS, faults=()), "1 to 31 causes"),
    (lambda: replace(FACTS, slots=1), "slots must be 2 to 65535, got 1"),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes_are_refused_in_one_line(number):
    make, message = MISTAKES[number]
    with pytest.raises(ValueError, match=message) as error:
        make()
    assert "\n" not in str(error.value)


def test_values_that_follow_from_a_description():
    fields = (
        field(0, 4, access=Access.RO, reset=5),
        field(4, 4, name="B", access=Access.WO),
        field(8, 2, name="C", reset=2),
        field(31, 1, name="D", access=Access.W1S),
    )
    first, second, third = register(0, fields, count=2), register(8, name="S"), register(0x20, name="T")
    assert (first.reset, first.readable, first.bytes) == (0x205, 0x8000030F, 8)
    assert fields[0].constant and not replace(fields[0], volatile=True).constant and not fields[2].constant
    whole = RegisterMap("M", "", (first, second, third))
    assert list(whole.ranges()) == [(0, 12), (0x20, 0x24)]
    assert (whole.address_bits, whole.bytes) == (6, 64)
    assert (whole.offset("R", 1), whole.offset("T")) == (4, 0x20)
    assert whole.register("S") is second and first.field("C") is fields[2]
    with pytest.raises(IndexError, match="numbers 0 to 1, got 2"):
        whole.offset("R", 2)
    with pytest.raises(KeyError, match="no register X; it has R, S, T"):
        whole.register("X")
    with pytest.raises(KeyError, match="no field X; there are A, B, C, D"):
        first.field("X")


def test_key_registers_are_those_of_the_standard():
    """Source: OCP L.O.C.K. 1.1 (RC4), "Encryption engine interface"."""
    found = {}
    for each in KEY_MAP.registers:
        name = each.name.split("_")[0]
        start, size = found.get(name, (each.offset, 0))
        assert start + size == each.offset  # the registers of one of the standard's are in a row
        found[name] = start, size + each.bytes
    assert found == {"MEK": (0x00, 64), "METD": (0x40, 20), "AUX": (0x60, 32), "CTRL": (0x80, 4)}
    assert list(KEY_MAP.ranges()) == [(0x00, 0x54), (0x60, 0x84)]
    places = {each.name: (each.low + each.bits - 1, each.low) for each in KEY_MAP.register("CTRL").fields}
    assert places == {"RDY": (31, 31), "ERR": (19, 16), "CMD": (5, 2), "DONE": (1, 1), "EXE": (0, 0)}
    assert all(each.reset == 0 for each in KEY_MAP.registers)
    assert KEY_MAP.register("MEK").readable == 0
    assert {each.value for each in KeyCommand} == {1, 2, 3, 4}
    assert {each.value for each in CommandError} == {0, 1, *range(4, 15)}
    assert len(KAT_KEY) == 64 and KAT_KEY[::16] == bytes((0x00, 0x11, 0x22, 0x33))


def test_engine_map_states_the_facts():
    engine = engine_map(FACTS)

    def value(register, name):
        return engine.register(register).field(name).reset

    assert value("ID", "ID").to_bytes(4, "little") == b"wdbk"
    assert [value("CAPS0", name) for name in ("SLOTS", "KEY_BITS")] == [256, 256]
    assert [value("CAPS1", name) for name in ("SECTOR_BYTES", "LANES")] == [4096, 2]
    assert [value("CAPS2", name) for name in ("ENCRYPT", "DECRYPT", "TWEAK_BYTES", "WINDOW_BYTES")] == [1, 1, 16, 512]
    assert value("CAPS2", "CAUSES") == len(FAULTS)
    letters = b"".join(value(f"SCHEME{number}", "LETTERS").to_bytes(4, "little") for number in range(2))
    assert letters == b"toy".ljust(8, b"\0")
    assert engine.register("FAULT_COUNT").count == len(FAULTS)
    causes = engine.register("FIRST_FAULT").field("CAUSE").values
    assert [(each.name, each.value) for each in causes] == [("SHORT", 0), ("KEEP1", 1), ("KEEP2", 2)]
    assert value("LIMIT_LO", "BLOCKS") | value("LIMIT_HI", "BLOCKS") << 32 == 1 << 44
    assert [engine.register(f"WINDOW_DATA_{way}").bytes for way in ("IN", "OUT")] == [512, 512]
    assert engine.register("WINDOW_TWEAK").bytes == 16


def test_a_window_states_bytes_of_a_tweak_where_requests_do():
    stated = engine_map(replace(FACTS, tweak_bytes=64, usual_tweak=20))
    size = stated.register("WINDOW_TWEAK_SIZE").field("BYTES")
    assert (size.bits, size.reset, stated.register("CAPS3").field("TWEAK_SIZE").reset) == (8, 20, 1)
    assert stated.register("WINDOW_TWEAK").bytes == 64
    assert not [each.name for each in engine_map(FACTS).registers if each.name == "WINDOW_TWEAK_SIZE"]


def test_offsets_do_not_depend_on_the_facts():
    def offsets(facts):
        return {each.name: each.offset for each in engine_map(facts).registers}

    most = offsets(replace(FACTS, window_bytes=MOST_WINDOW_BYTES, faults=FAULTS[:1] * 31, slots=1024))
    assert offsets(FACTS) == most
    without = offsets(replace(FACTS, window_bytes=0))
    assert without.items() < most.items() and not any(name.startswith("WINDOW") for name in without)
    only = engine_map(replace(FACTS, directions=(False,))).register("CAPS2")
    assert (only.field("ENCRYPT").reset, only.field("DECRYPT").reset) == (1, 0)
