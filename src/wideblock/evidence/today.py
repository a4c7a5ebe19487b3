# SPDX-License-Identifier: Apache-2.0
"""Circuits of today: digests of the exports of the running code.

Beside the store, ``circuits.json`` has digests of the cores with evidence, and a digest of the exporting code.
Documents read this list; nothing is exported for them.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wideblock import catalog
from wideblock.atomic import write_text
from wideblock.cache import name_of, remembered
from wideblock.errors import UserError
from wideblock.evidence.code import digest_of
from wideblock.evidence.record import Evidence, named
from wideblock.evidence.store import COMMITTED
from wideblock.export.contract import contract
from wideblock.export.names import module_name
from wideblock.export.verilog import convert
from wideblock.synth.circuit import METHOD, circuit
from wideblock.synth.yosys import Source, tool

__all__ = ["FILE", "circuit_of", "circuits_of", "exported", "kept", "listed", "sources", "today", "update", "wanted"]
__all__ += ["write"]

FILE = "circuits.json"
"""Name of the list beside the store."""


def today(name: str) -> str | None:
    """The digest in the list of the core ``name``, preset and changes; None for a core outside of the list."""
    return listed(COMMITTED).get("circuits", {}).get(name)


@cache
def listed(store: Path) -> Mapping[str, Any]:
    """The list beside ``store``: ``sources`` and ``circuits``; empty if there is none. UserError for another file."""
    path = store.with_name(FILE)
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError:
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("circuits"), dict):
        raise UserError(f"{path} must be the list of circuits of the store beside it; move the file, or the store")
    return found


def kept(store: Path) -> dict[str, str]:
    """The circuits listed beside ``store``, if the list is by the running code; else none."""
    known = listed(store)
    return dict(known["circuits"]) if known.get("sources") == sources() else {}


def update(store: Path, circuits: Mapping[str, str]) -> None:
    """Adds ``circuits`` of the running code to the list beside ``store``.

    A list that keeps circuits of older code has no ``sources``: for :func:`kept` the list is empty.
    """
    known = listed(store)
    all_circuits = {**known.get("circuits", {}), **circuits}
    write(store, all_circuits, sources() if known.get("sources") == sources() or all_circuits == circuits else None)


def write(store: Path, circuits: Mapping[str, str], made_by: str | None) -> None:
    """Writes the list beside ``store``; made_by: :func:`sources` of the code of all circuits, or None."""
    content = {"sources": made_by, "circuits": dict(sorted(circuits.items()))}
    write_text(store.with_name(FILE), json.dumps(content, indent=1) + "\n")
    listed.cache_clear()


def wanted(evidence: Iterable[Evidence]) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """The cores of ours, by name, that may have evidence of today: a digest of a circuit is noted.

    Nothing else needs an export: a result without a digest is never of today.
    """
    return {
        each.name: (each.core, each.changed)
        for each in evidence
        if (each.circuit or "").startswith(f"{METHOD}:") and not each.method.get("origin")
    }


def circuits_of(
    store: Path, cores: Mapping[str, tuple[str, Mapping[str, Any]]], progress: Callable[[int, int | None], None]
) -> dict[str, str]:
    """The digest of each of the cores of :func:`wanted`; cores unknown to the code are left out.

    Nothing is exported if the running code has made the list beside ``store``.
    progress: called with the numbers of cores that are done and of all
    """
    found = kept(store)
    for done, (name, core) in enumerate(cores.items()):
        progress(done, len(cores))
        if name not in found:
            with suppress(UserError):
                found[name] = circuit_of(*core)
    return {name: found[name] for name in cores if name in found}


def circuit_of(core: str, changed: Mapping[str, Any]) -> str:
    """The digest of a preset or part as exported by the running code; computed once for the code.

    Raises UserError for a core that does not exist.
    """
    return remembered("cores", (sources(), named(core, changed)), lambda: circuit(exported(core, changed)))


def exported(core: str, changed: Mapping[str, Any]) -> Source:
    """The Verilog of a preset or part. Raises UserError for a core that does not exist."""
    if part := catalog.PARTS.get(core):
        module = module_name(core, changed)
        return Source(convert(part.make(part.changed(changed)), module), module)
    made = contract(core, changed)
    return Source(made.verilog, made.module)


@cache
def sources() -> str:
    """Digest of all that decides which circuit a core has: the code that exports it, and the tools."""
    code = digest_of(("rtl", "catalog", "export"), ("rtl", "catalog", "export", "spec", "vectors"))
    return name_of((code, METHOD, f"amaranth {version('amaranth')}", tool()))
