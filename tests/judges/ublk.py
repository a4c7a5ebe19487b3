# SPDX-License-Identifier: Apache-2.0
"""The server of ublk in a virtual machine: ``python -m tests.judges.ublk``.

The guest of :mod:`tests.judges.linux` has the server as Python builds it, and the kernel's driver, built from Debian's
linux-source where the kernel lacks it. It reads an image that ``encrypt`` made, writes at random places by several
programs at a time, and keeps a file system on the device; ``decrypt`` reads the images that this leaves. A server that
is killed amid writes leaves whole sectors; forged sectors are errors; a signal removes the device when it is free, and
the server's memory then has no block of the key, of its round keys or of the data.
"""

import random
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from wideblock.export.contract import Contract, contract
from wideblock.image.crypt import ImageJob
from wideblock.image.sealed import Layout, seal_image
from wideblock.native import servers
from wideblock.spec.aes import expand_key

from .linux import PROGRAMS, Disk, boot, built, crypted, initial, kernel, md5_of, missing, modules

__all__ = ["CASES", "SEALED", "Absent", "Case", "main", "wrong"]

MODULES = ("virtio_pci", "virtio_blk", "ext4")
DRIVER = ("drivers/block/ublk_drv",)
WRITERS, WRITES, LONGEST = 4, 12, 40
"""Programs that write at a time, writes of each, and most blocks of 512 bytes of one."""
FORGED = (3, 100)
"""Sectors of which a bit is changed: of the sector, and of its integrity check value."""


DATA = range(0, 1 << 19, 512)
"""Bytes of a device whose blocks are looked for in the server's memory."""
SCANNER = Path(__file__).parent.parent / "native/remains_at_end.c"


class Absent(Exception):
    """The driver's module cannot be had; the text says why."""


@dataclass(frozen=True)
class Case:
    """A device of ``size`` bytes."""

    name: str
    preset: str
    sector: int
    tweak: str = "le128"
    changes: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    size: int = 1 << 20

    @property
    def contract(self) -> Contract[Any, Any]:
        return contract(self.preset, {"sector_bytes": self.sector, **self.changes})

    @cached_property
    def key(self) -> bytes:
        return random.Random(self.name).randbytes(32)

    @cached_property
    def plain(self) -> bytes:
        return random.Random(self.name + " plain").randbytes(self.size)

    @cached_property
    def other(self) -> bytes:
        return random.Random(self.name + " other").randbytes(self.size)

    @cached_property
    def writes(self) -> list[list[tuple[int, int]]]:
        """First block and blocks of each write, by writer; they may overlap, for all of them write parts of `other`.

        The first two write past the page cache, in a half of their own: in a page of both kinds Linux may lose data.
        """
        rng, half = random.Random(self.name + " writes"), self.size // 1024
        sizes = [[rng.randint(1, LONGEST) for _ in range(WRITES)] for _ in range(WRITERS)]
        return [[(rng.randrange(half - size) + half * (k // 2), size) for size in each] for k, each in enumerate(sizes)]

    @cached_property
    def written(self) -> bytes:
        data = bytearray(self.plain)
        for at, size in (write for each in self.writes for write in each):
            data[512 * at : 512 * (at + size)] = self.other[512 * at : 512 * (at + size)]
        return bytes(data)

    @property
    def secrets(self) -> bytes:
        """Blocks that no memory of a server has at its end, sorted and inverted: see remains_at_end.c."""
        keys = (self.key, self.key[:16], self.key[16:])
        blocks = {block for key in keys for block in expand_key(key)} | {self.written[at : at + 16] for at in DATA}
        return b"".join(sorted(bytes(byte ^ 255 for byte in block) for block in blocks))

    @property
    def words(self) -> str:
        """Parameters of the server but its files."""
        core, first, offset = self.contract, self.numbers.get("first_sector", 0), self.numbers.get("tweak_offset", 0)
        sizes = f"sector={self.sector} tweak-bytes={core.parameters.tweak_bytes} first={first} tweak-offset={offset}"
        return f"scheme={core.native} tweak={self.tweak} {sizes}"

    def right(self) -> dict[str, str]:
        """Right answers of the guest, and of the images that it leaves."""
        whole = self.sector & (self.sector - 1) == 0  # otherwise a sector that is in two pages may be torn
        best = self.sector if whole else 512
        return {
            "opened": md5_of(self.plain),
            "blocks": f"512 {best} 0 1",  # smallest request, best one, discard, forced unit access
            "second": "1 1",
            "user": "1 1",
            "discard": "1",
            "written": md5_of(self.written),
            "stale": "0",  # pages that Linux says to have kept beside newer data of the device
            "ended": "0 gone",
            "remains": "1 0",  # found before the end, and at it
            "mounted": "0",
            "file": md5_of(self.other[: 1 << 18]),
            "waited": "1 0 gone",
            "again": md5_of(self.other[: 1 << 18]),
            "reading": "1 1",
            "killed": "137 gone",
            "unloaded": "1 1",
            "ours": "right",
            "ours, files": "right",
            **({"ours, killed": "whole"} if whole else {}),
        }


CASES = (
    Case("HCTR2-256, 4096", "hctr2-1", 4096, changes={"key_bits": 256}),
    Case("XTS-128, 512, from 2^32 - 64", "xts-both", 512, "plain64", numbers={"first_sector": (1 << 32) - 64}),
    Case("HEH, 96", "heh-brw-3", 96, size=96 << 13),
)
SEALED = Case("HCTR2-256, 4096, sealed", "hctr2-1", 4096, changes={"key_bits": 256})


def forged(case: Case, folder: Path) -> tuple[bytes, bytes]:
    """A sealed image with sectors that were changed, and its integrity check values."""
    (folder / "in").write_bytes(case.plain)
    job = ImageJob(tweak=case.tweak, engine="native", force=True)
    seal_image(case.contract, case.key, folder / "in", folder / "out", Layout(folder / "icv"), job)
    image, values = bytearray((folder / "out").read_bytes()), bytearray((folder / "icv").read_bytes())
    image[FORGED[0] * case.sector + 7] ^= 1
    values[FORGED[1] * 16 + 15] ^= 128
    return bytes(image), bytes(values)


def scanner(made: Path) -> bytes:
    """The library that looks for secrets in the memory of a server."""
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", SCANNER, "-o", made, "-ldl"], check=True)
    return made.read_bytes()


def compare(cases: tuple[Case, ...]) -> dict[tuple[int, str], str]:
    """Answers by case and question, and of the sealed image as case -1.

    Raises Absent; RuntimeError for a guest that did not come to its end.
    """
    version = kernel()
    assert version
    answers: dict[tuple[int, str], str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            own = built(version, folder / "driver", DRIVER)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Absent(f"no module of ublk: {error}") from error
        disk, work, keys = Disk(folder / "disk"), WORDS, {"-1": SEALED.key, "scan": scanner(folder / "scan")}
        firsts: list[int] = []
        places: list[list[int]] = []
        for n, case in enumerate(cases):
            keys |= {str(n): case.key, f"{n}-secrets": case.secrets}
            image, other = disk.add(crypted(case, case.plain, "native", folder)), disk.add(case.other)
            firsts.append(image)
            places.append([disk.add(bytes(case.size)) for _ in range(3)])
            for k, each in enumerate(case.writes):
                work += f"cat > /writes{k} << end\n{''.join(f'{at} {size}{chr(10)}' for at, size in each)}end\n"
            own_places = " ".join(map(str, places[-1]))
            work += f"device {n} {image} {other} {case.size // 512} '{case.words}' {own_places}\n"
        image, values = (disk.add(data) for data in forged(SEALED, folder))
        work += f"sealed {image} {values} {SEALED.size // 512} '{SEALED.words}'\nunloaded\n"
        start = initial(folder, modules(version, MODULES) + own, keys, work, program=str(servers.ublk()))
        said = boot(version, start, disk.path, processors=2)
        for n, question, answer in re.findall(r"answer (-?\d+) (\w+) (.*?)\r?\n", said):
            answers[int(n), question] = answer
        if (-1, "unloaded") not in answers:
            raise RuntimeError(f"the guest did not come to its end: {said[-3000:]}")
        for n, case in enumerate(cases):
            answers[n, "unloaded"] = answers[-1, "unloaded"]
            images = [disk.data(at, case.size) for at in places[n]]
            plain, files, killed = (crypted(case, each, "native", folder, decrypt=True) for each in images)
            answers[n, "ours"] = "right" if plain == case.written else "wrong"
            answers[n, "ours, files"] = "right" if md5_of(files) == answers.get((n, "files")) else "wrong"
            states = [files, case.other, disk.data(firsts[n], case.size)]
            sectors = [slice(at, at + case.sector) for at in range(0, case.size, case.sector)]
            whole = all(killed[each] in [state[each] for state in states] for each in sectors)
            answers[n, "ours, killed"] = "whole" if whole else "torn"
    return answers


WORDS = r"""
dmesg -n 1
mkdir -p /mnt /etc
echo user:x:1000:1000::/:/bin/sh > /etc/passwd
copied() { dd if=/dev/vda of=$1 bs=512 skip=$2 count=$3 2> /dev/null; }
kept() { dd if=/image of=/dev/vda bs=512 seek=$1 conv=notrunc 2> /dev/null; }
served() {
    rm -f /name
    if [ "$scanned" ]; then
        LD_PRELOAD=/keys/scan NEEDLES=$scanned wideblock-ublk key-file=/keys/$n $words "$@" > /name 2> /said & server=$!
    else
        wideblock-ublk key-file=/keys/$n $words "$@" > /name 2> /said & server=$!
    fi
    until [ -s /name ] || ! kill -0 $server 2> /dev/null; do sleep 0.1; done
    disk=$(cat /name); [ -b "$disk" ] || echo "no device: $(cat /said)"
}
gone() { [ -e $disk ] || [ -e ${disk/ublkb/ublkc} ] && echo here || echo gone; }
ended() { wait $server; ended="$? $(gone)"; }
sum() { dd if=$1 bs=64k iflag=direct 2> /dev/null | md5sum | cut -c 1-32; }
wrote() {
    while read at size; do
        dd if=/dev/vda of=$disk bs=512 skip=$(($2 + at)) seek=$at count=$size conv=notrunc $3 2> /dev/null
    done < /writes$1
}
device() {
    n=$1; image=$2; other=$3; blocks=$4; words=$5
    copied /image $image $blocks
    scanned=/keys/$n-secrets; served file=/image; scanned=""
    echo answer $n opened $(sum $disk)
    queue=/sys/block/${disk#/dev/}/queue
    echo answer $n blocks $(cd $queue; cat logical_block_size physical_block_size discard_max_bytes fua)
    wideblock-ublk key-file=/keys/$n $words file=/image read-only=true > /none 2> /second
    echo answer $n second $? $(grep -c "/image is in use by another server" /second)
    copied /small $image 96
    start-stop-daemon -S -p /none -c user -x /bin/wideblock-ublk -- key-file=/keys/$n $words file=/small 2> /second
    echo answer $n user $? $(grep -c "no permission for /dev/ublk-control; run wideblock ublk as root" /second)
    blkdiscard $disk 2> /dev/null; echo answer $n discard $?
    wrote 0 $other oflag=direct & one=$!; wrote 1 $other oflag=direct & two=$!; wrote 2 $other & three=$!
    wrote 3 $other; wait $one $two $three; sync
    echo answer $n written $(sum $disk)
    echo answer $n stale $(dmesg | grep -c "Page cache invalidation failure")
    kill -TERM $server; ended; echo answer $n ended $ended
    echo answer $n remains $(grep -c '^before [1-9]' /said) $(sed -n 's/^after //p' /said)
    kept $6

    served file=/image
    mke2fs $disk > /dev/null; mount -t ext4 $disk /mnt; echo answer $n mounted $?
    copied /mnt/file $other 512; sync; echo 3 > /proc/sys/vm/drop_caches
    echo answer $n file $(md5sum < /mnt/file | cut -c 1-32)
    kill -TERM $server; busy="$disk is in use; the server ends when it is free"
    until grep -q "$busy" /said || ! kill -0 $server 2> /dev/null; do sleep 0.1; done
    waited=$(grep -c "$busy" /said)
    umount /mnt; ended; echo answer $n waited $waited $ended
    served file=/image read-only=true
    mount -t ext4 -o ro $disk /mnt; echo answer $n again $(md5sum < /mnt/file | cut -c 1-32); umount /mnt
    dd if=/dev/zero of=$disk count=1 2> /dev/null; echo answer $n reading $? $(blockdev --getro $disk)
    echo answer $n files $(sum $disk)
    kill -INT $server; ended
    kept $7

    served file=/image
    (while [ -b $disk ]; do for at in $other $image; do
        dd if=/dev/vda of=$disk bs=512 skip=$at count=$blocks conv=notrunc,fsync 2> /dev/null
    done; done) & writer=$!
    sleep 0.7; kill -KILL $server; wait $server; status=$?; wait $writer
    [ -b $disk ] && echo answer $n killed $status here || echo answer $n killed $status gone
    rm -f $disk
    kept $8
}
sealed() {
    n=-1; words=$4
    copied /image $1 $3; copied /values $2 $(($3 / 256))
    served file=/image icv=/values
    k=0; failed=""
    while [ $k -lt $(($3 / 8)) ]; do
        dd if=$disk of=/dev/null bs=4096 iflag=direct skip=$k count=1 2> /dev/null || failed="$failed $k"
        k=$((k + 1))
    done
    echo answer -1 forged$failed
    dd if=/dev/zero of=$disk bs=512 oflag=direct seek=24 count=1 2> /dev/null; part=$?
    dd if=/dev/zero of=$disk bs=4096 oflag=direct seek=3 count=1 2> /dev/null; whole=$?
    dd if=$disk of=/dev/null bs=4096 iflag=direct skip=3 count=1 2> /dev/null
    echo answer -1 mended $part $whole $?
    kill -HUP $server; ended; echo answer -1 ended $ended
}
unloaded() {
    rmmod ublk_drv; ls /dev/ublk* > /dev/null 2>&1; left=$?
    wideblock-ublk key-file=/keys/-1 $words file=/image 2> /second
    echo answer -1 unloaded $left $(grep -c "no /dev/ublk-control; load the driver" /second)
}
"""
"""Functions of the guest's shell."""

RIGHT_SEALED = {"forged": " ".join(map(str, FORGED)), "mended": "1 0 0", "ended": "0 gone"}


def wrong(cases: tuple[Case, ...] = CASES) -> dict[str, dict[str, tuple[str, str]]]:
    """By case and question the answer that was got and the right one, where they differ."""
    answers = compare(cases)
    wanted = [(n, case.name, case.right()) for n, case in enumerate(cases)] + [(-1, SEALED.name, RIGHT_SEALED)]
    return {
        name: {
            question: (got, answer)
            for question, answer in right.items()
            if (got := answers.get((n, question), "none")) != answer
        }
        for n, name, right in wanted
    }


def main() -> int:
    if lacking := missing(PROGRAMS):
        print(f"ublk: left out, for the machine lacks {', '.join(lacking)}")
        return 0
    try:
        found = wrong()
    except Absent as error:
        print(f"ublk: left out, {error}")
        return 0
    print(f"Linux {kernel()}, ublk\n")
    for name, differences in found.items():
        print(f"{name}: {'equal' if not differences else f'DIFFERENT: {differences}'}")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
