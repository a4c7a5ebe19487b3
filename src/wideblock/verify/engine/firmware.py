# SPDX-License-Identifier: Apache-2.0
"""Random firmware of both buses, and traffic beside it, as plays."""

from collections.abc import Iterator
from dataclasses import replace

from wideblock.drive.sector.accesses import BusAccess
from wideblock.drive.sector.traffic import Request
from wideblock.rtl.bus.key_map import DONE, KEY_MAP, KeyCommand, started
from wideblock.rtl.bus.registers import REGISTER_BYTES, register_words
from wideblock.verify.engine.check import EngineCheck
from wideblock.verify.engine.plays import EnginePlay

__all__ = ["RandomFirmware"]

CTRL = KEY_MAP.offset("CTRL")
CODES = (*KeyCommand, 0, 5, 15)


class RandomFirmware:
    """Random accesses of an engine's buses, and units for its stream."""

    def __init__(self, check: EngineCheck):
        self.check, self.core, self.number = check, check.simulation, check.number
        self.map = self.core.maps["ENGINE"]
        last = check.number_of_slots - 1
        self.slots = sorted({0, 1, last // 2, last})

    def chance(self, percent: int) -> bool:
        return self.number(1, 100) <= percent

    def pick(self, *among):
        return among[self.number(0, len(among) - 1)]

    def slot(self) -> int:
        """A slot in use by the plays, seldom an absent slot."""
        return self.pick(*self.slots) if self.chance(97) else self.check.number_of_slots + self.number(0, 3)

    # Commands

    def prepared(self, at: int, name: str, slot: int, key: bytes, aux: int = 0) -> list[BusAccess]:
        """The writes of METD, AUX and MEK of a command, a write in 3 cycles."""
        words = [(KEY_MAP.offset("METD"), w) for w in (slot, 0, 0, 0, 0)]
        if name in ("LOAD", "LOAD_KAT"):
            words += [(KEY_MAP.offset("AUX_OFFSET"), w) for w in (0, 0, 0, 0, aux, 0, 0, 0)]
        if name == "LOAD":
            words += [(KEY_MAP.offset("MEK"), w) for w in register_words(key)]
        found, base, index = [], -1, 0
        for offset, word in words:
            base, index = (offset, 0) if offset != base else (base, index + 1)
            found.append(BusAccess(at + 3 * len(found), "KEY", offset + REGISTER_BYTES * index, word))
        return found

    def executed(self, at: int, name: str) -> BusAccess:
        """The write of CTRL that starts a command."""
        return BusAccess(at, "KEY", CTRL, started(KeyCommand.__members__.get(name, 15)))

    def polled(self, at: int, polls: int, gap: int = 4) -> list[BusAccess]:
        return [BusAccess(at + gap * n, "KEY", CTRL) for n in range(polls)]

    def done(self, at: int) -> BusAccess:
        return BusAccess(at, "KEY", CTRL, DONE)

    def keys(self, until: int) -> Iterator[BusAccess]:
        """Random firmware of the key bus: most commands are right, some are spoiled."""
        at = self.number(0, 40)
        while at < until:
            name = self.pick("LOAD", "LOAD", "LOAD", "LOAD", "UNLOAD", "UNLOAD", "LOAD_KAT", "NONE", "ZEROIZE")
            if name == "ZEROIZE" and self.chance(60):
                name = "LOAD"
            key = self.check.key()
            if self.chance(4):
                key = key[: len(key) // 2] * 2
            aux = self.pick(1, 2, 4, 5, 8, 1 << 31) if self.chance(15) else 0
            writes = self.prepared(at, name, self.slot(), key, aux)
            if self.chance(15):
                writes = self._spoiled(writes)
            yield from writes
            at = max([at, *(write.cycle for write in writes)]) + self.pick(3, 3, 3, 10, 40)
            if self.chance(95):
                yield self.executed(at, name)
            if self.chance(8):
                yield self._junk(at + 4)
            if self.chance(4):
                yield BusAccess(at + self.number(3, 60), "KEY", CTRL, started(self.pick(*CODES)))
            yield from self.polled(at + 2, self.pick(2, 10, 20), self.pick(4, 5, 11))
            at += self.pick(48, 60, 90, 140)
            if self.chance(92):
                yield self.done(at)
            at += self.pick(3, 3, 7, 40)

    def _spoiled(self, writes: list[BusAccess]) -> list[BusAccess]:
        """Writes with a missing, a partial, or a wrong word."""
        n = self.number(0, len(writes) - 1)
        kind = self.number(0, 3)
        if kind == 0:
            return writes[:n] + writes[n + 1 :]
        if kind == 1:
            return [*writes[:n], replace(writes[n], strobe=self.number(0, 14)), *writes[n + 1 :]]
        if kind == 2:
            return [*writes[:n], replace(writes[n], value=self.number(0, 2**32 - 1)), *writes[n + 1 :]]
        delay = self.number(1, 200)
        return [*writes[:n], *(replace(write, cycle=write.cycle + delay) for write in writes[n:])]

    def _junk(self, at: int) -> BusAccess:
        """A random access of the key bus, of any address and size, that starts no command."""
        offset = self.number(0, KEY_MAP.bytes - 1)
        value = None if self.chance(50) else self.number(0, 2**32 - 1)
        if offset & -4 == CTRL:
            value = None
        return BusAccess(at, "KEY", offset, value, self.number(0, 15))

    # The bus of all firmware

    def write(self, at: int, name: str, value: int, index: int = 0, strobe: int = 15) -> BusAccess:
        return BusAccess(at, "ENGINE", self.map.offset(name, index), value, strobe)

    def read(self, at: int, name: str, index: int = 0) -> BusAccess:
        return BusAccess(at, "ENGINE", self.map.offset(name, index))

    def shown(self, at: int, slot: int) -> list[BusAccess]:
        """Reads of a slot's state and blocks."""
        later = at + 12
        return [
            self.write(at, "SLOT_SELECT", slot),
            *(self.read(later, name) for name in ("SLOT_STATE", "SLOT_BLOCKS_LO", "SLOT_BLOCKS_HI")),
        ]

    def windowed(self, at: int, slot: int, size: int, decrypt: bool) -> list[BusAccess]:
        """A request of the window, with polls and reads of its result."""
        data, tweak = self.check.random(size), self.check.random(self.map.register("WINDOW_TWEAK").bytes)
        writes = [("WINDOW_TWEAK", n, word) for n, word in enumerate(register_words(tweak))]
        most = self.map.register("WINDOW_DATA_IN").count
        writes += [("WINDOW_DATA_IN", n, word) for n, word in enumerate(register_words(data)[:most])]
        if tweaks := self.check.behaviour.length.tweaks:
            stated = self.check.tweak_size() if self.chance(90) else self.number(tweaks.most + 1, 255)
            writes.append(("WINDOW_TWEAK_SIZE", 0, stated))
        writes += [("WINDOW_SIZE", 0, size), ("WINDOW_REQUEST", 0, slot | decrypt << 16 | 1 << 31)]
        found = [self.write(at + 3 * n, name, value, index) for n, (name, index, value) in enumerate(writes)]
        return found

    def looked(self, at: int, words: int) -> list[BusAccess]:
        """Reads of the window's state and result."""
        return [self.read(at, "WINDOW_STATUS"), *(self.read(at, "WINDOW_DATA_OUT", n) for n in range(words))]

    def firmware(self, until: int, soft: bool) -> Iterator[BusAccess]:
        """Random accesses of all firmware."""
        at, most = self.number(0, 40), self.map.register("WINDOW_DATA_IN").bytes
        status = ("STATUS", "IRQ_STATUS", "SELFTEST", "FIRST_FAULT", "WINDOW_STATUS", "IRQ_ENABLE")
        while at < until:
            kind = self.number(1, 100)
            if kind <= 35:
                yield self.read(at, self.pick(*status))
            elif kind <= 50:
                yield from self.shown(at, self.slot())
                at += 20
            elif kind <= 62:
                size = self.pick(most, most, 16, self.number(1, most), self.pick(0, 15, most + 1))
                asked = self.windowed(at, self.slot(), size, self._way())
                yield from asked
                at = asked[-1].cycle + self.pick(3, 60, 200, self.check.subject.timing.window + 20)
                yield from self.looked(at, most // 4)
            elif kind <= 70:
                yield self.write(at, "IRQ_STATUS", self.number(0, 255))
                yield self.write(at + 3, "IRQ_ENABLE", self.pick(0, 1, 255, self.number(0, 255)))
            elif kind <= 76:
                half = self.pick("LIMIT", "WARN")
                yield self.write(at, f"{half}_LO", self.pick(2, 5, 9, 30))
                yield self.write(at + 3, f"{half}_HI", self.pick(0, 0, 1))
            elif kind <= 80:
                yield self.write(at, "SELFTEST", 1)
            elif kind <= 82 and soft:
                yield self.write(at, "ZEROIZE", 1)
            elif kind <= 84:
                yield self.write(at, "FAULT_CLEAR", self.number(0, 1))
            elif kind <= 86:
                yield self.write(at, "POLICY", self.pick(0, 1, 1, 1, 8, self.number(0, 31) & ~16))
            elif kind <= 90:
                yield self.read(at, "FAULT_COUNT", self.number(0, len(self.check.behaviour.faults) - 1))
            else:
                yield self._random(at)
            at += self.pick(1, 3, 8, 30)

    def _random(self, at: int) -> BusAccess:
        """A random access of any address and size, that starts nothing."""
        register = self.pick(*self.map.registers)
        offset = self.map.offset(register.name, self.number(0, register.count - 1)) + self.number(0, 3)
        if self.chance(30):
            offset = self.number(0, self.map.bytes - 1)
        never = [self.map.offset(name) for name in ("POLICY", "ZEROIZE")]
        value = None if self.chance(40) or offset & -4 in never else self.number(0, 2**32 - 1)
        return BusAccess(at, "ENGINE", offset, value, self.number(0, 15))

    # The stream

    def _way(self) -> bool:
        directions = self.check.behaviour.directions
        return bool(self.pick(*directions)) if self.chance(96) else self.chance(50)

    def unit(self, slot: int | None = None) -> Request:
        """A unit, seldom malformed."""
        request = self.check.request(self._size(), decrypt=self._way())
        if (tweaks := self.check.behaviour.length.tweaks) and self.chance(3):
            request = replace(request, tweak=bytes(self.number(tweaks.most + 1, 255)))
        return replace(request, slot=self.slot() if slot is None else slot)

    def _size(self) -> int:
        """Bytes of a unit, seldom a wrong number of them."""
        check = self.check
        if not check.fixed:
            return self.number(1, 15) if self.chance(6) else check.size() if self.chance(60) else self.number(16, 80)
        beat = check.shape.beat_bytes
        return beat * self.number(1, 2 * (check.least // beat)) if self.chance(12) else check.least

    def units(self, until: int) -> Iterator[tuple[int, Request, int]]:
        """Units in bursts, some with a source that stops before their last beat."""
        at = self.number(0, 60)
        while at < until:
            for _ in range(self.pick(1, 2, 5, 9)):
                pause = self.number(20, 400) if self.chance(6) else 0
                yield at, self.unit(), pause
                at += pause
            at += self.pick(5, 30, 90, 200)

    def storm(self, until: int) -> EnginePlay:
        """Everything at random."""
        take = self.pick(1.0, 1.0, 0.6, 0.25)
        soft = take == 1.0 or self.chance(50)
        clears = []
        if self.chance(45):
            at = self.number(0, until)
            clears.append((at, self.pick(1, 1, 2, self.number(3, 300))))
            if self.chance(50):  # another one amid the clear
                at = sum(clears[-1]) + self.number(1, 2 * self.check.subject.timing.zeroize)
                clears.append((at, self.pick(1, 1, self.number(2, 90))))
        keys = [
            a for a in self.keys(until) if soft or not (a.value is not None and a.offset == CTRL and _zeroizes(a.value))
        ]
        accesses = sorted([*keys, *self.firmware(until, soft)], key=lambda access: access.cycle)
        return EnginePlay(accesses, [*self.units(until)], clears, take, self.pick(1.0, 1.0, 0.5), soft)

    def audit(self) -> EnginePlay:
        """Reads of all state at rest."""
        names = ("STATUS", "IRQ_STATUS", "SELFTEST", "FIRST_FAULT", "WINDOW_STATUS")
        reads = [self.read(20, name) for name in names]
        reads += [self.read(20, "FAULT_COUNT", n) for n in range(len(self.check.behaviour.faults))]
        reads += [
            BusAccess(20, "KEY", offset)
            for offset in range(KEY_MAP.offset("METD"), CTRL + 4, 4)
            if any(start <= offset < end for start, end in KEY_MAP.ranges())
        ]
        words = self.map.register("WINDOW_DATA_OUT").count
        reads += self.looked(60, min(words, 64))
        at = 200
        for slot in self.slots:
            reads += self.shown(at, slot)
            at += 40
        units = [(at, self.check.in_slots([self.check.request(self.check.least)], [slot])[0], 0) for slot in self.slots]
        return EnginePlay(reads, units)


def _zeroizes(value: int) -> bool:
    return value & 3 == 1 and value >> 2 & 15 == KeyCommand.ZEROIZE
