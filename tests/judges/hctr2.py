# SPDX-License-Identifier: Apache-2.0
"""The specification of HCTR2 against an implementation that others wrote, the Rust crate hctr2-rs.

``python -m tests.judges.hctr2 [CASES]`` builds the crate's judge with cargo and plays random cases in both directions:
AES-128 and AES-256, messages of 16 to 600 bytes and some of 4096, tweaks of 0 to 64 bytes.
"""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from wideblock.spec.hctr2 import HCTR2

FOLDER = Path(__file__).parent / "hctr2"


def judge(cases: list[tuple[bytes, bytes, bytes]]) -> list[list[bytes]]:
    """The enciphered and the deciphered message of each key, tweak and message."""
    lines = "".join(f"{key.hex()} {tweak.hex() or '-'} {message.hex()}\n" for key, tweak, message in cases)
    with tempfile.TemporaryDirectory() as target:
        command = ["cargo", "run", "--quiet", "--release", "--target-dir", target]
        done = subprocess.run(command, cwd=FOLDER, input=lines, text=True, stdout=subprocess.PIPE, check=True)
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


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
