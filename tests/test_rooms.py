# SPDX-License-Identifier: Apache-2.0
"""Shared code knows no scheme: a scheme is a specification, a core, a catalogue file and its known answers."""

import ast
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import wideblock
from wideblock import catalog
from wideblock.export.contract import contract
from wideblock.rtl.shell.shell import Shell

from .variants import over

pytestmark = pytest.mark.shows("rooms")

ROOT = Path(wideblock.__file__).parent
REPOSITORY = Path(__file__).parents[1]
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


@over("path", SHARED)
def test_shared_code_names_no_scheme(path):
    found = {(word, node.lineno) for word, node in names(ast.parse(path.read_text())) if scheme_of(word)}
    assert {word for word, _ in found} <= WORDS.get(path.name, set()), found


@over("path", [p for p in SHARED if "rtl" not in p.parts])
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
    assert FAMILIES >= {"EncryptMixEncrypt", "FeistelMixFeistel", "HashCounterHash", "RunningHash"}
    assert FAMILIES >= {"HashEcbHash", "SinglePass", "StoreAndForward", "TwoPass", "Caesar"}
    for family in FAMILIES:
        assert asked(f"import wideblock\nisinstance(core, rtl.{family})") == [2]
        assert asked(f"from wideblock.rtl import {family}") == [1]


CORES = (
    contract("xts-enc", {"key_width": 32}),  # with every field of a sector core's channels
    contract("scream"),
    contract("scream", {"ports": "axi4-stream"}),
)
CONTROLS = {control.name for core in CORES for control in core.interface.controls}
AMARANTH = {"clk", "rst"}  # the names that Amaranth itself gives, of parts without a shell
PORTS = {port.name for core in CORES for port in core.ports} - CONTROLS - AMARANTH
TOOLS = sorted(Path(__file__).parents[1].glob("tools/*.py"))
TEXTS = [path for path in sorted(ROOT.rglob("*")) if path.suffix in (".py", ".jinja", ".cpp", ".tcl")]


def ports(path, text):
    """Ports of shells that a file's strings spell, docstrings included; of a file of another language its text."""
    nodes = ast.walk(ast.parse(text)) if path.suffix == ".py" else [ast.Constant(text)]
    strings = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {word for string in strings for word in re.findall(r"\w+", string)} & PORTS


def test_only_the_shells_name_ports():
    found = {path: ports(path, path.read_text()) for path in TEXTS if path.parent != ROOT / "rtl/shell"}
    assert len(found) > 300 and {path: names for path, names in found.items() if names} == {}


def test_ports_are_those_of_every_shell():
    def leaves(shell):
        return {leaf for each in shell.__subclasses__() for leaf in (each, *leaves(each))}

    assert {type(core.shell) for core in CORES} == leaves(Shell)
    assert PORTS >= {"aclk", "aresetn", "s_axis_tuser", "m_axis_tkeep", "s_axis_key_tlast", "pdi_data", "do_valid"}
    assert PORTS >= {"s_axis_pdi_tdata", "m_axis_do_tlast", "sdi_ready"}
    assert ports(Path("a.py"), 'def f(n):\n    return f"{n}: `s_axis_tdata`, twice"\n') == {"s_axis_tdata"}
    assert ports(Path("a.v.jinja"), "{{ module }} dut (.aclk(clock));") == {"aclk"}


BUDGETS = {
    "catalog": 1212, "cli": 2208, "drive": 1164, "evaluate": 1932, "evidence": 396, "export": 1664,
    "image": 1243, "native": 245, "renewal": 512,
    "rtl/aead": 4624, "rtl/aes": 1475, "rtl/bus": 1223, "rtl/dma": 1582, "rtl/engine": 1772, "rtl/flow": 240,
    "rtl/gf128": 290, "rtl/hash": 1498, "rtl/keys": 1090, "rtl/sector": 4329, "rtl/shell": 160, "rtl/stream": 1640,
    "rtl/tes": 360, "simulation": 800, "spec": 1650, "synth": 1210, "tools": 1347, "vectors": 490, "verify": 10769,
}  # fmt: skip
"""Most lines of code of each room: no blank lines, comments or docstrings. A budget rises in a commit that says why."""


def code_lines(text):
    """Lines of Python that are not blank, no comment and no docstring."""
    documented = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    lines = enumerate(text.splitlines(), 1)
    return sum(number not in documented and line.lstrip()[:1] not in ("", "#") for number, line in lines)


def test_code_is_what_is_neither_blank_nor_a_comment_nor_a_docstring():
    text = '"""A module.\n\nIt has two lines of code."""\n\nX = 1  # one\n"""Of X."""\n    # none\nY = """a\nb"""\n'
    assert code_lines(text) == 3


def test_every_room_keeps_its_budget():
    lines = dict.fromkeys(BUDGETS, 0)
    lines["tools"] = sum(code_lines(path.read_text()) for path in TOOLS)
    for path in ROOT.rglob("*.py"):
        inside = path.relative_to(ROOT).as_posix()
        if room := next((room for room in BUDGETS if inside.startswith(f"{room}/")), None):
            lines[room] += code_lines(path.read_text())
        else:
            assert len(Path(inside).parts) == 1 or inside.startswith("rtl/") and inside.count("/") == 1, inside
    assert {room: count for room, count in lines.items() if not count or count > BUDGETS[room]} == {}


LONGEST = 60
LONGER = {"_rule of verify/formal/answers.py": 62}
"""Longer functions, with their lines. A number falls; a function joins in a commit that says why it is one thing."""


def long_functions(text):
    """Names and lines of the functions with more than LONGEST."""
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    return {f.name: lines for f in functions if (lines := f.end_lineno - f.lineno + 1) > LONGEST}


def test_a_long_function_is_asked_whether_it_is_two():
    body = "    f()\n"
    assert long_functions("def f():\n" + LONGEST * body + "def g():\n" + body) == {"f": LONGEST + 1}
    found = {
        f"{name} of {path.relative_to(ROOT).as_posix()}": lines
        for path in ROOT.rglob("*.py")
        for name, lines in long_functions(path.read_text()).items()
    }
    assert {name: lines for name, lines in found.items() if lines > LONGER.get(name, 0)} == {}


TABLES = {"tests/test_phrases.py", "tests/test_rooms.py"}
"""Files with a table of a line for several entries, in a layout of its own."""


def test_the_formatter_lays_out_all_code():
    """Code or data that reads badly afterwards gets another shape."""
    own = re.compile(r"# fmt: (?:skip|off)$", re.MULTILINE)
    files = [path for folder in ("src", "tests", "tools") for path in (REPOSITORY / folder).rglob("*.py")]
    found = Counter(str(path.relative_to(REPOSITORY)) for path in files for _ in own.finditer(path.read_text()))
    assert found == dict.fromkeys(TABLES, 1)


def test_a_public_class_name_is_that_of_one_class():
    where = defaultdict(list)
    for path in (*ROOT.rglob("*.py"), *TOOLS):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].append(str(path))
    assert {name: paths for name, paths in where.items() if len(paths) > 1} == {}
