# SPDX-License-Identifier: Apache-2.0
"""Every S-box, proved equal to the specification's, which derives it on its own."""

import re

import pytest
from amaranth import Const, Module, Signal
from amaranth.back import rtlil
from pyosys import libyosys

from wideblock.rtl.aes.forms import GATES, KINDS
from wideblock.rtl.aes.gf256 import table
from wideblock.rtl.aes.planes import from_planes, named, to_planes
from wideblock.rtl.aes.sbox import inv_sub_bytes, sbox_steps, sub_bytes
from wideblock.spec.aes import INV_SBOX, SBOX

from ..simulated import Simulator

pytestmark = pytest.mark.shows("aes-cores")

FORMS = [(sub_bytes, SBOX), (inv_sub_bytes, INV_SBOX)]


def proved(folder, build, reference, delay=0):
    """True if the byte that ``build`` makes of any byte is the one in ``reference``, ``delay`` cycles later."""
    m = Module()
    x, expected, equal = Signal(8), Signal(8, reset_less=True), Signal()
    y = build(m, x)
    with m.Switch(x):
        for value, image in enumerate(reference):
            with m.Case(value):
                m.d["sync" if delay else "comb"] += expected.eq(image)
    m.d.comb += equal.eq(y == expected)
    (folder / "miter.il").write_text(rtlil.convert(m, ports=[x, equal], name="miter", emit_src=False))
    design = libyosys.Design()
    for command in (
        f"read_rtlil {folder}/miter.il",
        "hierarchy -top miter",
        "proc",
        "flatten",
        "memory",
        "opt_clean",
        "async2sync",
    ):
        libyosys.run_pass(f"tee -q -o {folder}/log {command}", design)
    # A ROM has no state but the byte it read last: a step from any state to the next is all there is to prove.
    sat = f"sat -seq {1 + delay} -prove-skip {delay} -prove equal 1 miter"
    libyosys.run_pass(f"tee -q -o {folder}/log {sat}", design)
    log = (folder / "log").read_text()
    success, failure = "no model found: SUCCESS!" in log, "model found: FAIL!" in log
    assert success != failure, log[-2000:]
    return success


@pytest.mark.parametrize("form", FORMS, ids=["forward", "inverse"])
@pytest.mark.parametrize("kind", KINDS)
def test_is_the_specification(tmp_path, kind, form):
    layer, reference = form
    assert proved(tmp_path, lambda m, x: layer(m, x, kind, "sb"), reference, delay=int(kind == "bram"))


def stepped(steps, **beside):
    """What builds a byte's image from steps, with planes beside it."""

    def build(m, x):
        live = {"s": to_planes(x)} | beside
        for i, step in enumerate(steps):
            live = step.apply(m, live, f"h{i}")
        return from_planes(live["s"])

    return build


@pytest.mark.parametrize("form", FORMS, ids=["forward", "inverse"])
def test_table_in_halves_is_the_specification(tmp_path, form):
    layer, reference = form
    assert proved(tmp_path, stepped(sbox_steps("lut", layer is inv_sub_bytes, halves=True)), reference)


@pytest.mark.parametrize("way, reference", [(0, SBOX), (1, INV_SBOX)], ids=["forward", "inverse"])
@pytest.mark.parametrize("kind", GATES)
def test_either_way_is_the_specification(tmp_path, kind, way, reference):
    assert proved(tmp_path, stepped(sbox_steps(kind, None), way=[Const(way, 1)]), reference)
    assert not proved(tmp_path, stepped(sbox_steps(kind, None), way=[Const(1 - way, 1)]), reference)


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_entry_is_found(tmp_path, kind):
    wrong = list(SBOX)
    wrong[0xB7] ^= 0x10
    assert not proved(tmp_path, lambda m, x: sub_bytes(m, x, kind, "sb"), wrong, delay=int(kind == "bram"))


def test_table():
    assert bytes(table()) == bytes(SBOX) and bytes(table(inverse=True)) == bytes(INV_SBOX)


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("size", [1, 4, 16])
def test_bytes_keep_their_places(kind, size):
    m = Module()
    x, y = Signal(8 * size), Signal(8 * size)
    m.d.comb += y.eq(sub_bytes(m, x, kind, "sb"))
    block = bytes(range(7, 7 + size))

    async def check(ctx):
        ctx.set(x, int.from_bytes(block, "little"))
        assert ctx.get(y).to_bytes(size, "little") == bytes(SBOX[b] for b in block)

    sim = Simulator(m)
    sim.add_testbench(check)
    sim.run()


@pytest.mark.parametrize("inverse", [False, True])
def test_composite_cost(inverse):
    """At most 36 AND and 115 XOR a byte: one operation a gate, over all bytes."""
    m = Module()
    x, y = Signal(128), Signal(128)
    live = {"s": [named(m, f"x{b}", plane) for b, plane in enumerate(to_planes(x))]}
    for i, step in enumerate(sbox_steps("composite", inverse)):
        out = step.apply(m, live, f"c{i}")
        live = {k: [named(m, f"c{i}{k}{b}", p) for b, p in enumerate(planes)] for k, planes in out.items()}
    m.d.comb += y.eq(from_planes(live["s"]))
    text = rtlil.convert(m, ports=[x, y], emit_src=False)
    assert 35 <= len(re.findall(r"cell \$and", text)) <= 36 and len(re.findall(r"cell \$xor", text)) <= 115


@pytest.mark.parametrize("bad, message", [("table", "'table'"), ("", "''")])
def test_unknown_kind(bad, message):
    with pytest.raises(ValueError, match=message):
        sub_bytes(Module(), Signal(8), bad, "sb")


def test_state_of_part_of_a_byte():
    with pytest.raises(ValueError, match="12"):
        sub_bytes(Module(), Signal(12), "lut", "sb")
