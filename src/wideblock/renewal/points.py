# SPDX-License-Identifier: Apache-2.0
"""Areas and clocks: every preset on 7 series, and every point shown in documents, on the point's target."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wideblock.evaluate.best import representatives
from wideblock.evaluate.point import Identity, point_of
from wideblock.evaluate.run import identify, measure, settings
from wideblock.evaluate.store import current, own, typical
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.renewal.question import Question, Renewer
from wideblock.synth.process import FlowError
from wideblock.synth.targets import target

__all__ = ["Points"]

FIRST = "xc7"
"""Target on which every preset is measured."""

WORTH, OF_README = 2, 10
"""Worth of a point, and of a point in the table of the README."""


class Points(Renewer):
    """Synthesis, and place and route where the target has it."""

    kinds = (EvidenceKind.AREA, EvidenceKind.CLOCK)
    usual = 300.0

    def questions(self, names: Sequence[str], evidence: Sequence[Evidence]) -> Iterator[Question]:
        points = own(filter(None, map(point_of, evidence)))
        first = set(representatives().values())
        shown = {point.identity.flow for point in typical(points)}
        for point in current(points):
            known = point.identity
            if known.flow in shown and known.preset in names:
                yield _question(known, OF_README if known.target == FIRST and known.name in first else WORTH)
        for name in names:
            yield _question(_unchanged(name), OF_README if name in first else WORTH)

    def code(self, question: Question) -> None:
        return None

    def answers(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        for question in questions:
            asked = question.method
            seed = {"routed": asked["seed"] is not None, "seed": asked["seed"]}
            flow = {"mhz": asked["aim_mhz"], "options": asked["options"], "route_options": asked["route_options"]}
            yield measure(identify(question.core, question.changed, target(question.subject), **seed, **flow)).evidence


def _unchanged(name: str) -> Identity:
    """A preset as it is on the first target."""
    core = {"preset": name, "changed": {}, "parameters": {}}
    flow = {"target": FIRST, "options": (), "seed": None, "aim_mhz": None, "tools": ()}
    return Identity(**core, **flow, version="", commit=None)


def _question(known: Identity, worth: float) -> Question:
    """The question that a point answers, with today's options of the flow; blocked where a tool is missing."""
    asked, blocked = known, ""
    try:
        seed = {"routed": known.seed is not None, "seed": known.seed}
        options = {"options": known.options, "route_options": known.route_options or None}
        asked = replace(known, **settings(target(known.target), **seed, mhz=known.aim_mhz, **options))
    except FlowError as error:
        blocked = str(error)
    return Question(asked.kind, asked.target, asked.preset, asked.changed, asked.settings, worth, blocked)
