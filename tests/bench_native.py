# SPDX-License-Identifier: Apache-2.0
"""Speed of the native library: ``python -m tests.bench_native`` prints GB/s of each scheme, and of OpenSSL's AES-XTS.

Sectors of 4,096 bytes, encrypted in the cache (256 KiB again and again), and from memory (256 MiB) with one thread and
with two. Each figure is the best of five runs.
"""

import shutil
import subprocess
import time
from collections.abc import Callable

import numpy as np

from wideblock.export.markdown import table
from wideblock.native.library import widths
from wideblock.native.twin import Twin

__all__ = ["main"]

SECTOR, CACHED, LARGE, RUNS = 4096, 1 << 18, 1 << 28, 5
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


def rate(work: Callable[[], object], size: int) -> float:
    """GB/s of ``work`` on ``size`` bytes, repeated for a tenth of a second or more; the best of some runs."""
    best, repeat = 0.0, max(1, (1 << 28) // size)
    for _ in range(RUNS):
        begun = time.perf_counter()
        for _ in range(repeat):
            work()
        best = max(best, repeat * size / (time.perf_counter() - begun) / 1e9)
    return best


def by_library(scheme: str, key: bytes, size: int, threads: int) -> float:
    sectors = np.random.default_rng(0).integers(0, 256, (size // SECTOR, SECTOR), np.uint8)
    with Twin(scheme, key) as twin:
        return rate(lambda: twin.crypt_numbered(sectors, 0, False, threads=threads), size)


def by_openssl(bits: int) -> str:
    """GB/s of the machine's ``openssl speed``, which takes one tweak; "-" without it."""
    if not (openssl := shutil.which("openssl")):
        return "-"
    options = ["-evp", f"aes-{bits}-xts", "-bytes", str(SECTOR), "-seconds", "3", "-mr"]
    done = subprocess.run([openssl, "speed", *options], capture_output=True, text=True, check=True)
    return f"{float(done.stdout.split(':')[-1]) / 1e9:.2f}"


def main() -> None:
    rows = []
    for scheme, sizes in KEYS.items():
        for size in sizes:
            key = bytes(range(size))
            found = [by_library(scheme, key, *run) for run in ((CACHED, 1), (LARGE, 1), (LARGE, 2))]
            rows.append((scheme, f"{size}", *(f"{speed:.2f}" for speed in found)))
            if scheme == "xts":
                rows.append(("xts, openssl speed", f"{size}", by_openssl(4 * size), "-", "-"))
    head = ("scheme", "key, bytes", "in the cache", "from memory", "with two threads")
    print(f"GB/s, sectors of {SECTOR:,} bytes, width {widths()[0]}\n\n{table(head, rows)}")


if __name__ == "__main__":
    main()
