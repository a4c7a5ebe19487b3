# SPDX-License-Identifier: Apache-2.0
"""Stages of a sector alone as rows of a table, for documents."""

from .play import play
from .stage import After, Flow

__all__ = ["HEAD", "rows"]

HEAD = ("stage", "steps", "takes", "waits for", "first step", "last step", "last result")


def rows(flow: Flow) -> list[tuple[str, ...]]:
    """A row a stage, in the order of their first steps; cycles are counted from the first beat accepted, cycle 0."""
    steps = play(flow, 1).steps
    return [
        (
            stage.name,
            str(stage.steps),
            ", ".join(sorted({lane for lane in stage.lanes if lane})) or "-",
            ", ".join(_awaited(after) for after in stage.after) or "-",
            str(steps[stage.name][0]),
            str(steps[stage.name][-1]),
            str(steps[stage.name][-1] + stage.latency),
        )
        for stage in sorted(flow.stages, key=lambda stage: steps[stage.name][0])
    ]


def _awaited(after: After) -> str:
    """The awaited step, and the cycles from its result to the waiting step."""
    if after.step is None:
        which = f"each step of {after.stage}" if after.per == 1 else f"each {after.per} steps of {after.stage}"
    else:
        which = {-1: f"{after.stage}", 0: f"first step of {after.stage}"}.get(
            after.step, f"step {after.step} of {after.stage}"
        )
    return which if after.delay == 1 else f"{which}, {after.delay} cycles"
