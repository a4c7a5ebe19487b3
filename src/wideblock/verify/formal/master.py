# SPDX-License-Identifier: Apache-2.0
"""The proof that the master of a core touches no page and no target but its own.

The engine inside is closed: its results may be anything at any time. Descriptors and rows of queues are free, too.
"""

import time
from dataclasses import replace

from wideblock.export.contract import Contract
from wideblock.rtl.bus.dma_map import WINDOWS
from wideblock.rtl.dma.sizes import BLOCK_ADDRESS_BITS, SEGMENT_BITS
from wideblock.rtl.dma.windows import PAGES, WINDOW_SET
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.induction import Rule, prove
from wideblock.verify.formal.proof import NotApplicable, Proof
from wideblock.verify.formal.rules.parts import resetting

__all__ = ["INSIDE", "prove_master"]

INSIDE = ("engine",)
"""The engine, closed in the proof."""

_LISTS = ("source_list", "target_list")

_LOOKUPS = {
    "read": ("core.reader.cutter.cut", "core.reader.cutter.next_at", "core.reader.cutter.permitted", "read"),
    "write": ("core.writer.cutter.cut", "core.writer.cutter.next_at", "core.writer.cutter.permitted", "write"),
    "fetch": (None, "core.fetch.reads__at", "core.fetch.permitted", "read"),
    "source_list": (None, "core.source_list.reads__at", "core.source_list.permitted", "read"),
    "target_list": (None, "core.target_list.reads__at", "core.target_list.permitted", "read"),
    "entry": (None, "core.completer.writes__at", "core.completer.permitted", "write"),
}
"""Lookups of windows: when, for which block, result, and the access."""


def prove_master(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of a core with a master where and when bursts begin, and that handshakes of the bus are kept.

    ``flat`` is proved in place of the core's own Verilog; the engine inside must be closed in ``flat``. Raises
    :class:`NotApplicable` for a core without a master.
    """
    if not core.mastered:
        raise NotApplicable("no master: units come and go by streams")
    start = time.monotonic()
    flat = flat or flatten(core, INSIDE)
    bursts, windows = prove(core, _bursts(core), flat), prove(core, _windows(core), flat)
    return replace(
        bursts,
        statement=f"{bursts.statement}; {windows.statement}",
        gates=bursts.gates + windows.gates,
        seconds=time.monotonic() - start,
    )


def _windows(core: Contract) -> Rule:
    """Results of lookups, and windows that stay."""
    signals = {"running": "core.running", "stopping": "core.stopping", "windows": "core.windows"}
    text = f"""
      reg [{WINDOW_SET.size - 1}:0] was_windows;
      reg was_reset = 1;
      always @(posedge {core.shell.clock}) begin was_windows <= windows; was_reset <= {resetting(core)}; end
      always @* begin assert (!(running && stopping)); end
      always @* if (!was_reset && (running || stopping)) assert (windows == was_windows);"""
    for name, (when, block, result, kind) in _LOOKUPS.items():
        signals |= {f"{name}_at": block, f"{name}_permitted": result}
        if when:
            signals[f"{name}_when"] = when
        text += f"""
      reg was_{name};
      reg [{BLOCK_ADDRESS_BITS - 1}:0] was_{name}_at;
      always @(posedge {core.shell.clock}) begin
        was_{name} <= {f"{name}_when" if when else "1"} && running;
        was_{name}_at <= {name}_at;
      end
      always @* if (was_{name} && !was_reset && running)
        assert ({name}_permitted == ({_within(f"was_{name}_at", kind)}));"""
    return Rule("a page is permitted if a window has it, and the windows stay while the rings run", signals, text)


def _within(at: str, kind: str) -> str:
    """Whether a window has the page of block ``at``, in Verilog on the windows of the cycle before."""
    row: dict[str, int] = {name: field.offset for name, field in WINDOW_SET.elem_shape}
    page = f"{at}[{BLOCK_ADDRESS_BITS - 1}:{BLOCK_ADDRESS_BITS - PAGES}]"
    hits = []
    for number in range(WINDOWS):
        start = number * WINDOW_SET.elem_shape.size
        base, last = (f"was_windows[{start + row[end]} +: {PAGES}]" for end in ("base", "last"))
        hits.append(f"(was_windows[{start + row[kind]}] && {page} >= {base} && {page} <= {last})")
    return " || ".join(hits)


def _bursts(core: Contract) -> Rule:
    """Places, times and handshakes of bursts."""
    signals = {"running": "core.running", "stopping": "core.stopping"}
    for kind, path in (("read", "core.reader.cutter"), ("write", "core.writer.cutter")):
        names = ("at", "beats", "last", "permitted", "valid", "left", "next_at", "in_list", "segment_left")
        signals |= {f"{kind}_{name}": f"{path}.{name}" for name in names}
    signals |= {f"job_{name}": f"core.writer.job.{name}" for name in ("address", "blocks", "units", "status")}
    signals |= {"takes": "core.writer.take", "to_begin": "core.writer.units_to_begin"}
    signals |= {"now_blocks": "core.writer.job_now.blocks", "begins": "core.writer.writes__begin"}
    signals |= {"read_put": "core.reads.put", "write_put": "core.writes.put"}
    signals |= {"fetches": "core.fetch.reads__accept", "reads": "core.reader.reads__accept"}
    signals |= {"completes": "core.completer.writes__accept"}
    signals |= {f"{name}_begins": f"core.{name}.reads__accept" for name in _LISTS}
    signals |= {f"{name}_beats": f"core.{name}.reads__beats" for name in _LISTS}
    signals |= {"cut": "core.writer.cutter.cut", "segment_take": "core.writer.cutter.segment_take"}
    signals |= {"segment": "core.writer.cutter.segment", "job_segments": "core.writer.job.segments"}
    for name, path, block in (
        ("fetch", "core.fetch", "reads__at"),
        ("entry", "core.completer", "writes__at"),
        *((each, f"core.{each}", "reads__at") for each in _LISTS),
    ):
        signals |= {f"{name}_{each}": f"{path}.{each}" for each in ("looked", "permitted")}
        signals[f"{name}_at"] = f"{path}.{block}"
    return Rule(
        "a burst has whole beats, lies in one page of 4 KiB, and begins only while the rings run, in a page that is "
        "permitted; a burst with results lies in the place of its unit in the target of the job, or in a segment of "
        "the job's list, and bursts of a unit have the blocks of the unit; valid stays with a stable "
        "payload until ready; a beat to write is 0 while not valid",
        signals,
        _begun(core) + _bus(core) + _stable(core) + _target(core),
    )


def _begun(core: Contract) -> str:
    """Bursts begin where permitted; a lookup is of the block in hand."""
    readers = ("fetch", *_LISTS)
    begins = {"fetch": "fetches", "entry": "completes", **{name: f"{name}_begins" for name in _LISTS}}
    reads = " + ".join((*(f"{begins[name]}" for name in readers), "reads"))
    place = "".join(f"{begins[name]} ? {name}_at : " for name in readers)
    text = f"""
      reg [{BLOCK_ADDRESS_BITS - 1}:0] {", ".join(f"was_{name}_at" for name in begins)}, ar_at, aw_at;
      wire [2:0] read_clients = {reads};
      always @(posedge {core.shell.clock}) begin
        {"".join(f"was_{name}_at <= {name}_at; " for name in begins)}
        if (read_clients != 0) ar_at <= {place}read_at;
        if (completes || begins) aw_at <= completes ? entry_at : write_at;
      end
      always @* begin
        assert (!(running && stopping));
        assert (read_put == (read_clients != 0) && write_put == (completes || begins));
        assert (read_clients <= 1 && !(completes && begins));
        assert (running || !read_put && !write_put);
        if (reads) assert (read_valid && read_permitted);
        if (begins) assert (write_valid && write_permitted);
      end"""
    for name, accepted in begins.items():
        text += f"""
      always @* begin
        if ({accepted}) assert ({name}_looked && {name}_permitted);
        if (running && {name}_looked) assert ({name}_at == was_{name}_at);
      end"""
    for name in _LISTS:
        text += f"""
      always @* if ({name}_begins) assert ({name}_beats != 0 && {{1'b0, {name}_at[7:0]}} + {name}_beats <= 256);"""
    for kind in ("read", "write"):
        text += f"""
      always @* begin
        if (!running && !stopping) assert (!{kind}_valid && {kind}_left == 0);
        if ({kind}_valid) assert ({kind}_beats != 0 && {{1'b0, {kind}_at[7:0]}} + {kind}_beats <= 256);
      end"""
    return text


def _bus(core: Contract) -> str:
    """A burst on a channel of addresses."""
    text = ""
    for name in ("aw", "ar"):
        stream = core.shell.named(f"m_{name}")
        address, length, size, burst = (stream.port(field) for field in ("addr", "len", "size", "burst"))
        text += f"""
      always @* if ({stream.valid}) begin
        assert ({address} == {{{name}_at, 4'd0}} && {size} == 4 && {burst} == 1);
        assert ({{1'b0, {address}[11:4]}} + {length} < 256);
        assert (running || stopping);
      end"""
    return text


def _stable(core: Contract) -> str:
    """A word that the master offers stays until accepted; a beat to write is 0 without valid."""
    widths = {port.name: port.width for port in core.ports}
    text = ""
    for name in ("aw", "w", "ar"):
        stream = core.shell.named(f"m_{name}")
        registers = "".join(f"\n      reg [{widths[port] - 1}:0] was_{port};" for port in stream.payload)
        samples = "".join(f" was_{port} <= {port};" for port in stream.payload)
        same = " && ".join(f"{port} == was_{port}" for port in stream.payload)
        text += f"""{registers}
      reg waits_{name} = 0;
      always @(posedge {core.shell.clock}) begin
        waits_{name} <= {stream.valid} && !{stream.ready} && !({resetting(core)});{samples}
      end
      always @* if (waits_{name}) assert ({stream.valid} && {same});"""
    beats = core.shell.named("m_w")
    return f"""{text}
      always @* if (!{beats.valid}) assert ({beats.port("data")} == 0 && {beats.port("strb")} == 0);"""


def _target(core: Contract) -> str:
    """Bursts of a unit follow each other from its place on, or through segments, for as many units as the job has."""
    bits = BLOCK_ADDRESS_BITS - 1
    length = len(core.component.writer.cutter.length) - 1
    return f"""
      reg [{bits}:0] place; // of the unit whose bursts begin
      reg [{length}:0] blocks, done; // of a unit; of its bursts that have begun
      reg [15:0] units, number; // of the job; number of the unit
      reg listed;
      reg [{bits}:0] now_at, burst_at; // segment that is cut, and that of the next burst
      reg [{SEGMENT_BITS - 1}:0] now_size, burst_size;
      wire starts = takes && job_status == 0;
      always @(posedge {core.shell.clock}) begin
        if (starts) begin
          place <= job_address[63:4]; blocks <= job_blocks; units <= job_units; number <= 0;
          listed <= job_segments != 0; done <= 0;
        end else if (begins && write_last) begin
          place <= place + blocks; number <= number + 1; done <= 0;
        end else if (begins) done <= done + write_beats;
        if (segment_take) begin now_at <= segment[{bits}:0]; now_size <= segment[{bits} + 1 +: {SEGMENT_BITS}]; end
        if (cut) begin burst_at <= now_at; burst_size <= now_size; end
      end
      always @* begin assume (!starts || job_blocks != 0 && job_units != 0); end
      wire [{bits}:0] begun = write_at - place, prepared = write_next_at - place;
      wire [{bits}:0] in_burst = write_at - burst_at, in_segment = write_next_at - now_at;
      always @* if (running) begin
        if (write_valid || write_left != 0) begin
          assert (blocks == now_blocks && blocks != 0 && number != units && write_in_list == listed);
          assert (to_begin == units - number && write_left <= blocks);
          assert (done + (write_valid ? write_beats : 0) + write_left == blocks && done <= blocks);
          assert (listed || prepared + write_left == blocks);
          if (listed && write_segment_left != 0)
            assert (in_segment + write_segment_left == now_size && write_segment_left <= now_size);
        end
        if (write_valid) begin
          assert (write_last == (write_left == 0));
          assert ({{1'b0, write_left}} + write_beats <= blocks);
          assert (listed || begun + write_beats == prepared);
          if (listed) assert (in_burst < burst_size && in_burst + write_beats <= burst_size);
        end
        if (begins) assert (listed || begun < blocks && begun + write_beats <= blocks);
      end"""
