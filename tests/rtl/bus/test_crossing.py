# SPDX-License-Identifier: Apache-2.0
"""Each access crosses once, as it was made, whatever the two clocks do: by induction over steps of either clock."""

from types import SimpleNamespace

import pytest
from amaranth import ClockDomain, ClockSignal, DomainRenamer, EnableInserter, Module, ResetSignal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from wideblock.errors import UserError
from wideblock.export.annotations import signals
from wideblock.export.contract import contract
from wideblock.export.render import render
from wideblock.export.verilog import convert
from wideblock.rtl.bus import crossing
from wideblock.rtl.bus.crossing import BUS, LiteCrossing
from wideblock.rtl.shell.shell import Port
from wideblock.synth import process, yosys
from wideblock.verify.formal.findings import findings
from wideblock.verify.formal.flat import Flat
from wideblock.verify.formal.induction import Rule, prove
from wideblock.verify.formal.proof import NotProved, RuleResult
from wideblock.verify.suites import suite_of

from ...variants import few_of_many
from ...verify.changed_source import changed

pytestmark = pytest.mark.shows("engine", "formal-stream")

ADDRESS_BITS = 8


class Stepped(wiring.Component):
    """A crossing whose two clocks tick in the steps of one, each as an input says."""

    def __init__(self, inside):
        self.inside = inside
        ports = {"clk": In(1), "rst": In(1), "bus_ticks": In(1), "core_ticks": In(1)}
        super().__init__({**ports, **inside.signature.members})

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain("sync", local=True)
        m.d.comb += [ClockSignal().eq(self.clk), ResetSignal().eq(self.rst)]
        enabled = EnableInserter({BUS: self.bus_ticks, "sync": self.core_ticks})(self.inside)
        m.submodules.dut = DomainRenamer({BUS: "sync"})(enabled)
        for name in self.inside.signature.members:
            connect(m, flipped(getattr(self, name)), getattr(self.inside, name))
        return m


def stepped(made):
    """The crossing as one flat module, and what the prover must know of it."""
    component = Stepped(made)
    text = convert(component, "crossing")
    ports = [
        Port("_".join(map(str, path)), "input" if member.flow is In else "output", len(Value.cast(value)), "")
        for path, member, value in component.signature.flatten(component)
    ]
    with process.workspace(None) as where:
        where.joinpath("core.v").write_text(text)
        yosys.run(
            ["read_verilog core.v", "hierarchy -top crossing", "proc", "flatten", "write_rtlil f.il"], where, "flat"
        )
        flat = Flat("crossing", where.joinpath("f.il").read_text())
    shell = SimpleNamespace(clock="clk", reset="rst", active_low=False)
    return SimpleNamespace(module="crossing", ports=ports, shell=shell), flat


def rule(kind, parts, answer):
    """The rule of a kind of access: ``parts`` go in, each as (channel, register, flag); ``answer`` comes back."""
    names = ("request", "request_first", "request_second", "done", "done_first", "done_second", "answered")
    named = {f"{name}": f"dut.{kind}_{name}" for name in names}
    last, held = parts[-1][0], {channel: f"dut.{kind}_{register}" for channel, register, _ in parts}
    whole = "write_whole" if kind == "write" else "read_asked"
    named |= {"whole": f"dut.{whole}"} | {f"held_{channel}": name for channel, name in held.items()}
    named |= {f"flag_{channel}": f"dut.{flag}" for channel, _, flag in parts}
    if kind == "write":
        named["addressed"] = "dut.write_addressed"
    text = f"""
      wire goes = request_second && !done;
      wire [5:0] chain = {{request, request_first, request_second, done, done_first, done_second}};
      wire [4:0] change = chain[5:1] ^ chain[4:0]; // all flags are equal but for one change on the way
      wire enters = bus_ticks && {last}_valid && {last}_ready;
      wire ends = core_ticks && inner_{answer}_valid && inner_{answer}_ready;
      reg open, over; // an access was accepted whole, and has no response; it has ended inside
      always @(posedge clk) begin
        open <= !rst && (enters || open && !(bus_ticks && {answer}_valid && {answer}_ready));
        over <= !enters && (over || ends);
      end
      always @* begin
        assert ((change & (change - 5'd1)) == 0);
        assert (whole == open && (open || !request && !answered) && !(request && answered));
        assert (answered == {answer}_valid);
        if (open && request) assert (over == done);
        if (open && !request) assert (over == answered);
        if (!open) assert (!goes);
        if (ends) assert (open && !over);
        if ({answer}_valid) assert (open && over);
      end"""
    for channel, _, _ in parts:
        text += f"""
      reg [$bits({channel}_payload)-1:0] given_{channel};
      reg sent_{channel};
      always @(posedge clk) begin
        if (bus_ticks && {channel}_valid && {channel}_ready) given_{channel} <= {channel}_payload;
        if (enters) sent_{channel} <= 0;
        else if (core_ticks && inner_{channel}_valid && inner_{channel}_ready) sent_{channel} <= 1;
      end
      always @* begin
        if (inner_{channel}_valid)
          assert (open && !over && !sent_{channel} && inner_{channel}_payload == given_{channel});
        if (open && !answered) assert (held_{channel} == given_{channel});
        assert (!flag_{channel} || request_second || done);
        if (open && !over) assert (sent_{channel} == (goes && flag_{channel}));
        if (goes) assert (inner_{channel}_valid != flag_{channel});
        assume (!inner_{answer}_valid || sent_{channel});
        if (ends) assert (sent_{channel});
      end"""
    if kind == "write":
        text += """
      always @* begin
        assert (addressed || !whole);
        if (addressed && !answered) assert (held_aw == given_aw);
      end"""
    return Rule(f"a {kind} crosses once, as it was made", named, text)


WRITES = rule("write", (("aw", "address", "write_address_sent"), ("w", "word", "write_word_sent")), "b")
READS = rule("read", (("ar", "address", "read_sent"),), "r")


def test_each_access_crosses_once():
    core, flat = stepped(LiteCrossing(ADDRESS_BITS))
    for each in (WRITES, READS):
        assert prove(core, each, flat).gates > 0


FAULTS = {
    "a write begins again before the handshake is over": ("asks & ~request & ~seen &", "asks & ~request &"),
    "an access is not marked as sent": ("done.eq(way.go & (done | channel.ready))", "done.eq(way.go & done)"),
    "a word is wiped before it has crossed": (
        "with m.If(way.back):",
        "with m.If(way.back | way.answered | ~addressed | whole):",
    ),
    "the flag falls before its answer was seen": ("with m.If(done & ~asked):", "with m.If(done):"),
}


@pytest.mark.parametrize("name", few_of_many(list(FAULTS), list(FAULTS)[:1]))
def test_a_faulty_crossing_is_not_proved(name):
    core, flat = stepped(changed(crossing, "LiteCrossing", *FAULTS[name])(ADDRESS_BITS))
    with pytest.raises(NotProved):
        for each in (WRITES, READS):
            prove(core, each, flat)


def test_a_clock_of_buses_needs_buses():
    with pytest.raises(UserError, match="bus_clock must be core without registers"):
        contract("xts-enc-k", {"bus_clock": "own"})


def test_exports_know_both_clocks():
    core = contract("xts-enc-k", {"sector_bytes": 32, "slots": 4, "registers": "axi4-lite", "bus_clock": "own"})
    clocks = {each.port: each.parameters["ASSOCIATED_BUSIF"] for each in signals(core.shell) if each.kind == "clock"}
    assert clocks == {"aclk": "s_axis:m_axis", "s_axi_aclk": "s_axi_key:s_axi"}
    constraints = render("constraints.sdc.jinja", core=core)
    assert "-group [get_clocks aclk] -group [get_clocks s_axi_aclk]" in constraints and "All ports" not in constraints
    with pytest.raises(UserError, match="has a clock of the buses; traffic is for the engine with bus_clock=core"):
        suite_of(core)
    (finding,) = findings(core, ("slots",))
    assert finding.result is RuleResult.NONE and "bus_clock=core" in finding.detail
