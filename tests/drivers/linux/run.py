# SPDX-License-Identifier: Apache-2.0
"""Linux drives the exported Verilog: ``make linux-driver``, or ``python -m tests.drivers.linux.run``.

Linux runs as a process (user mode) with the module of ``drivers/linux``; its PCI device is the compiled Verilog of an
engine with its master, which reads and writes the memory of Linux. The kernel's own tests, dm-crypt, changes of the
device under load, wrong jobs, and planted faults are tried. A line has a trial with its counts. Requests by the
hardware are counted by the driver, and equal the units that the Verilog has computed.
Exit status: 0 if all is as it should be, 1 if not, 2 if a tool is missing or fails.
"""

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from tests.drivers.linux import bridge, kernel
from wideblock.api import UserError, preset
from wideblock.catalog.kinds import SECTOR
from wideblock.export.contract import SectorContract, contract
from wideblock.image.crypt import ImageJob, crypt_image
from wideblock.simulation.commands import BuildError

__all__ = ["Guest", "main", "planted"]

SLOTS = 16
LIMIT = 1800
"""Seconds after which a guest is ended."""

SEED = 20261127
IMAGE_BYTES = 1 << 19
DEVICE = 1234
MOST_DELAY = 20_000_000  # the guest's own limit of a read is 40 ms, which a busy machine exceeds


@dataclass(frozen=True)
class Cipher:
    """A cipher of the driver, as in names of the kernel, and its core.

    fewest: requests by the hardware in the kernel's tests
    """

    name: str
    preset: str
    changes: dict[str, int]
    fewest: int


XTS = Cipher("xts", "xts-both-k", {}, 500)
SECTORS = {"sector_bytes": 512, "tweak_bytes": 32, "key_bits": 256}
HCTR2 = Cipher("hctr2", "hctr2-1s-k", SECTORS, 30)
"""The kernel has one known answer of this length under a key of this size; of random lengths few are 512."""

ONE_WAY = Cipher("xts", "xts-enc-k", {}, 0)


@dataclass(frozen=True)
class Guest:
    """One run of the guest: its console, and the figures of the bridge."""

    console: str
    figures: dict[str, int]

    def counters(self, when: str) -> dict[str, int]:
        found = re.search(rf"^counters {when} (.*)$", self.console, re.M)
        return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", found[1])} if found else {}

    def number(self, pattern: str) -> int:
        found = re.search(pattern, self.console, re.M)
        return int(found[1]) if found else -1

    @property
    def complaints(self) -> list[str]:
        """Lines in which the kernel complains."""
        return re.findall(
            r"^.*(?:BUG:|WARNING:|\balg: (?!extra|self-tests disabled)|Oops|panic).*$", self.console, re.M
        )

    @property
    def ended(self) -> bool:
        return "\nfinished" in self.console and not re.search(r"^(?:error|failed) ", self.console, re.M)


@dataclass(frozen=True)
class Machine:
    """All that a guest is made of, and a folder for its files."""

    linux: Path
    init: Path
    module: Path
    library: Path
    folder: Path
    cipher: Cipher

    def run(self, name: str, *settings: str, files: dict[str, bytes] | None = None) -> tuple[Guest, Path]:
        """Runs one guest to its end; its root is a folder of its own, which is returned."""
        root = self.folder / name
        for mount in ("proc", "sys", "dev"):
            (root / mount).mkdir(parents=True)
        shutil.copy(self.init, root / "init")
        shutil.copy(self.module, root / "wideblock.ko")
        for file, data in (files or {}).items():
            (root / file).write_bytes(data)
        socket = self.folder / f"{name}.socket"
        served = subprocess.Popen(
            [sys.executable, "-m", "tests.drivers.linux.bridge", self.library, socket],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            console = self._boot(root, socket, served, settings)
            said, complained = served.communicate(timeout=30)
        finally:
            served.kill()
        if served.returncode:
            raise kernel.ToolError(f"the bridge has failed: {complained or said}\n{console[-2000:]}")
        (root / "console").write_text(console)
        return Guest(console, json.loads(said)), root

    def _boot(self, root: Path, socket: Path, served: subprocess.Popen, settings: tuple[str, ...]) -> str:
        while not socket.exists() and served.poll() is None:
            time.sleep(0.05)
        words = [self.linux, "mem=256M", "rootfstype=hostfs", f"rootflags={root}", "rw", "init=/init", "con=null"]
        words += ["con0=fd:0,fd:1", f"uml_dir={self.folder}/", f"virt_pci.max_delay_us={MOST_DELAY}"]
        words += [f"virtio_uml.device={socket}:{DEVICE}", f"CIPHER={self.cipher.name}", *settings]
        command = ["nice", "-n", "5", *map(str, words)]  # below the bridge, for whose answers it spins
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=LIMIT
            )
        except subprocess.TimeoutExpired as error:
            raise kernel.ToolError(f"the guest does not end in {LIMIT} s") from error
        return done.stdout.replace("\r", "")


def planted(text: str, right: str, wrong: str) -> str:
    """``text`` with a fault. Raises ToolError if its place is not there exactly once."""
    if text.count(right) != 1:
        raise kernel.ToolError(f"the place of a planted fault is there {text.count(right)} times: {right!r}")
    return text.replace(right, wrong)


def self_test(machine: Machine) -> tuple[bool, str]:
    guest, _ = machine.run("selftest")
    counts, figures = guest.counters("loaded"), guest.figures
    right = "\nselftest passed" in guest.console and guest.ended and not guest.complaints
    right = right and counts["hardware"] > machine.cipher.fewest and counts["hardware"] == figures["units"]
    bursts = f"{figures['read_bursts']} bursts read, {figures['write_bursts']} bursts written"
    right = right and not figures["refused"] and not figures["faults"]
    return right, f"{_requests(counts)}; {figures['commands']} key commands, {bursts}, {figures['cycles']} cycles"


def volume(machine: Machine, sector: int, *, copied: bool = False) -> tuple[bool, str]:
    """dm-crypt reads an image of this package and writes into it; this package reads that."""
    rng = random.Random(SEED + sector)
    of = _image(machine.cipher, sector)
    key, plain = rng.randbytes(of.key_bytes), rng.randbytes(IMAGE_BYTES)
    tweak = "plain64" if sector == 512 else "plain64-512"
    files = {"plain": plain, "image": _crypted(of, key, plain, tweak), "key": key.hex().encode()}
    settings = ("cryptomgr.notests=1", "RUN=volume", f"SECTOR={sector}", f"COPY={int(copied)}")
    guest, root = machine.run(f"volume{sector}{'-copied' * copied}", *settings, files=files)
    counts = guest.counters("ended")
    written = _crypted(of, key, (root / "image").read_bytes(), tweak, decrypt=True)
    expected = (root / "plain").read_bytes()
    right = guest.ended and not guest.complaints and written == expected and expected != plain
    right = right and all(guest.number(rf"^volume {when} (\d+) wrong") == 0 for when in ("read", "written"))
    right = right and counts["hardware"] == guest.figures["units"] >= IMAGE_BYTES // sector and not counts["fallback"]
    right = right and counts["copied"] == counts["hardware"] * copied
    return right, f"{_requests(counts)}; {IMAGE_BYTES} bytes read, some written, all compared"


def _image(cipher: Cipher, sector: int) -> SectorContract:
    return contract(cipher.preset, {**cipher.changes, "sector_bytes": sector, "slots": SLOTS}).expect(SECTOR)


def _crypted(of: SectorContract, key: bytes, data: bytes, tweak: str, *, decrypt: bool = False) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name, "in"), Path(name, "out")
        source.write_bytes(data)
        crypt_image(of, key, source, target, ImageJob(tweak=tweak, engine="native", decrypt=decrypt))
        return target.read_bytes()


WORKERS, ROUNDS = 8, 100


def rebind(machine: Machine, name: str = "rebind") -> tuple[bool, str]:
    """The device goes and comes while processes use it; the module stays as long, and goes and comes after them."""
    guest, result = _stress(machine, name, "REBIND=100")
    right = guest.number(r"^stress .*right=(\d+)") == WORKERS * ROUNDS and guest.number("turns=(\\d+)") >= 2
    right = right and guest.counters("ended")["fallback"] > 0 and guest.number(r"^unload under load (\d+)") > 0
    return right and guest.console.count("\nunload 0") == 2 and guest.ended and not guest.complaints, result


def zeroize(machine: Machine) -> tuple[bool, str]:
    guest, result = _stress(machine, "zeroize", "ZEROIZE=400")
    right, revoked = guest.number(r"^stress .*right=(\d+)"), guest.number(r"^stress .*revoked=(\d+)")
    whole = right + revoked == WORKERS * ROUNDS and revoked > 0 and guest.number("turns=(\\d+)") >= 2
    return whole and guest.ended and not guest.complaints, result


def pages(machine: Machine) -> tuple[bool, str]:
    """Requests in several pages are lists of segments, and unaligned ones copies."""
    guest, result = _stress(machine, "pages")
    counts = guest.counters("ended")
    right = guest.number(r"^stress .*right=(\d+)") == WORKERS * ROUNDS == counts["hardware"] == guest.figures["units"]
    right = right and counts["lists"] > WORKERS * ROUNDS // 8
    return right and guest.ended and not guest.complaints, result


def misplaced(machine: Machine) -> tuple[bool, str]:
    """Whether wrong lists are found. The kernel's tests have few lists, as most of their pieces are unaligned."""
    guest, result = _stress(machine, "pages")
    return guest.number(r"^stress .*wrong=(\d+)") > 0 and "\nfinished" in guest.console, result


PIECES = {"whole": (0, 0), "most": (8, 0), "more": (0, 8), "unaligned": (0, 8)}
"""Lists and copies of eight requests whose target is whole, in 16 or in 17 aligned pieces, or in 16 unaligned ones."""


def pieces(machine: Machine) -> tuple[bool, str]:
    """A target is a list of as many segments as one has, if they are aligned; others are copied."""
    guest, _ = machine.run("pieces", "cryptomgr.notests=1", "RUN=pieces")
    seen = [guest.counters(when) for when in ("loaded", *PIECES)]
    added = [tuple(new[of] - old[of] for of in ("lists", "copied")) for old, new in pairwise(seen)]
    right = all(guest.number(rf"^{name} right=(\d+)") == 8 for name in PIECES) and added == list(PIECES.values())
    right = right and seen[-1]["hardware"] == guest.figures["units"] == 8 * len(PIECES)
    return right and guest.ended and not guest.complaints, _requests(seen[-1])


def undone(machine: Machine, said: str, *setting: str) -> tuple[bool, str]:
    """Jobs that the device leaves undone end with an error as it goes; all other requests are right.

    said: by the driver as it ends them
    """
    guest, result = _stress(machine, f"undone-{len(setting)}", *setting)
    right, errors = guest.number(r"^stress .*right=(\d+)"), guest.number(r"^stress .*errors=(\d+)")
    whole = right + errors == WORKERS * ROUNDS and errors > 0 and said in guest.console
    return whole and guest.console.count("\nunload 0") == 2 and not guest.complaints, result


def cleared(machine: Machine) -> tuple[bool, str]:
    """The copy of a key goes as the engine clears itself, before any request, and its user needs it anew."""
    guest, _ = machine.run("cleared", "cryptomgr.notests=1", "RUN=cleared")
    wiped = [guest.counters(when).get("wiped") for when in ("before", "cleared")]
    right = wiped == [0, 1] and "\ncleared before=0 revoked=1 right=1\n" in guest.console
    return right and guest.ended and not guest.complaints, f"{wiped[-1]} copy of a key wiped"


def left(machine: Machine) -> tuple[bool, str]:
    """A key leaves the engine as its user gets another one, without a request, and as the machine shuts down."""
    guest, _ = machine.run("left", "cryptomgr.notests=1", "RUN=left")
    right = "\nleft errors=0 ended=1 loads=2\n" in guest.console and guest.figures["loaded"] == 0
    return right and guest.ended and not guest.complaints, f"{guest.figures['loaded']} keys in the engine at the end"


def one_way(machine: Machine) -> tuple[bool, str]:
    """An engine that enciphers alone is not the kernel's cipher."""
    guest, _ = machine.run("one-way", "cryptomgr.notests=1")
    right = "the engine has one direction" in guest.console and "\nselftest absent" in guest.console
    return right and guest.ended and not guest.complaints, _requests(guest.counters("ended"))


def _stress(machine: Machine, name: str, *setting: str) -> tuple[Guest, str]:
    settings = ("cryptomgr.notests=1", "RUN=stress", f"WORKERS={WORKERS}", f"ROUNDS={ROUNDS}", *setting)
    guest, _ = machine.run(name, *settings)
    found = re.search(r"^stress (.*)$", guest.console, re.M)
    return guest, f"{_requests(guest.counters('ended'))}; {found[1] if found else 'no result'}"


def is_found(machine: Machine, name: str) -> tuple[bool, str]:
    """Whether the kernel's tests find a fault; the driver's own counts show that the requests reached it."""
    guest, _ = machine.run(name)
    said = next((line for line in guest.complaints if "test failed" in line), "no line")
    return "\nselftest failed" in guest.console and guest.figures["units"] > 0, said


def _requests(counts: dict[str, int]) -> str:
    hardware, copied, lists, software = (counts.get(name, 0) for name in ("hardware", "copied", "lists", "fallback"))
    return f"{hardware} requests by the hardware, {copied} of them copied, {lists} lists, {software} by software"


VERILOG = {
    "a result": (
        "assign m_axi_wdata = m_w__payload[127:0];",
        "assign m_axi_wdata = m_w__payload[127:0] ^ {127'h0, m_w__payload[143:128] == 16'h0007};",
    ),
    "an address": (
        "assign m_axi_araddr = m_ar__payload[64:1];",
        "assign m_axi_araddr = m_ar__payload[64:1] ^ {59'h0, m_ar__payload[72:65] > 8'h04 & ~m_ar__payload[65], 4'h0};",
    ),
}
"""Faults of the master: a bit is wrong in last beats of 3 bytes; bursts of odd length above 5 beats are read from the
block beside."""

DRIVER = {
    "a length": (("req->dst, 0, req->cryptlen, 1", "req->dst, 0, req->cryptlen & ~1, 1"),),
    "a list": (
        ("cpu_to_le32(ALIGN(sg_dma_len(sg), BLOCK))", "cpu_to_le32(ALIGN(sg_dma_len(sg), BLOCK) + (n ? 0 : BLOCK))"),
    ),
    "a pin": (
        (
            "wbk_revoke();\n\terr = wbk_clear(w);\n\twbk_settle(w);",
            "iowrite32(ENGINE_ZEROIZE_START_MASK, w->engine + ENGINE_ZEROIZE_OFFSET);",
        ),
    ),
    "a doorbell": (
        (
            "iowrite32(w->tail % WBK_RING, w->dma + DMA_DOORBELL_OFFSET);",
            "if (job < 4)\n\t\t\tiowrite32(w->tail % WBK_RING, w->dma + DMA_DOORBELL_OFFSET);",
        ),
    ),
    "an end": (
        ("if (!wbk_ring_halt(w))\n\t\treturn;", "return;"),
        (
            "iowrite32(ENGINE_ZEROIZE_START_MASK, w->engine + ENGINE_ZEROIZE_OFFSET);\n\terr = wbk_wait_ready(w);\n"
            "\tif (err && err",
            "err = 0;\n\tif (err && err",
        ),
    ),
    "jobs": (
        (
            "given = w->running && w->tail == job;",
            "given = w->running && w->tail == job; wbk_spoil(desc, job);",
        ),
        ("iowrite32(upper_32_bits(last), w->dma +", "iowrite32(0xff, w->dma +"),
        (
            "/* Gives the device a job.",
            """static void wbk_spoil(struct wbk_descriptor *desc, u32 job)
{
	if (job % 7 != 3)
		return;
	if (job / 7 % 5 == 0)
		desc->source = cpu_to_le64(1ULL << 39);
	if (job / 7 % 5 == 1)
		desc->target = cpu_to_le64(1ULL << 39);
	if (job / 7 % 5 == 2)
		desc->source = desc->target = cpu_to_le64(1ULL << 40);
	if (job / 7 % 5 == 3)
		desc->target |= cpu_to_le64(8);
	if (job / 7 % 5 == 4)
		desc->slot = cpu_to_le16(15);
}

/* Gives the device a job.""",
        ),
    ),
}
"""Faults of the driver: the last byte of odd lengths is not copied; the first segment of a list is too long; a clear by
sysfs is one that the driver does not expect, as by a pin; a driver that ends leaves ring and keys as they are, as
another kernel would; the device hears of 4 jobs alone; each seventh job has an
address that is no memory, an address outside of the windows, an odd address, or a slot without a key, with windows that
end before 2^40."""

WRONG_JOBS = {"READ": 0x06, "WRITE": 0x07, "WINDOW": 0x05, "ALIGN": 0x02, "ENGINE": 0x01}
"""Statuses of these jobs, if they have no list."""

LIST = 0x08


def wrong_jobs(machine: Machine) -> tuple[bool, str]:
    """Wrong jobs end with an error, and alone: the others are right."""
    guest, result = _stress(machine, "jobs", "BAD=1")
    right, errors = guest.number(r"^stress .*right=(\d+)"), guest.number(r"^stress .*errors=(\d+)")
    said = {int(word, 16) & 0xFF for word in re.findall(r"ends with status (0x\w+)", guest.console)}
    whole = right + errors == WORKERS * ROUNDS and errors > 0 and said - {LIST} == set(WRONG_JOBS.values())
    return whole and guest.figures["refused"] > 0 and "\nfinished" in guest.console, result


def trials(machine: Machine, made: Callable[..., Machine]) -> Iterator[tuple[str, tuple[bool, str]]]:
    yield "the kernel's own tests pass", self_test(machine)
    for sector in (512, 4096):
        yield f"dm-crypt, sectors of {sector}", volume(machine, sector)
    yield "dm-crypt, sectors of 4096, copied", volume(machine, 4096, copied=True)
    yield "requests in several pages", pages(machine)
    yield "targets in pieces", pieces(machine)
    other = made(cipher=HCTR2)
    yield "the kernel's own tests of HCTR2 pass", self_test(other)
    yield "dm-crypt with HCTR2, sectors of 512", volume(other, 512)
    yield "the device goes and comes under load", rebind(machine)
    yield "a ring and keys of a driver before are ended", rebind(made("an end"), "taken")
    yield "zeroize under load", zeroize(machine)
    yield "a clear by a pin wipes copies of keys", cleared(made("a pin"))
    yield "keys end with a new one, and with the machine", left(machine)
    deaf = made("a doorbell")
    yield "jobs that are left undone end as the device goes", undone(deaf, "jobs do not end", "REBIND=1000")
    yield "a device that ends no job is given up", undone(deaf, "no job has ended")
    yield "wrong jobs end alone", wrong_jobs(made("jobs"))
    yield "an engine of one direction is refused", one_way(made(cipher=ONE_WAY))
    yield "a fault in the driver is found, of a list", misplaced(made("a list"))
    for fault in (*VERILOG, "a length"):
        of = "Verilog" if fault in VERILOG else "driver"
        yield f"a fault in the {of} is found, of {fault}", is_found(made(fault), fault.replace(" ", "-"))


def build(folder: Path, fault: str = "", cipher: Cipher = XTS) -> Machine:
    """All that a guest needs, with a fault in the Verilog or in the driver."""
    core = preset(cipher.preset).changed(registers="axi4-lite", slots=SLOTS, dma="axi4", **cipher.changes)
    verilog = core.verilog()
    sources = {path.name: path.read_text() for path in kernel.DRIVER.iterdir() if path.suffix in (".c", ".h", "")}
    if fault in VERILOG:
        verilog = planted(verilog, *VERILOG[fault])
    for right, wrong in DRIVER.get(fault, ()):
        name = next((name for name, text in sources.items() if right in text), "ring.c")
        sources[name] = planted(sources[name], right, wrong)
    init = folder / "init"
    guest = sorted((kernel.HERE / "guest").glob("*.c"))
    kernel.run("gcc", "-O1", "-static", "-Wall", "-Wextra", "-Werror", *guest, "-o", init)
    module, warnings = kernel.module(folder, sources)
    if warnings.strip() and not fault:
        raise kernel.ToolError(f"the module compiles with warnings:\n{warnings}")
    return Machine(kernel.kernel() / "linux", init, module, bridge.library(verilog, core.name), folder, cipher)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="Folder for builds and consoles; made anew.")
    folder = parser.parse_args().folder.absolute()
    if lacking := kernel.missing():
        print(f"linux-driver: the machine lacks {', '.join(lacking)}", file=sys.stderr)
        return 2
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    began, wrong = time.monotonic(), 0
    try:
        machine = build(folder)
        print(f"Linux 6.12 in user mode, {XTS.preset} with {SLOTS} slots", flush=True)
        for name, (right, counts) in trials(machine, partial(_made, folder)):
            wrong += not right
            print(f"{'ok' if right else 'WRONG'}  {name}: {counts}", flush=True)
    except (kernel.ToolError, UserError, BuildError, OSError) as error:
        print(f"linux-driver: {error}", file=sys.stderr)
        return 2
    print(f"{'FAIL' if wrong else 'PASS'}, {time.monotonic() - began:.0f} s")
    return int(bool(wrong))


def _made(folder: Path, fault: str = "", cipher: Cipher = XTS) -> Machine:
    own = folder / f"with-{fault.replace(' ', '-') or cipher.preset}"
    own.mkdir()
    (own / "kit").symlink_to(folder / "kit")
    return build(own, fault, cipher)


if __name__ == "__main__":
    sys.exit(main())
