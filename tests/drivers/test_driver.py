# SPDX-License-Identifier: Apache-2.0
"""The C driver against a model of the registers' rules, and on a stack that is searched for its key."""

import ctypes
import random
import subprocess
from ctypes import Structure, byref, c_bool, c_uint32, c_uint64, c_void_p
from pathlib import Path

import pytest

from wideblock.export.header import c_header
from wideblock.export.registers import DRIVER
from wideblock.native.library import install
from wideblock.rtl.bus.engine_facts import GONE
from wideblock.rtl.bus.key_map import KAT_KEY
from wideblock.simulation.commands import compiler

from .engine_model import COMMAND, ENGINE, ERROR, FACTS, KEYS, MAPS, UNKNOWN, EngineModel, toy

pytestmark = pytest.mark.shows("driver")

HERE = Path(__file__).parent
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
EPERM, EIO, EBUSY, ENODEV, EINVAL, EOPNOTSUPP, ETIMEDOUT, ENOKEY, EKEYREJECTED = 1, 5, 16, 19, 22, 95, 110, 126, 129
SEED = 20261126


class Engine(Structure):
    _fields_ = [
        ("keys", c_void_p),
        ("engine", c_void_p),
        ("attempts", c_uint32),
        ("slots", c_uint32),
        ("tweak_bytes", c_uint32),
        ("window_bytes", c_uint32),
        ("causes", c_uint32),
        ("encrypts", c_bool),
        ("decrypts", c_bool),
        ("tweak_sizes", c_bool),
        ("most_tweak_bytes", c_uint32),
    ]


class Key(Structure):
    _fields_ = [("bytes", ctypes.c_char_p), ("size", c_uint32), ("offset", ctypes.c_char_p), ("mode", c_uint32)]


class Slot(Structure):
    _fields_ = [("state", c_uint32), ("blocks", c_uint64)]


class FirstFault(Structure):
    _fields_ = [("valid", c_bool), ("slot", c_uint32), ("cause", c_uint32)]


def compiled(folder, *sources, command=None, flags=()):
    """Compiles sources with a command, by default as C with the C++ compiler, which is told so before each file."""
    (folder / "toy_regs.h").write_text(c_header("toy", MAPS))
    given = [*WARNINGS, f"-I{folder}", f"-I{DRIVER}", '-DWIDEBLOCK_ENGINE_REGS="toy_regs.h"', *flags]
    files = sources if command else [word for source in sources for word in ("-x", "c", source)]
    result = subprocess.run(
        list(map(str, [*(command or [compiler()]), *given, *files])), capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("driver")
    (folder / "model.c").write_text(
        '#include "model_io.h"\nuint32_t (*model_read)(uint32_t);\nvoid (*model_write)(uint32_t, uint32_t);\n'
    )
    flags = ["-std=c11", "-O1", "-shared", "-fPIC", f"-I{HERE}", "-include", "model_io.h", "-o", folder / "driver.so"]
    compiled(folder, DRIVER / "wideblock_engine.c", folder / "model.c", flags=flags)
    loaded = ctypes.CDLL(str(folder / "driver.so"))
    loaded.wideblock_engine_first_fault.restype = FirstFault
    for name in ("fault_count", "irq_take"):
        getattr(loaded, f"wideblock_engine_{name}").restype = c_uint32
    loaded.wideblock_engine_set_limits.argtypes = [c_void_p, c_uint64, c_uint64]
    return loaded


READ, WRITE = ctypes.CFUNCTYPE(c_uint32, c_uint32), ctypes.CFUNCTYPE(None, c_uint32, c_uint32)


class Driver:
    """The driver on a model; a method is a function of it."""

    def __init__(self, library, keys=KEYS):
        self.library, self.model = library, EngineModel()
        self.errors = []
        self._io = READ(self._guard(self.model.read)), WRITE(self._guard(self.model.write))
        READ.in_dll(library, "model_read").value = None
        for name, function in zip(("model_read", "model_write"), self._io, strict=True):
            c_void_p.in_dll(library, name).value = ctypes.cast(function, c_void_p).value
        self.w = Engine()
        self.probed = library.wideblock_engine_probe(byref(self.w), c_void_p(keys), c_void_p(ENGINE), 20)

    def _guard(self, access):
        """An exception of the model, such as an address without a register, which ctypes would only print."""

        def guarded(*arguments):
            try:
                return access(*arguments)
            except Exception as error:
                self.errors.append(error)
                return 0

        return guarded

    def __getattr__(self, name):
        function = getattr(self.library, f"wideblock_engine_{name}")

        def called(*arguments):
            result = function(byref(self.w), *arguments)
            assert not self.errors, self.errors
            return result

        return called

    def program(self, slot, key, mode=0, offset=None):
        return self.keyslot_program(byref(Key(key, len(key), offset, mode)), slot)

    def crypted(self, slot, tweak, data, *, decrypt=False):
        out, cause = ctypes.create_string_buffer(b"\xaa" * len(data), len(data)), c_uint32(99)
        result = self.crypt(slot, c_bool(decrypt), tweak, data, out, len(data), byref(cause))
        return result, out.raw, cause.value


@pytest.fixture
def driver(library):
    made = Driver(library)
    assert made.probed == 0
    return made


@pytest.fixture
def rng():
    print(f"seed {SEED}")
    return random.Random(SEED)


def test_probe_reads_the_capabilities(driver, library):
    w = driver.w
    assert (w.slots, w.tweak_bytes, w.window_bytes, w.causes) == (FACTS.slots, 16, FACTS.window_bytes, 2)
    assert w.encrypts and w.decrypts and w.tweak_sizes
    assert w.most_tweak_bytes == FACTS.tweak_bytes == 20
    for register in ("ID", "VERSION"):
        driver.model.values[ENGINE + MAPS[1].offset(register)] ^= 1 << 20
        assert library.wideblock_engine_probe(byref(Engine()), c_void_p(KEYS), c_void_p(ENGINE), 20) == -ENODEV
        driver.model.values[ENGINE + MAPS[1].offset(register)] ^= 1 << 20
    assert Driver(library, keys=0).program(0, bytes(range(64))) == -ENODEV


def test_keys_come_in_the_order_of_the_standard(driver, rng):
    """Source: Caliptra's firmware: DONE, RDY, METD, AUX, MEK, EXE, poll, DONE."""
    key = rng.randbytes(64)
    assert driver.program(3, key, mode=2) == 0
    assert driver.model.slots == {3: (key, 2)}
    metd, aux = [("METD", 0), *(("METD_REST", n) for n in range(4))], [("AUX_OFFSET", n) for n in range(4)]
    aux += [("AUX_MODE", 0), *(("AUX_REST", n) for n in range(3))]
    mek = [("MEK", n) for n in range(16)]
    assert driver.model.log == [("CTRL", 0), *metd, *aux, *mek, ("CTRL", 0), ("CTRL", 0)]
    assert not any(driver.model.values[KEYS + 4 * n] for n in range(16))


def test_program_overwrites_and_evict_ends(driver, rng):
    first, second, short = rng.randbytes(64), rng.randbytes(64), rng.randbytes(32)
    assert [driver.program(1, key) for key in (first, second)] == [0, 0]
    assert driver.model.slots == {1: (second, 0)}
    assert [driver.keyslot_evict(None, 1) for _ in range(2)] == [0, -ENOKEY]
    assert driver.program(1, short) == 0 and driver.model.slots[1][0] == short + bytes(32)
    assert driver.keyslot_program_kat(2) == 0 and driver.model.slots[2][0] == KAT_KEY
    assert driver.zeroize() == 0 and driver.model.slots == {}


def test_errors_of_commands_are_those_of_linux(driver, rng):
    key = rng.randbytes(64)
    assert driver.program(FACTS.slots, key) == driver.program(0, key, offset=b"x" * 16) == -EINVAL
    assert driver.program(0, key[:32] * 2) == -EKEYREJECTED
    assert driver.program(0, key + key) == driver.program(0, key[:63]) == driver.program(1 << 16, key) == -EINVAL
    assert driver.program(4, key, mode=4) == 0
    assert driver.keyslot_evict(None, 4) == driver.program(4, key) == -EPERM
    error = c_uint32()
    assert driver.command(9, 0, None, byref(error)) == -EOPNOTSUPP and error.value == ERROR["COMMAND"]
    assert driver.command(COMMAND["LOAD_KAT"], 4, None, byref(error)) == -17 and error.value == ERROR["LOADED"]
    driver.model.stuck = True
    assert driver.program(5, key) == -ETIMEDOUT
    assert driver.program(5, key) == -EBUSY
    assert driver.command(COMMAND["ZEROIZE"], 0, None, byref(error)) == 0 and error.value == ERROR["CLEARED"]
    driver.model.stuck = False
    assert driver.program(5, key) == 0
    driver.model._set("CTRL", "RDY", 0)
    assert driver.program(5, key) == -EBUSY
    driver.model._set("STATUS", "FATAL", 1)
    assert driver.program(5, key) == -EIO


def test_a_clear_between_the_commands_of_a_load_is_none_of_its_errors(driver, rng, monkeypatch):
    right, results = driver.model._result, iter(["LOADED", "NOT_LOADED"])
    monkeypatch.setattr(driver.model, "_result", lambda: next(results, None) or right())
    assert driver.program(5, rng.randbytes(64)) == 0 and 5 in driver.model.slots


@pytest.mark.parametrize("size", [16, 17, 31, 64])
def test_sectors_pass_through_the_window(driver, rng, size):
    key, tweak, data = rng.randbytes(64), rng.randbytes(16), rng.randbytes(size)
    assert driver.program(6, key) == 0
    sealed = toy(key, tweak, data, decrypt=False)
    assert driver.crypted(6, tweak, data) == (0, sealed, 99)
    assert driver.crypted(6, tweak, sealed, decrypt=True) == (0, data, 99)


@pytest.mark.parametrize("size", [0, 1, 4, 15, 20])
def test_a_tweak_has_as_many_bytes_as_the_caller_sets(driver, rng, size):
    key, tweak, data = rng.randbytes(64), rng.randbytes(size), rng.randbytes(16)
    assert driver.program(6, key) == 0
    driver.w.tweak_bytes = size
    assert driver.crypted(6, tweak, data) == (0, toy(key, tweak, data, decrypt=False), 99)


@pytest.mark.parametrize(("sizes", "size"), [(True, 21), (True, 256), (False, 16), (False, 21)])
def test_a_tweak_that_the_window_does_not_take_is_refused(driver, sizes, size):
    driver.w.tweak_sizes, driver.w.tweak_bytes = sizes, size
    assert driver.crypted(6, bytes(size), bytes(16))[0] == -EINVAL


def test_an_engine_without_a_window_is_not_asked_for_its_registers(driver):
    caps2 = ENGINE + MAPS[1].offset("CAPS2")
    driver.model.values[caps2] &= ~MAPS[1].register("CAPS2").field("WINDOW_BYTES").mask
    del driver.model.values[ENGINE + MAPS[1].offset("WINDOW_TWEAK_SIZE")]
    assert driver.probe(c_void_p(KEYS), c_void_p(ENGINE), 20) == 0
    assert (driver.w.window_bytes, driver.w.tweak_bytes) == (0, 20)


def test_an_engine_with_tweaks_of_one_size_is_sent_none(driver, rng):
    key, tweak, data = rng.randbytes(64), rng.randbytes(20), rng.randbytes(16)
    driver.model.values[ENGINE + MAPS[1].offset("CAPS3")] = 0
    assert driver.probe(c_void_p(KEYS), c_void_p(ENGINE), 20) == driver.program(6, key) == 0
    assert (driver.w.tweak_sizes, driver.w.tweak_bytes) == (False, 20)
    assert driver.crypted(6, tweak, data) == (0, toy(key, tweak[:16], data, decrypt=False), 99)


@pytest.mark.parametrize("word", [0, 2, 3])
def test_a_result_that_a_zeroize_wipes_amid_its_read_is_no_result(driver, rng, word):
    assert driver.program(6, rng.randbytes(64)) == 0
    driver.model.cleared_at = word
    assert driver.crypted(6, bytes(16), rng.randbytes(16)) == (-EIO, bytes(16), GONE)


def test_refused_sectors_leave_the_output_and_are_counted(driver):
    assert driver.crypted(5, bytes(16), b"0123456789abcdef") == (-EIO, b"\xaa" * 16, UNKNOWN)
    first = driver.first_fault()
    assert (first.valid, first.slot, first.cause) == (True, 5, UNKNOWN)
    assert [driver.fault_count(cause) for cause in (0, UNKNOWN, 2, 31)] == [0, 1, 0, 0]
    driver.clear_faults()
    assert not driver.first_fault().valid and driver.fault_count(UNKNOWN) == 0
    assert driver.crypted(5, bytes(16), bytes(FACTS.window_bytes + 1))[0] == -EINVAL
    driver.model._set("STATUS", "WINDOW", 1)
    assert driver.crypted(5, bytes(16), bytes(16))[0] == -EBUSY
    driver.model._set("STATUS", "FATAL", 1)
    assert driver.crypted(5, bytes(16), bytes(16))[0] == driver.wait_ready() == -EIO


def test_policy_holds_and_closes_the_window(driver):
    close = MAPS[1].register("POLICY").field("CLOSE_WINDOW").mask
    freeze = MAPS[1].register("POLICY").field("FREEZE_LIMITS").mask
    assert driver.set_limits(1 << 40, 5) == 0 and driver.set_limits(1 << 45, 5) == -EINVAL
    assert driver.model._get("LIMIT_HI", "BLOCKS") == 1 << 8 and driver.model._get("WARN_LO", "BLOCKS") == 5
    assert driver.set_policy(close | freeze) == 0 and driver.set_policy(0) == 0
    assert driver.model.values[ENGINE + MAPS[1].offset("POLICY")] == close | freeze
    assert driver.set_limits(1, 1) == driver.crypted(5, bytes(16), bytes(16))[0] == -EPERM
    assert driver.set_policy(1 << 30) == -EIO


@pytest.mark.parametrize(
    ("old", "new"), [(5, 1 << 44), (1 << 44, 5), ((1 << 44) - 1, 1 << 32), (3, 9), (1 << 40, 1 << 40)]
)
def test_a_limit_is_never_below_the_old_and_the_new_one(driver, old, new):
    assert driver.set_limits(old, old) == 0
    driver.model.limits.clear()
    assert driver.set_limits(new, new) == 0
    assert min(driver.model.limits) >= min(old, new) and driver.model.limits[-1] == new


def test_selftest_slots_and_interrupts(driver, rng):
    number = c_uint32()
    assert driver.selftest(byref(number)) == 0
    driver.model.broken = True
    assert driver.selftest(byref(number)) == -EIO and number.value == 5
    assert driver.program(FACTS.slots - 1, rng.randbytes(64)) == 0
    assert driver.selftest(byref(number)) == -EBUSY and number.value == 5
    slot = Slot()
    assert driver.program(2, rng.randbytes(64)) == 0
    assert driver.read_slot(2, byref(slot)) == 0 and (slot.state, slot.blocks) == (1, 3 << 32 | 9)
    assert driver.read_slot(FACTS.slots, byref(slot)) == -EINVAL
    warn, fault = (MAPS[1].register("IRQ_STATUS").field(name).mask for name in ("WARN", "FAULT"))
    driver.irq_enable(warn)
    for name in ("WARN", "FAULT"):
        driver.model.event(name)
    assert driver.irq_take() == warn and driver.irq_take() == 0
    driver.irq_enable(warn | fault)
    assert driver.irq_take() == fault


@pytest.mark.parametrize(
    "level, wiped",  # not optimised, later frames happen to cover the word
    [("-O0", True), ("-O2", True), ("-Os", True), ("-O2", False), ("-Os", False)],
)
def test_no_word_of_a_key_stays_on_the_stack(level, wiped, tmp_path, rng):
    """A driver that does not wipe is found out."""
    text = (DRIVER / "wideblock_engine.c").read_text()
    assert text.count("wideblock_engine_wipe(&word, sizeof word);") == text.count("*bytes++ = 0;") == 1
    # without the wipe the last word, which is written last, stays
    changed = text if wiped else text.replace("*bytes++ = 0;", "bytes++;")
    (tmp_path / "driver.c").write_text(changed)
    # the accesses are compiled apart and optimised: they keep nothing
    common = ["-std=gnu11", "-fPIC", f"-I{HERE}", "-c"]
    flags = [*common, level, "-include", "model_io.h", "-o", tmp_path / "driver.o"]
    compiled(tmp_path, tmp_path / "driver.c", flags=[*flags, "-Wno-unused-value"])
    compiled(tmp_path, HERE / "stack.c", flags=[*common, "-O2", "-o", tmp_path / "stack.o"])
    shared = tmp_path / "s.so"
    subprocess.run([compiler(), "-shared", "-o", shared, tmp_path / "driver.o", tmp_path / "stack.o"], check=True)
    left = ctypes.CDLL(str(shared)).words_left(rng.randbytes(64), 64)
    assert left == 0 if wiped else left > 0


RISCV = "riscv64-unknown-elf-gcc"
TARGETS = {"host": ["-m64"], RISCV: ["-march=rv32i", "-mabi=ilp32", "-nostdlib"]}


@pytest.mark.parametrize("target", ["host", pytest.param(RISCV, marks=pytest.mark.wants(RISCV))])
def test_driver_compiles_freestanding(target, tmp_path):
    command = None if target == "host" else [target]
    for level in ("-O0", "-Os"):
        flags = [*TARGETS[target], "-std=c11", "-ffreestanding", "-Wconversion", level, "-c", "-o", tmp_path / "w.o"]
        compiled(tmp_path, DRIVER / "wideblock_engine.c", command=command, flags=flags)
    undefined = subprocess.run(["nm", "--undefined-only", tmp_path / "w.o"], capture_output=True, text=True, check=True)
    assert set(undefined.stdout.split()[1::2]) <= {"memset", "memcpy", "_GLOBAL_OFFSET_TABLE_"}, undefined.stdout


BOTH = """
#include {0}
#include {1}
#include {2}
int main(void) {{
  struct wideblock_engine engine = {{0}};
  wideblock *context;
  if (wideblock_engine_crypt(&engine, 0, false, NULL, NULL, NULL, 0, NULL) != -WIDEBLOCK_ENGINE_EINVAL)
    return 1;
  return wideblock_open(&context, "none", (const uint8_t *)"", 0, NULL) != WIDEBLOCK_SCHEME;
}}
"""
"""A program that calls the driver and the native library; its places are their headers."""


@pytest.mark.parametrize("language, dialect", [("c", "c11"), ("c++", "c++17")])
def test_a_program_has_the_driver_and_the_native_library(language, dialect, tmp_path):
    source, program = tmp_path / "main", tmp_path / "program"
    compiled(tmp_path, DRIVER / "wideblock_engine.c", flags=["-std=c11", "-c", "-o", tmp_path / "driver.o"])
    install(native := tmp_path / "usr")
    headers = ['"wideblock_engine.h"', "WIDEBLOCK_ENGINE_REGS", '"wideblock.h"']
    for order in (headers, headers[::-1]):
        source.write_text(BOTH.format(*order))
        flags = [f"-std={dialect}", "-Wno-missing-field-initializers", f"-I{native}/include", "-o", program]
        files = ["-x", language, source, "-x", "none", tmp_path / "driver.o", f"-L{native}/lib", "-lwideblock"]
        compiled(tmp_path, *files, command=[compiler()], flags=flags)
        assert subprocess.run([program], env={"LD_LIBRARY_PATH": str(native / "lib")}).returncode == 0
