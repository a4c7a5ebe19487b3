# SPDX-License-Identifier: Apache-2.0
"""Speed of the native library beside its peers: ``python -m tests.bench_native [--hctr2 FOLDER] ..``, see ``--help``.

Prints a row a scheme, key and size of a sector, 512, 4,096 and 65,536 bytes, as it is measured, of encryption: the
widest width's speed over that of the fastest peer, the least ratio of a width's speed to that of a narrower one, then
GB/s (10^9 bytes) of the peers and of every width that the processor has, in the cache (256 KiB again and again); at
4,096 bytes also from memory (1 GiB) by one thread and by two. One thread is measured in processor time, two in elapsed
time. Each figure is the best of its runs; widths run in turn, so a machine that is busy for a while slows all of them.
At the end, rows where a narrower width is faster are named, and the exit status is 1.

Peers: AES-XTS of OpenSSL's libcrypto, that of the system or FILE, and of libisal_crypto in FILE, with their versions;
HCTR2 and its assembly in FOLDER, a clone of google/hctr2; FAST in FOLDER, a clone of its authors' sebatighosh/FAST, for
4,096 bytes alone. Those of the clones are compiled in a temporary folder, with the options that their own instructions
give. All run just before the row.
"""

import argparse
import ctypes
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from ctypes.util import find_library
from functools import cache, partial
from itertools import combinations
from pathlib import Path

import numpy as np

from wideblock.native.library import SOURCE, library, widths
from wideblock.native.twin import Twin

__all__ = ["main"]

HERE = Path(__file__).parent
SECTORS, PAGE, CACHED, LARGE, RUNS = (512, 4096, 65536), 4096, 1 << 18, 1 << 30, 40
NOISE = 0.02
"""Part by which two figures of the same code may differ."""

KEYS = {
    "xts": (32, 64),
    "hctr2": (16, 32),
    "fast-brw": (16, 32),
    "fast-horner": (16,),
    "eme2": (48, 64),
    "heh-brw": (32,),
    "hmch-brw": (32,),
    "aez-core": (16,),
}
"""Schemes, and bytes of their keys."""

Peer = Callable[[int], float | None]
"""GB/s on sectors of so many bytes, None for a size that the peer does not have."""


@cache
def repeat() -> Callable[..., int]:
    """The function of ``repeat.c``."""
    with tempfile.TemporaryDirectory() as made:
        program = f"{made}/repeat.so"
        run("gcc", "-O2", "-shared", "-fPIC", f"-I{SOURCE}", HERE / "native/repeat.c", "-o", program)
        return ctypes.CDLL(program).repeat


@contextmanager
def opened(
    scheme: str, key: bytes, width: str, sectors: np.ndarray, threads: int = 1
) -> Iterator[Callable[[int], object]]:
    """So many calls of the library, as from C: in place, so no call waits for memory, nor for Python."""
    number, data = ctypes.c_size_t, ctypes.c_void_p
    crypt = ctypes.cast(library().wideblock_crypt_numbered, data)
    count, size = map(number, sectors.shape)
    with Twin(scheme, key, width) as twin:

        def work(times: int) -> None:
            result = repeat()(number(times), twin._context, data(sectors.ctypes.data), count, size, threads, crypt)
            assert result == 0

        work(1)
        yield work


def aligned(size: int) -> np.ndarray:
    """Random bytes that begin at a page, as sectors do in a page cache."""
    data = np.random.default_rng(0).integers(0, 256, size + PAGE, np.uint8)
    begin = -data.ctypes.data % PAGE
    return data[begin : begin + size]


def rate(work: Callable[[int], object], size: int, times: int, clock: Callable[[], float]) -> float:
    begun = clock()
    work(times)
    return times * size / (clock() - begun) / 1e9


def in_cache(scheme: str, key: bytes, sectors: np.ndarray) -> list[float]:
    """GB/s of each width."""
    with ExitStack() as contexts:
        works = [contexts.enter_context(opened(scheme, key, width, sectors)) for width in widths()]
        best = [0.0] * len(works)
        for _ in range(RUNS):
            for i, work in enumerate(works):
                times = 16 if best[i] > 1 or not best[i] else 1
                best[i] = max(best[i], rate(work, sectors.nbytes, times, time.thread_time))
        return best


def from_memory(scheme: str, key: bytes, sectors: np.ndarray, threads: int) -> float:
    clock = time.thread_time if threads == 1 else time.perf_counter
    with opened(scheme, key, widths()[0], sectors, threads) as work:
        return max(rate(work, sectors.nbytes, 1, clock) for _ in range(3))


def xts(kind: str, name: str, made: Path) -> dict[tuple[str, int], Peer]:
    """AES-XTS of a shared library, by a program that calls it once a sector."""
    program = made / "peer_xts"
    run("gcc", "-O2", HERE / "native/peer_xts.c", "-o", program, "-ldl")

    def measured(bits: int, sector: int) -> float:
        return float(run(program, kind, name, bits, sector))

    return {("xts", size): partial(measured, 4 * size) for size in (32, 64)}


def version_of(kind: str, name: str) -> str:
    asked = getattr(ctypes.CDLL(name), {"openssl": "OpenSSL_version", "isal": "isal_crypto_get_version_str"}[kind])
    asked.restype = ctypes.c_char_p
    return f"{kind}: {asked(0).decode()}"


def run(*words: object) -> str:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def google(folder: Path, made: Path) -> dict[tuple[str, int], Peer]:
    """The benchmark of google/hctr2, built from the sources that its meson.build lists for x86-64."""
    bench, linux = folder / "benchmark", folder / "third_party/linux-kernel"
    (made / "cbconfig.h").write_text("#define SYMBOLS_HAVE_UNDERSCORE_PREFIX 0\n")
    vectors = folder / "test_vectors/converted/cstruct"
    places = [f"-I{place}" for place in (made, bench, bench / "src", vectors, linux)]
    sources = [*(bench / "src").glob("*.c"), *(bench / "src/x86_64").glob("*.S"), *linux.glob("*.c")]
    flags = ("-O2", "-w", "-fno-strict-aliasing", "-fwrapv")
    program = made / "cipherbench"
    more = (vectors / "hctr2_testvecs.c", *(linux / "x86_64").glob("*.S"))
    run("gcc", *flags, *places, *sources, *more, "-o", program)

    def measured(bits: int, sector: int) -> float:
        said = run(program, f"--bufsize={sector}", "--ntries=200", "HCTR2")
        found = re.search(rf"AES-{bits}-HCTR2 encryption \(simd\).*\((\d+) KB/s\)", said)
        assert found, said
        return int(found[1]) / 1e6

    return {("hctr2", size): partial(measured, 8 * size) for size in (16, 32)}


def authors(folder: Path, made: Path) -> dict[tuple[str, int], Peer]:
    """FAST's authors' C, which is made for 4,096 bytes and AES-128."""
    peers: dict[tuple[str, int], Peer] = {}
    for scheme, place, encrypt, set_up in (
        ("fast-brw", "FAST_Fx_BRW", "FASTEncryptBRW", "setUpFASTWithBRW"),
        ("fast-horner", "FAST_Fx_Horner3", "FASTEncryptHorner", "setUpFASTWithHorner1"),
    ):
        flags = ("-O3", "-w", "-mavx2", "-mpclmul", "-maes")
        names = (f"-DENCRYPT={encrypt}", f"-DSET_UP={set_up}", f"-I{folder / place}")
        run("gcc", *flags, *names, "-include", "stdio.h", HERE / "native/peer_fast.c", "-o", made / scheme)
        peers[scheme, 16] = lambda sector, program=made / scheme: float(run(program)) if sector == 4096 else None
    return peers


def main(given: argparse.Namespace) -> None:
    data = aligned(LARGE)
    with tempfile.TemporaryDirectory() as name:
        made, found = Path(name), list[dict[tuple[str, int], Peer]]()
        for kind, at in (("openssl", given.libcrypto), ("isal", given.isal)):
            if at:
                print(version_of(kind, at))
                found.append(xts(kind, at, made))
        found += [google(given.hctr2, made)] if given.hctr2 else []
        found += [authors(given.fast, made)] if given.fast else []
        print("\nGB/s; ratios first\n")
        head = ("scheme", "key, bytes", "sector, bytes", "to peer", "to narrower", "peers", *widths())
        show(*head, "from memory", "by two threads")
        show(*["---"] * (len(head) + 2))
        slower = list[str]()
        for scheme, sizes in KEYS.items():
            for size in sizes:
                for sector in SECTORS:
                    asked = [peers[scheme, size](sector) for peers in found if (scheme, size) in peers]
                    ratio = row(scheme, size, sector, [peer for peer in asked if peer], data)
                    if ratio < 1 - NOISE:
                        slower.append(f"{scheme}, {size} bytes of key, {sector:,} of a sector: {ratio:.2f}")
    if slower:
        sys.exit("slower than a narrower width:\n" + "\n".join(slower))


def row(scheme: str, size: int, sector: int, peers: list[float], data: np.ndarray) -> float:
    """Measures and prints a row. Returns the least ratio of a width's speed to that of a narrower one."""
    key = bytes(range(size))
    found = in_cache(scheme, key, data[:CACHED].reshape(-1, sector))
    least = min((wide / narrow for wide, narrow in combinations(found, 2)), default=1.0)
    ratios = (peers and found[0] / max(peers), least)
    sectors = data.reshape(-1, sector)
    memory = [sector == PAGE and from_memory(scheme, key, sectors, threads) for threads in (1, 2)]
    beside = ", ".join(f"{peer:.2f}" for peer in peers) or "-"
    first, last = ([f"{speed:.2f}" if speed else "-" for speed in part] for part in (ratios, (*found, *memory)))
    show(scheme, f"{size}", f"{sector:,}", *first, beside, *last)
    return least


def show(*cells: str) -> None:
    print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--libcrypto", metavar="FILE", default=find_library("crypto"), help="OpenSSL's; the system's.")
    parser.add_argument("--isal", metavar="FILE", help="libisal_crypto.so of isa-l_crypto.")
    parser.add_argument("--hctr2", type=Path, metavar="FOLDER", help="Clone of google/hctr2.")
    parser.add_argument("--fast", type=Path, metavar="FOLDER", help="Clone of sebatighosh/FAST.")
    main(parser.parse_args())
