# SPDX-License-Identifier: Apache-2.0
"""The check of a core's whole state after zeroize: every register and memory, as the model holds them."""

from dataclasses import dataclass

from wideblock.rtl.stream.behaviour import LengthClass
from wideblock.simulation.bench import State
from wideblock.simulation.script import NEVER
from wideblock.verify.core.check import Clear, clears, differing, needs_state
from wideblock.verify.core.report import Finding, failed, passed
from wideblock.verify.sector.check import SectorCheck

__all__ = ["Life", "life", "state_after_zeroize"]


@dataclass(frozen=True)
class Life:
    """The state of a core after a life with a key, and the part of a sector at which the source was at the end."""

    state: State
    within: int


def life(
    check: SectorCheck,
    moment: int,
    *,
    sectors: int = 64,
    kind: LengthClass | None = None,
    clear: Clear | None = None,
) -> Life:
    """A life of a new instance: a random key, sectors back to back, and a clear in cycle ``moment`` after the key.

    sectors: that the source has; with 1 it is soon between two
    kind:    class of their lengths; None: the usual one
    clear:   the clear, after whose cycles the state is taken; None: a pulse of zeroize, and the stated cycles
    """
    clear = clear or clears(moment, check.subject.timing.zeroize)[0]
    with check.fresh() as core:
        check.record(core.script(keys=check.keys(None), quiet=0, noise=True))
        requests = check.of(kind or check.classes[0], sectors)
        limit = moment + clear.cycles
        script = core.requests(requests, events=list(clear.events), noise=True, quiet=NEVER, limit=limit)
        record = check.record(script, seed=check.play_seed(), played=sectors)
        return Life(core.simulation.save(), record.within)


@needs_state
def state_after_zeroize(check: SectorCheck) -> Finding:
    """The state after zeroize is the same whatever the key, the data and the moment: nothing of them is left.

    The rule holds while a level of zeroize is high, and after a pulse amid a clear.

    While a key is set up, how far that came may show, but nothing of the key. Where the source is inside a sector, that
    may show, but nothing of the sector.
    """
    setup, words = check.subject.timing.preparation, check.shape.key_words
    moments = [max(1, moment - (words - 1)) for moment in check.moments(11 + check.few(12))]  # after the last word
    early = sorted({moment for moment in moments if moment < setup})
    for moment in early:
        first, second = life(check, moment), life(check, moment)
        if first.state != second.state:
            return failed(_explain(first, second, f"zeroize in cycle {moment} of the set-up of two keys"))
    right = {0: life(check, setup, sectors=0)}
    usual, *others = check.classes
    late = [(moment, usual, sectors) for moment in moments if moment >= setup for sectors in (1, 64)]
    late += [(moment, kind, 64) for kind in others for moment in check.sweep(kind)]
    for moment, kind, sectors in late:
        seen = life(check, moment, sectors=sectors, kind=kind)
        other = right.setdefault(seen.within, seen)
        if seen.state != other.state:
            when = f"zeroize {moment} cycles after a key, amid sectors ({kind.name}), and under another key"
            return failed(_explain(seen, other, when))
    for moment in (early[:1] + [moment for moment, _, _ in late][:: max(1, len(late) // 2)])[:4]:
        for clear in clears(moment, check.subject.timing.zeroize)[1:]:
            first, second = life(check, moment, clear=clear), life(check, moment, clear=clear)
            if first.within == second.within and first.state != second.state:
                return failed(_explain(first, second, f"{clear.name}, from cycle {moment} after two keys on"))
    size = sum(map(len, right[0].state.values()))
    times = (
        f"pulses, levels and two pulses: {len(early)} moments of set-up and {len({each[:2] for each in late})} later"
    )
    if others:
        times += f", amid sectors of each class of lengths: {', '.join(kind.name for kind in check.classes)}"
    return passed(f"{size} bytes of state, the same after zeroize at {times}")


def _explain(one: Life, other: Life, when: str) -> str:
    return (
        f"After {when}, the core holds different values of {differing(one.state, other.state)}: they are not cleared."
    )
