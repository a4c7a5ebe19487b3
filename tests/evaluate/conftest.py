# SPDX-License-Identifier: Apache-2.0
"""Measured points with figures that no flow gave, to see where they end up."""

import pytest

from wideblock.evaluate import digests
from wideblock.evaluate.point import Failure, Identity, Point
from wideblock.evaluate.run import figures
from wideblock.synth.asic import PreLayoutClock
from wideblock.synth.place import ClockReport, CriticalPath
from wideblock.synth.targets import Asic, Fpga, target
from wideblock.synth.yosys import AreaReport

TOOLS = ("Yosys 0", "nextpnr 0")


def clock_of(device, mhz):
    if isinstance(device, Asic):
        return PreLayoutClock(mhz, "a", "b", 1000 / mhz, 0.1, 7)
    assert isinstance(device, Fpga)
    if device.router is None:
        return None
    return ClockReport(
        target=device.name,
        part=device.part,
        top="top",
        mhz=mhz,
        target_mhz=200,
        seed=1,
        path=CriticalPath("a", "b", 3.0, 5.1, 7),
        luts=1,
        ffs=1,
        harness_luts=0,
        harness_ffs=0,
        utilisation={},
        tools=TOOLS,
        command="",
    )


@pytest.fixture
def measurement(monkeypatch):
    """A point: preset and target; seed, clock and more may be said. ``failed`` is a reason in place of figures.

    Of today's circuit, unless ``circuit`` says another digest than "today".
    """
    monkeypatch.setattr(digests, "today", lambda name: "today")

    def make(
        name,
        where="xc7",
        *,
        seed=1,
        mhz=123.4,
        changed=None,
        lcs=12345,
        block_rams=7.5,
        bytes=4096,
        interval=129,
        latency=400,
        failed=None,
        **identity,
    ):
        device = target(where)
        area = AreaReport(
            target=where,
            top="top",
            lcs=lcs if where.startswith("xc") else None,
            kge=70.25 if isinstance(device, Asic) else None,
            luts=23456,
            ffs=3456,
            block_rams=block_rams,
            cells={"X": 3},
            tool="Yosys 0",
            command="",
        )
        clock = clock_of(device, mhz)
        known = {
            "preset": name,
            "changed": changed or {},
            "parameters": {"lanes": 2},
            "target": where,
            "options": (),
            "seed": seed if isinstance(clock, ClockReport) else None,
            "aim_mhz": 200.0 if clock else None,
            "tools": TOOLS[: 2 if clock else 1],
            "version": "0",
            "commit": None,
            "circuit": "today",
        }
        found = figures(device, area, clock, bytes=bytes, interval=interval, latency=latency)
        failure = Failure(failed, "line\nline\n") if failed else None
        return Point(Identity(**(known | identity)), None if failure else found, failure)

    return make
