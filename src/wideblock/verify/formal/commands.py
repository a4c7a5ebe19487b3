# SPDX-License-Identifier: Apache-2.0
"""Proof, by cones, that commands of a core with slots change no handshake of other slots' messages."""

import time

from amaranth.lib.wiring import In

from wideblock.export.contract import Contract
from wideblock.rtl.stream.influence import OutcomeInfluence
from wideblock.verify.formal.cone import Cone, Graph
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.proof import NotApplicable, NotProved, Proof
from wideblock.verify.formal.rules.parts import ALONE, NO_SLOTS

__all__ = ["prove_commands"]

_KNOWN, _FORGET = "core.key_unit.known", "core.key_unit.forget"
"""High if the slot that a message names has a key; as clearing begins."""


def prove_commands(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves that keys and evictions reach the handshakes of the other streams through a message's slot alone.

    A handshake may depend on whether the slot has a key as the message begins, on clearing, begun by ``zeroize`` or by
    damage of a stored key, and on the verdict on a sealed sector. ``flat`` is proved in place of the core's own
    Verilog. Raises :class:`NotProved` with a path, and :class:`NotApplicable` for a core of one key and for an engine,
    whose self-test waits for commands.
    """
    if core.enclosed:
        raise NotApplicable(ALONE)
    start = time.monotonic()
    flat = flat or flatten(core)
    if _KNOWN not in flat.widths:
        raise NotApplicable(NO_SLOTS)
    graph = Graph(flat.netlist("memory_collect"))
    outputs, given = list[str](), list[str]()
    for stream in core.shell.streams:
        inward = stream.channel.flow is In
        if stream.channel.name == "key":
            given += [stream.valid, *stream.payload]
        elif inward:
            outputs.append(stream.ready)
        else:
            outputs.append(stream.valid)
    outcomes = [each for each in core.behaviour.influences if isinstance(each, OutcomeInfluence)]
    declared = (_KNOWN, _FORGET, *(f"core.{each.signal}" for each in outcomes))
    cut = {bit for signal in declared for bit in graph.signal(signal) if isinstance(bit, int)}
    cone = Cone(graph, (bit for name in outputs for bit in graph.ports[name] if isinstance(bit, int)), cut)
    for name in given:
        for bit in graph.ports[name]:
            if isinstance(bit, int) and bit in cone:
                raise NotProved(f"{core.module}: commands reach a handshake: {' -> '.join(cone.path(bit))}")
    return Proof(
        f"no bit of the key stream influences {', '.join(outputs)} but by whether the slot that a unit names has a "
        f"key, and by clearing{', and by verdicts on sectors' if core.parameters.icv_bytes else ''}",
        "backward cone of the netlist",
        len(graph.cells),
        graph.registers,
        time.monotonic() - start,
    )
