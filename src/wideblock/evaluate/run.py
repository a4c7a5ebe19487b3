# SPDX-License-Identifier: Apache-2.0
"""One measured point: a preset or part through synthesis and, where the target can, place and route."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wideblock import catalog
from wideblock.errors import UserError
from wideblock.evaluate.result import Result, result
from wideblock.export.contract import contract
from wideblock.export.verilog import part as part_verilog
from wideblock.synth.place import place
from wideblock.synth.targets import Target
from wideblock.synth.yosys import Source, synthesise

__all__ = ["run"]


def run(
    name: str,
    changes: Mapping[str, Any],
    target: Target,
    *,
    routed: bool = True,
    seed: int = 1,
    mhz: float = 200,
    options: Sequence[str] | None = None,
    stage: Callable[[str], None] = lambda text: None,
) -> Result:
    """Returns area of preset or part ``name`` on ``target`` and, if ``routed`` and the target can, its clock.

    seed:    of the placer                      mhz:   clock that the router aims at
    options: arguments of the synthesis pass    stage: is told, in a few words, what begins
    Raises UserError for a name or a change that does not exist, FlowError from the tools.
    """
    changed, parameters = {}, {}
    if name in catalog.PARTS:
        if changes:
            raise UserError(f"--set is for presets; {name} is a part")
        part = catalog.PARTS[name]
        source, clock_port = Source(part_verilog(name), name.replace("-", "_")), "clk"
        taken, interval = part.bytes, part.interval
    else:
        core = contract(name, changes)
        source, clock_port = Source(core.verilog, core.module), core.shell.clock
        parameters, changed = core.settings, dict(core.changed)
        taken, interval = core.behaviour.usual, core.timing.interval
    stage(f"{source.top} on {target.name}: synthesis")
    area = synthesise(source, target, options=options)
    clock = None
    if routed and target.places:
        stage(f"{source.top} on {target.name}: place and route")
        clock = place(source, target, clock=clock_port, seed=seed, mhz=mhz, options=options)
    return result(name, target, area, clock, changed=changed, parameters=parameters, bytes=taken, interval=interval)
