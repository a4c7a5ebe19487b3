# SPDX-License-Identifier: Apache-2.0
"""HCTR2 against an implementation that others wrote, the Rust crate hctr2-rs: the specification and sealed sectors.

``python -m tests.judges.hctr2 [CASES]`` builds the crate's judge with cargo and plays random cases in both directions:
AES-128 and AES-256, messages of 16 to 600 bytes and some of 4096, tweaks of 0 to 64 bytes. Then sectors: the native
library's, sealed, are what the crate makes of 16 zeros and the sector, and what it makes of these is unsealed.
"""

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from wideblock.native.twin import Twin
from wideblock.spec.hctr2 import HCTR2
from wideblock.spec.sealed import ICV, Forged, Sealed

FOLDER = Path(__file__).parent / "hctr2"


def judge(cases: list[tuple[bytes, bytes, bytes]]) -> list[list[bytes]]:
    """The enciphered and the deciphered message of each key, tweak and message."""
    lines = "".join(f"{key.hex()} {tweak.hex() or '-'} {message.hex()}\n" for key, tweak, message in cases)
    with tempfile.TemporaryDirectory() as work:  # cargo writes a lock file beside the project
        project = shutil.copytree(FOLDER, Path(work, "judge"))
        command = ["cargo", "run", "--quiet", "--release"]
        done = subprocess.run(command, cwd=project, input=lines, text=True, stdout=subprocess.PIPE, check=True)
    return [[bytes.fromhex(word) for word in line.split()] for line in done.stdout.splitlines()]


def main(count: int) -> None:
    rng = random.Random(count)
    cases = []
    for n in range(count):
        size = 4096 if n % 100 == 0 else rng.randint(16, 600)
        cases.append((rng.randbytes(rng.choice((16, 32))), rng.randbytes(rng.randint(0, 64)), rng.randbytes(size)))
    for (key, tweak, message), right in zip(cases, judge(cases), strict=True):
        cipher = HCTR2(key)
        if [cipher.encrypt(tweak, message), cipher.decrypt(tweak, message)] != right:
            sys.exit(f"HCTR2 differs from hctr2-rs: key {key.hex()} tweak {tweak.hex()} message {message.hex()}")
    print(f"{count} random cases: HCTR2 equals hctr2-rs in both directions")
    sealed(rng, count // 10)


def sealed(rng: random.Random, count: int) -> None:
    """Sectors sealed by the native library and by the specification; and one with a bit changed, which is forged."""
    cases = []
    for n in range(count):
        size = 4096 if n % 10 == 0 else 16 * rng.randint(1, 33)
        cases.append((rng.randbytes(rng.choice((16, 32))), rng.randbytes(rng.choice((16, 32))), rng.randbytes(size)))
    others = judge([(key, tweak, bytes(ICV) + sector) for key, tweak, sector in cases])
    for (key, tweak, sector), (whole, _) in zip(cases, others, strict=True):
        with Twin("hctr2", key) as twin:
            rows = [np.frombuffer(part, np.uint8)[None] for part in (sector, tweak)]
            (V, icv), sealing = twin.seal(*rows), Sealed(HCTR2(key))
            bad = V.copy()
            bad[0, rng.randrange(len(sector))] ^= 1 << rng.randrange(8)
            opened = [twin.unseal(row, icv, rows[1]) for row in (V, bad)]
        right = [part.tobytes() for part, _ in opened] == [sector, bytes(len(sector))]
        verdicts = [bool(verdict[0]) for _, verdict in opened]
        if not right or verdicts != [True, False] or icv.tobytes() + V.tobytes() != whole:
            sys.exit(
                f"a sealed sector differs from hctr2-rs: key {key.hex()} tweak {tweak.hex()} sector {sector.hex()}"
            )
        assert sealing.unseal(tweak, whole[:ICV], whole[ICV:]) == sector
        try:
            sealing.unseal(tweak, whole[:ICV], bad.tobytes())
            sys.exit(
                f"a forged sector is taken for right: key {key.hex()} tweak {tweak.hex()} sector {bad.tobytes().hex()}"
            )
        except Forged:
            pass
    print(f"{count} sealed sectors are those of hctr2-rs, and with a bit changed forged")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
