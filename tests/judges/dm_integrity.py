# SPDX-License-Identifier: Apache-2.0
"""Sealed images against dm-crypt over dm-integrity in a virtual machine: ``python -m tests.judges.dm_integrity``.

In the guest of :mod:`tests.judges.linux` dm-integrity formats a device of tags (``meta_device``), with data on another
one, and dm-crypt decrypts an image of AES-GCM over both. A bit of a sector is then changed, of a tag, and of a nonce:
these sectors must fail to be read, and no others. Last, dm-crypt seals an image, which we unseal.
"""

import random
import re
import struct
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from wideblock.export.contract import Contract, contract
from wideblock.image.crypt import ImageJob
from wideblock.image.numbering import DM_CRYPT
from wideblock.image.sealed import Layout, seal_image

from .linux import PROGRAMS, Disk, boot, initial, kernel, md5_of, missing, modules

__all__ = ["NEEDED", "Case", "compare", "first_tag", "main"]

NEEDED = {**PROGRAMS, "dmsetup": "dmsetup"}
"""Programs, and the packages of Debian that have them."""

MODULES = ("virtio_pci", "virtio_blk", "dm-crypt", "dm-integrity", "gcm", "ctr", "ghash-generic")
SIZE, META = 1 << 20, 4 << 20
"""Bytes of an image, and of a device for tags with its journal."""

ICV = 28
"""Bytes of a tag and a nonce."""


FORGED = (3, 5, 6)
"""Sectors of which the guest changes a bit: of the sector, of its tag, and of its nonce."""


@dataclass(frozen=True)
class Case:
    """Images of AES-256-GCM in sectors of ``sector`` bytes, by ``engine``."""

    sector: int
    engine: str = "spec"

    @property
    def core(self) -> Contract:
        return contract("aes-gcm-p", {"key_bits": 256, "data_bytes": self.sector, "ad_bytes": 20})

    @property
    def key(self) -> bytes:
        return random.Random(self.sector).randbytes(32)

    @property
    def plain(self) -> bytes:
        return random.Random(-self.sector).randbytes(SIZE)

    @property
    def right(self) -> dict[str, str]:
        """Right answers. The guest reads a page at least, so with a forged sector its whole page fails."""
        failing = {
            sector // size * size + k
            for size in (max(1, 4096 // self.sector),)
            for sector in FORGED
            for k in range(size)
        }
        return {"opened": md5_of(self.plain), "forged": " ".join(map(str, sorted(failing))), "ours": "right"}


CASES = (Case(4096), Case(4096, "rtl"), Case(512))


def crypt(case: Case, folder: Path, *, decrypt: bool = False) -> tuple[bytes, str]:
    """The result for the file ``in`` with the tags of ``meta``, and the numbers of forged sectors."""
    job = ImageJob(decrypt=decrypt, tweak=DM_CRYPT, engine=case.engine, force=True)
    _, forged = seal_image(case.core, case.key, folder / "in", folder / "out", Layout(folder / "meta"), job)
    return (folder / "out").read_bytes(), str(forged)


def first_tag(superblock: bytes) -> int:
    """Byte of the first tag in a ``meta_device``. Source: Linux, drivers/md/dm-integrity.c, as of 6.12.

    8 sectors of superblock, then the journal: sections of entries, whose size depends on those of tag and block.
    """
    magic, tag, sections, block = struct.unpack_from("<8s2xHI8x4xB", superblock)
    if magic != b"integrt\0":
        raise ValueError("no superblock of dm-integrity")
    entry = -(-(8 + (8 << block) + tag) // 8) * 8
    entries = (512 - 8) // entry * 8
    return 512 * (8 + sections * ((entries << block) + 8))


def compare(cases: tuple[Case, ...] = CASES) -> dict[tuple[int, str], str]:
    """What the guest said, and what we read of its image, by case and question.

    Raises CalledProcessError, TimeoutExpired; RuntimeError for a guest that did not come to its end.
    """
    version = kernel()
    assert version
    answers: dict[tuple[int, str], str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        disk, work = Disk(folder / "disk"), WORDS
        places: list[tuple[int, int]] = []
        for n, case in enumerate(cases):
            (folder / "in").write_bytes(case.plain)
            sealed, _ = crypt(case, folder)
            data, tags = disk.add(sealed), disk.add((folder / "meta").read_bytes())
            meta, plain, own, own_meta = map(disk.add, (bytes(META), case.plain, bytes(SIZE), bytes(META)))
            places.append((own, own_meta))
            key, tag_bytes = case.key.hex(), SIZE // case.sector * ICV
            work += f"image {n} {case.sector} {key} {data} {meta} {tags} {tag_bytes} {plain} {own} {own_meta}\n"
        start = initial(folder, modules(version, MODULES), {}, work, program="dmsetup")
        said = boot(version, start, disk.path)
        for n, question, answer in re.findall(r"answer (\d+) (\w+) (.*?)\r?\n", said):
            answers[int(n), question] = answer
        if (len(cases) - 1, "written") not in answers:
            raise RuntimeError(f"the guest did not come to its end: {said[-3000:]}")
        for n, case in enumerate(cases):
            data, meta = places[n]
            (folder / "in").write_bytes(disk.data(data, SIZE))
            content = disk.data(meta, META)
            at = first_tag(content)
            (folder / "meta").write_bytes(content[at : at + SIZE // case.sector * ICV])
            plain, forged = crypt(case, folder, decrypt=True)
            answers[n, "ours"] = "wrong" if plain != case.plain else f"right{forged}"
    return answers


WORDS = r"""
linear() { dmsetup create $1 --table "0 $3 linear /dev/vda $2"; }
integrity() {
    dmsetup create $1 --table \
        "0 2048 integrity /dev/mapper/$2 0 28 D 2 meta_device:/dev/mapper/$3 block_size:$4"
}
crypt() {
    dmsetup create $1 --table \
        "0 2048 crypt capi:gcm(aes)-random $2 0 /dev/mapper/$3 0 2 integrity:28:aead sector_size:$4"
}
number() { echo $(( $(od -A n -t u$3 -j $2 -N $3 /dev/mapper/$1) )); }
first() {
    sections=$(number $1 12 4); block=$(number $1 28 1)
    entry=$(( (8 + (8 << block) + 28 + 7) / 8 * 8 ))
    echo $(( 512 * (8 + sections * ((504 / entry * 8 << block) + 8)) ))
}
flip() {
    byte=$(od -A n -t u1 -j $2 -N 1 /dev/mapper/$1)
    printf "\\$(printf %o $((byte ^ 1)))" | dd of=/dev/mapper/$1 bs=1 seek=$2 conv=notrunc 2> /dev/null
}
failing() {
    k=0; while [ $k -lt $3 ]; do
        dd if=/dev/mapper/$1 of=/dev/null iflag=direct bs=$2 skip=$k count=1 2> /dev/null || echo -n "$k "
        k=$((k + 1))
    done
}
opened() { integrity whole data meta $1; crypt plain $2 whole $1; }
closed() { dmsetup remove plain; dmsetup remove whole; echo 3 > /proc/sys/vm/drop_caches; }
image() {
    n=$1; sector=$2; key=$3
    linear data $4 2048; linear meta $5 8192; linear own $9 2048; linear own_meta ${10} 8192
    integrity whole data meta $sector; dmsetup remove whole
    at=$(first meta)
    dd if=/dev/vda of=/dev/mapper/meta bs=4096 iflag=skip_bytes,count_bytes oflag=seek_bytes \
        skip=$(($6 * 512)) seek=$at count=$7 conv=notrunc 2> /dev/null
    sync
    opened $sector $key; echo answer $n opened $(md5sum < /dev/mapper/plain | cut -c 1-32); closed
    flip data $((3 * sector + 100)); flip meta $((at + 5 * 28 + 3)); flip meta $((at + 6 * 28 + 20)); sync
    opened $sector $key; echo answer $n forged $(failing plain $sector 16); closed
    integrity whole own own_meta $sector
    crypt plain $key whole $sector
    dd if=/dev/vda of=/dev/mapper/plain bs=4096 iflag=skip_bytes skip=$(($8 * 512)) count=256 2> /dev/null
    sync; closed
    for each in data meta own own_meta; do dmsetup remove $each; done
    echo answer $n written all
}
"""
"""Functions of the guest's shell."""


def main() -> int:
    if lacking := missing(NEEDED):
        print(f"dm-integrity: left out, for the machine lacks {', '.join(lacking)}")
        return 0
    answers, equal = compare(), True
    print(f"Linux {kernel()}\n")
    for n, case in enumerate(CASES):
        found = {question: answers.get((n, question), "none") for question in case.right}
        equal = equal and found == case.right
        print(f"AES-256-GCM, {case.sector}, {case.engine}: {'equal' if found == case.right else f'DIFFERENT: {found}'}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
