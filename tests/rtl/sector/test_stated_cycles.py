# SPDX-License-Identifier: Apache-2.0
"""Stated cycles of every family at twelve sizes around and above 4,096 bytes: they follow from a repeated state, leave
no resource more work than it can do, and are those of the simulation.
"""

from functools import cache

import numpy as np
import pytest

from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.export.contract import contract
from wideblock.rtl.flow.play import Playing, play
from wideblock.verify.sector.measure import measure

pytestmark = pytest.mark.shows("cycle-contract")

BYTES = {  # between sizes, for each block a beat or at all
    "aez-2s": (0, 32),
    "eme2-1s": (0, 8),
    "fast-horner-2s": (16, 0),
    "heh-brw-1s": (16, 0),
    "hctr2-1s": (0, 8),
    "hctr2-any": (0, 8),
    "xts-both": (0, 8),
    "xts-enc": (0, 8),
}
FLOWS = tuple(name for name in BYTES if name.endswith("s"))
LATE = 16
"""Sectors before those that are compared; each of these flows repeats a state sooner."""


@cache
def core(name, size, lanes):
    return contract(name, {"sector_bytes": size, **({"longest": 8192} if name == "hctr2-any" else of(lanes))})


def of(lanes):
    return {"width": lanes, "lanes": lanes}


def sizes(name, lanes):
    step = sum(BYTES[name]) * (lanes if BYTES[name][0] else 1)
    return [4096 + k * step for k in (-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16)]


@pytest.mark.parametrize("name", [name for name in BYTES if name != "fast-horner-2s"])
def test_no_interval_is_below_the_work(name):
    """Work of the lanes, counted by hand: calls of a sector's whole blocks, and those of one lane alone."""
    layers, alone = {"aez-2s": (2.5, 1), "eme2-1s": (2, 2), "xts-enc": (1, 1)}.get(name, (1, 0))
    for size in sizes(name, 8):
        lanes = 1 if name == "hctr2-any" else 8
        assert core(name, size, 8).timing.interval >= layers * (size // 16) / lanes + alone * (size % 16 == 0)


@pytest.mark.parametrize("name", [name for name in FLOWS if name != "fast-horner-2s"])
def test_a_state_repeats_and_there_is_room_for_its_sectors(name):
    """The rooms are those that hold no sector back: slots, and places in the queue before a back hash."""
    for size in sizes(name, 8):
        component, timing = core(name, size, 8).component, core(name, size, 8).timing
        flow, pace, slots = component.flow, component.pace, component.slots
        playing, states = Playing(flow, pace), []
        for sector in range(LATE, LATE + 4):
            playing.until(flow.enters, sector * flow[flow.enters].steps + 1)
            states.append(playing.state(sector))
        assert states == states[:1] * 4
        assert timing.interval >= flow.work
        played = play(flow, LATE + 4, pace)
        assert {*np.diff(played.opened[LATE:]), *np.diff(played.accepted()[LATE + 1 :])} == {timing.interval}
        assert max(np.subtract(played.left, played.accepted())) + 1 == timing.busy
        free = 2 + component.ahead  # cycles from a sector's last step to another one in its slot
        assert all(left + free <= opened for left, opened in zip(played.left, played.opened[slots:], strict=False))
        assert waiting(flow, played) < getattr(component, "queue_depth", 1)


def waiting(flow, played):
    """Beats, at most, that the lanes have begun and the back hash has not taken, as another one begins; 0 without."""
    if "back" not in played.steps:
        return 0
    (after,) = flow["back"].after
    lanes = flow[after.stage].steps
    beats = -(-lanes // after.per)
    begun = [at for k, at in enumerate(played.steps[after.stage]) if k % lanes % after.per == 0]
    taken = [at for k, at in enumerate(played.steps["back"]) if k % flow["back"].steps < beats]
    return max(np.arange(len(begun)) - np.searchsorted(taken, begun))


def model(name, size):
    """A core whose messages have any length is the same for each size, but for its figures: one model is for all."""
    subject = core(name, size, 1)
    if name in FLOWS:
        return SectorSimulation(subject)
    simulation = SectorSimulation(core(name, 4096, 1))
    assert text(simulation.core) == text(subject)
    simulation.core = subject
    return simulation


def text(subject):
    """The words of its Verilog, without comments and its name."""
    lines = subject.verilog.replace(subject.module, "core").splitlines()
    return "".join("".join(line.split()) for line in lines if not line.lstrip().startswith("//"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), [(name, size) for name in BYTES for size in sizes(name, 1)])
def test_measured_as_stated(name, size):
    """Of a stream also the cycles of each sector, from the first one on, are those that were played."""
    subject, n = core(name, size, 1), 2 * LATE
    rng = np.random.default_rng(size)
    with model(name, size) as simulation:
        for way, cycles in measure(subject, simulation=simulation).items():
            seen = {figure.name: getattr(cycles, figure.name) for figure in subject.timing.figures()}
            print(name, size, way, *(f"{f.name} {f.cycles}/{seen[f.name]}" for f in subject.timing.figures()))
            assert all(figure.keeps(seen[figure.name]) for figure in subject.timing.figures())
        if name in FLOWS:
            data, tweaks = (rng.integers(0, 256, (n, k), np.uint8) for k in (size, simulation.shape.tweak_bytes))
            stream = simulation.run(data, tweaks)
            played = play(subject.component.flow, n, subject.component.pace)
            begin = stream.first_in[0]
            assert (stream.first_in - begin).tolist() == played.accepted()
            assert (stream.last_out - begin - 1).tolist() == played.left
