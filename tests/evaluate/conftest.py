# SPDX-License-Identifier: Apache-2.0
"""A measured result with figures that no flow gave, to see where they end up."""

import pytest

from wideblock.evaluate.result import result
from wideblock.synth.place import ClockReport, CriticalPath
from wideblock.synth.targets import target
from wideblock.synth.yosys import AreaReport


@pytest.fixture
def measurement():
    def make(name, where="xc7"):
        device = target(where)
        area = AreaReport(
            target=where, top="top", lcs=12345 if where.startswith("xc") else None, luts=23456, ffs=3456, wide_muxes=0,
            lutram=0, shift_registers=0, block_rams=7.5, dsps=0, cells={}, tool="Yosys 0", command="",
        )  # fmt: skip
        clock = None
        if device.places:
            clock = ClockReport(
                target=where, part=device.part, top="top", mhz=123.4, target_mhz=200, seed=1,
                path=CriticalPath("a", "b", 3.0, 5.1, 7), luts=1, ffs=1, harness_luts=0, harness_ffs=0,
                utilisation={}, tools=("Yosys 0", "nextpnr 0"), command="",
            )  # fmt: skip
        return result(name, device, area, clock, bytes=4096, interval=129)

    return make
