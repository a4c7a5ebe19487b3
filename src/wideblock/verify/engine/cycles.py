# SPDX-License-Identifier: Apache-2.0
"""Measured cycles of an engine: of the stream under changing slots, and of commands."""

from dataclasses import replace

from wideblock.drive.sector.traffic import SectorRecord
from wideblock.simulation.script import Script
from wideblock.verify.core.report import Finding, failed, passed
from wideblock.verify.engine.check import EngineCheck
from wideblock.verify.sector.measure import until_steady

__all__ = ["cycle_contract"]


def cycle_contract(check: EngineCheck) -> Finding:
    """Interval and latency with another slot each sector; commands, window, clearing and self-test, as stated."""
    t, seen = check.subject.timing, dict[str, int]()
    core = check.simulation
    core.reset()
    begin = core.cycle
    core.until("STATUS", "CLEARING", 0, t.zeroize + 8)
    core.until("SELFTEST", "DONE", 1, t.selftest + 64)
    seen["selftest"] = core.cycle - begin - _POLL
    check.slots_now = {}
    used = check.fill(4)
    size = check.behaviour.usual
    for way in check.behaviour.directions:

        def stream(units: int, *, way: bool = way) -> SectorRecord:
            requests = (check.usual(size, way) for _ in range(units))
            return check.stream([replace(each, slot=used[n % len(used)]) for n, each in enumerate(requests)])

        apart = sorted(set(until_steady(stream, 8)[1]))
        if apart != [t.interval]:
            return failed(f"Sectors under other slots begin {apart} cycles apart; the contract says {t.interval}.")
        alone = stream(1)
        latency = int(alone.out_cycle[-1] - alone.first_in[0])
        if latency != t.latency:
            return failed(f"Latency is {latency} cycles in simulation; the contract says {t.latency}.")
    free = next(slot for slot in range(check.number_of_slots) if slot not in used)
    for name, command, slot, key in (
        ("load", "LOAD", free, check.key()),
        ("refused", "LOAD", free, check.key()),
        ("unload", "UNLOAD", free, b""),
    ):
        start = core.prepare(command, slot, key)
        core.set("IRQ_STATUS", 0xFF)
        core.set("IRQ_ENABLE", 1)
        words = core.writes("KEY", core.place("CTRL")[1], start)
        record = core.bus(Script(words=words, wanted={"key_b": 1}, quiet=t.load + t.unload, capacity=4))
        effect = int(record.words["key_b"]["cycle"][0]) - 1
        seen[name] = next((cycle for cycle, value in record.levels["irq"] if value), 1 << 30) - effect
        core.finish()
    for figure in t.figures():
        if figure.name in seen and not figure.keeps(seen[figure.name]):
            limit = "" if figure.exact else " at most"
            return failed(f"{figure.name} is {seen[figure.name]} cycles; the contract says{limit} {figure.cycles}.")
    return passed(
        f"interval {t.interval} with another slot each sector; " + ", ".join(f"{k} {v}" for k, v in seen.items())
    )


_POLL = 12
"""Cycles, at most, of the read that sees the end."""
