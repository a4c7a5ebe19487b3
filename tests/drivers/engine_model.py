# SPDX-License-Identifier: Apache-2.0
"""Rules of an engine's registers, without hardware: constants, resets and accesses come from the maps."""

from wideblock.rtl.bus.engine_facts import GONE, EngineFacts
from wideblock.rtl.bus.engine_map import engine_map
from wideblock.rtl.bus.key_map import KAT_KEY, KEY_MAP, CommandError, KeyCommand
from wideblock.rtl.bus.registers import Access
from wideblock.rtl.stream.behaviour import Cause, Fault

KEYS, ENGINE = 0x1000, 0x10000
"""Addresses of the two buses."""

FAULTS = (Fault(Cause.SHORT, "too short"), Fault(Cause.SLOT, "no key"))
FACTS = EngineFacts("toy", 8, 256, 1, 512, (False, True), 20, 64, FAULTS, usual_tweak=16)
MAPS = KEY_MAP, engine_map(FACTS)
COMMAND = {each.name: each.value for each in KeyCommand}
ERROR = {each.name: each.value for each in CommandError}
UNKNOWN = 1


def toy(key, tweak, data, *, decrypt):
    """A cipher that shows each of its inputs: bytes plus those of key and tweak, or minus."""
    sign = -1 if decrypt else 1
    return bytes((b + sign * (key[n % len(key)] + tweak.ljust(20, b"\1")[n % 20])) & 0xFF for n, b in enumerate(data))


class EngineModel:
    """Registers that a driver reads and writes; ``log`` has the names of the key registers that it wrote, in order."""

    def __init__(self):
        self.at = {}
        for base, registers in zip((KEYS, ENGINE), MAPS, strict=True):
            for each in registers.registers:
                for number in range(each.count):
                    self.at[base + each.offset + 4 * number] = (registers, each, number)
        self.values = {address: register.reset for address, (_, register, _) in self.at.items()}
        self.slots, self.log, self.busy, self.stuck, self.broken = {}, [], 0, False, False
        self.limits = []  # LIMIT after each write of a half
        self.written = set()  # words of key registers that are whole
        self.cleared_at = None  # word of the result at whose read a zeroize comes
        self._set("CTRL", "RDY", 1)
        self._set("STATUS", "READY", 1)

    def read(self, address):
        registers, register, number = self.at[address]  # a KeyError is an access that no register has
        if register.name == "CTRL" and self.busy and not self.stuck:
            self.busy -= 1
            if not self.busy:
                self._end()
        if register.name == "SELFTEST" and self._get("SELFTEST", "BUSY"):
            failed = 255 if FACTS.slots - 1 in self.slots else 5 * self.broken
            for field, value in (("BUSY", 0), ("DONE", 1), ("PASSED", not failed), ("FAILED", failed)):
                self._set("SELFTEST", field, value)
        if register.name == "WINDOW_DATA_OUT" and self.cleared_at == number:
            self._set("WINDOW_STATUS", "FAULT", 1)
            self._set("WINDOW_STATUS", "CAUSE", GONE)
            self._clear("WINDOW_DATA_OUT")
        if register.name == "SLOT_STATE":
            return int(self._get("SLOT_SELECT", "SLOT") in self.slots)
        if register.name == "SLOT_BLOCKS_LO":
            self._set("SLOT_BLOCKS_HI", "BLOCKS", 3)
            return self._get("SLOT_SELECT", "SLOT") + 7
        return self.values[address] & register.readable

    def write(self, address, value):
        registers, register, number = self.at[address]
        if self._refuses(registers, register, value):
            raise OSError(f"bus error: {register.name} is written with {value:#x}")
        if registers is KEY_MAP:
            self.log.append((register.name, number))
            self.written.add((register.name, number))
            if register.name == "CTRL":
                return self._control(value)
        old = self.values[address]
        for field in register.fields:
            mask = field.mask
            if field.access in (Access.RW, Access.WO):
                old = old & ~mask | value & mask
            elif field.access is Access.W1S:
                old |= value & mask
            elif field.access is Access.W1C:
                old &= ~(value & mask)
        self.values[address] = old
        if register.name in ("LIMIT_LO", "LIMIT_HI"):
            self.limits.append(self._get("LIMIT_HI", "BLOCKS") << 32 | self._get("LIMIT_LO", "BLOCKS"))
        started = [f.name for f in register.fields if f.access is Access.W1P and value & f.mask]
        if started:
            self._started(register.name)

    def _refuses(self, registers, register, value):
        """Whether the engine answers a write with SLVERR."""
        if register.name == "CTRL":
            field = register.field
            executes, done = self._get("CTRL", "EXE"), self._get("CTRL", "DONE")
            return (executes and not self._overrides(value)) or (done and not value & field("DONE").mask)
        started = any(f.access is Access.W1P and value & f.mask for f in register.fields)
        return (
            (registers is KEY_MAP and self._get("CTRL", "EXE"))
            or not register.writable
            or (register.name.startswith(("LIMIT", "WARN")) and self._get("POLICY", "FREEZE_LIMITS"))
            or (register.name == "SELFTEST" and started and self._get("SELFTEST", "BUSY"))
            or (register.name == "SELFTEST" and started and self._get("STATUS", "FATAL"))
            or (register.name == "WINDOW_REQUEST" and started and self._get("STATUS", "WINDOW"))
        )

    def _overrides(self, value):
        """Whether a write of CTRL gives up a command that runs."""
        word = KEY_MAP.register("CTRL").field
        zeroize = COMMAND["ZEROIZE"] << word("CMD").low | word("EXE").mask
        return value & (word("CMD").mask | word("EXE").mask | word("DONE").mask) == zeroize

    def event(self, name):
        self._set("IRQ_STATUS", name, 1)

    def _control(self, value):
        field = KEY_MAP.register("CTRL").field
        if value & field("DONE").mask:
            for name in ("DONE", "EXE", "ERR", "CMD"):
                self._set("CTRL", name, 0)
            self._clear("METD", "METD_REST", "AUX_OFFSET", "AUX_MODE", "AUX_REST")
            self.written = {word for word in self.written if word[0] == "MEK"}
        elif self._get("CTRL", "EXE"):
            self.slots.clear()
            self._end("CLEARED")
        elif value & field("EXE").mask and self._get("CTRL", "RDY") and not self._get("CTRL", "DONE"):
            self._set("CTRL", "CMD", (value & field("CMD").mask) >> field("CMD").low)
            self._set("CTRL", "EXE", 1)
            self.busy = 3

    def _end(self, result=None):
        self._set("CTRL", "ERR", ERROR[result or self._result()])
        self._clear("MEK")
        self.written = {word for word in self.written if word[0] != "MEK"}
        self._set("CTRL", "EXE", 0)
        self._set("CTRL", "DONE", 1)

    def _result(self):
        command, slot = self._get("CTRL", "CMD"), self._get("METD", "SLOT")
        if command not in COMMAND.values():
            return "COMMAND"
        if command == COMMAND["ZEROIZE"]:
            self.slots.clear()
            return "OK"
        needed = {("METD", 0), *(("METD_REST", n) for n in range(4))}
        if command != COMMAND["UNLOAD"]:
            needed |= {("AUX_MODE", 0), *(("AUX_OFFSET", n) for n in range(4)), *(("AUX_REST", n) for n in range(3))}
        if command == COMMAND["LOAD"]:
            needed |= {("MEK", n) for n in range(2 * FACTS.key_bits // 32)}
        if not needed <= self.written:
            return "INCOMPLETE"
        if self._get("METD", "ZERO") or any(self._bytes("METD_REST")):
            return "METD"
        if slot >= FACTS.slots:
            return "NO_SLOT"
        if command == COMMAND["UNLOAD"]:
            locked = slot in self.slots and self.slots[slot][1] >> 2
            found = "LOCKED" if locked else "OK" if slot in self.slots else "NOT_LOADED"
            if found == "OK":
                del self.slots[slot]
            return found
        if slot in self.slots:
            return "LOADED"
        key = self._bytes("MEK") if command == COMMAND["LOAD"] else KAT_KEY
        mode = int.from_bytes(self._bytes("AUX_MODE"), "little")
        if mode >> 3 or any(self._bytes("AUX_OFFSET")):
            return "AUX"
        if key[:32] == key[32:]:
            return "EQUAL_HALVES"
        self.slots[slot] = (key, mode)
        return "OK"

    def _started(self, name):
        if name == "ZEROIZE":
            self.slots.clear()
        elif name == "SELFTEST":
            self._set("SELFTEST", "BUSY", 1)
            self._set("SELFTEST", "DONE", 0)
        elif name == "FAULT_CLEAR":
            self._clear("FIRST_FAULT", "FAULT_COUNT")
        elif name == "WINDOW_REQUEST" and not self._get("POLICY", "CLOSE_WINDOW"):
            self._window()

    def _window(self):
        slot, size = self._get("WINDOW_REQUEST", "SLOT"), self._get("WINDOW_SIZE", "BYTES")
        self._clear("WINDOW_DATA_OUT")
        self._set("WINDOW_STATUS", "DONE", 1)
        self._set("WINDOW_STATUS", "FAULT", slot not in self.slots)
        if slot not in self.slots:
            self._set("WINDOW_STATUS", "CAUSE", UNKNOWN)
            self._set("FIRST_FAULT", "SLOT", slot)
            self._set("FIRST_FAULT", "CAUSE", UNKNOWN)
            self._set("FIRST_FAULT", "VALID", 1)
            count = MAPS[1].offset("FAULT_COUNT", UNKNOWN) + ENGINE
            self.values[count] += 1
            return self.event("FAULT")
        data, decrypt = self._bytes("WINDOW_DATA_IN")[:size], self._get("WINDOW_REQUEST", "DECRYPT")
        tweak = self._bytes("WINDOW_TWEAK")[: self._get("WINDOW_TWEAK_SIZE", "BYTES")]
        result = toy(self.slots[slot][0], tweak, data, decrypt=decrypt)
        start = ENGINE + MAPS[1].offset("WINDOW_DATA_OUT")
        for at in range(0, size, 4):
            self.values[start + at] = int.from_bytes(result[at : at + 4], "little")
        self.event("WINDOW")

    def _place(self, name):
        for base, registers in zip((KEYS, ENGINE), MAPS, strict=True):
            if name in {each.name for each in registers.registers}:
                return base + registers.offset(name), registers.register(name)
        raise KeyError(name)

    def _get(self, name, field):
        address, register = self._place(name)
        each = register.field(field)
        return (self.values[address] & each.mask) >> each.low

    def _set(self, name, field, value):
        address, register = self._place(name)
        each = register.field(field)
        self.values[address] = self.values[address] & ~each.mask | int(value) << each.low

    def _bytes(self, name):
        address, register = self._place(name)
        words = (self.values[address + 4 * n] for n in range(register.count))
        return b"".join(word.to_bytes(4, "little") for word in words)

    def _clear(self, *names):
        for name in names:
            address, register = self._place(name)
            for n in range(register.count):
                self.values[address + 4 * n] = 0
