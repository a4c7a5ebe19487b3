# SPDX-License-Identifier: Apache-2.0
"""The block device, through nbdkit: against a plain copy, the specifications, and the conventions' own tables."""

import os
import random
import re
import resource
import signal
import subprocess
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from wideblock.image import numbering
from wideblock.native.servers import plugin
from wideblock.spec.fast import FAST
from wideblock.spec.hctr2 import HCTR2
from wideblock.spec.sealed import Sealed
from wideblock.spec.xts import XTS

from .nbd_client import FUA, TRIM, NbdClient, NbdError

pytestmark = [pytest.mark.shows("block-device"), pytest.mark.wants("nbdkit", "nbdkit-plugin.h")]
KEY = bytes(range(32))
EIO, EPERM, EINVAL = 5, 1, 22


@contextmanager
def served(folder, *, options=(), **parameters):
    """A server over ``folder``/disk; yields its process and its socket."""
    (folder / "key").write_bytes(parameters.pop("key", KEY))
    given = {"file": folder / "disk", "key-file": folder / "key", **parameters}
    place, ready = folder / "socket", folder / "pid"
    place.unlink(missing_ok=True)
    ready.unlink(missing_ok=True)
    words = [f"{name.replace('_', '-')}={value}" for name, value in given.items()]
    command = ["nbdkit", "-f", "-U", place, "-P", ready, *options, plugin(), *words]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        while not ready.exists():
            assert process.poll() is None
            time.sleep(0.02)
        yield process, place
    finally:
        process.kill()
        process.wait()


def made(folder, count, sector, seed=1):
    """A plain copy of a new disk of noise: what ``deciphered`` makes of it."""
    noise = random.Random(seed).randbytes(count * sector)
    (folder / "disk").write_bytes(noise)
    return noise


def units(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


def le(number, size=16):
    return number.to_bytes(size, "little")


SCHEMES = {
    "hctr2": (HCTR2(KEY), 512),
    "xts": (XTS(KEY), 520),
    "fast-brw": (FAST(KEY, hash="brw", sector_bytes=96), 96),
}


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("scheme", "requests"), [*((scheme, 600) for scheme in SCHEMES), slow("xts", 100_000), slow("hctr2", 100_000)]
)
def test_random_requests_are_those_of_a_plain_copy(tmp_path, scheme, requests):
    cipher, sector = SCHEMES[scheme]
    count, rng = 40, random.Random(scheme)
    noise = made(tmp_path, count, sector)
    plain = bytearray(b"".join(cipher.decrypt(le(250 + n), unit) for n, unit in enumerate(units(noise, sector))))
    with served(tmp_path, scheme=scheme, sector=sector, first=250) as (_, place), NbdClient(place) as disk:
        assert disk.size == len(plain) and disk.read(0, disk.size) == plain
        for n in range(requests):
            at = rng.randrange(len(plain))
            if rng.random() < 0.3:
                at -= at % sector
            size = min(len(plain) - at, rng.choice((1, sector, rng.randrange(1, 4 * sector))))
            if n % 2:
                assert disk.read(at, size) == plain[at : at + size]
            else:
                plain[at : at + size] = data = rng.randbytes(size)
                disk.write(at, data, fua=n % 50 == 0)
        disk.zero(sector + 3, 2 * sector)
        plain[sector + 3 : 3 * sector + 3] = bytes(2 * sector)
        disk.flush()
        assert disk.read(0, disk.size) == plain
    right = [cipher.encrypt(le(250 + n), unit) for n, unit in enumerate(units(bytes(plain), sector))]
    assert (tmp_path / "disk").read_bytes() == b"".join(right)


def test_forged_sectors_are_errors_and_others_go_on(tmp_path):
    """Reads and parts of one fail until it is written again; random requests are those of a plain copy."""
    sector, rng = 512, random.Random(5)
    scheme, plain = Sealed(HCTR2(KEY)), bytearray(random.Random(6).randbytes(12 * sector))
    pairs = [scheme.seal(le(7 + n), unit) for n, unit in enumerate(units(bytes(plain), sector))]
    for name, content in (("disk", [v for _, v in pairs]), ("icvs", [icv for icv, _ in pairs])):
        (tmp_path / name).write_bytes(b"".join(content))
    given = {"scheme": "hctr2", "sector": sector, "first": 7, "icv": tmp_path / "icvs"}
    with served(tmp_path, **given) as (_, place), NbdClient(place) as disk:
        assert disk.read(0, disk.size) == plain
        for n in range(100):
            at = rng.randrange(len(plain))
            size = min(len(plain) - at, rng.choice((1, sector, 3 * sector)))
            plain[at : at + size] = data = rng.randbytes(size)
            disk.write(at, data, fua=n % 50 == 0)
        assert disk.read(0, disk.size) == plain
    pairs = [scheme.seal(le(7 + n), unit) for n, unit in enumerate(units(bytes(plain), sector))]
    assert (tmp_path / "icvs").read_bytes() == b"".join(icv for icv, _ in pairs)
    for name, at in (("disk", 3 * sector), ("icvs", 16 * 8 + 15)):
        with (tmp_path / name).open("r+b") as file:
            file.seek(at)
            file.write(bytes([(tmp_path / name).read_bytes()[at] ^ 1]))
    with served(tmp_path, **given) as (_, place), NbdClient(place) as disk:
        for at, size in ((3 * sector, 1), (8 * sector, sector), (0, disk.size), (2 * sector + 511, 2)):
            with pytest.raises(NbdError) as caught:
                disk.read(at, size)
            assert caught.value.args == (EIO,)
        with pytest.raises(NbdError):
            disk.write(3 * sector + 1, b"part")
        assert disk.read(4 * sector, 4 * sector) == plain[4 * sector : 8 * sector]
        for n in (3, 8):
            disk.write(n * sector, bytes(plain[n * sector :][:sector]))
        assert disk.read(0, disk.size) == plain


MASK = (1 << 64) - 1
CONVENTIONS = {  # bytes of a sector, bits of the most numbers, and from a number to the tweak
    "le128": (1024, 128, le),
    "be128": (1024, 128, lambda n: n.to_bytes(16, "big")),
    "plain64": (1024, 64, le),
    "plain64-512": (1024, 63, lambda n: le(2 * n)),
    "plain64be": (1024, 64, lambda n: n.to_bytes(16, "big")),
    "plain64be-512": (1024, 63, lambda n: (2 * n).to_bytes(16, "big")),
    "plain": (1024, 64, lambda n: le(n & 0xFFFFFFFF)),
    "plain-512": (1024, 63, lambda n: le(2 * n & 0xFFFFFFFF)),
    "blk-crypto": (1024, 64, le),
    "spdk-simple-lba": (1024, 64, le),
    "spdk-join-neg-lba-with-lba": (1024, 64, lambda n: le(n | (~n & MASK >> 1) << 64)),
    "spdk-incr-512-full-lba": (512, 128, le),
    "spdk-incr-512-upper-lba": (512, 64, lambda n: bytes(8) + le(n, 8)),
}


NUMBERS = [0, 255, 65535, (1 << 32) - 1, (1 << 63) - 4, (1 << 64) - 4, (1 << 128) - 4]
FITTING = [(name, n) for name, (_, bits, _) in CONVENTIONS.items() for n in NUMBERS if n < 1 << bits]


@pytest.mark.parametrize(("name", "first"), FITTING)
def test_conventions(tmp_path, name, first):
    size, _, tweak = CONVENTIONS[name]
    noise, cipher = made(tmp_path, 4, size), XTS(KEY)
    plain = b"".join(cipher.decrypt(tweak(first + n), unit) for n, unit in enumerate(units(noise, size)))
    given = {"scheme": "xts", "sector": size, "tweak": name, "first": first}
    with served(tmp_path, **given) as (_, place), NbdClient(place) as disk:
        assert disk.read(0, 4 * size) == plain
        assert disk.read(size - 24, size + 76) == plain[size - 24 : 2 * size + 52]


def test_conventions_are_those_of_images():
    given = {name: size for name, (size, *_) in CONVENTIONS.items()}
    assert given.keys() == numbering.CONVENTIONS.keys()
    for name, (size, bits, tweak) in CONVENTIONS.items():
        numbers = [n for n in NUMBERS if n < 1 << bits]
        for n in numbers:
            assert numbering.Numbering(name, size, 16, n).tweaks(0, 1).tobytes() == tweak(n)


@pytest.mark.parametrize(("name", "order"), [("le128", "little"), ("be128", "big"), ("plain64be", "big")])
@pytest.mark.parametrize("size", [8, 16, 32])
def test_tweaks_of_other_sizes_and_an_offset(tmp_path, name, order, size):
    noise, cipher = made(tmp_path, 2, 64), HCTR2(KEY)
    tweaks = [(0x10F + n).to_bytes(size, order) for n in range(2)]
    plain = b"".join(cipher.decrypt(tweak, unit) for tweak, unit in zip(tweaks, units(noise, 64), strict=True))
    given = {"scheme": "hctr2", "sector": 64, "tweak_bytes": size, "first": "0xff", "tweak_offset": 16, "tweak": name}
    with served(tmp_path, **given) as (_, place), NbdClient(place) as disk:
        assert disk.read(0, 128) == plain


def test_clients_side_by_side_lose_nothing(tmp_path):
    """Each writes bytes of its own, all of them into the same sectors."""
    sector, count, clients = 512, 6, 4
    made(tmp_path, count, sector)
    finals = [None] * clients

    def work(place, own):
        rng, mine = random.Random(own), {}
        with NbdClient(place) as disk:
            for _ in range(150):
                at = 32 * (rng.randrange(count * sector // 32 // clients) * clients + own)
                mine[at] = rng.randbytes(32)
                disk.write(at, mine[at])
                assert disk.read(at, 32) == mine[at]
        finals[own] = mine

    with served(tmp_path, scheme="hctr2", sector=sector, options=["--threads=4"]) as (_, place):
        threads = [threading.Thread(target=work, args=(place, own)) for own in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with NbdClient(place) as disk:
            assert all(disk.read(at, 32) == data for mine in finals for at, data in mine.items())


@pytest.mark.parametrize(("sector", "attempts"), [(4096, 4), slow(4096, 100), slow(512, 100)])
def test_a_server_that_is_killed_leaves_whole_sectors(tmp_path, sector, attempts):
    """Writes from inside the first sector to inside the last: each sector is as before the last of them, or after."""
    count, half, rng = 64, sector // 2, random.Random(3)
    (tmp_path / "disk").write_bytes(bytes(sector * count))
    written = 0
    for attempt in range(attempts):
        old = new = attempt
        with served(tmp_path, scheme="hctr2", sector=sector) as (process, place):
            timer = threading.Timer(rng.uniform(0.02, 0.2), process.kill)
            with NbdClient(place) as disk, suppress(OSError):
                disk.write(0, bytes([attempt]) * (sector * count))
                timer.start()
                for n in range(1 << 30):
                    new = 100 + n % 100
                    disk.write(half, bytes([new]) * (sector * (count - 1)))
                    old = new
                    written += 1
            timer.join()
        stored = units((tmp_path / "disk").read_bytes(), sector)
        whole = b"".join(HCTR2(KEY).decrypt(le(n), unit) for n, unit in enumerate(stored))
        edge = bytes([attempt]) * half
        assert whole[:half] == whole[-half:] == edge
        states = [bytes([old]) * sector, bytes([new]) * sector]
        assert all(unit in states for unit in units(whole, sector)[1:-1])
        ends = whole[half:sector], whole[-sector:-half]
        assert all(end in (states[0][:half], states[1][:half]) for end in ends)
    assert written


def test_a_server_that_aborts_leaves_no_core_file(tmp_path, monkeypatch):
    """Found where the kernel writes core files into the folder of the process, its default."""
    monkeypatch.chdir(tmp_path)
    made(tmp_path, 2, 512)
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        with served(tmp_path, scheme="xts", sector=512) as (process, _):
            process.send_signal(signal.SIGABRT)
            assert process.wait(10) == -signal.SIGABRT
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("core")]


def test_trim_is_refused_and_flags_say_so(tmp_path):
    made(tmp_path, 2, 512)
    with served(tmp_path, scheme="xts", sector=512) as (_, place), NbdClient(place) as disk:
        assert not disk.flags & 1 << 5 and disk.flags & 1 << 3 and disk.flags & 1 << 6  # trim; FUA; write zeroes
        with pytest.raises(NbdError) as refused:
            disk.trim(0, 512)
        assert refused.value.args == (EINVAL,) and (TRIM, FUA) == (4, 1)


def test_a_device_that_is_read_only(tmp_path):
    made(tmp_path, 2, 512)
    with served(tmp_path, scheme="xts", sector=512, options=["-r"]) as (_, place), NbdClient(place) as disk:
        assert disk.flags & 2
        with pytest.raises(NbdError) as refused:
            disk.write(0, b"x")
        assert refused.value.args == (EPERM,) and len(disk.read(5, 600)) == 600


def test_two_servers_of_a_file_exclude_each_other_unless_both_read(tmp_path):
    made(tmp_path, 2, 512)
    given = {"file": tmp_path / "disk", "key-file": tmp_path / "key", "scheme": "xts", "sector": 512}
    command = ["nbdkit", "-f", "-U", "-", plugin(), *(f"{name}={value}" for name, value in given.items())]

    def second(*words):
        done = subprocess.run([*command, *words, "--run", "true"], capture_output=True, text=True, timeout=60)
        assert len(done.stderr.splitlines()) == (done.returncode != 0)
        return "disk is in use by another server or program that has locked it" in done.stderr

    with served(tmp_path, scheme="xts", sector=512) as (_, place), NbdClient(place):
        assert second() and second("read-only=true")
    with served(tmp_path, scheme="xts", sector=512, read_only="true") as (_, place), NbdClient(place) as disk:
        assert disk.flags & 2
        assert second() and not second("read-only=true")
    assert not second()


def test_a_file_that_became_shorter_is_an_error(tmp_path):
    made(tmp_path, 4, 512)
    with served(tmp_path, scheme="xts", sector=512) as (_, place), NbdClient(place) as disk:
        os.truncate(tmp_path / "disk", 512)
        assert len(disk.read(0, 512)) == 512
        for size in (512, 100):
            with pytest.raises(NbdError) as failed:
                disk.read(512, size)
            assert failed.value.args == (EIO,)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sector": 500}, "disk has 4096 bytes; it must be whole sectors of 500"),
        ({"scheme": "rot13"}, "scheme rot13 with a key of 32 bytes: "),
        ({"key": KEY[:5]}, "scheme xts with a key of 5 bytes: "),
        ({"key": bytes(200)}, "scheme xts with a key of 65 bytes: "),
        ({"key_file": "/none"}, "key-file /none: No such file or directory"),
        ({"file": "/none"}, "/none: No such file or directory"),
        ({"file": "/dev/null"}, "/dev/null must be a regular file or a block device"),
        ({"sector": 8}, "xts: "),
        ({"tweak_bytes": 8}, "xts: "),
        ({"tweak": "essiv"}, "tweak must be one of le128, be128, .*, got 'essiv'"),
        ({"first": "1x"}, "first must be a whole number below 2.128 such as 4096 or 0x1000, got '1x'"),
        ({"first": 1 << 128}, "first must be a whole number below 2.128"),
        ({"first": (1 << 128) - 1}, "the numbers of the sectors do not fit a tweak of 16 bytes by le128"),
        ({"first": 1 << 64, "tweak": "plain64be"}, "the numbers of the sectors do not fit a tweak of 16 .* plain64be"),
        ({"first": (1 << 128) - 1, "tweak_offset": 1}, "the numbers of the sectors do not fit a tweak"),
        ({"sector": 64, "tweak": "plain64-512"}, "tweak=plain64-512 does not take sectors of 64 bytes; 512 is right"),
        ({"sector": 1024, "tweak": "spdk-incr-512-full-lba"}, "does not take sectors of 1024 bytes; 512 is right"),
        ({"icv": "/none"}, "xts: scheme that seals no sectors"),
        ({"icv": "/none", "scheme": "hctr2"}, "/none: No such file or directory"),
        (
            {"icv": "/dev/null", "scheme": "hctr2"},
            "/dev/null must be a regular file of 128 bytes, 16 for each sector of",
        ),
        ({"icv": __file__, "scheme": "hctr2"}, "must be a regular file of 128 bytes"),
        ({"colour": "red"}, "unknown parameter 'colour'"),
    ],
)
def test_a_wrong_request_is_one_line(tmp_path, given, message):
    made(tmp_path, 8, 512)
    (tmp_path / "key").write_bytes(given.pop("key", KEY))
    all_given = {"file": tmp_path / "disk", "key_file": tmp_path / "key", "scheme": "xts", "sector": 512, **given}
    words = [f"{name.replace('_', '-')}={value}" for name, value in all_given.items()]
    command = ["nbdkit", "-f", "-U", tmp_path / "socket", plugin(), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode and len(done.stderr.splitlines()) == 1
    assert re.search(f"error: .*{message}", done.stderr), done.stderr
    assert not (tmp_path / "socket").exists()


@pytest.mark.wants("fio")
@pytest.mark.parametrize(("depth", "block"), [(1, 4096), (16, 512)])
def test_fio_reads_back_what_it_wrote(tmp_path, depth, block):
    """At random places, with sums of each block; blocks of 512 bytes share sectors. A changed bit is seen."""
    made(tmp_path, 64, 4096)
    with served(tmp_path, scheme="hctr2", sector=4096) as (_, place):
        given = {"ioengine": "nbd", "uri": f"nbd+unix:///?socket={place}", "rw": "randwrite", "size": 64 * 4096}
        given |= {"bs": block, "iodepth": depth, "verify": "crc32c", "verify_fatal": 1}
        given |= {"verify_state_save": 0}  # a file in the working directory
        words = ["fio", "--name=verify", *(f"--{name}={value}" for name, value in given.items())]
        assert "verify" not in fio(words).stderr
        with open(tmp_path / "disk", "r+b") as disk:
            disk.seek(7 * 4096 + 100)
            byte = disk.read(1)[0]
            disk.seek(-1, os.SEEK_CUR)
            disk.write(bytes([byte ^ 1]))
        assert "bad" in fio([*words, "--verify_only"], status=1).stderr


def fio(words, *, status=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode != 0) == bool(status), done.stderr
    return done
