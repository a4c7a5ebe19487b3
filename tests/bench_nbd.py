# SPDX-License-Identifier: Apache-2.0
"""Speed of the block device beside nbdkit's own: ``python -m tests.bench_nbd [--seconds N] [--gib N]``.

Prints GB/s (10^9 bytes) of ``nbdcopy`` reading and writing a whole device, and thousands of requests a second of
``fio`` with its engine ``nbd``: 4 KiB at random places, one at a time and 16. Devices: nbdkit's memory plugin; its file
plugin; its luks filter on that, a container of qemu-img; and this project's plugin. Files are in memory, sectors have
4,096 bytes, those of the luks filter 512. Each figure is the best of three runs, which go round the devices.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wideblock.errors import UserError
from wideblock.export.markdown import table
from wideblock.native.servers import plugin

__all__ = ["main"]

PROGRAMS = {"nbdkit": "nbdkit", "nbdcopy": "libnbd-bin", "fio": "fio", "qemu-img": "qemu-utils"}
"""Programs, and the packages of Debian that have them."""

MEMORY = Path("/dev/shm")
RUNS = 3
KEYS = {"xts": 32, "hctr2": 16}


def missing() -> list[str]:
    """What the benchmark needs and the machine lacks."""
    found = [f"{program} ({package})" for program, package in PROGRAMS.items() if not shutil.which(program)]
    if not found and "nbd" not in run("fio", "--enghelp"):
        found.append("fio with the engine nbd")
    return found


def run(*words: object) -> str:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def devices(folder: Path, size: int) -> dict[str, list[object]]:
    """Arguments of nbdkit by the name of the device; makes the files below."""
    disk, container, phrase = folder / "disk", folder / "luks", folder / "phrase"
    phrase.write_text("phrase")
    made = "key-secret=s,cipher-alg=aes-128,cipher-mode=xts,ivgen-alg=plain64,iter-time=10"
    secret = f"secret,id=s,file={phrase}"
    run("qemu-img", "create", "-q", "-f", "luks", "--object", secret, "-o", made, container, size)
    with disk.open("wb") as file:
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))
    given: dict[str, list[object]] = {
        "memory plugin": ["memory", size],
        "file plugin": ["file", disk],
        "luks filter, AES-XTS-128": ["--filter=luks", "file", container, f"passphrase=+{phrase}"],
    }
    for scheme, key in KEYS.items():
        (folder / scheme).write_bytes(bytes(range(key)))
        own = [plugin(), f"file={disk}", f"scheme={scheme}", f"key-file={folder / scheme}", "sector=4096"]
        given[f"wideblock, {scheme}, key of {key} bytes"] = own
    return given


@contextmanager
def served(folder: Path, arguments: list[object]) -> Iterator[str]:
    """A server; yields the address of its device."""
    socket, ready = folder / "socket", folder / "pid"
    for each in (socket, ready):
        each.unlink(missing_ok=True)
    words = ["nbdkit", "--foreground", "--unix", socket, "--pidfile", ready, *arguments]
    with subprocess.Popen([str(word) for word in words]) as process:
        try:
            while not ready.exists():
                if process.poll() is not None:
                    raise UserError(f"nbdkit ended with status {process.returncode}")
                time.sleep(0.02)
            yield f"nbd+unix:///?socket={socket}"
        finally:
            process.terminate()


def copied(size: int, *words: object) -> float:
    """GB/s of nbdcopy."""
    begun = time.perf_counter()
    run("nbdcopy", *words)
    return size / (time.perf_counter() - begun) / 1e9


def requests(device: str, kind: str, depth: int, seconds: int) -> float:
    """Thousands of requests a second of fio."""
    options = {"rw": f"rand{kind}", "iodepth": depth, "runtime": seconds, "bs": "4k", "ioengine": "nbd", "uri": device}
    words = [f"--{name}={value}" for name, value in options.items()]
    done = run("fio", "--name=random", "--time_based", "--output-format=json", *words)
    return json.loads(done[done.index("{") :])["jobs"][0][kind]["iops"] / 1000


def main(gib: int, seconds: int) -> None:
    if lacking := missing():
        print(f"bench-nbd: left out, for the machine lacks {', '.join(lacking)}")
        return
    size = gib << 30
    figures: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        folder = Path(name)
        given = devices(folder, size)
        for _ in range(RUNS):
            for device, arguments in given.items():
                best = figures[device]
                with served(folder, arguments) as address:
                    plain = folder / "plain"
                    with plain.open("wb") as file:
                        for _ in range(size >> 20):
                            file.write(b"\x55" * (1 << 20))
                    found = {"write, GB/s": copied(size, plain, address)}
                    plain.unlink()
                    found["read, GB/s"] = copied(size, address, "null:")
                    for depth in (1, 16):
                        for kind in ("read", "write"):
                            found[f"{kind}s, {depth} at a time"] = requests(address, kind, depth, seconds)
                for column, value in found.items():
                    best[column] = max(best[column], value)
    columns = ["read, GB/s", "write, GB/s", *(c for c in next(iter(figures.values())) if "GB/s" not in c)]
    rows = [
        (device, *(f"{best[column]:.2f}" if "GB" in column else f"{best[column]:.1f}" for column in columns))
        for device, best in figures.items()
    ]
    print(f"{gib} GiB; random 4 KiB in thousands a second\n\n{table(('device', *columns), rows)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--gib", type=int, default=1, help="Size of the device in GiB.")
    parser.add_argument("--seconds", type=int, default=2, help="Time of each run of fio.")
    asked = parser.parse_args()
    main(asked.gib, asked.seconds)
