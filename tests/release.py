# SPDX-License-Identifier: Apache-2.0
"""Wheel and source distribution of the last commit, each tried in empty environments outside of the checkout.

``python -m tests.release FOLDER PYTHON..`` makes both in FOLDER, and runs :data:`TRIAL` for each Python with the
packages that ``requirements.lock`` pins; minutes each. Exit status: that of the first command that failed.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HATCH = "from hatchling.build import *; build_sdist('..'); build_wheel('..')"
TRIAL = """
wideblock --version
wideblock list --names
wideblock info fast-brw-2s --json
wideblock generate fast-brw-2s -o core
wideblock generate xts-enc-k --set registers=axi4-lite --set slots=4 -o engine
wideblock encrypt fast-brw-2s --key @key --in plain --out cipher --engine spec
wideblock decrypt fast-brw-2s --key @key --in cipher --out native --engine native
cmp plain native
wideblock verify hmch-poly --sectors 16
wideblock evidence hmch-poly --kind proof --plan --json > plan
python -c 'import json; of = json.load(open("plan"))["counts"]["proof"]; assert of["today"] == of["wanted"] > 0, of'
wideblock native --install prefix
example=$(python -c 'import wideblock.native.library as native; print(native.SOURCE / "example.c")')
cc $example -o example -Iprefix/include -Lprefix/lib -lwideblock -Wl,-rpath,prefix/lib
./example key < plain > cipher2
./example -d key < cipher2 | cmp plain
regs=$(basename engine/*_regs.h)
cc -std=c11 -Wall -Werror -c -DWIDEBLOCK_ENGINE_REGS="\\"$regs\\"" engine/wideblock_engine.c
"""
"""Commands in an empty folder with an empty home; each must succeed. The store must have today's proofs of a core."""


def run(*command: object, **options: object) -> None:
    """Raises SystemExit with the status of a command that fails."""
    done = subprocess.run([str(word) for word in command], **options)  # pyright: ignore[reportCallIssue,reportArgumentType]
    if done.returncode:
        print(f"failed: {' '.join(map(str, command))}", file=sys.stderr)
        sys.exit(done.returncode)


def main(folder: Path, pythons: list[str]) -> None:
    folder.mkdir(parents=True)
    run("git", "clone", "-q", ROOT, folder / "source")
    run(sys.executable, "-c", HATCH, cwd=folder / "source")
    pinned = re.findall(r"^([\w.-]+)(?:\[.*\])?(==[^ ;]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    (folder / "pinned").write_text("".join(f"{name}{version}\n" for name, version in pinned))
    for number, python in enumerate(pythons):
        for kind, ending in (("wheel", "whl"), ("source", "tar.gz")):
            (made,) = folder.glob(f"*.{ending}")
            home = folder / f"{number}-{kind}"
            run(python, "-m", "venv", home / "venv")
            pip = ("pip", "-q", "--disable-pip-version-check", "install", "-c", folder.resolve() / "pinned")
            run(home / "venv/bin/python", "-m", *pip, made)
            trial = home / "trial"
            trial.mkdir()
            (trial / "key").write_bytes(bytes(range(16)))
            (trial / "plain").write_bytes(os.urandom(1 << 16))
            path = f"{(home / 'venv/bin').resolve()}:/usr/bin:/bin"
            run("bash", "-exc", TRIAL, cwd=trial, env={"PATH": path, "HOME": str(trial.resolve())})
            print(f"{made.name} works with {python}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
