# SPDX-License-Identifier: Apache-2.0
"""Speed of the native library beside its peers: ``python -m tests.bench_native [--hctr2 FOLDER] [--fast FOLDER]``.

Prints GB/s (10^9 bytes) of each scheme on sectors of 4,096 bytes, encrypted: in the cache (256 KiB again and again) and
from memory (1 GiB) by one thread, from memory by two, and in the cache at the width ``aesni``. One thread is measured
in processor time, two in elapsed time; each figure is the best of its runs. A peer runs just before the row's scheme.

Peers: AES-XTS of ``openssl speed``, if the machine has it; HCTR2 and its assembly in FOLDER, a clone of google/hctr2;
FAST in FOLDER, a clone of its authors' sebatighosh/FAST. They are compiled in a temporary folder, with the options that
their own instructions give.
"""

import argparse
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from wideblock.export.markdown import table
from wideblock.native.library import library, widths
from wideblock.native.twin import Twin

__all__ = ["main"]

HERE = Path(__file__).parent
SECTOR, CACHED, LARGE, RUNS = 4096, 1 << 18, 1 << 30, 9
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

Peer = Callable[[], float]


def rate(work: Callable[[], object], size: int, *, repeat: int, clock: Callable[[], float]) -> float:
    """GB/s of ``work`` on ``size`` bytes, ``repeat`` times a run; the best run."""
    best = 0.0
    for _ in range(RUNS if size < LARGE else 3):
        begun = clock()
        for _ in range(repeat):
            work()
        best = max(best, repeat * size / (clock() - begun) / 1e9)
    return best


def native(scheme: str, key: bytes, width: str, sectors: np.ndarray, threads: int = 1) -> float:
    """GB/s of the library, called as from C: in place, so no call waits for memory, nor for Python's arrays."""
    with Twin(scheme, key, width) as twin:
        at, crypt = sectors.ctypes.data, library().wideblock_crypt_numbered
        work = partial(crypt, twin._context, 0, at, at, len(sectors), SECTOR, bytes(16), 16, threads)
        clock = time.thread_time if threads == 1 else time.perf_counter
        assert work() == 0
        return rate(work, sectors.nbytes, repeat=max(1, (1 << 28) // sectors.nbytes), clock=clock)


def openssl(bits: int) -> float:
    options = ["-evp", f"aes-{bits}-xts", "-bytes", str(SECTOR), "-seconds", "3", "-mr"]
    done = subprocess.run(["openssl", "speed", *options], capture_output=True, text=True, check=True)
    return float(done.stdout.split(":")[-1]) / 1e9


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

    def measured(bits: int) -> float:
        said = run(program, f"--bufsize={SECTOR}", "--ntries=200", "HCTR2")
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
        peers[scheme, 16] = lambda program=made / scheme: float(run(program))
    return peers


def main(hctr2: Path | None, fast: Path | None) -> None:
    large = np.random.default_rng(0).integers(0, 256, (LARGE // SECTOR, SECTOR), np.uint8)
    small, widest = large[: CACHED // SECTOR].copy(), widths()[0]
    narrow, rows = widths()[-2] if len(widths()) > 1 else "portable", []
    with tempfile.TemporaryDirectory() as name:
        peers: dict[tuple[str, int], Peer] = {}
        if shutil.which("openssl"):
            peers |= {("xts", size): partial(openssl, 4 * size) for size in (32, 64)}
        peers |= google(hctr2, Path(name)) if hctr2 else {}
        peers |= authors(fast, Path(name)) if fast else {}
        for scheme, sizes in KEYS.items():
            for size in sizes:
                key, peer = bytes(range(size)), peers.get((scheme, size))
                beside = peer() if peer else None
                found = [native(scheme, key, width, small) for width in (widest, narrow)]
                found += [native(scheme, key, widest, large, threads) for threads in (1, 2)]
                ratios = [f"{speed / beside:.2f}" if beside else "-" for speed in found[:2]]
                wide, slim, *memory = (f"{speed:.2f}" for speed in found)
                shown = (f"{beside:.2f}" if beside else "-", wide, ratios[0], slim, ratios[1], *memory)
                rows.append((scheme, f"{size}", *shown))
    head = ("scheme", "key, bytes", "peer", widest, "ratio", narrow, "ratio", "from memory", "with two threads")
    print(f"GB/s, sectors of {SECTOR:,} bytes\n\n{table(head, rows)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hctr2", type=Path, metavar="FOLDER", help="Clone of google/hctr2.")
    parser.add_argument("--fast", type=Path, metavar="FOLDER", help="Clone of sebatighosh/FAST.")
    given = parser.parse_args()
    main(given.hctr2, given.fast)
