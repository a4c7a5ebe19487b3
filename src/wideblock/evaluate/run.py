# SPDX-License-Identifier: Apache-2.0
"""One measured point: a preset or part through synthesis and, where the target can, place and route."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from functools import lru_cache
from typing import Any

from wideblock import catalog
from wideblock.catalog.changes import differences
from wideblock.catalog.parts import Part
from wideblock.evaluate.point import Clock, Failure, Figures, Identity, Point
from wideblock.evidence.code import code
from wideblock.evidence.today import exported
from wideblock.export.contract import contract
from wideblock.synth import asic, place
from wideblock.synth.asic import PreLayoutClock
from wideblock.synth.circuit import circuit
from wideblock.synth.place import ClockReport
from wideblock.synth.process import FlowError
from wideblock.synth.targets import Asic, Fpga, Target, fpga
from wideblock.synth.targets import target as target_of
from wideblock.synth.yosys import AreaReport, Source, synthesise

__all__ = ["Design", "attempt", "build", "design", "figures", "identify", "measure", "settings"]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Design:
    """Verilog of a core and its clock port; message, interval and latency."""

    source: Source
    clock: str
    bytes: int | None
    interval: int | None
    latency: int | None


def identify(name: str, changes: Mapping[str, Any], target: Target, **flow: Any) -> Identity:
    """The identity of a point before it is measured: preset or part ``name``, changed, on ``target``.

    flow: as :func:`settings`
    Raises UserError for a name or a change that does not exist; others as :func:`settings`.
    """
    chosen = catalog.preset_or_part(name)
    if isinstance(chosen, Part):
        parameters = chosen.changed(changes)
        values, changed = asdict(parameters), differences(parameters, chosen.parameters)
    else:
        core = contract(name, changes)
        values, changed = core.settings, dict(core.changed)
    return Identity(preset=name, changed=changed, parameters=values, **settings(target, **flow))


def settings(
    target: Target,
    *,
    routed: bool = True,
    seed: int | None = 1,
    mhz: float | None = None,
    options: Sequence[str] | None = None,
    route_options: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The fields of an :class:`Identity` that tell of the flow, whatever is measured.

    routed:  False for area alone where there is place and route
    seed:    of the placer, if routed         mhz: clock that the tools aim at; None for the target's own
    options: arguments of the synthesis pass
    route_options: those of place and route, if routed; None for the target's
    Raises UserError for an unknown option, FlowError for a missing tool.
    """
    options, (version, commit) = tuple(options or ()), code()
    router = target.router if isinstance(target, Fpga) and routed else None
    if isinstance(target, Asic):
        asic.check_options(target, options)
        tools, timed = asic.tools(target), True
    else:
        assert isinstance(target, Fpga)
        tools, timed = place.tools(target)[: None if router else 1], router is not None
    return {
        "target": target.name,
        "options": options,
        "route_options": router.chosen(route_options) if router else (),
        "seed": seed if router else None,
        "aim_mhz": float(mhz or target.aim_mhz) if timed else None,
        "tools": tools,
        "version": version,
        "commit": commit,
    }


def measure(identity: Identity) -> Point:
    """Measures the point.

    The point has version and commit of the process that measures. Raises FlowError from the tools, and if their
    versions here are not those of ``identity``.
    """
    here = identify(
        identity.preset,
        identity.changed,
        target_of(identity.target),
        routed=identity.seed is not None,
        seed=identity.seed,
        mhz=identity.aim_mhz,
        options=identity.options,
        route_options=identity.route_options,
    )
    if here.tools != identity.tools:
        raise FlowError(f"the tools are to be {', '.join(identity.tools)}; here are {', '.join(here.tools)}")
    return build(here, lambda: design(here))


def build(identity: Identity, design_of: Callable[[], Design]) -> Point:
    """Puts a design through the flow of ``identity``; its making counts as run time.

    Raises FlowError from the tools, and if nothing of the design is left.
    """
    started = time.monotonic()
    target, design = target_of(identity.target), design_of()
    mhz = identity.aim_mhz or target.aim_mhz
    log.info("%s on %s: synthesis", identity.name, target.name)
    if isinstance(target, Asic):
        area, clock = asic.synthesise(design.source, target, mhz=mhz, clock=design.clock, options=identity.options)
    else:
        assert isinstance(target, Fpga)
        area, clock = _area(design.source, target.name, identity.options), None
        if identity.seed is not None:
            log.info("%s on %s: place and route", identity.name, target.name)
            clock = place.place(
                design.source,
                target,
                clock=design.clock,
                seed=identity.seed,
                mhz=mhz,
                options=identity.options,
                route_options=identity.route_options,
            )
    if not area.area:
        raise FlowError(f"nothing of {design.source.top} is left after synthesis on {target.name}")
    seconds = round(time.monotonic() - started, 1)
    found = figures(target, area, clock, bytes=design.bytes, interval=design.interval, latency=design.latency)
    measured = replace(identity, circuit=circuit(design.source))
    return Point(measured, replace(found, seconds=seconds), date=date.today().isoformat())


@lru_cache(maxsize=1)  # the seeds and target clocks of a core come one after another
def _area(source: Source, target: str, options: tuple[str, ...]) -> AreaReport:
    return synthesise(source, fpga(target), options=options)


def attempt(identity: Identity) -> Point | None:
    """As :func:`measure`, but a failure of the tools, or for want of memory, is a point, too.

    None if the core still has the circuit whose digest is in ``identity``: its figures are known.
    """
    known, identity = identity.circuit, replace(identity, circuit=None)
    try:
        if known and circuit(design(identity).source) == known:
            return None
        return measure(identity)
    except FlowError as error:
        failure = Failure(str(error), error.log)
    except MemoryError:
        failure = Failure("the emission of the Verilog took more memory than a worker may", "")
    return Point(identity, None, failure, date.today().isoformat())


def figures(
    target: Target,
    area: AreaReport,
    clock: ClockReport | PreLayoutClock | None,
    *,
    bytes: int | None,
    interval: int | None,
    latency: int | None = None,
) -> Figures:
    """Reports of a core on a target as figures."""
    found = {field.name: getattr(area, field.name) for field in fields(Figures) if hasattr(area, field.name)}
    if isinstance(clock, ClockReport):
        found["command"] = clock.command
    rate = {"bytes": bytes, "interval": interval, "latency": latency}
    return Figures(part=target.part, unit=target.area_unit, clock=_clock(clock), seconds=None, **rate, **found)


def _clock(report: ClockReport | PreLayoutClock | None) -> Clock | None:
    if report is None:
        return None
    if isinstance(report, PreLayoutClock):
        checked = (report.checked.mhz, report.checked.tool) if report.checked else (None, None)
        ends = report.start, report.end
        return Clock(report.mhz, False, *ends, report.logic_ns, 0, report.levels, report.registers_ns, *checked)
    path = report.path
    return Clock(report.mhz, True, path.start, path.end, path.logic_ns, path.routing_ns, path.levels)


def design(identity: Identity) -> Design:
    """The core of ``identity`` as exported by the running code."""
    source = exported(identity.preset, identity.changed)
    if part := catalog.PARTS.get(identity.preset):
        timing = part.make(part.changed(identity.changed)).timing
        return Design(source, "clk", part.bytes, timing.interval, timing.latency)
    core = contract(identity.preset, identity.changed)
    cycles = {figure.name: figure.cycles for figure in core.timing.figures()}
    return Design(source, core.shell.clock, core.behaviour.usual, core.timing.interval, cycles.get("latency"))
