# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The exported text of small parts: names at borders of modules, repeated bits, line lengths; and their memories."""

import re

import pytest
from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from wideblock.export.contract import contract
from wideblock.export.enclosed import ROWS
from wideblock.export.memories import memories, memory_list, memory_table
from wideblock.export.verilog import convert

from ..variants import few_of_many

pytestmark = pytest.mark.shows("lint")


class Masked(wiring.Component):
    """The bits of ``i`` in reverse order, where ``on``, from a memory that keeps them for a cycle."""

    def __init__(self):
        super().__init__({"i": In(64), "on": In(1), "o": Out(64)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.rows = rows = Memory(shape=64, depth=2, init=[])
        write, port = rows.write_port(), rows.read_port(domain="comb")
        m.d.comb += [write.data.eq(self.i[::-1]), write.en.eq(1), self.o.eq(port.data & self.on.replicate(64))]
        m.d.sync += [write.addr.eq(~write.addr), port.addr.eq(write.addr)]
        return m


class Two(wiring.Component):
    """Two parts in a row, whose ports are made of pieces of several registers."""

    def __init__(self):
        super().__init__({"i": In(64), "on": In(1), "o": Out(64)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.first = first = Masked()
        m.submodules.second = second = Masked()
        low, high = Signal(32, name="low"), Signal(32, name="high")
        m.d.sync += [low.eq(self.i[:32] + 1), high.eq(self.i[32:] ^ 5)]
        m.d.comb += [
            first.i.eq(Cat(high[:16], low, high[16:])),
            second.i.eq(Cat(first.o[32:], first.o[:32])),
            first.on.eq(self.on),
            second.on.eq(~self.on),
            self.o.eq(second.o),
        ]
        return m


@pytest.fixture(scope="module")
def text():
    return convert(Two(), "two")


def test_ports_of_parts_are_whole_and_have_their_names(text):
    parts = re.findall(r"^module two__(\w+)\(([^;]*)\);", text, re.M)
    assert [name for name, _ in parts] == ["first", "memory_2x64_1w1r_direct"]  # the second part is the same
    assert {port.strip() for port in parts[0][1].split(",")} == {"clk", "rst", "i", "on", "o"}
    assert "input [63:0] i;" in text and not re.search(r"\\\S*\$", text)
    assert ".o(first__o)" in text and ".o(o)" in text


def test_repeated_bits_are_replicated_and_lines_are_broken(text):
    assert "{64{on}}" in text and max(map(len, text.splitlines())) <= 120
    (reversal,) = re.findall(r"assign rows__write_data = \{ ([^;]*) \};", text)
    assert reversal.split() == [*(f"i[{k}]," for k in range(63)), "i[63]"]


def test_memories_are_listed(text):
    found = memories(Two())
    assert [(each.name, each.depth, each.width) for each in found] == [("first.rows", 2, 64), ("second.rows", 2, 64)]
    assert {(each.reads, each.writes, each.latency, each.contents) for each in found} == {(1, 1, 0, "written")}
    row = "| 2 | 2 | 64 | 1 | 1 | 0 | row before the write | written | any | `first.rows`, `second.rows` |\n"
    assert memory_table(found).endswith(row)


@pytest.mark.parametrize("preset", few_of_many(["xts-enc", "heh-poly", "aes-gcm"], ["aes-gcm"]))
def test_every_memory_of_the_text_is_listed(preset):
    core = contract(preset, {} if preset == "aes-gcm" else {"sector_bytes": 64})
    shapes = re.findall(r"^  reg \[(\d+):0\] \w+ \[(\d+):0\];$", core.verilog, re.M)
    listed = {(block.width - 1, block.depth - 1) for block in core.memories}
    assert {(int(width), int(depth)) for width, depth in shapes} == listed and listed
    assert [block["name"] for block in core.json()["memories"]] == [block.name for block in core.memories]
    assert not re.search(r"\$\d", core.verilog)


@pytest.mark.parametrize("preset", ["heh-poly", "aes-gcm"])
def test_the_list_names_the_module_that_has_the_rows(preset):
    core = contract(preset, {} if preset == "aes-gcm" else {"sector_bytes": 64})
    modules = {text.partition("(")[0]: text for text in core.verilog.split("\nmodule ")[1:]}
    listed = memory_list(core.memories, core.verilog, core.module)
    assert [each["name"] for each in listed] == [block.name for block in core.memories]
    for each in listed:
        arrays = re.findall(r"^  reg \[(\d+):0\] (\w+) \[(\d+):0\];$", modules[each["module"]], re.M)
        (width, name, depth), *_ = [found for found in arrays if found[1] == ROWS or each["contents"] == "constant"]
        assert (each["contents"] == "written") == (name == ROWS)
        if name == ROWS:
            assert (each["width"] - 1, each["depth"] - 1) == (int(width), int(depth)), each


@pytest.mark.parametrize("preset", few_of_many(["xts-enc", "aes-gcm"], ["aes-gcm"]))
def test_each_memory_is_an_instance_of_a_module_of_its_shape_without_contents(preset):
    core = contract(preset, {} if preset == "aes-gcm" else {"sector_bytes": 64})
    others, _, last = core.verilog.partition("\n// Memory: ")
    instances = re.findall(rf"^  {core.module}__(memory_\w+) (\w+) \($", core.verilog, re.M)
    written = [block for block in core.memories if block.contents == "written"]
    assert {name for _, name in instances} == {block.name.split(".")[-1] for block in written} and written
    for block in written:
        ports = f"{block.writes}w{block.reads}r_{'registered' if block.latency else 'direct'}"
        shapes = [shape for shape, name in instances if block.name.endswith(f".{name}")]
        assert any(shape.startswith(f"memory_{block.depth}x{block.width}_{ports}") for shape in shapes)
    modules = re.findall(r"^module (\w+)\(", last, re.M)
    assert len(set(modules)) == len(modules) and {shape for shape, _ in instances} == {
        module.removeprefix(f"{core.module}__") for module in modules
    }
    assert "initial" not in last and re.findall(r"^  reg \[\d+:0\] (\w+) \[", last, re.M) == [ROWS] * len(modules)
    tables = re.findall(r"^  reg \[\d+:0\] \w+ \[", others, re.M)
    assert len(re.findall(r"^  initial begin$", others, re.M)) == len(tables)


class Shapes(wiring.Component):
    """Memories of one shape; one has no enable of reads, one is not read at its first port, one is written in parts."""

    def __init__(self):
        super().__init__({"i": In(8), "on": In(1), "o": Out(8)})

    def elaborate(self, platform):
        m = Module()
        read = []
        for number in range(5):
            rows = Memory(shape=8, depth=4, init=[], attrs={"ram_style": "block"} if number < 2 else {})
            m.submodules[f"rows{number}"] = rows
            write = rows.write_port(granularity=4 if number == 4 else None)
            m.d.comb += [write.data.eq(self.i), write.addr.eq(self.i), write.en.eq(self.on.replicate(len(write.en)))]
            ports = [rows.read_port(domain="sync" if number < 2 else "comb") for _ in range(1 if number < 2 else 2)]
            m.d.comb += [port.addr.eq(self.i[4:]) for port in ports]
            if number == 1:
                m.d.comb += ports[0].en.eq(self.on)
            read += [ports[-1].data] if number < 3 else [port.data for port in ports]
        result = read[0]
        for other in read[1:]:
            result = result ^ other
        m.d.comb += self.o.eq(result)
        return m


def test_memories_with_other_ports_are_modules_of_their_own():
    modules = re.findall(r"^module shapes__(memory\w+)\(", convert(Shapes(), "shapes"), re.M)
    direct, registered = "memory_4x8_1w2r_direct", "memory_4x8_1w1r_registered"
    assert sorted(modules) == sorted(
        [f"{registered}_block", f"{registered}_enabled_block", direct, f"{direct}_2", f"{direct}_by4"]
    )
