# SPDX-License-Identifier: Apache-2.0
"""Areas and clocks: every preset on 7 series and on standard cells, and cores where a run found figures before.

Place and route has a single seed, for the best build of each part and of each scheme, broken schemes apart.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wideblock import catalog
from wideblock.catalog import Status
from wideblock.evaluate.best import of_cores, of_schemes, representatives
from wideblock.evaluate.point import Identity, Point, point_of
from wideblock.evaluate.run import identify, measure, settings
from wideblock.evaluate.store import own, typical
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.renewal.question import Question, Renewer
from wideblock.synth.process import FlowError
from wideblock.synth.targets import Asic, target, targets

__all__ = ["BUILDS", "Points"]

FIRST = "xc7"
"""Target of the table in the README."""

BUILDS = {FIRST: {}, "nangate45": {"sbox": "composite"}}
"""Targets for every preset, with the changes of a preset's parameters; tables of all presets show the same builds."""

WORTH, OF_README = 2, 10
"""Worth of a point, and of a point in the table of the README."""


class Points(Renewer):
    """Synthesis, and place and route where the target has it."""

    kinds = (EvidenceKind.AREA, EvidenceKind.CLOCK)
    usual = 300.0

    def questions(self, names: Sequence[str], evidence: Sequence[Evidence]) -> Iterator[Question]:
        points = own(filter(None, map(point_of, evidence)))
        first = set(representatives().values())
        parts = (point for point in of_cores(points) if point.identity.preset in catalog.PARTS)
        best = {point.identity.flow for point in (*filter(_unbroken, of_schemes(points)), *parts)}
        earlier = [point.identity for point in typical(points) if point.identity.preset in names]
        shown = [each for each in earlier if each.seed is not None and each.flow in best]
        every = [_built(name, target, changes) for name in names for target, changes in BUILDS.items()]
        for known in (*(each for each in earlier if each.seed is None), *shown, *every):
            yield _question(known, OF_README if known.target == FIRST and known.name in first else WORTH)

    def code(self, question: Question) -> None:
        return None

    def answers(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        for question in questions:
            asked = question.method
            seed = {"routed": asked["seed"] is not None, "seed": asked["seed"]}
            flow = {"mhz": asked["aim_mhz"], "options": asked["options"], "route_options": asked["route_options"]}
            yield measure(identify(question.core, question.changed, target(question.subject), **seed, **flow)).evidence


def _unbroken(point: Point) -> bool:
    return catalog.PRESETS[point.identity.preset].scheme.status is not Status.BROKEN


def _built(name: str, target: str, changes: Mapping[str, Any]) -> Identity:
    """A preset or part on a ``target``, with the ``changes`` of its own parameters."""
    parameters = vars(catalog.preset_or_part(name).parameters)
    changed = {field: value for field, value in changes.items() if parameters.get(field, value) != value}
    core = {"preset": name, "changed": changed, "parameters": {}}
    timed = isinstance(targets[target], Asic)
    flow = {"target": target, "options": (), "seed": None, "aim_mhz": float(targets[target].aim_mhz) if timed else None}
    return Identity(**core, **flow, tools=(), version="", commit=None)


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
