# SPDX-License-Identifier: Apache-2.0
"""Registers of the master that fetches units from memory and writes results back, and its formats in memory."""

from enum import IntEnum

from amaranth.lib import data

from wideblock.rtl.stream.sector import TWEAK_BITS

from .axi4 import ADDRESS_BITS
from .registers import REGISTER_BITS, Access, Register, RegisterField, RegisterMap, RegisterValue

__all__ = [
    "COMPLETION",
    "DESCRIPTOR",
    "DMA_IDENTIFICATION",
    "SEGMENT",
    "WINDOWS",
    "HaltCause",
    "JobStatus",
    "dma_map",
]

DMA_IDENTIFICATION = int.from_bytes(b"wdma", "little")
"""Register ID: four letters, the first in bits 7..0."""

WINDOWS = 4
"""Windows of addresses."""

DESCRIPTOR = data.StructLayout(
    {
        **{"source": ADDRESS_BITS, "target": ADDRESS_BITS},
        **{"bytes": 32, "units": 16, "slot": 16, "decrypt": 1, "long_tweak": 1, "reserved_flags": 30, "cookie": 32},
        **{"tweak": TWEAK_BITS, "step": 32},
        **{"source_segments": 16, "target_segments": 16, "reserved": 64},
    }
)
"""A descriptor of 64 bytes, byte 0 in bits 7..0. With ``long_tweak``, all behind ``tweak`` belongs to the tweak."""

SEGMENT = data.StructLayout({"address": ADDRESS_BITS, "bytes": 32, "reserved": 32})
"""An entry of a list of segments, 16 bytes, byte 0 in bits 7..0."""

COMPLETION = data.StructLayout(
    {"cookie": 32, "units": 16, "status": 8, "cause": 5, "reserved": 2, "phase": 1, "address": ADDRESS_BITS}
)
"""An entry of the completion ring, 16 bytes, byte 0 in bits 7..0."""


class JobStatus(IntEnum):
    """Result of a job."""

    OK = 0
    ENGINE = 1
    ALIGN = 2
    LENGTH = 3
    OVERLAP = 4
    WINDOW = 5
    READ = 6
    WRITE = 7
    LIST = 8
    DESCRIPTOR = 9
    FETCH = 10


class HaltCause(IntEnum):
    """Cause of the last halt."""

    NONE = 0
    STOP = 1
    CLEARED = 2
    JOB = 3
    COMPLETION = 4


_HALTS = {
    HaltCause.NONE: "none since START",
    HaltCause.STOP: "CONTROL.STOP",
    HaltCause.CLEARED: "the engine has cleared itself, or has failed",
    HaltCause.JOB: "a job ended with an error, and POLICY.STOP_ON_ERROR is 1",
    HaltCause.COMPLETION: "an entry of the completion ring could not be written",
}
_IDLE = "A write while STATUS.IDLE is 0 is answered with SLVERR and changes nothing."


def dma_map(*, beat_bytes: int, reads: int, jobs: int, long_tweaks: bool) -> RegisterMap:
    """The registers of a master with beats of ``beat_bytes``, ``reads`` and ``jobs`` under way at most.

    ``long_tweaks``: a job may have a tweak of 32 bytes
    """
    caps = (("BEAT_BYTES", 0, 8, beat_bytes, "bytes of a beat"), ("READS", 8, 8, reads, "bursts of data under way"))
    caps += (("JOBS", 16, 8, jobs, "jobs under way at most"), ("WINDOWS", 24, 4, WINDOWS, "windows of addresses"))
    caps += (("LISTS", 28, 1, 1, "1: a job may have lists of segments"),)
    caps += (("LONG_TWEAKS", 29, 1, int(long_tweaks), "1: a job may have a tweak of 32 bytes"),)
    return RegisterMap(
        "DMA",
        "Rings of jobs in memory: units are read from memory, processed by the engine, and written back. No register "
        "and no descriptor has a key.",
        (
            Register(
                "ID", 0x00, "Kind of the device.", (_constant("ID", 0, 32, DMA_IDENTIFICATION, "the letters wdma"),)
            ),
            Register(
                "VERSION",
                0x04,
                "Version of this register map. Another MAJOR is not compatible; a higher MINOR has more registers.",
                (_constant("MINOR", 0, 16, 0, "minor number"), _constant("MAJOR", 16, 16, 1, "major number")),
            ),
            Register("CAPS", 0x08, "Features.", tuple(_constant(*each) for each in caps)),
            *_control(),
            *_interrupts(),
            *_rings(),
            *_windows(),
        ),
        channel="dma",
    )


def _constant(name: str, low: int, bits: int, value: int, text: str) -> RegisterField:
    return RegisterField(name, low, bits, Access.RO, text, reset=value)


def _shown(name: str, low: int, bits: int, text: str, values: tuple[RegisterValue, ...] = ()) -> RegisterField:
    return RegisterField(name, low, bits, Access.RO, text, volatile=True, values=values)


def _control() -> tuple[Register, ...]:
    halts = tuple(RegisterValue(each.name, each, text) for each, text in _HALTS.items())
    return (
        Register(
            "CONTROL",
            0x0C,
            "Start and stop. START begins at entry 0 of both rings, with phase 1; it is answered with SLVERR unless "
            "STATUS.IDLE is 1 and the engine is ready. STOP ends all that runs: bursts that have begun are finished, "
            "writes without strobes, and no completion is written.",
            (
                RegisterField("START", 0, 1, Access.W1P, "starts the rings"),
                RegisterField("STOP", 1, 1, Access.W1P, "stops the rings"),
            ),
        ),
        Register(
            "STATUS",
            0x10,
            "State at the time of the read.",
            (
                _shown("RUNNING", 0, 1, "jobs are fetched and processed"),
                _shown("STOPPING", 1, 1, "bursts are finished and buffers are cleared"),
                _shown("IDLE", 2, 1, "nothing is under way"),
                _shown("HALT", 8, 4, "cause of the last halt", halts),
            ),
        ),
        Register(
            "POLICY",
            0x14,
            f"Choices. {_IDLE}",
            (RegisterField("STOP_ON_ERROR", 0, 1, Access.RW, "a job that ends with an error halts the rings"),),
        ),
    )


def _interrupts() -> tuple[Register, ...]:
    causes = (
        ("DONE", "completions were written, as COALESCE has it"),
        ("ERROR", "a job has ended with an error"),
        ("HALTED", "STATUS.IDLE has become 1"),
    )
    return (
        Register(
            "IRQ_STATUS",
            0x18,
            "Events since they were cleared. An event in the cycle of a clear stays.",
            tuple(
                RegisterField(name, low, 1, Access.W1C, text, volatile=True) for low, (name, text) in enumerate(causes)
            ),
        ),
        Register(
            "IRQ_ENABLE",
            0x1C,
            "Events for which irq is high, beside those of the engine.",
            tuple(RegisterField(name, low, 1, Access.RW, f"enable of {name}") for low, (name, _) in enumerate(causes)),
        ),
        Register(
            "COALESCE",
            0x20,
            "When IRQ_STATUS.DONE is set: COUNT completions after it was set last, or TIME after the first of them.",
            (
                RegisterField("COUNT", 0, 8, Access.RW, "number of completions; 0 counts as 1"),
                RegisterField("TIME", 16, 16, Access.RW, "microseconds; 0: no limit"),
            ),
        ),
        Register(
            "CLOCK",
            0x24,
            "Clock of the core.",
            (RegisterField("CYCLES", 0, 10, Access.RW, "cycles of a microsecond", reset=100),),
        ),
    )


def _address(name: str, offset: int, low: int, text: str) -> tuple[Register, ...]:
    return (
        Register(
            f"{name}_LO", offset, text, (RegisterField("ADDRESS", low, 32 - low, Access.RW, f"bits 31 to {low}"),)
        ),
        Register(f"{name}_HI", offset + 4, text, (RegisterField("ADDRESS", 0, 32, Access.RW, "bits 63 to 32"),)),
    )


def _rings() -> tuple[Register, ...]:
    return (
        Register(
            "RING",
            0x28,
            f"Size of both rings. {_IDLE}",
            (RegisterField("SIZE", 0, 4, Access.RW, "each has 2^SIZE entries; at least 1", reset=8),),
        ),
        Register(
            "DOORBELL",
            0x2C,
            "Tail of the submission ring. At most 2^SIZE - 1 jobs may be under way or have an unread completion.",
            (RegisterField("TAIL", 0, 16, Access.RW, "entry behind the last valid descriptor, modulo 2^SIZE"),),
        ),
        *_address("SUBMISSION", 0x30, 6, f"Address of the submission ring, a multiple of 64. {_IDLE}"),
        *_address("COMPLETION", 0x38, 6, f"Address of the completion ring, a multiple of 64. {_IDLE}"),
        Register(
            "HEAD",
            0x40,
            "Places in the rings, modulo 2^SIZE.",
            (
                _shown("FETCHED", 0, 16, "next descriptor to fetch"),
                _shown("COMPLETED", 16, 16, "next completion to write"),
            ),
        ),
        Register(
            "ATTRIBUTES",
            0x44,
            f"Attributes of bursts. {_IDLE} The reset value is normal memory without caches, unprivileged.",
            (
                RegisterField("READ_CACHE", 0, 4, Access.RW, "ARCACHE", reset=0b0011),
                RegisterField("WRITE_CACHE", 4, 4, Access.RW, "AWCACHE", reset=0b0011),
                RegisterField("PROT", 8, 3, Access.RW, "ARPROT and AWPROT", reset=0b010),
            ),
        ),
        Register(
            "LOCK",
            0x48,
            "Choices that hold until reset.",
            (
                RegisterField("WINDOWS", 0, 1, Access.W1S, "the windows cannot be written: SLVERR"),
                RegisterField("ATTRIBUTES", 1, 1, Access.W1S, "ATTRIBUTES cannot be written: SLVERR"),
            ),
        ),
    )


def _windows() -> tuple[Register, ...]:
    page = RegisterField("PAGE", 12, REGISTER_BITS - 12, Access.RW, "bits 31 to 12 of the address")
    high = RegisterField("PAGE", 0, REGISTER_BITS, Access.RW, "bits 63 to 32 of the address")
    text = (
        "Windows of pages of 4 KiB that bursts may touch: from BASE to LAST, both included. "
        f"{_IDLE} So is a write while LOCK.WINDOWS is 1."
    )
    flags = (
        RegisterField("READ", 0, 1, Access.RW, "reads are permitted"),
        RegisterField("WRITE", 1, 1, Access.RW, "writes are permitted"),
    )
    return (
        Register("WINDOW_BASE_LO", 0x80, text, (*flags, page), count=WINDOWS),
        Register("WINDOW_BASE_HI", 0x90, text, (high,), count=WINDOWS),
        Register("WINDOW_LAST_LO", 0xA0, text, (page,), count=WINDOWS),
        Register("WINDOW_LAST_HI", 0xB0, text, (high,), count=WINDOWS),
    )
