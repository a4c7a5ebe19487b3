# SPDX-License-Identifier: Apache-2.0
"""The library under sanitizers and valgrind, for a short time; each of them finds a fault that is put in."""

import shutil

import pytest

from wideblock.native import library

from . import harden

pytestmark = [pytest.mark.shows("native"), pytest.mark.slow]


@pytest.mark.wants("valgrind", "memcheck.h")
def test_no_branch_and_no_address_depends_on_a_secret(tmp_path):
    program = harden.build_secrets(tmp_path)
    for width in harden.WIDTHS:
        done = harden.memcheck(program, width)
        assert (done.returncode, done.stderr) == (0, ""), width
        assert int(done.stdout.split()[0]) > 200
    assert harden.memcheck(program, "portable", "leak").returncode == 9


FAULT = ("last + rest, whole + rest, BLOCK - rest", "last + rest, whole + rest, BLOCK")


@pytest.mark.wants("clang++", "libFuzzer")
@pytest.mark.parametrize("fault", [None, FAULT], ids=["as-it-is", "with-a-fault"])
def test_the_fuzzer_finds_nothing_but_a_fault(tmp_path, monkeypatch, fault):
    """A write of too many bytes in XTS's ciphertext stealing is found in the same time."""
    if fault:
        source = shutil.copytree(library.SOURCE, tmp_path / "source")
        text = (source / "schemes.cpp").read_text()
        assert text.count(fault[0]) == 1
        (source / "schemes.cpp").write_text(text.replace(*fault))
        monkeypatch.setattr(library, "SOURCE", source)
    done = harden.fuzz(harden.build_fuzzer(tmp_path), tmp_path / "corpus", "-max_total_time=40", "-seed=1")
    assert (done.returncode != 0) == bool(fault), done.stderr[-2000:]
    if fault:
        assert "AddressSanitizer: stack-buffer-overflow" in done.stderr
