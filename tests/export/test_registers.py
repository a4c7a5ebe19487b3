# SPDX-License-Identifier: Apache-2.0
"""C header, SystemRDL and IP-XACT agree with the register maps, as tools that others wrote read them."""

import json
import re
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from amaranth.lib import wiring
from peakrdl_ipxact import IPXACTImporter
from systemrdl import RDLCompiler
from systemrdl.node import AddressableNode
from systemrdl.rdltypes import AccessType, OnWriteType

from wideblock.export import sector
from wideblock.export.annotations import annotated, interfaces
from wideblock.export.contract import contract
from wideblock.export.header import PREFIX, c_header
from wideblock.export.ipxact import SPIRIT, ipxact, memory_maps
from wideblock.export.registers import register_files, register_tables
from wideblock.export.systemrdl import systemrdl
from wideblock.rtl.bus.axi_lite import axi_lite_channels
from wideblock.rtl.bus.engine_facts import EngineFacts
from wideblock.rtl.bus.engine_map import engine_map
from wideblock.rtl.bus.key_map import KEY_MAP
from wideblock.rtl.bus.registers import Access, Register, RegisterField, RegisterMap
from wideblock.rtl.shell.axi_stream import AxiStreamShell
from wideblock.rtl.stream.behaviour import Cause, Fault
from wideblock.rtl.stream.interface import Control, Interface
from wideblock.simulation.commands import compiler

pytestmark = pytest.mark.shows("register-exports")

FAULTS = (Fault(Cause.SHORT, "too short & odd"), Fault(Cause.KEEP, 'a "hole"'))
ENGINE = engine_map(EngineFacts("toy", 256, 256, 2, 4096, (False, True), 16, 512, FAULTS))
MAPS = (KEY_MAP, ENGINE)
NAME = "toy_core"
RISCV = "riscv64-unknown-elf-gcc"

View = dict[tuple[str, ...], tuple[Any, ...]]
"""Registers by map and name: offset, number, reset. Fields by map, register and name: low, bits, access, values."""


def described(maps) -> View:
    """The view of the maps themselves."""
    found: View = {}
    for each in maps:
        for register in each.registers:
            found[each.name, register.name] = (register.offset, register.count, register.reset)
            for field in register.fields:
                values = {value.name: value.value for value in field.values}
                found[each.name, register.name, field.name] = (field.low, field.bits, field.access.name, values)
    return found


def of_header(text: str, maps) -> View:
    """The view of a C header; the names are those of the maps, since an underscore is in them and between them."""
    defined = {name: int(value.rstrip("u"), 0) for name, value in re.findall(r"^#define (\w+) (\w+)$", text, re.M)}
    access = {name: kind for kind, name in re.findall(r"/\* (\w+): [^\n]* \*/\n#define (\w+)_SHIFT", text)}
    enums = {
        name.upper(): {
            value.removeprefix(f"{name.upper()}_"): int(number)
            for value, number in re.findall(r"^  (\w+) = (\d+),", body, re.M)
        }
        for name, body in re.findall(r"^enum (\w+) \{\n(.*?)^\};", text, re.M | re.S)
    }
    found: View = {}
    for each in maps:
        for register in each.registers:
            name = f"{PREFIX}_{each.name}_{register.name}"
            found[each.name, register.name] = tuple(defined[f"{name}_{what}"] for what in ("OFFSET", "COUNT", "RESET"))
            for field in register.fields:
                inner = f"{name}_{field.name}"
                mask, low = defined[f"{inner}_MASK"], defined[f"{inner}_SHIFT"]
                bits = (mask >> low).bit_length()
                assert mask == ((1 << bits) - 1) << low
                found[each.name, register.name, field.name] = (low, bits, access[inner], enums.get(inner, {}))
    assert len(access) == sum(len(key) == 3 for key in found)  # no field more
    return found


def of_rdl(path, names) -> View:
    """The view of a SystemRDL file."""
    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    return of_compiled((name, compiler.elaborate(f"{NAME}_{name.lower()}").top) for name in names)


def of_imported(path, buses) -> View:
    """The view of an IP-XACT file, as the importer of PeakRDL reads it: a map for each bus interface."""
    compiler = RDLCompiler()
    IPXACTImporter(compiler).import_file(str(path))
    maps = [compiler.elaborate(f"{NAME}__{bus}").top for bus in buses]
    return of_compiled((each.inst_name, each) for top in maps for each in top.children())


def of_compiled(maps) -> View:
    """The view of the register maps that the compiler of SystemRDL has, by their names."""
    found: View = {}
    for name, top in maps:
        assert isinstance(top, AddressableNode)
        for register in top.registers(unroll=False):
            count = register.array_dimensions[0] if register.array_dimensions else 1
            assert not register.array_dimensions or register.array_stride == 4
            fields, reset = list(register.fields()), 0
            for field in fields:
                value = field.get_property("reset")
                assert isinstance(value, int)
                reset |= value << field.low
                encode = field.get_property("encode")
                values = {member.name: member.value for member in encode} if encode else {}
                found[name, register.inst_name, field.inst_name] = (field.low, field.width, _access(field), values)
            found[name, register.inst_name] = (register.raw_address_offset, count, reset)
    return found


def _access(field) -> str:
    """Access of a SystemRDL field, in the terms of the maps."""
    software, written = field.get_property("sw"), field.get_property("onwrite")
    plain = {AccessType.r: "RO", AccessType.rw: "RW", AccessType.w: "WO"}[software]
    if written is not None:
        assert plain == "RW"
        return {OnWriteType.woclr: "W1C", OnWriteType.woset: "W1S"}[written]
    return "W1P" if field.get_property("singlepulse") else plain


def of_ipxact(text: str) -> View:
    """The view of IP-XACT memory maps."""
    space = {"s": SPIRIT}
    root = ET.fromstring(text)
    found: View = {}

    def number(node, tag, default=None):
        value = node.findtext(f"s:{tag}", default, space)
        return int(value, 0)

    for block in root.iterfind(".//s:addressBlock", space):
        name = block.findtext("s:name", None, space)
        assert number(block, "width") == 32 and number(block, "range") >= 4096
        for register in block.iterfind("s:register", space):
            place = (name, register.findtext("s:name", None, space))
            assert number(register, "size") == 32
            reset = number(register.find("s:reset", space), "value")
            found[place] = (number(register, "addressOffset"), number(register, "dim", "1"), reset)
            for field in register.iterfind("s:field", space):
                access = {"read-only": "RO", "read-write": "RW", "write-only": "WO"}[
                    field.findtext("s:access", None, space)
                ]
                written = field.findtext("s:modifiedWriteValue", "", space)
                special = {("RW", "oneToClear"): "W1C", ("RW", "oneToSet"): "W1S"}
                values = {
                    value.findtext("s:name", None, space): number(value, "value")
                    for value in field.iterfind("s:enumeratedValues/s:enumeratedValue", space)
                }
                found[(*place, field.findtext("s:name", None, space))] = (
                    *(number(field, tag) for tag in ("bitOffset", "bitWidth")),
                    special[access, written] if written else access,
                    values,
                )
    return found


def in_ipxact(view: View) -> View:
    """A view of which IP-XACT has all but one thing: that a 1 in a field that is write only starts an action."""
    return {key: tuple("WO" if part == "W1P" else part for part in value) for key, value in view.items()}


def xml(maps) -> str:
    return f'<a xmlns:spirit="{SPIRIT}">{memory_maps({each.channel or "main": each for each in maps})}</a>'


def views(tmp_path, maps=MAPS) -> dict[str, View]:
    """The view of each export of ``maps``."""
    path = tmp_path / f"{NAME}.rdl"
    path.write_text(systemrdl(NAME, maps))
    return {
        "header": of_header(c_header(NAME, maps), maps),
        "SystemRDL": of_rdl(path, [each.name for each in maps]),
        "IP-XACT": of_ipxact(xml(maps)),
    }


def test_every_export_has_every_register_field_access_reset_and_value(tmp_path):
    right = described(MAPS)
    assert {access for key, (_, _, access, *_) in right.items() if len(key) == 3} == {a.name for a in Access}
    for name, view in views(tmp_path).items():
        assert view == (in_ipxact(right) if name == "IP-XACT" else right), name


def test_every_export_has_the_registers_and_the_bus_of_a_master(tmp_path):
    core = contract("xts-enc-k", {"slots": 4, "registers": "axi4-lite", "dma": "axi4"})
    right, text = described(core.registers), ipxact(core)
    assert [each.name for each in core.registers] == ["KEY", "ENGINE", "DMA"]
    for name, view in views(tmp_path, core.registers).items():
        assert view == (in_ipxact(right) if name == "IP-XACT" else right), name
    assert of_ipxact(text) == in_ipxact(right)
    space = {"s": SPIRIT}
    buses = {n[0].text: n for n in ET.fromstring(text).iterfind("s:busInterfaces/s:busInterface", space)}
    assert buses["m_axi"].find("s:master/s:addressSpaceRef", space) is not None
    assert all(buses[name].find("s:slave", space) is not None for name in ("s_axi", "s_axi_key", "s_axi_dma"))


FLAWS = {
    "offset": lambda m: _with(m, "CTRL", offset=0x84),
    "count": lambda m: _with(m, "METD_REST", count=3),
    "low": lambda m: _with_field(m, "CTRL", "CMD", low=3),
    "bits": lambda m: _with_field(m, "CTRL", "RDY", low=30, bits=2),
    "access": lambda m: _with_field(m, "CTRL", "DONE", access=Access.RW),
    "write only": lambda m: _with_field(m, "MEK", "WORD", access=Access.RO),
    "started": lambda m: _with_field(m, "CTRL", "EXE", access=Access.W1P),
    "set": lambda m: _with_field(m, "CTRL", "EXE", access=Access.W1S),
    "reset": lambda m: _with_field(m, "CTRL", "RDY", reset=1),
    "value": lambda m: _with_field(m, "CTRL", "ERR", values=m.register("CTRL").field("ERR").values[:-1]),
}


def _with(m, register, **changes):
    return replace(m, registers=tuple(replace(r, **changes) if r.name == register else r for r in m.registers))


def _with_field(m, register, field, **changes):
    fields = tuple(replace(f, **changes) if f.name == field else f for f in m.register(register).fields)
    return _with(m, register, fields=fields)


@pytest.mark.parametrize("name", FLAWS)
def test_a_flaw_of_a_description_shows_in_every_export(name, tmp_path):
    """Each export of a map with a flaw differs from the description without it."""
    right = described((KEY_MAP,))
    for export, view in views(tmp_path, (FLAWS[name](KEY_MAP),)).items():
        assert view != (in_ipxact(right) if export == "IP-XACT" else right), export


@pytest.mark.parametrize(
    "command, language",
    [
        ([], "c11"),
        ([], "c++17"),
        pytest.param([RISCV, "-march=rv32i", "-mabi=ilp32", "-ffreestanding"], "c11", marks=pytest.mark.wants(RISCV)),
    ],
)
def test_header_compiles(command, language, tmp_path):
    """Under every warning; and the compiler's values of the constants are those of the maps."""
    (tmp_path / f"{NAME}_regs.h").write_text(register_files(NAME, MAPS)[f"{NAME}_regs.h"])
    word = "_Static_assert" if language == "c11" else "static_assert"
    checks = "".join(
        f'{word}({PREFIX}_{each.name}_{r.name}_{what} == {value:#x}u, "");\n'
        for each in MAPS
        for r in each.registers
        for what, value in (("OFFSET", r.offset), ("RESET", r.reset), *((f"{f.name}_MASK", f.mask) for f in r.fields))
    )
    source = tmp_path / ("a.c" if language == "c11" else "a.cpp")
    source.write_text(f'#include "{NAME}_regs.h"\n#include "{NAME}_regs.h"\n{checks}int used;\n')
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", f"-std={language}", "-c", "-o", tmp_path / "a.o"]
    command = command or [compiler(), "-x", language.rstrip("0123456789")]
    result = subprocess.run([*command, *flags, source], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_names_that_a_header_would_have_twice():
    bit = RegisterField("OFFSET", 0, 1, Access.RW, "a bit")
    maps = (
        RegisterMap(
            "M",
            "",
            (
                Register("A", 0, "", (replace(bit, name="B"),)),
                Register("A_B", 4, "", (bit,)),
                Register("A_B_SHIFT", 8, "", (bit,)),
            ),
        ),
        RegisterMap("M_A", "", (Register("B", 0, "", (bit,)),)),
    )
    with pytest.raises(ValueError, match="the registers give the name WIDEBLOCK_M_A_B_COUNT twice"):
        c_header(NAME, maps)


def test_tables_of_documents_have_every_register_and_field():
    text = register_tables(MAPS)
    for each in MAPS:
        for register in each.registers:
            assert f"`{register.name}`" in text
            for field in register.fields:
                assert re.search(
                    rf"^\| `{register.name}` \| `{field.name}` \| [\d.]+ \| {field.access.name} \|", text, re.M
                )
    assert register_files(NAME, ()) == {} and register_tables(()) == ""


def test_tables_show_each_constant_as_a_number():
    shown = re.findall(r"; the constant (\w+)", register_tables(MAPS))
    constants = [field.reset for each in MAPS for r in each.registers for field in r.fields if field.constant]
    assert [int(word, 0) for word in shown] == constants


class Registered(wiring.Component):
    """Ports of a core with two buses of registers and a stream, without function."""

    timing = None

    def __init__(self):
        own = contract("xts-2-k").interface
        buses = [c for each in MAPS for c in axi_lite_channels(each.channel, each.address_bits)]
        irq = Control("irq", wiring.Out, 1, "an event", pulse=False, interrupt=True)
        self.interface = Interface((*own.channels[:2], *buses), (*own.controls, irq))
        super().__init__(self.interface.members())


@dataclass
class Toy:
    """A contract with registers, as far as IP-XACT asks for it."""

    shell: AxiStreamShell
    registers: tuple[RegisterMap, ...]
    module = NAME
    summary = "toy"
    kind = contract("xts-2-k").kind

    @property
    def ports(self):
        return self.shell.ports


def test_buses_of_registers_are_axi4_lite_with_their_memory_maps(tmp_path):
    shell = AxiStreamShell(Registered())
    names = {port.name: (port.direction, port.width) for port in shell.ports}
    assert names["s_axi_awaddr"] == ("input", ENGINE.address_bits) and names["s_axi_awprot"] == ("input", 3)
    assert names["s_axi_key_araddr"] == ("input", 8) and names["s_axi_key_rdata"] == ("output", 32)
    assert names["s_axi_wstrb"] == ("input", 4) and names["s_axi_bresp"] == ("output", 2)
    assert all(names[f"s_axi_{c}valid"] == ("input", 1) for c in ("aw", "w", "ar"))
    buses = {bus.name: bus for bus in interfaces(shell)}
    assert list(buses) == ["s_axis", "m_axis", "s_axi_key", "s_axi"]
    assert [bus.slave for bus in buses.values()] == [True, False, True, True]
    assert set(buses["s_axi"].ports) == {
        *("AWADDR", "AWPROT", "AWVALID", "AWREADY", "WDATA", "WSTRB", "WVALID", "WREADY", "BRESP", "BVALID", "BREADY"),
        *("ARADDR", "ARPROT", "ARVALID", "ARREADY", "RDATA", "RRESP", "RVALID", "RREADY"),
    }
    text = ipxact(Toy(shell, MAPS))
    assert of_ipxact(text) == in_ipxact(described(MAPS))
    (tmp_path / "component.xml").write_text(text)
    assert of_imported(tmp_path / "component.xml", ("s_axi_key", "s_axi")) == of_ipxact(text)
    space = {"s": SPIRIT}
    root = ET.fromstring(text)
    for bus, registers in (("s_axi_key", "KEY"), ("s_axi", "ENGINE")):
        (found,) = (n for n in root.iterfind("s:busInterfaces/s:busInterface", space) if n[0].text == bus)
        reference = found.find("s:slave/s:memoryMapRef", space)
        assert reference is not None and reference.get(f"{{{SPIRIT}}}memoryMapRef") == bus
        (memory,) = (n for n in root.iterfind("s:memoryMaps/s:memoryMap", space) if n[0].text == bus)
        assert memory.findtext("s:addressBlock/s:name", None, space) == registers
    (irq,) = (n for n in root.iterfind("s:busInterfaces/s:busInterface", space) if n[0].text == "irq")
    assert irq.find("s:master", space) is not None and [each.get(f"{{{SPIRIT}}}name") for each in irq[1:3]] == [
        "interrupt",
        "interrupt_rtl",
    ]
    assert contract("xts-2-k").registers == () and "memoryMap" not in ipxact(contract("xts-2-k"))


def test_vivado_knows_the_buses_by_their_attributes():
    shell = AxiStreamShell(Registered())
    ports = "".join(f"  {p.direction} {f'[{p.width - 1}:0] ' if p.width > 1 else ''}{p.name};\n" for p in shell.ports)
    text = annotated("toy", shell, f"module toy(\n);\n{ports}\nendmodule\n")
    assert "ASSOCIATED_BUSIF s_axis:m_axis:s_axi_key:s_axi," in text
    assert text.count("xilinx.com:interface:aximm:1.0 s_axi ") == text.count("aximm:1.0 s_axi_key ") == 19
    assert '(* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 irq INTERRUPT" *)' in text
    assert '(* X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)' in text
    assert text.count("XIL_INTERFACENAME s_axi, PROTOCOL AXI4LITE") == 1


def test_every_file_of_an_engine_says_which_half_of_mek_is_key1():
    """So does the driver; the driver comes with the files, and the datasheet has the steps of a load in its order."""
    core = contract("xts-both-k", {"registers": "axi4-lite", "header": True, "slots": 4, "sector_bytes": 64})
    files = register_files(core.module, core.registers)
    assert files.keys() == {
        f"{core.module}_regs.h",
        f"{core.module}.rdl",
        "wideblock_engine.c",
        "wideblock_engine.h",
    }
    sheet = sector.datasheet(core)
    files |= {"component.xml": ipxact(core), "sheet": sheet, "info": json.dumps(core.json()["registers"])}
    del files["wideblock_engine.c"]
    said = {
        name: " ".join(text.replace(" * ", " ").split()).count("Key1 for the data, then Key2 for the tweak")
        for name, text in files.items()
    }
    assert all(said.values()), said
    pages = Path(__file__).parents[2] / "docs"
    assert all("Key1" in (pages / page).read_text() for page in ("registers.md", "driver.md"))
    assert "Key2 for the tweak: bytes 0 to 31, 32 to 63. " in files[f"{core.module}_regs.h"]
    load = sheet[sheet.index("### Load of a key") :]
    places = [load.index(word) for word in ("RDY", "METD", "AUX_MODE", "MEK", "00000005h", "DONE is 1. ERR")]
    assert places == sorted(places)


def test_mek_has_the_words_of_a_scheme_in_order():
    eme2 = contract("eme2-2s-k", {"registers": "axi4-lite", "slots": 4, "sector_bytes": 128})
    words = (
        "K_AD for the tweak, then K_ECB for the blocks' offsets, then K_AES for AES: bytes 0 to 15, 16 to 31, 32 to 47."
    )
    assert words in eme2.registers[0].register("MEK").text


def test_a_request_before_the_data_is_told_by_bits_and_beats():
    sheets = [
        sector.datasheet(contract("xts-4-k", {"header": True, "sector_bytes": 64, "slots": 4} | changes))
        for changes in ({}, {"width": 1, "lanes": 1})
    ]
    assert "- The first beat of a packet is the request" in sheets[0] and "of a beat, with its request R" in sheets[0]
    assert "- The first 2 beats of a packet are the request" in sheets[1]
    for sheet in sheets:
        assert "decrypt in bit 0 of byte 18" in sheet and "slot of its key in its request." in sheet
        assert "--set header=true" in sheet and "True" not in sheet
        assert not re.search(r"\w\(s\)|\b1 (beats|blocks|cycles)\b", sheet)
