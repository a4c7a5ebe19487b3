# SPDX-License-Identifier: Apache-2.0
"""Images against dm-crypt of Linux in a virtual machine: ``python -m tests.judges.linux``, or ``make linux``.

QEMU starts the newest kernel of /boot with an initial file system of busybox and cryptsetup. For each case dm-crypt
reads an image of the native library and one of the compiled core, and writes one, which both decrypt. The table has
the first digits of the MD5 sum of the plain data that each direction gave. Without HCTR2 in the kernel its modules are
built from the sources of Debian's package linux-source. A case whose module cannot be had is left out with the reason.
"""

import hashlib
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from wideblock.export.contract import Contract, contract
from wideblock.export.markdown import table
from wideblock.image.crypt import ImageJob, crypt_image

__all__ = ["CASES", "Case", "Result", "compare", "main", "missing"]

PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "cryptsetup": "cryptsetup-bin",
    "busybox": "busybox-static",
    "cpio": "cpio",
    "modprobe": "kmod",
}
"""Programs, and the packages of Debian that have them."""

LARGE, SMALL = 1 << 20, 1 << 16
"""Bytes of an image of the library or of dm-crypt, and of one of the core in simulation."""

MODULES = ("virtio_pci", "virtio_blk", "dm-crypt", "xts", "gf128mul")
OWN = ("crypto/polyval-generic", "crypto/xctr", "crypto/hctr2")
"""Modules that the guest loads, in order, and sources of those of HCTR2, which Debian's kernel for clouds lacks."""

PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
WAIT = 400
"""Seconds in which the guest must end."""


@dataclass(frozen=True)
class Case:
    """One format: ``cipher`` and ``options`` of cryptsetup, and the core, numbers and convention that must be equal.

    skip: the number of the first 512 bytes for dm-crypt
    """

    name: str
    preset: str
    cipher: str
    sector: int
    tweak: str
    options: tuple[str, ...] = ()
    changes: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    skip: int = 0
    core: bool = True

    @property
    def contract(self) -> Contract[Any, Any]:
        return contract(self.preset, {"sector_bytes": self.sector, **self.changes})

    @cached_property
    def key(self) -> bytes:
        size = {"xts-both": self.changes.get("key_bits", 128) // 4}.get(self.preset, 32)
        return random.Random(self.name).randbytes(size)

    @cached_property
    def plain(self) -> bytes:
        return random.Random(self.name + " plain").randbytes(LARGE)

    def right(self, direction: str) -> str:
        """MD5 sum of the plain data."""
        return md5_of(self.plain[: SMALL if direction == "core to dm-crypt" else LARGE])


def _xts(name: str, sector: int, mode: str, tweak: str, *options: str, **more: Any) -> Case:
    return Case(name, "xts-both", f"aes-xts-{mode}", sector, tweak, options, **more)


LARGE_SECTORS = "--iv-large-sectors"
HCTR2: dict[str, Any] = {
    "preset": "hctr2-1",
    "cipher": "capi:hctr2(aes)-plain64",
    "changes": {"tweak_bytes": 32, "key_bits": 256},
}
NEAR = (1 << 32) - 64
CASES = (
    _xts("XTS, 512", 512, "plain64", "plain64"),
    _xts("XTS, 4096, numbers of 512 bytes", 4096, "plain64", "plain64-512"),
    _xts("XTS, 4096, iv_large_sectors", 4096, "plain64", "plain64", LARGE_SECTORS),
    _xts("XTS-256, 4096, iv_large_sectors", 4096, "plain64", "le128", LARGE_SECTORS, changes={"key_bits": 256}),
    Case("HCTR2-256, 512", sector=512, tweak="plain64", **HCTR2),
    Case("HCTR2-256, 4096", sector=4096, tweak="plain64-512", **HCTR2),
    Case("HCTR2-256, 4096, iv_large_sectors", sector=4096, tweak="plain64", options=(LARGE_SECTORS,), **HCTR2),
    _xts("from 2^32 - 64", 512, "plain64", "plain64", skip=NEAR, numbers={"first_sector": NEAR}, core=False),
    _xts("plain from 2^32 - 64", 512, "plain", "plain", skip=NEAR, numbers={"first_sector": NEAR}, core=False),
    _xts("plain, 4096, + 2^32 - 64", 4096, "plain", "plain-512", skip=NEAR, numbers={"tweak_offset": NEAR}, core=False),
    _xts("plain64be, 512", 512, "plain64be", "plain64be", core=False),
    _xts("plain64be, 512, as be128", 512, "plain64be", "be128", core=False),
    _xts("plain64be, 4096", 4096, "plain64be", "plain64be-512", core=False),
    _xts(
        "blk-crypto, from 8 x 1000",
        4096,
        "plain64",
        "blk-crypto",
        LARGE_SECTORS,
        skip=8000,
        numbers={"first_sector": 1000},
        core=False,
    ),
    _xts("spdk-simple-lba", 4096, "plain64", "spdk-simple-lba", LARGE_SECTORS, core=False),
    _xts("spdk-incr-512-full-lba", 512, "plain64", "spdk-incr-512-full-lba", core=False),
)


@dataclass(frozen=True)
class Result:
    """MD5 sums of the plain data by direction, None where not tried; or the ``reason`` why the case is left out."""

    case: Case
    sums: dict[str, str | None]
    reason: str = ""

    @property
    def equal(self) -> bool:
        return all(got in (None, self.case.right(name)) for name, got in self.sums.items())


DIRECTIONS = ("library to dm-crypt", "core to dm-crypt", "dm-crypt to library", "dm-crypt to core")


def missing(programs: dict[str, str] = PROGRAMS) -> list[str]:
    """What the comparison needs and the machine lacks."""
    lacking = [f"{name} ({package})" for name, package in programs.items() if not shutil.which(name, path=PATH)]
    if platform.machine() != "x86_64":
        lacking.append("a processor of x86-64")
    return lacking if kernel() else [*lacking, "a kernel with its modules (linux-image-cloud-amd64)"]


def kernel() -> str | None:
    """Version of the newest kernel of /boot that has modules, or None."""
    found = [path.name.removeprefix("vmlinuz-") for path in Path("/boot").glob("vmlinuz-*") if os.access(path, os.R_OK)]
    known = [version for version in found if Path("/lib/modules", version, "modules.dep").exists()]
    return max(known, key=lambda text: [int(n) for n in re.findall(r"\d+", text)], default=None)


def run(*words: object, where: Path | None = None, given: bytes | None = None) -> str:
    environment = {**os.environ, "PATH": PATH}
    command = [str(word) for word in words]
    return subprocess.run(
        command, cwd=where, input=given, capture_output=True, check=True, env=environment
    ).stdout.decode()


# The guest


def modules(version: str, names: tuple[str, ...]) -> list[Path]:
    """Files of modules with those that they need, in the order of loading."""
    lines = [line for name in names for line in run("modprobe", "-S", version, "--show-depends", name).splitlines()]
    return list(dict.fromkeys(Path(line.split()[1]) for line in lines if line.startswith("insmod ")))


def built(version: str, folder: Path, sources: tuple[str, ...]) -> list[Path]:
    """Files of the modules of ``sources``, of the kernel or built in ``folder``. The last one needs the others.

    Raises OSError or CalledProcessError.
    """
    names = [Path(source).name for source in sources]
    with suppress(subprocess.CalledProcessError):
        return modules(version, (names[-1],))
    series = ".".join(version.split(".")[:2])
    archive, headers = Path(f"/usr/src/linux-source-{series}.tar.xz"), Path("/lib/modules", version, "build")
    if not headers.exists() or not archive.exists():
        raise FileNotFoundError(
            f"it needs linux-headers-{version} and linux-source-{series}, or a kernel with {names[-1]}"
        )
    folder.mkdir()
    files = [f"linux-source-{series}/{source}.c" for source in sources]
    run("tar", "-xJf", archive, "--transform=s|.*/||", *files, where=folder)
    (folder / "Makefile").write_text("".join(f"obj-m += {name}.o\n" for name in names))
    run("make", "-C", headers, f"M={folder}", "modules")
    return [folder / f"{name}.ko" for name in names]


def libraries(program: str) -> Iterator[Path]:
    for found in re.findall(r"(/\S+) \(0x", run("ldd", program)):
        yield Path(found)


INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /run /tmp
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t devtmpfs dev /dev
export PATH=/bin DM_DISABLE_UDEV=1
busybox --install -s /bin
for module in /modules/*; do insmod $module; done
sh /work
sync
poweroff -f
"""


def initial(folder: Path, files: list[Path], keys: dict[str, bytes], work: str, *, program: str = "cryptsetup") -> Path:
    """The initial file system of the guest, which does ``work`` by busybox and ``program``."""
    root = folder / "root"
    for name in ("bin", "modules", "keys"):
        (root / name).mkdir(parents=True)
    shutil.copy(run("which", "busybox").strip(), root / "bin/busybox")
    found = run("which", program).strip()
    shutil.copy(found, root / "bin" / Path(program).name)
    for library in libraries(found):
        (root / library.parent.relative_to("/")).mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library.relative_to("/"))
    for n, module in enumerate(files):
        shutil.copy(module, root / f"modules/{n:02}-{module.name}")
    for name, key in keys.items():
        (root / "keys" / name).write_bytes(key)
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    (root / "work").write_text(work)
    names = "".join(f"{path.relative_to(root)}\n" for path in [root, *sorted(root.rglob("*"))])
    target = folder / "initial"
    packed = subprocess.run(
        ["cpio", "--quiet", "-H", "newc", "-o"], cwd=root, input=names.encode(), capture_output=True, check=True
    )
    target.write_bytes(packed.stdout)
    return target


def boot(version: str, start: Path, disk: Path, *, processors: int = 1) -> str:
    """What the guest says on its console."""
    words = [
        "qemu-system-x86_64",
        "-accel",
        "tcg",
        "-cpu",
        "max",
        "-m",
        "512",
        "-smp",
        str(processors),
        "-display",
        "none",
        "-no-reboot",
    ]
    words += ["-monitor", "none", "-serial", "stdio", "-kernel", f"/boot/vmlinuz-{version}", "-initrd", str(start)]
    # On a busy machine the kernel takes the timer, whose interrupts come late, for one that does not work.
    words += ["-append", "console=ttyS0 quiet panic=-1 no_timer_check"]
    words += ["-drive", f"file={disk},format=raw,if=virtio,cache=unsafe"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT)
    return done.stdout + done.stderr


# Images


class Disk:
    """The guest's disk: images one behind the other."""

    def __init__(self, path: Path):
        self.path = path
        self.path.touch()

    def add(self, data: bytes) -> int:
        """Where ``data`` begins, in 512 bytes."""
        at = self.path.stat().st_size
        with self.path.open("ab") as file:
            file.write(data)
        return at // 512

    def data(self, at: int, size: int) -> bytes:
        with self.path.open("rb") as file:
            file.seek(512 * at)
            return file.read(size)


def crypted(case: Case, data: bytes, engine: str, folder: Path, *, decrypt: bool = False) -> bytes:
    (folder / "in").write_bytes(data)
    options = {"tweak": case.tweak, "engine": engine, "decrypt": decrypt, "force": True, **case.numbers}
    crypt_image(case.contract, case.key, folder / "in", folder / "out", ImageJob(**options))
    return (folder / "out").read_bytes()


def opened(case: Case, key: str, at: int, size: int) -> str:
    words = ["cryptsetup open --type plain --disable-locks --batch-mode", f"--cipher '{case.cipher}'"]
    words += [f"--key-size {8 * len(case.key)} --key-file /keys/{key} --keyfile-size {len(case.key)}"]
    words += [f"--sector-size {case.sector} --offset {at} --size {size // 512} --skip {case.skip}", *case.options]
    return " ".join([*words, "/dev/vda plain"])


def compare(cases: tuple[Case, ...] = CASES) -> Iterator[Result]:
    """The result of each case. Raises CalledProcessError, TimeoutExpired."""
    version = kernel()
    assert version
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        own, reason = [], ""
        try:
            own = built(version, folder / "hctr2", OWN)
        except (OSError, subprocess.CalledProcessError) as error:
            reason = f"no module of HCTR2: {error}"
        disk, work = Disk(folder / "disk"), ""
        places: list[int] = []
        keys: dict[str, bytes] = {}
        tried = [case for case in cases if own or "hctr2" not in case.cipher]
        for n, case in enumerate(tried):
            key, source = f"{n}", disk.add(case.plain)
            keys[key] = case.key
            images = [crypted(case, case.plain, "native", folder)]
            if case.core:
                images.append(crypted(case, case.plain[:SMALL], "rtl", folder))
            for k, image in enumerate(images):
                work += f"{opened(case, key, disk.add(image), len(image))}\n"
                work += f"echo sum {n} {k} $(md5sum /dev/mapper/plain)\ncryptsetup close plain\n"
            places.append(at := disk.add(bytes(LARGE)))
            work += f"{opened(case, key, at, LARGE)}\n"
            work += (
                f"dd if=/dev/vda of=/dev/mapper/plain bs=4096 skip={source // 8} count={LARGE // 4096} 2> /dev/null\n"
            )
            work += "sync\ncryptsetup close plain\n"
        start = initial(folder, modules(version, MODULES) + own, keys, work)
        said = boot(version, start, disk.path)
        read = {(int(n), int(k)): md5 for n, k, md5 in re.findall(r"sum (\d+) (\d+) ([0-9a-f]{32})", said)}
        if not read:
            raise RuntimeError(f"the guest gave no sum: {said[-2000:]}")
        for n, case in enumerate(tried):
            sums: dict[str, str | None] = {"library to dm-crypt": read.get((n, 0), "none"), "core to dm-crypt": None}
            written = disk.data(places[n], LARGE)
            sums["dm-crypt to library"] = md5_of(crypted(case, written, "native", folder, decrypt=True))
            sums["dm-crypt to core"] = None
            if case.core:
                sums["core to dm-crypt"] = read.get((n, 1), "none")
                sums["dm-crypt to core"] = md5_of(crypted(case, written, "rtl", folder, decrypt=True))
            yield Result(case, sums)
        for case in cases:
            if case not in tried:
                yield Result(case, {}, reason)


def md5_of(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()


def main() -> int:
    if lacking := missing():
        print(f"linux: left out, for the machine lacks {', '.join(lacking)}")
        return 0
    results = list(compare())
    rows = [
        (
            each.case.name,
            each.case.cipher,
            each.case.tweak,
            *((each.sums[way] or "-")[:8] for way in DIRECTIONS),
            "equal" if each.equal else "DIFFERENT",
        )
        for each in results
        if not each.reason
    ]
    print(f"Linux {kernel()}\n\n{table(('case', 'cipher', '--tweak', *DIRECTIONS, 'result'), rows)}")
    for each in results:
        if each.reason:
            print(f"left out: {each.case.name}: {each.reason}")
    return 0 if all(each.equal for each in results) else 1


if __name__ == "__main__":
    sys.exit(main())
