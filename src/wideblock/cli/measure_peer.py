# SPDX-License-Identifier: Apache-2.0
"""``wideblock measure-peer``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wideblock.cli.app import Json, as_json, stages
from wideblock.cli.display import out, table
from wideblock.cli.flow import STORE, Mhz, Nextpnr, Routed, Seed, Store, Targets, Yosys, names_of
from wideblock.evaluate import peer
from wideblock.evaluate.run import Design, build
from wideblock.evaluate.store import add, check
from wideblock.evaluate.tables import HEAD, row
from wideblock.synth.targets import target as target_of

EXAMPLE = "Example: [b]wideblock measure-peer aes/src/rtl --top aes_core --bytes 16 --interval 53 --target ecp5[/b]"


def measure_peer(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Directory of the Verilog files, *.v.")],
    top: Annotated[str, typer.Option(metavar="NAME", help="Module to measure.")],
    size: Annotated[int, typer.Option("--bytes", metavar="N", min=1, help="Bytes that it takes at a time.")],
    interval: Annotated[int, typer.Option(metavar="N", min=1, help="Cycles from one such input to the next.")],
    latency: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Cycles from first input to last output.")
    ] = None,
    clock: Annotated[str | None, typer.Option(metavar="PORT", help="Clock port; default: by its name.")] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name in documents; default: repository and module.")
    ] = None,
    repository: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Repository; default: the directory's git remote.")
    ] = None,
    commit: Annotated[
        str | None, typer.Option(metavar="HASH", help="Commit; default: the one that git has checked out.")
    ] = None,
    licence: Annotated[
        str | None, typer.Option(metavar="SPDX", help="Licence; default: by the text of the licence file.")
    ] = None,
    target: Targets = None,
    routed: Routed = True,
    seed: Seed = 1,
    mhz: Mhz = None,
    options: Yosys = None,
    route_options: Nextpnr = None,
    store: Store = STORE,
    json: Json = False,
) -> None:
    """Measure Verilog of a further project by our flow, and store the point with the origin.

    The origin is repository, commit and licence. Bytes and interval are the core's own statement: nothing is simulated.
    """
    check(store)
    devices = [target_of(each) for each in names_of(target)]
    source = peer.source(directory, top)
    origin = peer.origin(directory, top, repository=repository, commit=commit, licence=licence)
    flow = {"routed": routed, "seed": seed, "mhz": mhz, "options": options, "route_options": route_options}
    points = [peer.identify(name, origin, device, **flow) for device in devices]
    design = Design(source, clock or peer.clock_of(source), size, interval, latency)
    found = []
    with stages("synthesis") as report:
        for k, point in enumerate(points):
            report(point.name, k, len(points))
            found.append(build(point, lambda: design))
            add(store, found[-1])
    if json:
        as_json([asdict(point) for point in found])
    else:
        table(HEAD, map(row, found))
        out.print(f"{origin.repository} at {origin.commit}, {origin.licence}: {store}", markup=False)
