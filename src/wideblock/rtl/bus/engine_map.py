# SPDX-License-Identifier: Apache-2.0
"""The registers of an engine for all firmware."""

from collections.abc import Iterator

from .engine_facts import NOT_RUN, EngineFacts
from .registers import (
    REGISTER_BITS,
    Access,
    Register,
    RegisterField,
    RegisterMap,
    RegisterValue,
    register_words,
    state_bit,
)
from .window_map import window_registers

__all__ = ["IDENTIFICATION", "engine_map"]

IDENTIFICATION = int.from_bytes(b"wdbk", "little")
"""Register ID: four letters, the first in bits 7..0."""

_COUNT_BITS = 16  # of a counter of faults
_BLOCKS_BITS = 45  # of a counter of blocks: counts to 2^44, and one more bit says that it is there
_FIXED = 0x40  # offset of the counters of faults, of which there are up to 31
_SLOTS = 0xC0
_STATED = "1: a request states the bytes of its tweak, one of the window in WINDOW_TWEAK_SIZE"


def engine_map(facts: EngineFacts) -> RegisterMap:
    """The registers for all firmware. Offsets do not depend on the facts; the window may be left out."""
    return RegisterMap(
        "ENGINE",
        "State, faults, interrupts, policy and self-test of the engine, and a window through which a sector can be "
        "passed. No key can be read or written here.",
        (
            *_constants(facts),
            *_status(),
            *_faults(facts),
            *_slots(),
            *_actions(),
            *(window_registers(facts) if facts.window_bytes else ()),
        ),
    )


def _constant(name: str, low: int, bits: int, value: int, text: str) -> RegisterField:
    return RegisterField(name, low, bits, Access.RO, text, reset=value)


def _constants(facts: EngineFacts) -> Iterator[Register]:
    sized = facts.usual_tweak is not None
    letters = _constant("ID", 0, 32, IDENTIFICATION, "the letters wdbk, w in bits 7..0")
    yield Register("ID", 0x00, "Kind of the device.", (letters,))
    yield Register(
        "VERSION",
        0x04,
        "Version of this register map. Another MAJOR is not compatible; a higher MINOR has more registers.",
        (_constant("MINOR", 0, 16, int(sized), "minor number"), _constant("MAJOR", 16, 16, 1, "major number")),
    )
    yield Register(
        "CAPS0",
        0x08,
        "Keys.",
        (
            _constant("SLOTS", 0, 16, facts.slots, "number of slots; they are 0 to SLOTS - 1"),
            _constant("KEY_BITS", 16, 16, facts.key_bits, "bits of one AES key"),
        ),
    )
    yield Register(
        "CAPS1",
        0x0C,
        "Sectors.",
        (
            _constant("SECTOR_BYTES", 0, 24, facts.sector_bytes, "bytes of a sector for which cycles are stated"),
            _constant("LANES", 24, 8, facts.lanes, "blocks of 16 bytes a step"),
        ),
    )
    yield Register(
        "CAPS2",
        0x10,
        "Features.",
        (
            _constant("TWEAK_BYTES", 0, 8, facts.tweak_bytes, f"bytes of a tweak{', at most' if sized else ''}"),
            _constant("ENCRYPT", 8, 1, False in facts.directions, "1: the engine encrypts"),
            _constant("DECRYPT", 9, 1, True in facts.directions, "1: the engine decrypts"),
            _constant("TWEAK_OFFSET", 10, 1, facts.tweak_offset, "1: AUX_OFFSET of the key registers counts"),
            _constant("CAUSES", 11, 5, len(facts.faults), "causes of faults, of which each has a FAULT_COUNT"),
            _constant("WINDOW_BYTES", 16, 16, facts.window_bytes, "bytes of the longest sector of the window; 0: none"),
        ),
    )
    yield from _scheme(facts.scheme)
    yield Register(
        "CAPS3",
        0x1C,
        "Requests of the stream.",
        (
            _constant("TAG_BITS", 0, 8, facts.tag_bits, "bits of a tag; 0: requests have none"),
            _constant("HEADER", 8, 1, facts.header, "1: a request comes before its data, in beats of its own"),
            *([_constant("TWEAK_SIZE", 9, 1, 1, _STATED)] if sized else []),
        ),
    )


def _scheme(name: str) -> Iterator[Register]:
    """The name of the scheme, four letters a register."""
    words = register_words(name.encode().ljust(8, b"\0"))
    for number, (word, which) in enumerate(zip(words, ("first", "next"), strict=True)):
        letters = _constant("LETTERS", 0, 32, word, f"the {which} four letters, the first of them in bits 7..0")
        text = "Name of the scheme in lower-case ASCII, filled up with zeros."
        yield Register(f"SCHEME{number}", 0x14 + 4 * number, text, (letters,))


def _status() -> Iterator[Register]:
    yield Register(
        "STATUS",
        0x20,
        "State at the time of the read.",
        (
            state_bit(
                "READY", 0, "commands and sectors are accepted; the same as CTRL.RDY of the key registers and pin ready"
            ),
            state_bit("CLEARING", 1, "the engine clears itself, after reset or zeroize"),
            state_bit("COMMAND", 2, "a command of the key registers runs"),
            state_bit("WINDOW", 3, "a sector of the window is under way"),
            state_bit("SELFTEST", 4, "the self-test runs"),
            state_bit("APPROVED", 5, "the last self-test has passed, and no slot has the key of known-answer tests"),
            state_bit("FATAL", 6, "the self-test has failed or a key was damaged; only a reset ends this state"),
        ),
    )
    causes = (
        ("COMMAND", "a command of the key registers has ended"),
        ("FAULT", "a request or key was refused; FAULT_COUNT has the cause"),
        ("WARN", "a slot has processed WARN blocks"),
        ("LIMIT", "a slot has processed LIMIT blocks, and refuses more"),
        ("WINDOW", "a sector of the window has ended"),
        ("SELFTEST", "the self-test has ended"),
        ("CLEARED", "the engine has cleared itself, after reset or zeroize"),
        ("FATAL", "the self-test has failed, or a key was damaged"),
    )
    yield Register(
        "IRQ_STATUS",
        0x24,
        "Events since they were cleared. An event in the cycle of a clear stays.",
        tuple(RegisterField(name, low, 1, Access.W1C, text, volatile=True) for low, (name, text) in enumerate(causes)),
    )
    yield Register(
        "IRQ_ENABLE",
        0x28,
        "Events for which irq is high: it is, while a bit of IRQ_STATUS and the same bit here are both 1.",
        tuple(RegisterField(name, low, 1, Access.RW, f"enable of {name}") for low, (name, _) in enumerate(causes)),
    )


def _faults(facts: EngineFacts) -> Iterator[Register]:
    names = [fault.cause.name or "" for fault in facts.faults]
    repeated = {name for name in names if names.count(name) > 1}
    causes = tuple(
        RegisterValue(f"{name}{bit}" if name in repeated else name, bit, fault.meaning)
        for bit, (name, fault) in enumerate(zip(names, facts.faults, strict=True))
    )
    yield Register(
        "FIRST_FAULT",
        0x2C,
        "The first fault since reset, zeroize or FAULT_CLEAR. Of several in one cycle, the one of the lowest bit.",
        (
            RegisterField("SLOT", 0, 16, Access.RO, "slot of the request or key", volatile=True),
            RegisterField("CAUSE", 16, 5, Access.RO, "cause, a bit of fault", volatile=True, values=causes),
            state_bit("VALID", 31, "there was a fault"),
        ),
    )
    yield Register(
        "FAULT_CLEAR",
        0x30,
        "Clears the log of faults.",
        (RegisterField("CLEAR", 0, 1, Access.W1P, "clears FIRST_FAULT and every FAULT_COUNT"),),
    )
    yield Register(
        "FAULT_COUNT",
        _FIXED,
        "Faults of each cause since reset, zeroize or FAULT_CLEAR; the number of the register is the number of the "
        "cause in FIRST_FAULT.",
        (
            RegisterField(
                "COUNT", 0, _COUNT_BITS, Access.RO, f"number; {(1 << _COUNT_BITS) - 1} means at least so", volatile=True
            ),
        ),
        count=len(facts.faults),
    )


def _slots() -> Iterator[Register]:
    def wide(name: str, offset: int, access: Access, text: str, *, volatile: bool, reset: int) -> Iterator[Register]:
        for half, low in (("LO", 0), ("HI", REGISTER_BITS)):
            bits = min(_BLOCKS_BITS - low, REGISTER_BITS)
            part = f"bits {low + bits - 1} to {low} of the number"
            value = reset >> low & ((1 << bits) - 1)
            field = RegisterField("BLOCKS", 0, bits, access, part, reset=value, volatile=volatile)
            yield Register(f"{name}_{half}", offset + low // 8, text, (field,))

    yield Register(
        "SLOT_SELECT",
        _SLOTS,
        "Slot that SLOT_STATE and SLOT_BLOCKS show.",
        (RegisterField("SLOT", 0, 16, Access.RW, "number of the slot"),),
    )
    yield Register(
        "SLOT_STATE",
        _SLOTS + 4,
        "State of the selected slot; 0 for a slot that does not exist.",
        (
            state_bit("LOADED", 0, "it has a key"),
            state_bit("KAT", 1, "the key is that of known-answer tests; only the window may name the slot"),
            state_bit("LOCKED", 2, "the key stays until zeroize"),
            state_bit("CLOSING", 3, "the key ends; sectors that began before finish"),
            state_bit("NO_ENCRYPT", 4, "requests to encrypt are refused"),
            state_bit("NO_DECRYPT", 5, "requests to decrypt are refused"),
            state_bit("WARNED", 6, "the key has processed WARN blocks"),
            state_bit("EXHAUSTED", 7, "the key has processed LIMIT blocks, and refuses more"),
        ),
    )
    blocks = (
        "Blocks of 16 bytes of the requests that the selected slot has admitted with its key; a request that the core "
        "drops later counts, too. A read of LO keeps HI for its read."
    )
    yield from wide("SLOT_BLOCKS", _SLOTS + 8, Access.RO, blocks, volatile=True, reset=0)
    most = 1 << (_BLOCKS_BITS - 1)
    limit = (
        "Blocks that a key may process. Three cycles after the last beat of a request its blocks are added, and "
        "compared with LIMIT as it is then: from LIMIT on, and from 2^44 on, the slot is EXHAUSTED, and refuses "
        "requests that begin later, until its key ends. A higher LIMIT does not change an exhausted slot; a lower one "
        "counts with the next request. While POLICY.FREEZE_LIMITS is 1 a write is answered with SLVERR. IEEE 1619-2025 "
        "limits AES-XTS to 2^44."
    )
    yield from wide("LIMIT", _SLOTS + 16, Access.RW, limit, volatile=False, reset=most)
    warn = "Blocks from which on IRQ_STATUS.WARN is set and SLOT_STATE.WARNED is 1; compared and frozen as LIMIT is."
    yield from wide("WARN", _SLOTS + 24, Access.RW, warn, volatile=False, reset=most - most // 16)


def _actions() -> Iterator[Register]:
    policy = (
        ("REPLACE", "a load for a slot with a key unloads that key first"),
        ("FREEZE_LOADS", "loads end with error LOCKED"),
        ("FREEZE_UNLOADS", "unloads, and loads that replace, end with error LOCKED"),
        ("FREEZE_LIMITS", "LIMIT and WARN cannot be written: SLVERR"),
        ("CLOSE_WINDOW", "the window starts no sector: a request ends with FAULT and cause GONE"),
    )
    yield Register(
        "POLICY",
        0xE0,
        "Choices that hold until reset; zeroize leaves them.",
        tuple(RegisterField(name, low, 1, Access.W1S, text) for low, (name, text) in enumerate(policy)),
    )
    yield Register(
        "ZEROIZE",
        0xE4,
        "Clears keys, slots and data under way, at once; ends commands and requests that wait for a stalled stream.",
        (RegisterField("START", 0, 1, Access.W1P, "starts it; STATUS.CLEARING is 1 until it has ended"),),
    )
    yield Register(
        "SELFTEST",
        0xE8,
        "Known answers through the engine, in the last slot, which must have no key. It waits for a sector's end, and "
        "for the core to be empty; then requests and commands wait for it. It uses no register of keys or window.",
        (
            RegisterField("START", 0, 1, Access.W1P, "starts it; SLVERR while BUSY or STATUS.FATAL is 1"),
            state_bit("BUSY", 1, "it runs"),
            state_bit("DONE", 2, "it has ended since reset; 0 while BUSY"),
            state_bit("PASSED", 3, "with DONE: every answer was right"),
            RegisterField(
                "FAILED",
                8,
                8,
                Access.RO,
                "number of the first answer that was wrong, from 0",
                volatile=True,
                values=(RegisterValue("NOT_RUN", NOT_RUN, "none: the test did not run, since its slot had a key"),),
            ),
        ),
    )
