# SPDX-License-Identifier: Apache-2.0
"""The checks of simultaneous accesses, compared with the model of the contract."""

from wideblock.verify.core.report import Finding, failed, passed
from wideblock.verify.engine.check import EngineCheck
from wideblock.verify.engine.firmware import RandomFirmware
from wideblock.verify.engine.offsets import Disturbances
from wideblock.verify.engine.plays import Bench, EnginePlay

__all__ = ["both_buses", "every_offset"]

CYCLES = 1200
"""Cycles in which a storm begins something."""


def both_buses(check: EngineCheck) -> Finding:
    """Random firmware on both buses, commands, self-tests, the window, units right and malformed, zeroize and reset."""
    bench, firmware = Bench(check), RandomFirmware(check)
    plays = resets = 0
    for plays in range(1, max(4, check.amount // 8) + 1):
        difference = bench.play(firmware.storm(CYCLES)) or bench.play(firmware.audit())
        if difference:
            return failed(f"{difference} This is play {plays} of random firmware on both buses.")
        if firmware.chance(30):  # cut short where it is
            cut = firmware.storm(CYCLES)
            cut.limit = check.number(1, CYCLES)
            if difference := bench.play(cut):
                return failed(f"{difference} This is the cut play after play {plays} of random firmware on both buses.")
            bench.reset()
            resets += 1
        check.progress(plays, max(4, check.amount // 8))
    return passed(f"{plays} plays, {resets} resets, {bench.tried}")


def every_offset(check: EngineCheck) -> Finding:
    """Short scripts with one disturbance each, in cycles of the script; with enough sectors in every cycle."""
    bench, firmware = Bench(check), RandomFirmware(check)
    offsets = Disturbances(bench, firmware)
    if difference := bench.play(EnginePlay()):
        return failed(difference)
    pairs = [(script, disturbance) for script in offsets.scripts for disturbance in offsets.disturbances]
    most = max(1, check.amount // 64)
    for n, (script, disturbance) in enumerate(pairs):
        length = offsets.length(script)
        moments = range(length) if most >= length else check.rng.permutation(length)[:most].tolist()
        for moment in moments:
            if difference := offsets.play(script, disturbance, moment):
                return failed(difference)
        check.progress(n + 1, len(pairs))
    return passed(f"{len(offsets.scripts)} scripts, {len(offsets.disturbances)} disturbances, {bench.tried}")
