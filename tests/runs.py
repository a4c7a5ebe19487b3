# SPDX-License-Identifier: Apache-2.0
"""Records of the long commands of the Makefile, which the test plan shows.

``python -m tests.runs soc "verify SECTORS=1000"`` runs ``make soc``, then ``make verify SECTORS=1000``, and notes of
each in ``docs/runs.json``: when it began, CPU seconds, exit status, the last line of its output, the commit, and the
digest of ``src`` and ``tests``. Exit status 1: a command failed.
"""

import json
import re
import resource
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.digests import tree
from wideblock.evidence.code import code
from wideblock.export.markdown import table

__all__ = ["TARGETS", "kept", "record", "runs"]

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs" / "runs.json"
TARGETS = ("netlist", "verify", "soc", "linux", "linux-driver", "harden-native", "mutate-master", "judge", "release")
HEAD = ("command", "what it does", "result", "CPU minutes", "last line", "run on")


def record(command: list[str]) -> dict[str, Any]:
    """Runs a command; its output is passed on."""
    began, used, last = datetime.now(UTC), _seconds(), ""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            last = line.strip() or last
    return {
        "began": f"{began:%Y-%m-%d %H:%M:%S}",
        "seconds": round(_seconds() - used, 1),
        "status": process.returncode,
        "last": last.replace(f"{ROOT}/", ""),
        "commit": code()[1],
        "tree": tree(),
    }


def kept() -> dict[str, dict[str, Any]]:
    """The last record of each command."""
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def runs(found: dict[str, dict[str, Any]]) -> str:
    """A table of what each of the :data:`TARGETS` gave last, by the command as it was given."""
    rows = []
    for target, text in _targets().items():
        told = [name for name in found if shlex.split(name)[0] == target] or [target]
        rows += [(f"`make {name}`", text, *_row(found.get(name))) for name in told]
    return table(HEAD, rows)


def _row(found: dict[str, Any] | None) -> tuple[str, ...]:
    if found is None:
        return "not recorded", "-", "-", "-"
    result = f"status {found['status']}" if found["status"] else "passed"
    age = "today's files" if found["tree"] == tree() else "files before today's"
    last = found["last"].replace("|", "/")
    return result, f"{found['seconds'] / 60:,.1f}", last, f"{found['began'][:10]}, commit {found['commit']}, {age}"


def _targets() -> dict[str, str]:
    """The targets with their texts in the Makefile."""
    texts = dict(re.findall(r"^([a-z-]+):.*## (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE))
    return {target: texts[target] for target in TARGETS}


def _seconds() -> float:
    """CPU seconds of all children that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    commands = sys.argv[1:]
    if unknown := [each for each in commands if (shlex.split(each) or [""])[0] not in TARGETS]:
        sys.exit(f"no long command {unknown[0]!r}; there are {', '.join(TARGETS)}")
    found = kept()
    for each in commands:
        found[each] = record(["make", "--no-print-directory", *shlex.split(each)])
        KEPT.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    sys.exit(any(found[each]["status"] for each in commands))
