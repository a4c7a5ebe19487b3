# SPDX-License-Identifier: Apache-2.0
"""Place and route by nextpnr: the clock of a core on a device."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from wideblock.errors import UserError
from wideblock.synth import process, yosys
from wideblock.synth.harness import harness
from wideblock.synth.process import FlowError
from wideblock.synth.targets import Fpga, Router, fpga
from wideblock.synth.yosys import Source

__all__ = ["ClockReport", "CriticalPath", "place", "tools"]

NETLIST, REPORT = "netlist.json", "clock.json"


@dataclass(frozen=True)
class CriticalPath:
    """The slowest path from register to register: where, how long (ns), and through how many cells.

    ``levels`` counts cells between the registers, carry cells and wide multiplexers included.
    """

    start: str
    end: str
    logic_ns: float
    routing_ns: float
    levels: int


@dataclass(frozen=True)
class ClockReport:
    """Figures that nextpnr reports after routing.

    mhz:           highest clock at which the slowest register-to-register path still holds; the router
                   knows no limit of the clock network itself
    utilisation:   site type to (used, available), the harness included
    luts, ffs:     positions used by the core, the harness's subtracted
    harness_luts, harness_ffs: what was subtracted
    """

    target: str
    part: str
    top: str
    mhz: float
    target_mhz: float
    seed: int
    path: CriticalPath
    luts: int
    ffs: int
    harness_luts: int
    harness_ffs: int
    utilisation: Mapping[str, tuple[int, int]]
    tools: tuple[str, ...]
    command: str


@dataclass(frozen=True)
class _Netlist:
    """A core in the harness, for nextpnr, with the making and the additions of the harness."""

    json: str
    command: str
    ffs: int
    luts: int


def place(
    source: Source,
    target: Fpga,
    *,
    clock: str,
    mhz: float = 200,
    seed: int = 1,
    options: Sequence[str] = (),
    route_options: Sequence[str] | None = None,
    timeout: float | None = None,
) -> ClockReport:
    """Clock of ``source`` on ``target``, inside a scan harness.

    clock:         the core's clock port
    mhz:           what the router aims at; it may miss it
    options:       arguments of the synthesis pass beyond the target's own
    route_options: those of place and route; None for the target's
    timeout:       most seconds of each of the two tools
    Equal arguments and tools give an equal result. An AES core takes minutes; another seed, ``mhz`` or option of the
    route right after it is not synthesised again.
    """
    router = target.router
    if router is None:
        raise UserError(f"target {target.name!r} gives area only: there is no open place and route for it")
    if mhz <= 0:
        raise UserError(f"mhz must be positive, got {mhz!r}")
    tools(target)
    core = _netlist(source, target.name, clock, tuple(options), timeout)
    arguments = [*router.arguments, *router.chosen(route_options), "--json", NETLIST, "--report", REPORT]
    arguments += ["--freq", f"{mhz:g}", "--seed", str(seed), "--timing-allow-fail"]
    report = _routed(core, router, arguments, timeout)
    _, achieved, path = _clock(report)
    used = {site: (count["used"], count["available"]) for site, count in sorted(report["utilization"].items())}
    return ClockReport(
        target=target.name,
        part=target.part,
        top=source.top,
        mhz=round(achieved, 2),
        target_mhz=mhz,
        seed=seed,
        path=path,
        luts=used[router.comb][0] - core.luts,
        ffs=used[router.ff][0] - core.ffs,
        harness_luts=core.luts,
        harness_ffs=core.ffs,
        utilisation=used,
        tools=tools(target),
        command=f"{core.command}; {router.package.removeprefix('yowasp-')} {' '.join(arguments)}",
    )


def _routed(core: _Netlist, router: Router, arguments: Sequence[str], timeout: float | None) -> dict:
    """Places and routes the netlist; returns the router's report."""
    module = router.package.replace("-", "_")
    start = f"import sys; from {module} import {router.entry} as run; sys.exit(run(sys.argv[1:]))"
    with process.workspace(None) as where:
        (where / NETLIST).write_text(core.json)
        process.run(
            router.package.removeprefix("yowasp-"),
            [sys.executable, "-c", start, *arguments],
            cwd=where,
            log=where / "route.log",
            timeout=timeout,
        )
        return json.loads((where / REPORT).read_text())


@lru_cache(maxsize=1)  # the seeds and target clocks of a core come one after another
def _netlist(
    source: Source,
    target: str,
    clock: str,
    options: tuple[str, ...],
    timeout: float | None,
) -> _Netlist:
    """Synthesises ``source`` in a scan harness."""
    device = fpga(target)
    assert device.router
    with process.workspace(None) as where:
        wrapped = harness(source, yosys.ports(source, directory=where), clock=clock)
        area, files = yosys.netlist(wrapped.source, device, where, options=options, timeout=timeout)
        netlist = files.json.read_text()
    return _Netlist(netlist, area.command, wrapped.ffs, wrapped.luts)


def tools(target: Fpga) -> tuple[str, ...]:
    """Synthesis and router of ``target``, with their versions. Raises FlowError if one is missing."""
    if target.router is None:
        return (yosys.tool(),)
    package = target.router.package
    version = process.version(package, wanted="'wideblock[pnr]'")
    return yosys.tool(), f"{package} {version}"


def _clock(report: dict) -> tuple[str, float, CriticalPath]:
    """Net, MHz and slowest path of the only clock in a nextpnr report."""
    if len(report["fmax"]) != 1:
        raise FlowError(f"one clock expected in the routed design, found {sorted(report['fmax'])}")
    ((net, fmax),) = report["fmax"].items()
    for candidate in report["critical_paths"]:
        if candidate["from"] == candidate["to"] == f"posedge {net}":
            hops = candidate["path"]
            routing = [hop for hop in hops if hop["type"] == "routing"]
            delay = sum(hop["delay"] for hop in routing)
            return (
                net,
                fmax["achieved"],
                CriticalPath(
                    start=hops[0]["from"]["cell"],
                    end=hops[-1]["to"]["cell"],
                    logic_ns=round(sum(hop["delay"] for hop in hops) - delay, 3),
                    routing_ns=round(delay, 3),
                    levels=sum(hop["type"] == "logic" for hop in hops),
                ),
            )
    raise FlowError(f"the routed design has no path from register to register on {net}")
