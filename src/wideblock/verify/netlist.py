# SPDX-License-Identifier: Apache-2.0
"""A synthesised netlist in the place of the Verilog it was made from: equal ports, equal harness, equal checks."""

import re
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

from wideblock.errors import UserError
from wideblock.synth.yosys import uncommented

__all__ = ["cells"]

_SPECIFY = re.compile(r"\bspecify\b.*?\bendspecify\b", re.DOTALL)
_BEHAVIOUR = re.compile(r"\b(assign|always|initial|and|or|not|xor|buf)\b|^\s*[A-Z]\w+\s+(#|\w+\s*\()", re.MULTILINE)
_MODULE = re.compile(r"^[ \t]*(?:\(\*.*?\*\)\s*)*module\s+\\?([\w$]+).*?^[ \t]*endmodule\b", re.MULTILINE | re.DOTALL)


def cells(netlist: str, models: Sequence[Path], includes: Sequence[Path] = ()) -> str:
    """Verilog of exactly the cell types of ``netlist``: models of a whole family take long to read.

    If ``models`` have only ports and timing of a cell, the package's model is taken, if any. Raises
    UserError for a cell that is in neither, or has no behaviour.
    """
    found = _modules(_included(path, includes) for path in models)
    ours = _modules(file.read_text() for file in resources.files("wideblock.verify").joinpath("cells").iterdir())
    found |= {name: text for name, text in ours.items() if name not in found or not _behaves(found[name])}
    defined = _modules([netlist])
    used, todo = set(), (_words(netlist) & set(found)) - set(defined)
    while todo:
        used |= todo
        todo = {word for name in todo for word in _words(found[name]) & set(found)} - set(defined) - used
    where = ", ".join(path.name for path in models)
    if missing := _instantiated(netlist) - set(found) - set(defined):
        raise UserError(f"cell {min(missing)} is not in {where}")
    if empty := [name for name in used if not _behaves(found[name])]:
        raise UserError(f"cell {min(empty)} has no behaviour in {where}: choose synthesis options that avoid it")
    return "\n".join(_SPECIFY.sub("", found[name]) for name in sorted(used))


def _modules(texts: Iterable[str]) -> dict[str, str]:
    """Every module of Verilog texts by its name, without comments."""
    return {module[1]: module[0] for text in texts for module in _MODULE.finditer(uncommented(text))}


def _behaves(module: str) -> bool:
    """Whether a module has more than ports and timing: logic, or instances of others."""
    return bool(_BEHAVIOUR.search(_SPECIFY.sub("", module)))


def _words(text: str) -> set[str]:
    """Every identifier of a text."""
    return set(re.findall(r"[A-Za-z_$][\w$]*", text))


def _instantiated(netlist: str) -> set[str]:
    """Names of cell types: as Yosys writes an instance, at the start of a line and followed by #( or a name."""
    return set(re.findall(r"^  ([A-Za-z]\w*) (?:#\(|\\?\S+ \($)", netlist, re.MULTILINE))


def _included(path: Path, includes: Sequence[Path]) -> str:
    """A file's text with included files in place."""

    def insert(match: re.Match[str]) -> str:
        for directory in (path.parent, *includes):
            if (directory / match[1]).is_file():
                return _included(directory / match[1], includes)
        raise UserError(f"{path.name} includes {match[1]}, which is not there")

    return re.sub(r'^[ \t]*`include\s+"([^"]+)"', insert, path.read_text(), flags=re.MULTILINE)
