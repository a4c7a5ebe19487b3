# SPDX-License-Identifier: Apache-2.0
"""Proof that every row of every memory is zero within a number of cycles after ``zeroize`` began, held or not.

Two claims about the exported Verilog. Each part of a core with clearing has a
:class:`~wideblock.rtl.stream.clearing.Clearing`.

Writes: in a cycle of clearing each memory writes zero to the whole row named by the clearing. Proved bit by bit, for
all values of registers, memories and inputs.

Walk: clearing begins in the cycle after ``zeroize``, for a pulse and for a level, and after every other cause. The
first row named is row 0, each cycle names the next row, and clearing ends after all rows were named. Proved by
induction over time.

Conclusion: every row is zero once clearing has lasted a cycle a row, and stays zero until the end of clearing.
"""

import time

from wideblock.export.contract import Contract
from wideblock.rtl.bus.key_map import KEY_MAP, KeyCommand
from wideblock.rtl.bus.registers import REGISTER_BYTES
from wideblock.rtl.stream.behaviour import Cause
from wideblock.verify.formal.flat import DATAPATH, Flat, closed_memories, flatten
from wideblock.verify.formal.induction import Rule, prove
from wideblock.verify.formal.proof import NotApplicable, NotProved, Proof
from wideblock.verify.formal.rules import family
from wideblock.verify.formal.rules.parts import resetting
from wideblock.verify.formal.substitution import Bit, CellNetlist, Values, Write

__all__ = ["prove_forgets"]

_CLEAR = "clearing.clear"


def prove_forgets(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves that each row of each memory is zero some cycles after ``zeroize`` began, and until clearing ends.

    Of an engine: after ZEROIZE of either bus, damage and a failed self-test, too. ``flat`` is proved in place of the
    core's own Verilog. Raises :class:`NotProved`.
    """
    start = time.monotonic()
    closed = DATAPATH if core.enclosed else family(core).output(core).closed
    if inside := closed_memories(core, closed):
        raise NotProved(f"{core.module}: memories that are written in closed parts: {', '.join(inside)}")
    flat = flat or flatten(core, closed)
    net = CellNetlist(flat)
    if not net.writes:
        raise NotApplicable("the core has no memory")
    walks = _walks(flat, net)
    memories = _rows(core, net, walks)
    rows = max(1 << flat.widths[row] for row in walks)
    if rows >= core.timing.zeroize:
        raise NotProved(f"{core.module}: {rows} rows are not cleared in {core.timing.zeroize} cycles")
    walk = prove(core, _walk(core, flat, walks), flat)
    return Proof(
        f"{rows + 1} cycles after zeroize{_causes(core)} began, a pulse or a level, and until clearing ends, each row "
        f"of {', '.join(memories)} is zero",
        f"constant propagation over single cycles; {walk.method}",
        net.gates,
        len(net.registers),
        time.monotonic() - start,
    )


def _causes(core: Contract) -> str:
    return " by port, bus or command, damage or a failed self-test" if core.registers else ""


def _walks(flat: Flat, net: CellNetlist) -> dict[str, str]:
    """The signals that name rows during clearing, each with the path of the clearing.

    Signals of the clearings, and registers of parts with a row counter beside the first clearing. Raises
    :class:`NotProved` for a core without clearing.
    """
    plain = Values(net, {})
    parts = [name.removesuffix(".clear") for name in flat.widths if name.endswith(_CLEAR)]
    if not parts:
        raise NotProved(f"{flat.module}: no part {_CLEAR.partition('.')[0]!r} walks over the rows of its memories")
    walks = {f"{part}.row": part for part in parts if f"{part}.row" in flat.widths}
    known = {bit for row in walks for bit in plain.all(net.bits(row))}
    for name in flat.widths:
        bits = plain.all(net.bits(name)) if name.endswith(".clear_row") else []
        if bits and set(bits) <= set(net.registers) - known:
            walks[name] = parts[0]
            known |= set(bits)
    return walks


def _rows(core: Contract, net: CellNetlist, walks: dict[str, str]) -> list[str]:
    """The memories of a core; proves that each writes zero to the row named by a walk of ``walks`` during clearing."""
    plain = Values(net, {})
    rows = {row: plain.all(net.bits(row)) for row in walks}
    clears = {part: dict.fromkeys(plain.all(net.bits(f"{part}.clear")), "1") for part in walks.values()}
    clearing = {part: Values(net, given) for part, given in clears.items()}
    written: dict[str, set[int]] = {}
    for write in net.writes:
        of = [clearing[part] for row, part in walks.items() if _names(clearing[part], write, rows[row])]
        if not of:
            raise NotProved(f"{core.module}: {write.memory} is not written in the row that is cleared")
        values = of[0]
        enables = values.all(write.enable)
        if any(enable != "0" and values.of(data) != "0" for data, enable in zip(write.data, enables, strict=True)):
            raise NotProved(f"{core.module}: a word that is written to {write.memory} while clearing may not be zero")
        always = {bit for bit, enable in enumerate(enables) if enable == "1"}
        written[write.memory] = written.get(write.memory, set()) | always
    for memory, bits in written.items():
        if len(bits) < next(len(write.data) for write in net.writes if write.memory == memory):
            raise NotProved(f"{core.module}: {memory} may not be written in a cycle of clearing")
    return list(written)


def _names(values: Values, write: Write, row: list[Bit]) -> bool:
    """Whether a write is to ``row``, or to the row of the low bits."""
    return values.all(write.address) == row[: len(write.address)]


def _walk(core: Contract, flat: Flat, walks: dict[str, str]) -> Rule:
    """The rule of the rows that the ``walks`` name, and of what begins clearing."""
    signals: dict[str, str] = {}
    begins, text = _beginnings(core, signals)
    parts = list(dict.fromkeys(walks.values()))
    for number, (row, part) in enumerate(walks.items()):
        bits = flat.widths[row]
        of = parts.index(part)
        signals |= {f"{name}{of}": f"{part}.{name}" for name in ("clear", "left", "last", "zeroize")}
        signals[f"row{number}"] = row
        damaged = f"{part.rpartition('.')[0]}.damaged"
        own = [f"damaged{of}"] if damaged in flat.widths else []
        signals |= {name: damaged for name in own}
        text += f"""
      reg begun{number};
      reg [{bits}:0] since{number}; // cycles of clearing before this one, without a gap
      always @(posedge {core.shell.clock}) begin
        begun{number} <= zeroize{of};
        since{number} <= !clear{of} || {resetting(core)} ? 0 : since{number} + (since{number} != {1 << bits});
      end
      always @* begin
        {" ".join(f"assert (!({condition}) || zeroize{of});" for condition in (*begins, *own))}
        assert (clear{of} || !begun{number} && (since{number} == 0 || since{number} == {1 << bits}));
        assert (since{number} == {1 << bits} || since{number} == row{number});
        assert (since{number} == {1 << bits} || !clear{of} || since{number} + left{of} >= {(1 << bits) - 1});
        assert (!last{of} || left{of} == 0 && clear{of});
      end"""
    return Rule("clearing goes over all rows from 0 on, whatever zeroize does", signals, text)


def _beginnings(core: Contract, signals: dict[str, str]) -> tuple[list[str], str]:
    """Causes of clearing, and the rule of causes by failure; adds the signals of the rule to ``signals``."""
    if not core.registers:
        return ["zeroize"], ""
    path = "core.core." if core.headed else "core."
    signals |= {"failed": f"{path}failed", "of_bus": f"{path}file.zeroize_start", "wrong": f"{path}selftest.failed"}
    signals |= {
        f"key_{name}": f"{path}key_bus.access__{name}" for name in ("write_address", "write_data", "write_strobe")
    }
    signals |= {"key_write": f"{path}key_bus.access__write", "refused": f"{path}key_bus.access__refused"}
    signals |= {"accepts": f"{path}commands.ready"}
    control = f"key_write_address == {KEY_MAP.offset('CTRL') // REGISTER_BYTES} && key_write_strobe[0]"
    command = f"key_write_data[1:0] == 1 && key_write_data[5:2] == {KeyCommand.ZEROIZE}"
    signals |= {"faults": f"{path}gate.core_faults"}
    made = core.component.core if core.headed else core.component
    damage = [number for number, fault in enumerate(made.gate.core_causes) if fault.cause is Cause.DAMAGE]
    fails = " || ".join(("failed", "wrong", *(f"faults[{number}]" for number in damage)))
    return (
        ["zeroize", "failed", "of_bus", f"key_write && {control} && {command} && accepts && !refused"],
        f"""
      reg fails;
      always @(posedge {core.shell.clock}) fails <= ({fails}) && !({resetting(core)});
      always @* begin assert (!fails || failed); end""",
    )
