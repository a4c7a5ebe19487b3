# SPDX-License-Identifier: Apache-2.0
"""The exported Verilog of an engine with a master beside a memory: jobs in rings, and what became of them."""

import ctypes
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from wideblock.export.contract import contract
from wideblock.native.twin import Twin
from wideblock.rtl.bus.dma_map import DESCRIPTOR, HaltCause, JobStatus
from wideblock.rtl.bus.key_map import DONE, KEY_MAP, KeyCommand, started
from wideblock.simulation.verilator import Options, build

__all__ = ["COMPLETIONS", "DESCRIPTORS", "INSTEAD", "SLOTS", "Completion", "Job", "Machine", "core"]

SLOTS = 8
DESCRIPTORS, COMPLETIONS = 0x7000_0000, 0x7100_0000
"""Addresses of the rings."""

INSTEAD = {}
"""Texts in the place of a core's Verilog, by the name of its module."""

ENTRIES = 5  # as a power of two
_SOURCES = {name: Path(__file__).with_name(name).read_text() for name in ("memory_bench.cpp", "axi_memory.h")}
_BUSES = {"KEY": 0, "ENGINE": 1, "DMA": 2}


@cache
def core(name="xts-both-k", **changes):
    usual = {"sector_bytes": 64, "slots": SLOTS, "sbox": "composite", "registers": "axi4-lite", "key_bits": 128}
    return contract(name, {**usual, "dma": "axi4", **changes})


@dataclass
class Job:
    """A descriptor. With a long tweak, of 32 bytes, the step is 1, and there are no lists."""

    source: int
    target: int
    bytes: int
    units: int = 1
    slot: int = 0
    decrypt: bool = False
    tweak: int = 0
    step: int = 1
    cookie: int = 0
    flags: int = 0
    source_segments: int = 0
    target_segments: int = 0
    reserved: int = 0
    long_tweak: bool = False

    def encoded(self):
        flags = self.flags | self.decrypt | self.long_tweak << 1
        words = (self.source, self.target, self.bytes, self.units, self.slot, flags, self.cookie)
        sizes = (8, 8, 4, 2, 2, 4, 4)
        head = b"".join(word.to_bytes(size, "little") for word, size in zip(words, sizes, strict=True))
        words = (self.tweak, self.step, self.source_segments, self.target_segments, self.reserved)
        sizes = (16, 4, 2, 2, 8)
        if self.long_tweak:
            words, sizes = (self.tweak,), (32,)
        tail = b"".join(word.to_bytes(size, "little") for word, size in zip(words, sizes, strict=True))
        assert 8 * len(head + tail) == DESCRIPTOR.size
        return head + tail

    @property
    def size(self):
        return self.bytes * self.units


@dataclass(frozen=True)
class Completion:
    cookie: int
    units: int
    status: JobStatus
    cause: int
    phase: int
    address: int

    @classmethod
    def of(cls, entry):
        word = int.from_bytes(entry[4:8], "little")
        parts = (int.from_bytes(entry[:4], "little"), word & 0xFFFF, JobStatus(word >> 16 & 255), word >> 24 & 31)
        return cls(*parts, word >> 31, int.from_bytes(entry[8:], "little"))


@dataclass
class Machine:
    """The engine, its memory and what a driver knows: places in the rings, and keys."""

    contract: object = field(default_factory=core)
    seed: int = 1
    pause: float = 0.0
    latency: int = 1
    savable: bool = False
    tail: int = 0
    seen: int = 0
    phase: int = 1
    keys: dict = field(default_factory=dict)

    def __post_init__(self):
        options = Options(savable=self.savable)
        texts = INSTEAD.get(self.contract.module, [self.contract.verilog])
        self.library = build(texts, self.contract.module, _SOURCES, options)
        numbers, real, pointer = ctypes.c_uint64, ctypes.c_double, ctypes.c_void_p
        for name, result, *arguments in (
            ("new", pointer, numbers, real, numbers),
            ("free", None, pointer),
            ("reset", None, pointer),
            ("run", None, pointer, numbers),
            ("until_irq", numbers, pointer, numbers),
            ("zeroize", None, pointer, numbers),
            ("access", numbers, pointer, ctypes.c_int, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_int),
            ("put", None, pointer, numbers, ctypes.c_char_p, numbers),
            ("get", None, pointer, numbers, ctypes.c_char_p, numbers),
            ("range", None, pointer, ctypes.c_int, numbers, numbers),
            ("forget", None, pointer, ctypes.c_int),
            ("memory", None, pointer, real, numbers),
            ("value", numbers, pointer, ctypes.c_int),
            ("complaint", ctypes.c_char_p, pointer),
            *((("keeps", ctypes.c_char_p, pointer, ctypes.c_char_p, numbers),) if self.savable else ()),
        ):
            function = getattr(self.library, f"bench_{name}")
            function.restype, function.argtypes = result, arguments
        self.bench = self.library.bench_new(self.seed, self.pause, self.latency)
        self.maps = {each.name: each for each in self.contract.registers}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        complaint = self.complaint
        self.library.bench_free(self.bench)
        assert not complaint, complaint

    def _call(self, name, *arguments):
        return getattr(self.library, f"bench_{name}")(self.bench, *arguments)

    @property
    def complaint(self):
        return self._call("complaint").decode()

    def value(self, name):
        names = ("cycle", "written", "reads", "writes", "active", "computed", "under_way", "irq", "ready")
        return self._call("value", names.index(name))

    def keeps(self, data):
        """Names of registers and memories of the model, if it is savable, that have some of the data."""
        return self._call("keeps", data, len(data)).decode().split()

    def run(self, cycles):
        self._call("run", cycles)

    def memory(self, pause, latency):
        self._call("memory", pause, latency)

    # Memory

    def put(self, at, data):
        self._call("put", at, data, len(data))

    def get(self, at, size):
        found = ctypes.create_string_buffer(size)
        self._call("get", at, found, size)
        return found.raw

    def permit(self, kind, at, size):
        """Bytes that the memory takes for permitted: "read" or "write", or that it refuses: "refuse"."""
        if size:
            self._call("range", ("read", "write", "refuse").index(kind), at, at + size - 1)

    def forget(self, kind):
        self._call("forget", ("read", "write", "refuse").index(kind))

    # Registers

    def access(self, bus, offset, value=None):
        answer = self._call("access", _BUSES[bus], offset, value or 0, value is not None)
        return answer >> 32, answer & 0xFFFFFFFF

    def set(self, name, value, index=0, bus="DMA", response=0):
        assert self.access(bus, self.maps[bus].offset(name, index), value)[0] == response, (name, value)

    def word(self, name, bus="DMA", index=0):
        response, word = self.access(bus, self.maps[bus].offset(name, index))
        assert not response, name
        return word

    def field(self, name, of, bus="DMA"):
        part = self.maps[bus].register(name).field(of)
        return (self.word(name, bus) & part.mask) >> part.low

    def until_ready(self):
        for _ in range(200):
            if self.field("STATUS", "READY", "ENGINE"):
                return
            self.run(50)
        raise AssertionError("the engine is not ready")

    def load(self, slot, key):
        """Loads a key."""
        self.until_ready()
        writes = {"METD": slot.to_bytes(20, "little"), "AUX_OFFSET": bytes(32), "MEK": key.ljust(64, b"\0")}
        for name, data in {"CTRL": DONE.to_bytes(4, "little"), **writes}.items():
            for at in range(0, len(data), 4):
                word = int.from_bytes(data[at : at + 4], "little")
                assert not self.access("KEY", KEY_MAP.offset(name) + at, word)[0]
        assert not self.access("KEY", KEY_MAP.offset("CTRL"), started(KeyCommand.LOAD))[0]
        while not (ended := self.access("KEY", KEY_MAP.offset("CTRL"))[1]) & DONE:
            self.run(50)
        assert ended >> 16 & 15 == 0
        self.keys[slot] = key

    def window(self, number, first, last, flags=3):
        """Opens a window from the page of byte ``first`` to that of byte ``last``."""
        for end, at, low in (("BASE", first, flags), ("LAST", last, 0)):
            self.set(f"WINDOW_{end}_LO", at & 0xFFFFF000 | low, number)
            self.set(f"WINDOW_{end}_HI", at >> 32, number)

    def start(self, *, windows=((0, (1 << 64) - 1, 3),), **registers):
        """Starts empty rings."""
        self.until_ready()
        for number, (first, last, flags) in enumerate(windows):
            self.window(number, first, last, flags)
        size = 1 << ENTRIES
        self.put(COMPLETIONS, bytes(16 * size))
        self.permit("read", DESCRIPTORS, 64 * size)
        self.permit("write", COMPLETIONS, 16 * size)
        values = {"RING": ENTRIES, "SUBMISSION_LO": DESCRIPTORS, "COMPLETION_LO": COMPLETIONS, "DOORBELL": 0}
        for name, value in (values | registers).items():
            self.set(name, value)
        self.tail, self.seen, self.phase = 0, 0, 1
        self.set("CONTROL", 1)

    def submit(self, *jobs):
        """Writes descriptors, and then the doorbell."""
        for job in jobs:
            self.put(DESCRIPTORS + 64 * self.tail, job.encoded())
            self.tail = (self.tail + 1) % (1 << ENTRIES)
        self.set("DOORBELL", self.tail)

    def poll(self):
        """The next completion, or None."""
        found = Completion.of(self.get(COMPLETIONS + 16 * self.seen, 16))
        if found.phase != self.phase:
            return None
        self.seen = (self.seen + 1) % (1 << ENTRIES)
        self.phase ^= self.seen == 0
        return found

    def completions(self, count, most=200_000):
        """The next ``count`` completions."""
        found, end = [], self.value("cycle") + most
        while len(found) < count:
            while (each := self.poll()) is not None:
                found.append(each)
            if len(found) < count:
                self.run(20)
                assert not self.complaint, self.complaint
                assert self.value("cycle") < end, f"{len(found)} of {count} completions: {found[-1:]}"
        return found

    def idle(self, cause=None, most=20_000):
        """Waits until the master is idle."""
        end = self.value("cycle") + most
        while not self.field("STATUS", "IDLE"):
            assert self.value("cycle") < end, hex(self.word("STATUS"))
            self.run(20)
        assert not self.value("under_way")
        if cause is not None:
            assert HaltCause(self.field("STATUS", "HALT")) == cause

    # Judge

    @property
    def tweak_bytes(self):
        return self.contract.parameters.tweak_bytes

    def result(self, job, given):
        """The units of a job by the native twin."""
        half, step = 1 << 128, 1 if job.long_tweak else job.step
        with Twin(self.contract.native, self.keys[job.slot]) as twin:
            found = []
            for unit in range(job.units):
                number = job.tweak // half * half + (job.tweak + unit * step) % half
                tweak = number.to_bytes(32, "little")[: self.tweak_bytes]
                part = given[unit * job.bytes : (unit + 1) * job.bytes]
                found.append((twin.decrypt if job.decrypt else twin.encrypt)(tweak, part))
        return b"".join(found)
