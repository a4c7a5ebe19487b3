# SPDX-License-Identifier: Apache-2.0
"""The check of the limits of a slot."""

from dataclasses import replace

from wideblock.rtl.bus.key_map import KAT_KEY
from wideblock.rtl.stream.behaviour import Cause
from wideblock.verify.core.report import Finding, failed, passed
from wideblock.verify.engine.check import NO_DECRYPT, NO_ENCRYPT, EngineCheck, Slot

__all__ = ["limits_of_slots"]


def limits_of_slots(check: EngineCheck) -> Finding:
    """Directions, the key of known answers, and a limit of blocks, in the stream and in the window."""
    check.restart()
    core = check.simulation
    for slot, aux in ((0, NO_ENCRYPT), (1, NO_DECRYPT)):
        check.command("LOAD", slot, check.key(), aux)
    requests = check.in_slots(check.requests(24), [0, 1])
    if difference := check.wrong(requests, check.stream(requests), check.slots_now):
        return failed(difference)
    check.restart()
    if (error := core.command("LOAD_KAT", 0)) != "OK":
        return failed(f"LOAD_KAT ends with error {error}.")
    check.slots_now[0] = Slot(KAT_KEY[: check.shape.key_bytes], kat=True)
    requests = check.in_slots(check.requests(8), [0])
    if difference := check.wrong(requests, check.stream(requests), check.slots_now):
        return failed(difference)
    least = -(-check.behaviour.length.least // 4) * 4
    request = check.request(min(check.window_bytes, max(least, 16)))
    right = check.pool.answers(KAT_KEY[: check.shape.key_bytes], [request])[0]
    if core.window(0, request.data, request.tweak, decrypt=request.decrypt) != (right, None):
        return failed("A sector of the window under the key of known answers is wrong.")
    if difference := _block_limit(check) or _limit_raised(check):
        return failed(difference)
    return passed("directions, the key of known answers, a limit of blocks, and a limit that is raised")


def _block_limit(check: EngineCheck) -> str | None:
    """The first error of a limit: sectors up to it pass, later sectors are dropped, and another slot goes on."""
    check.restart()
    core, t = check.simulation, check.subject.timing
    used = [0, 1]
    for slot in used:
        check.command("LOAD", slot, check.key())
    size = check.behaviour.usual
    whole = check.number(3, 6)
    limit = whole * -(-size // 16)
    check.set_limit(limit)
    first = [replace(check.request(size), slot=used[0]) for _ in range(whole)]
    if difference := check.wrong(first, check.stream(first), check.slots_now):
        return difference
    core.wait(t.busy)
    more = [replace(check.request(size), slot=slot) for slot in (used[0], used[1], used[0])]
    record = check.stream(more)
    if [value for _, value in record.faults] != [check.behaviour.fault(Cause.LIMIT)] * 2:
        return f"Faults are {record.faults}, of a slot that has processed {limit} blocks, its limit."
    if [sector for sector, _ in check.left(record)] != check.pool.answers(check.slots_now[used[1]].key, [more[1]]):
        return "A sector of another slot than the exhausted one is wrong."
    return None


def _limit_raised(check: EngineCheck) -> str | None:
    """The first error where LIMIT is raised after a sector has reached it and before the next one, admitted, ends.

    The next one may begin too late to be admitted, and is refused then; the one after it always is.
    """
    check.restart()
    check.command("LOAD", 0, check.key())
    core, size = check.simulation, check.behaviour.usual
    check.set_limit(-(-size // 16))
    raised = 2 * check.subject.timing.interval + 16
    requests = [replace(check.request(size), slot=0) for _ in range(3)]
    script = check.script(requests, [])
    script.words["i"]["earliest"][script.places[script.ends[1] - 1]] = raised + 16
    script.words["i"]["earliest"][script.heads[2]] = raised + 64
    words = core.writes("ENGINE", core.place("LIMIT_LO")[1], 0xFFFFFFFF)
    for channel in words.values():
        channel["earliest"] = raised
    script.words = {**script.words, **words}
    record = check.record(script, seed=check.play_seed(), played=len(requests))
    refused = [value for _, value in record.faults]
    if refused not in ([check.behaviour.fault(Cause.LIMIT)] * n for n in (1, 2)):
        return f"Faults are {refused}, of three sectors of a slot; the first reached LIMIT, then LIMIT was raised."
    right = check.pool.answers(check.slots_now[0].key, requests[: -len(refused)])
    if [sector for sector, _ in check.left(record)] != right:
        return "A sector of a slot is wrong whose LIMIT was raised after it had been reached."
    return None
