# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The parts of a sector core with hash, encryption and hash that do not depend on the encryption."""

from collections.abc import Callable, Mapping, Sequence

from amaranth import Module, Signal, Value

from wideblock.errors import UserError
from wideblock.rtl.flow.cycles import cycles_of
from wideblock.rtl.flow.stage import After, Flow
from wideblock.rtl.hash.products import HashEvent
from wideblock.rtl.hash.program import Program
from wideblock.rtl.hash.unit import HashPass, HashUnit
from wideblock.rtl.keys.context import Context
from wideblock.rtl.keys.material import KeyWord
from wideblock.rtl.stream.admission import Admission
from wideblock.rtl.stream.queue import PromisedQueue
from wideblock.rtl.stream.stages import power_of_two

from .parameters import HashedParameters
from .store_and_forward import StoreAndForward

__all__ = ["TwoPass", "raised", "shortest", "tail_meets"]

Programs = dict[str, Program]


class TwoPass(StoreAndForward):
    """Hash units and the queue before the back hash: the parts of the families with a front and a back hash.

    Without ``overlap`` a hash unit serves both passes of a sector at a time. With ``overlap`` each pass has a hash
    unit, and the sectors follow each other at the rate of the lanes.

    programs: of the passes ``"front"`` and ``"back"``
    flow:     of a sector
    early:    events raised a cycle early
    key_used: with key slots, cycle of a sector's first read of each word of a key, the hash key left out
    inverse_used: cycle of the first read of the last round keys; None without a read
    ahead:    cycles by which the control is ahead of the data, in the hash units, too

    Timing, Paths: as :class:`StoreAndForward`.
    """

    def __init__(
        self,
        parameters: HashedParameters,
        programs: Programs,
        *,
        cipher_latency: int,
        flow: Flow,
        early: Sequence[HashEvent] = (),
        ahead: int = 0,
        key_used: Mapping[KeyWord, int] | None = None,
        inverse_used: int | None = None,
    ):
        p = parameters
        self.programs = programs
        self.queue_depth = power_of_two(
            ahead + cipher_latency + 8
        )  # what the lanes hold, and may wait for a multiplier

        self.flow = flow
        cycles = cycles_of(flow, overlap=p.overlap, queue=p.gate_beats)
        context = self._context(programs, key_used or {}, inverse_used) if p.slots else None
        copies, banks = (context.powers, self.under_way(cycles, ahead)) if context else ((), 1)

        def unit(programs):
            return HashUnit(
                programs,
                width=p.width,
                leaf=p.leaf,
                squares=p.squares,
                ahead=early,
                reading=self.reading,
                lag=ahead,
                copies=copies,
                banks=banks,
            )

        if p.overlap:
            self.units = {name: unit({name: program}) for name, program in programs.items()}
        else:
            self.units = dict.fromkeys(programs, unit(programs))
        super().__init__(
            parameters,
            cipher_latency=cipher_latency,
            cycles=cycles,
            depths=[
                cipher_latency + p.mult_stages + 2,
                *(unit.depth for unit in self.units.values()),
                self.queue_depth,
            ],
            loading=max(unit.setup for unit in self.units.values()),
            ahead=ahead,
            context=context,
        )

    def _context(self, programs: Programs, key_used: Mapping[KeyWord, int], inverse: int | None) -> Context:
        """The context of a slot: a power is read at the first step of its products, the back pass after the front."""
        first: dict[int, int] = {}
        for behind, name in ((0, "front"), (programs["front"].steps, "back")):
            for issue in programs[name].issues:
                for e in (*issue.product.powers, *filter(None, [issue.product.constant])):
                    first[e] = min(first.get(e, behind + issue.step), behind + issue.step)
        return Context.of(self.key_material(self.parameters), used=key_used, powers=first, inverse=inverse)

    # Hardware

    def _hashes(self, m: Module) -> tuple[HashPass, HashPass]:
        """The hash units, and in them the passes front and back."""
        m.submodules.front_hash = self.units["front"]
        if self.parameters.overlap:
            m.submodules.back_hash = self.units["back"]
        return self.units["front"].hash_pass("front"), self.units["back"].hash_pass("back")

    def _enter_front(self, m: Module, front: HashPass, admit: Value) -> Signal:
        """The way in, up to the front hash. Returns ``opening``: a sector's first beat is taken."""
        ready = 1 if self.ahead else front.ready  # with the control ahead it is in ``admit``
        opening = self._enter(m, admit=admit, offer=front.beat, ready=ready, first=front.first)
        m.d.comb += front.restart.eq(self._spoiled)
        return opening

    def _admit(
        self, m: Module, admit: Value, front: HashPass, opening: Value, *, taken: Value, computed: Value, left: Value
    ) -> Admission:
        """Drives ``admit`` for the beats of sectors that may begin, or have; see :meth:`_admission` for the rest."""
        ahead = self.ahead > 0
        admission = self._admission(m, opening, taken=taken, computed=computed, left=left, registered=ahead)
        if ahead:
            m.d.comb += [
                admission.ready_next.eq(front.ready_next),
                admission.first.eq(front.first),
                admission.first_next.eq(front.first_next),
                admit.eq(admission.free),
            ]
        else:
            m.d.comb += admit.eq(~front.first | admission.free)
        return admission

    def _queue(self, m: Module, *, parts: int, step: Value, write: Value, beat: Value) -> PromisedQueue:
        """The beats that wait for the back hash; ``parts`` steps of the lanes make a ``beat``."""
        keys = self.key_unit
        m.submodules.queue = queue = PromisedQueue(
            width=len(beat),
            depth=self.queue_depth,
            parts=parts,
            clear_row_bits=len(keys.clear_row),
            late=len(beat) if self.ahead else 0,
        )
        m.d.comb += [
            queue.step.eq(step),
            queue.write.eq(write),
            queue.data.eq(beat),
            queue.clear.eq(keys.clear),
            queue.clear_row.eq(keys.clear_row),
        ]
        return queue


def raised(stage: str, program: Program, event: HashEvent, *, delay: int = 0, behind: int = 0) -> After:
    """``delay`` cycles after ``program``, whose steps ``stage`` has, raises ``event``, which comes after the last beat.

    behind: steps of ``stage`` in which the program waits for the last beat
    """
    done = program.done(event)
    step = min(done, program.steps - 1)
    return After(stage, step + behind, delay=done - step + delay)


def shortest(p: HashedParameters, least: int, make: Callable[[int | None], Programs | None]) -> Programs:
    """The first programs of ``make`` for a period from ``least`` on; without overlap no period.

    Raises UserError if no period has programs.
    """
    error = None
    for period in range(least, 2 * least + 64) if p.overlap else (None,):
        try:
            if programs := make(period):
                return programs
        except ValueError as failed:
            error = failed
    raise UserError(f"no schedule for {p.m} blocks, width {p.width}, mult_stages {p.mult_stages}: {error}")


def tail_meets(front: Program, behind: int) -> bool:
    """Whether the tail takes a multiplier that the next sector's head needs, which waits ``behind`` steps at the last
    beat: the head would be held for another cycle.
    """
    last, steps = (front.beats - 1) * front.stride, front.steps
    tail = {(issue.step - steps, issue.multiplier) for issue in front.issues if issue.step >= steps}
    head = {(issue.step + behind, issue.multiplier) for issue in front.issues if last <= issue.step < steps}
    return behind > 0 and bool(tail & head)
