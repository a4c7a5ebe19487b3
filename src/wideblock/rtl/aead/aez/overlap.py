# SPDX-License-Identifier: Apache-2.0
"""The two passes over the pairs in a pipeline: the steps of a pair overlap with the steps of other pairs.

A call is loaded, goes through the pipeline, and gives a result ``CALL`` steps later, added to V. Each loop begins a
pair; the number of steps of a loop follows from the fields used by a pair.
"""

from collections.abc import Sequence

from .assembler import ACCEPT, LOAD, Microprogram, Parts, beside, cleared, go, merged
from .offsets import Power, Tweak
from .step import AES4, WIDTHS, Acc, Added, Base, Carry, Cond, Count, Enter, Operand, OperandSource, Out, Row, Text

__all__ = ["CALL", "first_pass", "overlapped", "second_pass"]

CALL = 1 + len(AES4)
"""Steps from the load of a call to the result."""


def overlapped(
    track: Sequence[Parts], loop: Sequence[Parts], last: Parts, *, least: int, leave: int | None = None
) -> tuple[list[Parts], list[Parts]]:
    """The steps of a loop, which begins a pair in the first step beside pairs under way, and the steps after the loop.

    track: the steps of a pair, over any number of loops
    loop:  further fields of the loop's first steps, with Count.NEXT; last: further fields of the last step
    leave: the last step before leaving the loop, from 0; None: the loop's last step

    The loop has the fewest steps, ``least`` or more, without a field used twice by pairs and loop. Raises ValueError if
    no number of steps is possible.
    """
    for interval in range(max(least, len(loop)), len(track) + 1):
        own = beside(loop, [*[{}] * (interval - 1), last])
        try:
            return _overlapped(track, own, interval - 1 if leave is None else leave)
        except ValueError:
            continue
    raise ValueError(f"no loop of {least} to {len(track)} steps has each field once a step")


def _overlapped(track: Sequence[Parts], loop: Sequence[Parts], leave: int) -> tuple[list[Parts], list[Parts]]:
    counted = next(at for at, parts in enumerate(loop) if parts.get("count") is Count.NEXT)

    def pairs(at: int, more: bool) -> list[Parts]:
        """Steps of all pairs that are ``at`` steps, or whole loops more, behind their first one."""
        cycles = range(at, len(track), len(loop))
        return [_of_pair(track[cycle], back + more) for back, cycle in enumerate(cycles)]

    steps = [merged(own, *pairs(at, at > counted)) for at, own in enumerate(loop)]
    return steps, [merged(*pairs(at, leave >= counted)) for at in range(leave + 1, len(track))]


def _of_pair(parts: Parts, back: int) -> Parts:
    """The step of a pair that is ``back`` before the one in hand."""
    if back >= 1 << WIDTHS["read_back"]:
        raise ValueError(f"the rows of a pair {back} before that in hand cannot be reached")
    return {**parts, **{f"{port}_back": back for port in ("read", "write") if parts.get(port) in (Row.W, Row.X)}}


def _loop() -> list[Parts]:
    """The offset of the next pair's first call; the pair is counted."""
    tweaks = [{"tweak": Tweak.NEXT}, {"tweak": Tweak.NEXT, "power": Power.AFTER_8}, {"tweak": Tweak.PAIR}]
    return beside(tweaks, [{"bit": bit} for bit in (3, 2, 1)], [{}, {"count": Count.NEXT}])


def first_pass(p: Microprogram) -> None:
    """W_i = M_i + E(1, i; M'_i), X_i = M'_i + E(0, 0; W_i), and the sum of all X_i.

    The first call of a pair is loaded when the next block is accepted: if the message ends in the next block with less
    than 16 bytes, the pair is part of the fragment. Both blocks of the pair are still in the row of X and in T.
    """
    track: list[Parts] = [{}] * (2 * CALL + 1)
    track[0] = {**LOAD, "operand": Operand.H, "carry": Carry.H, "enter": Enter.WHOLE, "text": Text.H}
    track[CALL - 1] = {"read": Row.X}
    w = {"base": Base.ROW, "write": Row.W, "source": OperandSource.V}
    track[CALL] = {**LOAD, **w, "added": Added.INNER, "carry": Carry.CARRIED, "enter": Enter.SAME}
    track[2 * CALL] = {"base": Base.CARRIED, "write": Row.X, "source": OperandSource.V, "acc": Acc.ADD}
    taken = {**ACCEPT, "write": Row.INCOMING, "source": OperandSource.INPUT, **go("last", Cond.INPUT_LAST)}
    steps, after = overlapped(track, beside([taken], _loop()), go("pair"), least=3, leave=0)

    p.step(**ACCEPT, write=Row.X, source=OperandSource.INPUT, **go("only", Cond.INPUT_LAST))
    p.name("pair")
    p.run(steps)
    p.name("last")
    p.run(after)
    if p.short:
        p.step(**go("cut", Cond.CUTS))
    p.step(**go("below 16", Cond.BELOW_16))
    p.step(count=Count.NEXT, **go("last block"))


def second_pass(p: Microprogram) -> None:
    """Y_i = W_i + S', Z_i = X_i + S', S' = E(2, i; S); C'_i = Y_i + E(0, 0; Z_i), C_i = Z_i + E(1, i; C'_i). H is S.

    Z_i is kept in the row of X_i; Y_i, and then C'_i, go with the calls. The rows of a pair are cleared when they were
    read for the last time.
    """
    first, second, third = CALL, 2 * CALL, 3 * CALL  # results
    track: list[Parts] = [{}] * (third + 1)
    track[0] = {**LOAD, "operand": Operand.H, "added": Added.SECOND, "enter": Enter.SECOND}
    track[first - 2] = {"read": Row.W}
    track[first - 1] = {"text": Text.MEMORY, "read": Row.X}
    z = {"base": Base.ROW, "write": Row.X, "source": OperandSource.V}
    track[first] = {**LOAD, **z, "added": Added.INNER, "carry": Carry.Y, "gather": 1, "enter": Enter.SAME}
    c = {"base": Base.CARRIED, "added": Added.FIRST, "carry": Carry.V, "enter": Enter.SAME}
    track[second] = {**LOAD, **c, **cleared(Row.W)}
    track[third - 1] = {"read": Row.X}
    track[third] = {"base": Base.ROW, "out": Out.PAIR, **cleared(Row.X)}
    steps, after = overlapped(track, _loop(), go("pair out", Cond.MORE), least=p.spacing or 1)

    p.name("pair out")
    p.run(steps)
    p.run(after)
