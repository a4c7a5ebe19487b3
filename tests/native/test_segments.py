# SPDX-License-Identifier: Apache-2.0
"""The call of storage: segments, conventions of tweaks, and threads that the context owns."""

import ctypes
import os
import random
import subprocess
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from wideblock.errors import UserError
from wideblock.image.numbering import CONVENTIONS, Numbering
from wideblock.native.library import SOURCE, library, library_file
from wideblock.native.twin import Twin
from wideblock.simulation.commands import compiler

from .test_twin import CASES

pytestmark = pytest.mark.shows("native")
KEYS = {"xts": 32, "hctr2": 32, "heh-brw-paper": 32, "aez-core": 16}


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("width", ctypes.c_char_p),
        ("threads", ctypes.c_uint),
        ("tweak", ctypes.c_char_p),
        ("tweak_bytes", ctypes.c_size_t),
        ("tweak_offset", ctypes.c_uint8 * 16),
    ]


class Segment(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


@contextmanager
def opened(scheme, *, tweak=None, threads=1, tweak_bytes=16, offset=0, result=b"done"):
    made, key = ctypes.c_void_p(), bytes(range(KEYS[scheme]))
    numbers = (ctypes.c_uint8 * 16)(*offset.to_bytes(16, "little"))
    options = Options(ctypes.sizeof(Options), None, threads, tweak and tweak.encode(), tweak_bytes, numbers)
    got = library().wideblock_open2(ctypes.byref(made), scheme.encode(), key, len(key), ctypes.byref(options))
    assert library().wideblock_message(got).startswith(result)
    yield made
    library().wideblock_close(made)


def cut(draw, room, size):
    """Segments of ``size`` bytes at places of ``room`` in their order, with gaps and empty ones."""
    found, at = [], 0
    while size:
        n = min(size, draw.choice((0, 1, 15, 100, 512, 5000)))
        found.append((at, n))
        at, size = at + n + draw.choice((0, 1, 64)), size - n
    assert at <= room.size
    return found


def listed(room, segments):
    return (Segment * len(segments))(*((room.ctypes.data + at, n) for at, n in segments))


def joined(room, segments):
    return b"".join(room[at : at + n].tobytes() for at, n in segments)


@pytest.mark.parametrize("scheme", KEYS)
@pytest.mark.parametrize("threads", [1, 3])
def test_segments_are_as_one_piece(scheme, threads):
    """Cuts anywhere, other ones in and out, or in place; bytes between segments stay."""
    draw, crypt = random.Random(scheme), library().wideblock_crypt_segments
    with Twin(scheme, bytes(range(KEYS[scheme]))) as twin, opened(scheme, threads=threads) as context:
        for sector, count in ((32, 40), (512, 9), (4096, 50), (8192, 3)):
            data = np.frombuffer(draw.randbytes(sector * count), np.uint8)
            for decrypt in (False, True):
                right = twin.crypt_numbered(data.reshape(count, sector), 2**64 - 3, decrypt).tobytes()
                room, other = (np.full(12 * data.size + 9999, 7, np.uint8) for _ in range(2))
                source, target, at = cut(draw, room, data.size), cut(draw, other, data.size), 0
                for place, n in source:
                    room[place : place + n], at = data[at : at + n], at + n
                before, first = other.copy(), (2**64 - 3).to_bytes(16, "little")
                from_, to = listed(room, source), listed(other, target)
                assert not crypt(context, decrypt, from_, len(source), to, len(target), sector, first)
                assert joined(other, target) == right
                assert not crypt(context, decrypt, from_, len(source), from_, len(source), sector, first)
                assert joined(room, source) == right
                for place, n in target:
                    other[place : place + n] = 7
                assert (other == before).all()


def test_conventions_are_one_table():
    names = []
    while name := library().wideblock_tweak(len(names)):
        names.append(name.decode())
    assert names == list(CONVENTIONS)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_tweaks_of_a_convention_are_those_of_images(name):
    """Numbers around every boundary, an offset, and tweaks of several sizes; one that does not fit is refused alike."""
    for size in (8, 16, 20):
        with opened("hctr2", tweak=name, tweak_bytes=size, offset=3) as context:
            for sector in (512, 4096, 96):
                for first in (0, 254, 2**32 - 2, 2**61 - 4, 2**64 - 5, 2**64 - 1, 2**125, 2**128 - 5, 2**128 - 1):
                    out, number = ctypes.create_string_buffer(3 * size), first.to_bytes(16, "little")
                    got = library().wideblock_tweaks(context, sector, number, 3, out)
                    try:
                        right = Numbering(name, sector, size, first, 3).tweaks(0, 3).tobytes()
                    except ValueError:
                        right = None
                    assert (None if got else out.raw) == right, (size, sector, first)


@pytest.mark.parametrize("name", [name for name in CONVENTIONS if "aliases" not in CONVENTIONS[name].meaning])
def test_numbers_that_a_tweak_has_no_room_for_are_refused(name):
    """Two numbers that are taken have two tweaks, whatever the size of a tweak is."""
    for size in (1, 4, 8, 9, 12, 15, 16, 24):
        numbers, tweaks = [0, 1, 5, 6, 200, 2**8 + 1, 2**32 + 5, 2**64 - 1, 2**64 + 5, 2**127], {}
        with opened("hctr2", tweak=name, tweak_bytes=size) as context:
            for number in numbers:
                out = ctypes.create_string_buffer(size)
                if not library().wideblock_tweaks(context, 512, number.to_bytes(16, "little"), 1, out):
                    tweaks[number] = out.raw
        assert len(set(tweaks.values())) == len(tweaks) and 0 in tweaks
        assert tweaks.keys() == {number for number in numbers if _fits(name, size, number)}


def _fits(name, size, number):
    try:
        return bool(Numbering(name, 512, size).tweaks(number, 1).size)
    except UserError:
        return False


def test_the_numbers_of_a_call_are_those_of_its_convention():
    data = np.arange(2 * 4096, dtype=np.uint16).view(np.uint8)[: 2 * 4096].copy()
    tweaks = Numbering("plain64be-512", 4096, 16, 5, 1).tweaks(0, 2)
    with Twin("xts", bytes(range(32))) as twin, opened("xts", tweak="plain64be-512", offset=1) as context:
        right = twin.crypt(data.reshape(2, 4096), tweaks, False)
        piece = listed(data, [(0, data.size)])
        call = library().wideblock_crypt_segments
        assert not call(context, 0, piece, 1, piece, 1, 4096, (5).to_bytes(16, "little"))
        assert data.tobytes() == right.tobytes()


@pytest.mark.parametrize(
    ("source", "target", "sector", "message"),
    [
        ([(0, 512)], [(512, 511)], 512, b"segments in and out"),
        ([(0, 500)], [(512, 500)], 512, b"segments in and out"),
        ([(0, 512)], [(511, 512)], 512, b"output that overlaps"),
        ([(0, 256), (256, 256)], [(0, 512)], 512, b"output that overlaps"),
        ([(0, (1 << 64) - 512)], [(0, (1 << 64) - 512)], 512, b"more sectors"),
        ([(0, 64)], [(64, 64)], 15, b"sector size"),
    ],
)
def test_segments_that_do_not_fit_are_refused(source, target, sector, message):
    room, call = np.full(1024, 5, np.uint8), library().wideblock_crypt_segments
    with opened("hctr2") as context:
        lists = listed(room, source), len(source), listed(room, target), len(target)
        assert library().wideblock_message(call(context, 0, *lists, sector, bytes(16))).startswith(message)
        for wrong in ((None, *lists[1:]), (*lists[:2], None, lists[3])):
            assert library().wideblock_message(call(context, 0, *wrong, sector, bytes(16)))[:4] in (
                b"NULL",
                message[:4],
            )
        assert not call(context, 0, None, 0, None, 0, 512, bytes(16))
        assert (room == 5).all()


def test_an_unknown_convention_is_refused():
    with opened("hctr2", tweak="essiv", result=b"unknown convention"):
        pass


def test_a_child_process_without_the_threads_goes_on():
    """After fork no thread of the context is there: the call does all of it, and closing waits for none."""
    data = np.zeros((64, 4096), np.uint8)
    with Twin("hctr2", bytes(16)) as twin:
        right = twin.crypt_numbered(data, 0, False, threads=3)
        if (child := ctypes.CDLL(None).fork()) == 0:
            ctypes.CDLL(None).alarm(120)  # a call that hangs ends the child
            same = (twin.crypt_numbered(data, 0, False, threads=3) == right).all()
            twin.close()
            os._exit(0 if same else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_the_call_allocates_nothing_and_starts_no_thread(tmp_path):
    command = [compiler(), "-std=c++17", "-O1", f"-I{SOURCE}", Path(__file__).with_name("quiet.cpp"), library_file()]
    linked = [f"-Wl,-rpath,{library_file().parent}", "-o", tmp_path / "quiet", "-ldl", "-lpthread"]
    subprocess.run([str(word) for word in (*command, *linked)], check=True)
    said = subprocess.run([tmp_path / "quiet"], capture_output=True, text=True, check=True).stdout
    *lines, refused, control = (line.split() for line in said.splitlines())
    assert refused == ["refused", "4096", "0", "0"]
    assert len(lines) == 2 * len(CASES) and {tuple(line[2:]) for line in lines} == {("0", "0")}
    assert int(control[2]) > 0 and int(control[3]) > 0
