# SPDX-License-Identifier: Apache-2.0
"""Precompiled headers for the models of tests: a small model's own code compiles faster than the runtime's headers."""

import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from wideblock.cache import cache_directory, cached, name_of
from wideblock.simulation.commands import compiler
from wideblock.simulation.verilator import Options

__all__ = ["LEVELS", "precompile"]

TEXT = "".join(f"#include <{name}>\n" for name in ("verilated.h", "algorithm", "memory", "string", "vector"))
LEVELS = ("O0", "O1")


def precompile() -> None:
    """Has g++ on Linux compile each model of this process behind the headers, which are made with the first model.

    g++ reads the text where a model's macros or level are others. Other compilers have nothing before a model.
    """
    flags = Options.compile.fget
    made_of = [sys.platform, metadata.version("verilator"), TEXT, *LEVELS, *flags(Options())]
    folder = cache_directory() / "headers" / f"{name_of(made_of)}.h.gch"  # g++ takes the file in it that fits

    @cache
    def header() -> Path:
        text = folder.with_suffix("")

        def make(made: Path) -> None:
            text.write_text(TEXT)
            for level in LEVELS:
                command = ["g++", *flags(Options()), f"-{level}", "-x", "c++-header", text, "-o", made / level]
                subprocess.run(command, check=True)

        cached(folder, make)
        return text

    def both(options: Options) -> tuple[str, ...]:
        there = sys.platform == "linux" and compiler() == "g++"
        return (*flags(options), *(("-include", str(header())) if there else ()))

    Options.compile = property(both)
