# SPDX-License-Identifier: Apache-2.0
"""The library under sanitizers and valgrind, for a short time; each of them finds a fault that is put in."""

import shutil

import pytest

from wideblock.native import library
from wideblock.native.library import widths

from . import harden

pytestmark = pytest.mark.shows("native")


@pytest.fixture
def put_in(tmp_path, monkeypatch):
    """Builds of the library have faults from now on: texts of its sources, each of which stands there once."""

    def change(faults):
        source = shutil.copytree(library.SOURCE, tmp_path / "source")
        for name, before, after in faults:
            text = (source / name).read_text()
            assert text.count(before) == 1, before
            (source / name).write_text(text.replace(before, after))
        monkeypatch.setattr(library, "SOURCE", source)

    return change


@pytest.mark.slow
@pytest.mark.wants("valgrind", "memcheck.h")
def test_no_branch_and_no_address_depends_on_a_secret(tmp_path):
    program = harden.build_secrets(tmp_path)
    for width in harden.WIDTHS:
        done = harden.memcheck(program, width)
        assert (done.returncode, done.stderr) == (0, ""), width
        assert int(done.stdout.split()[0]) > 200
    assert harden.memcheck(program, "portable", "leak").returncode == 9


LEAKS = [  # tables by a byte of a mask and of a key, branches on the carry of a doubling and on a verdict
    (
        "schemes.cpp",
        "        Doubled<true> masks(T);\n        code_book<decrypt>(k1,",
        "        static const volatile char table[256] = {};\n        (void)table[(uint8_t)T[0]];\n"
        "        Doubled<true> masks(T);\n        code_book<decrypt>(k1,",
    ),
    (
        "schemes.cpp",
        ": twice(L);\n",
        ': twice(L);\n            if (L[0] & 1) __asm__ volatile("nop");\n',
    ),
    (
        "schemes.cpp",
        "        put(L, aes<false>(k, One::low(1)));",
        "        static const volatile char table[256] = {};\n        (void)table[key[3]];\n"
        "        put(L, aes<false>(k, One::low(1)));",
    ),
    (
        "wideblock.cpp",
        "            const uint64_t any = Z[0] | Z[1],",
        '            if (Z[0]) __asm__ volatile("nop");\n            const uint64_t any = Z[0] | Z[1],',
    ),
]


@pytest.mark.slow
@pytest.mark.wants("clang++", "MemorySanitizer")
def test_no_branch_and_no_address_depends_on_a_secret_at_any_width(tmp_path):
    program = harden.build_poisoned(tmp_path)
    for width in widths():
        done = harden.memory_sanitizer(program, width)
        assert (done.returncode, done.stderr) == (0, ""), width
        assert int(done.stdout.split()[0]) > 200
        leaking = harden.memory_sanitizer(program, width, "leak")
        assert leaking.returncode == 9 and "use-of-uninitialized-value" in leaking.stderr


@pytest.mark.slow
@pytest.mark.wants("clang++", "MemorySanitizer")
def test_a_leak_is_found_at_every_width(tmp_path, put_in):
    put_in(LEAKS)
    program = harden.build_poisoned(tmp_path)
    for width in widths():
        done = harden.memory_sanitizer(program, width)
        assert done.returncode == 9, width
        for place in ("Xts::sector", "Eme2::T_star", "Hctr2::set", "Sealing::leave"):
            assert place in done.stderr, (width, place)


FAULTS = {
    "too many bytes in the ciphertext stealing of XTS": (
        ("schemes.cpp", "last + rest, whole + rest, BLOCK - rest", "last + rest, whole + rest, BLOCK"),
        "AddressSanitizer: stack-buffer-overflow",
    ),
    "a product of sizes that wraps": (
        ("wideblock.cpp", "__builtin_mul_overflow(count, each, &size) ||", "(size = count * each, false) ||"),
        "deadly signal",
    ),
    "a verdict that is always right": (
        ("wideblock.cpp", "right = ~(any | -any) >> 63;", "right = 1 | any * 0;"),
        "deadly signal",
    ),
}


@pytest.mark.slow
@pytest.mark.wants("clang++", "libFuzzer")
@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_the_fuzzer_finds_nothing_but_a_fault(tmp_path, put_in, fault):
    """Faults are found in the time in which the library as it is shows none."""
    if fault:
        put_in([FAULTS[fault][0]])
    done = harden.fuzz(harden.build_fuzzer(tmp_path), tmp_path / "corpus", "-max_total_time=40", "-seed=1")
    assert (done.returncode != 0) == bool(fault), done.stderr[-2000:]
    if fault:
        assert FAULTS[fault][1] in done.stderr


def test_every_fault_has_its_place(put_in):
    put_in([*LEAKS, *(change for change, _ in FAULTS.values())])
