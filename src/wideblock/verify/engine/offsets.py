# SPDX-License-Identifier: Apache-2.0
"""Short scripts of an engine, each with a disturbance in each cycle."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from wideblock.drive.sector.accesses import BusAccess
from wideblock.rtl.bus.key_map import KEY_MAP, KeyCommand, started
from wideblock.verify.engine.firmware import CTRL, RandomFirmware
from wideblock.verify.engine.plays import Bench, EnginePlay

__all__ = ["Disturbances"]

START = 24
"""Cycle in which a script begins."""


class Disturbances:
    """Scripts by their names, and disturbances by theirs, of a bench."""

    def __init__(self, bench: Bench, firmware: RandomFirmware):
        self.bench, self.firmware, self.check = bench, firmware, bench.check
        self.slot, self.other = firmware.slots[0], firmware.slots[1]
        self.prelude = EnginePlay()
        self.scripts: dict[str, Callable[[], list[BusAccess]]] = {
            "LOAD": lambda: self.command("LOAD", loaded=False),
            "replacement": lambda: self.command("LOAD", loaded=True),
            "UNLOAD": lambda: self.command("UNLOAD", loaded=True),
            "LOAD_KAT": lambda: self.command("LOAD_KAT", loaded=False),
            "ZEROIZE": lambda: self.command("ZEROIZE", loaded=True),
            "window": self.window,
            "self-test": self.selftest,
        }
        self.disturbances: dict[str, Callable[[int], EnginePlay]] = {
            "SELFTEST.START": lambda at: EnginePlay([firmware.write(at, "SELFTEST", 1)]),
            "ZEROIZE by s_axi": lambda at: EnginePlay([firmware.write(at, "ZEROIZE", 1)]),
            "ZEROIZE by CTRL": lambda at: EnginePlay([BusAccess(at, "KEY", CTRL, started(KeyCommand.ZEROIZE))]),
            "zeroize, a pulse": lambda at: EnginePlay(clears=[(at, 1)]),
            "zeroize, a level": lambda at: EnginePlay(clears=[(at, self.check.number(2, 2 * self.zeroize))]),
            "zeroize twice": lambda at: EnginePlay(clears=[(at, 1), (at + self.check.number(2, self.zeroize), 1)]),
            "a write of METD": lambda at: EnginePlay([BusAccess(at, "KEY", KEY_MAP.offset("METD"), self.other)]),
            "a write of MEK": lambda at: EnginePlay([BusAccess(at, "KEY", KEY_MAP.offset("MEK"), 1)]),
            "a write of DONE": lambda at: EnginePlay([firmware.done(at)]),
            "a source that stops in another slot": lambda at: self.unit(at, self.other, 700),
            "a refused unit of the slot": self.refused,
            "a refused unit of the slot that ends later": lambda at: self.refused(at, self.change),
            "a unit of the slot": lambda at: self.unit(at, self.slot),
            "a short unit of the slot": lambda at: self.unit(at, self.slot, size=self.short()),
            "START of the window": lambda at: EnginePlay([firmware.write(at, "WINDOW_REQUEST", self.slot | 1 << 31)]),
        }

    @property
    def zeroize(self) -> int:
        return self.check.subject.timing.zeroize

    @property
    def change(self) -> int:
        """Cycles after which a command that begins now has ended."""
        return self.check.subject.timing.unload + self.check.subject.timing.load + 120

    def play(self, script: str, disturbance: str, offset: int) -> str | None:
        """The first difference where a disturbance comes ``offset`` cycles after the begin of a script."""
        accesses = self.scripts[script]()
        if difference := self.bench.play(self.prelude):
            return difference
        at = START + offset
        play = self.disturbances[disturbance](at)
        end = accesses[-1].cycle + 260
        looks = {end, *(end + pause for *_, pause in play.units)}
        looked = [access for look in sorted(looks) for access in self.after(look)]
        play.accesses = sorted([*accesses, *play.accesses, *looked], key=lambda access: access.cycle)
        play.soft = True
        if difference := self.bench.play(play):
            return (
                f"{difference} {disturbance} came in cycle {at} of the script {script}, which begins in cycle {START}."
            )
        return None

    def length(self, script: str) -> int:
        """Cycles of a script for a disturbance."""
        return self.scripts[script]()[-1].cycle - START + 1

    def command(self, name: str, *, loaded: bool) -> list[BusAccess]:
        """A command, from its first write to the clear of DONE; the prelude gives its slot a key, or none."""
        firmware = self.firmware
        has = any(state.held(self.slot) for state in self.bench.model.states)
        before = [] if has == loaded else self.whole(START, "LOAD" if loaded else "UNLOAD", self.slot)
        if not any(state.held(self.other) for state in self.bench.model.states):
            before += self.whole(before[-1].cycle + 8 if before else START, "LOAD", self.other)
        self.prelude = EnginePlay([*before, firmware.write(START, "POLICY", 1)])
        self.prelude.accesses.sort(key=lambda access: access.cycle)
        return self.whole(START, name, self.slot)

    def whole(self, at: int, name: str, slot: int) -> list[BusAccess]:
        """A command with its polls; DONE is cleared after more cycles than it can take."""
        firmware, t = self.firmware, self.check.subject.timing
        writes = firmware.prepared(at, name, slot, self.check.key())
        end = writes[-1].cycle + 3
        polls = firmware.polled(end + 3, 12)
        return [
            firmware.done(at - 4),
            *writes,
            firmware.executed(end, name),
            *polls,
            firmware.done(end + t.unload + t.load),
        ]

    def window(self) -> list[BusAccess]:
        """A request of the window."""
        self.command("LOAD", loaded=True)
        most = self.firmware.map.register("WINDOW_DATA_IN").bytes
        way = self.check.behaviour.directions[0]
        asked = self.firmware.windowed(START, self.slot, most, way)
        polls = [self.firmware.read(asked[-1].cycle + 5 * n, "WINDOW_STATUS") for n in range(12)]
        return [*asked, *polls, *self.firmware.looked(asked[-1].cycle + self.check.subject.timing.window, most // 4)]

    def selftest(self) -> list[BusAccess]:
        """A self-test on demand, with a command in it."""
        last = self.check.number_of_slots - 1
        self.command("LOAD", loaded=True)
        if any(state.held(last) for state in self.bench.model.states) and last not in (self.slot, self.other):
            self.prelude.accesses += self.whole(self.prelude.accesses[-1].cycle + 8, "UNLOAD", last)
        start = self.firmware.write(START, "SELFTEST", 1)
        polls = [self.firmware.read(START + 8 * n, "SELFTEST") for n in range(1, 40)]
        return [start, *polls]

    def unit(self, at: int, slot: int, pause: int = 0, size: int | None = None) -> EnginePlay:
        """A unit."""
        least = self.check.behaviour.length.least
        usual = self.check.behaviour.usual
        usual = usual if self.check.fixed else max(usual, 2 * least)
        request = self.check.request(usual if size is None else size)
        return EnginePlay(units=[(at, replace(request, slot=slot), pause)])

    def short(self) -> int:
        """Bytes of a unit that is too short."""
        check = self.check
        return check.shape.beat_bytes if check.fixed else check.number(1, 15)

    def refused(self, at: int, pause: int = 0) -> EnginePlay:
        """A unit too long for a beat, in a direction that the core lacks, or for a slot without a key."""
        request = self.check.request(2 * self.check.behaviour.usual)
        return EnginePlay(
            units=[(at, replace(request, slot=self.slot, decrypt=not self.check.behaviour.directions[0]), pause)]
        )

    def after(self, at: int) -> Iterator[BusAccess]:
        """Reads of the state afterwards."""
        firmware = self.firmware
        yield BusAccess(at, "KEY", CTRL)
        for name in ("STATUS", "IRQ_STATUS", "SELFTEST", "WINDOW_STATUS"):
            yield firmware.read(at, name)
        for n, slot in enumerate((self.slot, self.other)):
            yield from firmware.shown(at + 20 + 40 * n, slot)
        words = firmware.map.register("WINDOW_DATA_OUT").count
        yield from firmware.looked(at + 110, min(words, 8))
