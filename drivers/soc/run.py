# SPDX-License-Identifier: Apache-2.0
"""Builds the example SoC in a folder, with the firmware, and runs it: ``run.py FOLDER --litex PYTHON``.

The steps: the engine's Verilog and C header; known answers by the specification; the SoC by LiteX, which has a Python
of its own; the firmware; the model by Verilator; the run. Exit status: 0 if the firmware ends with PASS, 1 if not,
2 if a tool is missing or fails.
"""

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from known_answers import known_answers

from wideblock.api import ConfiguredCore, UserError, preset
from wideblock.export.registers import register_files
from wideblock.simulation.verilator import BuildError, build

HERE = Path(__file__).parent
PREFIX = "riscv64-unknown-elf-"
WORD = 4
MOST_CYCLES = 20_000_000
CODES = {0: f"no result after {MOST_CYCLES} cycles", 1: "PASS", 2: "FAIL", 3: "FAIL, a trap"}
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wstrict-prototypes", "-pedantic")
TARGET = ("-march=rv32im_zicsr", "-mabi=ilp32", "-mstrict-align", "-std=c11", "-ffreestanding", "-nostdlib", "-Os")
PUT = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint32)


class ToolError(Exception):
    """A tool that is missing or has failed; the text is for the user."""


def describe(core: ConfiguredCore, folder: Path) -> tuple[str, list[Path]]:
    """Writes what the other steps read about the engine; returns its Verilog and the sources of its drivers."""
    ports = {port.name: (port.direction, port.width) for port in core.contract.ports}
    (folder / "engine.json").write_text(json.dumps({"module": core.name, "ports": ports}))
    files = {folder / name: text for name, text in register_files(core.name, core.contract.registers).items()}
    for path, text in files.items():
        path.write_text(text)
    engine = next(each for each in core.contract.registers if each.name == "ENGINE")
    window = engine.register("WINDOW_DATA_IN").bytes
    (folder / "known_answers.h").write_text(known_answers(core, window))
    verilog = core.verilog()
    (folder / f"{core.name}.v").write_text(verilog)
    return verilog, [path for path in files if path.suffix == ".c"]


def firmware(name: str, folder: Path, drivers: list[Path]) -> int:
    """Compiles the firmware with ``drivers`` into the file that fills the ROM; returns its size in bytes."""
    sources = [*sorted((HERE / "firmware").glob("*.[cS]")), *drivers]
    places = [f"-I{folder}", f"-I{HERE / 'firmware'}", f"-L{folder}"]
    regs = f'-DWIDEBLOCK_ENGINE_REGS="{name}_regs.h"'
    script = ["-T", HERE / "firmware" / "sections.ld", "-Wl,--fatal-warnings", "-Wl,--no-warn-rwx-segments"]
    elf, binary = folder / "firmware.elf", folder / "firmware.bin"
    run([f"{PREFIX}gcc", *TARGET, *WARNINGS, regs, *places, *script, *sources, "-lgcc", "-o", elf])
    run([f"{PREFIX}objcopy", "-O", "binary", elf, binary])
    image = binary.read_bytes()
    image += bytes(-len(image) % WORD)
    words = (int.from_bytes(image[at : at + WORD], "little") for at in range(0, len(image), WORD))
    (folder / "soc_rom.init").write_text("".join(f"{word:08x}\n" for word in words))
    return len(image)


def simulate(folder: Path, verilog: str) -> int:
    """Runs the SoC; prints the firmware's lines, each with the cycle of its end. Returns the firmware's result."""
    bench = {"bench.cpp": (HERE / "bench.cpp").read_text()}
    model = build([verilog, (folder / "soc.v").read_text()], "soc", bench)
    model.soc_run.argtypes, model.soc_run.restype = [ctypes.c_uint64, PUT], ctypes.c_uint32
    line: list[str] = []

    def put(cycle: int, character: int) -> None:
        line.append(chr(character))
        if line[-1] == "\n":
            print(f"{cycle:>10}  {''.join(line)}", end="", flush=True)
            line.clear()

    os.chdir(folder)  # the model reads the files that fill its memories from here
    return model.soc_run(MOST_CYCLES, PUT(put))


def run(command: list) -> None:
    """Runs a tool. Raises ToolError with what it says."""
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace")
    if result.returncode:
        raise ToolError(f"{Path(command[0]).name} has failed:\n{result.stderr or result.stdout}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--litex", type=Path, required=True, help="Python that has LiteX")
    parser.add_argument("--core", default="xts-both-k", help="preset with key slots")
    parser.add_argument("--slots", type=int, default=16)
    parser.add_argument("--sector-bytes", type=int, help="bytes of a sector; default: those of the preset")
    parser.add_argument("--dma", action="store_true", help="a master of AXI4 in the place of the streams")
    options = parser.parse_args()
    folder = options.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    try:
        if not shutil.which(f"{PREFIX}gcc"):
            raise ToolError(f"{PREFIX}gcc is not on PATH; Debian has it in package gcc-riscv64-unknown-elf")
        sizes = {"sector_bytes": options.sector_bytes} if options.sector_bytes else {}
        master = {"dma": "axi4"} if options.dma else {}
        core = preset(options.core).changed(registers="axi4-lite", slots=options.slots, **sizes, **master)
        verilog, drivers = describe(core, folder)
        run([options.litex, HERE / "soc.py", folder])
        size = firmware(core.name, folder, drivers)
        print(f"{core.name}, firmware of {size} bytes; cycle and line:", flush=True)
        result = simulate(folder, verilog)
    except (ToolError, UserError, BuildError) as error:
        print(f"soc: {error}", file=sys.stderr)
        return 2
    print(f"{CODES.get(result, result)}, {time.monotonic() - began:.0f} s")
    return int(result != 1)


if __name__ == "__main__":
    sys.exit(main())
