# SPDX-License-Identifier: Apache-2.0
"""The registers through which keys come to an engine.

Source: OCP L.O.C.K. 1.1 (RC4), "Encryption engine interface". Errors from 4 on are the engine's own; 4 to 6 have the
numbers of Caliptra's emulator.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import accumulate

from .registers import Access, Register, RegisterField, RegisterMap, RegisterValue, data_word

__all__ = ["DONE", "KAT_KEY", "KEY_MAP", "VERDICTS", "CodeWithText", "CommandError", "KeyCommand", "key_map", "started"]


class CodeWithText(IntEnum):
    """A code of a register's field; ``text`` is its meaning."""

    text: str

    def __new__(cls, code: int, text: str):
        made = int.__new__(cls, code)
        made._value_, made.text = code, text
        return made

    @classmethod
    def registered(cls) -> tuple[RegisterValue, ...]:
        """All codes, as a field has them."""
        return tuple(RegisterValue(each.name, each.value, each.text) for each in cls)


class KeyCommand(CodeWithText):
    """Commands of the key registers."""

    LOAD = 1, "load MEK with AUX into the slot"
    UNLOAD = 2, "end the key of the slot"
    ZEROIZE = 3, "clear all keys, slots and data under way"
    LOAD_KAT = 4, "load the constant key of known-answer tests into the slot; MEK is ignored"


class CommandError(CodeWithText):
    """Results of a command."""

    OK = 0, "done"
    COMMAND = 1, "no such command"
    NO_SLOT = 4, "no such slot"
    NOT_LOADED = 5, "the slot has no key"
    LOADED = 6, "the slot has a key, and POLICY.REPLACE is 0"
    METD = 7, "bits of METD that must be 0 are not"
    EQUAL_HALVES = 8, "the halves of MEK are equal, or those of its first 32 bytes"
    AUX = 9, "bits of AUX that must be 0 are not, or ask for more than the engine has"
    LOCKED = 10, "the slot is locked, or POLICY forbids the command"
    SELFTEST = 11, "the engine has failed: by its self-test, or by a damaged key"
    BUSY = 12, "RDY was 0 as EXE was written; nothing has changed, MEK, METD and AUX included"
    INCOMPLETE = 13, "bytes that the command needs were not written since DONE, or were wiped"
    CLEARED = 14, "the engine has cleared itself while the command was running"


VERDICTS = (
    CommandError.COMMAND,
    CommandError.INCOMPLETE,
    CommandError.METD,
    CommandError.NO_SLOT,
    CommandError.AUX,
    CommandError.NOT_LOADED,
    CommandError.LOADED,
    CommandError.LOCKED,
    CommandError.EQUAL_HALVES,
)
"""Errors of a command that is read and refused; of several that apply, the first in this order is the result."""

_FIRST = ", ".join(each.name for each in VERDICTS)

KAT_KEY = b"".join(bytes([number * 0x11]) * 16 for number in range(4))
"""The key that command ``LOAD_KAT`` loads: 16 bytes each of 00h, 11h, 22h and 33h."""


def _must_be_zero(low: int, bits: int, error: str) -> RegisterField:
    text = f"must be 0, else a command ends with error {error}"
    return RegisterField("ZERO", low, bits, Access.RW, text, volatile=True)


_CLEARED = "Cleared as DONE is cleared"
_HELD = "a write while EXE is 1 or the engine clears itself is answered with SLVERR and changes nothing"

KEY_MAP = RegisterMap(
    "KEY",
    "Registers through which keys are loaded and unloaded, those of OCP L.O.C.K. 1.1 (RC4) on the side of the "
    "encryption engine. Only the owner of keys should reach them.",
    (
        Register(
            "MEK",
            0x00,
            f"Key, byte n of it in byte n of the range; bytes beyond the key are ignored. Cleared when a command ends, "
            f"but with BUSY; {_HELD}. LOAD needs every byte of the key to be written since then.",
            data_word("bytes of the key, the first in bits 7..0", Access.WO),
            count=16,
        ),
        Register(
            "METD",
            0x40,
            f"Slot that a command is for. {_CLEARED}; {_HELD}. Commands but ZEROIZE need all 20 bytes of METD to be "
            f"written since then, loads all 32 bytes of AUX, too.",
            (
                RegisterField("SLOT", 0, 16, Access.RW, "number of the slot", volatile=True),
                _must_be_zero(16, 16, "METD"),
            ),
        ),
        Register(
            "METD_REST",
            0x44,
            f"The other bytes of METD. {_CLEARED}; {_HELD}.",
            (_must_be_zero(0, 32, "METD"),),
            count=4,
        ),
        Register(
            "AUX_OFFSET",
            0x60,
            "Offset of tweaks: the sum (XOR) of it and the tweak of a request is the tweak that counts. An engine "
            f"without it (CAPS2.TWEAK_OFFSET is 0) takes only 0, else a load ends with error AUX. {_CLEARED}; {_HELD}.",
            data_word("bytes of the offset, the first in bits 7..0", Access.RW, volatile=True),
            count=4,
        ),
        Register(
            "AUX_MODE",
            0x70,
            f"Limits of the slot. {_CLEARED}; {_HELD}.",
            (
                RegisterField("NO_ENCRYPT", 0, 1, Access.RW, "requests to encrypt are refused", volatile=True),
                RegisterField("NO_DECRYPT", 1, 1, Access.RW, "requests to decrypt are refused", volatile=True),
                RegisterField("LOCKED", 2, 1, Access.RW, "the key stays until zeroize", volatile=True),
                _must_be_zero(3, 29, "AUX"),
            ),
        ),
        Register(
            "AUX_REST",
            0x74,
            f"The other bytes of AUX. {_CLEARED}; {_HELD}.",
            (_must_be_zero(0, 32, "AUX"),),
            count=3,
        ),
        Register(
            "CTRL",
            0x80,
            "Start and result of a command. A write with DONE 1 clears DONE, ERR and CMD, and starts nothing. A write "
            "with EXE 1 and DONE 0 starts CMD; where RDY is 0 it ends at once with error BUSY. While DONE is 1, a "
            "write with DONE 0 is answered with SLVERR and changes nothing. While EXE is 1, a write with EXE 1, DONE 0 "
            "and CMD ZEROIZE gives up the running command and clears the engine; every other write is answered with "
            f"SLVERR and changes nothing. Of several errors, ERR is the first of {_FIRST}.",
            (
                RegisterField(
                    "EXE", 0, 1, Access.RW, "starts the command; 1 while it runs, 0 with DONE", volatile=True
                ),
                RegisterField("DONE", 1, 1, Access.W1C, "the command has ended, with ERR", volatile=True),
                RegisterField("CMD", 2, 4, Access.RW, "command", volatile=True, values=KeyCommand.registered()),
                RegisterField(
                    "ERR", 16, 4, Access.RO, "result of the command", volatile=True, values=CommandError.registered()
                ),
                RegisterField("RDY", 31, 1, Access.RO, "commands are accepted", volatile=True),
            ),
        ),
    ),
    channel="key",
)
"""Registers of the owner of keys."""


def key_map(words: str, sizes: Sequence[int]) -> RegisterMap:
    """:data:`KEY_MAP` with the ``words`` of a key, a noun phrase, and their bytes in the text of MEK."""
    mek, *others = KEY_MAP.registers
    ends = list(accumulate(sizes))
    places = ", ".join(f"{end - size} to {end - 1}" for end, size in zip(ends, sizes, strict=True))
    example = "A key that begins with bytes 00h, 01h, 02h, 03h has 03020100h as its first word."
    text = f"{mek.text} The key is {words}: bytes {places}. {example}"
    return replace(KEY_MAP, registers=(replace(mek, text=text), *others))


DONE = KEY_MAP.register("CTRL").field("DONE").mask
"""Word of CTRL that ends a command for its owner."""


def started(command: int) -> int:
    """Word of CTRL that starts a command by its code."""
    ctrl = KEY_MAP.register("CTRL")
    return command << ctrl.field("CMD").low | ctrl.field("EXE").mask
