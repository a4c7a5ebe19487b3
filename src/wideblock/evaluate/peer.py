# SPDX-License-Identifier: Apache-2.0
"""Verilog of further projects, measured by our flow."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from wideblock import catalog
from wideblock.errors import UserError
from wideblock.evaluate.point import Identity, Origin
from wideblock.evaluate.run import settings
from wideblock.synth import yosys
from wideblock.synth.targets import Target
from wideblock.synth.yosys import Source

__all__ = ["clock_of", "identify", "licence_of", "origin", "source"]

CLOCK = re.compile(r"(?:i_)?a?(?:clk|clock)(?:_i|_in)?", re.IGNORECASE)
"""Usual names of a clock port."""

_MODULE = re.compile(r"^\s*module\s+(\w+)", re.MULTILINE)
_LICENCES = (
    ("Apache-2.0", r"Apache License\s+Version 2\.0"),
    ("LGPL-3.0-only", r"GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3"),
    ("LGPL-2.1-only", r"GNU LESSER GENERAL PUBLIC LICENSE\s+Version 2\.1"),
    ("GPL-3.0-only", r"GNU GENERAL PUBLIC LICENSE\s+Version 3"),
    ("GPL-2.0-only", r"GNU GENERAL PUBLIC LICENSE\s+Version 2"),
    ("MPL-2.0", r"Mozilla Public License Version 2\.0"),
    ("MIT", r"Permission is hereby granted, free of charge"),
    ("ISC", r"Permission to use, copy, modify, and(/or)? distribute this software for any\s+purpose"),
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms(?=.*Neither the name)"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
)
"""Licences by words of the texts, the more special first."""


def source(directory: Path, top: str) -> Source:
    """Module ``top`` of the Verilog files below ``directory``, with all its parts and no test bench.

    A file is taken if it defines a module named in a file before. Raises UserError for a missing module, and for a
    module of two files.
    """
    if not directory.is_dir():
        raise UserError(f"{directory} is no directory; give the one that has the Verilog files")
    if not re.fullmatch(r"[A-Za-z_]\w*", top):
        raise UserError(f"--top is the name of a Verilog module, got {top!r}")
    texts = {
        path: path.read_text("utf-8-sig", errors="replace") for path in sorted(directory.rglob("*.v")) if path.is_file()
    }
    plain = {path: yosys.uncommented(text) for path, text in texts.items()}
    defining: dict[str, list[Path]] = {}
    for path, text in plain.items():
        for module in _MODULE.findall(text):
            defining.setdefault(module, []).append(path)
    if top not in defining:
        known = f"they define {', '.join(sorted(defining))}" if defining else "there are none"
        raise UserError(f"no *.v file below {directory} defines module {top}; {known}")
    wanted: list[Path] = []
    open_modules = [top]
    while open_modules:
        module = open_modules.pop()
        path, *more = defining[module]
        if more:
            both = " and ".join(str(each.relative_to(directory)) for each in defining[module])
            raise UserError(f"module {module} is defined in {both}; give a directory that has one of them")
        if path not in wanted:
            wanted.append(path)
            open_modules += sorted(defining.keys() & set(re.findall(r"\w+", plain[path])))
    return Source("\n".join(f"{texts[path]}\n`resetall" for path in wanted) + "\n", top)


def origin(
    directory: Path, top: str, *, repository: str | None = None, commit: str | None = None, licence: str | None = None
) -> Origin:
    """The origin of the Verilog in ``directory``: missing facts come from the git directory and the licence file.

    Raises UserError, with the option to give, for what neither has.
    """
    found = {
        "repository": repository or _address(_git(directory, "config", "remote.origin.url")),
        "commit": commit or _head(directory),
        "licence": licence or next(filter(None, map(licence_of, _licence_texts(directory))), None),
    }
    for name, value in found.items():
        if not value:
            where = "licence file" if name == "licence" else "git"
            raise UserError(f"{directory} has no {where} that tells its {name}; say --{name}")
    return Origin(top=top, **{name: str(value) for name, value in found.items()})


def identify(name: str | None, origin: Origin, target: Target, **flow) -> Identity:
    """The identity of a peer's module before it is measured; ``flow`` as :func:`wideblock.evaluate.run.settings`.

    name: for documents; by default the end of the repository's address and the module
    """
    name = name or f"{'/'.join(origin.repository.split('/')[-2:])}: {origin.top}"
    if name in catalog.PRESETS or name in catalog.PARTS:
        raise UserError(f"{name} is the name of one of our cores; say another --name")
    return Identity(preset=name, changed={}, parameters={}, origin=origin, **settings(target, **flow))


def clock_of(source: Source) -> str:
    """The clock port of ``source``. Raises UserError if none or several have a usual name."""
    inputs = [name for name, (way, width) in yosys.ports(source).items() if (way, width) == ("input", 1)]
    clocks = [name for name in inputs if CLOCK.fullmatch(name)]
    if len(clocks) != 1:
        raise UserError(f"{source.top} has inputs {', '.join(inputs) or 'of no single bit'}; say which is its --clock")
    return clocks[0]


def licence_of(text: str) -> str | None:
    """SPDX identifier of a licence by its text; None if unknown."""
    words = " ".join(text.split())
    return next((name for name, pattern in _LICENCES if re.search(pattern, words, re.DOTALL)), None)


def _licence_texts(directory: Path) -> Iterator[str]:
    """Licence files of ``directory`` and of the directories above in the repository, the nearest first.

    Files in a folder with such a name, as REUSE has it, follow.
    """
    root = Path(_git(directory, "rev-parse", "--show-toplevel") or directory).resolve()
    for above in (directory.resolve(), *directory.resolve().parents):
        named = [path for path in sorted(above.iterdir()) if re.match(r"(?i)licen[cs]e|copying", path.name)]
        within = [file for path in named if path.is_dir() for file in sorted(path.iterdir())]
        for path in filter(Path.is_file, named + within):
            yield path.read_text("utf-8-sig", errors="replace")
        if above == root:
            return


def _head(directory: Path) -> str | None:
    head = _git(directory, "rev-parse", "HEAD")
    return head and head + ("-dirty" if _git(directory, "status", "--porcelain", "--", ".") else "")


def _address(remote: str | None) -> str | None:
    """A remote as an address without protocol, user and ending: "github.com/owner/name"."""
    return remote and re.sub(r"^(\w+://)?([^@/]*@)?|(\.git)?/*$", "", remote).replace(":", "/")


def _git(directory: Path, *arguments: str) -> str | None:
    """Output of git in ``directory``; None if it fails or is not installed."""
    try:
        found = subprocess.run(["git", "-C", directory, *arguments], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return found.stdout.strip() or None if found.returncode == 0 else None
