# SPDX-License-Identifier: Apache-2.0
"""The Verilog that a user gets: one self-contained file a core."""

import gc
import hashlib
import logging
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

from amaranth import Signal, Value
from amaranth.back import rtlil
from amaranth.lib import wiring

import wideblock
from wideblock.cache import cache_directory, cached, name_of
from wideblock.export.annotations import annotated
from wideblock.export.borders import prepared
from wideblock.export.enclosed import blocks, kept_last, shaped
from wideblock.export.style import driven, named, plain, shared, unescaped, widened
from wideblock.rtl.shell.shell import Shell
from wideblock.synth import process, yosys

__all__ = ["FILE", "OBSERVED", "convert", "generate", "verilog"]

log = logging.getLogger(__name__)

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
    "setattr -unset keep t:$buf",
    f"write_verilog {FILE}",
)


def verilog(name: str, module: str, shell: Shell, header: str) -> str:
    """Returns file ``name`` of :func:`generate`, kept between runs under the hash of all it depends on."""
    made_of = [header, _sources(), *_tools(), platform.python_version()]
    try:
        folder = cache_directory() / "verilog" / name_of(made_of)
        return (cached(folder, lambda made: _write(made, module, shell, header)) / name).read_text()
    except OSError:  # a disk that is full, or cannot be written: the text is needed all the same
        return generate(module, shell, header)[name]


def generate(module: str, shell: Shell, header: str) -> dict[str, str]:
    """Returns Verilog-2001 text of a core behind its ports, as ``module``, under ``header``, a comment.

    ``core.v`` is for the user, ``observed.v`` has further names for signals that have several. The text depends on the
    core's parameters and the tool versions in its header alone: no date, no path.
    """
    body, names = _converted(shell, module)
    text = header + annotated(module, shell, body[body.index("\n") + 1 :])
    return {FILE: text, OBSERVED: named(text, names)}


@cache
def _sources() -> str:
    """Hash of every source file of the package."""
    root = Path(wideblock.__file__).parent
    return name_of(hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(root.rglob("*.py")))


def _tools() -> list[str]:
    return [f"{tool} {version(tool)}" for tool in ("amaranth", "pyosys")]


def _write(folder: Path, module: str, shell: Shell, header: str) -> None:
    log.info("making the Verilog of %s, which is kept for later runs", module)
    for name, text in generate(module, shell, header).items():
        (folder / name).write_text(text)


def convert(component: wiring.Component, module: str) -> str:
    """Returns Verilog-2001 text of a component and all parts, with a top named ``module`` and ports as the members."""
    return _converted(component, module)[0]


def _converted(component: wiring.Component, module: str) -> tuple[str, str]:
    """The Verilog, and Verilog of the wires alone with every name of each signal."""
    members = ((path, Value.cast(member)) for path, _, member in component.signature.flatten(component))
    # a stream that is always ready has a constant there, which is no port
    ports = {"_".join(map(str, path)): (value, None) for path, value in members if isinstance(value, Signal)}
    with _uncollected():
        design = prepared(component, ports, module)
        text, _ = rtlil.convert_fragment(design, ports, module, emit_src=False)
    memories = blocks(design)
    with process.workspace(None) as where:
        text, shapes = shaped(unescaped(shared(driven(text))), module, memories)
        (where / "core.il").write_text(widened(text))
        yosys.run(_TO_VERILOG, where, "verilog")
        return kept_last(plain((where / FILE).read_text()), shapes), (where / "names.v").read_text()


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
