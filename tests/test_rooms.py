# SPDX-License-Identifier: Apache-2.0
"""Shared code knows no scheme: a scheme is a specification, a core, a catalogue file and its known answers."""

import ast
from pathlib import Path

import pytest

import wideblock
from wideblock import catalog

pytestmark = pytest.mark.shows("rooms")

ROOT = Path(wideblock.__file__).parent
OWN = ("spec", "vectors", "catalog", "rtl/tes", *(f"rtl/aead/{scheme}.py" for scheme in catalog.SCHEMES))
SHARED = [path for path in sorted(ROOT.rglob("*.py")) if not path.relative_to(ROOT).as_posix().startswith(OWN)]
WORDS = {"verilator.py": {"fast"}}  # of its options
FAMILIES = {"EncryptMixEncrypt", "HashCounterHash", "HashCounterHashAny", "HashEcbHash", "SinglePass", "TwoPass"}


def names(tree):
    """Every identifier and every string of the code that is not a docstring or a message of several words."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id, node
        elif isinstance(node, ast.Attribute):
            yield node.attr, node
        elif isinstance(node, ast.alias):
            yield node.name, node
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value.strip():
            yield node.value, node


def scheme_of(word):
    """The scheme that a word names: itself, a preset, or a module or class of it."""
    word = word.rpartition(".")[2].lower()
    return next((s for s in catalog.SCHEMES if word == s or word.startswith((f"{s}-", f"{s}_"))), None)


@pytest.mark.parametrize("path", SHARED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_shared_code_names_no_scheme(path):
    found = {(word, node.lineno) for word, node in names(ast.parse(path.read_text())) if scheme_of(word)}
    assert {word for word, _ in found} <= WORDS.get(path.name, set()), found


@pytest.mark.parametrize(
    "path", [p for p in SHARED if "rtl" not in p.parts], ids=lambda p: p.relative_to(ROOT).as_posix()
)
def test_nothing_above_the_hardware_asks_for_a_family(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
            assert not {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & FAMILIES, f"line {node.lineno}"
        if isinstance(node, ast.ImportFrom):
            assert not {alias.name for alias in node.names} & FAMILIES, f"line {node.lineno}"
