# SPDX-License-Identifier: Apache-2.0
"""Proofs of the stream rules of a sector core, on the Verilog that a user gets.

How a proof is made is in :mod:`wideblock.verify.formal.control`; what makes a rule inductive depends on the family of
the core, and is in the module of that family.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from wideblock.export.contract import Contract
from wideblock.export.verilog import verilog
from wideblock.rtl.sector.hash_counter_hash import HashCounterHash
from wideblock.rtl.sector.hash_ecb_hash import HashEcbHash
from wideblock.rtl.sector.single_pass import SinglePass
from wideblock.verify.formal import hash_counter_hash, hash_ecb_hash, single_pass
from wideblock.verify.formal.control import CLEAR, Rule, netlist, prove
from wideblock.verify.formal.multiplier import NotProved, Proof

__all__ = ["prove_clearing", "prove_held", "prove_no_paths", "prove_order", "prove_queue"]

INPUT_STREAMS = ("s_axis_", "m_axis_tready")
OUTPUT_STREAMS = ("m_axis_t", "s_axis_tready", "s_axis_key_tready")
REGISTERS = ("$dff", "$sdff", "$dffe", "$sdffe", "$adff")


@dataclass(frozen=True)
class _Family:
    """The rules of a family."""

    held: Callable[[Contract], Rule]
    queue: Callable[[Contract], Rule]
    order: Callable[[Contract], Rule] | None = None


FAMILIES: dict[type, _Family] = {
    HashCounterHash: _Family(hash_counter_hash.held, hash_counter_hash.queue, hash_counter_hash.order),
    HashEcbHash: _Family(hash_ecb_hash.held, hash_ecb_hash.queue, hash_ecb_hash.order),
    SinglePass: _Family(single_pass.held, single_pass.queue),
}


def prove_no_paths(core: Contract, text: str | None = None) -> Proof:
    """Proves that no input of a stream reaches an output of a stream without passing a register.

    ``text`` is checked in place of the core's Verilog. Every cell is taken to lead from each of its inputs to each of
    its outputs, memories from address to data, and so is every cipher and every multiplier; so a path may be seen that
    is none, never the reverse.
    """
    start = time.monotonic()
    top = netlist(core, text or verilog(core))
    after: dict[int, list[dict]] = {}
    registers = 0
    for cell in top["cells"].values():
        if cell["type"] in REGISTERS:
            registers += sum(len(bits) for pin, bits in cell["connections"].items() if pin == "Q")
            continue
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                for bit in bits:
                    after.setdefault(bit, []).append(cell)
    outputs = {
        bit: port
        for port, p in top["ports"].items()
        if port.startswith(OUTPUT_STREAMS)
        for bit in p["bits"]
        if p["direction"] == "output"
    }
    for port, p in top["ports"].items():
        if p["direction"] == "output" or not port.startswith(INPUT_STREAMS):
            continue
        reached = {bit for bit in p["bits"] if isinstance(bit, int)}
        todo = list(reached)
        while todo:
            bit = todo.pop()
            if bit in outputs:
                raise NotProved(f"{core.module}: a combinational path leads from {port} to {outputs[bit]}")
            for cell in after.get(bit, ()):
                for pin, bits in cell["connections"].items():
                    if cell["port_directions"][pin] == "output":
                        new = {b for b in bits if isinstance(b, int)} - reached
                        reached |= new
                        todo += new
    return Proof(
        "no combinational path from a stream's inputs to a stream's outputs",
        "search of the netlist",
        len(top["cells"]),
        registers,
        time.monotonic() - start,
    )


def prove_clearing(core: Contract, text: str | None = None) -> Proof:
    """Proves that a core that clears offers nothing, takes nothing and is not ready; nor takes beats without a key."""
    rule = Rule(
        "nothing is offered or taken while clearing, and no beat is taken unless ready",
        {"clear": CLEAR},
        """
      always @* begin
        if (clear) assert (!ready && !m_axis_tvalid && !s_axis_tready && !s_axis_key_tready);
        if (!ready) assert (!s_axis_tready);
      end""",
    )
    return prove(core, text or verilog(core), rule)


def prove_held(core: Contract, text: str | None = None) -> Proof:
    """Proves that a beat that is offered stays, with its data, ``tlast`` and ``tkeep``, until it is taken.

    Unless there is a reset, or clearing has begun. Of the family hash-counter-hash the order of sectors in the back
    hash is assumed, see :func:`wideblock.verify.formal.hash_counter_hash.held`; with overlap :func:`prove_order` proves
    it. Raises ValueError for a core that the argument does not fit.
    """
    text = text or verilog(core)
    rule = _family(core).held(core)
    held = [port.name for port in core.ports if port.name in ("m_axis_tdata", "m_axis_tlast", "m_axis_tkeep")]
    widths = {port.name: port.width for port in core.ports}
    registers = "".join(f"reg [{widths[name] - 1}:0] was_{name};\n" for name in held)
    samples = "".join(f"was_{name} <= {name};\n" for name in held)
    same = "".join(f"assert ({name} == was_{name});\n" for name in held)
    what = ", ".join(name.removeprefix("m_axis_") for name in held)
    rule = replace(
        rule,
        statement=f"a beat that is offered is held, {what}, until it is taken" + rule.statement,
        signals=rule.signals | {"clear": CLEAR},
        text=f"""{registers}
      reg waits = 0;
      always @(posedge aclk) begin
        waits <= m_axis_tvalid && !m_axis_tready && aresetn;
        {samples}
      end
      always @* if (waits && !clear) begin
        assert (m_axis_tvalid);
        {same}
      end
      {rule.text}""",
    )
    return prove(core, text, rule)


def prove_queue(core: Contract, text: str | None = None) -> Proof:
    """Proves of every queue of the core that it is never written when full nor read when empty.

    Raises ValueError for a core that has no queue.
    """
    text = text or verilog(core)
    return prove(core, text, _family(core).queue(core))


def prove_order(core: Contract, text: str | None = None) -> Proof:
    """Proves of a core with ``overlap`` that each stage works on sectors that it was given, and announces no others.

    Every stage's sector is tied to the next one's by what is between the two. The control words of the hash units are
    those of the core, not free. Raises ValueError for a core without ``overlap`` or with another order of events.
    """
    order = _family(core).order
    if order is None or not core.parameters.overlap:
        raise ValueError(f"{core.module} does not overlap the passes of sectors, so there is no order to prove")
    text = text or verilog(core)
    return prove(core, text, order(core))


def _family(core: Contract) -> _Family:
    return next(family for kind, family in FAMILIES.items() if isinstance(core.component, kind))
