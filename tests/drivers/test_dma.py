# SPDX-License-Identifier: Apache-2.0
"""The C driver of the master moves units through the compiled Verilog; the native twin is the judge."""

import ctypes
import random
import subprocess
from ctypes import Structure, byref, c_bool, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

import pytest

from tests.rtl.dma.bench import COMPLETIONS, DESCRIPTORS, Job, Machine, core
from wideblock.export.header import c_header
from wideblock.export.registers import DRIVER, register_files
from wideblock.rtl.bus.dma_map import HaltCause, JobStatus
from wideblock.simulation.commands import compiler

from .test_driver import HERE, RISCV, TARGETS, WARNINGS

pytestmark = pytest.mark.shows("driver", "dma")

REGISTERS, ENGINE = 0x8000, 0x4000
EPERM, EAGAIN, EBUSY, ENODEV, EINVAL = 1, 11, 16, 19, 22
SIZE = 2
SOURCES, TARGETS_AT = 0x10_0000, 0x20_0000


class Rings(Structure):
    _fields_ = [
        ("jobs", c_void_p),
        ("completions", c_void_p),
        ("jobs_at", c_uint64),
        ("completions_at", c_uint64),
        ("size", c_uint32),
    ]


class Master(Structure):
    _fields_ = [
        ("registers", c_void_p),
        ("engine", c_void_p),
        ("attempts", c_uint32),
        ("rings", Rings),
        ("submitted", c_uint32),
        ("completed", c_uint32),
    ]


class Wanted(Structure):
    _fields_ = [
        ("source", c_uint64),
        ("target", c_uint64),
        ("bytes", c_uint32),
        ("units", c_uint16),
        ("slot", c_uint16),
        ("decrypt", c_bool),
        ("long_tweak", c_bool),
        ("cookie", c_uint32),
        ("tweak", c_uint8 * 32),
        ("step", c_uint32),
        ("source_segments", c_uint16),
        ("target_segments", c_uint16),
    ]


class Segment(Structure):
    _fields_ = [("address", c_uint64), ("bytes", c_uint32), ("zero", c_uint32)]


class Result(Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("units", c_uint16),
        ("status", c_uint8),
        ("cause", c_uint8),
        ("address", c_uint64),
    ]

    @property
    def values(self):
        return self.cookie, self.units, self.status, self.cause, self.address


def compiled(folder, *words, command=None):
    (folder / "toy_regs.h").write_text(c_header("toy", core().registers))
    given = [*WARNINGS, "-std=c11", f"-I{folder}", '-DWIDEBLOCK_ENGINE_REGS="toy_regs.h"']
    files = ["-x", "c", DRIVER / "wideblock_dma.c"]
    subprocess.run(list(map(str, [*(command or [compiler()]), *given, *words, *files])), check=True)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dma")
    (folder / "model.h").write_text(
        '#include "model_io.h"\nuint32_t (*model_read)(uint32_t);\nvoid (*model_write)(uint32_t, uint32_t);\n'
    )
    flags = ["-O1", "-shared", "-fPIC", f"-I{HERE}", "-include", folder / "model.h", "-o", folder / "dma.so"]
    compiled(folder, *flags)
    loaded = ctypes.CDLL(str(folder / "dma.so"))
    loaded.wideblock_dma_set_window.argtypes = [c_void_p, c_uint32, c_uint64, c_uint64, c_bool, c_bool]
    loaded.wideblock_dma_irq_take.restype = c_uint32
    return loaded


class Driver:
    """The driver on the compiled Verilog; a method is a function of it. Its rings are copied at doorbells and polls."""

    def __init__(self, library, machine):
        self.library, self.machine, self.master, self.errors = library, machine, Master(), []
        self.jobs, self.completions = (ctypes.create_string_buffer(size << SIZE) for size in (64, 16))
        self.rings = Rings(*(ctypes.addressof(each) for each in (self.jobs, self.completions)))
        self.rings.jobs_at, self.rings.completions_at, self.rings.size = DESCRIPTORS, COMPLETIONS, SIZE
        read, write = ctypes.CFUNCTYPE(c_uint32, c_uint32), ctypes.CFUNCTYPE(None, c_uint32, c_uint32)
        self._io = read(self._read), write(self._write)
        for name, function in zip(("model_read", "model_write"), self._io, strict=True):
            c_void_p.in_dll(library, name).value = ctypes.cast(function, c_void_p).value

    def _read(self, address):
        bus, base = ("DMA", REGISTERS) if address >= REGISTERS else ("ENGINE", ENGINE)
        response, value = self.machine.access(bus, address - base)
        self.errors += [f"read of {address:x}"] * bool(response)
        return value

    def _write(self, address, value):
        self.machine.put(DESCRIPTORS, self.jobs.raw)
        if address == REGISTERS + self.machine.maps["DMA"].offset("CONTROL"):
            self.machine.put(COMPLETIONS, self.completions.raw)
        response, _ = self.machine.access("DMA", address - REGISTERS, value)
        self.errors += [f"write of {address:x}"] * bool(response)

    def __getattr__(self, name):
        function = getattr(self.library, f"wideblock_dma_{name}")

        def called(*arguments):
            result = function(byref(self.master), *arguments)
            assert not self.errors, self.errors  # an error response is a bus error of the processor
            return result

        return called

    def found(self):
        return self.probe(c_void_p(REGISTERS), c_void_p(ENGINE), 10_000)

    def run(self, job):
        wanted = Wanted(job.source, job.target, job.bytes, job.units, job.slot, job.decrypt, job.long_tweak, job.cookie)
        wanted.tweak[:], wanted.step = job.tweak.to_bytes(32, "little"), job.step
        wanted.source_segments, wanted.target_segments = job.source_segments, job.target_segments
        return self.submit(byref(wanted))

    def result(self):
        """The next result; None if there is none in some time."""
        result = Result()
        for _ in range(100):
            self.completions[:] = self.machine.get(COMPLETIONS, len(self.completions))
            if not (error := self.poll(byref(result))):
                return result.values
            assert error == -EAGAIN
            self.machine.run(50)
        return None


@pytest.fixture
def driver(library):
    with Machine(latency=20) as machine:
        made = Driver(library, machine)
        assert made.found() == 0
        machine.until_ready()
        yield made


def ready(driver):
    """Opens windows and starts the rings."""
    machine = driver.machine
    machine.permit("read", DESCRIPTORS, 64 << SIZE)
    machine.permit("write", COMPLETIONS, 16 << SIZE)
    machine.permit("read", SOURCES, 1 << 16)
    machine.permit("write", TARGETS_AT, 1 << 16)
    pages = ((DESCRIPTORS, True, False), (COMPLETIONS, False, True), (SOURCES, True, False), (TARGETS_AT, False, True))
    for number, (at, reads, writes) in enumerate(pages):
        assert driver.set_window(number, at, at + (1 << 16) - 1, reads, writes) == 0
    assert driver.start(byref(driver.rings)) == 0


def test_jobs_go_round_the_rings(driver):
    machine, rng = driver.machine, random.Random(1)
    machine.load(2, key := rng.randbytes(32))
    assert machine.keys[2] == key
    ready(driver)
    for number in range(11):
        units, size = rng.choice(((1, rng.randint(16, 300)), (3, 64)))
        at = 512 * number
        job = Job(SOURCES + at, TARGETS_AT + at, size, units, 2, rng.random() < 0.5, rng.getrandbits(128))
        job.cookie, job.step = rng.getrandbits(32), rng.getrandbits(32)
        machine.put(job.source, given := rng.randbytes(job.size))
        assert driver.run(job) == 0
        assert driver.result() == (job.cookie, units, 0, 0, 0)
        assert machine.get(job.target, job.size) == machine.result(job, given)


def test_a_job_goes_through_segments(driver):
    machine, rng = driver.machine, random.Random(2)
    machine.load(2, rng.randbytes(32))
    ready(driver)
    given, places = rng.randbytes(192), [(SOURCES + 0xFF0, 80), (SOURCES + 0x3000, 16), (SOURCES + 0x2000, 96)]
    part = iter(given)
    for at, size in places:
        machine.put(at, bytes(next(part) for _ in range(size)))
    machine.put(SOURCES + 0x8000, b"".join(bytes(Segment(at, size, 0)) for at, size in places))
    job = Job(SOURCES + 0x8000, TARGETS_AT, 64, 3, 2, cookie=7, source_segments=3)
    assert driver.run(job) == 0 and driver.result() == (7, 3, 0, 0, 0)
    assert machine.get(TARGETS_AT, 192) == machine.result(job, given)
    job.source_segments = 2
    assert driver.run(job) == 0 and driver.result() == (7, 1, JobStatus.LIST, 0, SOURCES + 0x8020)


def test_a_long_tweak_takes_the_end_of_the_descriptor(driver):
    """The core's tweak has 16 bytes: the master refuses the flag."""
    ready(driver)
    job = Job(SOURCES, TARGETS_AT, 64, slot=2, cookie=5, tweak=random.Random(3).getrandbits(256), long_tweak=True)
    assert driver.run(job) == 0 and driver.jobs.raw[:64] == job.encoded()
    assert driver.result() == (5, 0, JobStatus.DESCRIPTOR, 0, 0)
    job.target_segments = 1
    assert driver.run(job) == -EINVAL


def test_the_ring_has_room_for_all_but_one(driver):
    ready(driver)
    jobs = [Job(SOURCES, TARGETS_AT, 16, slot=number, cookie=number) for number in range(4)]
    assert [driver.run(job) for job in jobs] == [0, 0, 0, -EBUSY]
    slot = next(number for number, each in enumerate(core().behaviour.faults) if each.cause.name == "SLOT")
    assert [driver.result() for _ in jobs] == [*((job.cookie, 0, JobStatus.ENGINE, slot, 0) for job in jobs[:3]), None]
    assert driver.run(Job(SOURCES, 1 << 32, 16, cookie=9)) == 0
    assert driver.result() == (9, 0, JobStatus.WINDOW, 0, 1 << 32)


def test_no_call_is_a_bus_error(driver, library):
    """What the master would refuse is an error before."""
    machine = driver.machine
    assert driver.set_window(4, 0, 0, True, True) == driver.set_window(0, 4096, 4095, True, True) == -EINVAL
    for name, value in (("jobs_at", DESCRIPTORS + 32), ("completions_at", COMPLETIONS + 16), ("size", 0), ("size", 16)):
        wrong = Rings.from_buffer_copy(driver.rings)
        setattr(wrong, name, value)
        assert driver.start(byref(wrong)) == -EINVAL
    machine._call("zeroize", 1)
    assert driver.start(byref(driver.rings)) == -EBUSY
    machine.until_ready()
    ready(driver)
    assert driver.set_window(0, 0, 0, True, True) == driver.start(byref(driver.rings)) == -EBUSY
    assert driver.halted() == -EAGAIN
    driver.irq_enable(4)
    assert driver.stop() == 0 and driver.halted() == HaltCause.STOP
    assert driver.irq_take() == 4 and driver.irq_take() == 0
    driver.lock_windows()
    assert driver.set_window(0, 0, 0, False, False) == -EPERM
    assert driver.start(byref(driver.rings)) == 0
    assert library.wideblock_dma_probe(byref(Master()), c_void_p(ENGINE), c_void_p(ENGINE), 1) == -ENODEV


def test_a_halt_by_a_zeroize_is_seen(driver):
    ready(driver)
    driver.machine._call("zeroize", 1)
    driver.machine.idle()
    assert driver.halted() == HaltCause.CLEARED and driver.result() is None


def test_statuses_are_those_of_the_master():
    text = (DRIVER / "wideblock_dma.h").read_text()
    for each in JobStatus:
        assert f"  WIDEBLOCK_DMA_JOB_{each.name} = {each.value}" in text


@pytest.mark.parametrize("target", ["host", pytest.param(RISCV, marks=pytest.mark.wants(RISCV))])
def test_driver_compiles_freestanding(target, tmp_path):
    command = None if target == "host" else [target]
    flags = [*TARGETS[target], "-ffreestanding", "-Wconversion", "-Os", "-c", "-o", tmp_path / "dma.o"]
    compiled(tmp_path, *flags, command=command)
    undefined = subprocess.run(
        ["nm", "--undefined-only", tmp_path / "dma.o"], capture_output=True, text=True, check=True
    )
    assert set(undefined.stdout.split()[1::2]) <= {"memset", "memcpy", "_GLOBAL_OFFSET_TABLE_"}, undefined.stdout


def test_the_driver_of_the_master_goes_with_its_registers():
    files = {"wideblock_dma.c", "wideblock_dma.h"}
    assert files <= register_files("toy", core().registers).keys()
    assert not files & register_files("toy", core().registers[:2]).keys()
