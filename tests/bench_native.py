# SPDX-License-Identifier: Apache-2.0
"""Speed of the native library beside its peers: ``python -m tests.bench_native [--hctr2 FOLDER] [--fast FOLDER]``.

Prints a row a scheme, key and size of a sector, 512 and 4,096 bytes, as it is measured, of encryption: the widest
width's speed over the peer's, and over that of the next width, then GB/s (10^9 bytes) of the peer and of every width
that the processor has, in the cache (256 KiB again and again); at 4,096 bytes also from memory (1 GiB) by one thread
and by two. One thread is measured in processor time, two in elapsed time. Each figure is the best of its runs; widths
run in turn, so a machine that is busy for a while slows all of them.

Peers: AES-XTS of ``openssl speed``, if the machine has it, whose version is printed; HCTR2 and its assembly in FOLDER,
a clone of google/hctr2; FAST in FOLDER, a clone of its authors' sebatighosh/FAST, for 4,096 bytes alone. They are
compiled in a temporary folder, with the options that their own instructions give, and run just before the row.
"""

import argparse
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from wideblock.native.library import library, widths
from wideblock.native.twin import Twin

__all__ = ["main"]

HERE = Path(__file__).parent
SECTORS, CACHED, LARGE, RUNS = (512, 4096), 1 << 18, 1 << 30, 40
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


@contextmanager
def opened(
    scheme: str, key: bytes, width: str, sectors: np.ndarray, threads: int = 1
) -> Iterator[Callable[[], object]]:
    """A call of the library, as from C: in place, so no call waits for memory, nor for Python's arrays."""
    with Twin(scheme, key, width) as twin:
        at, crypt = sectors.ctypes.data, library().wideblock_crypt_numbered
        work = partial(crypt, twin._context, 0, at, at, *sectors.shape, bytes(16), 16, threads)
        assert work() == 0
        yield work


def rate(work: Callable[[], object], size: int, repeat: int, clock: Callable[[], float]) -> float:
    begun = clock()
    for _ in range(repeat):
        work()
    return repeat * size / (clock() - begun) / 1e9


def in_cache(scheme: str, key: bytes, sectors: np.ndarray) -> list[float]:
    """GB/s of each width."""
    with ExitStack() as contexts:
        works = [contexts.enter_context(opened(scheme, key, width, sectors)) for width in widths()]
        best = [0.0] * len(works)
        for _ in range(RUNS):
            for i, work in enumerate(works):
                repeat = 16 if best[i] > 1 or not best[i] else 1
                best[i] = max(best[i], rate(work, sectors.nbytes, repeat, time.thread_time))
        return best


def from_memory(scheme: str, key: bytes, sectors: np.ndarray, threads: int) -> float:
    clock = time.thread_time if threads == 1 else time.perf_counter
    with opened(scheme, key, widths()[0], sectors, threads) as work:
        return max(rate(work, sectors.nbytes, 1, clock) for _ in range(3))


def openssl(bits: int, sector: int) -> float:
    options = ["-evp", f"aes-{bits}-xts", "-bytes", str(sector), "-seconds", "3", "-mr"]
    return float(run("openssl", "speed", *options).split(":")[-1]) / 1e9


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


def main(hctr2: Path | None, fast: Path | None) -> None:
    data = np.random.default_rng(0).integers(0, 256, LARGE, np.uint8)
    with tempfile.TemporaryDirectory() as name:
        peers: dict[tuple[str, int], Peer] = {}
        if shutil.which("openssl"):
            print(run("openssl", "version").strip())
            peers |= {("xts", size): partial(openssl, 4 * size) for size in (32, 64)}
        peers |= google(hctr2, Path(name)) if hctr2 else {}
        peers |= authors(fast, Path(name)) if fast else {}
        print("\nGB/s; ratios first\n")
        head = ("scheme", "key, bytes", "sector, bytes", "to peer", "to next width", "peer", *widths())
        show(*head, "from memory", "by two threads")
        show(*["---"] * (len(head) + 2))
        for scheme, sizes in KEYS.items():
            for size in sizes:
                for sector in SECTORS:
                    key, peer = bytes(range(size)), peers.get((scheme, size))
                    beside = peer(sector) if peer else None
                    widest, *others = found = in_cache(scheme, key, data[:CACHED].reshape(-1, sector))
                    ratios = (beside and widest / beside, others and widest / others[0])
                    memory = (
                        [from_memory(scheme, key, data.reshape(-1, sector), n) for n in (1, 2)]
                        if sector == 4096
                        else [None] * 2
                    )
                    shown = (f"{speed:.2f}" if speed else "-" for speed in (*ratios, beside, *found, *memory))
                    show(scheme, f"{size}", f"{sector:,}", *shown)


def show(*cells: str) -> None:
    print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hctr2", type=Path, metavar="FOLDER", help="Clone of google/hctr2.")
    parser.add_argument("--fast", type=Path, metavar="FOLDER", help="Clone of sebatighosh/FAST.")
    given = parser.parse_args()
    main(given.hctr2, given.fast)
