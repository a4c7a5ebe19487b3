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
SCHEMES_OWN = ("wideblock/rtl/tes", *(f"wideblock/rtl/aead/{scheme}" for scheme in catalog.SCHEMES))
SHARED = [path for path in sorted(ROOT.rglob("*.py")) if not path.relative_to(ROOT).as_posix().startswith(OWN)]
WORDS = {"verilator.py": {"fast"}}  # of its options
BASES = {base for scheme in catalog.SCHEMES.values() for base in scheme.core.__mro__}
FAMILIES = {  # classes that cores are built on, but those of one scheme
    base.__name__
    for base in BASES
    if base.__module__.startswith("wideblock.") and not base.__module__.replace(".", "/").startswith(SCHEMES_OWN)
}


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
    assert asked(path.read_text()) == []


def asked(text):
    """Lines that import a family, or ask whether something is one."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
            named = {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(node)}
        elif isinstance(node, ast.ImportFrom):
            named = {alias.name for alias in node.names}
        else:
            continue
        if named & FAMILIES:
            found.append(node.lineno)
    return found


def test_families_are_those_of_the_package():
    assert FAMILIES >= {"EncryptMixEncrypt", "FeistelMixFeistel", "HashCounterHash", "HashCounterHashAny"}
    assert FAMILIES >= {"HashEcbHash", "SinglePass", "StoreAndForward", "TwoPass", "Caesar"}
    for family in FAMILIES:
        assert asked(f"import wideblock\nisinstance(core, rtl.{family})") == [2]
        assert asked(f"from wideblock.rtl import {family}") == [1]
