# SPDX-License-Identifier: Apache-2.0
"""The checks of an engine's registers: what each holds and shows, the log of faults, and the table of slots."""

from dataclasses import replace

from wideblock.drive.sector.traffic import Request
from wideblock.rtl.bus.engine_facts import GONE, NOT_RUN
from wideblock.rtl.bus.key_map import DONE, KAT_KEY, KeyCommand, started
from wideblock.rtl.bus.registers import REGISTER_BYTES, Access, Register
from wideblock.rtl.stream.behaviour import Cause
from wideblock.verify.core.report import Finding, failed, passed
from wideblock.verify.engine.check import BATCH, LOCKED, NO_DECRYPT, NO_ENCRYPT, EngineCheck, Slot

__all__ = ["fault_log", "registers", "slot_table"]

AT_REST = {"STATUS": "READY APPROVED", "SELFTEST": "DONE PASSED", "IRQ_STATUS": "SELFTEST CLEARED", "CTRL": "RDY"}
"""Flags that are 1 when the self-test after reset has ended; all other bits of fields changed by the engine are 0."""


def registers(check: EngineCheck) -> Finding:
    """Every register after reset; random words with random strobes in all storing registers; flags that a 1 clears or
    sets; a key written byte by byte."""
    check.restart()
    core = check.simulation
    places = [
        (name, register, index)
        for name, each in core.maps.items()
        for register in each.registers
        for index in range(register.count)
        if register.name != "WINDOW_DATA_OUT"
    ]
    words: dict[tuple[str, int], int] = {}
    for name, register, index in places:
        offset = register.offset + REGISTER_BYTES * index
        words[name, offset] = right = _at_rest(register)
        if (seen := core.read(name, offset)) != (right, 0):
            return failed(f"{register.name}[{index}] is {seen[0]:x}h after reset, must be {right:x}h.")
    kept = [(name, register, index) for name, register, index in places if _keeps(register)]
    writes = 8 * len(kept)
    for n in range(writes):
        name, register, index = kept[n % len(kept) if n < 2 * len(kept) else check.number(0, len(kept) - 1)]
        offset = register.offset + REGISTER_BYTES * index
        value, strobe = check.number(0, 2**32 - 1), check.number(0, 15)
        if n < 2 * len(kept):  # all ones, then all zeros
            value, strobe = (2**32 - 1) * (n < len(kept)), 15
        mask = sum(0xFF << 8 * byte for byte in range(4) if strobe >> byte & 1) & _written(register)
        core.write(name, offset, value & ~_starts(register), strobe)
        words[name, offset] = words[name, offset] & ~mask | value & mask
        if n % 32 == 31 or n == writes - 1:
            for (where, at), right in words.items():
                if (seen := core.read(where, at)) != (right, 0):
                    return failed(f"The word at {at:x}h of map {where} is {seen[0]:x}h, must be {right:x}h.")
    core.set("CTRL", DONE)
    if difference := _cleared(check) or _flags(check) or _key_in_bytes(check) or _held_responses(check):
        return failed(difference)
    return passed(f"{len(places)} registers after reset, {writes} writes with strobes to {len(kept)} of them; flags")


def _at_rest(register: Register) -> int:
    """The word of a register when the self-test after reset has ended."""
    flags = AT_REST.get(register.name, "").split()
    fields = (field for field in register.fields if field.access.readable)
    return sum((1 if field.name in flags else field.reset) << field.low for field in fields)


def _keeps(register: Register) -> bool:
    """Whether it keeps what is written, and nothing else happens."""
    accesses = {field.access for field in register.fields}
    return Access.RW in accesses and accesses <= {Access.RW, Access.W1P} and register.name != "CTRL"


def _written(register: Register) -> int:
    return sum(field.mask for field in register.fields if field.access is Access.RW)


def _starts(register: Register) -> int:
    return sum(field.mask for field in register.fields if field.access is Access.W1P)


def _cleared(check: EngineCheck) -> str | None:
    """The first word of METD and AUX that is not 0 after the word's command."""
    core = check.simulation
    kept = (register for register in core.maps["KEY"].registers if _keeps(register))
    words = [(register.name, index) for register in kept for index in range(register.count)]
    for name, index in words:
        core.set(name, 2**32 - 1, index)
    core.put("MEK", check.key())
    core.set("CTRL", started(KeyCommand.LOAD))
    if (error := core.finish()) != "METD":
        return f"A load with every bit of METD set ends with {error}."
    for name, index in words:
        if core.get(name, index):
            return f"{name}[{index}] is not 0 after a command."
    return None


def _held_responses(check: EngineCheck) -> str | None:
    """The first wrong response where responses wait, and addresses come before and after words."""
    core = check.simulation
    for name in core.maps:
        place = "METD" if name == "KEY" else "SLOT_SELECT"
        offset, other = core.place(place)[1], core.place("AUX_MODE" if name == "KEY" else "WINDOW_SIZE")[1]
        values = [check.number(0, 0xFFFF) for _ in range(24)]
        written = [core.writes(name, offset if n % 2 else other, value) for n, value in enumerate(values)]
        script, answer = core.gathered(name, written, offer=0.5, take=0.4)
        if any(core.bus(script).words[answer]["resp"]) or (core.read(name, offset)[0], core.read(name, other)[0]) != (
            values[-1],
            values[-2],
        ):
            return f"Writes of map {name} whose responses wait do not end with the last words."
        reads = [core.reads(name, offset if n % 2 else other) for n in range(24)]
        script, answer = core.gathered(name, reads, offer=0.5, take=0.4)
        seen = [int.from_bytes(data.tobytes(), "little") for data in core.bus(script).words[answer]["data"]]
        if seen != [values[-1] if n % 2 else values[-2] for n in range(24)]:
            return f"Reads of map {name} whose responses wait give other words."
        core.set("CTRL", DONE)
    return None


def _flags(check: EngineCheck) -> str | None:
    """The first flag that a 1 does not clear or set alone, or that changes by a 0."""
    core = check.simulation
    for bit in range(8):
        core.set("IRQ_STATUS", 0xFF)
        core.command("NONE")  # sets COMMAND
        if (seen := core.get("IRQ_STATUS")) != 1:
            return f"IRQ_STATUS is {seen:x}h after a command, must be 1h."
        core.set("IRQ_STATUS", 1 << bit)
        if (seen := core.get("IRQ_STATUS")) != (bit != 0):
            return f"IRQ_STATUS is {seen:x}h after a clear of bit {bit}, must be {int(bit != 0)}h."
    policy = 0
    for bit in check.rng.permutation(5).tolist():
        core.set("POLICY", 1 << bit)
        core.set("POLICY", 0)
        policy |= 1 << bit
        if (seen := core.get("POLICY")) != policy:
            return f"POLICY is {seen:x}h, must be {policy:x}h."
    before = core.get("LIMIT_LO")
    response = core.write(*core.place("LIMIT_LO"), before ^ 0xFFFFFFFF)
    if response != 2 or core.get("LIMIT_LO") != before:
        return f"A write of LIMIT_LO, which is frozen, has response {response}, or changes it."
    core.set("WINDOW_SIZE", 16)
    core.set("WINDOW_REQUEST", core.fill_window(0, bytes(16), bytes(check.shape.tweak_bytes)))
    if (seen := core.get("WINDOW_STATUS")) != 6 | GONE << 8:
        return f"WINDOW_STATUS is {seen:x}h after a request to the closed window, must be {6 | GONE << 8:x}h."
    return None


def _key_in_bytes(check: EngineCheck) -> str | None:
    """The first difference under a key with words written byte by byte over older words."""
    check.restart()
    core, key = check.simulation, check.key()
    start = core.prepare("LOAD", 1, check.random(len(key)))
    for at in check.rng.permutation(len(key)).tolist():
        map_name, offset = core.place("MEK", at // REGISTER_BYTES)
        lane = at % REGISTER_BYTES
        other = int.from_bytes(check.random(REGISTER_BYTES), "little") & ~(0xFF << 8 * lane)
        core.write(map_name, offset, other | key[at] << 8 * lane, 1 << lane)
    core.set("CTRL", start)
    if (error := core.finish()) != "OK":
        return f"A load of a key that was written byte by byte ends with error {error}."
    check.note("LOAD", 1, key, 0)
    requests = check.in_slots(check.requests(4), [1])
    return check.wrong(requests, check.stream(requests), check.slots_now)


def fault_log(check: EngineCheck) -> Finding:
    """Faults of each cause that requests can have: the count up to where it stays, the first one's slot, the clear."""
    check.restart()
    core, size = check.simulation, check.least
    full = core.maps["ENGINE"].register("FAULT_COUNT").field("COUNT").mask  # a counter stays there
    check.command("LOAD", 0, check.key())
    check.command("LOAD", 1, check.key(), NO_ENCRYPT | NO_DECRYPT)
    third = check.number_of_slots > 2
    if third:
        check.command("LOAD", 2, check.key())
    way = check.behaviour.directions[0]
    check.set_limit(1)
    check.stream([replace(check.request(size, decrypt=way), slot=2)])
    core.set("LIMIT_HI", 1)  # the slot stays exhausted
    good = Request(bytes(size), bytes(check.shape.tweak_bytes), way)
    wrong = {Cause.SLOT: replace(good, slot=3 | check.number(0, 0xFF) << 8), Cause.FORBIDDEN: replace(good, slot=1)}
    if short := size - (check.shape.beat_bytes if check.fixed else 1):
        wrong[Cause.SHORT] = replace(good, data=bytes(short))
    if check.fixed:
        wrong[Cause.LONG] = replace(good, data=bytes(size + check.shape.beat_bytes))
    if tweaks := check.behaviour.length.tweaks:
        wrong[Cause.TWEAK] = replace(good, tweak=bytes(tweaks.most + 1))
    if third:
        wrong[Cause.LIMIT] = replace(good, slot=2)
    if len(check.behaviour.directions) == 1:
        wrong[Cause.DIRECTION] = replace(good, decrypt=not way)
    causes = list(wrong)
    bits = {fault.cause: bit for bit, fault in enumerate(check.behaviour.faults)}
    for slot in (check.number(0x100, 0xFFFF) for _ in range(8)):
        core.set("FAULT_CLEAR", 1)
        check.stream([replace(good, slot=slot)])
        if (seen := core.get("FIRST_FAULT")) != (right := slot | bits[Cause.SLOT] << 16 | 1 << 31):
            return failed(f"FIRST_FAULT is {seen:x}h, must be {right:x}h.")
    core.set("FAULT_CLEAR", 1)
    counts = dict.fromkeys(bits.values(), 0)
    for number in (1, check.number(2, 9), 1 << 8, 0):
        # a counter is full after seconds of simulation: in a small run it is that of one cause
        few = 1 if not number and check.amount < BATCH else len(causes)
        for cause in (causes[n] for n in check.rng.permutation(len(causes))[:few].tolist()):
            bit, many = bits[cause], number or full - counts[bits[cause]] + 2
            core.set("IRQ_STATUS", 0xFF)
            check.stream([wrong[cause]] * many)
            if not any(counts.values()) and (seen := core.get("FIRST_FAULT")) != (
                right := wrong[cause].slot | bit << 16 | 1 << 31
            ):
                return failed(f"FIRST_FAULT is {seen:x}h, must be {right:x}h.")
            counts[bit] = min(counts[bit] + many, full)
            if core.field("IRQ_STATUS", "FAULT") != 1:
                return failed(f"IRQ_STATUS.FAULT is 0 after {many} faults.")
            for n, right in counts.items():
                if (seen := core.get("FAULT_COUNT", n)) != right:
                    return failed(f"FAULT_COUNT[{n}] is {seen}, must be {right}.")
    core.set("FAULT_CLEAR", 1)
    if any(core.get("FAULT_COUNT", n) for n in counts) or core.get("FIRST_FAULT"):
        return failed("The log has faults after a clear.")
    filled = sum(count == full for count in counts.values())
    return passed(f"{len(wrong)} causes, {filled} of them up to {full} faults, the first fault, and the clear")


def slot_table(check: EngineCheck) -> Finding:
    """State, blocks and limits of slots as registers show them, keys of known answers, and the self-test on demand."""
    check.restart()
    core, last = check.simulation, check.number_of_slots - 1
    core.set("WARN_HI", 0)
    core.set("WARN_LO", 5)
    blocks, aux = dict.fromkeys(range(min(4, last + 1)), 0), {}
    for slot in blocks:
        if slot % 4 != 3:
            aux[slot] = check.number(0, 7) if slot else 0
            check.command("LOAD", slot, check.key(), aux[slot])
    sizes = (16, 80, 16 * check.number(8, 40), 16 * check.number(100, 200), 1 << 17)
    length = check.behaviour.length
    for size in (max(length.least, min(size, length.most)) for size in sizes):
        requests = [replace(check.request(size), slot=slot) for slot in blocks]
        check.stream(requests)
        for request in requests:
            if check.fault_of(request, check.slots_now) is None:
                blocks[request.slot] += -(-size // 16)
        for number in (*blocks, check.number_of_slots, check.number(1, 0xFF) << 8, 1 << 15 | 1):
            core.set("SLOT_SELECT", number)
            state = aux.get(number)
            warned = blocks.get(number, 0) >= 5
            right = 0 if state is None else 1 | (state & LOCKED) | (state & 3) << 4 | warned << 6
            if (seen := core.get("SLOT_STATE")) != right:
                return failed(f"SLOT_STATE of slot {number} is {seen:x}h, must be {right:x}h.")
            used = core.get("SLOT_BLOCKS_LO"), core.get("SLOT_BLOCKS_HI")
            if used != (blocks.get(number, 0), 0):
                return failed(f"SLOT_BLOCKS of slot {number} is {used}, must be {blocks.get(number, 0)}.")
    return _limits(check, blocks[0]) or _tests(check)


def _limits(check: EngineCheck, used: int) -> Finding | None:
    """The first limit of a single bit that counts wrongly for slot 0, after ``used`` blocks of the slot's key."""
    core = check.simulation
    fields = (field for half in ("LO", "HI") for field in core.maps["ENGINE"].register(f"LIMIT_{half}").fields)
    for bit in reversed(range(sum(field.bits for field in fields))):
        check.set_limit(1 << bit)
        used += -(-check.least // 16)
        check.stream([replace(check.request(check.least), slot=0)])
        core.set("SLOT_SELECT", 0)
        spent = used >= 1 << bit
        if core.field("SLOT_STATE", "EXHAUSTED") != spent:
            return failed(f"A key with {used} blocks is {'not ' if spent else ''}exhausted under a limit of 2^{bit}.")
        if spent:
            return None
    return None


def _tests(check: EngineCheck) -> Finding:
    """Keys of known answers, shown in the state of approval, and the self-test with the slot in use and free."""
    check.restart()
    core, last = check.simulation, check.number_of_slots - 1

    def approved() -> bool:
        return bool(core.field("STATUS", "APPROVED"))

    for slot in (0, last):
        core.command("LOAD_KAT", slot)
        check.slots_now[slot] = Slot(KAT_KEY[: check.shape.key_bytes], kat=True)
        if approved():
            return failed(f"STATUS.APPROVED is 1 with the key of known answers in slot {slot}.")
    check.command("UNLOAD", 0)
    for slot, number, right in ((last, NOT_RUN, 0), (None, 0, 1)):
        if slot is None:
            check.command("UNLOAD", last)
            if approved():
                return failed("STATUS.APPROVED is 1 although the last self-test did not run.")
        core.set("SELFTEST", 1)
        core.until("SELFTEST", "DONE", 1, check.subject.timing.selftest + 64)
        seen = core.field("SELFTEST", "PASSED"), core.field("SELFTEST", "FAILED"), core.field("STATUS", "FATAL")
        if seen != (right, number, 0) or approved() != bool(right):
            return failed(f"A self-test with its slot {'free' if right else 'in use'} ends with {seen}.")
    return passed(
        "slots that exist and others, blocks, limits of each bit, approval, the self-test with and without slot"
    )
