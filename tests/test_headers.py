# SPDX-License-Identifier: Apache-2.0
"""Models of tests are compiled behind headers that g++ has read before, at each level."""

import os
import subprocess
import sys

import pytest

from wideblock.simulation.commands import compiler
from wideblock.simulation.verilator import Options

from .headers import LEVELS


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("options", [Options(), Options(savable=True)], ids=str)
def test_headers_are_precompiled(options, level):
    if sys.platform != "linux" or compiler() != "g++":
        assert "-include" not in options.compile
    else:
        command = ["g++", *options.compile, *options.macros, f"-{level}", "-H", "-fsyntax-only", "-x", "c++"]
        read = subprocess.run([*command, os.devnull], capture_output=True, text=True, check=True).stderr.splitlines()
        assert any(line.startswith("! ") and line.endswith(f".h.gch/{level}") for line in read)
