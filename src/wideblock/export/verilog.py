# SPDX-License-Identifier: Apache-2.0
"""The Verilog that a user gets: one self-contained file a core."""

import gc
import hashlib
import platform
import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from amaranth import Signal, Value
from amaranth.back import rtlil
from amaranth.lib import wiring

import wideblock
from wideblock import __version__
from wideblock.cache import cache_directory, cached, name_of
from wideblock.export.aliases import named
from wideblock.export.annotations import annotated
from wideblock.export.style import plain, widened
from wideblock.synth import process, yosys

if TYPE_CHECKING:
    from wideblock.export.contract import Contract

__all__ = ["convert", "generate", "observed", "verilog"]

FILE = "core.v"
OBSERVED = "observed.v"

# Processes become multiplexers, so that all combinational logic is continuous assignments: an "always @*" runs at time
# 0 under no rule that Verilog-2005 and SystemVerilog share. A register has no power-up value: a reset sets those that
# need one. What nothing reads is left out. Names of Amaranth's own objects mean nothing to a user.
_OWN = "-remove generator -remove top -remove src -remove amaranth.hierarchy -remove amaranth.decoding"
_TO_VERILOG = (
    "read_rtlil core.il",
    "proc",
    "setattr -unset init w:*",
    "opt_clean",
    "memory_collect",
    f"attrmap {_OWN}",
    f"attrmap -modattr {_OWN}",
    "design -push-copy",
    "delete c:*",
    "write_verilog names.v",
    "design -pop",
    "delete w:* x:* %d c:* %x %d",
    "opt_clean",
    f"write_verilog {FILE}",
)


def verilog(core: "Contract") -> str:
    """Returns the file of :func:`generate` that a user gets, kept between runs under the hash of all it depends on."""
    return _kept(core, FILE)


def observed(core: "Contract") -> str:
    """Returns the same with names for signals that have several: see :func:`wideblock.export.aliases.named`."""
    return _kept(core, OBSERVED)


def generate(core: "Contract") -> dict[str, str]:
    """Returns Verilog-2001 text of the core behind the ports of its kind, under a header that says what it is.

    ``core.v`` is for the user, ``observed.v`` has further names. The text depends on the core's parameters and the tool
    versions in its header alone: no date, no path.
    """
    body, names = _converted(core.shell, core.module)
    text = header(core) + annotated(core, body[body.index("\n") + 1 :])
    return {FILE: text, OBSERVED: named(text, names)}


def _kept(core: "Contract", name: str) -> str:
    made_of = [command(core), repr(core.settings), _sources(), *_tools(), platform.python_version()]
    try:
        folder = cache_directory() / "verilog" / name_of(made_of)
        return (cached(folder, lambda made: _write(made, generate(core))) / name).read_text()
    except OSError:  # a disk that is full, or cannot be written: the text is needed all the same
        return generate(core)[name]


@cache
def _sources() -> str:
    """Hash of every source file of the package."""
    root = Path(wideblock.__file__).parent
    return name_of(hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(root.rglob("*.py")))


def _tools() -> list[str]:
    return [f"{tool} {version(tool)}" for tool in ("amaranth", "pyosys")]


def _write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text)


def convert(component: wiring.Component, module: str) -> str:
    """Returns Verilog-2001 text of a component and all below it, its top named ``module``, its ports as its members."""
    return _converted(component, module)[0]


def _converted(component: wiring.Component, module: str) -> tuple[str, str]:
    """The Verilog, and that of its wires alone with every name that a signal has."""
    members = ((path, Value.cast(member)) for path, _, member in component.signature.flatten(component))
    # a stream that is always ready has a constant there, which is no port
    ports = {"_".join(map(str, path)): (value, None) for path, value in members if isinstance(value, Signal)}
    with _uncollected():
        text = rtlil.convert(component, name=module, ports=ports, emit_src=False)
    with process.workspace(None) as where:
        (where / "core.il").write_text(widened(_named(_shared(text))))
        yosys.run(_TO_VERILOG, where, "verilog")
        return plain((where / FILE).read_text()), (where / "names.v").read_text()


_MODULE = re.compile(r"^module \\(\S+)\n(.*?)^end$", re.MULTILINE | re.DOTALL)
_MODULE_NAME = re.compile(r"^(module|  cell) \\(\S+)", re.MULTILINE)


def _shared(text: str) -> str:
    """The RTLIL with one module where several are the same, such as the multipliers of two hash units."""
    first: dict[str, str] = {}
    same = {name: kept for name, body in _MODULE.findall(text) if (kept := first.setdefault(body, name)) != name}
    if not same:
        return text
    text = _MODULE.sub(lambda found: "" if found[1] in same else found[0], text)
    text = re.sub(r"(?:^attribute .*\n)+(?=\n|\Z)", "", text, flags=re.MULTILINE)  # of a module that went
    return _shared(_MODULE_NAME.sub(lambda found: f"{found[1]} \\{same.get(found[2], found[2])}", text))


def _named(text: str) -> str:
    """The RTLIL with names of modules that need no escape in Verilog and Tcl: ``core__exit`` for ``core.exit``."""
    return _MODULE_NAME.sub(lambda found: f"{found[1]} \\{found[2].replace('.', '__')}", text)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Halves the time: a netlist is millions of objects, in which a search for garbage finds none."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def header(core: "Contract") -> str:
    """Returns the comment on top of the file: licence, origin, parameters, cycle contract and security statement.

    A parameter of an optional part that the core does not have is left out.
    """
    absent = core.parameters.absent
    lines = [
        "SPDX-License-Identifier: Apache-2.0",
        "",
        f"{core.module}: {core.title}",
        *textwrap.wrap(core.summary, 112),
        "",
        f"Made by wideblock {__version__} with amaranth {version('amaranth')} and Yosys {version('pyosys')}:",
        "  " + command(core),
        "",
        "Parameters",
        *(f"  {name:<14}{value}" for name, value in core.settings.items() if name not in absent),
        "",
        f"Cycles, {core.timing.holds}",
        *(f"  {figure.name:<14}{figure.cycles:>5}  {figure.meaning}" for figure in core.timing.figures()),
        "",
        "Security",
        *textwrap.wrap(core.security, 112, initial_indent="  ", subsequent_indent="  "),
        "  No masking and no other protection against side channels that need physical access.",
    ]
    return "".join(f"// {line}".rstrip() + "\n" for line in lines) + "\n"


def command(core: "Contract") -> str:
    """Returns the command that makes the core."""
    return " ".join(
        [
            *("wideblock generate", core.name),
            *(f"--set {name}={value}" for name, value in core.changed),
            *([f"--name {core.called}"] if core.called else []),
            *(["--accept-broken"] if core.preset.scheme.broken else []),
            "-o DIR",
        ]
    )
