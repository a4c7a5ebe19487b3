# SPDX-License-Identifier: Apache-2.0
"""The registers of an engine for all firmware."""

from collections.abc import Iterator
from dataclasses import dataclass

from wideblock.rtl.stream.behaviour import Fault

from .registers import (
    REGISTER_BITS,
    REGISTER_BYTES,
    Access,
    Register,
    RegisterField,
    RegisterMap,
    RegisterValue,
    data_word,
    register_words,
)

__all__ = ["GONE", "IDENTIFICATION", "MOST_WINDOW_BYTES", "NOT_RUN", "EngineFacts", "engine_map"]

IDENTIFICATION = int.from_bytes(b"wdbk", "little")
"""Register ID: four letters, the first in bits 7..0."""

MOST_WINDOW_BYTES = 4096
"""Bytes of the longest sector for the window."""

NOT_RUN = 255
"""Value of SELFTEST.FAILED if the test could not run because the slot holds a key."""

GONE = 31
"""Cause of a request of the window without a result, if no bit of ``fault`` tells the cause."""

_COUNT_BITS = 16  # of a counter of faults
_BLOCKS_BITS = 45  # of a counter of blocks: counts to 2^44, and one more bit says that it is there
_FIXED = 0x40  # offset of the counters of faults, of which there are up to 31
_SLOTS = 0xC0
_WINDOW = 0x100
_DATA_IN, _DATA_OUT = 0x1000, 0x2000  # the same for a window of any size


@dataclass(frozen=True)
class EngineFacts:
    """Facts of a core with slots and of its engine on which the registers depend.

    scheme:       name of the scheme, at most 8 ASCII characters
    slots:        number of key slots
    key_bits:     bits of one AES key
    lanes:        blocks a step
    sector_bytes: bytes of the sectors of the cycle contract
    directions:   directions of the core; False: encryption, True: decryption
    tweak_bytes:  bytes of a tweak, a multiple of 4 up to 32
    window_bytes: bytes of the longest sector for the window, a multiple of 4; 0: no window
    faults:       causes, by their bit of ``fault``; at most 31
    tweak_offset: AUX may have an offset of tweaks
    shortest:     bytes of the shortest sector for the window
    tag_bits:     bits of a request's tag; 0: no tag
    header:       a request precedes the data, in separate beats

    Raises ValueError for facts too large for the registers.
    """

    scheme: str
    slots: int
    key_bits: int
    lanes: int
    sector_bytes: int
    directions: tuple[bool, ...]
    tweak_bytes: int
    window_bytes: int
    faults: tuple[Fault, ...]
    tweak_offset: bool = False
    shortest: int = 16
    tag_bits: int = 0
    header: bool = False

    def __post_init__(self):
        name = self.scheme.encode()
        if not 1 <= len(name) <= 8 or not name.isascii():
            raise ValueError(f"the name of a scheme must be 1 to 8 ASCII characters, got {self.scheme!r}")
        if self.window_bytes % REGISTER_BYTES or not 0 <= self.window_bytes <= MOST_WINDOW_BYTES:
            raise ValueError(
                f"a window must be of a multiple of 4 bytes up to {MOST_WINDOW_BYTES}, got {self.window_bytes}"
            )
        if self.tweak_bytes % REGISTER_BYTES or not 0 <= self.tweak_bytes <= 32:
            raise ValueError(f"a tweak must be of a multiple of 4 bytes up to 32, got {self.tweak_bytes}")
        if not 1 <= len(self.faults) <= 31:
            raise ValueError(f"there must be 1 to 31 causes of faults, got {len(self.faults)}")
        if not 2 <= self.slots < 1 << 16:
            raise ValueError(f"slots must be 2 to {(1 << 16) - 1}, got {self.slots}")


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
            *(_window(facts) if facts.window_bytes else ()),
        ),
    )


def _constant(name: str, low: int, bits: int, value: int, text: str) -> RegisterField:
    return RegisterField(name, low, bits, Access.RO, text, reset=value)


def _constants(facts: EngineFacts) -> Iterator[Register]:
    letters = _constant("ID", 0, 32, IDENTIFICATION, "the letters wdbk, w in bits 7..0")
    yield Register("ID", 0x00, "Kind of the device.", (letters,))
    yield Register(
        "VERSION",
        0x04,
        "Version of this register map. Another MAJOR is not compatible; a higher MINOR has more registers.",
        (_constant("MINOR", 0, 16, 0, "minor number"), _constant("MAJOR", 16, 16, 1, "major number")),
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
            _constant("TWEAK_BYTES", 0, 8, facts.tweak_bytes, "bytes of a tweak"),
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
        ),
    )


def _scheme(name: str) -> Iterator[Register]:
    """The name of the scheme, four letters a register."""
    words = register_words(name.encode().ljust(8, b"\0"))
    for number, (word, which) in enumerate(zip(words, ("first", "next"), strict=True)):
        letters = _constant("LETTERS", 0, 32, word, f"the {which} four letters, the first of them in bits 7..0")
        text = "Name of the scheme in lower-case ASCII, filled up with zeros."
        yield Register(f"SCHEME{number}", 0x14 + 4 * number, text, (letters,))


def _state(name: str, low: int, text: str) -> RegisterField:
    """A bit that shows a state of the engine."""
    return RegisterField(name, low, 1, Access.RO, text, volatile=True)


def _status() -> Iterator[Register]:
    yield Register(
        "STATUS",
        0x20,
        "State at the time of the read.",
        (
            _state(
                "READY", 0, "commands and sectors are accepted; the same as CTRL.RDY of the key registers and pin ready"
            ),
            _state("CLEARING", 1, "the engine clears itself, after reset or zeroize"),
            _state("COMMAND", 2, "a command of the key registers runs"),
            _state("WINDOW", 3, "a sector of the window is under way"),
            _state("SELFTEST", 4, "the self-test runs"),
            _state("APPROVED", 5, "the last self-test has passed, and no slot has the key of known-answer tests"),
            _state("FATAL", 6, "the self-test has failed or a key was damaged; only a reset ends this state"),
        ),
    )
    causes = (
        ("COMMAND", "a command of the key registers has ended"),
        ("FAULT", "a request or key was refused; FAULT_COUNT has the cause"),
        ("WARN", "a slot has enciphered WARN blocks"),
        ("LIMIT", "a slot has enciphered LIMIT blocks, and refuses more"),
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
            _state("VALID", 31, "there was a fault"),
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
            _state("LOADED", 0, "it has a key"),
            _state("KAT", 1, "the key is that of known-answer tests; only the window may name the slot"),
            _state("LOCKED", 2, "the key stays until zeroize"),
            _state("CLOSING", 3, "the key ends; sectors that began before finish"),
            _state("NO_ENCRYPT", 4, "requests to encrypt are refused"),
            _state("NO_DECRYPT", 5, "requests to decrypt are refused"),
            _state("WARNED", 6, "the key has enciphered WARN blocks"),
            _state("EXHAUSTED", 7, "the key has enciphered LIMIT blocks, and refuses more"),
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
        "Clears all keys, slots and data under way, at once, and ends all that waits for a stalled stream.",
        (RegisterField("START", 0, 1, Access.W1P, "starts it; STATUS.CLEARING is 1 until it has ended"),),
    )
    yield Register(
        "SELFTEST",
        0xE8,
        "Known answers through the engine, in the last slot, which must have no key. It waits for a sector's end, and "
        "for the core to be empty; then requests and commands wait for it. It uses no register of keys or window.",
        (
            RegisterField("START", 0, 1, Access.W1P, "starts it; SLVERR while BUSY or STATUS.FATAL is 1"),
            _state("BUSY", 1, "it runs"),
            _state("DONE", 2, "it has ended since reset; 0 while BUSY"),
            _state("PASSED", 3, "with DONE: every answer was right"),
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


def _sizes(facts: EngineFacts) -> str:
    """Sizes of the window's sectors in words."""
    most = facts.window_bytes
    return f"always {most}" if facts.shortest == most else f"{facts.shortest} to {most}"


def _window(facts: EngineFacts) -> Iterator[Register]:
    yield Register(
        "WINDOW_REQUEST",
        _WINDOW,
        "Request of the sector in WINDOW_DATA_IN. One write may set all fields. A write with START while "
        "WINDOW_STATUS.BUSY is 1 is answered with SLVERR and changes nothing.",
        (
            RegisterField("SLOT", 0, 16, Access.RW, "slot of the key"),
            RegisterField("DECRYPT", 16, 1, Access.RW, "0: encrypt, 1: decrypt"),
            RegisterField("START", 31, 1, Access.W1P, "starts it"),
        ),
    )
    gone = RegisterValue(
        "GONE",
        GONE,
        "no request was refused: the engine has cleared itself, the key of the slot has ended, or the window is closed",
    )
    refused = RegisterField(
        "CAUSE", 8, 5, Access.RO, "with FAULT: cause as in FIRST_FAULT, or GONE", volatile=True, values=(gone,)
    )
    yield Register(
        "WINDOW_STATUS",
        _WINDOW + 4,
        "State of the request. DONE stays until the next START. FAULT rises later, too, as the engine clears itself or "
        "the key of the slot ends: then the result is gone.",
        (
            _state("BUSY", 0, "the request is under way"),
            _state("DONE", 1, "it has ended: WINDOW_DATA_OUT has the result"),
            _state("FAULT", 2, "with DONE: there is no result, for CAUSE"),
            refused,
        ),
    )
    yield Register(
        "WINDOW_SIZE",
        _WINDOW + 8,
        f"Bytes of the sector, {_sizes(facts)}.",
        (RegisterField("BYTES", 0, 16, Access.RW, "number of bytes", reset=facts.window_bytes),),
    )
    yield from _window_words(facts)


def _window_words(facts: EngineFacts) -> Iterator[Register]:
    """Tweak, data and result of a request."""
    if facts.tweak_bytes:
        yield Register(
            "WINDOW_TWEAK",
            _WINDOW + 16,
            "Tweak of the request; byte n of it in byte n of the range. A write while WINDOW_STATUS.BUSY or "
            "STATUS.CLEARING is 1 is answered with SLVERR and changes nothing.",
            data_word("bytes of the tweak, the first in bits 7..0", Access.RW),
            count=facts.tweak_bytes // REGISTER_BYTES,
        )
    words = facts.window_bytes // REGISTER_BYTES
    yield Register(
        "WINDOW_DATA_IN",
        _DATA_IN,
        "The sector; byte n of it in byte n of the range. It stays until overwritten or the engine clears itself. "
        "A write while WINDOW_STATUS.BUSY or STATUS.CLEARING is 1 is answered with SLVERR and changes nothing.",
        data_word("bytes of the sector, the first in bits 7..0", Access.WO),
        count=words,
    )
    yield Register(
        "WINDOW_DATA_OUT",
        _DATA_OUT,
        "The result, where WINDOW_STATUS has DONE and not FAULT, else 0. Words beyond the request's bytes are 0.",
        data_word("bytes of the result, the first in bits 7..0", Access.RO, volatile=True),
        count=words,
    )
