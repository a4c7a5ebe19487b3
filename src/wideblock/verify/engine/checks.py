# SPDX-License-Identifier: Apache-2.0
"""The checks of an engine."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from wideblock.drive.core import zeroize_at
from wideblock.drive.sector.traffic import Request
from wideblock.rtl.bus.key_map import KEY_MAP
from wideblock.rtl.bus.registers import REGISTER_BYTES, Access
from wideblock.rtl.stream.behaviour import Cause, KeyRule
from wideblock.simulation.script import Script
from wideblock.verify.core.report import Finding, failed, nothing, passed
from wideblock.verify.engine.check import BATCH, LOCKED, EngineCheck, Slot
from wideblock.verify.engine.clearing import clearing
from wideblock.verify.engine.concurrent import both_buses, every_offset
from wideblock.verify.engine.cycles import cycle_contract
from wideblock.verify.engine.limits import limits_of_slots
from wideblock.verify.engine.registers import fault_log, registers, slot_table

__all__ = ["CHECKS"]

MOST = 16
"""Slots with keys at a time."""

AUX_WORDS = [
    (register.name, index, register.fields[-1].low)
    for register in KEY_MAP.registers
    for index in range(register.count)
    if register.name.startswith("AUX")
]
"""Words of AUX with bits that must be 0: names, indices, and the lowest of these bits."""


def known_answers(check: EngineCheck) -> Finding:
    """Published vectors by the stream and, in fitting sizes, by the window."""
    if not check.vectors:
        return nothing("no known answer for these parameters")
    core, windowed = check.simulation, 0
    check.restart()
    for known in check.vectors:
        if error := _ignored(check.command("LOAD", 1, known.key)):
            return failed(f"The key of {known.source} is refused with {error}.")
        for decrypt in check.behaviour.directions:
            given, right = (known.ciphertext, known.plaintext) if decrypt else (known.plaintext, known.ciphertext)
            record = check.stream([Request(given, known.tweak, decrypt, slot=1)])
            if [sector for sector, _ in check.left(record)] != [right]:
                return failed(f"{known.source} is wrong in the stream.")
            if len(given) <= check.window_bytes:
                windowed += 1
                if core.window(1, given, known.tweak, decrypt=decrypt) != (right, None):
                    return failed(f"{known.source} is wrong in the window.")
        check.command("UNLOAD", 1)
    return passed(f"{len(check.vectors)} answers, {check.ways}, {windowed} of them through the window, too")


def _ignored(error: str) -> str:
    return "" if error == "OK" else error


def random_slots(check: EngineCheck) -> Finding:
    """Sectors under random slots, back to back, while commands for other slots run."""
    check.restart()
    loads = unloads = done = 0
    while done < check.amount:
        used = check.fill(MOST)
        requests = check.in_slots(check.requests(min(BATCH, check.amount - done)), used)
        free = [slot for slot in range(check.number_of_slots) if slot not in check.slots_now]
        slot, key = int(check.rng.choice(free)), check.key()
        start = check.simulation.prepare("LOAD", slot, key)
        moment = check.number(0, max(1, len(requests) * check.subject.timing.interval // 2))
        record = check.stream(requests, check.start_word(moment, start))
        if difference := check.wrong(requests, record, check.slots_now):
            return failed(f"{difference} A key was loaded into slot {slot} meanwhile.")
        if (error := check.simulation.finish()) != "OK":
            return failed(f"A load of slot {slot} beside sectors ended with error {error}.")
        check.note("LOAD", slot, key, 0)
        loads += 1
        for gone in check.rng.permutation(sorted(check.slots_now))[: max(1, len(used) // 4)].tolist():
            if error := _ignored(check.command("UNLOAD", gone)):
                return failed(f"An unload of slot {gone} ended with error {error}.")
            unloads += 1
        done += len(requests)
        check.progress(done, check.amount)
    return passed(f"{done} sectors, {check.ways}, beside {loads} loads; {unloads} unloads")


def storms(check: EngineCheck) -> Finding:
    """Loads, unloads and replacements of a slot in use: each sector of the slot is dropped whole or right under a
    single key, and the slot changes once; other slots do not notice.
    """
    plays = 0
    check.restart()
    check.simulation.set("POLICY", 1)
    for offer, take in ((1.0, 1.0), (0.6, 0.6), (1.0, 0.2)):
        for command in ("LOAD", "UNLOAD", "REPLACE"):
            for _ in range(max(1, check.few(12) // 4)):
                if difference := _storm(check, command, offer, take):
                    return failed(f"{difference} {command} of slot 1; offered with chance {offer}, taken with {take}.")
                plays += 1
    return passed(f"{plays} plays with a command for a slot in use, at a random cycle")


def _storm(check: EngineCheck, command: str, offer: float, take: float) -> str | None:
    """The first difference in a play in which slot 1 changes at a random cycle."""
    core, t = check.simulation, check.subject.timing
    for slot in {0, check.number_of_slots - 1} - {1, *check.slots_now}:
        check.command("LOAD", slot, check.key())
    if (1 in check.slots_now) == (command == "LOAD"):
        check.command("UNLOAD" if command == "LOAD" else "LOAD", 1, b"" if command == "LOAD" else check.key())
    before, key = check.slots_now.get(1), check.key()
    name = "UNLOAD" if command == "UNLOAD" else "LOAD"
    start = core.prepare(name, 1, b"" if name == "UNLOAD" else key)
    core.set("IRQ_STATUS", 0xFF)
    core.set("IRQ_ENABLE", 1)
    requests = check.in_slots(check.requests(32), [0, 1, 1, check.number_of_slots - 1])
    record = check.stream(requests, check.start_word(check.number(0, 24 * t.interval), start), offer=offer, take=take)
    error = core.finish()
    if error != "OK":
        return f"The command ended with error {error}."
    check.note(name, 1, key, 0)
    own = [n for n, request in enumerate(requests) if request.slot == 1]
    dropped = len(record.faults)
    ended = next(cycle for cycle, value in record.words.levels["irq"] if value)
    if command == "UNLOAD" and dropped < len(own):
        last = own[len(own) - dropped - 1]
        if record.computed[last] > ended:  # no sector before it was dropped
            return f"DONE is 1 in cycle {ended}, but a sector of the slot is computed in cycle {record.computed[last]}."
    if command == "REPLACE":
        splits = [(first, first + dropped) for first in range(len(own) - dropped + 1)]
    else:
        splits = [(0, dropped)] if command == "LOAD" else [(len(own) - dropped, len(own))]
    difference = None
    for first, last in splits:
        slots = {**check.slots_now, -1: before or Slot(key), -3: Slot(key)}
        ends = {n: -1 if at < first else -2 if at < last else -3 for at, n in enumerate(own)}
        named = [replace(request, slot=ends.get(n, request.slot)) for n, request in enumerate(requests)]
        if not (difference := check.wrong(named, record, slots)):
            return None
    return difference or f"{dropped} faults for {len(own)} sectors of slot 1."


def refused_commands(check: EngineCheck) -> Finding:
    """Every error of a command, in random order; the slots stay, and their sectors are right."""
    check.restart()
    used, core = check.fill(3), check.simulation
    free = next(slot for slot in range(check.number_of_slots) if slot not in used)
    cases: dict[str, Callable[[], str]] = {
        "COMMAND": lambda: check.command("NONE", used[0]),
        "NO_SLOT": lambda: check.command("LOAD", check.number(check.number_of_slots, 0xFFFF), check.key()),
        "NOT_LOADED": lambda: check.command("UNLOAD", free),
        "LOADED": lambda: check.command("LOAD", used[-1], check.key()),
        "METD": lambda: _with(check, free, "METD_REST", check.number(0, 3), 0),
        "AUX": lambda: _with(check, free, *AUX_WORDS[check.number(0, len(AUX_WORDS) - 1)]),
    }
    if check.behaviour.keys is KeyRule.HALVES_DIFFER:
        half = check.random(16)
        cases["EQUAL_HALVES"] = lambda: check.command("LOAD", free, half + half + check.key()[32:])
    names = [str(name) for _ in range(max(1, check.few(8) // 4)) for name in check.rng.permutation(list(cases))]
    for name in names:
        if (error := cases[name]()) != name:
            return failed(f"A command that must end with error {name} ends with {error}.")
    if len(check.slots_now) != len(used):
        return failed("A command that must be refused was not.")
    for low in (16, 31, check.number(17, 30)):
        if (error := check.command("LOAD", free | 1 << low, check.key())) != "METD":
            return failed(f"A load with bit {low} of METD ends with {error}.")
    if check.behaviour.keys is KeyRule.HALVES_DIFFER and (difference := _near_halves(check, free)):
        return failed(difference)
    check.command("LOAD", free, check.key(), LOCKED)
    for policy, command, slot, key in ((0, "UNLOAD", free, b""), (2, "LOAD", used[0] + 1, check.key())):
        core.set("POLICY", policy)
        if slot not in check.slots_now or command == "UNLOAD":
            if (error := check.command(command, slot, key)) != "LOCKED":
                return failed(f"{command} of a slot that is locked or frozen ends with {error}.")
    requests = check.in_slots(check.requests(24), list(check.slots_now))
    if difference := check.wrong(requests, check.stream(requests), check.slots_now):
        return failed(difference)
    return passed(f"{len(names)} commands, {', '.join(cases)}, LOCKED; the slots with keys work on")


def _near_halves(check: EngineCheck, slot: int) -> str | None:
    """The first error of loads of keys with halves that differ in a bit."""
    for at in check.rng.permutation(128)[:6].tolist():
        near = int.from_bytes(check.key()[: check.shape.key_bytes // 2], "little")
        halves = b"".join(half.to_bytes(check.shape.key_bytes // 2, "little") for half in (near, near ^ 1 << at))
        if (error := check.command("LOAD", slot, halves)) != "OK":
            return f"A load of a key whose halves differ in bit {at} ends with {error}."
        check.command("UNLOAD", slot)
    return None


def _with(check: EngineCheck, slot: int, name: str, index: int, low: int) -> str:
    """Error of a load with a bit of a word of METD or AUX set that must be 0, from bit ``low`` on."""
    core = check.simulation
    start = core.prepare("LOAD", slot, check.key())
    core.set(name, 1 << check.number(low, 31), index)
    core.set("CTRL", start)
    return core.finish()


def window_beside_the_stream(check: EngineCheck) -> Finding:
    """Sectors of the window between those of the stream: each leaves on the requester's side, right, and is counted."""
    check.restart()
    used, core = check.fill(3), check.simulation
    plays = max(2, check.few(16) // 4)
    size = min(check.window_bytes, check.behaviour.usual)
    for _ in range(plays):
        own = replace(check.request(size), slot=int(check.rng.choice(used)))
        start = core.fill_window(own.slot, own.data, own.tweak, decrypt=own.decrypt)
        requests = check.in_slots(check.requests(40), used)
        words = core.writes("ENGINE", core.place("WINDOW_REQUEST")[1], start)
        for channel in words.values():
            channel["earliest"] = check.number(0, 20 * check.subject.timing.interval)
        record = check.stream(requests, words, offer=float(check.rng.choice([1.0, 0.7])))
        if difference := check.wrong(requests, record, check.slots_now):
            return failed(f"{difference} A sector of the window passed meanwhile.")
        core.until("WINDOW_STATUS", "DONE", 1, 4 * check.subject.timing.window)
        if core.take("WINDOW_DATA_OUT", size) != check.pool.answers(check.slots_now[own.slot].key, [own])[0]:
            return failed("A sector of the window beside the stream is wrong.")
    free = next(slot for slot in range(check.number_of_slots) if slot not in used)
    causes = [fault.cause for fault in check.behaviour.faults]
    beyond = check.window_bytes + 1
    for slot, given, cause in ((free, size, Cause.SLOT), (used[0], 0, Cause.SHORT), (used[0], beyond, Cause.LONG)):
        own = replace(check.request(size), slot=slot)
        start = core.fill_window(slot, own.data, own.tweak, decrypt=own.decrypt)
        core.set("WINDOW_SIZE", given)
        core.set("WINDOW_REQUEST", start)
        core.until("WINDOW_STATUS", "DONE", 1, 4 * check.subject.timing.window)
        if core.get("WINDOW_STATUS") != 6 | causes.index(cause) << 8 or any(core.take("WINDOW_DATA_OUT", size)):
            return failed(f"A sector of the window that must be refused for {cause.name} is not.")
    return passed(f"{plays} sectors of the window, each beside 40 of the stream")


def zeroize_during_commands(check: EngineCheck) -> Finding:
    """Zeroize in cycles of a load and of an unload: no slot has a key, and the engine works on."""
    core, t = check.simulation, check.subject.timing
    moments = sorted({*range(0, t.load + 4, 1 if check.amount >= 64 else 7)})
    for name in ("LOAD", "UNLOAD"):
        for moment in moments:
            check.restart()
            check.fill(2)
            start = core.prepare(name, 1 if name == "LOAD" else 0, check.key())
            words = core.writes("KEY", core.place("CTRL")[1], start)
            script = Script(words=words, events=[zeroize_at(moment)], wanted={"key_b": 1}, quiet=t.load, capacity=4)
            core.bus(script)
            core.until("STATUS", "READY", 1, 2 * t.zeroize + t.selftest)
            check.slots_now = {}
            command = core.get("CTRL")
            if command & 2:
                core.set("CTRL", 2)
            elif command & 1:
                return failed(f"A {name} hangs after zeroize {moment} cycles after its write.")
            for slot in (0, 1, check.number_of_slots - 1):
                core.set("SLOT_SELECT", slot)
                loads_after = name == "LOAD" and slot == 1
                if core.get("SLOT_STATE") and not loads_after:
                    return failed(f"Slot {slot} has a key after zeroize {moment} cycles after the write of a {name}.")
            core.set("ZEROIZE", 1)
            core.until("STATUS", "READY", 1, 2 * t.zeroize)
            check.command("LOAD", 1, check.key())
            requests = check.in_slots(check.requests(3), [1, 0])
            if difference := check.wrong(requests, check.stream(requests), check.slots_now):
                return failed(f"{difference} Zeroize came {moment} cycles after the write of a {name}.")
    return passed(f"zeroize {moments[0]} to {moments[-1]} cycles after the write that starts a load, and an unload")


def secrets_on_the_bus(check: EngineCheck) -> Finding:
    """Every register, read before, in and after commands and sectors: none shows four bytes of a key."""
    check.restart()
    core, t = check.simulation, check.subject.timing
    keys, reads = [check.key() for _ in range(3)], 0
    words = {key[at : at + 4] for key in keys for at in range(len(key) - 3)}
    words |= {word[::-1] for word in words}
    for slot, key in enumerate(keys[:2]):
        start = core.prepare("LOAD", slot, key)
        for stage in ("written", "started", "ended"):
            if stage == "started":
                core.set("CTRL", start)
            if stage == "ended":
                core.finish()
            for name, each in core.maps.items():
                for register in each.registers:
                    for index in range(min(register.count, 16)):
                        value, _ = core.read(name, register.offset + 4 * index)
                        reads += 1
                        if value and value.to_bytes(4, "little") in words:
                            return failed(f"{register.name} shows a word of a key, with its load {stage}.")
    core.wait(t.busy)
    return passed(f"{reads} reads of every register, none with a word of a key")


def buses(check: EngineCheck) -> Finding:
    """Addresses without a register are refused; words of a bus pause and responses wait, and nothing else changes."""
    check.restart()
    core = check.simulation
    for name, each in core.maps.items():
        inside = {register.offset + 4 * index for register in each.registers for index in range(register.count)}
        holes = [at for at in range(0, 1 << each.address_bits, 4) if at not in inside]
        tried = [int(at) for at in check.rng.permutation(holes)[: check.few(24)]]
        ends = {register.end ^ bit for register in each.registers for bit in (0, *(4 << n for n in range(12)))}
        tried += sorted(ends & set(holes))
        for at in tried:
            answers: Mapping[str, int] = {"write": core.write(name, at, 1), "read": core.read(name, at)[1]}
            for what, response in answers.items():
                if response != 2:
                    return failed(f"A {what} at {at:x}h of map {name} has response {response}, must be 2.")
        if core.read(name, tried[0])[0]:
            return failed(f"A refused read of map {name} has a word that is not 0.")
        for register in each.registers:
            written = any(field.access is not Access.RO for field in register.fields)
            if not written and (response := core.write(name, register.offset, 1)) != 2:
                return failed(f"A write of {register.name}, which is read only, has response {response}, must be 2.")
    core.set("SLOT_SELECT", 0x1234)
    select = core.place("SLOT_SELECT")[1]
    for strobe, value, right in ((1, 0xFFFF, 0x12FF), (2, 0x5600, 0x56FF), (12, 0xFFFF0000, 0x56FF), (0, 0, 0x56FF)):
        core.write("ENGINE", select, value, strobe)
        if (got := core.get("SLOT_SELECT")) != right:
            return failed(f"SLOT_SELECT is {got:x}h after a write with strobe {strobe}, must be {right:x}h.")
    for lane in range(REGISTER_BYTES):  # a byte as a processor writes and reads it
        response, value = core.write("ENGINE", select + lane, 0xAB << 8 * lane, 1 << lane), core.get("SLOT_SELECT")
        right = right & ~(0xFF << 8 * lane) | 0xAB << 8 * lane & 0xFFFF
        if (response, value) != (0, right) or core.read("ENGINE", select + lane) != (right, 0):
            return failed(
                f"SLOT_SELECT is {value:x}h after a write of byte {lane}, response {response}; right is {right:x}h."
            )
    return passed("addresses of no register, read only registers, byte strobes, bytes")


CHECKS: dict[str, Callable[[EngineCheck], Finding]] = {
    "known answers": known_answers,
    "cycle contract": cycle_contract,
    "random slots": random_slots,
    "storms": storms,
    "refused commands": refused_commands,
    "limits of slots": limits_of_slots,
    "window beside the stream": window_beside_the_stream,
    "zeroize": zeroize_during_commands,
    "secrets on the bus": secrets_on_the_bus,
    "buses": buses,
    "registers": registers,
    "slot table": slot_table,
    "fault log": fault_log,
    "clearing": clearing,
    "both buses": both_buses,
    "every offset": every_offset,
}
"""Every check, in the order in which they run."""
