# SPDX-License-Identifier: Apache-2.0
"""Registers of the window, for a sector from firmware."""

from collections.abc import Iterator

from .engine_facts import GONE, EngineFacts
from .registers import REGISTER_BYTES, Access, Register, RegisterField, RegisterValue, data_word, state_bit

__all__ = ["window_registers"]

_WINDOW = 0x100
_DATA_IN, _DATA_OUT = 0x1000, 0x2000  # the same for a window of any size


def _sizes(facts: EngineFacts) -> str:
    """Sizes of the window's sectors in words."""
    most = facts.window_bytes
    return f"always {most}" if facts.shortest == most else f"{facts.shortest} to {most}"


def window_registers(facts: EngineFacts) -> Iterator[Register]:
    """Request, state and words of the window in an engine of ``facts``."""
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
            state_bit("BUSY", 0, "the request is under way"),
            state_bit("DONE", 1, "it has ended: WINDOW_DATA_OUT has the result"),
            state_bit("FAULT", 2, "with DONE: there is no result, for CAUSE"),
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
    if facts.usual_tweak is not None:
        yield Register(
            "WINDOW_TWEAK_SIZE",
            _WINDOW + 12,
            f"Bytes of WINDOW_TWEAK that count, 0 to {facts.tweak_bytes}; more are refused with cause TWEAK.",
            (RegisterField("BYTES", 0, 8, Access.RW, "number of bytes", reset=facts.usual_tweak),),
        )
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
